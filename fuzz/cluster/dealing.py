"""Dealing of slices: each harness gets its share of the time of all workers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Final

from nnvet.fuzz.harness import Harness

SLICE_S: Final = 60.0
"""Seconds between two merges of what a worker finds with what the others find, at most."""
LEAST_S: Final = 4.0
"""A harness that others have left no time has so much all the same."""
_SEEDS: Final = 1 << 31
_SEEDS_OF_SLICE: Final = 1 << 10
"""More than the processes of one slice."""


@dataclass
class Dealer:
    """Deals ``harnesses`` to workers for ``seconds`` each.

    Seeds begin with ``first_seed``, and no two slices share one. ``dealt`` are the seconds that each harness has had.
    """

    harnesses: Sequence[Harness]
    seconds: float
    first_seed: int
    dealt: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _slices: int = 0

    def next(self, left: float, places: int, but: Container[str] = ()) -> tuple[Harness, float] | None:
        """The harness that is furthest behind its share, and for how many seconds; None: nothing is to be dealt.

        ``left`` are the seconds of the job that remain, ``places`` how many slices run at a time.
        """
        open_ones = [candidate for candidate in self.harnesses if candidate.name not in but]
        if left < LEAST_S:
            open_ones = [candidate for candidate in open_ones if self.dealt[candidate.name] < LEAST_S]
        if not open_ones:
            return None
        harness = min(open_ones, key=lambda candidate: self.dealt[candidate.name] / candidate.share)
        share = harness.share / sum(candidate.share for candidate in self.harnesses) * self.seconds * places
        length = share / max(1, -(-share // SLICE_S))
        seconds = max(LEAST_S, min(length, left))
        self.dealt[harness.name] += seconds
        return harness, seconds

    def take_back(self, harness: str, seconds: float) -> None:
        """A slice has come to nothing: its time is dealt again."""
        self.dealt[harness] -= seconds

    def seed(self) -> int:
        """The first of the seeds of the next slice: any number but 0, which is none to libFuzzer."""
        self._slices += 1
        return 1 + (self.first_seed + self._slices * _SEEDS_OF_SLICE) % (_SEEDS - _SEEDS_OF_SLICE)
