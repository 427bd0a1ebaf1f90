"""Names of a spec file: unique ones within it, and what its own name says.

Source: docs/contract/spec-format.md 2.1 and 9.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import ClassVar, Final

_WHOLE_NETWORKS: Final = ("mobilenet",)
"""By the format, a file with one of these in its name holds whole networks: the one trait that specs give by name."""


def spec_name(path: PurePath) -> str:
    """Return the prefix of the names of all cases of a file: the file's name up to the first dot."""
    return path.name.partition(".")[0]


def is_whole_network(path: PurePath) -> bool:
    """Return True if the models of a file are whole networks, see :class:`nnvet.generators.graphs.model.Traits`."""
    return any(mark in spec_name(path) for mark in _WHOLE_NETWORKS)


class Names:
    """Names in use. A name that is taken gets the first free number from a given one on."""

    def __init__(self) -> None:
        """Start with no names."""
        self._used: set[str] = set()
        self._next: dict[tuple[str, str], int] = {}

    def unique(self, name: str, separator: str, first: int) -> str:
        """``name`` if it is free, else ``name``, ``separator`` and a number; the result is taken from now on."""
        return self._take(name) if name not in self._used else self.numbered(name, separator, first)

    def numbered(self, name: str, separator: str = "", first: int = 0) -> str:
        """Like :meth:`unique`, but always with a number."""
        # Names are never given back, so numbers passed over once need not be tried again.
        number = self._next.get((name, separator), first)
        while f"{name}{separator}{number}" in self._used:
            number += 1
        self._next[name, separator] = number + 1
        return self._take(f"{name}{separator}{number}")

    def _take(self, name: str) -> str:
        self._used.add(name)
        return name


class Registry:
    """The registries of the file being loaded: operands, types and initialisers share one; tests have theirs."""

    variables: ClassVar[Names] = Names()
    tests: ClassVar[Names] = Names()
