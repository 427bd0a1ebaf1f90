"""Models of sums of products, with inputs that reveal the driver's arithmetic.

Source: docs/contract/accuracy.md 3. Windows are as large as the input, so that every output is one sum over all cells
and each factor belongs to a known product. Only :func:`image_convolution` has windows that overlap, for which drivers
may have fast algorithms. :mod:`nnvet.generators.accuracy.shaped_sums` has other shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.operand_types import type_info

Array = npt.NDArray[Any]
_O: Final = OperationType
_T: Final = OperandType
_NONE: Final = 0
"""No fused activation."""
_VALID: Final = 2
"""Padding scheme without padding."""
_ROWS: Final = 16
"""Rows of the first factor, which are batches of a convolution."""
_COLUMNS: Final = _ROWS
"""Columns of the second factor, which are output channels of a convolution."""
_SEED: Final = 20
_WINDOW: Final = 5
"""Height and width of the image and of the window that covers it."""
_CHANNELS: Final = 4
_LENGTH: Final = _WINDOW * _WINDOW * _CHANNELS
"""Products of each sum."""
_BELOW: Final = 64.0
_IMAGE: Final = 16
"""Height and width of the image of :func:`image_convolution`."""
_SMALL: Final = 3
"""Height and width of its window."""
_SAME: Final = 1
"""Padding scheme with which the output is as large as the image."""
_DEPTHWISE_LENGTH: Final = _WINDOW * _WINDOW
"""Products of each sum of DEPTHWISE_CONV_2D."""

Factors = Callable[[np.random.Generator, int, float, int], Array]
"""Function that makes rows of a factor: of a generator, the number of products, the largest magnitude, and 0 or 1
for the first or second factor."""


def _one_is_zero(random: np.random.Generator, length: int, largest: float, side: int) -> Array:
    rows: Array = random.uniform(-1, 1, (_ROWS, length)) * largest
    rows[:, side::2] = 0
    return rows


def _large(random: np.random.Generator, length: int, largest: float, side: int) -> Array:
    del side
    rows: Array = random.choice((-1.0, 1.0), (_ROWS, length)) * largest / np.sqrt(length + 1)
    return rows


def _small_terms(random: np.random.Generator, length: int, largest: float, side: int) -> Array:
    del largest, side
    rows: Array = random.uniform(0.5, 1, (_ROWS, length)) / np.sqrt(length)
    rows[:, 0] = 1
    return rows


def _many_magnitudes(random: np.random.Generator, length: int, largest: float, side: int) -> Array:
    del largest, side
    rows: Array = np.exp(2 * random.uniform(-1, 1, (_ROWS, length))) * random.uniform(-1, 1, (_ROWS, length))
    rows[:, 0] = 16
    return rows


def _half_are_zero(random: np.random.Generator, length: int, largest: float, side: int) -> Array:
    rows: Array = random.uniform(-1, 1, (_ROWS, length)) * largest / np.sqrt(length + 1)
    rows[:, side::4] = 0
    rows[:, -1] = 0.5
    return rows


def _uniform(random: np.random.Generator, length: int, largest: float, side: int) -> Array:
    del side
    rows: Array = random.uniform(-1, 1, (_ROWS, length)) * largest / np.sqrt(length + 1)
    return rows


def _one_sign(random: np.random.Generator, length: int, largest: float, side: int) -> Array:
    del largest, side
    rows: Array = random.uniform(0.5, 1, (_ROWS, length)) / np.sqrt(length)
    return rows


def _one_product(random: np.random.Generator, length: int, largest: float, side: int) -> Array:
    del largest, side
    rows: Array = random.uniform(-1, 1, (_ROWS, length))
    rows[:, :-1] = 0
    return rows


def _subnormal(random: np.random.Generator, length: int, largest: float, side: int) -> Array:
    del side
    # The product of two is below the smallest normal number, and so is the sum of a hundred of them.
    rows: Array = random.uniform(0.5, 1, (_ROWS, length)) / (_BELOW * largest)
    return rows


INPUT_SETS: Final[Mapping[str, Factors]] = {
    "zeros": _one_is_zero,
    "large": _large,
    "small_terms": _small_terms,
    "many_magnitudes": _many_magnitudes,
    "half_zero": _half_are_zero,
    "uniform": _uniform,
    "one_sign": _one_sign,
    "one_product": _one_product,
    "subnormal": _subnormal,
}
"""Makers of the two factors by the name of the set. One factor is 0 in each product of ``zeros``, and in half of the
products of ``half_zero``.

