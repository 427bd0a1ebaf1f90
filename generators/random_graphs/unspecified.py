"""Models whose dimensions are partly open: the request says those of the inputs, and the others follow from them."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nnvet.generators.graphs.editor import with_operands
from nnvet.generators.graphs.model import TestModel, TestOperand
from nnvet.generators.random_graphs.chooser import Chooser, SeededChooser
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.hal.enums import FeatureLevel, OperandLifeTime, OperandType, OperationType

_OPEN: Final = 0.5
"""Probability of each dimension, where nothing else is wanted."""
_RANKS: Final = 0.2
"""Of so many operands whose dimensions may be unknown the rank is."""
_LIFETIMES: Final = (
    OperandLifeTime.SUBGRAPH_INPUT,
    OperandLifeTime.SUBGRAPH_OUTPUT,
    OperandLifeTime.TEMPORARY_VARIABLE,
)
_CONTROL_FLOW: Final = (OperationType.IF, OperationType.WHILE)


def _crossing(model: TestModel) -> set[int]:
    """Operands that cross the border of a subgraph, and those that they are cast from."""
    found: set[int] = set()
    for operation in reversed(model.main.operations):
        if operation.type in _CONTROL_FLOW:
            found.update(operation.inputs, operation.outputs)
        elif operation.type == OperationType.CAST and not found.isdisjoint(operation.outputs):
            found.update(operation.inputs)
    return found


def declared(model: TestModel, options: GraphOptions) -> TestModel | None:
    """Return the model of these options that a driver gets: always the same. None: the model itself.

    HAL 1.0 and 1.1 have no unknown dimensions.
    """
    if not options.unknown or options.level < FeatureLevel.FL3:
        return None
    chooser = SeededChooser(f"{model.name}/open")
    return with_open_dimensions(chooser, model, options.unknown, ranks=options.unknown * _RANKS)


def with_open_dimensions(chooser: Chooser, model: TestModel, share: float = _OPEN, *, ranks: float = 0.0) -> TestModel:
    """The model with a ``share`` of its dimensions 0, which stands for unknown, of what is no constant.

    Of so many operands not even the rank is known, as far as ``ranks`` says, a probability. What crosses the border of
    a subgraph keeps its dimensions, and so do filters with a scale for each channel, as the contract demands.
    """
    crossing = _crossing(model)
    changed: dict[int, TestOperand] = {}
    for index, operand in enumerate(model.main.operands):
        is_known = operand.type == OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL or index in crossing
        if operand.lifetime in _LIFETIMES and not is_known:
            dimensions = tuple(0 if chooser.boolean(share) else size for size in operand.dimensions)
            if ranks and chooser.boolean(ranks):
                dimensions = ()
            changed[index] = replace(operand, dimensions=dimensions)
    main = with_operands(model.main, changed)
    for operation in main.operations:
        # A cast from what is not known to what is known would not be valid.
        if operation.type == OperationType.CAST:
            source, output = (main.operands[side[0]] for side in (operation.inputs, operation.outputs))
            main = with_operands(main, {operation.outputs[0]: replace(output, dimensions=source.dimensions)})
    return replace(model, main=main)
