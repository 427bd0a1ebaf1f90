"""Arrays over memory: constants, inputs and outputs of a model as NumPy arrays of their operands' types.

Drivers that override ``compute`` get such arrays from :mod:`nnvet.driver_kit.computing`. The bundled driver,
which overrides ``run``, uses :func:`mapped_pools` and :class:`Place` itself.
"""

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
"""Types whose bytes only the driver's maker knows."""
# Constants, because looking up a member of an enumeration takes longer than most work on it.
_COPY: Final = OperandLifeTime.CONSTANT_COPY
_REFERENCE: Final = OperandLifeTime.CONSTANT_REFERENCE
_NOTHING: Mapping[int, memoryview] = {}
"""Views of no device memory."""


def constant(model: Model, operand: Operand) -> Array | None:
    """Return the value of a constant operand, read-only; None for any other operand.

    :raises HalError: GENERAL_FAILURE if its pool cannot be mapped. INVALID_ARGUMENT for a constant of an extension
     whose length does not fit its dimensions (no earlier check sees that), and for ranks that NumPy does not support.
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
    """Return the indexes of the pools that contain outputs."""
    return frozenset([argument.location.pool_index for argument in request.outputs if not argument.has_no_value])


def mapped_pools(
    request: Request, device_views: Mapping[int, memoryview] = _NOTHING, written: frozenset[int] | None = None
) -> AbstractContextManager[list[memoryview]]:
    """Map all pools of a request for a ``with`` block; pools without outputs may be mapped read-only.

    ``device_views`` are views of device memory by index of the pool; ``written`` is :func:`written_pools`, if known.

    :raises HalError: INVALID_ARGUMENT for device memory without a view; GENERAL_FAILURE if mapping fails.
    """
    if written is None:
        written = written_pools(request)
    views = _kept_views(request, written)
    return _mapped_pools(request, device_views, written) if views is None else nullcontext(views)


def lasting_views(request: Request) -> list[memoryview] | None:
    """Return views of all pools that stay valid while they are held; None if a pool has no such view.

    :raises HalError: GENERAL_FAILURE if mapping fails.
    """
    views = _kept_views(request, written_pools(request))
    handles = (pool.handle for pool in request.pools if not isinstance(pool, BufferToken))
    if any(isinstance(handle, MappedHandle) and not handle.is_lasting for handle in handles):
        return None
    return views


def with_kept_memory(request: Request) -> Request:
    """Return the same request with memory that stays mapped from its first use until the request is dropped."""
    pools = [pool if isinstance(pool, BufferToken) else keep_mapped(pool) for pool in request.pools]
    return replace(request, pools=tuple(pools))


def _kept_views(request: Request, written: frozenset[int]) -> list[memoryview] | None:
    """Return views of all pools, if all of them are kept mapped."""
    views = []
    for index, pool in enumerate(request.pools):
        if isinstance(pool, BufferToken) or not isinstance(pool.handle, MappedHandle):
            return None
        views.append(pool.handle.view(pool, writable=index in written))
    return views


class _mapped_pools:  # noqa: N801 - reads as a with statement
    """Context manager of :func:`mapped_pools`. A generator or an ExitStack would take as long as the mapping itself."""

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
    """The position of an argument of a request, and everything known about it before there is data.

    ``dimensions`` combine those of model and request; () if the rank is unknown.
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
        """Return the value of an input, read-only.

        :raises HalError: GENERAL_FAILURE for an input without value; INVALID_ARGUMENT as for :func:`constant`.
        """
        if self._has_no_value:
            raise failure("an input has no value", "operation/omitted")
        # A copy, so that a client that writes meanwhile cannot change a running execution.
        data = pools[self._pool][self._region].tobytes()
        return _array(data, self._kind, *self._layout, "request/length")

    def look(self, pools: Sequence[memoryview]) -> Array:
        """Return the memory itself as an array; its content may change at any time.

        :raises HalError: as :meth:`read`.
        """
        if self._has_no_value:
            raise failure("an argument has no value", "operation/omitted")
        return _array(pools[self._pool][self._region], self._kind, *self._layout, "request/length")

    def write(self, output: Array, pools: Sequence[memoryview]) -> OutputShape:
        """Write an output into its memory if it fits, and return its shape.

        :raises HalError: GENERAL_FAILURE for a shape that contradicts model or request.
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
        """Return the array into which :meth:`write` has copied ``output``; a new one if it did not fit."""
        if self._has_no_value:
            return np.empty_like(output)
        region = pools[self._pool][self._region]
        return np.frombuffer(region[: output.nbytes], self.dtype).reshape(output.shape)

    def shape(self, array: Array) -> OutputShape:
        """Return the shape of an output that fits.

        :raises HalError: GENERAL_FAILURE for a shape that contradicts model or request.
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
    """Return the element type and the shape of an array for an operand."""
    if operand_type in _OEM or (is_extension(operand_type) and not isinstance(operand_type, ExtensionType)):
        # The bytes of an unknown type have no structure that is known here.
        return "uint8", (-1,)
    return type_info(operand_type).dtype, dimensions


def _array(data: bytes | memoryview, operand_type: int, dtype: str, shape: tuple[int, ...], rule: str) -> Array:
    try:
        return np.frombuffer(data, dtype).reshape(shape)
    except ValueError as error:
        raise invalid(f"{len(data)} bytes of {type_name(operand_type)} {list(shape)}: {error}", rule) from error