The last three sets are additions: truncation errors add up if no term is negative, a sum of one product is rounded only
once, and subnormal sums become zero if they are flushed.
"""


@dataclass(frozen=True)
class ProductType:
    """An operand type and the level that has it in these operations; ``largest`` bounds the numbers of the factors."""

    type: OperandType
    scalar: OperandType
    level: FeatureLevel
    largest: float
    is_relaxed: bool = False


_HALF: Final = float(np.sqrt(65504.0))
KINDS: Final[Mapping[str, ProductType]] = {
    "float32": ProductType(_T.TENSOR_FLOAT32, _T.FLOAT32, FeatureLevel.FL1, float(np.sqrt(np.finfo(np.float32).max))),
    "float16": ProductType(_T.TENSOR_FLOAT16, _T.FLOAT16, FeatureLevel.FL3, _HALF),
    "relaxed": ProductType(_T.TENSOR_FLOAT32, _T.FLOAT32, FeatureLevel.FL2, _HALF, is_relaxed=True),
}
Build = Callable[[GraphBuilder, ProductType, Factors], None]
"""Function that adds the operation with its operands to a graph."""


def _factors(factors: Factors, kind: ProductType, length: int) -> tuple[Array, Array]:
    random = np.random.default_rng(_SEED)
    # Numbers that the type represents exactly, so that the stored factors are the intended ones.
    dtype = np.float16 if kind.is_relaxed else type_info(kind.type).dtype
    first, second = (factors(random, length, kind.largest, side).astype(dtype).astype(np.float64) for side in (0, 1))
    return first, second


def _fully_connected(graph: GraphBuilder, kind: ProductType, factors: Factors) -> None:
    first, second = _factors(factors, kind, _LENGTH)
    operands = (
        graph.input(kind.type, (_ROWS, _LENGTH), first),
        graph.constant(kind.type, (_COLUMNS, _LENGTH), second),
        graph.constant(kind.type, (_COLUMNS,), np.zeros(_COLUMNS)),
        graph.scalar(_T.INT32, _NONE),
    )
    output = graph.output(kind.type, (_ROWS, _COLUMNS), None)
    graph.operation(_O.FULLY_CONNECTED, operands, output)


def _batch_matmul(graph: GraphBuilder, kind: ProductType, factors: Factors) -> None:
    first, second = _factors(factors, kind, _LENGTH)
    operands = (
        graph.input(kind.type, (1, _ROWS, _LENGTH), first),
        graph.input(kind.type, (1, _LENGTH, _COLUMNS), second.T),
        graph.scalar(_T.BOOL, False),
        graph.scalar(_T.BOOL, False),
    )
    graph.operation(_O.BATCH_MATMUL, operands, graph.output(kind.type, (1, _ROWS, _COLUMNS), None))


def _convolution(graph: GraphBuilder, kind: ProductType, factors: Factors) -> None:
    first, second = _factors(factors, kind, _LENGTH)
    window = (_WINDOW, _WINDOW, _CHANNELS)
    operands = (
        graph.input(kind.type, (_ROWS, *window), first),
        graph.constant(kind.type, (_COLUMNS, *window), second),
        graph.constant(kind.type, (_COLUMNS,), np.zeros(_COLUMNS)),
        *(graph.scalar(_T.INT32, value) for value in (_VALID, 1, 1, _NONE)),
    )
    graph.operation(_O.CONV_2D, operands, graph.output(kind.type, (_ROWS, 1, 1, _COLUMNS), None))


def _depthwise(graph: GraphBuilder, kind: ProductType, factors: Factors) -> None:
    first, second = _factors(factors, kind, _DEPTHWISE_LENGTH)
    # Each channel has a row of the second factor to itself, each batch and channel one of the first.
    rows = np.stack([np.roll(first, shift, axis=0) for shift in range(_COLUMNS)], axis=-1)
    operands = (
        graph.input(kind.type, (_ROWS, _WINDOW, _WINDOW, _COLUMNS), rows),
        graph.constant(kind.type, (1, _WINDOW, _WINDOW, _COLUMNS), second.T),
        graph.constant(kind.type, (_COLUMNS,), np.zeros(_COLUMNS)),
        *(graph.scalar(_T.INT32, value) for value in (_VALID, 1, 1, 1, _NONE)),
    )
    graph.operation(_O.DEPTHWISE_CONV_2D, operands, graph.output(kind.type, (_ROWS, 1, 1, _COLUMNS), None))


BUILDERS: Final[Mapping[OperationType, Build]] = {
    _O.FULLY_CONNECTED: _fully_connected,
    _O.BATCH_MATMUL: _batch_matmul,
    _O.CONV_2D: _convolution,
    _O.DEPTHWISE_CONV_2D: _depthwise,
}


def dot_product(operation: OperationType, kind: ProductType, factors: Factors) -> TestModel:
    """Return one operation on one set of inputs, without an expected output."""
    graph = GraphBuilder()
    BUILDERS[operation](graph, kind, factors)
    test = graph.finish(f"{operation.name} {kind.type.name}", kind.level)
    return replace(test, is_relaxed=kind.is_relaxed)


IMAGE_CHANNELS: Final = (4, 64)
"""Number of channels of the images. It is high, since drivers choose fast algorithms for many channels."""


def image_convolution(operation: OperationType, kind: ProductType, channels: int) -> TestModel:
    """Return a convolution of an image with 3 by 3 cells and a stride of 1, without an expected output."""
    graph, random = GraphBuilder(), np.random.default_rng(_SEED)
    is_depthwise = operation == _O.DEPTHWISE_CONV_2D
    filters = (1, _SMALL, _SMALL, channels) if is_depthwise else (_COLUMNS, _SMALL, _SMALL, channels)
    made = filters[3] if is_depthwise else _COLUMNS
    dtype = np.float16 if kind.is_relaxed else type_info(kind.type).dtype
    # Sums of magnitudes of about 1, so that nothing overflows in float16 or in a transform.
    terms = _SMALL * _SMALL * (1 if is_depthwise else channels)
    image = random.uniform(-1, 1, (1, _IMAGE, _IMAGE, channels)).astype(dtype).astype(np.float64)
    weights = (random.uniform(-4, 4, filters) / terms).astype(dtype).astype(np.float64)
    numbers = (_SAME, 1, 1, *((1,) if is_depthwise else ()), _NONE)
    operands = (
        graph.input(kind.type, image.shape, image),
        graph.constant(kind.type, filters, weights),
        graph.constant(kind.type, (made,), np.zeros(made)),
        *(graph.scalar(_T.INT32, value) for value in numbers),
    )
    graph.operation(operation, operands, graph.output(kind.type, (1, _IMAGE, _IMAGE, made), None))
    test = graph.finish(f"{operation.name} {kind.type.name} of an image", kind.level)
    return replace(test, is_relaxed=kind.is_relaxed)
