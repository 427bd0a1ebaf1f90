"""Timeline of a run: a lane for each process of the suite, with bars for the times in which it ran cases.

Bars with failures are marked. :func:`build_timeline` makes the lanes from the processes and times in the log.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Verdict
from nnvet.reports.html.marks import duration
from nnvet.reports.log import Log

WIDTH: Final = 960
LANE: Final = 22
_PARTS: Final = 240
"""Number of equal parts of a run's time. A bar of a part is as high as the share of the part in which cases ran."""
_LEVELS: Final = 4
"""Number of different heights of bars."""
_LATE: Final = 0.05
"""A process that ends earlier than others by this share of a run is named, with the case on which it waited."""


@dataclass(frozen=True)
class ProcessLane:
    """A process of the suite, with its number of cases; bars are (x, width, height, kind)."""

    process: int
    cases: int
    busy: float
    bars: tuple[tuple[float, float, float, str], ...]


@dataclass(frozen=True)
class Timeline:
    """The lanes of a run, its length in seconds, and a sentence if some process waited at the end."""

    seconds: float
    lanes: tuple[ProcessLane, ...]
    waited: str

    @property
    def has_faults(self) -> bool:
        """Return True if a bar has a failure."""
        return any(kind == "fault" for lane in self.lanes for *_, kind in lane.bars)


def build_timeline(log: Log) -> Timeline | None:
    """Return the lanes of a run; None if the log does not say which process ran the cases, and when."""
    lanes: defaultdict[int, list[CaseFinished]] = defaultdict(list)
    for result in log.results.values():
        if result.process and result.duration_s:
            lanes[result.process].append(result)
    seconds = max((_end(result) for results in lanes.values() for result in results), default=0.0)
    if not seconds:
        return None
    ordered = sorted(lanes.items())
    return Timeline(seconds, tuple(_lane(*lane, seconds) for lane in ordered), _waited(list(lanes.values()), seconds))


def _end(result: CaseFinished) -> float:
    return result.began_s + result.duration_s


def _lane(process: int, results: Sequence[CaseFinished], seconds: float) -> ProcessLane:
    busy, kinds = np.zeros(_PARTS), ["busy"] * _PARTS
    for result in results:
        begin, end = (min(time / seconds, 1.0) * _PARTS for time in (result.began_s, _end(result)))
        first, last = int(begin), min(int(end), _PARTS - 1)
        edges = np.clip([begin, *range(first + 1, last + 1), end], 0, _PARTS)
        busy[first : last + 1] += np.diff(edges)
        if result.verdict in (*DRIVER_FAULTS, Verdict.ERROR):
            kinds[first : last + 1] = ["fault"] * (last + 1 - first)
    levels = np.ceil(np.minimum(busy, 1.0) * _LEVELS).astype(int).tolist()
    return ProcessLane(process, len(results), float(np.minimum(busy, 1.0).mean()), tuple(_bars(levels, kinds)))


def _bars(levels: Sequence[int], kinds: Sequence[str]) -> list[tuple[float, float, float, str]]:
    """Return bars; neighbouring parts of equal height and kind make one bar."""
    bars: list[tuple[float, float, float, str]] = []
    begin = 0
    for place in range(1, _PARTS + 1):
        if place == _PARTS or (levels[place], kinds[place]) != (levels[begin], kinds[begin]):
            if levels[begin]:
                height = (LANE - 4) * levels[begin] / _LEVELS
                bars.append((begin * WIDTH / _PARTS, (place - begin) * WIDTH / _PARTS, height, kinds[begin]))
            begin = place
    return bars


def _waited(lanes: Sequence[Sequence[CaseFinished]], seconds: float) -> str:
    """Say how long the first process to end waited for the last one, and for which case."""
    first = min(max(map(_end, results)) for results in lanes)
    if seconds - first < _LATE * seconds:
        return ""
    last = max((result for results in lanes for result in results), key=_end)
    return (
        f"The last {duration(seconds - first)} not all processes had work; "
        f"the last case, {last.case}, took {duration(last.duration_s)}."
    )
