"""Decisions taken from a fuzzer's bytes, so that it finds its way through graphs by the coverage that they reach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeVar

T = TypeVar("T")
_STEPS: Final = 1 << 32
_CHANCES: Final = 256
_BYTE: Final = 255


class FuzzedData(Protocol):
    """The methods of ``atheris.FuzzedDataProvider`` that are used."""

    def ConsumeIntInRange(self, low: int, high: int) -> int:  # noqa: N802 - the fuzzer's name
        """A number from ``low`` to ``high``, both included."""

    def ConsumeBytes(self, size: int) -> bytes:  # noqa: N802 - same
        """So many bytes, or as many as are left."""


class PlainBytes:
    """Bytes as a source: numbers are taken from the front; once all are used, every number is the lowest."""

    def __init__(self, data: bytes) -> None:
        """Begin with the first byte."""
        self._data = data
        self._place = 0

    def ConsumeBytes(self, size: int) -> bytes:  # noqa: N802 - the fuzzer's name
        """So many bytes, or as many as are left."""
        taken = self._data[self._place : self._place + size]
        self._place += len(taken)
        return taken

    def ConsumeIntInRange(self, low: int, high: int) -> int:  # noqa: N802 - same
        """A number from ``low`` to ``high``, made of as few bytes as hold it."""
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
    """Decisions made of a fuzzer's data: equal bytes give equal decisions, used up ones decide for the least."""

    def __init__(self, source: FuzzedData | bytes) -> None:
        """Take decisions from bytes, or from an object such as ``atheris.FuzzedDataProvider``."""
        self._source: FuzzedData = PlainBytes(source) if isinstance(source, bytes) else source
        self._number = self._source.ConsumeIntInRange

    def integer(self, low: int, high: int) -> int:
        """A number from ``low`` to ``high``, both included."""
        return self._number(low, high)

    def real(self, low: float, high: float) -> float:
        """A number above ``low`` and not above ``high``, one of 2^32 steps."""
        return low + (high - low) * ((self._number(0, _STEPS - 1) + 1) / _STEPS)

    def boolean(self, probability: float = 0.5) -> bool:
        """True for so many of the values of a byte, the highest ones."""
        return self._number(0, _BYTE) >= _CHANCES * (1 - probability)

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self._number(0, len(options) - 1)]

    def raw(self, size: int) -> bytes:
        """So many bytes; zeros once all are used."""
        return self._source.ConsumeBytes(size).ljust(size, b"\0")

    def beginning(self, count: int) -> None:
        """None: bytes that decide nothing would lead nowhere."""
        del count

    def together(self, make: Callable[[], T]) -> T:
        """Return the result of ``make``."""
        return make()
