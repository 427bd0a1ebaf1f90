"""Check ``Accuracy/Exact``: operations that do not round, on tensors of small and of large extents.

The tests of the NNAPI let integers, indices and quotients be off by one (docs/contract/spec-format.md 12), and few of
their extents exceed what 8, 15 or 16 bits can count. Here every element has to be exact. Expected values follow from
plain arithmetic of Python, or from the place that an element is moved from. Sums have few small whole terms, so every
order of adding and every type of accumulator gives the same result, and convolutions have strides and sizes for which
no driver transforms them. Operations that round are in :mod:`nnvet.conformance.suites.accuracy.checks`.

Source: docs/contract/accuracy.md 2, kind "exact", and the pages of the operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.executing import basic_config
from nnvet.conformance.kit.handmade import check_test
from nnvet.conformance.kit.subject import Subject
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel
from nnvet.hal.types import FeatureLevel, OperandType, OperationType

_O = OperationType
_T = OperandType
_FLOAT: Final = _T.TENSOR_FLOAT32
_INT: Final = _T.TENSOR_INT32
_LEVEL_3: Final = FeatureLevel.FL3
"""First level of the operations that are tested from feature level 3 on, by docs/contract/operations/."""
_LEVEL_4: Final = FeatureLevel.FL4
"""First level at which arithmetic takes integers."""
_LONG: Final = 40_000
"""An extent whose indices do not fit in 15 bits."""
_LONGER: Final = 70_000
"""An extent whose indices do not fit in 16 bits."""
_PLACES: Final = (32_768, _LONG - 1, 300)
"""Indices of the peaks of :func:`_place_peaks`: the first beyond 15 bits, the last one, and one beyond 8 bits."""
_FIRST: Final = (7, -7, 7, -7, 0, 16_777_217, -16_777_219, 46_341)
"""First operands of integer operations: all signs, 0, and numbers around 2^24 that float32 cannot represent."""
_SECOND: Final = (2, 2, -2, -2, 5, 2, 3, 46_339)
"""Second operands: 7 / 2 and its like round differently toward zero and toward minus infinity; products fit in 32
bits."""
_BATCHES: Final = 40
"""Images in one request."""
_WIDE: Final = 400
"""Rows and columns of an image whose windows have more than 2^17 cells together."""
_NARROW: Final = 2
"""Rows and columns of an image that is smaller than the padding, or, one larger, than the filter."""


def _build_pairs(operation: OperationType, level: FeatureLevel, of: Callable[[int, int], int]) -> TestModel:
    """Return a test of an operation on two tensors of integers."""
    graph = GraphBuilder()
    shape = (len(_FIRST),)
    inputs = [graph.input(_INT, shape, _FIRST), graph.input(_INT, shape, _SECOND)]
    if operation in {_O.ADD, _O.SUB, _O.MUL, _O.DIV}:
        inputs.append(graph.scalar(_T.INT32, 0))
    graph.operation(operation, tuple(inputs), graph.output(_INT, shape, list(map(of, _FIRST, _SECOND))))
    return graph.finish(operation.name, level)


def _build_single(operation: OperationType, level: FeatureLevel, of: Callable[[int], int]) -> TestModel:
    """Return a test of an operation on one tensor of integers."""
    graph = GraphBuilder()
    shape = (len(_FIRST),)
    given = graph.input(_INT, shape, _FIRST)
    graph.operation(operation, (given,), graph.output(_INT, shape, list(map(of, _FIRST))))
    return graph.finish(operation.name, level)


def _build_cast() -> TestModel:
    """Return a test of CAST, which truncates floats toward zero."""
    values = [1.9375, -1.9375, 0.5, -0.5, 8_388_607.5, -8_388_607.5, 16_777_216.0, 255.9375]
    graph = GraphBuilder()
    given = graph.input(_FLOAT, (8,), values)
    graph.operation(_O.CAST, (given,), graph.output(_INT, (8,), [int(value) for value in values]))
    return graph.finish("CAST", _LEVEL_3)


def _place_peaks() -> list[float]:
    """Return a row of zeros with the peaks 1, 2 and 3 at :data:`_PLACES`, so the last is the highest."""
    values = [0.0] * _LONG
    for height, place in enumerate(_PLACES, 1):
        values[place] = float(height)
    return values


def _build_search(operation: OperationType, sign: float) -> TestModel:
    """Return a test that finds the index of the highest or lowest element in each of two long rows."""
    second = [0.0] * _LONG
    second[_LONG - 2] = 1.0
    graph = GraphBuilder()
    given = graph.input(_FLOAT, (2, _LONG), [sign * value for value in (*_place_peaks(), *second)])
    out = graph.output(_INT, (2,), [_PLACES[-1], _LONG - 2])
    graph.operation(operation, (given, graph.scalar(_T.INT32, 1)), out)
    return graph.finish(operation.name, _LEVEL_3)


def _build_top() -> TestModel:
    """Return a test that finds the three highest elements of a long row, the highest first."""
    graph = GraphBuilder()
    given = graph.input(_FLOAT, (_LONG,), _place_peaks())
    values, indices = graph.output(_FLOAT, (3,), [3.0, 2.0, 1.0]), graph.output(_INT, (3,), _PLACES[::-1])
    graph.operation(_O.TOPK_V2, (given, graph.scalar(_T.INT32, 3)), values, indices)
    return graph.finish("TOPK_V2", _LEVEL_3)


def _build_gather() -> TestModel:
    """Return a test that gathers elements of a long row by their indices."""
    places = [*_PLACES, 65_536, _LONGER - 1, 0]
    graph = GraphBuilder()
    given = graph.input(_INT, (_LONGER,), [7 * index for index in range(_LONGER)])
    indices = graph.input(_INT, (len(places),), places)
    out = graph.output(_INT, (len(places),), [7 * place for place in places])
    graph.operation(_O.GATHER, (given, graph.scalar(_T.INT32, 0), indices), out)
    return graph.finish("GATHER", _LEVEL_3)


def _build_lookup() -> TestModel:
    """Return a test that looks up rows of a long table by their indices."""
    graph = GraphBuilder()
    lookups = graph.input(_INT, (3,), _PLACES)
    table = graph.input(_FLOAT, (_LONG, 2), [float(index) for index in range(2 * _LONG)])
    rows = [float(number) for place in _PLACES for number in (2 * place, 2 * place + 1)]
    graph.operation(_O.EMBEDDING_LOOKUP, (lookups, table), graph.output(_FLOAT, (3, 2), rows))
    return graph.finish("EMBEDDING_LOOKUP")


def _build_slice() -> TestModel:
    """Return a test that slices elements whose indices exceed 16 bits."""
    graph = GraphBuilder()
    given = graph.input(_INT, (_LONGER,), [3 * index for index in range(_LONGER)])
    begin, size = graph.constant(_INT, (1,), [65_535]), graph.constant(_INT, (1,), [4])
    out = graph.output(_INT, (4,), [3 * index for index in range(65_535, 65_539)])
    graph.operation(_O.SLICE, (given, begin, size), out)
    return graph.finish("SLICE", _LEVEL_3)


def _build_strided() -> TestModel:
    """Return a test that takes every fourth element, from the end on."""
    graph = GraphBuilder()
    given = graph.input(_FLOAT, (_LONG,), [float(index) for index in range(_LONG)])
    ends = [graph.constant(_INT, (1,), [value]) for value in (_LONG - 1, _LONG - 10, -4)]
    masks = [graph.scalar(_T.INT32, 0) for _ in range(3)]
    out = graph.output(_FLOAT, (3,), [float(_LONG - 1), float(_LONG - 5), float(_LONG - 9)])
    graph.operation(_O.STRIDED_SLICE, (given, *ends, *masks), out)
    return graph.finish("STRIDED_SLICE", FeatureLevel.FL2)


def _build_transpose() -> TestModel:
    """Return a test that turns rows into columns."""
    rows, columns = 300, 257
    graph = GraphBuilder()
    given = graph.input(_FLOAT, (rows, columns), [float(index) for index in range(rows * columns)])
    moved = [float(row * columns + column) for column in range(columns) for row in range(rows)]
    out = graph.output(_FLOAT, (columns, rows), moved)
    graph.operation(_O.TRANSPOSE, (given, graph.constant(_INT, (2,), [1, 0])), out)
    return graph.finish("TRANSPOSE", FeatureLevel.FL2)


def _build_concatenation() -> TestModel:
    """Return a test that concatenates two rows, which together are long."""
    graph = GraphBuilder()
    first = graph.input(_FLOAT, (_LONG,), [float(index) for index in range(_LONG)])
    second = graph.input(_FLOAT, (_LONGER - _LONG,), [float(index) for index in range(_LONG, _LONGER)])
    out = graph.output(_FLOAT, (_LONGER,), [float(index) for index in range(_LONGER)])
    graph.operation(_O.CONCATENATION, (first, second, graph.scalar(_T.INT32, 0)), out)
    return graph.finish("CONCATENATION")


def _build_pad() -> TestModel:
    """Return a test with much more padding than data."""
    graph = GraphBuilder()
    given = graph.input(_FLOAT, (2,), [5.0, 6.0])
    paddings = graph.constant(_INT, (1, 2), [_LONG, 300])
    out = graph.output(_FLOAT, (_LONG + 302,), [0.0] * _LONG + [5.0, 6.0] + [0.0] * 300)
    graph.operation(_O.PAD, (given, paddings), out)
    return graph.finish("PAD", FeatureLevel.FL2)


def _build_batches() -> TestModel:
    """Return a test that finds the largest of four cells in each of many images."""
    cells = [float((7 * index) % 160) for index in range(4 * _BATCHES)]
    graph = GraphBuilder()
    given = graph.input(_FLOAT, (_BATCHES, 2, 2, 1), cells)
    scalars = [graph.scalar(_T.INT32, value) for value in (2, 1, 1, 2, 2, 0)]
    largest = [max(cells[start : start + 4]) for start in range(0, len(cells), 4)]
    graph.operation(_O.MAX_POOL_2D, (given, *scalars), graph.output(_FLOAT, (_BATCHES, 1, 1, 1), largest))
    return graph.finish("MAX_POOL_2D")


def _build_convolution(size: int, filter_cells: Sequence[float], padding: int, stride: int = 1) -> TestModel:
    """Return a test of a convolution: sums of whole numbers, with explicit padding on all sides and one channel."""
    cells = [float((5 * index) % 61) for index in range(size * size)]
    extent = round(len(filter_cells) ** 0.5)
    out = (size + 2 * padding - extent) // stride + 1
    sums = []
    for row in range(out):
        for column in range(out):
            total = 0.0
            for index, weight in enumerate(filter_cells):
                y, x = stride * row + index // extent - padding, stride * column + index % extent - padding
                if weight and 0 <= y < size and 0 <= x < size:
                    total += weight * cells[y * size + x]
            sums.append(total)
    graph = GraphBuilder()
    given = graph.input(_FLOAT, (1, size, size, 1), cells)
    weights = graph.constant(_FLOAT, (1, extent, extent, 1), filter_cells)
    bias = graph.constant(_FLOAT, (1,), [0.0])
    scalars = [graph.scalar(_T.INT32, value) for value in (*(padding,) * 4, stride, stride, 0)]
    graph.operation(_O.CONV_2D, (given, weights, bias, *scalars), graph.output(_FLOAT, (1, out, out, 1), sums))
    return graph.finish("CONV_2D")


_CENTRE: Final = (0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0)
"""Cells of a 3 by 3 filter with two weights, so that a sum has two terms."""
_CASES: Final[Mapping[str, Callable[[], TestModel]]] = {
    "Integers/ADD": partial(_build_pairs, _O.ADD, _LEVEL_4, lambda a, b: a + b),
    "Integers/SUB": partial(_build_pairs, _O.SUB, _LEVEL_4, lambda a, b: a - b),
    "Integers/MUL": partial(_build_pairs, _O.MUL, _LEVEL_4, lambda a, b: a * b),
    # Division of integers rounds toward minus infinity, in the contract as in Python.
    "Integers/DIV": partial(_build_pairs, _O.DIV, _LEVEL_4, lambda a, b: a // b),
    "Integers/MAXIMUM": partial(_build_pairs, _O.MAXIMUM, _LEVEL_3, max),
    "Integers/MINIMUM": partial(_build_pairs, _O.MINIMUM, _LEVEL_3, min),
    "Integers/ABS": partial(_build_single, _O.ABS, _LEVEL_4, abs),
    "Integers/NEG": partial(_build_single, _O.NEG, _LEVEL_3, lambda a: -a),
    "Integers/CAST": _build_cast,
    "Long/ARGMAX": partial(_build_search, _O.ARGMAX, 1.0),
    "Long/ARGMIN": partial(_build_search, _O.ARGMIN, -1.0),
    "Long/TOPK_V2": _build_top,
    "Long/GATHER": _build_gather,
    "Long/EMBEDDING_LOOKUP": _build_lookup,
    "Long/SLICE": _build_slice,
    "Long/STRIDED_SLICE": _build_strided,
    "Long/TRANSPOSE": _build_transpose,
    "Long/CONCATENATION": _build_concatenation,
    "Long/PAD": _build_pad,
    "Windows/ManyBatches": _build_batches,
    "Windows/ManyWindows": partial(_build_convolution, _WIDE, _CENTRE, 1, 2),
    "Windows/PaddingBeyondImage": partial(_build_convolution, _NARROW, (1.0,) * 25, 4),
    "Windows/FilterLargerThanImage": partial(
        _build_convolution, _NARROW + 1, tuple(1.0 + index % 3 for index in range(49)), 3
    ),
}
"""Functions that build the tests, by the arguments of the cases."""


@check("Accuracy", "Exact", rules=("execution/output.value",), parameters=lambda: _CASES)
def exact(subject: Subject, build: Callable[[], TestModel]) -> None:
    """Results are the expected ones, to the last bit."""
    check_test(subject, build(), basic_config(subject))
