"""Device memory: what it was allocated for, what it holds, and how it is copied.

Source: docs/contract/hal.md 10.6 and 11.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from nnvet.driver_kit.arrays import Array
from nnvet.hal.dimensions import combine, fully_known
from nnvet.hal.errors import failure, invalid
from nnvet.hal.memory import Memory, mapped
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import Operand
from nnvet.hal.validation.allocation import Role
from nnvet.hal.validation.model import check_memory
from nnvet.hal.validation.operands import MAX_BYTES, byte_size


class Content(NamedTuple):
    """Content of device memory. It is replaced as a whole, so that every thread sees all of it or none."""

    dimensions: tuple[int, ...]
    data: bytes


class DeviceMemory:
    """Memory that only the driver can touch. Without ``content`` it is uninitialised."""

    def __init__(self, operand: Operand, roles: Sequence[Role]) -> None:
        """Memory for ``operand``, whose dimensions may be partly unknown, to be used in ``roles``.

        Nothing is set aside before there is content.
        """
        self.operand = operand
        self.roles = frozenset(roles)
        self.content: Content | None = None

    @property
    def is_tensor(self) -> bool:
        """True if it holds a tensor, not a scalar."""
        return type_info(self.operand.type).is_tensor

    def accepts(self, dimensions: Sequence[int]) -> bool:
        """Return True if a value of this very shape agrees with what was allocated."""
        if not self.is_tensor:
            return not dimensions
        # A size of 0 is not one that is unknown: there is no device memory of 0 bytes.
        return fully_known(dimensions) and combine(self.operand.dimensions, dimensions) == tuple(dimensions)

    def as_content(self, value: Array) -> Content:
        """Content that is a value of an accepted shape."""
        return Content(value.shape, np.asarray(value, type_info(self.operand.type).dtype).tobytes())

    def size(self, dimensions: tuple[int, ...]) -> int:
        """Bytes of a value of this shape."""
        return byte_size(self.operand.type, dimensions)


class DeviceBuffer:
    """See :class:`nnvet.hal.interfaces.Buffer`. Its token is free again once the object is forgotten."""

    def __init__(self, memory: DeviceMemory, release: Callable[[], None]) -> None:
        """Stand for ``memory``; ``release`` must take no lock, since finalizers call it."""
        self.memory = memory
        self._release = release

    def __del__(self) -> None:
        """Give the token back."""
        self._release()

    def copy_to(self, destination: Memory) -> None:
        """Copy all of it into memory of the same size.

        :raises HalError: INVALID_ARGUMENT for memory that is invalid or of another size; GENERAL_FAILURE for memory
            that cannot be mapped or written, and without content.
        """
        check_memory(destination, "the destination", "buffer/memory")
        with mapped(destination) as view:
            memory, content = self.memory, self.memory.content
            dimensions = content.dimensions if content else memory.operand.dimensions
            if content or memory.accepts(dimensions):
                _check_size(len(view), memory.size(dimensions), "the destination")
            if content is None:
                raise failure("there is nothing to be copied yet", "buffer/uninitialised")
            view[:] = content.data

    def copy_from(self, source: Memory, dimensions: Sequence[int]) -> None:
        """Replace the content; empty ``dimensions`` are those of the allocation. After a failure there is no content.

        :raises HalError: INVALID_ARGUMENT for memory that is invalid or of another size, and for dimensions that are
            not fully known or other than those of the allocation; GENERAL_FAILURE for memory that cannot be mapped.
        """
        memory = self.memory
        memory.content = None
        check_memory(source, "the source", "buffer/memory")
        with mapped(source, writable=False) as view:
            shape = tuple(dimensions or memory.operand.dimensions)
            if any(not 0 <= dimension <= MAX_BYTES for dimension in shape) or not memory.accepts(shape):
                known = list(memory.operand.dimensions)
                raise invalid(f"dimensions {list(shape)}, allocated was {known}", "buffer/copy.dimensions")
            _check_size(len(view), memory.size(shape), "the source")
            memory.content = Content(shape, bytes(view))


def _check_size(size: int, wanted: int, what: str) -> None:
    if size != wanted:
        raise invalid(f"{what} has {size} bytes, the device memory {wanted}", "buffer/copy.size")
