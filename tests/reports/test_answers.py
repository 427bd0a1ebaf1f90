"""Sentences on top of reports, counted by hand."""

from pathlib import Path

import numpy as np
import pytest

from nnvet.reports.events import Command, DriverFacts, FuzzingFinished, Measurement, RunStarted, Verdict
from nnvet.reports.evidence import STRESS_LABEL
from nnvet.reports.figures import summarise
from nnvet.reports.html.answers import answer_of
from nnvet.reports.html.page import render_page
from nnvet.reports.log import EventLog, Log

PASS, FAIL = Verdict.PASS, Verdict.FAIL


def log_of(path: Path, command: Command, verdicts: list[Verdict], *extra: FuzzingFinished | Measurement) -> Log:
    """A log of cases, failures of two faults in turn, with fuzzing or measurements."""
    header = RunStarted("0.1.0", DriverFacts("x", "x"), "2026-11-27T07:00:00Z", command=command)
    with EventLog.create(path / "run.jsonl", header) as log:
        for number, verdict in enumerate(verdicts):
            log.case_started(f"c/{number}")
            rule = "" if verdict is PASS else f"RULE_{number % 2}"
            log.case_finished(
                f"c/{number}", verdict, rule=rule, labels={STRESS_LABEL: "FAILURE", "check": f"test {number}"}
            )
        for event in extra:
            if isinstance(event, Measurement):
                log.measurement(event)
            else:
                log.fuzzing(event)
        log.finish(1)
        return log.so_far


ENDS = "test 1 ends in FAILURE, test 2 ends in FAILURE, test 3 ends in FAILURE and 2 more do"
FUZZED = (FuzzingFinished("messages", 1200, 60.0), FuzzingFinished("models", 34, 30.0))


@pytest.mark.parametrize(
    ("command", "verdicts", "said"),
    [
        (Command.RANDOM, [PASS] * 4, "The driver computes 4 of 4 random models right."),
        (
            Command.RANDOM,
            [PASS, FAIL, FAIL, FAIL, Verdict.UNSUPPORTED],
            "The driver fails on 3 of 4 random models, by 2 faults; 1 more it does not support.",
        ),
        (Command.STRESS, [PASS], "The driver survives 1 of 1 stress test."),
        (
            Command.STRESS,
            [PASS, *[FAIL] * 5],
            f"The driver survives 1 of 6 stress tests: {ENDS}.",
        ),
        (Command.FUZZ, [], "1,234 inputs in 1 min 30 s of fuzzing found no fault."),
        (Command.FUZZ, [FAIL], "1,234 inputs in 1 min 30 s of fuzzing found 1 fault."),
        (Command.RUN, [PASS], ""),
    ],
)
def test_the_question_is_answered(tmp_path: Path, command: Command, verdicts: list[Verdict], said: str) -> None:
    """On top of the page, too."""
    log = log_of(tmp_path, command, verdicts, *(FUZZED if command is Command.FUZZ else ()))
    assert answer_of(log) == said
    assert (f'<p id="answer">{said}</p>' in render_page(log)) is bool(said)


def test_of_a_benchmark_speed_and_accuracy_are_said(tmp_path: Path) -> None:
    """Half as fast as the baseline, on a model whose accuracy nobody has compared."""
    slow, fast = (summarise(np.full(10, seconds)) for seconds in (2e-3, 1e-3))
    log = log_of(
        tmp_path,
        Command.BENCHMARK,
        [],
        Measurement("net", "LiteRT", fast, family="net"),
        Measurement("net", "nnvet:mine", slow, family="net"),
    )
    assert answer_of(log).startswith("mine runs 1 of 1 model at 0.50× the speed of LiteRT")  # noqa: RUF001 - as shown
