"""Unique names within one spec file. Source: spec format, section 2.1."""

from typing import ClassVar


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
