"""Between memory and arrays: constants, inputs and outputs of a model as NumPy arrays of their operands' types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from nnvet.hal.enums import OperandLifeTime, OperandType
from nnvet.hal.errors import failure, invalid
from nnvet.hal.memory import MappedHandle, keep_mapped, mapped
from nnvet.hal.operand_types import ExtensionType, combine, is_extension, type_info, type_name
from nnvet.hal.types import BufferToken, Memory, Model, Operand, OutputShape, Request, RequestArgument

Array = npt.NDArray[Any]

_OEM = (OperandType.OEM, OperandType.TENSOR_OEM_BYTE)
# Members of enumerations: finding one takes longer than most of what is done with it.
_COPY: Final = OperandLifeTime.CONSTANT_COPY
_REFERENCE: Final = OperandLifeTime.CONSTANT_REFERENCE
_NOTHING: Mapping[int, memoryview] = {}


def constant(model: Model, operand: Operand) -> Array | None:
    """Return a constant operand's value, read-only; None for an operand that is not constant.

    :raises HalError: GENERAL_FAILURE if its pool cannot be mapped; INVALID_ARGUMENT for an extension's constant
        whose length does not fit its dimensions, which nobody else checks, and for ranks that NumPy does not have.
    """
    begin, end = operand.location.offset, operand.location.offset + operand.location.length
    if operand.lifetime == _COPY:
        data = model.operand_values[begin:end]
    elif operand.lifetime == _REFERENCE:
        with mapped(model.pools[operand.location.pool_index], writable=False) as pool:
            data = bytes(pool[begin:end])
    else:
        return None
    return _array(data, operand.type, *_layout(operand.type, operand.dimensions), "model/operand.location.length")


def written_pools(request: Request) -> frozenset[int]:
    """Return indexes of the pools that have outputs."""
    return frozenset([argument.location.pool_index for argument in request.outputs if not argument.has_no_value])


def mapped_pools(
    request: Request, device_views: Mapping[int, memoryview] = _NOTHING, written: frozenset[int] | None = None
) -> AbstractContextManager[list[memoryview]]:
    """Views of all pools of a request while a ``with`` block runs; those without outputs may be read-only.

    ``device_views`` are those of device memory, by index of the pool; ``written`` is :func:`written_pools`, if known.

    :raises HalError: INVALID_ARGUMENT for device memory without a view; GENERAL_FAILURE if mapping fails.
    """
    if written is None:
        written = written_pools(request)
    views = _kept_views(request, written)
    return _mapped_pools(request, device_views, written) if views is None else nullcontext(views)


def lasting_views(request: Request) -> list[memoryview] | None:
    """Views of all pools that stay valid as long as somebody holds them; None if those of one pool do not.

    :raises HalError: GENERAL_FAILURE if mapping fails.
    """
    views = _kept_views(request, written_pools(request))
    handles = (pool.handle for pool in request.pools if not isinstance(pool, BufferToken))
    if any(isinstance(handle, MappedHandle) and not handle.is_lasting for handle in handles):
        return None
    return views


def with_kept_memory(request: Request) -> Request:
    """Return the same request, whose memory stays mapped from its first use on until the request is forgotten."""
    pools = [pool if isinstance(pool, BufferToken) else keep_mapped(pool) for pool in request.pools]
    return replace(request, pools=tuple(pools))


def _kept_views(request: Request, written: frozenset[int]) -> list[memoryview] | None:
    """Views of all pools if all of them are kept mapped."""
    views = []
    for index, pool in enumerate(request.pools):
        if isinstance(pool, BufferToken) or not isinstance(pool.handle, MappedHandle):
            return None
        views.append(pool.handle.view(pool, writable=index in written))
    return views


class _mapped_pools:  # noqa: N801 - reads as a with statement
    """See :func:`mapped_pools`. A generator, or an ExitStack, takes as long as the mapping itself."""

    __slots__ = ("_device_views", "_mappings", "_request", "_written")

    def __init__(self, request: Request, device_views: Mapping[int, memoryview], written: frozenset[int]) -> None:
        self._request = request
        self._device_views = device_views
        self._written = written
        self._mappings: list[mapped] = []

    def __enter__(self) -> list[memoryview]:
        try:
            return [self._view(index, pool) for index, pool in enumerate(self._request.pools)]
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        for mapping in self._mappings:
            mapping.__exit__()

    def _view(self, index: int, pool: Memory | BufferToken) -> memoryview:
        if isinstance(pool, BufferToken):
            if index not in self._device_views:
                raise invalid(f"no buffer has token {pool.token}", "buffer/token")
            return self._device_views[index]
        mapping = mapped(pool, writable=index in self._written)
        view = mapping.__enter__()
        self._mappings.append(mapping)
        return view


class Place:
    """Position of an argument of a request, and all else that is known of it before there is data.

    ``dimensions`` are those that model and request declare, () where the rank is unknown.
    """

    __slots__ = ("_accepted", "_has_no_value", "_kind", "_layout", "_pool", "_region", "dimensions", "dtype")

    def __init__(self, argument: RequestArgument, operand: Operand) -> None:
        """Combine an argument with its operand of the model."""
        info = type_info(operand.type)
        # Scalars have no dimensions, whatever a request gives them (docs/contract/hal.md 8.1).
        self.dimensions = (combine(operand.dimensions, argument.dimensions) or ()) if info.is_tensor else ()
        self.dtype = info.dtype
        self._kind = operand.type
        self._layout = _layout(operand.type, self.dimensions)
        self._has_no_value = argument.has_no_value
        location = argument.location
        self._pool = location.pool_index
        # Only device memory is named as a whole, without a length (docs/contract/hal.md 8.1).
        self._region = slice(location.offset, location.offset + location.length if location.length else None)
        self._accepted: OutputShape | None = None

    def read(self, pools: Sequence[memoryview]) -> Array:
        """Return an input's value, read-only.

        :raises HalError: GENERAL_FAILURE for an input without value; INVALID_ARGUMENT as for :func:`constant`.
        """
        if self._has_no_value:
            raise failure("an input has no value", "operation/omitted")
        # A copy, so that a client that writes meanwhile cannot change a running execution.
        data = pools[self._pool][self._region].tobytes()
        return _array(data, self._kind, *self._layout, "request/length")

    def look(self, pools: Sequence[memoryview]) -> Array:
        """Return the memory itself as an array: what it holds may change at any time.

        :raises HalError: as :meth:`read`.
        """
        if self._has_no_value:
            raise failure("an argument has no value", "operation/omitted")
        return _array(pools[self._pool][self._region], self._kind, *self._layout, "request/length")

    def write(self, output: Array, pools: Sequence[memoryview]) -> OutputShape:
        """Put an output into its place if it fits, and tell its shape.

        :raises HalError: GENERAL_FAILURE for a shape other than model and request declare.
        """
        array = np.asarray(output, self.dtype, order="C")
        shape = self.shape(array)
        if not self._has_no_value:
            region = pools[self._pool][self._region]
            if array.nbytes > len(region):
                return OutputShape(array.shape, is_sufficient=False)
            region[: array.nbytes] = array.tobytes()
        return shape

    def target(self, output: Array, pools: Sequence[memoryview]) -> Array:
        """Return the array into which :meth:`write` has put ``output``; one of its own if it has put it nowhere."""
        if self._has_no_value:
            return np.empty_like(output)
        region = pools[self._pool][self._region]
        return np.frombuffer(region[: output.nbytes], self.dtype).reshape(output.shape)

    def shape(self, array: Array) -> OutputShape:
        """Return the shape of an output that fits.

        :raises HalError: GENERAL_FAILURE for a shape other than model and request declare.
        """
        accepted = self._accepted
        if accepted is not None and accepted.dimensions == array.shape:
            return accepted
        declared = self.dimensions
        if declared and (combine(declared, array.shape) is None or len(declared) != array.ndim):
            raise failure(f"an output has shape {array.shape}, declared is {declared}", "execution/output.dimensions")
        self._accepted = OutputShape(array.shape)
        return self._accepted


def _layout(operand_type: int, dimensions: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """Element type and shape of an array of an operand's bytes."""
    if operand_type in _OEM or (is_extension(operand_type) and not isinstance(operand_type, ExtensionType)):
        # Nobody here knows what the bytes mean.
        return "uint8", (-1,)
    return type_info(operand_type).dtype, dimensions


def _array(data: bytes | memoryview, operand_type: int, dtype: str, shape: tuple[int, ...], rule: str) -> Array:
    try:
        return np.frombuffer(data, dtype).reshape(shape)
    except ValueError as error:
        raise invalid(f"{len(data)} bytes of {type_name(operand_type)} {list(shape)}: {error}", rule) from error
