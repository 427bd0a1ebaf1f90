"""Spec files of RELU, RELU1, RELU6, LOGISTIC, TANH, ELU, HARD_SWISH.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/writing.py`` calls :func:`files`.
"""

import math
from collections.abc import Callable

from nnvet.generators.corpus import emitter
from nnvet.generators.corpus.empty import empty_files
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations import activation as oracle

SHAPES = ([5], [2, 3], [1, 2, 3], [2, 1, 2, 2])
"""Shapes of the examples, one of each rank."""
EDGES = [0.0, -0.0, 1.0, -1.0, 1.0625, -1.0625, 6.0, 6.0625, 100.0, -100.0]
"""Numbers at the ends of the clamped ranges (0, ±1, 6), just beyond them, and far away."""
FLOAT: dict[str, Callable[[float], float]] = {
    "RELU": lambda x: oracle.relu_float("RELU", x),
    "RELU1": lambda x: oracle.relu_float("RELU1", x),
    "RELU6": lambda x: oracle.relu_float("RELU6", x),
    "LOGISTIC": oracle.logistic_float,
    "TANH": math.tanh,
    "HARD_SWISH": oracle.hard_swish_float,
}
"""Functions of the oracle for floats, by operation."""
LEVELS = {
    **{
        name: {emitter.F32: "V1_0", emitter.Q8: "V1_0", emitter.F16: "V1_2", emitter.Q8S: "V1_3"}
        for name in ("RELU", "RELU1", "RELU6", "LOGISTIC")
    },
    "TANH": {emitter.F32: "V1_0", emitter.Q8: "V1_2", emitter.F16: "V1_2", emitter.Q8S: "V1_3"},
    "HARD_SWISH": {emitter.F32: "V1_3", emitter.Q8: "V1_3", emitter.F16: "V1_3", emitter.Q8S: "V1_3"},
}
"""HAL version whose folder gets the file, by operation and type: the first version that has the type."""
UNSIGNED_SCALES = {
    "middle_zero_point": ([12], (0.05, 128)),
    "lowest_zero_point": ([3, 4], (0.5, 0)),
    "highest_zero_point": ([2, 2, 3], (0.1, 255)),
    "fine_scale": ([1, 3, 2, 2], (0.0078125, 100)),
}
"""Shapes, scales and zero points of inputs; signed ones have zero points 128 less."""
ALPHAS = {"alpha_one": 1.0, "alpha_eighth": 0.125, "alpha_two": 2.0, "alpha_zero": 0.0, "alpha_negative": -1.0}
"""Values of ELU's parameter alpha, by the name of the example: usual ones, zero, and a negative one."""


def _float_file(operation: str, kind: OperandType) -> emitter.EmittedFile:
    file = emitter.EmittedFile(LEVELS[operation][kind], f"{operation.lower()}_{emitter.LABELS[kind]}")
    function = FLOAT[operation]
    same_level = LEVELS[operation][emitter.F16] == LEVELS[operation][emitter.F32]
    only = emitter.HALF_ONLY
    both = emitter.ALL_FLOATS if same_level else emitter.RELAXED
    for shape in SHAPES:
        values = emitter.Source(len(shape)).floats(-8, 8, math.prod(shape))
        given = {"x": emitter.SpecTensor(emitter.F32, shape, values)}
        expected = emitter.result(emitter.F32, shape, [function(x) for x in values])
        file.add(f"rank{len(shape)}", operation, given, expected, only if kind == emitter.F16 else both)
    expected = emitter.result(emitter.F32, [2, 5], [function(x) for x in EDGES])
    file.add(
        "around_the_bounds",
        operation,
        {"x": emitter.SpecTensor(emitter.F32, [2, 5], EDGES)},
        expected,
        only if kind == emitter.F16 else "",
    )
    if operation in ("RELU1", "RELU6", "LOGISTIC", "TANH"):
        values = [math.inf, -math.inf]
        limits = {"LOGISTIC": [1.0, 0.0], "TANH": [1.0, -1.0]}.get(operation, [function(x) for x in values])
        # The ADD of a variation would make finite numbers of the infinities.
        variations = (only if kind == emitter.F16 else "") + ".DisableLifeTimeVariation()"
        file.add(
            "infinities",
            operation,
            {"x": emitter.SpecTensor(emitter.F32, [2], values)},
            emitter.result(emitter.F32, [2], limits),
            variations,
        )
    return file


def _codes(kind: OperandType, zero_point: int, count: int) -> list[int]:
    low, high = emitter.RANGES[kind]
    near = [q for q in (low, low + 1, zero_point - 1, zero_point, zero_point + 1, high - 1, high) if low <= q <= high]
    return (near + [low + (11 + 23 * i) % 256 for i in range(count)])[:count]


def _quantized_file(operation: str, kind: OperandType) -> emitter.EmittedFile:
    file = emitter.EmittedFile(LEVELS[operation][kind], f"{operation.lower()}_{emitter.LABELS[kind]}")
    low, high = emitter.RANGES[kind]
    for name, (shape, (scale, unsigned)) in UNSIGNED_SCALES.items():
        zero_point = unsigned + low
        codes = _codes(kind, zero_point, 12)
        source = (scale, zero_point)
        for suffix, target, of in _code_functions(operation, source, low, high):
            expected = emitter.result(kind, shape, [of(q) for q in codes], *target)
            file.add(name + suffix, operation, {"x": emitter.SpecTensor(kind, shape, codes, *source)}, expected)
    return file


