"""Between memory and arrays: constants, inputs and outputs of a model as NumPy arrays of their operands' types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from hal.dimensions import combine
from hal.enums import OperandLifeTime, OperandType
from hal.errors import failure, invalid
from hal.memory import mapped
from hal.operand_types import ExtensionType, is_extension, type_info, type_name
from hal.types import BufferToken, Model, Operand, OutputShape, Request, RequestArgument

Array = npt.NDArray[Any]

_OEM = (OperandType.OEM, OperandType.TENSOR_OEM_BYTE)


def constant(model: Model, operand: Operand) -> Array | None:
    """A constant operand's value, read-only; None for an operand that is not constant.

    :raises HalError: GENERAL_FAILURE if its pool cannot be mapped; INVALID_ARGUMENT for an extension's constant
        whose length does not fit its dimensions, which nobody else checks, and for ranks that NumPy does not have.
    """
    begin, end = operand.location.offset, operand.location.offset + operand.location.length
    if operand.lifetime == OperandLifeTime.CONSTANT_COPY:
        data = model.operand_values[begin:end]
    elif operand.lifetime == OperandLifeTime.CONSTANT_REFERENCE:
        with mapped(model.pools[operand.location.pool_index], writable=False) as pool:
            data = bytes(pool[begin:end])
    else:
        return None
    return _array(data, operand.type, operand.dimensions, "model/operand.location.length")


@contextmanager
def mapped_pools(request: Request) -> Iterator[list[memoryview]]:
    """Views of all pools of a request while the block runs.

    :raises HalError: INVALID_ARGUMENT for device memory, which is unknown here; GENERAL_FAILURE if mapping fails.
    """
    with ExitStack() as stack:
        views = []
        for pool in request.pools:
            if isinstance(pool, BufferToken):
                raise invalid(f"no buffer has token {pool.token}", "request/pool.token")
            views.append(stack.enter_context(mapped(pool)))
        yield views


def read_input(argument: RequestArgument, operand: Operand, pools: Sequence[memoryview]) -> Array:
    """An input's value, read-only.

    :raises HalError: GENERAL_FAILURE for an input without value; INVALID_ARGUMENT as for :func:`constant`.
    """
    # A copy, so that a client that writes meanwhile cannot change a running execution.
    if argument.has_no_value:
        raise failure("an input has no value", "operation/omitted")
    begin, length = argument.location.offset, argument.location.length
    data = bytes(pools[argument.location.pool_index][begin : begin + length])
    return _array(data, operand.type, _dimensions(argument, operand), "request/length")


def write_output(
    argument: RequestArgument, operand: Operand, output: Array, pools: Sequence[memoryview]
) -> OutputShape:
    """Put an output into its place if it fits, and tell its shape.

    :raises HalError: GENERAL_FAILURE for a shape other than model and request declare.
    """
    array = np.ascontiguousarray(output, type_info(operand.type).dtype).reshape(np.shape(output))
    declared = _dimensions(argument, operand)
    if declared and (combine(declared, array.shape) is None or len(declared) != array.ndim):
        raise failure(f"an output has shape {array.shape}, declared is {declared}", "execution/output.dimensions")
    if argument.has_no_value:
        return OutputShape(array.shape)
    begin, length = argument.location.offset, argument.location.length
    if array.nbytes > length:
        return OutputShape(array.shape, is_sufficient=False)
    pools[argument.location.pool_index][begin : begin + array.nbytes] = array.tobytes()
    return OutputShape(array.shape)


def _dimensions(argument: RequestArgument, operand: Operand) -> tuple[int, ...]:
    # Scalars have none, whatever a request gives them (HAL contract 8.1).
    return (combine(operand.dimensions, argument.dimensions) or ()) if type_info(operand.type).is_tensor else ()


def _array(data: bytes, operand_type: int, dimensions: tuple[int, ...], rule: str) -> Array:
    if operand_type in _OEM or (is_extension(operand_type) and not isinstance(operand_type, ExtensionType)):
        # Nobody here knows what the bytes mean.
        return np.frombuffer(data, np.uint8)
    try:
        return np.frombuffer(data, type_info(operand_type).dtype).reshape(dimensions)
    except ValueError as error:
        raise invalid(f"{len(data)} bytes of {type_name(operand_type)} {list(dimensions)}: {error}", rule) from error
