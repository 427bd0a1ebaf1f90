"""Which cases a run takes: globs of ids, feature level, and a fraction of all."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from nnvet.conformance.engine.case import Case


class SelectionError(Exception):
    """A selection that means nothing; the text says what to write instead."""


@dataclass(frozen=True)
class Shard:
    """The ``index``-th (from 1) of ``count`` fractions of the cases."""

    index: int = 1
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``I/N``.

        :raises SelectionError: not of that form, or I not in 1 to N.
        """
        parts = text.split("/")
        if len(parts) != 2 or not all(part.isdecimal() for part in parts) or not 1 <= int(parts[0]) <= int(parts[1]):  # noqa: PLR2004 - I and N
            raise SelectionError(f"--shard {text}: write I/N with I from 1 to N, such as 1/4")
        return cls(int(parts[0]), int(parts[1]))

    def __str__(self) -> str:
        """``I/N``."""
        return f"{self.index}/{self.count}"


@dataclass(frozen=True)
class Selection:
    """Globs (none: all), level (None: all), shard, and whether without globs the full matrix is meant."""

    only: Sequence[str] = ()
    level: int | None = None
    shard: Shard = Shard()
    full: bool = False

    def takes(self, case_id: str, needed_level: int | None) -> bool:
        """Whether globs and level select a case; ``needed_level`` is None where it is not known."""
        if self.level is not None and needed_level is not None and needed_level > self.level:
            return False
        return not self.only or any(case_id == glob or fnmatchcase(case_id, glob) for glob in self.only)

    def apply(self, cases: Iterable[Case]) -> list[Case]:
        """The selected cases. Shards are cut by unit, so that cases of one model stay together."""
        chosen: list[Case] = []
        units: dict[Hashable, int] = {}
        for case in cases:
            if (case.usual or self.full or self.only) and self.takes(case.id, case.needed_level):
                position = units.setdefault(case.unit, len(units))
                if position % self.shard.count == self.shard.index - 1:
                    chosen.append(case)
        return chosen
