"""Source of the decisions of random graphs: a tiny protocol, and a fast seeded source of it."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")
_NONE = 31


class Chooser(Protocol):
    """A source of decisions: a random number generator, a property-based tester or a fuzzer's bytes."""

    def integer(self, low: int, high: int) -> int:
        """A number from ``low`` to ``high``, both included."""

    def real(self, low: float, high: float) -> float:
        """A number above ``low`` and not above ``high``."""

    def boolean(self, probability: float = 0.5) -> bool:
        """True with this probability."""

    def pick(self, options: Sequence[T]) -> T:
        """One of the options, of which there is at least one."""

    def raw(self, size: int) -> bytes:
        """So many bytes, which become the values of a tensor."""

    def beginning(self, count: int) -> int | None:
        """Return the beginning, one of ``count``, that a graph shares with others; None: every decision is its own."""

    def together(self, make: Callable[[], T]) -> T:
        """Return the result of ``make``. Its decisions belong together: a smaller model may leave them out as one."""


class SeededChooser:
    """Decisions drawn from a name: equal names give equal decisions on every machine and Python version.

    Only raw bits of the Mersenne twister are used, whose stream is fixed; what is made of them is defined here.
    """

    def __init__(self, name: str) -> None:
        """Begin the stream of ``name``."""
        source = random.Random(int.from_bytes(hashlib.sha256(name.encode()).digest(), "big"))  # noqa: S311 - no secret
        self._bits = source.getrandbits

    def integer(self, low: int, high: int) -> int:
        """A number from ``low`` to ``high``, both included."""
        # A bias of 2^-40 and less is of no importance.
        return low + (self._bits(64) * (high - low + 1) >> 64)

    def real(self, low: float, high: float) -> float:
        """A number above ``low`` and not above ``high``."""
        # 53 bits are what a double holds; one of 2^53 steps, the first of which is above 0.
        return low + (high - low) * ((self._bits(53) + 1) / 2.0**53)

    def boolean(self, probability: float = 0.5) -> bool:
        """True with this probability."""
        return self._bits(53) < probability * 2.0**53

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self._bits(64) * len(options) >> 64]

    def raw(self, size: int) -> bytes:
        """So many bytes."""
        return self._bits(8 * size).to_bytes(size, "little") if size else b""

    def beginning(self, count: int) -> int | None:
        """Any of them, and none once in thirty-two times, so that every graph is possible."""
        number = self.integer(-(count // _NONE), count - 1)
        return number if number >= 0 else None

    def together(self, make: Callable[[], T]) -> T:
        """Return the result of ``make``."""
        return make()


def shuffled(chooser: Chooser, items: Sequence[T]) -> list[T]:
    """The items in random order."""
    rest = list(items)
    return [rest.pop(chooser.integer(0, len(rest) - 1)) for _ in items]
