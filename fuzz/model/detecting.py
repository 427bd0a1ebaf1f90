"""A mutation that makes tensors with zero elements, as outputs of a detection operation that detects nothing.

A model cannot declare such a tensor, since a dimension of 0 means that it is not known yet.
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.fuzz.model.form import FuzzedModel, NotApplicableError, pick_graph, pick_part, with_graph
from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType
from nnvet.hal.types import DataLocation, Operand, Operation

_T, _O = OperandType, OperationType
_QUANTIZED: Final = (_T.TENSOR_QUANT8_ASYMM, _T.TENSOR_QUANT8_ASYMM_SIGNED)
_LIMIT: Final[tuple[tuple[OperandType, tuple[int, ...], tuple[float, ...]], ...]] = (
    (_T.TENSOR_FLOAT32, (1, 2), (0.9, 0.1)),
    (_T.TENSOR_FLOAT32, (1, 8), (1, 1, 10, 10, 0, 0, 10, 10)),
    (_T.TENSOR_INT32, (1,), (0,)),
    (_T.FLOAT32, (), (0.3,)),
    (_T.INT32, (), (-1,)),
    (_T.INT32, (), (0,)),
    (_T.FLOAT32, (), (0.4,)),
    (_T.FLOAT32, (), (1.0,)),
    (_T.FLOAT32, (), (0.3,)),
)
"""Inputs of BOX_WITH_NMS_LIMIT in order, whose only score of a class that counts is below the threshold, 0.3."""
_COMPUTED: Final = (OperandLifeTime.TEMPORARY_VARIABLE, OperandLifeTime.SUBGRAPH_OUTPUT)
_MOST: Final = 64
"""Largest dimension of a source that an empty tensor copies."""
_IMAGE: Final = 4
_BOXES: Final = 2


@lru_cache(maxsize=1024)
def _data(type_: OperandType, numbers: tuple[float, ...]) -> bytes:
    if type_ is _T.BOOL:
        return bytes(map(int, numbers))
    return np.array(numbers, np.float32 if type_ in (_T.TENSOR_FLOAT32, _T.FLOAT32) else np.int32).tobytes()


class _Parts:
    """Operands and operations that are added to a subgraph of ``known`` operands, and values behind known ones."""

    def __init__(self, known: int, values: bytes) -> None:
        self._known = known
        self.values = values
        self.operands: list[Operand] = []
        self.operations: list[Operation] = []

    def constant(self, type_: OperandType, dimensions: tuple[int, ...], numbers: tuple[float, ...]) -> int:
        data = _data(type_, numbers)
        self.values = self.values.ljust(-(-len(self.values) // 4) * 4, b"\0")
        place = DataLocation(0, len(self.values), len(data))
        self.values += data
        lifetime = int(OperandLifeTime.CONSTANT_COPY)
        return self._added(Operand(type=int(type_), dimensions=dimensions, lifetime=lifetime, location=place))

    def computed(self, operation: OperationType, inputs: tuple[int, ...], *outputs: Operand) -> tuple[int, ...]:
        indexes = tuple(self._added(output) for output in outputs)
        self.operations.append(Operation(int(operation), inputs, indexes))
        return indexes

    def _added(self, operand: Operand) -> int:
        self.operands.append(operand)
        return self._known + len(self.operands) - 1


def empty_tensor(draw: random.Random, model: FuzzedModel) -> FuzzedModel:
    """Replace an input of an operation by an empty tensor, and give all results unknown dimensions.

    The empty tensor has the type and the dimensions of the input, except for the batch or the dimension that takes its
    place.
    """
    number, graph = pick_graph(draw, model)
    position, operation = pick_part(draw, graph.operations)
    known = len(graph.operands)
    slots = [
        slot
        for slot, index in enumerate(operation.inputs)
        if 0 <= index < known and _can_be_empty(graph.operands[index])
    ]
    _, slot = pick_part(draw, slots)
    parts = _Parts(known, model.operand_values)
    empty = _add_empty(draw, parts, graph.operands[operation.inputs[slot]])
    operations = (
        *graph.operations[:position],
        *parts.operations,
        replace(operation, inputs=(*operation.inputs[:slot], empty, *operation.inputs[slot + 1 :])),
        *graph.operations[position + 1 :],
    )
    operands = (*map(_without_dimensions, graph.operands), *parts.operands)
    return with_graph(
        replace(model, operand_values=parts.values), number, replace(graph, operands=operands, operations=operations)
    )


def _can_be_empty(operand: Operand) -> bool:
    rank = len(operand.dimensions)
    if operand.type == _T.TENSOR_INT32:
        return rank == 1
    return operand.type in (_T.TENSOR_FLOAT32, *_QUANTIZED) and rank in (1, _BOXES, _IMAGE)


def _add_empty(draw: random.Random, parts: _Parts, source: Operand) -> int:
    """Add an operand of a source's type and rank that will be computed with no elements; return its index."""
    scores, boxes, classes, batches = parts.computed(
        _O.BOX_WITH_NMS_LIMIT,
        tuple(parts.constant(*setting) for setting in _LIMIT),
        Operand(type=int(_T.TENSOR_FLOAT32), dimensions=(0,)),
        Operand(type=int(_T.TENSOR_FLOAT32), dimensions=(0, 4)),
        Operand(type=int(_T.TENSOR_INT32), dimensions=(0,)),
        Operand(type=int(_T.TENSOR_INT32), dimensions=(0,)),
    )
    rank = len(source.dimensions)
    if source.type == _T.TENSOR_INT32:
        return classes
    found = {1: scores, _BOXES: boxes}[rank] if rank < _IMAGE else _add_images(parts, source, boxes, batches)
    if rank > 1 and draw.randrange(2):
        order = [*range(rank)]
        other = draw.randrange(rank)
        order[0], order[other] = order[other], order[0]
        turned = Operand(type=int(_T.TENSOR_FLOAT32), dimensions=(0,) * rank)
        (found,) = parts.computed(_O.TRANSPOSE, (found, parts.constant(_T.TENSOR_INT32, (rank,), tuple(order))), turned)
    if source.type in _QUANTIZED:
        coded = Operand(type=source.type, dimensions=(0,) * rank, scale=source.scale, zero_point=source.zero_point)
        (found,) = parts.computed(_O.QUANTIZE, (found,), coded)
    return found


def _add_images(parts: _Parts, source: Operand, boxes: int, batches: int) -> int:
    """Add the result of ROI_ALIGN without boxes: no images of the height, width and depth that a source has."""
    if any(not 0 <= dimension <= _MOST for dimension in source.dimensions[1:]):
        raise NotApplicableError
    height, width, depth = (dimension or 2 for dimension in source.dimensions[1:])
    features = parts.constant(_T.TENSOR_FLOAT32, (1, 1, 1, depth), (1.0,) * depth)
    sizes = [parts.constant(_T.INT32, (), (length,)) for length in (height, width)]
    ratios = [parts.constant(_T.FLOAT32, (), (1.0,)) for _ in range(2)]
    samples = [parts.constant(_T.INT32, (), (1,)) for _ in range(2)]
    layout = parts.constant(_T.BOOL, (), (0,))
    inputs = (features, boxes, batches, *sizes, *ratios, *samples, layout)
    (found,) = parts.computed(_O.ROI_ALIGN, inputs, Operand(type=int(_T.TENSOR_FLOAT32), dimensions=(0,) * 4))
    return found


def _without_dimensions(operand: Operand) -> Operand:
    if operand.lifetime not in _COMPUTED:
        return operand
    return replace(operand, dimensions=(0,) * len(operand.dimensions))
