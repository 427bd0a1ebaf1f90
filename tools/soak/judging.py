"""Judgement of a soak test: quantities that grow from round to round, and commands that failed or left things behind.

:func:`slopes` and :func:`faults` judge the records of ``watching.py`` for ``__main__.py``.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tools.soak.watching import Reading, Record

LEAST_ROUNDS: Final = 3
"""Least number of rounds for a slope; the first round of a command does not count, because it fills caches."""

QUANTITIES: Final = {"memory": 4.0, "shared": 4.0, "descriptors": 0.5, "threads": 0.5}
"""Quantities of a reading (MiB or counts), with the largest growth of their median for each round that is noise."""
_FAULTS: Final = frozenset({2, 3, 4})
"""Exit codes that no command of the soak test should have."""
_INCOMPLETE: Final = 3
"""Exit code of a run that was cut short."""
_BUDGET: Final = "--budget"
"""Option with which a run is cut short on purpose."""


@dataclass(frozen=True)
class Slope:
    """Growth of one quantity, in the suite's own processes or in the driver services of a command.

    ``by_round`` is the growth of the median from round to round; None if there are too few rounds.
    """

    command: str
    whose: str
    quantity: str
    median: float
    peak: float
    by_round: float | None

    @property
    def is_growth(self) -> bool:
        """True if the growth is more than noise."""
        return self.by_round is not None and self.by_round > QUANTITIES[self.quantity]


def slopes(records: Sequence[tuple[str, Record]]) -> Iterator[Slope]:
    """Yield a slope for each command, kind of process and quantity, from the records of all rounds."""
    for name in dict.fromkeys(name for name, _ in records):
        rounds = [record for other, record in records if other == name]
        for whose in ("runner", "services"):
            read = [readings for record in rounds if (readings := _readings(record, whose))]
            for quantity in QUANTITIES if read else ():
                yield _slope(name, whose, quantity, read)


def faults(name: str, record: Record) -> list[str]:
    """Return lines about faults of a command in one round: a wrong exit code, and processes or files left behind."""
    wrong = [f"{name}: left behind: {left}" for left in record.left]
    was_asked_to = record.exit_code == _INCOMPLETE and _BUDGET in record.command.split()
    if record.exit_code < 0 or (record.exit_code in _FAULTS and not was_asked_to):
        said = record.output.strip().rpartition("\n")[2]
        wrong.append(f"{name}: exit code {record.exit_code}: {said}")
    return wrong


def _readings(record: Record, whose: str) -> list[Reading]:
    return record.runner if whose == "runner" else record.services


def _slope(name: str, whose: str, quantity: str, rounds: Sequence[Sequence[Reading]]) -> Slope:
    values = [[float(getattr(reading, quantity)) for reading in readings] for readings in rounds]
    medians = [statistics.median(some) for some in values]
    steady = medians[1:]
    growth = None
    if len(steady) >= LEAST_ROUNDS - 1:
        growth = statistics.linear_regression(range(len(steady)), steady).slope
    peak = max(map(max, values))
    return Slope(name, whose, quantity, statistics.median(medians), peak, growth)
