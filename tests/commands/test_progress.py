"""Progress lines of a run without a terminal; the clock is set by hand."""

import io
from itertools import pairwise

import pytest
from rich.console import Console

from nnvet.commands.actions.random_models import RandomProgress
from nnvet.commands.actions.replay import ReductionProgress
from nnvet.commands.actions.run import Pace, RunProgress
from nnvet.conformance.engine.catalogue import Batch, Series
from nnvet.generators.reducer import ReductionStep
from nnvet.reports.events import Verdict


class Clock:
    """Stands still unless it is moved."""

    def __init__(self) -> None:
        """At any time."""
        self.now = 1234.5

    def __call__(self) -> float:
        """Seconds."""
        return self.now


def of_cases(count: int) -> Batch:
    """A batch of so many cases."""
    return Batch("check", series=Series(("x",) * count, 0))


def run(clock: Clock, steps: list[float], *, terminal: bool = False) -> list[str]:
    """The lines of a run of as many batches of two cases, each of which takes the seconds of a step."""
    stream = io.StringIO()
    progress = RunProgress(Console(file=stream, width=80, force_terminal=terminal), clock)
    batches = [of_cases(2) for _ in steps]
    progress.planned(sum(batch.size for batch in batches))
    for batch, step in zip(batches, steps, strict=True):
        for case in ("a", "b"):
            clock.now += step / 2
            progress.finished(case, Verdict.PASS)
        progress.batch_ended(batch)
    return stream.getvalue().splitlines()


def test_a_line_in_ten_seconds() -> None:
    """Four batches of six seconds: the tenth second passes in the second one, and the next ten in the fourth."""
    assert run(Clock(), [6.0] * 4) == [
        "25 % of the work: 4 PASS",
        "75 % of the work: 8 PASS",
        "100 % of the work: 8 PASS",
    ]


def test_a_slow_batch_says_something() -> None:
    """Not at its end alone: each case of it may be a hang."""
    assert run(Clock(), [60.0]) == ["0 % of the work: 1 PASS", "0 % of the work: 2 PASS", "100 % of the work: 2 PASS"]


def test_a_quick_run_has_its_last_line() -> None:
    """However many batches there are."""
    assert run(Clock(), [0.01] * 300) == ["100 % of the work: 600 PASS"]


def test_no_lines_on_a_terminal() -> None:
    """Bars are there instead."""
    assert run(Clock(), [60.0] * 3, terminal=True) == []


def test_campaigns_keep_the_pace() -> None:
    """They share the clock of all runs, and their lines have no share of the whole."""
    stream, clock = io.StringIO(), Clock()
    progress = RandomProgress(Console(file=stream, width=200), None, clock)
    progress.planned(3 * of_cases(1).size)
    for _ in range(3):
        clock.now += 8.0
        progress.finished("a", Verdict.PASS)
        progress.batch_ended(of_cases(1))
    # Two models in 16 seconds.
    assert stream.getvalue().split() == ["2", "PASS", "0", "models/s"]


def test_reductions_keep_the_pace() -> None:
    """Three executions in 24 seconds are one line, that of the second one."""
    stream, clock = io.StringIO(), Clock()
    progress = ReductionProgress(Console(file=stream, width=200), clock)
    for executions in (1, 2, 3):
        clock.now += 8.0
        progress.step(ReductionStep(executions, 500, 40, "half of the operations"))
    assert stream.getvalue() == "2 executions: 40 operations; trying half of the operations\n"


@pytest.mark.parametrize("step", [0.5, 3.0, 9.99, 10.0, 25.0])
def test_lines_are_never_closer(step: float) -> None:
    """Asked every so many seconds, two lines lie ten seconds apart at least, and ten and a step at most."""
    clock = Clock()
    pace = Pace(clock)
    times = [clock.now]
    for _ in range(100):
        clock.now += step
        if pace.is_due():
            times.append(clock.now)
    gaps = [after - before for before, after in pairwise(times)]
    assert len(gaps) > 3
    assert min(gaps) >= 10.0
    assert max(gaps) < 10.0 + step
