"""Device memory of the bundled driver: allocated buffers by token, their roles and content, and their use by requests.

A :class:`BufferTracker` has all memories of a driver; a :class:`Loan` is what one execution uses of them. Source:
docs/contract/hal.md 10.6 and 11.3.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from nnvet.driver_kit.arrays import Array
from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import mapped
from nnvet.hal.operand_types import ExtensionType, combine, fully_known, is_extension, type_info
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.types import BufferToken, Memory, Model, Operand, OutputShape, Request
from nnvet.hal.validation.model import check_memory
from nnvet.hal.validation.operands import MAX_BYTES, byte_size
from nnvet.hal.validation.request import Direction, Role
from nnvet.reference_driver import limits


class Content(NamedTuple):
    """Content of device memory. It is only replaced as a whole, so that no thread sees a part of it."""

    dimensions: tuple[int, ...]
    data: bytes


class DeviceMemory:
    """Memory that only the driver can access; it is uninitialised as long as ``content`` is None."""

    def __init__(self, operand: Operand, roles: Sequence[Role]) -> None:
        """Describe memory for ``operand``, whose dimensions may be partly unknown, to be used in ``roles``.

        No bytes are allocated before there is content.
        """
        self.operand = operand
        self.roles = frozenset(roles)
        self.content: Content | None = None

    @property
    def is_tensor(self) -> bool:
        """True if the memory is for a tensor, not a scalar."""
        return type_info(self.operand.type).is_tensor

    def accepts(self, dimensions: Sequence[int]) -> bool:
        """Return True if the shape of a value agrees with that of the allocation."""
        if not self.is_tensor:
            return not dimensions
        # A size of 0 would mean an unknown size, and device memory of 0 bytes does not exist.
        return fully_known(dimensions) and combine(self.operand.dimensions, dimensions) == tuple(dimensions)

    def as_content(self, value: Array) -> Content:
        """Return a value of an accepted shape as content, in the type of the operand."""
        return Content(value.shape, np.asarray(value, type_info(self.operand.type).dtype).tobytes())

    def size(self, dimensions: tuple[int, ...]) -> int:
        """Return the size in bytes of a value of this shape."""
        return byte_size(self.operand.type, dimensions)


class DeviceBuffer:
    """A :class:`nnvet.hal.interfaces.Buffer`, whose token can be given to another buffer once the object is dropped."""

    def __init__(self, memory: DeviceMemory, release: Callable[[], None]) -> None:
        """Represent ``memory``; ``release`` gives the token back and must take no lock, since finalizers call it."""
        self.memory = memory
        self._release = release

    def __del__(self) -> None:
        """Give the token back."""
        self._release()

    def copy_to(self, destination: Memory) -> None:
        """Copy the whole content into memory of the same size.

        :raises HalError: INVALID_ARGUMENT if ``destination`` is invalid or of another size; GENERAL_FAILURE if it
            cannot be mapped or written, or if there is no content yet.
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
        """Replace the content by that of ``source``; after a failure there is no content.

        Empty ``dimensions`` stand for those of the allocation.

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


class BufferTracker:
    """The device memory of one driver. Tokens of dropped buffers are used again, the last one first.

    Tokens are the same numbers for all clients. A client that guesses one gains nothing: the memory has roles for
    prepared models of the client that allocated it, which no other client can name.
    """

    buffer: type[DeviceBuffer] = DeviceBuffer
    """Class of the memory that :meth:`allocate` makes."""

    def __init__(self) -> None:
        """Start without device memory."""
        # Finalizers give tokens back at any point of any thread, even of one that would hold a lock. So there is no
        # lock; each step is a single operation on a container, which no other thread can interrupt.
        self._memories: dict[int, DeviceMemory] = {}
        self._free: list[int] = []
        self._numbers = itertools.count(1)

    def allocate(self, operand: Operand, roles: Sequence[Role]) -> tuple[DeviceBuffer, int]:
        """Allocate device memory; see :func:`nnvet.hal.validation.request.check_allocation` for the arguments.

        :raises HalError: GENERAL_FAILURE for operands that the driver cannot hold.
        """
        info = type_info(operand.type)
        if not info.size or (is_extension(operand.type) and not isinstance(operand.type, ExtensionType)):
            raise failure("device memory holds no values of unknown extensions", "allocate/supported")
        memory = DeviceMemory(operand, roles)
        if memory.size(operand.dimensions) > limits.HELD_BYTES:
            raise failure(f"device memory of dimensions {list(operand.dimensions)}", "allocate/supported")
        try:
            token = self._free.pop()
        except IndexError:
            token = next(self._numbers)
        self._memories[token] = memory
        return self.buffer(memory, partial(self.release, token)), token

    def release(self, token: int) -> None:
        """Forget the memory of a token, which can then be used for another buffer."""
        del self._memories[token]
        self._free.append(token)

    def find(self, token: int) -> DeviceMemory:
        """Return the memory of a token.

        :raises HalError: INVALID_ARGUMENT if the token is unknown.
        """
        try:
            return self._memories[token]
        except KeyError:
            raise invalid(f"no buffer has token {token}", "buffer/token") from None

    @contextmanager
    def filling(self, request: Request) -> Iterator[None]:
        """Guard an execution that fills device memory: if the block raises, that memory becomes uninitialised.

        The documentation requires this after a failed execution; the sample driver keeps the old content instead.
        """
        indexes = {argument.location.pool_index for argument in request.outputs if not argument.has_no_value}
        pools = [request.pools[index] for index in indexes]
        memories = [self._memories.get(pool.token) for pool in pools if isinstance(pool, BufferToken)]
        try:
            yield
        except BaseException:
            for memory in memories:
                if memory is not None:
                    memory.content = None
            raise

    def lend(self, request: Request, prepared: PreparedModel, model: Model) -> Loan:
        """Return the device memory that a valid request for a prepared model uses, for one execution.

        :raises HalError: INVALID_ARGUMENT for unknown tokens, uses without a role, a second use of an output, and
            shapes that contradict those of the allocation.
        """
        memories = {
            index: self.find(pool.token) for index, pool in enumerate(request.pools) if isinstance(pool, BufferToken)
        }
        if not memories:
            return NO_LOAN
        uses: list[Use] = []
        for use in _uses(request, prepared, model, memories):
            self.check_use(use, uses)
            uses.append(use)
        return Loan(tuple(memories), uses)

    def check_use(self, use: Use, earlier: Sequence[Use]) -> None:
        """Check that a use of device memory is allowed, also beside earlier uses by the same request.

        :raises HalError: INVALID_ARGUMENT.
        """
        is_output = use.role.direction is Direction.OUTPUT
        if is_output and any(other.memory is use.memory for other in earlier):
            raise invalid(f"{use.role}: its device memory has another use", "buffer/exclusive")
        if use.role not in use.memory.roles:
            raise invalid(f"the device memory was not allocated for {use.role}", "buffer/role")
        if combine(use.dimensions, use.memory.operand.dimensions) is None:
            raise _conflict(use, use.memory.operand.dimensions)


@dataclass(frozen=True)
class Use:
    """One argument of an execution that lies in device memory.

    ``dimensions`` combine those that the model and the request declare.
    """

    role: Role
    pool_index: int
    memory: DeviceMemory
    dimensions: tuple[int, ...]


@dataclass(frozen=True)
class Loan:
    """The device memory of one execution.

    ``pool_indexes`` are the pools that are device memory, ``uses`` the arguments in them.
    """

    pool_indexes: Sequence[int]
    uses: Sequence[Use]

    @property
    def views(self) -> dict[int, memoryview]:
        """Return the contents of the pools of device memory, by index, as read-only views.

        :raises HalError: GENERAL_FAILURE for an input without content; INVALID_ARGUMENT for one of another shape.
        """
        if not self.pool_indexes:
            return {}
        views = dict.fromkeys(self.pool_indexes, memoryview(bytearray()))
        for use in self.uses:
            if use.role.direction is Direction.OUTPUT:
                continue
            content = use.memory.content
            if content is None:
                raise failure(f"the device memory of {use.role} is uninitialised", "buffer/uninitialised")
            if combine(use.dimensions, content.dimensions) is None:
                raise _conflict(use, content.dimensions)
            views[use.pool_index] = memoryview(content.data)
        return views

    def settle(self, results: Sequence[Argument], shapes: tuple[OutputShape, ...]) -> tuple[OutputShape, ...]:
        """Store the results of outputs in device memory, and return the shapes of all outputs.

        If one of the results does not fit into its device memory, the execution fails, and none is stored.

        :raises HalError: GENERAL_FAILURE for a result that does not fit.
        """
        if not self.uses:
            return shapes
        outputs = [(use.role.io_index, use.memory) for use in self.uses if use.role.direction is Direction.OUTPUT]
        known = list(shapes)
        for index, memory in outputs:
            known[index] = OutputShape(results[index].array.shape)
            if not memory.accepts(known[index].dimensions):
                shape, allocated = list(known[index].dimensions), list(memory.operand.dimensions)
                raise failure(f"output {index} has shape {shape}, its device memory {allocated}", "buffer/output")
        # An execution with an output buffer that is too small has failed, so it leaves device memory uninitialised.
        sufficient = all(shape.is_sufficient for shape in known)
        for index, memory in outputs:
            memory.content = memory.as_content(results[index].array) if sufficient else None
        return tuple(known)


NO_LOAN: Final = Loan((), ())
"""Loan of executions that use no device memory."""


def _uses(request: Request, prepared: PreparedModel, model: Model, memories: dict[int, DeviceMemory]) -> Iterator[Use]:
    main = model.main
    for direction, arguments, indexes in (
        (Direction.INPUT, request.inputs, main.input_indexes),
        (Direction.OUTPUT, request.outputs, main.output_indexes),
    ):
        for position, (argument, index) in enumerate(zip(arguments, indexes, strict=True)):
            pool_index = argument.location.pool_index
            if argument.has_no_value or pool_index not in memories:
                continue
            operand = main.operands[index]
            is_tensor = type_info(operand.type).is_tensor
            # The request has been validated against the model. A scalar has no dimensions, whatever the request says.
            dimensions = (combine(operand.dimensions, argument.dimensions) or ()) if is_tensor else ()
            yield Use(Role(prepared, direction, position), pool_index, memories[pool_index], dimensions)


def _conflict(use: Use, dimensions: Sequence[int]) -> HalError:
    message = f"{use.role} has dimensions {list(use.dimensions)}, its device memory {list(dimensions)}"
    return invalid(message, "buffer/dimensions")
