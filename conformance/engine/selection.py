"""Selection of a run's cases: globs of ids, feature level, and a fraction of all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Final
from zlib import crc32

from nnvet.conformance.engine.case import Case, CaseId

_WILDCARD: Final = re.compile(r"[*?[]")


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
        """``I/N``, as :meth:`parse` reads it."""
        return f"{self.index}/{self.count}"

    def takes(self, unit: str) -> bool:
        """Return True if cases of a unit belong to this fraction: decided by the name alone, whatever else there is."""
        return crc32(unit.encode()) % self.count == self.index - 1


@dataclass(frozen=True)
class Selection:
    """Globs (none: all), level (None: all), shard, and whether the full matrix is meant or the usual run.

    With ``operations`` only cases that exercise one of them, whose names are those of ``OperationType``.

    A case that is named by its whole id belongs to any run.
    """

    only: Sequence[str] = ()
    level: int | None = None
    shard: Shard = Shard()
    full: bool = False
    operations: Sequence[str] = ()

    def __str__(self) -> str:
        """Return the selection as the command line has it."""
        return " ".join([*(f"--only {glob}" for glob in self.only), *(f"--op {name}" for name in self.operations)])

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(self.only)

    def exercises(self, operations: Iterable[str]) -> bool:
        """Return True if one of the operations of a case is among those that are wanted."""
        return not self.operations or not set(self.operations).isdisjoint(operations)

    def takes(self, case: Case) -> bool:
        """Return True if a case is selected; a needed level that is not known excludes nothing."""
        if not (case.usual or self.full or case.id in self._ids):
            return False
        if self.level is not None and case.needed_level is not None and case.needed_level > self.level:
            return False
        return self.matches(case.id) and self.shard.takes(case.unit)

    def apply(self, cases: Iterable[Case]) -> Iterator[Case]:
        """Those of ``cases`` that are selected, in their order, listed as they are asked for."""
        return filter(self.takes, cases)

    def may_take(self, beginning: str) -> bool:
        """Return True if an id with this beginning can be selected: False spares listing those that have it."""
        return not self.only or any(_can_begin(glob, beginning) for glob in self.only)

    def may_take_argument(self, beginning: str) -> bool:
        """The same for the argument of ids with three parts and no further slash, whatever suite and check are."""
        return not self.only or any(_argument_can_begin(glob, beginning) for glob in self.only)

    def named_arguments(self, beginning: str) -> list[str] | None:
        """The arguments with this beginning that whole ids name; None if a glob may match others that have it."""
        globs = [glob for glob in self.only if _argument_can_begin(glob, beginning)]
        if not globs or any(_WILDCARD.search(glob) for glob in globs):
            return None
        return [glob.rpartition("/")[2] for glob in globs]

    def matches(self, case_id: str) -> bool:
        """Return True if an id is one of those that are named, or matches a glob."""
        if not self.only or case_id in self._ids:
            return True
        return any(_WILDCARD.search(glob) and fnmatchcase(case_id, glob) for glob in self.only)


def _can_begin(glob: str, beginning: str) -> bool:
    literal = _WILDCARD.split(glob, maxsplit=1)[0]
    return literal.startswith(beginning) or (literal != glob and beginning.startswith(literal))


def _argument_can_begin(glob: str, beginning: str) -> bool:
    parts = glob.split("/")
    if len(parts) != len(CaseId._fields) or "[" in glob:
        # Wildcards go across slashes, and brackets may hold one.
        return bool(_WILDCARD.search(glob))
    return _can_begin(parts[-1], beginning)