def _code_functions(
    operation: str, source: tuple[float, int], low: int, high: int
) -> list[tuple[str, tuple[float, int], Callable[[int], int]]]:
    """Return output parameters to test for an input's, with the end of the example's name and the function of codes."""
    if operation == "LOGISTIC":
        return [("", (1 / 256, low), lambda q: oracle.logistic_code(q, source, low, high))]
    if operation == "TANH":
        return [("", (1 / 128, low + 128), lambda q: oracle.tanh_code(q, source, low, high))]
    if operation == "HARD_SWISH":
        targets = {"_to_the_same": source, "_to_coarser": (0.25, low + 20), "_to_finer": (0.01, high)}
        # The finest are 1/128 of the input's.
        targets["_to_the_finest"] = source[0] / 127.5, low + 100
        return [(n, t, lambda q, t=t: oracle.hard_swish_code(q, source, t, low, high)) for n, t in targets.items()]  # type: ignore[misc]
    return [("", source, lambda q: oracle.relu_code(operation, q, source, low, high))]


def _elu_files() -> list[emitter.EmittedFile]:
    file = emitter.EmittedFile("V1_3", "elu_float")
    for number, (name, alpha) in enumerate(ALPHAS.items()):
        shape = (*SHAPES, [1, 2, 1, 2, 1])[number]
        values = emitter.Source(number).floats(-4, 4, math.prod(shape))
        given: dict[str, emitter.Operand] = {"x": emitter.SpecTensor(emitter.F32, shape, values), "alpha": str(alpha)}
        expected = emitter.result(emitter.F32, shape, [oracle.elu_float(x, alpha) for x in values])
        file.add(name, "ELU", given, expected, emitter.ALL_FLOATS)
    given = {"x": emitter.SpecTensor(emitter.F32, [2, 5], EDGES), "alpha": "1.0"}
    file.add(
        "around_the_bounds",
        "ELU",
        given,
        emitter.result(emitter.F32, [2, 5], [oracle.elu_float(x, 1.0) for x in EDGES]),
    )
    return [file]


def _failures() -> list[emitter.EmittedFile]:
    files = []
    for operation in ("RELU", "RELU1", "RELU6", "LOGISTIC", "TANH"):
        file = emitter.EmittedFile("V1_2", f"{operation.lower()}_invalid")
        rank5 = {"x": emitter.SpecTensor(emitter.F32, [1, 1, 1, 1, 2], [1.0, 2.0])}
        file.add("rank5", operation, rank5, emitter.result(emitter.F32, [1, 1, 1, 1, 2], [1.0, 1.0]), emitter.FAILURE)
        scale, zero_point = {"LOGISTIC": (1 / 256, 0), "TANH": (1 / 128, 128)}.get(operation, (0.5, 3))
        codes = {"x": emitter.SpecTensor(emitter.Q8, [2], [1, 2], 0.5, 3)}
        for what, parameters in (("scale", (scale * 2, zero_point)), ("zero_point", (scale, zero_point + 1))):
            file.add(
                f"output_{what}",
                operation,
                codes,
                emitter.result(emitter.Q8, [2], [1, 2], *parameters),
                emitter.FAILURE,
            )
        files.append(file)
    for operation, (scale, zero_point) in {"LOGISTIC": (1 / 256, -128), "TANH": (1 / 128, 0)}.items():
        file = emitter.EmittedFile("V1_3", f"{operation.lower()}_quant8_signed_invalid")
        codes = {"x": emitter.SpecTensor(emitter.Q8S, [2], [1, 2], 0.5, 3)}
        for what, parameters in (("scale", (scale * 2, zero_point)), ("zero_point", (scale, zero_point + 1))):
            file.add(
                f"output_{what}",
                operation,
                codes,
                emitter.result(emitter.Q8S, [2], [1, 2], *parameters),
                emitter.FAILURE,
            )
        files.append(file)
    file = emitter.EmittedFile("V1_3", "hard_swish_invalid")
    codes = {"x": emitter.SpecTensor(emitter.Q8, [2], [1, 2], 2.0, 3)}
    file.add("output_scale", "HARD_SWISH", codes, emitter.result(emitter.Q8, [2], [1, 2], 0.015625, 0), emitter.FAILURE)
    return [*files, file]


def _zero_sized(operation: str) -> list[emitter.EmittedFile]:
    # Without anything to compute, the scales of HARD_SWISH may differ arbitrarily.
    special = {"LOGISTIC": (1 / 256, 0), "TANH": (1 / 128, 128), "HARD_SWISH": (1 / 2048, 128)}
    scale, zero_point = special.get(operation, (0.1, 128))
    quantizations = {emitter.Q8: ((0.1, 128), (scale, zero_point)), emitter.Q8S: ((0.1, 0), (scale, zero_point - 128))}
    folder = "V1_3" if operation == "HARD_SWISH" else "V1_2"
    return empty_files(operation, quantizations=quantizations, folder=folder, signed="_signed")


def files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family."""
    floats = [
        _float_file(name, kind)
        for name, levels in LEVELS.items()
        for kind in (emitter.F32, emitter.F16)
        if kind == emitter.F32 or levels[emitter.F16] != levels[emitter.F32]
    ]
    empty = [file for operation in FLOAT for file in _zero_sized(operation)]
    quantized = [_quantized_file(name, kind) for name in LEVELS for kind in (emitter.Q8, emitter.Q8S)]
    return [*floats, *quantized, *_elu_files(), *_failures(), *empty]
