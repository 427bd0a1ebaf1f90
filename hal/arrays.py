"""Between memory and arrays: constants, inputs and outputs of a model as NumPy arrays of their operands' types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from hal.dimensions import combine
from hal.enums import OperandLifeTime
from hal.errors import failure, invalid
from hal.memory import mapped
from hal.operand_types import OPERAND_TYPES
from hal.types import BufferToken, Model, Operand, OutputShape, Request, RequestArgument

Array = npt.NDArray[Any]


def constant(model: Model, operand: Operand) -> Array | None:
    """A constant operand's value, read-only; None for an operand that is not constant.

    :raises HalError: GENERAL_FAILURE if its pool cannot be mapped.
    """
    begin, end = operand.location.offset, operand.location.offset + operand.location.length
    if operand.lifetime == OperandLifeTime.CONSTANT_COPY:
        data = model.operand_values[begin:end]
    elif operand.lifetime == OperandLifeTime.CONSTANT_REFERENCE:
        with mapped(model.pools[operand.location.pool_index], writable=False) as pool:
            data = bytes(pool[begin:end])
    else:
        return None
    return np.frombuffer(data, OPERAND_TYPES[operand.type].dtype).reshape(operand.dimensions)


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

    :raises HalError: GENERAL_FAILURE for an input without value.
    """
    # A copy, so that a client that writes meanwhile cannot change a running execution.
    if argument.has_no_value:
        raise failure("an input has no value", "operation/omitted")
    begin, length = argument.location.offset, argument.location.length
    data = bytes(pools[argument.location.pool_index][begin : begin + length])
    return np.frombuffer(data, OPERAND_TYPES[operand.type].dtype).reshape(_dimensions(argument, operand))


def write_output(
    argument: RequestArgument, operand: Operand, output: Array, pools: Sequence[memoryview]
) -> OutputShape:
    """Put an output into its place if it fits, and tell its shape.

    :raises HalError: GENERAL_FAILURE for a shape other than model and request declare.
    """
    array = np.ascontiguousarray(output, OPERAND_TYPES[operand.type].dtype).reshape(np.shape(output))
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
    return (combine(operand.dimensions, argument.dimensions) or ()) if OPERAND_TYPES[operand.type].is_tensor else ()
