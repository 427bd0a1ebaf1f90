"""Verdicts that depend on time: a second run confirms or replaces them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from nnvet.conformance.engine import again
from nnvet.conformance.engine.again import TIME_RULES, confirm_verdict
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.kit.checks import Case
from nnvet.conformance.kit.outcome import PASSED, Outcome
from nnvet.hal.rules import all_rules
from nnvet.reports.events import Verdict

HANG = Outcome(Verdict.HANG, "driver/hang", "no answer")
LATE = Outcome(Verdict.FAIL, "execution/timing", "too long")
WRONG = Outcome(Verdict.FAIL, "execution/output.value", "wrong")
CRASH = Outcome(Verdict.CRASH, "driver/crash", "gone")


class Driver:
    """Says in which order things happen; cases end as ``ends`` says."""

    def __init__(self, *ends: Outcome) -> None:
        """Nothing has happened."""
        self.ends = list(ends)
        self.happened: list[str] = []
        self.shared: dict[Any, Any] = {"kept": "before"}

    def revive(self) -> None:
        """Start anew."""
        self.happened.append("revived")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else."""
        self.happened.append("alone")
        yield
        self.happened.append("together")

    def run(self, _: Case) -> tuple[Outcome, bool]:
        """The next end."""
        assert not self.shared
        self.happened.append("ran")
        outcome = self.ends.pop(0)
        return outcome, outcome.verdict in (Verdict.HANG, Verdict.CRASH)


@pytest.fixture
def case() -> Case:
    """Any case."""
    return next(iter(Catalogue().cases(Selection(only=("BasicTest/*",)))))


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty things to do for two cores."""
    monkeypatch.setattr(again, "load", lambda: 30.0)
    monkeypatch.setattr(again, "cores", lambda: 2)


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("end", [HANG, LATE])
def test_what_comes_again_is_confirmed(case: Case, end: Outcome) -> None:
    """By a run without others; a driver that has hung is a fresh one then."""
    died = end is HANG
    driver = Driver(end)
    outcome, is_dead = confirm_verdict(driver, driver.run, case, end, died=died)
    assert (outcome.verdict, outcome.rule, outcome.reason, is_dead) == (end.verdict, end.rule, end.reason, died)
    said = f"{end.verdict} again, run by itself: the load was above the 2 cores"
    assert outcome.evidence["timings"] == {"confirmed": said, "load": 30.0}
    assert driver.happened == ["alone", *["revived"] * died, "ran", "together"]


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("second", [PASSED, WRONG, CRASH, LATE])
def test_of_what_does_not_come_again_the_second_verdict_counts(case: Case, second: Outcome) -> None:
    """With a note of the first."""
    driver = Driver(second)
    outcome, is_dead = confirm_verdict(driver, driver.run, case, HANG, died=True)
    assert (outcome.verdict, outcome.rule, is_dead) == (second.verdict, second.rule, second is CRASH)
    first = {"verdict": "HANG", "rule": "driver/hang", "reason": "no answer"}
    assert outcome.evidence["timings"] == {"unconfirmed": first, "load": 30.0}


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("end", [PASSED, WRONG, CRASH])
def test_load_excuses_nothing_else(case: Case, end: Outcome) -> None:
    """Wrong is wrong, and nothing is run again."""
    driver = Driver()
    assert confirm_verdict(driver, driver.run, case, end, died=end is CRASH) == (end, end is CRASH)
    assert not driver.happened


@pytest.mark.parametrize("load", [0.5, 2.0])
def test_on_a_quiet_machine_a_hang_is_a_hang(monkeypatch: pytest.MonkeyPatch, case: Case, load: float) -> None:
    """At once."""
    monkeypatch.setattr(again, "load", lambda: load)
    monkeypatch.setattr(again, "cores", lambda: 2)
    driver = Driver()
    assert confirm_verdict(driver, driver.run, case, HANG, died=True) == (HANG, True)
    assert not driver.happened


def test_rules_of_times_exist() -> None:
    """A rule that was renamed would not be confirmed any more."""
    assert set(all_rules()) >= TIME_RULES


def test_load_and_cores_of_this_machine() -> None:
    """Whoever reads them runs."""
    assert again.load() >= 1
    assert again.cores() >= 1
