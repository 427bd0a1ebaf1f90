"""The driver is killed while clients work: they get errors, not silence, and a fresh driver serves new clients."""

from __future__ import annotations

import time

from nnvet.adapters import DriverGone
from nnvet.conformance.engine.outcome import CaseFailed, fail, unsupported
from nnvet.conformance.stress.catalogue import stress_test
from nnvet.conformance.stress.clients import attend, await_work, end
from nnvet.conformance.stress.run import StressRun


@stress_test("DriverRestart", "The driver is killed while clients execute, and started again.", 6.0)
def driver_restart(run: StressRun, load_s: float) -> None:
    """Every client notices within the timeout of a call; what it does after that does not reach the new driver."""
    if not run.driver.is_ours or run.driver.pid is None:
        raise unsupported("the driver was not started by the suite, so it cannot be killed and started again")
    run.require_role("inference")
    with run.phase("clients", load_s):
        try:
            clients = [run.client("inference", load_s * 4) for _ in range(run.options.processes)]
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
