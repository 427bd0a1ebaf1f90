"""Timeline of a run: a lane for each process of the suite, with bars for the times in which it ran cases.

:func:`build_timeline` makes the lanes for ``page.py`` from the processes and times in the log; bars with failures are
marked. A reader sees on which cases the other processes waited. The processes of a stress test are shown by
``stress.py``.
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
"""Length of a lane in pixels."""
LANE: Final = 22
"""Height of a lane in pixels."""
_PARTS: Final = 240
"""Number of equal parts of a run's time; the height of a part shows the share of its time in which cases ran."""
_LEVELS: Final = 4
"""Number of different heights; a few make neighbouring parts equal, so that one bar can draw them."""
_LATE: Final = 0.05
"""Share of the run's time from which the wait of the first finished process for the last one is worth a sentence."""


@dataclass(frozen=True)
class ProcessLane:
    """A process of the suite, with its number of cases and the share of the run in which it was ``busy``.

    A bar has its x, width and height in pixels and its CSS class, ``busy`` or ``fault``.
    """

    process: int
    cases: int
    busy: float
    bars: tuple[tuple[float, float, float, str], ...]


@dataclass(frozen=True)
class Timeline:
    """The lanes of a run, its length in seconds, and a sentence if processes waited at the end (otherwise empty)."""

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
    seconds = max((_find_end(result) for results in lanes.values() for result in results), default=0.0)
    if not seconds:
        return None
    ordered = sorted(lanes.items())
    return Timeline(
        seconds, tuple(_build_lane(*lane, seconds) for lane in ordered), _describe_wait(list(lanes.values()), seconds)
    )


def _find_end(result: CaseFinished) -> float:
    return result.began_s + result.duration_s


def _build_lane(process: int, results: Sequence[CaseFinished], seconds: float) -> ProcessLane:
    busy, kinds = np.zeros(_PARTS), ["busy"] * _PARTS
    for result in results:
        begin, end = (min(max(time / seconds, 0.0), 1.0) * _PARTS for time in (result.began_s, _find_end(result)))
        first, last = int(begin), min(int(end), _PARTS - 1)
        if first == last:  # nearly always; NumPy takes ten times as long for so few numbers
            busy[first] += end - begin
        else:
            busy[first : last + 1] += np.diff([begin, *range(first + 1, last + 1), end])
        if result.verdict in (*DRIVER_FAULTS, Verdict.ERROR):
            kinds[first : last + 1] = ["fault"] * (last + 1 - first)
    levels = np.ceil(np.minimum(busy, 1.0) * _LEVELS).astype(int).tolist()
    return ProcessLane(process, len(results), float(np.minimum(busy, 1.0).mean()), tuple(_join_bars(levels, kinds)))


def _join_bars(levels: Sequence[int], kinds: Sequence[str]) -> list[tuple[float, float, float, str]]:
    """Return the bars of a lane; neighbouring parts of equal height and class make one bar."""
    bars: list[tuple[float, float, float, str]] = []
    begin = 0
    for place in range(1, _PARTS + 1):
        if place == _PARTS or (levels[place], kinds[place]) != (levels[begin], kinds[begin]):
            if levels[begin]:
                height = (LANE - 4) * levels[begin] / _LEVELS
                bars.append((begin * WIDTH / _PARTS, (place - begin) * WIDTH / _PARTS, height, kinds[begin]))
            begin = place
    return bars


def _describe_wait(lanes: Sequence[Sequence[CaseFinished]], seconds: float) -> str:
    """Say how long the first process to end waited for the last one, and for which case."""
    first = min(max(map(_find_end, results)) for results in lanes)
    if seconds - first < _LATE * seconds:
        return ""
    last = max((result for results in lanes for result in results), key=_find_end)
    return (
        f"The last {duration(seconds - first)} not all processes had work; "
        f"the last case, {last.case}, took {duration(last.duration_s)}."
    )
