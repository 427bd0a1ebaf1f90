"""Spec files of MAXIMUM, MINIMUM, POW, PRELU, SELECT.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/writing.py`` calls :func:`files`.
"""

import math
from collections.abc import Callable
from typing import Any

from nnvet.generators.corpus import emitter
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations import elementwise as oracle
from nnvet.oracle.operations.indexing import broadcast_pairs, broadcast_shape

FOLDERS = {emitter.Q8: "V1_2", emitter.Q8S: "V1_3"}
"""HAL version whose folder gets the file, by type of codes."""
SHAPES = {
    "same": ([2, 3], [2, 3]),
    "one_element": ([2, 2, 2], [1]),
    "ranks": ([2], [3, 1, 2]),
    "crossed": ([2, 1, 2], [1, 3, 1]),
    "rank5": ([1, 2, 1, 1, 2], [2, 1, 1, 2, 1]),
}
"""Shapes of both inputs by name: equal ones, and those that are broadcast."""
PARAMETERS = {
    "equal_scales": ((0.5, 128), (0.5, 128), (0.5, 128)),
    "saturating": ((0.5, 0), (0.25, 100), (0.125, 30)),
    "coarser_output": ((0.1, 255), (0.3, 7), (1.0, 77)),
}
"""Scales and zero points of two unsigned inputs and the output."""
CODE_SHAPES = (([2, 4], [2, 4]), ([8], [2, 1]), ([2, 2, 2], [1, 2]))
"""Shapes of the inputs for each of them."""
EXTREMA = ("MAXIMUM", "MINIMUM")
"""Operations that choose one of their two inputs."""
Binary = Callable[[Any, Any], Any]
"""Function of two numbers."""


def _floats(label: str, low: float = -4.0, high: float = 4.0) -> tuple[emitter.SpecTensor, emitter.SpecTensor]:
    source = emitter.Source(len(label))
    first, second = (
        emitter.SpecTensor(emitter.F32, shape, source.floats(low, high, math.prod(shape))) for shape in SHAPES[label]
    )
    return first, second


def _expected(x: emitter.SpecTensor, y: emitter.SpecTensor, of: Binary, *target: Any) -> emitter.SpecTensor:
    pairs = broadcast_pairs(x.dimensions, y.dimensions)
    values = [of(x.values[i], y.values[j]) for i, j in pairs]
    return emitter.result(x.type, broadcast_shape(x.dimensions, y.dimensions), values, *target)


def _extremum_files(operation: str) -> list[emitter.EmittedFile]:
    file = emitter.EmittedFile("V1_2", f"{operation.lower()}_numbers")

    def of(x: float, y: float) -> Any:
        return oracle.extremum(operation, x, y)

    for label in SHAPES:
        x, y = _floats(label)
        file.add(label, operation, {"x": x, "y": y}, _expected(x, y, of), emitter.ALL_FLOATS)
    x, y = (emitter.SpecTensor(emitter.INT32, [2], values) for values in ([2**31 - 1, -(2**31)], [-(2**31), 5]))
    file.add("int32", operation, {"x": x, "y": y}, _expected(x, y, of))
    return [file, *(_quantized_file(operation, kind) for kind in (emitter.Q8, emitter.Q8S))]


def _code_tensors(kind: OperandType, name: str) -> tuple[emitter.SpecTensor, emitter.SpecTensor, tuple[float, int]]:
    low, high = emitter.RANGES[kind]
    first, second, target = ((scale, zero_point + low) for scale, zero_point in PARAMETERS[name])
    number = list(PARAMETERS).index(name)
    left_shape, right_shape = CODE_SHAPES[number]
    source = emitter.Source(number)
    left = [low, high, first[1], *source.integers(low, high, 5)]
    right = [second[1], low, high, *source.integers(low, high, 5)][: math.prod(right_shape)]
    return (
        emitter.SpecTensor(kind, left_shape, left, *first),
        emitter.SpecTensor(kind, right_shape, right, *second),
        target,
    )


def _code_function(operation: str, x: emitter.SpecTensor, y: emitter.SpecTensor, target: tuple[float, int]) -> Binary:
    bounds = emitter.RANGES[x.type]
    first, second = (x.scale, x.zero_point), (y.scale, y.zero_point)

    def prelu(p: int, q: int) -> Any:
        return oracle.prelu_code((p, q), first, second, target, bounds)

    def extremum(p: int, q: int) -> Any:
        left, right = (oracle.requantize(*pair, target, *bounds) for pair in ((p, first), (q, second)))
        return oracle.extremum(operation, left, right)

    return prelu if operation == "PRELU" else extremum


def _quantized_file(operation: str, kind: OperandType) -> emitter.EmittedFile:
    file = emitter.EmittedFile(FOLDERS[kind], f"{operation.lower()}_{emitter.LABELS[kind]}")
    for name in PARAMETERS:
        x, y, target = _code_tensors(kind, name)
        expected = _expected(x, y, _code_function(operation, x, y, target), *target)
        file.add(name, operation, {"x": x, "y": y}, expected)
    return file


