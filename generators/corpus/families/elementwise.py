"""Spec files of the one-tensor functions, of comparisons and of logic.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/writing.py`` calls :func:`files`.
"""

import math

from nnvet.generators.corpus import emitter
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations import elementwise as oracle
from nnvet.oracle.operations.indexing import broadcast_pairs, broadcast_shape

SHAPES = ([6], [2, 3], [1, 2, 3], [2, 1, 2, 2], [1, 2, 1, 2, 2])
"""Shapes of the examples, of rank 1 to 5; FLOOR takes at most rank 4."""
RANGE = {
    "FLOOR": (-9, 9),
    "ABS": (-9, 9),
    "EXP": (-4, 4),
    "LOG": (0.0625, 16),
    "NEG": (-9, 9),
    "RSQRT": (0.0625, 16),
    "SIN": (-6, 6),
    "SQRT": (0, 32),
}
"""Range of inputs in which neither type loses much by rounding its inputs."""
EDGES = {
    "FLOOR": [0.0, -0.0, -0.5, -1.0, 0.9375, 1.0, -1.0625, 2047.5],
    "ABS": [0.0, -0.0, 65504.0, -65504.0],
    "EXP": [0.0, -0.0, 10.0, -10.0, -100.0, -math.inf],
    "LOG": [1.0, 65504.0, 0.0078125, 2.0],
    "NEG": [0.0, -0.0, 65504.0, -65504.0],
    "RSQRT": [1.0, 4.0, 65504.0, 0.0078125, math.inf],
    "SIN": [0.0, -0.0, 0.5, -0.5],
    "SQRT": [0.0, 1.0, 65504.0, 0.0078125],
}
"""Special inputs whose results are finite."""
RSQRT_PARAMETERS = {
    "low_zero_points": ([12], (0.5, 10), (0.0078125, 0)),
    "fine_input": ([3, 4], (0.03125, 0), (0.0625, 128)),
    "high_zero_points": ([1, 2, 1, 2, 3], (0.25, 128), (0.0078125, 255)),
}
"""Shapes, and scales and zero points of input and output for unsigned codes."""


def _float_files(operation: str) -> list[emitter.EmittedFile]:
    floor = operation == "FLOOR"
    main = emitter.EmittedFile("V1_0" if floor else "V1_2", f"{operation.lower()}_float")
    half = emitter.EmittedFile("V1_2", f"{operation.lower()}_float16") if floor else None
    function = oracle.FUNCTIONS[operation]
    data = {
        f"rank{len(shape)}": (shape, emitter.Source(len(shape)).floats(*RANGE[operation], math.prod(shape)))
        for shape in (SHAPES[:4] if floor else SHAPES)
    }
    data["remarkable_inputs"] = [len(EDGES[operation])], EDGES[operation]
    for name, (shape, values) in data.items():
        # The ADD of a variation would make finite numbers of infinities.
        alone = "" if all(map(math.isfinite, values)) else ".DisableLifeTimeVariation()"
        both = emitter.RELAXED if half else emitter.ALL_FLOATS
        given, expected = (
            {"x": emitter.SpecTensor(emitter.F32, shape, values)},
            emitter.result(emitter.F32, shape, [function(x) for x in values]),
        )
        main.add(name, operation, given, expected, both + alone)
        if half:
            half.add(name, operation, given, expected, emitter.HALF_ONLY + alone)
    return [main, half] if half else [main]


def _integer_files() -> list[emitter.EmittedFile]:
    _elementwise_files = []
    for operation, folder in (("ABS", "V1_3"), ("NEG", "V1_2")):
        file = emitter.EmittedFile(folder, f"{operation.lower()}_int32")
        for shape in SHAPES[:2] + SHAPES[4:]:
            values = [
                0,
                2**31 - 1,
                -(2**31) + 1,
                *emitter.Source(len(shape)).integers(-99999, 99999, math.prod(shape) - 3),
            ]
            expected = [abs(x) if operation == "ABS" else -x for x in values]
            given = {"x": emitter.SpecTensor(emitter.INT32, shape, values)}
            file.add(f"rank{len(shape)}", operation, given, emitter.result(emitter.INT32, shape, expected))
        _elementwise_files.append(file)
    return _elementwise_files


