"""The judgement of two versions, and the latency among what drifts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nnvet.reports.diff import UpgradeAnswer, drift_between, judge_upgrade
from nnvet.reports.events import Measurement, RunStarted, SpeedRatio, Verdict
from nnvet.reports.figures import summarise
from nnvet.reports.html.diff import render_changes
from nnvet.reports.log import EventLog, Log, read_log
from nnvet.reports.outcome import EXIT_CONFORMANT

Write = Callable[..., Log]


@pytest.fixture
def write(tmp_path: Path, started: RunStarted) -> Write:
    """Writes a log of verdicts by case, finished or not."""

    def written(name: str, *measured: Measurement, finished: bool = True, **cases: Verdict) -> Log:
        path = tmp_path / name
        with EventLog.create(path, RunStarted(started.suite_version, started.driver, started.time)) as log:
            for case, verdict in cases.items():
                log.case_started(case)
                log.case_finished(case, verdict)
            for measurement in measured:
                log.measurement(measurement)
            if finished:
                log.finish(EXIT_CONFORMANT)
        return read_log(path)

    return written


@pytest.mark.parametrize(
    ("old", "new", "answer", "reason"),
    [
        ({"a": Verdict.PASS}, {"a": Verdict.PASS}, UpgradeAnswer.SAFE, ""),
        ({"a": Verdict.PASS, "b": Verdict.FAIL}, {"a": Verdict.PASS, "b": Verdict.FAIL}, UpgradeAnswer.SAFE, ""),
        ({"a": Verdict.PASS}, {"a": Verdict.FAIL}, UpgradeAnswer.UNSAFE, "cases fail that did not fail before: 1 (a)"),
        # A driver that dies as it starts has a case of its own.
        ({"a": Verdict.PASS}, {"a": Verdict.PASS, "s": Verdict.CRASH}, UpgradeAnswer.UNSAFE, "before: 1 (s)"),
        (
            {"a": Verdict.PASS, "b": Verdict.PASS},
            {"a": Verdict.PASS, "b": Verdict.UNSUPPORTED},
            UpgradeAnswer.UNSAFE,
            "claims are lost (PASS before, UNSUPPORTED now): 1 (b)",
        ),
        (
            {"a": Verdict.PASS},
            {"a": Verdict.PASS, "b": Verdict.ERROR},
            UpgradeAnswer.UNDECIDED,
            "the new driver is incomplete",
        ),
        ({"a": Verdict.NOT_RUN}, {"a": Verdict.PASS}, UpgradeAnswer.UNDECIDED, "the old driver is incomplete"),
        ({"a": Verdict.PASS, "b": Verdict.PASS}, {"a": Verdict.PASS}, UpgradeAnswer.UNDECIDED, "not run now: 1 (b)"),
        # A regression is proven, whatever else is missing.
        (
            {"a": Verdict.PASS, "b": Verdict.PASS},
            {"a": Verdict.FAIL},
            UpgradeAnswer.UNSAFE,
            "did not fail before: 1 (a)",
        ),
    ],
)
def test_answers(
    write: Write, old: dict[str, Verdict], new: dict[str, Verdict], answer: UpgradeAnswer, reason: str
) -> None:
    """Each answer has its reason, on the page too; a driver that refuses everything is not safe."""
    runs = write("old", **old), write("new", **new)
    judgement = judge_upgrade(*runs)
    assert (judgement.answer, bool(judgement.reasons)) == (answer, bool(reason))
    assert reason in "; ".join(judgement.reasons)
    assert reason in render_changes(*runs, judgement)


def test_a_run_that_was_cut_off(write: Write) -> None:
    """Nobody knows what it would have shown, even if the old one has faults of its own."""
    cut = write("new", finished=False, a=Verdict.PASS, b=Verdict.FAIL)
    judgement = judge_upgrade(write("old", a=Verdict.PASS, b=Verdict.FAIL), cut)
    assert judgement.answer is UpgradeAnswer.UNDECIDED
    assert "the run of the new driver was cut off" in judgement.reasons


def measured(model: str, ratio: float, width: float = 0.1, waited: float | None = None) -> Measurement:
    """A driver's latency in relation to the baseline's, with an interval of twice ``width``."""
    latency = summarise([ratio] * 3)
    interval = SpeedRatio(ratio, ratio - width, ratio + width, 9)
    return Measurement(model, "nnvet:reference", latency, latency_ratio=interval, waited=waited)


def test_latency_among_what_drifts(write: Write) -> None:
    """Intervals that overlap show nothing, nor does what was measured under load; latency alone is not unsafe."""
    before = write(
        "old",
        measured("same", 1.0),
        measured("slow", 1.0),
        measured("fast", 2.0),
        measured("busy", 1.0),
        a=Verdict.PASS,
    )
    after = write(
        "new",
        measured("same", 1.15),
        measured("slow", 1.5),
        measured("fast", 1.0),
        measured("busy", 4.0, waited=0.9),
        measured("new", 1.0),
        a=Verdict.PASS,
    )
    drift = drift_between(before, after)
    assert drift.measured == 3
    assert drift.slower == ("slow: 1 -> 1.5 times the baseline's latency",)
    assert drift.faster == ("fast: 2 -> 1 times the baseline's latency",)
    assert "slower: 1 of 3 networks measured in both" in render_changes(before, after)
    judgement = judge_upgrade(before, after)
    assert (judgement.answer, judgement.changes) == (UpgradeAnswer.SAFE, ("networks that are slower: 1",))
