"""Two things timed in turns, so that whatever else the machine does slows down both, and the ratio of their times.

What runs for a moment beside the other one is compared with it alone: each turn gives one ratio. A machine that becomes
busier between two turns changes neither.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Final, NamedTuple

LEAST_TURNS: Final = 16
"""Turns that a ratio is made of, however slow the driver."""
_EACH: Final = 3
"""Times that a block consists of, at the least."""
_BLOCK_S: Final = 0.02
"""Seconds of a block: shorter than most of what makes a machine busy."""

Block = Callable[[float], Sequence[float]]
"""Does one of the two for so many seconds, at least a few times; how long each time took."""


class TimedTurn(NamedTuple):
    """Medians of two blocks, one after the other."""

    judged_s: float
    beside_s: float

    @property
    def ratio(self) -> float:
        """Ratio of the judged one's time to the other's."""
        return self.judged_s / self.beside_s


def block_of(execute: Callable[[], float], clock: Callable[[], float] = time.monotonic) -> Block:
    """A block of something that says how long it took."""

    def block(seconds: float) -> list[float]:
        found: list[float] = []
        end = clock() + seconds
        while clock() < end or len(found) < _EACH:
            found.append(execute())
        return found

    return block


def in_turns(
    judged: Block,
    beside: Block,
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
    block_s: float = _BLOCK_S,
) -> list[TimedTurn]:
    """Time both for so long, in an order that favours neither: every second turn begins with the other one."""
    turns: list[TimedTurn] = []
    end = clock() + seconds
    while clock() < end or len(turns) < LEAST_TURNS:
        if len(turns) % 2:
            other, own = median(beside(block_s)), median(judged(block_s))
        else:
            own, other = median(judged(block_s)), median(beside(block_s))
        turns.append(TimedTurn(own, other))
    return turns
