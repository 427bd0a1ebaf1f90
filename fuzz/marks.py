"""States that a harness marks, which no line of code shows; the fuzzer follows new ones.

Code that has been run once is run by nearly every input after a minute; which objects exist at a call, and what was
called before it, is not seen in it.
"""

from __future__ import annotations

import mmap
from typing import Final

SIZE: Final = 1 << 12
"""States with a counter of their own; more than that share them."""


class Marks:
    """Counters of states, in memory that libFuzzer reads once :class:`nnvet.fuzz.counters.EdgeCounters` shows it."""

    def __init__(self) -> None:
        """Nothing is marked. Processes that are forked from this one mark for themselves."""
        self.counters = mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

    def mark(self, *state: int) -> None:
        """An input has reached a state; how often makes no difference."""
        self.counters[hash(state) % SIZE] = 1


MARKS: Final = Marks()
