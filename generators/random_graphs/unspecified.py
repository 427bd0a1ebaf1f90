"""Models whose dimensions are partly open: the request says those of the inputs, and the others follow from them."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nnvet.generators.graphs.editor import with_operands
from nnvet.generators.graphs.model import TestModel, TestOperand
from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType

_OPEN: Final = 0.5
"""Probability of each dimension."""
_LIFETIMES: Final = (
    OperandLifeTime.SUBGRAPH_INPUT,
    OperandLifeTime.SUBGRAPH_OUTPUT,
    OperandLifeTime.TEMPORARY_VARIABLE,
)
_CONTROL_FLOW: Final = (OperationType.IF, OperationType.WHILE)


def with_open_dimensions(chooser: Chooser, model: TestModel) -> TestModel:
    """The model with many dimensions 0, which stands for unknown, of what is no constant; ranks stay known.

    What crosses the border of a subgraph keeps its dimensions, and so do filters with a scale for each channel, as the
    contract demands.
    """
    crossing = {
        index
        for operation in model.main.operations
        if operation.type in _CONTROL_FLOW
        for index in (*operation.inputs, *operation.outputs)
    }
    changed: dict[int, TestOperand] = {}
    for index, operand in enumerate(model.main.operands):
        is_known = operand.type == OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL or index in crossing
        if operand.lifetime in _LIFETIMES and not is_known:
            dimensions = tuple(0 if chooser.boolean(_OPEN) else size for size in operand.dimensions)
            changed[index] = replace(operand, dimensions=dimensions)
    main = with_operands(model.main, changed)
    for operation in main.operations:
        # A cast from what is not known to what is known would not be valid.
        if operation.type == OperationType.CAST:
            source, output = (main.operands[side[0]] for side in (operation.inputs, operation.outputs))
            main = with_operands(main, {operation.outputs[0]: replace(output, dimensions=source.dimensions)})
    return replace(model, main=main)
