"""The outcome of a run: nothing missing may look like conformance."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nnvet.reports.events import DriverFacts, Measurement, RunStarted, Verdict
from nnvet.reports.log import EventLog, read_log
from nnvet.reports.outcome import EXIT_CODES, RunOutcome, judge, outcome_of, worst_exit_code


@pytest.mark.parametrize(
    ("verdicts", "exit_code", "outcome", "cause"),
    [
        ("PASS", 0, RunOutcome.NO_FAULT, "every judged case passed: 1"),
        ("PASS UNSUPPORTED WAIVED", 0, RunOutcome.NO_FAULT, "2 were not judged"),
        ("PASS FAIL", 1, RunOutcome.NOT_CONFORMANT, "1 FAIL"),
        ("PASS CRASH HANG", 1, RunOutcome.NOT_CONFORMANT, "1 HANG · 1 CRASH"),
        ("FAIL", None, RunOutcome.NOT_CONFORMANT, "no footer"),
        ("PASS FAIL", 0, RunOutcome.NOT_CONFORMANT, "1 FAIL"),
        ("PASS", 1, RunOutcome.NOT_CONFORMANT, "ended as not conformant"),
        ("PASS", None, RunOutcome.INCOMPLETE, "no footer: the run was cut off after 1 case"),
        ("PASS NOT_RUN", 0, RunOutcome.INCOMPLETE, "1 case not run"),
        ("PASS ERROR ERROR", 3, RunOutcome.INCOMPLETE, "the suite itself failed in 2 cases"),
        ("PASS", 3, RunOutcome.INCOMPLETE, "exit code 3"),
        ("UNSUPPORTED", 0, RunOutcome.INCOMPLETE, "no case passed"),
        ("", 0, RunOutcome.INCOMPLETE, "no case passed"),
    ],
)
def test_outcomes(
    make_log: Callable[..., Path], verdicts: str, exit_code: int | None, outcome: RunOutcome, cause: str
) -> None:
    """Faults come first, then gaps; only a complete run with passes and without either conforms."""
    cases = {f"case/{index}": Verdict(name) for index, name in enumerate(verdicts.split())}
    judgement = judge(read_log(make_log(cases, exit_code=exit_code)))
    assert judgement.outcome is outcome
    assert any(cause in text for text in judgement.causes), judgement.causes


def test_a_run_that_ends_early_is_incomplete(tmp_path: Path) -> None:
    """Fewer cases than planned is a gap even with a footer."""
    started = RunStarted("0", DriverFacts("x"), "2025-01-01T00:00:00Z", planned=3)
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        log.case_started("a")
        log.case_finished("a", Verdict.PASS)
        log.finish(0)
    judgement = judge(read_log(log.path))
    assert judgement.outcome is RunOutcome.INCOMPLETE
    assert judgement.causes == ("the run ended after 1 of 3 cases",)


def test_problems_of_the_run_are_causes(full_log: Path) -> None:
    """An expired waiver stands beside the failures."""
    judgement = judge(read_log(full_log))
    assert judgement.outcome is RunOutcome.NOT_CONFORMANT
    assert judgement.causes[:2] == ("2 FAIL · 1 HANG · 1 CRASH", "waivers.toml#7 has expired")


def test_a_benchmark_alone_is_no_conformance(tmp_path: Path, started: RunStarted) -> None:
    """Measurements without cases get an outcome of their own."""
    header = RunStarted(started.suite_version, started.driver, started.time)
    with EventLog.create(tmp_path / "run.jsonl", header) as log:
        log.measurement(Measurement("m", "LiteRT"))
        log.finish(0)
    assert judge(read_log(log.path)).outcome is RunOutcome.MEASURED


def test_a_case_that_never_ended_is_named(tmp_path: Path, started: RunStarted) -> None:
    """The case during which the run broke off is the first thing to look at."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        log.case_started("vts/deadly")
    assert "the run broke off during vts/deadly" in judge(read_log(log.path)).causes


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [("PASS", 0), ("PASS UNSUPPORTED", 0), ("PASS FAIL", 1), ("HANG ERROR", 1), ("PASS ERROR", 3), ("UNSUPPORTED", 3)],
)
def test_a_run_ends_with_the_code_of_the_outcome_that_its_log_tells(
    make_log: Callable[..., Path], verdicts: str, code: int
) -> None:
    """The footer's code and the report rest on one judgement."""
    cases = {f"case/{index}": Verdict(name) for index, name in enumerate(verdicts.split())}
    counts = {verdict: list(cases.values()).count(verdict) for verdict in Verdict}
    outcome = outcome_of(counts)
    assert EXIT_CODES[outcome] == code
    assert judge(read_log(make_log(cases, exit_code=code))).outcome is outcome


def test_a_failed_benchmark_alone_is_a_fault() -> None:
    """A failed benchmark beside the cases is a fault, too."""
    assert outcome_of({Verdict.PASS: 1}, measured=True, faults=True) is RunOutcome.NOT_CONFORMANT
    assert outcome_of({}, measured=True) is RunOutcome.MEASURED


@pytest.mark.parametrize(("codes", "worst"), [((0, 0), 0), ((4, 0), 4), ((3, 4, 0), 3), ((4, 1, 3), 1)])
def test_of_several_runs_the_worst_counts(codes: tuple[int, ...], worst: int) -> None:
    """A proven fault comes before what could not be judged."""
    assert worst_exit_code(codes) == worst


def test_reasons_for_not_running_are_named(tmp_path: Path) -> None:
    """Each reason with the number of its cases, the commonest first; of very many the rest is counted."""
    with EventLog.create(tmp_path / "run.jsonl", RunStarted("0", DriverFacts("x"), "2025-01-01T00:00:00Z")) as log:
        for number in range(8):
            reason = "there is no file" if number < 2 else f"reason {number}"
            log.case_finished(f"case/{number}", Verdict.NOT_RUN, reason=reason)
        log.finish(3)
    assert judge(read_log(log.path)).causes == (
        "2 cases not run: there is no file",
        *(f"1 case not run: reason {number}" for number in range(2, 6)),
        "2 cases not run for other reasons",
    )


def test_a_problem_that_is_a_reason_is_named_once(tmp_path: Path) -> None:
    """A job whose harness could not run has its problem in the footer, too; other problems follow."""
    with EventLog.create(tmp_path / "run.jsonl", RunStarted("0", DriverFacts("x"), "2025-01-01T00:00:00Z")) as log:
        log.case_finished("Fuzz/cache", Verdict.NOT_RUN, reason="cache: coverage does not grow")
        log.finish(3, ("cache: coverage does not grow", "the disk is full"))
    assert judge(read_log(log.path)).causes == (
        "1 case not run: cache: coverage does not grow",
        "the disk is full",
    )
