"""Measures contenders side by side: one sequence on each in turn, so that whatever slows the machine slows all."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from models.contenders import ContenderError, Session
from models.datasets import StepSequence
from models.evaluators import StepResult
from models.golden import GoldenComparison
from reports.events import Verdict


@dataclass
class Track:
    """One contender's session on one model, and all that was measured on it; ``error`` ends its part."""

    backend: str
    session: Session | None
    golden: GoldenComparison
    latencies_s: list[float] = field(default_factory=list)
    busy_s: float = 0.0
    results: list[StepResult] = field(default_factory=list)
    error: ContenderError | None = None

    @property
    def is_running(self) -> bool:
        """Whether it takes part in the next round."""
        return self.error is None and self.session is not None

    def forget(self) -> None:
        """Drop what the warm-up measured."""
        self.latencies_s.clear()
        self.busy_s = 0.0
        self.results.clear()
        self.golden = GoldenComparison(self.golden.relaxed)


def run_sequence(track: Track, sequence: StepSequence, inputs: Sequence[bytes], index: int, *, score: bool) -> None:
    """Run one sequence on one contender; with ``score`` its outputs are kept and held against golden ones.

    :raises ContenderError: if the contender fails; what was measured before stays.
    """
    if track.session is None:
        return
    track.session.reset()
    for number, (step, data) in enumerate(zip(sequence.steps, inputs, strict=True)):
        track.session.put(data)
        started = time.perf_counter_ns()
        track.session.invoke()
        track.latencies_s.append((time.perf_counter_ns() - started) / 1e9)
        track.busy_s += track.latencies_s[-1]
        outputs = track.session.take()
        if score:
            track.results.append(StepResult(index, number, outputs))
            if step.golden:
                track.golden.add(outputs, step.golden, f"sequence {index}, step {number}")


@dataclass(frozen=True)
class Limits:
    """When the rounds end: after ``run_s`` of inferences on each contender, or later.

    With ``complete`` every sequence is run at least once, unless a contender needs more than ``complete_limit_s``.
    Without it, a ``run_s`` of 0 means exactly one sequence.
    """

    run_s: float
    complete: bool
    complete_limit_s: float


def run_rounds(
    tracks: Sequence[Track],
    sequences: Sequence[StepSequence],
    limits: Limits,
    progress: Callable[[int, int], None],
) -> None:
    """Run sequence after sequence on every contender, in an order that turns around each time.

    A sequence is never cut. Only the first pass over the data is scored. ``progress`` gets the number of sequences
    run and, as far as it is known, how many there will be. Failures are left in the tracks.
    """
    count = 0
    while any(track.is_running for track in tracks):
        index = count % len(sequences)
        sequence = sequences[index]
        inputs = [step.load() for step in sequence.steps]
        running = [track for track in tracks if track.is_running]
        for track in running if count % 2 == 0 else reversed(running):
            _guarded(track, sequence, inputs, index, score=count < len(sequences))
        count += 1
        progress(count, max(count, len(sequences) if limits.complete else 0))
        if limits.complete and count < len(sequences):
            _enforce_limit(tracks, limits.complete_limit_s, count, len(sequences))
        elif all(track.busy_s >= limits.run_s for track in tracks if track.is_running):
            return


def _guarded(track: Track, sequence: StepSequence, inputs: Sequence[bytes], index: int, *, score: bool) -> None:
    """Run a sequence; a failure ends the contender's part."""
    try:
        run_sequence(track, sequence, inputs, index, score=score)
    except ContenderError as error:
        track.error = error


def _enforce_limit(tracks: Sequence[Track], limit_s: float, done: int, wanted: int) -> None:
    """End the part of contenders that are too slow for the complete set."""
    for track in tracks:
        if track.is_running and track.busy_s > limit_s:
            track.error = ContenderError(
                Verdict.NOT_RUN, f"the complete set took longer than {limit_s:g} s: {done} of {wanted} sequences done"
            )
