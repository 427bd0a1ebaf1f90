"""Rounds of measurement: contenders take turns, sequence by sequence, so that a disturbance slows all of them.

Ratios to the baseline's time use only rounds in which both took turns. Energy comes from the counters of the Linux
power capping framework, if the machine has them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.models.conditions import median_interval, outliers, processor_s
from nnvet.models.contenders import ContenderError, LoadedModel
from nnvet.models.datasets import StepSequence
from nnvet.models.evaluation import StepResult
from nnvet.models.golden import GoldenComparison
from nnvet.reports.conditions import Conditions
from nnvet.reports.events import SpeedRatio, Verdict

_COUNTERS: Final = Path("/sys/class/powercap")
"""Folder of the energy counters of the Linux power capping framework."""
_PACKAGES: Final = "*-rapl:?"
"""Pattern of the folders of whole processor packages; their parts have a second number."""
_MICRO: Final = 1e-6
"""Joules in a microjoule, the unit of the counters."""


class EnergyMeter:
    """Meter of the energy of all processor packages together, including all other work of the machine."""

    def __init__(self, counters: dict[Path, float]) -> None:
        """Keep the counters, each with the joules at which it wraps around."""
        self._last = {path: _joules(path) for path in counters}
        self._range = counters

    def used(self) -> float:
        """Return joules since the last call, or since the meter was made.

        :raises OSError: a counter cannot be read any more.
        """
        total = 0.0
        for path, last in self._last.items():
            now = _joules(path)
            total += now - last if now >= last else now - last + self._range[path]
            self._last[path] = now
        return total


def energy_meter(folder: Path = _COUNTERS) -> tuple[EnergyMeter | None, str]:
    """Return the machine's energy meter, or None and the reason for having none."""
    packages = sorted(folder.glob(_PACKAGES))
    if not packages:
        return None, f"this machine shows no energy counters ({folder}/{_PACKAGES})"
    try:
        ranges = {package / "energy_uj": _joules(package / "max_energy_range_uj") for package in packages}
        return EnergyMeter(ranges), ""
    except (OSError, ValueError) as error:
        return None, f"the machine's energy counters cannot be read: {error}"


def _joules(file: Path) -> float:
    return int(file.read_text(encoding="ascii")) * _MICRO


_RESAMPLES: Final = 1000
"""Number of samples of the bootstrap."""
_ENDS: Final = (2.5, 97.5)
"""Percentiles at the ends of a 95 % interval."""
_MOST_ROUNDS: Final = 2000
"""Most rounds that the bootstrap uses."""


def latency_ratio(own_s: Sequence[float], baseline_s: Sequence[float]) -> SpeedRatio | None:
    """Return the median ratio of rounds with its 95 % confidence interval by the bootstrap; None without rounds.

    Round i is turn i of both contenders, which is one sequence of the data. A few disturbed rounds hardly move the
    median. The seed is fixed, so that the same latencies give the same interval.
    """
    rounds = min(len(own_s), len(baseline_s), _MOST_ROUNDS)
    baseline = np.asarray(baseline_s[:rounds], np.float64)
    if not rounds or not baseline.all():
        return None
    ratios = np.asarray(own_s[:rounds], np.float64) / baseline
    drawn = np.random.default_rng(0).integers(0, rounds, (_RESAMPLES, rounds))
    low, high = np.percentile(np.median(ratios[drawn], axis=1), _ENDS)
    return SpeedRatio(float(np.median(ratios)), float(low), float(high), rounds)


@dataclass
class Track:
    """One model loaded by a contender, and its measurements; a track with an ``error`` takes no further part.

    ``turns_s`` are the mean latencies of its turns; ``first_s`` is the very first inference, part of the warm-up.
    ``driver_cpu_s`` is the processor time of its ``processes`` in its turns, ``suite_cpu_s`` that of this process.
    """

    backend: str
    loaded: LoadedModel | None
    golden: GoldenComparison
    latencies_s: list[float] = field(default_factory=list)
    busy_s: float = 0.0
    turns: int = 0
    turns_s: list[float] = field(default_factory=list)
    first_s: float | None = None
    energy_j: float | None = None
    results: list[StepResult] = field(default_factory=list)
    error: ContenderError | None = None
    processes: Sequence[int] = ()
    is_accelerator: bool = False
    driver_cpu_s: float = 0.0
    suite_cpu_s: float = 0.0
    used_s: Callable[[Iterable[int]], float] = processor_s

    @property
    def is_running(self) -> bool:
        """Return True if the track takes part in the next round."""
        return self.error is None and self.loaded is not None

    def forget(self) -> None:
        """Drop the measurements of the warm-up."""
        self.latencies_s.clear()
        self.busy_s, self.turns, self.energy_j = 0.0, 0, None
        self.driver_cpu_s = self.suite_cpu_s = 0.0
        self.turns_s.clear()
        self.results.clear()
        self.golden = GoldenComparison(self.golden.relaxed)


