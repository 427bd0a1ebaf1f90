"""Sums of products in the shapes that choose a driver's algorithm: windows, strides, edges, columns, groups, lengths.

Source: docs/contract/accuracy.md 3. Inputs are evenly distributed numbers of both signs, drawn from a seed.
:mod:`nnvet.generators.accuracy.dot_products` has inputs that reveal the arithmetic, in windows as large as the image.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from zlib import crc32

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from nnvet.generators.accuracy.dot_products import ProductType
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.operand_types import type_info

Array = npt.NDArray[Any]
_O: Final = OperationType
_T: Final = OperandType
_SAME, _VALID = 1, 2
_NONE: Final = 0
"""No fused activation."""
_EXPLICIT: Final = 6
"""Number of scalars before the activation if paddings are given as numbers of cells."""
_DILATED: Final = 2
"""Number of scalars after the activation beyond which there are dilations."""
_LARGEST: Final = 4.0
"""Approximate sum of the magnitudes in a result, small enough not to overflow in float16 or in a transform."""


@dataclass(frozen=True)
class SummedShape:
    """One form of an operation; ``image`` and ``filter`` are its two tensors (of a matrix product, the two factors).

    ``before`` and ``after`` are the scalars that precede and follow the activation, including booleans.
    """

    operation: OperationType
    image: tuple[int, ...]
    filter: tuple[int, ...]
    before: tuple[int, ...] = ()
    after: tuple[int | bool, ...] = ()
    level: FeatureLevel = FeatureLevel.FL1


_NHWC: Final = False
SHAPES: Final[Mapping[str, SummedShape]] = {
    "CONV_2D.3x3": SummedShape(_O.CONV_2D, (1, 14, 14, 8), (12, 3, 3, 8), (_SAME, 1, 1)),
    "CONV_2D.5x5": SummedShape(_O.CONV_2D, (1, 11, 13, 4), (6, 5, 5, 4), (_VALID, 1, 1)),
    "CONV_2D.strided": SummedShape(_O.CONV_2D, (1, 15, 16, 6), (9, 3, 3, 6), (_SAME, 2, 2)),
    "CONV_2D.dilated": SummedShape(
        _O.CONV_2D, (1, 15, 13, 6), (9, 3, 3, 6), (_VALID, 1, 1), (_NHWC, 2, 3), FeatureLevel.FL3
    ),
    "CONV_2D.padded": SummedShape(_O.CONV_2D, (1, 9, 10, 5), (7, 4, 4, 5), (3, 1, 2, 3, 1, 1)),
    "CONV_2D.one_column": SummedShape(_O.CONV_2D, (1, 17, 3, 5), (9, 3, 3, 5), (_VALID, 1, 1)),
    "CONV_2D.one_row": SummedShape(_O.CONV_2D, (1, 3, 17, 5), (9, 3, 3, 5), (_VALID, 1, 1)),
    "CONV_2D.one_channel": SummedShape(_O.CONV_2D, (1, 18, 18, 1), (1, 3, 3, 1), (_SAME, 1, 1)),
    "CONV_2D.1x1": SummedShape(_O.CONV_2D, (1, 7, 5, 1024), (9, 1, 1, 1024), (_VALID, 1, 1)),
    "CONV_2D.long": SummedShape(_O.CONV_2D, (1, 5, 5, 256), (8, 4, 4, 256), (_VALID, 1, 1)),
    "DEPTHWISE_CONV_2D.3x3": SummedShape(_O.DEPTHWISE_CONV_2D, (1, 14, 14, 9), (1, 3, 3, 9), (_SAME, 1, 1, 1)),
    "DEPTHWISE_CONV_2D.strided": SummedShape(_O.DEPTHWISE_CONV_2D, (1, 15, 16, 5), (1, 3, 3, 10), (_SAME, 2, 2, 2)),
    "DEPTHWISE_CONV_2D.one_column": SummedShape(_O.DEPTHWISE_CONV_2D, (1, 19, 3, 8), (1, 3, 3, 8), (_VALID, 1, 1, 1)),
    "GROUPED_CONV_2D.3x3": SummedShape(
        _O.GROUPED_CONV_2D, (1, 10, 11, 12), (9, 3, 3, 4), (_SAME, 1, 1, 3), (_NHWC,), FeatureLevel.FL3
    ),
    "TRANSPOSE_CONV_2D.strided": SummedShape(
        _O.TRANSPOSE_CONV_2D, (1, 7, 8, 6), (5, 3, 3, 6), (0, 0, 0, 0, 2, 2), (_NHWC,), FeatureLevel.FL3
    ),
    "FULLY_CONNECTED.1024": SummedShape(_O.FULLY_CONNECTED, (8, 1024), (24, 1024)),
    "FULLY_CONNECTED.4096": SummedShape(_O.FULLY_CONNECTED, (8, 4096), (24, 4096)),
    "FULLY_CONNECTED.one_row": SummedShape(_O.FULLY_CONNECTED, (1, 1031), (150, 1031)),
    "BATCH_MATMUL.2048": SummedShape(
        _O.BATCH_MATMUL, (2, 9, 2048), (2, 2048, 11), (), (False, False), FeatureLevel.FL6
    ),
}
"""The sums, by name."""
SEEDS: Final = 4


def shaped_sum(name: str, kind: ProductType, seed: int) -> TestModel:
    """Return one operation in the named form, without an expected output."""
    shape = SHAPES[name]
    random = np.random.default_rng([crc32(name.encode()), seed])
    dtype = np.float16 if kind.is_relaxed else type_info(kind.type).dtype
    terms = _terms(shape)

    def numbers(dimensions: tuple[int, ...], largest: float) -> Array:
        return random.uniform(-largest, largest, dimensions).astype(dtype).astype(np.float64)

    graph = GraphBuilder()
    operands = [graph.input(kind.type, shape.image, numbers(shape.image, 1.0))]
    weights = numbers(shape.filter, _LARGEST / terms)
    if shape.operation == _O.BATCH_MATMUL:
        operands.append(graph.input(kind.type, shape.filter, weights))
    else:
        made = shape.filter[3 if shape.operation == _O.DEPTHWISE_CONV_2D else 0]
        operands += [graph.constant(kind.type, shape.filter, weights)]
        operands += [graph.constant(kind.type, (made,), numbers((made,), 1.0 / 4))]
        operands += [graph.scalar(_T.INT32, value) for value in (*shape.before, _NONE)]
    operands += [graph.scalar(_T.BOOL if isinstance(value, bool) else _T.INT32, value) for value in shape.after]
    graph.operation(shape.operation, tuple(operands), graph.output(kind.type, _result(shape), None))
    test = graph.finish(f"{name} {kind.type.name} {seed}", max(kind.level, shape.level))
    return replace(test, is_relaxed=kind.is_relaxed)


def _terms(shape: SummedShape) -> int:
    """Return the number of products that a result sums."""
    if shape.operation in (_O.FULLY_CONNECTED, _O.BATCH_MATMUL):
        return shape.image[-1]
    _, height, width, depth = shape.filter
    return height * width * (1 if shape.operation == _O.DEPTHWISE_CONV_2D else depth)


def _result(shape: SummedShape) -> tuple[int, ...]:
    """Return dimensions of the result."""
    if shape.operation == _O.FULLY_CONNECTED:
        return shape.image[0], shape.filter[0]
    if shape.operation == _O.BATCH_MATMUL:
        return *shape.image[:2], shape.filter[2]
    made = shape.filter[3 if shape.operation == _O.DEPTHWISE_CONV_2D else 0]
    sides = zip(shape.image[1:3], shape.filter[1:3], *_steps(shape), strict=True)
    of = _grown if shape.operation == _O.TRANSPOSE_CONV_2D else _shrunk
    return shape.image[0], *(of(*side) for side in sides), made


def _steps(shape: SummedShape) -> tuple[tuple[int | None, int | None], tuple[int, int], tuple[int, int]]:
    """Return cells of padding along height and width (None: SAME), strides and dilations."""
    numbers = shape.before
    is_explicit = len(numbers) >= _EXPLICIT
    width, height = numbers[4:6] if is_explicit else numbers[1:3]
    padding: tuple[int | None, int | None] = (None, None) if numbers[0] == _SAME and not is_explicit else (0, 0)
    if is_explicit:
        padding = numbers[2] + numbers[3], numbers[0] + numbers[1]
    across, down = shape.after[1:3] if len(shape.after) > _DILATED else (1, 1)
    return padding, (height, width), (down, across)


def _shrunk(size: int, window: int, padding: int | None, stride: int, dilation: int) -> int:
    reach = (window - 1) * dilation + 1
    return -(-size // stride) if padding is None else (size + padding - reach) // stride + 1


def _grown(size: int, window: int, padding: int | None, stride: int, _dilation: int) -> int:
    return (size - 1) * stride + window - (padding or 0)
