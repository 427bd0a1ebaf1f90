"""States that a harness marks so that the fuzzer follows them, although no line of code shows them.

After a minute nearly every input runs the same code. Coverage does not show which objects exist at a call, and which
call came before it; a mark does.
"""

from __future__ import annotations

import mmap
from typing import Final

SIZE: Final = 1 << 12
"""Number of counters; if there are more states than that, some share a counter."""


class Marks:
    """Counters of states, in memory that libFuzzer reads once :class:`nnvet.fuzz.counters.EdgeCounters` shows it."""

    def __init__(self) -> None:
        """Begin without marks. Each forked process gets counters of its own."""
        self.counters = mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

    def mark(self, *state: int) -> None:
        """Note that an input has reached a state; repetitions make no difference."""
        self.counters[hash(state) % SIZE] = 1


MARKS: Final = Marks()
