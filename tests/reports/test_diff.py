"""Logs of equal runs are equal, and differences are listed."""

import math
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from nnvet.reports.diff import VerdictChange, diff_logs, equal_apart_from_timings
from nnvet.reports.events import Measurement, RunStarted, Verdict
from nnvet.reports.figures import summarise
from nnvet.reports.log import EventLog, Log, read_log


def write(path: Path, started: RunStarted, *, slow: float, accuracy: float = 0.5, cases: str = "ab") -> Log:
    """A log whose timings depend on ``slow``."""
    with EventLog.create(path, msgspec.structs.replace(started, time=f"2025-01-01T00:00:{int(slow):02}Z")) as log:
        for case in cases:
            log.case_started(case)
            evidence = {"actual": math.nan, "timings": {"took": slow}}
            log.case_finished(case, Verdict.FAIL, duration_s=slow, evidence=evidence)
        log.measurement(Measurement("m", "LiteRT", summarise([slow]), accuracy={"top_1": accuracy}))
        log.finish(1)
    return read_log(path)


def test_timings_and_order_do_not_matter(tmp_path: Path, started: RunStarted) -> None:
    """Two runs that differ in durations, start and order of cases tell the same, NaN included."""
    first = write(tmp_path / "a", started, slow=1.0)
    assert equal_apart_from_timings(first, write(tmp_path / "b", started, slow=2.0, cases="ba"))


@pytest.mark.parametrize("change", [{"accuracy": 0.25}, {"cases": "a"}, {"cases": "ac"}])
def test_what_was_found_matters(tmp_path: Path, started: RunStarted, change: dict[str, object]) -> None:
    """Another figure or another case makes logs differ."""
    first = write(tmp_path / "a", started, slow=1.0)
    assert not equal_apart_from_timings(first, write(tmp_path / "b", started, slow=1.0, **change))  # type: ignore[arg-type]


def test_a_footer_matters(make_log: Callable[..., Path]) -> None:
    """A run that broke off is not equal to one that ended."""
    whole = read_log(make_log({"a": Verdict.PASS}, name="whole"))
    assert not equal_apart_from_timings(whole, read_log(make_log({"a": Verdict.PASS}, exit_code=None, name="cut")))


def test_verdict_changes_are_listed(make_log: Callable[..., Path]) -> None:
    """Changed, lost and new cases, and which changes are regressions or fixes."""
    before = {"same": "PASS", "worse": "PASS", "fixed": "CRASH", "other": "FAIL", "waived": "FAIL", "gone": "PASS"}
    after = {"same": "PASS", "worse": "HANG", "fixed": "PASS", "other": "CRASH", "waived": "WAIVED", "new": "FAIL"}
    logs = [
        read_log(make_log({case: Verdict(name) for case, name in verdicts.items()}, exit_code=1, name=f"log{index}"))
        for index, verdicts in enumerate((before, after))
    ]
    diff = diff_logs(*logs)
    assert [change.case for change in diff.changes] == ["fixed", "other", "waived", "worse"]
    assert diff.regressions == (VerdictChange("worse", Verdict.PASS, Verdict.HANG),)
    assert diff.fixes == (VerdictChange("fixed", Verdict.CRASH, Verdict.PASS),)
    assert (diff.removed, diff.added) == (("gone",), ("new",))
