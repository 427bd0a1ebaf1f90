"""Spec files of comparisons and logic."""

import math

from nnvet.generators.corpus.emitter import (
    BOOL8,
    F32,
    FAILURE,
    HALF,
    LABELS,
    ONCE,
    Q8,
    Q8S,
    RANGES,
    EmittedFile,
    Source,
    SpecTensor,
    result,
    uniform_conversion,
    variations,
)
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations import elementwise as oracle
from nnvet.oracle.operations.indexing import broadcast_pairs, broadcast_shape

RELATIONS = [name for name in oracle.RELATIONS if not name.startswith("LOGICAL")]
SHAPES = {
    "same": ([2, 3], [2, 3]),
    "one_element": ([2, 1, 3], [1]),
    "ranks": ([2], [3, 1, 2]),
    "crossed": ([2, 1, 2], [1, 3, 1]),
    "rank5": ([1, 2, 1, 1, 2], [2, 1, 1, 2, 1]),
}
"""Pairs of shapes: equal, and every way to broadcast."""
QUANTIZED = {
    Q8: {"low_zero_points": ((0.5, 10), (0.25, 0)), "high_zero_points": ((1.0, 128), (0.5, 255))},
    Q8S: {"low_zero_points": ((0.5, -118), (0.25, -128)), "high_zero_points": ((1.0, 0), (0.5, 127))},
}
"""Pairs of scales and zero points by type, in which some codes represent equal numbers."""
CONVERSIONS = variations('"relaxed"', '"float16"', '"int32"', uniform_conversion("quant8", 1.0, 128))
SIGNED = variations(uniform_conversion("quant8_signed", 1.0, -3), default=False)


def _tensors(kind: OperandType, name: str, low: int, high: int) -> tuple[SpecTensor, SpecTensor]:
    first, second = SHAPES[name]
    source = Source(len(name))
    left = source.integers(low, high, math.prod(first))
    right = source.integers(low, high, math.prod(second))
    number = float if kind == F32 else int
    return SpecTensor(kind, first, [number(x) for x in left]), SpecTensor(kind, second, [number(x) for x in right])


def _expected(operation: str, x: SpecTensor, y: SpecTensor) -> SpecTensor:
    pairs = broadcast_pairs(x.dimensions, y.dimensions)
    values = [oracle.relation(operation, x.values[i], y.values[j]) for i, j in pairs]
    return result(BOOL8, broadcast_shape(x.dimensions, y.dimensions), values)


def _number_files(operation: str) -> list[EmittedFile]:
    name = operation.lower()
    floats, signed = EmittedFile("V1_2", f"{name}_numbers"), EmittedFile("V1_3", f"{name}_signed")
    for label in SHAPES:
        x, y = _tensors(F32, label, -3, 3)
        expected = _expected(operation, x, y)
        floats.add(label, operation, {"x": x, "y": y}, expected, CONVERSIONS)
        signed.add(label, operation, {"x": x, "y": y}, expected, SIGNED)
    # NaN, infinities and signed zeros; the ADD of a variation would change them.
    x = SpecTensor(F32, [6], [math.nan, math.nan, math.inf, -math.inf, 0.0, math.inf])
    y = SpecTensor(F32, [6], [math.nan, 1.0, math.inf, math.inf, -0.0, 65504.0])
    floats.add("not_finite", operation, {"x": x, "y": y}, _expected(operation, x, y), HALF + ONCE)
    return [floats, signed]


def _bool_file(operation: str) -> EmittedFile:
    file = EmittedFile("V1_2", f"{operation.lower()}_bool")
    for label in SHAPES:
        x, y = _tensors(BOOL8, label, 0, 1)
        file.add(label, operation, {"x": x, "y": y}, _expected(operation, x, y))
    return file


def _quantized_files(operation: str) -> list[EmittedFile]:
    files = []
    for kind, parameters in QUANTIZED.items():
        folder = "V1_3" if kind == Q8S else "V1_2"
        file = EmittedFile(folder, f"{operation.lower()}_{LABELS[kind]}")
        low, high = RANGES[kind]
        for name, (first, second) in parameters.items():
            # Codes 2d above one zero point and d or 2d above the other: equal or neighbouring real numbers.
            left = [min(max(first[1] + d, low), high) for d in (-2, -1, 0, 1, 2, 3)]
            right = [min(max(second[1] + d, low), high) for d in (-4, -3, 1, 2, 4, 5)]
            values = [
                oracle.relation_of_codes(operation, (p, *first), (q, *second)) for p, q in zip(left, right, strict=True)
            ]
            x, y = SpecTensor(kind, [2, 3], left, *first), SpecTensor(kind, [2, 3], right, *second)
            file.add(name, operation, {"x": x, "y": y}, result(BOOL8, [2, 3], values))
        files.append(file)
    return files


def _failures() -> EmittedFile:
    file = EmittedFile("V1_2", "comparison_invalid")
    for operation in oracle.RELATIONS:
        x, y = SpecTensor(BOOL8, [2, 3], [0, 1, 0, 1, 0, 1]), SpecTensor(BOOL8, [2], [0, 1])
        name = f"{operation.lower()}_shapes"
        file.add(name, operation, {"x": x, "y": y}, result(BOOL8, [2, 3], [0] * 6), FAILURE)
    return file


def files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    numbers = [file for operation in RELATIONS for file in _number_files(operation)]
    quantized = [file for operation in RELATIONS for file in _quantized_files(operation)]
    return [*numbers, *quantized, *map(_bool_file, ("EQUAL", "LESS", "LOGICAL_AND", "LOGICAL_OR")), _failures()]
