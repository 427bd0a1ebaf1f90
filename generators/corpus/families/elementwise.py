"""Spec files of the one-tensor functions."""

import math

from nnvet.generators.corpus.emitter import (
    ALL_FLOATS,
    BOOL8,
    F32,
    FAILURE,
    HALF_ONLY,
    INT32,
    LABELS,
    Q8,
    Q8S,
    RANGES,
    RELAXED,
    EmittedFile,
    Source,
    SpecTensor,
    result,
)
from nnvet.oracle.operations import elementwise as oracle

SHAPES = ([6], [2, 3], [1, 2, 3], [2, 1, 2, 2], [1, 2, 1, 2, 2])
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


def _float_files(operation: str) -> list[EmittedFile]:
    floor = operation == "FLOOR"
    main = EmittedFile("V1_0" if floor else "V1_2", f"{operation.lower()}_float")
    half = EmittedFile("V1_2", f"{operation.lower()}_float16") if floor else None
    function = oracle.FUNCTIONS[operation]
    data = {
        f"rank{len(shape)}": (shape, Source(len(shape)).floats(*RANGE[operation], math.prod(shape)))
        for shape in (SHAPES[:4] if floor else SHAPES)
    }
    data["remarkable_inputs"] = [len(EDGES[operation])], EDGES[operation]
    for name, (shape, values) in data.items():
        # The ADD of a variation would make finite numbers of infinities.
        alone = "" if all(map(math.isfinite, values)) else ".DisableLifeTimeVariation()"
        both = RELAXED if half else ALL_FLOATS
        given, expected = {"x": SpecTensor(F32, shape, values)}, result(F32, shape, [function(x) for x in values])
        main.add(name, operation, given, expected, both + alone)
        if half:
            half.add(name, operation, given, expected, HALF_ONLY + alone)
    return [main, half] if half else [main]


def _integer_files() -> list[EmittedFile]:
    files = []
    for operation, folder in (("ABS", "V1_3"), ("NEG", "V1_2")):
        file = EmittedFile(folder, f"{operation.lower()}_int32")
        for shape in SHAPES[:2] + SHAPES[4:]:
            values = [0, 2**31 - 1, -(2**31) + 1, *Source(len(shape)).integers(-99999, 99999, math.prod(shape) - 3)]
            expected = [abs(x) if operation == "ABS" else -x for x in values]
            given = {"x": SpecTensor(INT32, shape, values)}
            file.add(f"rank{len(shape)}", operation, given, result(INT32, shape, expected))
        files.append(file)
    return files


def _rsqrt_files() -> list[EmittedFile]:
    files = []
    for kind in (Q8, Q8S):
        low, high = RANGES[kind]
        file = EmittedFile("AIDL_V3", f"rsqrt_{LABELS[kind]}")
        for name, (shape, *parameters) in RSQRT_PARAMETERS.items():
            source, target = ((scale, zero_point + low) for scale, zero_point in parameters)
            # From one code above the zero point on: results of zero and below are not finite.
            codes = [source[1] + 1 + (high - source[1] - 1) * i // 11 for i in range(12)]
            expected = [oracle.rsqrt_code(q, source, target, low, high) for q in codes]
            given = {"x": SpecTensor(kind, shape, codes, *source)}
            file.add(name, "RSQRT", given, result(kind, shape, expected, *target))
        files.append(file)
    return files


def _logical_not_file() -> EmittedFile:
    file = EmittedFile("V1_2", "logical_not_bool")
    for shape in SHAPES:
        values = Source(len(shape)).integers(0, 1, math.prod(shape))
        given = {"x": SpecTensor(BOOL8, shape, values)}
        file.add(f"rank{len(shape)}", "LOGICAL_NOT", given, result(BOOL8, shape, [1 - x for x in values]))
    return file


def _failures() -> EmittedFile:
    file = EmittedFile("V1_2", "elementwise_invalid")
    rank5 = {"x": SpecTensor(F32, [1, 1, 1, 1, 2], [1.5, 2.5])}
    file.add("floor_rank5", "FLOOR", rank5, result(F32, [1, 1, 1, 1, 2], [1.0, 2.0]), FAILURE)
    for operation in ("EXP", "NEG"):
        name = f"{operation.lower()}_output_shape"
        other = result(F32, [3], [1.0, 1.0, 1.0])
        file.add(name, operation, {"x": SpecTensor(F32, [2], [1.0, 2.0])}, other, FAILURE)
    return file


def files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    floats = [file for operation in oracle.FUNCTIONS for file in _float_files(operation)]
    return [*floats, *_integer_files(), *_rsqrt_files(), _logical_not_file(), _failures()]
