"""Stress tests in which clients or the driver die.

Clients die in the middle of their work while others go on. The others must not be disturbed, and afterwards the driver
must hold nothing that belonged to the dead clients (docs/contract/crash-tests.md 6 and 7). After a load the driver has
to recover: it must be idle and must have freed the objects of clients that are gone. If the driver itself is killed,
clients have to get errors in time, and a fresh driver has to serve new clients. The death of one client in a case of
seconds is in :mod:`nnvet.conformance.suites.concurrency.isolation`.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from nnvet.conformance.kit.growth import Footprint, measure_footprint, settle_growth
from nnvet.conformance.kit.outcome import CaseFailed, fail, unsupported
from nnvet.conformance.stress.catalogue import Body, stress_test
from nnvet.conformance.stress.clients import attend, await_work, end
from nnvet.conformance.stress.run import StressRun
from nnvet.conformance.stress.sampling import cpu_time_s
from nnvet.transport.wire.failures import DriverGone

_UNTIL_KILLED_S: Final = 3600.0
"""Longest work of clients whose driver is killed: none may end by itself while others still start on a busy machine."""


@stress_test("DriverRestart", "The driver is killed while clients execute, and started again.", 6.0)
def driver_restart(run: StressRun, load_s: float) -> None:
    """Every client notices within the timeout of a call, and later calls on the old connection reach no new driver."""
    if not run.driver.is_ours or run.driver.pid is None:
        raise unsupported("the driver was not started by the suite, so it cannot be killed and started again")
    run.require_role("inference")
    with run.phase("clients", load_s):
        try:
            clients = [run.client("inference", _UNTIL_KILLED_S) for _ in range(run.options.processes)]
            await_work(clients)
            time.sleep(load_s / 2)
            run.driver.kill()
            ending = attend(clients, run.timeout_s, run.timeout_s)
        finally:
            end(run.clients)
            run.clients.clear()
    for outcome in ending.faults:
        raise CaseFailed(outcome)
    unaware = sum(not report.gone for report in ending.reports)
    if unaware:
        raise fail("driver/crash", f"{unaware} of {len(ending.reports)} clients do not notice that the driver is gone")
    with run.phase("restart"):
        try:
            run.restart()
        except DriverGone as gone:
            raise fail("client/recovery", f"the driver does not start again: {gone}") from gone
        run.threads("inference", load_s / 4, 2)


_PATIENCE_S: Final = 3.0
"""Time for which a driver may continue work that it had begun for a client that has died."""
_LOOK_S: Final = 0.5
"""Seconds over which the use of the processor is measured."""
_IDLE: Final = 0.3
"""Largest part of one processor that an idle driver may use."""
_ALLOWED: Final = Footprint(6, 6, 128 << 20)
"""Resources that may remain after many clients died: caches and pools of threads, but nothing for each client."""


def check_idle(run: StressRun) -> None:
    """Check that the driver stops computing when it has no client left.

    :raises CaseFailed: it goes on computing.
    """
    if run.driver.pid is None:
        run.facts["idle"] = "not measured: the driver has no process of its own"
        return
    end = time.monotonic() + _PATIENCE_S
    while True:
        before = cpu_time_s(run.driver.pid)
        time.sleep(_LOOK_S)
        share = (cpu_time_s(run.driver.pid) - before) / _LOOK_S
        if share <= _IDLE:
            return
        if time.monotonic() > end:
            reason = f"{_PATIENCE_S:g} s after its clients have gone the driver still uses {share:.0%} of a processor"
            raise fail("client/interference", reason, cpu_share=round(share, 2))


def check_returned(run: StressRun, before: Footprint | None) -> None:
    """Check that the driver has released descriptors, threads and memory of clients that are gone.

    ``before`` is the state before these clients; None means that it cannot be measured, and nothing is checked.

    :raises CaseFailed: the driver holds more than ``before``.
    """
    if before is None:
        run.facts["footprint"] = "not measured: the driver has no process of its own"
        return
    growth = settle_growth(run.subject, before, _ALLOWED)
    found = {"descriptors": growth.descriptors, "threads": growth.threads, "memory_bytes": growth.memory_bytes}
    run.facts["growth"] = found
    if any(grown > most for grown, most in zip(growth, _ALLOWED, strict=True)):
        text = ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in found.items())
        raise fail("client/leak", f"after the death of its clients the driver holds more than before: {text}", **found)


_RECOVERY_S: Final = 20.0
"""Seconds of the phase in which the driver has to become idle again."""
_LOOPS: Final = 24
"""Number of loops that one client runs when it dies."""


def _register(name: str, summary: str, role: str, threads: int, share: float, load_s: float) -> None:
    """Register a test with one role, of whose client processes a share is killed."""

    def body(run: StressRun, load_s: float) -> None:
        with run.phase("clients", load_s):
            run.processes(role, load_s, threads=threads, dying=share)

    stress_test(name, summary, load_s)(body)


for _share in (0, 80):
    _register(
        f"MultiProcessInference/{_share}",
        f"Processes of threads execute models; {_share} % of the processes are killed.",
        "inference",
        4,
        _share / 100,
        10.0,
    )
for _share in (0, 50, 100):
    _register(
        f"MultiProcessModelLoad/{_share}",
        f"Processes of threads prepare models and execute each once; {_share} % of the processes are killed.",
        "loading",
        2,
        _share / 100,
        8.0,
    )


def _make_test(role: str, processes: int | None, threads: int) -> Body:
    """Return the function of a test in which all processes of a role die, while another client goes on."""

    def body(run: StressRun, load_s: float) -> None:
        # Things that a driver makes once and keeps exist before the first count.
        with run.phase("warm-up", 2.0):
            run.processes(role, 1.0, count=1, threads=threads, dying=1.0)
            run.threads("inference", 1.0, count=1)
            before = None if run.is_in_process else measure_footprint(run.subject)
        with run.phase("clients", load_s), ThreadPoolExecutor(1) as pool:
            alive = pool.submit(run.threads, "inference", load_s, 1)
            run.processes(role, load_s, count=processes, threads=threads, dying=1.0)
            alive.result()
        with run.phase("recovery", _RECOVERY_S):
            check_idle(run)
            check_returned(run, before)

    return body


_EARLY: Final[dict[str, tuple[str, str, int, int | None, int]]] = {
    "Compilation": ("compilation", "Clients die while they prepare models", 1, None, 2),
    "Execution": ("endless_executions", "A client dies while many loops without end wait for their turn", 4, 1, _LOOPS),
    "Burst": ("bursts", "Clients die while they execute on bursts", 3, None, 2),
    "Buffers": ("buffers", "Clients die while they hold device memory", 4, None, 2),
}
"""Tests of early deaths: role, summary, level, number of processes (None: that of the options) and threads in each."""
for _name, (_role, _summary, _level, _processes, _threads) in _EARLY.items():
    stress_test(
        f"ClientEarlyTermination/{_name}",
        f"{_summary}; a thread of another client executes all the while.",
        6.0,
        level=_level,
    )(_make_test(_role, _processes, _threads))
