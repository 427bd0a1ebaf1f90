"""The measuring loop: who runs when, for how long, and what of it is scored. Time is a clock of the test's own."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from nnvet.models import rounds
from nnvet.models.contenders import ContenderError
from nnvet.models.datasets import Array, Step, StepSequence
from nnvet.models.golden import GoldenComparison
from nnvet.models.rounds import RoundLimits, Track, run_rounds
from nnvet.reports.events import Verdict

ONE = RoundLimits(0.0, complete=False, complete_limit_s=0.0)


class Clock:
    """A clock that moves only when a loaded model computes."""

    def __init__(self) -> None:
        """Begin at zero."""
        self.now_ns = 0

    def perf_counter_ns(self) -> int:
        """Nanoseconds so far."""
        return self.now_ns


class FakeModel:
    """Adds up its inputs since the last reset; each inference takes a fixed time."""

    def __init__(self, clock: Clock, latency_s: float, fails_at: int = -1) -> None:
        """Fail instead of inference number ``fails_at``."""
        self.clock, self.latency_ns, self.fails_at = clock, round(latency_s * 1e9), fails_at
        self.calls: list[str] = []
        self.state = 0
        self.input = 0

    def reset(self) -> None:
        """Forget."""
        self.calls.append("reset")
        self.state = 0

    def put(self, data: bytes) -> None:
        """Keep the input; takes time that must not count."""
        self.clock.now_ns += 10**12
        self.input = data[0]

    def invoke(self) -> None:
        """Add."""
        if self.calls.count("invoke") == self.fails_at:
            raise ContenderError(Verdict.CRASH, "gone")
        self.calls.append("invoke")
        self.clock.now_ns += self.latency_ns
        self.state += self.input

    def take(self) -> tuple[Array, ...]:
        """The sum; takes time that must not count."""
        self.clock.now_ns += 10**12
        return (np.asarray([self.state], np.uint8),)

    def close(self) -> None:
        """Nothing to close."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that the loop reads."""
    fake = Clock()
    monkeypatch.setattr(rounds, "time", fake)
    return fake


def track(clock: Clock, latency_s: float, **options: Any) -> Track:
    """A contender."""
    return Track("backend", FakeModel(clock, latency_s, **options), GoldenComparison())


