"""Codes that are moved and then dequantised, or dequantised and then moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from nnvet.generators.graphs.editor import with_added, with_operand
from nnvet.generators.graphs.model import TestModel, TestOperand, TestOperation
from nnvet.generators.metamorphic.relation import Models, OtherForm
from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.types import OperandType, OperationType

_O: Final = OperationType
MOVING: Final = (
    *(_O.RESHAPE, _O.TRANSPOSE, _O.SLICE, _O.STRIDED_SLICE, _O.GATHER, _O.TILE, _O.EXPAND_DIMS, _O.SQUEEZE),
    *(_O.REVERSE, _O.DEPTH_TO_SPACE, _O.SPACE_TO_DEPTH, _O.BATCH_TO_SPACE_ND, _O.SPACE_TO_BATCH_ND, _O.PAD),
    *(_O.MIRROR_PAD, _O.CHANNEL_SHUFFLE),
)
"""Operations from one tensor to one of the same quantisation that compute nothing."""
_TEMPORARY: Final = OperandLifeTime.TEMPORARY_VARIABLE
_FLOAT32: Final = OperandType.TENSOR_FLOAT32


def moved_and_dequantized(draw: Models) -> Models:
    """Models of one operation with DEQUANTIZE behind it."""

    def drawn(chooser: Chooser, name: str) -> TestModel:
        test = draw(chooser, name)
        (operation,) = test.main.operations
        index, last = operation.outputs[0], len(test.main.operands)
        result = test.main.operands[index]
        inner = replace(test.main, output_indexes=())
        inner = with_operand(inner, index, replace(result, lifetime=_TEMPORARY))
        real = TestOperand(_FLOAT32, result.dimensions, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT)
        wider = with_added(inner, real)
        behind = TestOperation(_O.DEQUANTIZE, (index,), (last,))
        return replace(test, main=replace(wider, operations=(operation, behind)))

    return drawn


def dequantized_and_moved(_: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """DEQUANTIZE in front of the operation."""
    main = test.main
    moving, behind = main.operations
    source, between, last = moving.inputs[0], moving.outputs[0], behind.outputs[0]
    real = TestOperand(_FLOAT32, main.operands[source].dimensions, lifetime=_TEMPORARY)
    changed = with_operand(main, between, real)
    operations = (
        TestOperation(_O.DEQUANTIZE, (source,), (between,)),
        replace(moving, inputs=(between, *moving.inputs[1:]), outputs=(last,)),
    )
    return (OtherForm(replace(test, main=replace(changed, operations=operations))),)
