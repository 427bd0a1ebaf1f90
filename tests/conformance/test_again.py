"""Cases that run again: an intermittent failure is FAIL with a note, and nothing else changes."""

from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from nnvet.conformance.engine.again import OF_A_KIND
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.outcome import Finished, fail
from nnvet.reference_driver.zoo.full_device import FullDevice
from nnvet.reference_driver.zoo.registry import create
from nnvet.reports.diff import equal_apart_from_timings
from nnvet.reports.events import CaseFinished
from nnvet.reports.fingerprint import fingerprint
from nnvet.reports.log import Log
from tests.conformance.test_stopping import CASE, SYNC, folder_of, plan_for, run

SIZES = (1, 2, 3, 4)


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """A folder with a spec of a case for each size."""
    return folder_of(tmp_path, SIZES)


def verdicts(log: Log) -> dict[int, str]:
    """Verdicts of the cases of a log by their size."""
    return {size: str(log.results[CASE.format(size)].verdict) for size in SIZES}


def test_a_failure_that_is_not_repeated_is_flaky(specs: Path) -> None:
    """It stays FAIL, with its rule, and says what it is when it is run again; such logs are continued like others."""
    code, log = run(plan_for(specs, "zoo:run-zeros-once"))
    result = log.results[CASE.format(2)]
    assert (code, verdicts(log)) == (1, {1: "PASS", 2: "FAIL", 3: "PASS", 4: "PASS"})
    assert (result.rule, result.evidence["again"]) == ("execution/output.value", "PASS")
    assert result.reason.endswith("flaky: run again it is PASS")
    # The process that ran it, and when, are those of another run.
    kept = replace(result, process=0, began_s=0.0)
    assert run(plan_for(specs, "zoo:run-zeros-once", resume=True))[1].results[CASE.format(2)] == kept


def test_a_failure_that_kills_when_it_is_run_again(specs: Path) -> None:
    """The failure stays, the death is reported with it, and the cases after it run on a fresh driver."""
    code, log = run(plan_for(specs, "zoo:run-zeros-then-exit"))
    result = log.results[CASE.format(2)]
    assert (code, verdicts(log)) == (1, {1: "PASS", 2: "FAIL", 3: "PASS", 4: "PASS"})
    assert (result.evidence["again"], result.reason.endswith("run again it is CRASH")) == ("CRASH", True)


def test_a_failure_before_a_death_is_doubtful(specs: Path) -> None:
    """A case that failed in the process that then died is run alone, too: its failure may come of that death."""
    code, log = run(plan_for(specs, "zoo:run-spreads"))
    crash = log.results[CASE.format(4)]
    assert (code, verdicts(log)) == (1, {1: "PASS", 2: "PASS", 3: "FAIL", 4: "CRASH"})
    assert "again" not in log.results[CASE.format(3)].evidence
    assert (crash.evidence["culprit"], crash.evidence["failed_before"]) == (CASE.format(2), {CASE.format(3): "PASS"})
    assert f"{CASE.format(3)} (alone: PASS)" in crash.reason


def test_what_fails_everywhere_takes_hardly_more_time(tmp_path: Path) -> None:
    """Of failures of one kind the first few are run again."""
    folder = folder_of(tmp_path, tuple(range(1, 9)))
    ran: Counter[int] = Counter()

    class Counting(FullDevice):
        def compile(self, *arguments: object) -> object:
            prepared = device.compile(*arguments)  # type: ignore[attr-defined]
            ran.update(prepared.model.main.operands[0].dimensions)
            return prepared

    device = create("run-zeros")
    target = Target("counting", factory=Counting)
    events = run_cases(Catalogue([folder], with_checks=False).cases(SYNC), target)
    ends = [event.outcome for event in events if isinstance(event, Finished)]
    assert [(end.verdict, "again" in end.evidence) for end in ends] == [("FAIL", False)] * 8
    assert ran == {size: 1 + (size <= OF_A_KIND) for size in range(1, 9)}


@pytest.mark.parametrize(
    "name",
    [
        "run-zeros",
        pytest.param("run-zeros-once", marks=pytest.mark.long),
        pytest.param("run-spreads", marks=pytest.mark.long),
    ],
)
def test_equal_runs_have_equal_logs(specs: Path, name: str) -> None:
    """Whoever runs the cases, and however many are run again."""
    first, *others = [run(plan_for(specs, f"zoo:{name}", jobs=jobs))[1] for jobs in (1, 2, 1)]
    assert all(equal_apart_from_timings(first, other) for other in others)


def test_a_flaky_failure_is_the_same_fault() -> None:
    """It folds with those of its kind that fail each time."""
    outcome = fail("execution/output.value", "wrong", wrong_elements=1).outcome
    flaky = {**outcome.evidence, "again": "PASS"}
    ends = (CaseFinished("case", outcome.verdict, outcome.rule, "wrong", known) for known in (outcome.evidence, flaky))
    assert len({fingerprint(end) for end in ends}) == 1
