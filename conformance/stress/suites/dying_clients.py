"""Clients that die in the middle of what they do, while others work on (docs/contract/crash-tests.md 6 and 7).

Others must not notice, and when the dead are gone the driver holds nothing of theirs any more.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Final

from nnvet.conformance.engine.footprint import footprint
from nnvet.conformance.stress.catalogue import Body, stress_test
from nnvet.conformance.stress.recovery import check_idle, check_returned
from nnvet.conformance.stress.run import StressRun

_RECOVERY_S: Final = 20.0
_LOOPS: Final = 24
"""Loops that one client has under way when it dies."""


def _register(name: str, summary: str, role: str, threads: int, share: float, load_s: float) -> None:
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


def _dying(role: str, processes: int | None, threads: int) -> Body:
    def body(run: StressRun, load_s: float) -> None:
        # What a driver makes once and keeps is there before it is counted.
        with run.phase("warm-up", 2.0):
            run.processes(role, 1.0, count=1, threads=threads, dying=1.0)
            run.threads("inference", 1.0, count=1)
            before = None if run.is_in_process else footprint(run.subject)
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
for _name, (_role, _summary, _level, _processes, _threads) in _EARLY.items():
    stress_test(
        f"ClientEarlyTermination/{_name}",
        f"{_summary}; a thread of another client executes all the while.",
        6.0,
        level=_level,
    )(_dying(_role, _processes, _threads))
