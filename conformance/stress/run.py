"""Tools that a stress test is written with: the driver, options, phases, threads and client processes.

Each test function in ``suites/`` gets a :class:`StressRun`, which runs in the test's own process
(:mod:`nnvet.conformance.stress.process`) and reports to the coordinator. :mod:`nnvet.conformance.stress.running` runs
all tests of a plan.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Any, Final

from nnvet.adapters.driver import Driver
from nnvet.adapters.selector import SelectorError
from nnvet.conformance.engine.target import open_target
from nnvet.conformance.kit.outcome import PASSED, CaseFailed, Outcome, fail, judge_reports
from nnvet.conformance.stress.clients import (
    ROLES,
    ClientEndings,
    ClientProcess,
    LoadClient,
    attend,
    choose_deaths,
    end,
    sums,
)
from nnvet.conformance.stress.loads import ClientSubject
from nnvet.conformance.stress.messages import ClientOrder, Joined, PhaseBegan, StressOptions, TestOrder, ToCoordinator
from nnvet.conformance.stress.sampling import family
from nnvet.conformance.stress.threads import WorkTally, run_threads
from nnvet.hal.errors import HalError
from nnvet.reports.events import Verdict
from nnvet.transport.wire.failures import DriverGone
from nnvet.transport.wire.limits import longest_s

_SLACK_S: Final = 60.0
"""Seconds that a phase may take beyond its load, for starting processes and for calls that end by their timeout."""
_CHECKS: Final = 3
"""Small sums that a healthy driver has to compute."""
_BUNDLED: Final = "reference"
"""Selector of the bundled driver, which takes the place of an idle one if the driver under test starts only once."""

START_LIMIT_S: Final = 240.0
"""Time that the driver may take to start and to describe itself, with the calls that time out meanwhile."""


class StressRun:
    """A running test. ``tally`` counts the work of all clients, ``facts`` are added to the evidence."""

    def __init__(self, driver: Driver, level: int, order: TestOrder, send: Callable[[ToCoordinator], None]) -> None:
        """Prepare a test; ``send`` sends a message to the coordinator, ``level`` is the feature level to keep to."""
        self.driver = driver
        self.options: StressOptions = order.options
        self.timeout_s = order.target.timeout_s
        self.is_in_process = order.target.in_process
        self._target = order.target
        self.subject = ClientSubject(lambda: driver.device, level, self.timeout_s, driver)
        self.tally = WorkTally()
        self.facts: dict[str, Any] = {}
        self.seed = f"{order.options.seed}-{order.test.replace('/', '-')}"
        self.numbers = random.Random(self.seed)  # noqa: S311 - no secret
        self.clients: list[ClientProcess] = []
        self._send = send
        self._started = 1
        self._family = family(driver.pid)
        self._required: set[str] = set()

    @contextmanager
    def phase(self, name: str, load_s: float = 0.0) -> Iterator[None]:
        """Announce a part of the test, which puts load on the driver for ``load_s`` seconds while the block runs."""
        slack_s = _SLACK_S + 2 * longest_s(self.timeout_s) if self.options.slack_s is None else self.options.slack_s
        self._send(PhaseBegan(name, load_s + slack_s))
        yield

    def require_role(self, role: str) -> None:
        """Check in this process, before clients work, that the driver supports what a role needs.

        :raises CaseFailed: UNSUPPORTED if it does not, or a failure if the driver is wrong.
        """
        if role not in self._required:
            with TemporaryDirectory(prefix="nnvet-stress-") as folder:
                ROLES[role](LoadClient(self.subject, f"{self.seed}/0", 1, WorkTally(), folder))
            self._required.add(role)

    def threads(self, role: str, duration_s: float, count: int | None = None) -> None:
        """Put load on the driver with threads of this process.

        :raises CaseFailed, DriverGone: the driver is wrong, or was lost.
        """
        client = LoadClient(self.subject, f"{self.seed}/0", count or self.options.threads, self.tally)
        run_threads(ROLES[role](client), duration_s, self.timeout_s, self.tally)
        self.settle()

    def processes(
        self,
        role: str,
        duration_s: float,
        *,
        count: int | None = None,
        threads: int = 2,
        dying: float = 0.0,
        folder: str = "",
    ) -> ClientEndings:
        """Load the driver with client processes, some of which are killed in the middle of their work.

        :raises CaseFailed, DriverGone: the driver is wrong, or was lost, or a client dies by itself.
        """
        self.require_role(role)
        count = count or self.options.processes
        deaths = choose_deaths(count, dying, duration_s, self.numbers)
        try:
            clients = [self.client(role, duration_s, threads, folder, dies_at_s) for dies_at_s in deaths]
            ending = attend(clients, duration_s, self.timeout_s)
        finally:
            end(self.clients)
            self.clients.clear()
        return self._account(ending)

    def client(
        self, role: str, duration_s: float, threads: int = 2, folder: str = "", dies_at_s: float | None = None
    ) -> ClientProcess:
        """Start one client process; the caller attends to it."""
        seed = f"{self.seed}/{self._started}"
        self._started += 1
        level, process = self.subject.feature_level, self.driver.pid
        order = ClientOrder(role, seed, threads, duration_s, level, self.timeout_s, folder, process)
        client = ClientProcess(self.driver, order, dies_at_s)
        self.clients.append(client)
        self._send(Joined("client", client.process.pid))
        return client

    def _account(self, ending: ClientEndings) -> ClientEndings:
        """Add the work of clients to the tally, and check that none of them failed.

        :raises CaseFailed, DriverGone: the driver is wrong, or was lost, or a client has died by itself.
        """
        for report in ending.reports:
            self.tally.merge(report)
        self.facts["clients_killed"] = self.facts.get("clients_killed", 0) + ending.killed
        self.tally.add(ending.done_by_killed, ())
        # The death of the driver says more than those of its clients.
        self.check_healthy()
        for outcome in ending.faults:
            raise CaseFailed(outcome)
        self.settle()
        return ending

    def restart(self) -> None:
        """Start the driver again after it was killed.

        :raises DriverGone: it does not start.
        """
        self.subject.restart()
        self._family = family(self.driver.pid)
        if self.driver.pid is not None:
            self._send(Joined("driver", self.driver.pid))

    @contextmanager
    def other_driver(self) -> Iterator[ClientSubject]:
        """Open the driver that gets the second parts of models while the block runs; it may be the driver under test.

        :raises SelectorError: there is no such driver.
        :raises DriverGone: it does not start.
        """
        if not self.options.split_with:
            yield self.subject
            return
        with open_target(replace(self._target, selector=self.options.split_with)) as driver:
            level = min(int(driver.device.get_feature_level()), self.subject.feature_level)
            yield ClientSubject(lambda: driver.device, level, self.timeout_s, driver)

    @contextmanager
    def idle_driver(self) -> Iterator[ClientSubject]:
        """Open an idle driver for comparison while the block runs: the driver under test once more, or the bundled one.

        :raises DriverGone: neither starts.
        """
        with ExitStack() as stack:
            driver = None
            if self.driver.is_ours and not self.is_in_process:
                with suppress(DriverGone, SelectorError, HalError):
                    driver = stack.enter_context(open_target(self._target))
            driver = driver or stack.enter_context(
                open_target(replace(self._target, selector=_BUNDLED, in_process=False))
            )
            self.facts["beside"] = driver.selector
            if driver.pid is not None:
                self._send(Joined("idle driver", driver.pid))
            level = min(int(driver.device.get_feature_level()), self.subject.feature_level)
            yield ClientSubject(lambda: driver.device, level, self.timeout_s, driver)

    def settle(self) -> None:
        """Check that all work until now was right, and that the driver still runs.

        :raises CaseFailed, DriverGone: something was wrong, or the driver is gone.
        """
        gone = self.tally.gone
        if gone is not None:
            # Ask again: a dead driver gives more evidence than its client, and a living one has hung.
            self.check_healthy()
            if gone.verdict is Verdict.HANG:
                raise CaseFailed(replace(gone, evidence={"driver_state": self.driver.state, **gone.evidence}))
            reason = f"a client has lost its connection, although the driver is there: {gone.reason}"
            raise fail("client/interference", reason, **gone.evidence)
        # Of several clients one may find wrong what another one could not do at all.
        for outcome in sorted(self.tally.failures, key=lambda failure: failure.verdict is Verdict.UNSUPPORTED):
            raise CaseFailed(outcome)

    def check_healthy(self) -> None:
        """Check that the driver still computes in its first process, and has printed no errors.

        :raises CaseFailed, DriverGone: one of these does not hold.
        """
        work = sums(LoadClient(self.subject, self.seed, 1, WorkTally()))[0]
        for _ in range(_CHECKS):
            work()
        self._check_family()
        self._check_log()

    def _check_family(self) -> None:
        """Fail if a process that the driver had at the beginning has died unnoticed."""
        gone = [pid for pid, began in self._family.items() if family(pid).get(pid) != began]
        if gone:
            now = sorted(family(self.driver.pid))
            reason = f"process {gone[0]} of the driver has died during the test, and no call has failed"
            evidence = {"timings": {"gone": gone, "now": now}}
            raise CaseFailed(Outcome(Verdict.CRASH, "driver/crash", reason, evidence))

    def _check_log(self) -> None:
        """Check that the driver has printed no error."""
        output = self.driver.output
        outcome = judge_reports(PASSED, lambda: output)
        if outcome.verdict is not Verdict.PASS:
            raise CaseFailed(outcome)
        found = re.search(self.options.log_pattern, output) if self.options.log_pattern else None
        if found:
            line = next(printed for printed in output.splitlines() if re.search(self.options.log_pattern, printed))
            raise fail("driver/log", f"the driver prints: {line.strip()}", stderr_tail=output)
