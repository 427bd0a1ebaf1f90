"""Copies to and from one device memory, and what must become of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from nnvet.conformance.engine.device_memory import read, write
from nnvet.conformance.engine.outcome import fail
from nnvet.generators.graphs.hal_model import create_pool
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Buffer
from nnvet.hal.memory import Memory, close

INVALID: Final = (ErrorStatus.INVALID_ARGUMENT,)
FAILED: Final = (ErrorStatus.GENERAL_FAILURE,)


@contextmanager
def closing(memory: Memory) -> Iterator[Memory]:
    """The memory while the block runs."""
    try:
        yield memory
    finally:
        close(memory)


@dataclass(frozen=True)
class Copies:
    """Device memory of a known size, and what to fill it with."""

    buffer: Buffer
    content: bytes

    @property
    def size(self) -> int:
        """Bytes of the content, and so of the memory that it is copied from and to."""
        return len(self.content)

    def fill(self, dimensions: Sequence[int] = ()) -> None:
        """Copy the content into the device memory.

        :raises CaseFailed: that fails.
        """
        write(self.buffer, self.content, dimensions)

    def check(self) -> None:
        """The device memory must hold the content.

        :raises CaseFailed: it does not.
        """
        if read(self.buffer, self.size) != self.content:
            raise fail("buffer/content", "the device memory does not hold what was copied to it")

    def refuses_from(
        self,
        rule: str,
        size: int,
        dimensions: Sequence[int] = (),
        statuses: Sequence[ErrorStatus] = INVALID,
    ) -> None:
        """Copying from ``size`` bytes must fail with one of some statuses.

        :raises CaseFailed: with ``rule``, if it does not.
        """
        source = (self.content * -(-size // self.size))[:size]
        what = f"copyFrom of {size} bytes with dimensions {list(dimensions)}"
        with closing(create_pool(size, ((0, source),))) as memory:
            must_fail(lambda: self.buffer.copy_from(memory, dimensions), rule, what, statuses)

    def refuses_to(self, rule: str, size: int, statuses: Sequence[ErrorStatus] = INVALID) -> None:
        """Copying to ``size`` bytes must fail with one of some statuses.

        :raises CaseFailed: with ``rule``, if it does not.
        """
        with closing(create_pool(size, ())) as memory:
            must_fail(lambda: self.buffer.copy_to(memory), rule, f"copyTo of {size} bytes", statuses)


def must_fail(copy: Callable[[], None], rule: str, what: str, statuses: Sequence[ErrorStatus]) -> None:
    """A copy must fail with one of some statuses.

    :raises CaseFailed: with ``rule``, if it does not.
    """
    expected = " or ".join(status.name for status in statuses)
    try:
        copy()
    except HalError as error:
        if error.status not in statuses:
            reason = f"{what}: {error}, expected {expected}"
            raise fail(rule, reason, status=error.status.name, driver_rule=error.rule) from error
    else:
        raise fail(rule, f"{what} succeeds, expected {expected}")
