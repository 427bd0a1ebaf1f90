"""Functions on a test's operations and operands that the transformations share.

The modules ``fusing.py``, ``identities.py`` and ``wholes.py`` use them to find operands by their declared names and to
reorder the elements of operands.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from nnvet.graphs.model import Array, TestModel, TestOperand, TestOperation
from nnvet.hal.enums import CONSTANTS, OperandLifeTime
from nnvet.hal.extensions import every_declaration
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.binding import assign, bind
from nnvet.hal.operations.declaration import Argument


def names_of(test: TestModel, operation: TestOperation) -> list[str]:
    """Return the names that the declaration has for the inputs of an operation.

    :raises HalError: the operation does not take these operands.
    """
    operands = test.main.operands
    inputs, outputs = ([_argument(operands[i]) for i in side] for side in (operation.inputs, operation.outputs))
    call = bind(every_declaration()[operation.type], inputs, outputs)
    return [formal.name for formal, _ in assign(call.signature, inputs)]


def input_of(test: TestModel, operation: TestOperation, name: str) -> int | None:
    """Return the index of the operand that the declaration calls ``name``, or None if the operation has none."""
    names = names_of(test, operation)
    return operation.inputs[names.index(name)] if name in names else None


def number(operand: TestOperand) -> int:
    """Return the value of a scalar parameter.

    :raises ValueError: it has none, because it is neither a constant nor an input.
    """
    if operand.data is None:
        raise ValueError("a parameter without value")
    return int(operand.data[0])


def is_data(operand: TestOperand) -> bool:
    """Return True if an operand is a tensor of floats or codes whose value the test gives: an input or a constant."""
    info = type_info(operand.type)
    given = operand.data is not None and operand.data.size > 0
    return given and info.is_tensor and (info.is_float or info.is_quantized)


def is_value(operand: TestOperand) -> bool:
    """Return True if an operand is a tensor with elements that is an input or the result of an operation."""
    written = operand.lifetime not in (*CONSTANTS, OperandLifeTime.NO_VALUE, OperandLifeTime.SUBGRAPH)
    is_plain = type_info(operand.type).is_tensor and operand.channel_quant is None and not operand.is_ignored
    return written and is_plain and bool(operand.dimensions) and 0 not in operand.dimensions


def rearranged(operand: TestOperand, axis: int, places: Sequence[int]) -> TestOperand:
    """Return an input or constant with those slices of one axis that ``places`` lists, in that order.

    :raises ValueError: it has no value.
    """
    if operand.data is None or not operand.data.size:
        raise ValueError("an operand without value")
    taken = np.take(operand.data.reshape(operand.dimensions), places, axis)
    scales = operand.channel_quant
    if scales is not None and scales.channel_dim == axis:
        scales = replace(scales, scales=tuple(scales.scales[place] for place in places))
    return replace(operand, dimensions=taken.shape, data=taken.reshape(-1), channel_quant=scales)


def along(axis: int, places: Sequence[int], outputs: Sequence[Array]) -> list[Array]:
    """Return all outputs, each with the slices of one axis that ``places`` lists, in that order."""
    return [np.take(output, places, axis) for output in outputs]


def _argument(operand: TestOperand) -> Argument:
    omitted = operand.data is not None and not operand.data.size and operand.lifetime in CONSTANTS
    return Argument(
        operand.type, operand.dimensions, operand.scale, operand.zero_point, operand.channel_quant, omitted=omitted
    )