def sequences(*lengths: int) -> list[StepSequence]:
    """Sequences whose inputs are 1, 2, 3, … and whose golden outputs are their sums."""
    return [
        StepSequence(
            tuple(
                Step(partial(bytes, [number]), (np.asarray([number * (number + 1) // 2], np.uint8),))
                for number in range(1, length + 1)
            )
        )
        for length in lengths
    ]


def run(tracks: list[Track], data: list[StepSequence], limits: RoundLimits) -> list[tuple[int, int]]:
    """Run, and return what was reported of the progress."""
    progress: list[tuple[int, int]] = []
    run_rounds(tracks, data, limits, lambda done, total: progress.append((done, total)))
    return progress


def test_no_time_means_one_sequence(clock: Clock) -> None:
    """With no seconds to run, exactly one sequence is run, all of its steps."""
    contender = track(clock, 1.0)
    run([contender], sequences(3, 2), ONE)
    assert contender.latencies_s == [1.0, 1.0, 1.0]
    assert [(result.sequence, result.step) for result in contender.results] == [(0, 0), (0, 1), (0, 2)]


def test_a_sequence_is_never_cut(clock: Clock) -> None:
    """A limit in the middle of a sequence lets it finish; only inferences count as time."""
    contender = track(clock, 1.0)
    run([contender], sequences(4), RoundLimits(1.5, complete=False, complete_limit_s=0.0))
    assert len(contender.latencies_s) == 4
    assert contender.busy_s == 4.0


def test_the_set_is_cycled_and_scored_once(clock: Clock) -> None:
    """Time left after the last sequence goes to the first again; only the first pass is scored."""
    contender = track(clock, 1.0)
    run([contender], sequences(2, 1), RoundLimits(7.0, complete=False, complete_limit_s=0.0))
    assert len(contender.latencies_s) == 8
    assert [(result.sequence, result.step) for result in contender.results] == [(0, 0), (0, 1), (1, 0)]
    assert contender.golden.steps == 3


def test_state_is_reset_for_every_sequence(clock: Clock) -> None:
    """A loaded model is reset before each sequence and never inside one, so that sums start from zero."""
    contender = track(clock, 1.0)
    run([contender], sequences(2, 1), RoundLimits(0.0, complete=True, complete_limit_s=100.0))
    loaded = contender.loaded
    assert isinstance(loaded, FakeModel)
    assert loaded.calls == ["reset", "invoke", "invoke", "reset", "invoke"]
    assert contender.golden.worst == 0


def test_the_complete_set_is_run_whatever_the_time(clock: Clock) -> None:
    """With the complete set wanted, every contender runs every sequence; the progress is that of the slowest."""
    fast, slow = track(clock, 0.5), track(clock, 5.0)
    progress = run([fast, slow], sequences(1, 1, 1), RoundLimits(0.1, complete=True, complete_limit_s=100.0))
    assert (fast.turns, slow.turns) == (3, 3)
    assert progress[-1] == (3, 3)
    assert [done for done, _ in progress] == sorted(done for done, _ in progress)


def test_contenders_take_turns(clock: Clock) -> None:
    """On the complete set nobody is ever more than one sequence ahead; afterwards who was busy least goes next."""
    fast, slow = track(clock, 1.0), track(clock, 4.0)
    ahead: list[int] = []
    run_rounds(
        [slow, fast],
        sequences(1, 1, 1),
        RoundLimits(20.0, complete=True, complete_limit_s=100.0),
        lambda *_: ahead.append(fast.turns - slow.turns),
    )
    assert set(ahead[:6]) <= {-1, 0, 1}
    assert (fast.turns, slow.turns) == (20, 5)
    assert fast.busy_s == slow.busy_s == 20.0


def test_too_slow_for_the_complete_set(clock: Clock) -> None:
    """A contender that exceeds the limit is out, with what it did and the limit; the others go on."""
    fast, slow = track(clock, 1.0), track(clock, 50.0)
    run([fast, slow], sequences(1, 1, 1, 1), RoundLimits(0.0, complete=True, complete_limit_s=90.0))
    assert slow.error is not None
    assert slow.error.verdict is Verdict.NOT_RUN
    assert (
        slow.error.reason
        == "2 of 4 sequences took longer than 90 s, the limit; give a longer --limit, or --no-complete"
    )
    assert (fast.error, fast.turns) == (None, 4)


def test_a_failure_ends_one_part_only(clock: Clock) -> None:
    """A contender that fails keeps what it measured before; the others are not disturbed."""
    failing, other = track(clock, 1.0, fails_at=2), track(clock, 1.0)
    run([failing, other], sequences(1, 1, 1, 1), RoundLimits(0.0, complete=True, complete_limit_s=90.0))
    assert failing.error is not None
    assert (failing.error.reason, len(failing.latencies_s)) == ("gone", 2)
    assert (other.error, other.turns) == (None, 4)


def test_contenders_that_never_started(clock: Clock) -> None:
    """Nothing runs, and nothing waits, without any loaded model."""
    dead = Track("backend", None, GoldenComparison(), error=ContenderError(Verdict.UNSUPPORTED, "no"))
    assert run([dead], sequences(1), ONE) == []
    assert clock.now_ns == 0


def test_the_warm_up_is_forgotten(clock: Clock) -> None:
    """Forgetting leaves nothing of what was measured."""
    contender = track(clock, 1.0)
    run([contender], sequences(1), ONE)
    contender.forget()
    assert (contender.latencies_s, contender.results, contender.busy_s, contender.turns) == ([], [], 0.0, 0)
    assert contender.golden.errors() is None
