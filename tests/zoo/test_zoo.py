"""Every planted bug is found: exactly the cases that it is said to break do not pass."""

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from conformance.case import Case
from conformance.collecting import collect
from conformance.selection import Selection
from conformance.worker import Finished, Target, run_cases
from reference_driver.zoo.registry import bugs
from reports.events import Verdict

SPECS = Path(__file__).parent / "specs"
PATIENCE_S = 5.0


def not_passed(cases: list[Case], target: Target) -> dict[str, str]:
    """Cases with a verdict other than PASS, with the reason."""
    ended = [event for event in run_cases(cases, target) if isinstance(event, Finished)]
    assert len(ended) == len(cases)
    return {
        event.case: f"{event.outcome.verdict} {event.outcome.rule} {event.outcome.reason}"
        for event in ended
        if event.outcome.verdict is not Verdict.PASS
    }


@pytest.fixture(scope="session")
def cases() -> list[Case]:
    """All hand-written checks, and all cases of a few small specs, as far as they apply to the bundled driver."""
    found = collect([SPECS], Selection(), with_checks=True)
    assert not found.errors
    left_out = not_passed(found.cases, Target("reference", in_process=True, timeout_s=PATIENCE_S))
    wrong = {case: why for case, why in left_out.items() if not why.startswith("UNSUPPORTED")}
    assert not wrong
    return [case for case in found.cases if case.id not in left_out]


@pytest.mark.parametrize("name", bugs())
def test_a_bug_breaks_exactly_what_it_must(name: str, cases: list[Case]) -> None:
    """A driver with one bug fails the cases meant for it, at least one, and passes all others."""
    bug = bugs()[name]
    found = not_passed(cases, Target(f"zoo:{name}", in_process=not bug.service, timeout_s=PATIENCE_S))
    expected = {case.id for case in cases if any(fnmatchcase(case.id, glob) for glob in bug.breaks)}
    assert expected, "no case matches what the bug is said to break"
    unexpected = {case: why for case, why in found.items() if case not in expected}
    assert not unexpected
    assert not expected - found.keys(), "cases that should have found the bug"


def test_every_glob_of_a_bug_matches_something(cases: list[Case]) -> None:
    """No bug names cases that do not exist."""
    ids = [case.id for case in cases]
    unmatched = {
        (bug.name, glob) for bug in bugs().values() for glob in bug.breaks if not any(fnmatchcase(i, glob) for i in ids)
    }
    assert not unmatched
