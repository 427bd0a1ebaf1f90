"""Small reproducible data: the same numbers with every version of every library."""

from __future__ import annotations

import math
from collections.abc import Iterator


class Source:
    """A sequence of pseudo-random numbers."""

    def __init__(self, seed: int) -> None:
        """Start a sequence."""
        self.state = seed * 7919 + 12345

    def integers(self, low: int, high: int, count: int) -> list[int]:
        """Integers from ``low`` to ``high``, both included."""
        return [low + next(self) % (high - low + 1) for _ in range(count)]

    def floats(self, low: float, high: float, count: int, step: float = 1 / 16) -> list[float]:
        """Multiples of ``step``, which float16 can hold."""
        return [i * step for i in self.integers(math.ceil(low / step), math.floor(high / step), count)]

    def __iter__(self) -> Iterator[int]:
        """Itself."""
        return self

    def __next__(self) -> int:
        """The next number of 16 bits (the upper half of a linear congruential generator)."""
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return self.state >> 15