def _rsqrt_files() -> list[emitter.EmittedFile]:
    _elementwise_files = []
    for kind in (emitter.Q8, emitter.Q8S):
        low, high = emitter.RANGES[kind]
        file = emitter.EmittedFile("AIDL_V3", f"rsqrt_{emitter.LABELS[kind]}")
        for name, (shape, *parameters) in RSQRT_PARAMETERS.items():
            source, target = ((scale, zero_point + low) for scale, zero_point in parameters)
            # From one code above the zero point on: results of zero and below are not finite.
            codes = [source[1] + 1 + (high - source[1] - 1) * i // 11 for i in range(12)]
            expected = [oracle.rsqrt_code(q, source, target, low, high) for q in codes]
            given = {"x": emitter.SpecTensor(kind, shape, codes, *source)}
            file.add(name, "RSQRT", given, emitter.result(kind, shape, expected, *target))
        _elementwise_files.append(file)
    return _elementwise_files


def _logical_not_file() -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_2", "logical_not_bool")
    for shape in SHAPES:
        values = emitter.Source(len(shape)).integers(0, 1, math.prod(shape))
        given = {"x": emitter.SpecTensor(emitter.BOOL8, shape, values)}
        file.add(
            f"rank{len(shape)}", "LOGICAL_NOT", given, emitter.result(emitter.BOOL8, shape, [1 - x for x in values])
        )
    return file


def _failures() -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_2", "elementwise_invalid")
    rank5 = {"x": emitter.SpecTensor(emitter.F32, [1, 1, 1, 1, 2], [1.5, 2.5])}
    file.add("floor_rank5", "FLOOR", rank5, emitter.result(emitter.F32, [1, 1, 1, 1, 2], [1.0, 2.0]), emitter.FAILURE)
    for operation in ("EXP", "NEG"):
        name = f"{operation.lower()}_output_shape"
        other = emitter.result(emitter.F32, [3], [1.0, 1.0, 1.0])
        file.add(name, operation, {"x": emitter.SpecTensor(emitter.F32, [2], [1.0, 2.0])}, other, emitter.FAILURE)
    return file


def _elementwise_files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family."""
    floats = [file for operation in oracle.FUNCTIONS for file in _float_files(operation)]
    return [*floats, *_integer_files(), *_rsqrt_files(), _logical_not_file(), _failures()]


RELATIONS = [name for name in oracle.RELATIONS if not name.startswith("LOGICAL")]
"""Comparisons of numbers, without the logical operations."""
COMPARISON_SHAPES = {
    "same": ([2, 3], [2, 3]),
    "one_element": ([2, 1, 3], [1]),
    "ranks": ([2], [3, 1, 2]),
    "crossed": ([2, 1, 2], [1, 3, 1]),
    "rank5": ([1, 2, 1, 1, 2], [2, 1, 1, 2, 1]),
}
"""Pairs of shapes: equal, and every way to broadcast."""
QUANTIZED = {
    emitter.Q8: {"low_zero_points": ((0.5, 10), (0.25, 0)), "high_zero_points": ((1.0, 128), (0.5, 255))},
    emitter.Q8S: {"low_zero_points": ((0.5, -118), (0.25, -128)), "high_zero_points": ((1.0, 0), (0.5, 127))},
}
"""Pairs of scales and zero points by type, in which some codes represent equal numbers."""
CONVERSIONS = emitter.variations('"relaxed"', '"float16"', '"int32"', emitter.uniform_conversion("quant8", 1.0, 128))
"""Variations of the examples of comparisons: relaxed float32, and other types of the operands."""
SIGNED = emitter.variations(emitter.uniform_conversion("quant8_signed", 1.0, -3), default=False)
"""Variation of the same examples with signed codes, which has a file of its own because it is newer."""


def _tensors(kind: OperandType, name: str, low: int, high: int) -> tuple[emitter.SpecTensor, emitter.SpecTensor]:
    first, second = COMPARISON_SHAPES[name]
    source = emitter.Source(len(name))
    left = source.integers(low, high, math.prod(first))
    right = source.integers(low, high, math.prod(second))
    number = float if kind == emitter.F32 else int
    return emitter.SpecTensor(kind, first, [number(x) for x in left]), emitter.SpecTensor(
        kind, second, [number(x) for x in right]
    )


def _expected(operation: str, x: emitter.SpecTensor, y: emitter.SpecTensor) -> emitter.SpecTensor:
    pairs = broadcast_pairs(x.dimensions, y.dimensions)
    values = [oracle.relation(operation, x.values[i], y.values[j]) for i, j in pairs]
    return emitter.result(emitter.BOOL8, broadcast_shape(x.dimensions, y.dimensions), values)


def _number_files(operation: str) -> list[emitter.EmittedFile]:
    name = operation.lower()
    floats, signed = emitter.EmittedFile("V1_2", f"{name}_numbers"), emitter.EmittedFile("V1_3", f"{name}_signed")
    for label in COMPARISON_SHAPES:
        x, y = _tensors(emitter.F32, label, -3, 3)
        expected = _expected(operation, x, y)
        floats.add(label, operation, {"x": x, "y": y}, expected, CONVERSIONS)
        signed.add(label, operation, {"x": x, "y": y}, expected, SIGNED)
    # NaN, infinities and signed zeros; the ADD of a variation would change them.
    x = emitter.SpecTensor(emitter.F32, [6], [math.nan, math.nan, math.inf, -math.inf, 0.0, math.inf])
    y = emitter.SpecTensor(emitter.F32, [6], [math.nan, 1.0, math.inf, math.inf, -0.0, 65504.0])
    floats.add("not_finite", operation, {"x": x, "y": y}, _expected(operation, x, y), emitter.HALF + emitter.ONCE)
    return [floats, signed]


def _bool_file(operation: str) -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_2", f"{operation.lower()}_bool")
    for label in COMPARISON_SHAPES:
        x, y = _tensors(emitter.BOOL8, label, 0, 1)
        file.add(label, operation, {"x": x, "y": y}, _expected(operation, x, y))
    return file


def _quantized_files(operation: str) -> list[emitter.EmittedFile]:
    _comparison_files = []
    for kind, parameters in QUANTIZED.items():
        folder = "V1_3" if kind == emitter.Q8S else "V1_2"
        file = emitter.EmittedFile(folder, f"{operation.lower()}_{emitter.LABELS[kind]}")
        low, high = emitter.RANGES[kind]
        for name, (first, second) in parameters.items():
            # Codes 2d above one zero point and d or 2d above the other: equal or neighbouring real numbers.
            left = [min(max(first[1] + d, low), high) for d in (-2, -1, 0, 1, 2, 3)]
            right = [min(max(second[1] + d, low), high) for d in (-4, -3, 1, 2, 4, 5)]
            values = [
                oracle.relation_of_codes(operation, (p, *first), (q, *second)) for p, q in zip(left, right, strict=True)
            ]
            x, y = emitter.SpecTensor(kind, [2, 3], left, *first), emitter.SpecTensor(kind, [2, 3], right, *second)
            file.add(name, operation, {"x": x, "y": y}, emitter.result(emitter.BOOL8, [2, 3], values))
        _comparison_files.append(file)
    return _comparison_files


def _comparison_failures() -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_2", "comparison_invalid")
    for operation in oracle.RELATIONS:
        x, y = (
            emitter.SpecTensor(emitter.BOOL8, [2, 3], [0, 1, 0, 1, 0, 1]),
            emitter.SpecTensor(emitter.BOOL8, [2], [0, 1]),
        )
        name = f"{operation.lower()}_shapes"
        file.add(name, operation, {"x": x, "y": y}, emitter.result(emitter.BOOL8, [2, 3], [0] * 6), emitter.FAILURE)
    return file


def _comparison_files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family."""
    numbers = [file for operation in RELATIONS for file in _number_files(operation)]
    quantized = [file for operation in RELATIONS for file in _quantized_files(operation)]
    return [
        *numbers,
        *quantized,
        *map(_bool_file, ("EQUAL", "LESS", "LOGICAL_AND", "LOGICAL_OR")),
        _comparison_failures(),
    ]


def files() -> list[emitter.EmittedFile]:
    """Return all spec files of these families."""
    return [*_elementwise_files(), *_comparison_files()]