def run_sequence(track: Track, sequence: StepSequence, index: int, *, score: bool) -> None:
    """Run one sequence on one contender; with ``score`` keep its outputs and compare them with golden ones.

    :raises ContenderError: if the contender fails; earlier measurements are kept.
    """
    if track.loaded is None:
        return
    track.loaded.reset()
    before_s = track.busy_s
    driver_s, suite_s = track.used_s(track.processes), track.used_s((os.getpid(),))
    _used_j()
    for number, step in enumerate(sequence.steps):
        track.loaded.put(step.load())
        started = time.perf_counter_ns()
        track.loaded.invoke()
        track.latencies_s.append((time.perf_counter_ns() - started) / 1e9)
        track.busy_s += track.latencies_s[-1]
        track.first_s = track.latencies_s[-1] if track.first_s is None else track.first_s
        outputs = track.loaded.take()
        if score:
            track.results.append(StepResult(index, number, outputs))
            if step.golden:
                track.golden.add(outputs, step.golden, f"sequence {index}, step {number}")
    track.turns_s.append((track.busy_s - before_s) / len(sequence.steps))
    track.driver_cpu_s += track.used_s(track.processes) - driver_s
    track.suite_cpu_s += track.used_s((os.getpid(),)) - suite_s
    energy_j = _used_j()
    if energy_j is not None:
        track.energy_j = (track.energy_j or 0.0) + energy_j


@cache
def _meter() -> EnergyMeter | None:
    return energy_meter()[0]


def _used_j() -> float | None:
    """Return joules since the last call; None if the machine has no meter."""
    meter = _meter()
    try:
        return None if meter is None else meter.used()
    except OSError:
        return None


@dataclass(frozen=True)
class RoundLimits:
    """Limits of a contender's part, which ends after at least one sequence and ``run_s`` seconds of inferences.

    With ``complete`` it also includes every sequence, unless that takes longer than ``complete_limit_s``.
    """

    run_s: float
    complete: bool
    complete_limit_s: float


def waiting_times_ns() -> tuple[int, int] | None:
    """Return the nanoseconds for which the threads of this process have run, and have waited for a processor.

    It is None if the kernel keeps no such statistics. Linux counts both in ``/proc/PID/task/TID/schedstat``, so that
    load is measured by its effect on the benchmark, not by work on cores that it does not need.
    """
    ran = waited = 0
    for path in Path("/proc/self/task").glob("*/schedstat"):
        try:
            times = path.read_text(encoding="ascii").split()
        except OSError:
            continue
        ran, waited = ran + int(times[0]), waited + int(times[1])
    return (ran, waited) if ran else None


def waited_share(before: tuple[int, int] | None, after: tuple[int, int] | None) -> float | None:
    """Return the share of time in which threads waited for a processor, between two readings of waiting times."""
    if before is None or after is None:
        return None
    ran, waited = after[0] - before[0], after[1] - before[1]
    # Threads that have ended take their times with them.
    return max(0.0, waited / (ran + waited)) if ran > 0 else None


def run_rounds(
    tracks: Sequence[Track],
    sequences: Sequence[StepSequence],
    limits: RoundLimits,
    progress: Callable[[int, int], None],
) -> None:
    """Run sequence after sequence; the next track is the one with the fewest sequences, later the least busy one.

    A sequence is never interrupted. Only the first pass over the data is scored. ``progress`` is called with the number
    of sequences that the slowest track has run, and with the number of all. Failures are noted in the tracks.
    """
    wanted = len(sequences) if limits.complete else 1

    def is_pending(track: Track) -> bool:
        return track.is_running and (track.turns < wanted or track.busy_s < limits.run_s)

    while pending := [track for track in tracks if is_pending(track)]:
        track = min(pending, key=lambda track: (min(track.turns, wanted), track.busy_s))
        index = track.turns % len(sequences)
        try:
            run_sequence(track, sequences[index], index, score=track.turns < len(sequences))
        except ContenderError as error:
            track.error = error
        track.turns += 1
        if limits.complete and track.turns < wanted and track.busy_s > limits.complete_limit_s:
            track.error = ContenderError(
                Verdict.NOT_RUN,
                f"{track.turns} of {wanted} sequences took longer than {limits.complete_limit_s:g} s, the limit;"
                " give a longer --limit, or --no-complete",
            )
        progress(min(*(track.turns for track in pending), wanted), wanted)


def conditions_of(track: Track, machine: Conditions) -> Conditions | None:
    """Return the conditions of a track's latencies on the machine; None without latencies."""
    count = len(track.latencies_s)
    if not count:
        return None
    return replace(
        machine,
        outliers=outliers(track.latencies_s),
        median_s=median_interval(track.latencies_s),
        driver_cpu_s=track.driver_cpu_s / count if track.processes else None,
        suite_cpu_s=track.suite_cpu_s / count,
        is_accelerator=track.is_accelerator,
    )
