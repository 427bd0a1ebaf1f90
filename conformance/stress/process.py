"""Program of a stress test's process: ``python -P -m nnvet.conformance.stress.process FD``.

FD is a socket to the coordinator (:mod:`nnvet.conformance.stress.coordinator`), which sends the order and gets the
outcome. The process opens the driver, and runs the test function with a
:class:`nnvet.conformance.stress.run.StressRun`. Programs of clients are in :mod:`nnvet.conformance.stress.client`.
"""

from __future__ import annotations

import sys
import threading
from contextlib import ExitStack
from multiprocessing.connection import Connection

from nnvet.adapters.driver import Driver
from nnvet.adapters.selector import SelectorError
from nnvet.adapters.service.stacks import print_stacks_on_signal
from nnvet.conformance.engine.target import open_target
from nnvet.conformance.kit.outcome import (
    CaseFailed,
    Outcome,
    death_outcome,
    fail,
    process_outcome,
    suite_error,
    unsupported,
)
from nnvet.conformance.stress import messages
from nnvet.conformance.stress.catalogue import stress_tests
from nnvet.conformance.stress.run import START_LIMIT_S, StressRun
from nnvet.conformance.stress.threads import ThreadsStuckError
from nnvet.graphs.model import TestModel
from nnvet.hal.errors import HalError
from nnvet.reports.events import Verdict
from nnvet.transport.wire.failures import DriverGone


class TestProcess:
    """Runs one test for the coordinator at the other end of ``connection``."""

    __test__ = False

    def __init__(self, connection: Connection) -> None:
        """Wait for the coordinator's order."""
        self._connection = connection
        self._lock = threading.Lock()
        self._order: messages.TestOrder = connection.recv()
        self._run: StressRun | None = None
        self._failed_test: TestModel | None = None
        self._is_over = threading.Event()

    def serve(self) -> None:
        """Run the test and send its outcome."""
        for loop in (self._beat, self._listen):
            threading.Thread(target=loop, name=f"nnvet-{loop.__name__}", daemon=True).start()
        outcome = self._open_and_run()
        if self._run is not None:
            # Counts and measurements differ between runs, so they belong to the timings.
            outcome = outcome.with_timings({**self._run.tally.evidence, **self._run.facts})
        self._is_over.set()
        if self._failed_test is None and self._run is not None and outcome.verdict is Verdict.FAIL:
            self._failed_test = self._run.tally.failed_test
        self._send(messages.Ended(outcome, self._failed_test))

    def _open_and_run(self) -> Outcome:
        """Open the driver, run the test, and return its outcome, whatever happens."""
        self._send(messages.PhaseBegan(messages.START, START_LIMIT_S))
        try:
            with ExitStack() as stack:
                driver = stack.enter_context(open_target(self._order.target))
                taken = process_outcome(driver.output)
                outcome = self._run_test(driver)
                self._send(messages.PhaseBegan("exit", START_LIMIT_S))
                gone = driver.part()
                return death_outcome(gone) if gone is not None else taken or outcome
        except DriverGone as death:
            return death_outcome(death)
        except CaseFailed as failed:
            self._failed_test = getattr(failed, "test", None)
            return failed.outcome
        except (HalError, SelectorError) as error:
            return fail("driver/reply", str(error)).outcome
        except ThreadsStuckError as stuck:
            return Outcome(Verdict.HANG, "driver/hang", str(stuck))
        except Exception as error:  # noqa: BLE001 - a fault of the suite ends one test, not the run
            return suite_error(error)

    def _run_test(self, driver: Driver) -> Outcome:
        """Run the test function on an open driver.

        :raises CaseFailed: the driver is wrong; UNSUPPORTED if it has not the test's level, or did nothing.
        """
        if driver.pid is not None:
            self._send(messages.Joined("driver", driver.pid))
        level = min(int(driver.device.get_feature_level()), self._order.target.level or 2**31)
        test = stress_tests()[self._order.test]
        if test.level > level:
            raise unsupported(f"the test needs feature level {test.level}, the driver has {level}", "model/level")
        self._run = StressRun(driver, level, self._order, self._send)
        test.body(self._run, test.load_s * self._order.options.scale)
        with self._run.phase("end"):
            self._run.check_healthy()
        if not self._run.tally.done:
            raise unsupported("nothing was done: the driver supports nothing that the test needs")
        return Outcome(Verdict.PASS)

    def _send(self, message: messages.ToCoordinator) -> None:
        """Send a message; threads take turns."""
        with self._lock:
            self._connection.send(message)

    def _beat(self) -> None:
        """Send a beat from time to time, so that the coordinator knows that the process lives."""
        while not self._is_over.wait(messages.BEAT_S):
            self._send(messages.Beat(self._run.tally.done if self._run else 0))

    def _listen(self) -> None:
        """Answer the coordinator, who asks when the test seems to hang."""
        while not self._is_over.is_set():
            try:
                message = self._connection.recv()
            except (EOFError, OSError):
                return
            if isinstance(message, messages.Dump):
                self._send(messages.Dumped(self._describe_processes()))

    def _describe_processes(self) -> dict[str, str]:
        """Return the states of the driver and of the clients, with their stacks if they can be obtained."""
        if self._run is None:
            return {}
        states = {"driver": self._run.driver.state}
        for number, client in enumerate(list(self._run.clients)):
            evidence = client.process.evidence(dead=False)
            states[f"client {number}"] = f"{evidence.state}\n{evidence.stderr_tail}"
        return states


def main(descriptor: int) -> None:
    """Serve the coordinator at the other end of a socket."""
    print_stacks_on_signal()
    with Connection(descriptor) as connection:
        TestProcess(connection).serve()


if __name__ == "__main__":
    main(int(sys.argv[1]))
