"""From a request to the inputs of ``compute``, and from its outputs, which are checked, to the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnvet.driver_kit.arrays import Array, Place
from nnvet.hal.errors import HalError, failure
from nnvet.hal.operand_types import type_info, type_name
from nnvet.hal.operations.binding import assign, bind
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.types import Operand, Operation, OutputShape, Request, Subgraph
from nnvet.hal.validation.subgraph import model_argument


def input_values(request: Request, main: Subgraph, pools: Sequence[memoryview]) -> list[Array | None]:
    """A read-only array for each input of the main subgraph; None for one without value.

    :raises HalError: as the contract says if an operation needs an input that has no value (4 in
        docs/contract/operations/common.md); INVALID_ARGUMENT as for :func:`nnvet.driver_kit.arrays.constant`.
    """
    values: list[Array | None] = []
    for position, (argument, index) in enumerate(zip(request.inputs, main.input_indexes, strict=True)):
        if argument.has_no_value:
            _check_omission(main, index, position)
            values.append(None)
        else:
            values.append(Place(argument, main.operands[index]).read(pools))
    return values


def write_outputs(
    request: Request, main: Subgraph, pools: Sequence[memoryview], outputs: Sequence[Any]
) -> tuple[OutputShape, ...]:
    """Check all outputs, then put those that fit into their places; the shape of each.

    :raises HalError: GENERAL_FAILURE for what is not one array for each output, of its type and rank, and of
        dimensions that model and request allow; nothing is written then.
    """
    wanted = len(main.output_indexes)
    if isinstance(outputs, np.ndarray) or not isinstance(outputs, Sequence):
        raise _wrong(f"compute returned {_described(outputs)}, not a list of {wanted} arrays")
    if len(outputs) != wanted:
        raise _wrong(f"compute returned {len(outputs)} arrays, the model has {wanted} outputs")
    places, arrays = [], []
    for position, (argument, index) in enumerate(zip(request.outputs, main.output_indexes, strict=True)):
        place, operand = Place(argument, main.operands[index]), main.operands[index]
        places.append(place)
        arrays.append(_checked(outputs[position], operand, place, f"output {position} of compute"))
    return tuple([place.write(array, pools) for place, array in zip(places, arrays, strict=True)])


def _checked(output: Any, operand: Operand, place: Place, where: str) -> Array:
    """An output as an array of the operand's type."""
    try:
        array = np.asarray(output)
    except ValueError as error:
        raise _wrong(f"{where} is no array: {error}") from error
    dtype = np.dtype(place.dtype)
    # Of floats the nearest is taken, as of every other result; an integer that does not fit would be another one.
    is_rounded = array.dtype.kind == dtype.kind == "f"
    if not is_rounded and not np.can_cast(array.dtype, dtype):
        raise _wrong(f"{where} has elements of {array.dtype}, {type_name(operand.type)} is {dtype}")
    _check_shape(array.shape, operand, place, where)
    with np.errstate(over="ignore"):
        return array.astype(dtype, copy=False)


def _check_shape(shape: tuple[int, ...], operand: Operand, place: Place, where: str) -> None:
    info, declared = type_info(operand.type), place.dimensions
    # Of OEM scalars nobody here knows what their bytes mean.
    if info.size and bool(shape) is not info.is_tensor:
        what = "a tensor, which has dimensions" if info.is_tensor else "a scalar, which has none"
        raise _misshapen(f"{where} has shape {shape}, {type_name(operand.type)} is {what}")
    if declared and (len(declared) != len(shape) or any(a not in (0, b) for a, b in zip(declared, shape, strict=True))):
        raise _misshapen(f"{where} has shape {shape}, declared is {declared}")


def _check_omission(main: Subgraph, index: int, position: int) -> None:
    """Whether all operations that read an input can do without it; those of extensions say so themselves."""
    for operation in main.operations:
        declaration = declarations().get(operation.type)
        if index not in operation.inputs or declaration is None:
            continue
        for name in _needed(operation, main, index):
            message = f"input {position} has no value, {declaration.name} needs its operand '{name}'"
            raise HalError(declaration.omission_status, message, f"{declaration.name}/{name}.omitted")


def _needed(operation: Operation, main: Subgraph, index: int) -> list[str]:
    """Operands of the operation, by name, that are operand ``index`` of the model and need a value."""
    inputs, outputs = (
        [model_argument(main.operands[one]) for one in side] for side in (operation.inputs, operation.outputs)
    )
    signature = bind(declarations()[operation.type], inputs, outputs).signature
    pairs = zip(operation.inputs, assign(signature, inputs), strict=True)
    return [formal.name for one, (formal, _) in pairs if one == index and not formal.omissible]


def _described(value: object) -> str:
    return f"one array of shape {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__


def _wrong(message: str) -> HalError:
    return failure(message, "driver/reply")


def _misshapen(message: str) -> HalError:
    return failure(message, "execution/output.dimensions")