def _pow_file() -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_2", "pow_float")
    for label, (first, second) in SHAPES.items():
        # Bases of 0.5 to 2 and exponents of up to 4 keep float16 within its tolerance.
        source = emitter.Source(len(label))
        x = emitter.SpecTensor(emitter.F32, first, source.floats(0.5, 2, math.prod(first)))
        y = emitter.SpecTensor(emitter.F32, second, source.floats(-2, 4, math.prod(second), step=0.5))
        variations = emitter.ALL_FLOATS
        file.add(label, "POW", {"base": x, "exponent": y}, _expected(x, y, oracle.power), variations)
    x = emitter.SpecTensor(emitter.F32, [8], [0.0, 1.0, -2.0, -2.0, 0.0, 1.0, -0.5, 3.0])
    y = emitter.SpecTensor(emitter.F32, [8], [0.0, 65504.0, 3.0, -2.0, 2.0, -65504.0, 2.0, 0.0])
    variations = emitter.ALL_FLOATS
    file.add("remarkable_inputs", "POW", {"base": x, "exponent": y}, _expected(x, y, oracle.power), variations)
    return file


def _prelu_files() -> list[emitter.EmittedFile]:
    file = emitter.EmittedFile("V1_2", "prelu_float")
    for label, (_, alpha_shape) in SHAPES.items():
        x, alpha = _floats(label)
        expected = _expected(x, alpha, oracle.prelu)
        constant = emitter.SpecTensor(emitter.F32, alpha_shape, alpha.values, role="Parameter")
        file.add(label, "PRELU", {"x": x, "alpha": constant}, expected, emitter.ALL_FLOATS)
    return [file, *(_quantized_file("PRELU", kind) for kind in (emitter.Q8, emitter.Q8S))]


def _select_files() -> list[emitter.EmittedFile]:
    numbers = emitter.EmittedFile("V1_2", "select_numbers")
    for shape in ([5], [2, 3], [1, 2, 3], [2, 1, 2, 2], [1, 2, 1, 2, 1]):
        source = emitter.Source(len(shape))
        count = math.prod(shape)
        condition = emitter.SpecTensor(emitter.BOOL8, shape, source.integers(0, 1, count))
        x, y = (emitter.SpecTensor(emitter.F32, shape, source.floats(-9, 9, count, step=1.0)) for _ in range(2))
        given = {"condition": condition, "x": x, "y": y}
        chosen = [a if c else b for c, a, b in zip(condition.values, x.values, y.values, strict=True)]
        variations = '.AddVariations("relaxed", "float16", "int32")'
        numbers.add(f"rank{len(shape)}", "SELECT", given, emitter.result(emitter.F32, shape, chosen), variations)
    return [numbers, *(_select_quantized(kind) for kind in (emitter.Q8, emitter.Q8S))]


def _select_quantized(kind: OperandType) -> emitter.EmittedFile:
    file = emitter.EmittedFile(FOLDERS[kind], f"select_{emitter.LABELS[kind]}")
    for number, (name, parameters) in enumerate(PARAMETERS.items()):
        low, high = emitter.RANGES[kind]
        first, second, target = ((scale, zero_point + low) for scale, zero_point in parameters)
        source = emitter.Source(number)
        condition = [1, 0, 1, 0, *source.integers(0, 1, 4)]
        left, right = (
            [low, 0, high, 0, *source.integers(low, high, 4)],
            [0, low, 0, high, *source.integers(low, high, 4)],
        )
        chosen = [
            oracle.requantize(*((a, first) if c else (b, second)), target, low, high)
            for c, a, b in zip(condition, left, right, strict=True)
        ]
        given = {
            "condition": emitter.SpecTensor(emitter.BOOL8, [2, 4], condition),
            "x": emitter.SpecTensor(kind, [2, 4], left, *first),
            "y": emitter.SpecTensor(kind, [2, 4], right, *second),
        }
        file.add(name, "SELECT", given, emitter.result(kind, [2, 4], chosen, *target))
    return file


def _failures() -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_2", "extremum_invalid")
    x, y = emitter.SpecTensor(emitter.F32, [2, 3], [1.0] * 6), emitter.SpecTensor(emitter.F32, [2], [1.0] * 2)
    for operation in (*EXTREMA, "POW", "PRELU"):
        given = {"x": x, "y": y}
        file.add(
            f"{operation.lower()}_shapes",
            operation,
            given,
            emitter.result(emitter.F32, [2, 3], [1.0] * 6),
            emitter.FAILURE,
        )
    # SELECT does not broadcast, not even one condition for all.
    for name, dimensions in (("condition", [1]), ("condition_rank", [1, 2])):
        condition = emitter.SpecTensor(emitter.BOOL8, dimensions, [1] * math.prod(dimensions))
        given = {"condition": condition, "x": y, "y": y}
        chosen = emitter.result(emitter.F32, [*dimensions[:-1], 2], [1.0] * 2)
        file.add(f"select_{name}", "SELECT", given, chosen, emitter.FAILURE)
    given = {
        "condition": emitter.SpecTensor(emitter.BOOL8, [2], [1, 1]),
        "x": y,
        "y": emitter.SpecTensor(emitter.F32, [1], [1.0]),
    }
    file.add("select_values", "SELECT", given, emitter.result(emitter.F32, [2], [1.0] * 2), emitter.FAILURE)
    return file


def files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family."""
    extrema = [file for operation in EXTREMA for file in _extremum_files(operation)]
    return [*extrema, _pow_file(), *_prelu_files(), *_select_files(), _failures()]
