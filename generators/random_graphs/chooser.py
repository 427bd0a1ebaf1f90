"""Sources of the decisions that make random graphs: the protocol :class:`Chooser` and its implementations.

All generators take a chooser instead of a random number generator, so that the same code serves several tools:
:class:`SeededChooser` makes reproducible models from a name. :class:`BytesChooser` reads a fuzzer's bytes, so that the
fuzzer can search graphs by the coverage that they reach. :mod:`nnvet.generators.strategies` has the chooser for
Hypothesis. :class:`TurnsChooser` wraps another chooser for the models of a schedule (``schedule.py``).
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeVar
from zlib import crc32

T = TypeVar("T")
_NONE = 31
"""For this many graphs that share a beginning, about one shares none."""


class Chooser(Protocol):
    """A source of decisions: a random number generator, a property-based tester or a fuzzer's bytes."""

    def integer(self, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``, both included."""

    def real(self, low: float, high: float) -> float:
        """Return a number greater than ``low`` and at most ``high``."""

    def boolean(self, probability: float = 0.5) -> bool:
        """Return True with the given probability."""

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options; there is at least one."""

    def raw(self, size: int) -> bytes:
        """Return ``size`` bytes, which become the values of a tensor."""

    def beginning(self, count: int) -> int | None:
        """Return the number of the shared first operations with which a graph begins; None to share none.

        The number is below ``count``.
        """

    def together(self, make: Callable[[], T]) -> T:
        """Call ``make`` and return its result; a tool that shrinks tests may remove all its decisions at once."""


class SeededChooser:
    """Decisions drawn from a name: equal names give equal decisions on every machine and Python version.

    Only raw bits of the Mersenne twister are used, because that stream is fixed; all else is defined here.
    """

    def __init__(self, name: str) -> None:
        """Begin the stream of ``name``."""
        source = random.Random(int.from_bytes(hashlib.sha256(name.encode()).digest(), "big"))  # noqa: S311 - no secret
        self._bits = source.getrandbits

    def integer(self, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``, both included."""
        # A bias of 2^-40 and less is of no importance.
        return low + (self._bits(64) * (high - low + 1) >> 64)

    def real(self, low: float, high: float) -> float:
        """Return a number greater than ``low`` and at most ``high``."""
        # A double has 53 bits: the result is one of 2^53 steps, the first of which is above 0.
        return low + (high - low) * ((self._bits(53) + 1) / 2.0**53)

    def boolean(self, probability: float = 0.5) -> bool:
        """Return True with the given probability."""
        return self._bits(53) < probability * 2.0**53

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self._bits(64) * len(options) >> 64]

    def raw(self, size: int) -> bytes:
        """Return ``size`` bytes."""
        return self._bits(8 * size).to_bytes(size, "little") if size else b""

    def beginning(self, count: int) -> int | None:
        """Return any beginning, or None once in thirty-two times, so that every graph is possible."""
        number = self.integer(-(count // _NONE), count - 1)
        return number if number >= 0 else None

    def together(self, make: Callable[[], T]) -> T:
        """Return the result of ``make``."""
        return make()


_FEW: Final = 8
"""Decisions with at most this many alternatives take turns."""
_EVEN: Final = 0.5
"""Probability for which True and False take turns."""


class TurnsChooser:
    """Decisions for one of many operations: those with few alternatives take turns, others come from another source.

    Successive operations get all alternatives of a decision once. The order depends on the decision and on the
    operations, so that the combinations of decisions vary.
    """

    def __init__(self, source: Chooser, name: str, turn: int) -> None:
        """Decide for an operation called ``name``, of which the schedule has ``turn`` earlier ones."""
        self._source = source
        self._name = name
        self._turn = turn
        self._decisions = 0

    def integer(self, low: int, high: int) -> int:
        """Return a number from ``low`` to ``high``, both included; if they are few they take turns."""
        span = high - low + 1
        return low + self._next(span) if 1 < span <= _FEW else self._source.integer(low, high)

    def real(self, low: float, high: float) -> float:
        """Return a number greater than ``low`` and at most ``high``."""
        return self._source.real(low, high)

    def boolean(self, probability: float = _EVEN) -> bool:
        """Return True with this probability, or every second time for a half."""
        return bool(self._next(2)) if probability == _EVEN else self._source.boolean(probability)

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self.integer(0, len(options) - 1)]

    def raw(self, size: int) -> bytes:
        """Return ``size`` bytes."""
        return self._source.raw(size)

    def beginning(self, count: int) -> int | None:
        """Return the beginning that the other source has."""
        return self._source.beginning(count)

    def together(self, make: Callable[[], T]) -> T:
        """Return the result of ``make``."""
        return self._source.together(make)

    def _next(self, span: int) -> int:
        self._decisions += 1
        block, place = divmod(self._turn, span)
        order = crc32(f"{self._name}/{self._decisions}/{block}".encode())
        return ((place if order & 1 else -place) + (order >> 1)) % span


def shuffled(chooser: Chooser, items: Sequence[T]) -> list[T]:
    """Return the items in random order."""
    rest = list(items)
    return [rest.pop(chooser.integer(0, len(rest) - 1)) for _ in items]


_STEPS: Final = 1 << 32
"""Number of different reals that bytes can choose."""
_CHANCES: Final = 256
"""Number of different values of a byte."""
_BYTE: Final = 255
"""Largest value of a byte."""


class FuzzedData(Protocol):
    """The methods used of ``atheris.FuzzedDataProvider``."""

    def ConsumeIntInRange(self, low: int, high: int) -> int:  # noqa: N802 - the fuzzer's name
        """Return an integer from ``low`` to ``high``, both included."""

    def ConsumeBytes(self, size: int) -> bytes:  # noqa: N802 - same
        """Return ``size`` bytes, or those that are left."""


class PlainBytes:
    """Bytes as a source: numbers are taken from the front; when all are used, every number is the lowest."""

    def __init__(self, data: bytes) -> None:
        """Begin with the first byte."""
        self._data = data
        self._place = 0

    def ConsumeBytes(self, size: int) -> bytes:  # noqa: N802 - the fuzzer's name
        """Return ``size`` bytes, or those that are left."""
        taken = self._data[self._place : self._place + size]
        self._place += len(taken)
        return taken

    def ConsumeIntInRange(self, low: int, high: int) -> int:  # noqa: N802 - same
        """Return a number from ``low`` to ``high``, made of as few bytes as hold it."""
        span, place = high - low, self._place
        # Most decisions take one byte, or come after the last.
        if not span or place >= len(self._data):
            return low
        if span <= _BYTE:
            self._place = place + 1
            return low + self._data[place] % (span + 1)
        size = -(-span.bit_length() // 8)
        return low + int.from_bytes(self.ConsumeBytes(size), "little") % (span + 1)


class BytesChooser:
    """Decisions made from a fuzzer's data: equal bytes give equal decisions; after the last byte all are the lowest."""

    def __init__(self, source: FuzzedData | bytes) -> None:
        """Take decisions from bytes, or from an object such as ``atheris.FuzzedDataProvider``."""
        self._source: FuzzedData = PlainBytes(source) if isinstance(source, bytes) else source
        self._number = self._source.ConsumeIntInRange

    def integer(self, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``, both included."""
        return self._number(low, high)

    def real(self, low: float, high: float) -> float:
        """Return a number greater than ``low`` and at most ``high``, in 2^32 steps."""
        return low + (high - low) * ((self._number(0, _STEPS - 1) + 1) / _STEPS)

    def boolean(self, probability: float = 0.5) -> bool:
        """Return True for the highest values of a byte, in the proportion of ``probability``."""
        return self._number(0, _BYTE) >= _CHANCES * (1 - probability)

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self._number(0, len(options) - 1)]

    def raw(self, size: int) -> bytes:
        """Return ``size`` bytes, or zeros when all are used up."""
        return self._source.ConsumeBytes(size).ljust(size, b"\0")

    def beginning(self, count: int) -> None:
        """Return None, because bytes that decide nothing would not help the fuzzer."""
        del count

    def together(self, make: Callable[[], T]) -> T:
        """Return the result of ``make``."""
        return make()
