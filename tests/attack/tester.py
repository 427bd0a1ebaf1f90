"""The suite with a driver in a service, and a relay that damages a frame of a case or of the start."""

from __future__ import annotations

import random

from nnvet.adapters import DriverGone, SelectorError
from nnvet.conformance.engine.driver import DriverLostError, DriverUnderTest, run_one
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case
from nnvet.conformance.kit.outcome import Outcome
from nnvet.reports.events import Verdict
from tests.attack.cases import AFTERWARDS, mixed_cases
from tests.attack.middleman import Done, Middleman, Order, Saboteur
from tests.attack.mutation import drawn
from tests.attack.service import PATIENCE_S, Connect, DriverBehind


class Tester:
    """Runs cases of the mix, each while a frame of one direction is damaged."""

    def __init__(self, connect: Connect, saboteur: Saboteur, middleman: Middleman) -> None:
        """Connect and start; the middleman obeys the saboteur."""
        self._target = Target("reference", timeout_s=PATIENCE_S)
        self._saboteur = saboteur
        self._driver = DriverBehind(connect, middleman)
        self._subject = DriverUnderTest(self._target, self._driver)
        self._cases = mixed_cases()
        self._frames = {"": saboteur.seen}
        self._next = next(case for case in self._cases if case.id == AFTERWARDS)

    def draw(self, draw: random.Random) -> tuple[Case | None, Order]:
        """A case, None for a start, and what to do to it; a case that was not drawn before runs undamaged first."""
        case = draw.choice([None, *self._cases])
        name = case.id if case is not None else ""
        if case is not None and name not in self._frames:
            self._frames[name] = self._counted(case)
        return case, Order(draw.randrange(self._frames[name]), drawn(draw), str(draw.random()))

    def run(self, case: Case | None, order: Order | None, timeout_s: float) -> tuple[Outcome, bool, Done | None]:
        """Return the end of a case or a start, whether the driver is lost, and the damage that was done.

        ``timeout_s`` is how long each answer may take.
        """
        self._driver.take_time(timeout_s)
        self._saboteur.take(order)
        if case is None:
            outcome, died = self._start()
        else:
            self._subject.shared.clear()
            self._subject.timeout_s = timeout_s
            outcome, died = run_one(self._subject, case)
        return outcome, died, self._saboteur.done

    def run_undamaged(self) -> tuple[Outcome, bool]:
        """Return the end of an ordinary case, and whether the driver is lost."""
        outcome, died, _ = self.run(self._next, None, PATIENCE_S)
        return outcome, died

    def revive(self) -> None:
        """Have a fresh driver, by undamaged frames."""
        self._saboteur.take(None)
        self._driver.take_time(PATIENCE_S)
        self._subject.revive()

    def close(self) -> None:
        """Part from the driver."""
        self._driver.close()

    def _start(self) -> tuple[Outcome, bool]:
        try:
            self._driver.restart()
            found = DriverUnderTest(self._target, self._driver).findings
        except SelectorError as error:
            return Outcome(Verdict.CRASH, "driver/crash", str(error)), True
        except DriverGone as death:
            return Outcome(Verdict.CRASH, death.rule, str(death)), True
        except DriverLostError as lost:
            return lost.finding.outcome, True
        return found[0].outcome if found else Outcome(Verdict.PASS), False

    def _counted(self, case: Case) -> int:
        """Return the number of frames of a case."""
        outcome, died, _ = self.run(case, None, PATIENCE_S)
        if died:
            # Of what was done to an earlier one.
            self.revive()
            outcome, _, _ = self.run(case, None, PATIENCE_S)
        if outcome.verdict is not Verdict.PASS:
            raise AssertionError((case.id, outcome))
        return self._saboteur.seen
