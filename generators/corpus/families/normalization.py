"""Spec files of the normalisations.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/writing.py`` calls :func:`files`.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nnvet.generators.corpus import emitter
from nnvet.generators.corpus.empty import empty_files
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations import normalization as oracle
from nnvet.oracle.operations.indexing import groups, slices

FOLDERS = {emitter.Q8: "V1_2", emitter.Q8S: "V1_3"}
"""HAL version whose folder gets the file, by type of codes."""
RANK4 = [2, 2, 3, 2]
"""Dimensions of the examples of rank 4."""
EVERY_AXIS = ".AddAllDimsAndAxis(x, output, axis)"
"""Call in a spec that repeats an example along each axis, counted from either end."""
BETAS = {"beta_one": 1.0, "beta_below_one": 0.25, "beta_above_one": 4.0}
"""Values of SOFTMAX's parameter beta, by the name of the example."""
Slice = Callable[[Sequence[Any]], Sequence[Any]]
"""Function of the elements along an axis."""


def _apply(values: Sequence[Any], positions: Sequence[Sequence[int]], of: Slice) -> list[Any]:
    """Apply ``of`` to each group of positions, and put the results back in place."""
    out: list[Any] = list(values)
    for group in positions:
        for position, value in zip(group, of([values[i] for i in group]), strict=True):
            out[position] = value
    return out


def _floats(shape: Sequence[int], seed: int = 0) -> emitter.SpecTensor:
    return emitter.SpecTensor(
        emitter.F32, shape, emitter.Source(len(shape) + 10 * seed).floats(-4, 4, math.prod(shape))
    )


def _codes(kind: OperandType, shape: Sequence[int], scale: float, zero_point: int) -> emitter.SpecTensor:
    low, high = emitter.RANGES[kind]
    values = emitter.Source(len(shape)).integers(low, high, math.prod(shape))
    return emitter.SpecTensor(kind, shape, values, scale, zero_point)


def _expected(x: emitter.SpecTensor, of: Slice, axis: int = -1, *target: Any) -> emitter.SpecTensor:
    return emitter.result(x.type, x.dimensions, _apply(x.values, slices(x.dimensions, axis), of), *target)


def _softmax_files() -> list[emitter.EmittedFile]:
    floats, ranks = emitter.EmittedFile("V1_0", "softmax_float"), emitter.EmittedFile("V1_2", "softmax_ranks")
    halves, axes = emitter.EmittedFile("V1_2", "softmax_float16"), emitter.EmittedFile("V1_2", "softmax_axis")
    for shape in ([5], [2, 3], [2, 1, 3], RANK4):
        for which, beta in BETAS.items():
            x = _floats(shape)
            given: dict[str, emitter.Operand] = {"x": x, "beta": str(beta)}
            expected = _expected(x, lambda values, beta=beta: oracle.softmax(values, beta))  # type: ignore[misc]
            name = f"rank{len(shape)}_{which}"
            if len(shape) in (2, 4):
                floats.add(name, "SOFTMAX", given, expected, emitter.RELAXED)
                halves.add(name, "SOFTMAX", given, expected, emitter.HALF_ONLY)
            else:
                ranks.add(name, "SOFTMAX", given, expected, emitter.HALF)
    x = _floats(RANK4)
    given = {"x": x, "beta": "1.0", "axis": 'Int32Scalar("axis", -1)'}
    axes.add(
        "each_axis",
        "SOFTMAX",
        given,
        _expected(x, lambda values: oracle.softmax(values, 1.0)),
        EVERY_AXIS + emitter.HALF,
    )
    large = emitter.SpecTensor(emitter.F32, [2, 2], [1000.0, 999.0, -1000.0, -999.0])
    expected = _expected(large, lambda values: oracle.softmax(values, 1.0))
    floats.add("large_values", "SOFTMAX", {"x": large, "beta": "1.0"}, expected)
    return [
        floats,
        ranks,
        halves,
        axes,
        *(_softmax_quantized(kind) for kind in (emitter.Q8, emitter.Q8S)),
        *_softmax_axes_quantized(),
    ]


def _softmax_codes(kind: OperandType, x: emitter.SpecTensor, beta: float) -> emitter.SpecTensor:
    low, high = emitter.RANGES[kind]
    of: Slice = lambda codes: oracle.softmax_codes(codes, x.scale, beta, low, high)  # noqa: E731 - a type for mypy
    return _expected(x, of, -1, 1 / 256, low)


def _softmax_quantized(kind: OperandType) -> emitter.EmittedFile:
    file = emitter.EmittedFile({emitter.Q8: "V1_0", emitter.Q8S: "V1_3"}[kind], f"softmax_{emitter.LABELS[kind]}")
    for name, shape, scale, beta in (
        ("matrix", [2, 5], 0.05, 1.0),
        ("image_beta_below_one", [2, 2, 1, 4], 0.01, 0.5),
        ("large_scale", [1, 6], 0.5, 1.0),
        ("beta_above_one", [3, 2], 0.1, 4.0),
        # A multiplier of 32 that has to be kept below 32: all but the largest come to nothing.
        ("scale_by_beta_too_large", [2, 4], 16.0, 2.0),
        # Their product is 2^-50 less than 1/16: as a multiplier of 31 bits it rounds to a power of two.
        ("scale_by_beta_rounds_up", [2, 4], (1 + 2.0**-23) / 16, 1 - 2.0**-23),
    ):
        x = _codes(kind, shape, scale, emitter.RANGES[kind][0] + 100)
        file.add(name, "SOFTMAX", {"x": x, "beta": str(beta)}, _softmax_codes(kind, x, beta))
    return file


def _softmax_axes_quantized() -> list[emitter.EmittedFile]:
    files = []
    for kind, folder in FOLDERS.items():
        file = emitter.EmittedFile(folder, f"softmax_axis_{emitter.LABELS[kind]}")
        x = _codes(kind, RANK4, 0.02, emitter.RANGES[kind][0] + 128)
        given: dict[str, emitter.Operand] = {"x": x, "beta": "1.0", "axis": 'Int32Scalar("axis", -1)'}
        file.add("each_axis", "SOFTMAX", given, _softmax_codes(kind, x, 1.0), EVERY_AXIS)
        files.append(file)
    return files


def _log_softmax_file() -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_2", "log_softmax_float")

    def of(beta: float) -> Slice:
        return lambda values: [float(x) for x in oracle.log_softmax(values, beta, np.float32)]

    x = _floats(RANK4)
    given: dict[str, emitter.Operand] = {"x": x, "beta": "1.0", "axis": 'Int32Scalar("axis", -1)'}
    file.add("each_axis", "LOG_SOFTMAX", given, _expected(x, of(1.0)), EVERY_AXIS + emitter.HALF)
    for name, beta in BETAS.items():
        x = _floats([2, 4], 1)
        given = {"x": x, "beta": str(beta), "axis": "1"}
        file.add(name, "LOG_SOFTMAX", given, _expected(x, of(beta)), emitter.RELAXED)
    x = _floats([1, 2, 1, 2, 2])
    file.add("rank5_negative_axis", "LOG_SOFTMAX", {"x": x, "beta": "1.0", "axis": "-4"}, _expected(x, of(1.0), -4))
    return file


def _l2_files() -> list[emitter.EmittedFile]:
    name = "L2_NORMALIZATION"
    floats, halves = (
        emitter.EmittedFile("V1_0", "l2_normalization_float"),
        emitter.EmittedFile("V1_2", "l2_normalization_float16"),
    )
    ranks, axes = (
        emitter.EmittedFile("V1_2", "l2_normalization_ranks"),
        emitter.EmittedFile("V1_2", "l2_normalization_axis"),
    )
    for shape in ([5], [2, 3], [2, 1, 3], RANK4):
        x = _floats(shape)
        expected = _expected(x, oracle.l2_normalization)
        if len(shape) == 4:
            floats.add("rank4", name, {"x": x}, expected, emitter.RELAXED)
            halves.add("rank4", name, {"x": x}, expected, emitter.HALF_ONLY)
        else:
            ranks.add(f"rank{len(shape)}", name, {"x": x}, expected, emitter.HALF)
    x = _floats(RANK4)
    given: dict[str, emitter.Operand] = {"x": x, "axis": 'Int32Scalar("axis", -1)'}
    axes.add("each_axis", name, given, _expected(x, oracle.l2_normalization), EVERY_AXIS + emitter.HALF)
    return [floats, halves, ranks, axes, *(_l2_quantized(kind) for kind in (emitter.Q8, emitter.Q8S))]


def _l2_quantized(kind: OperandType) -> emitter.EmittedFile:
    file = emitter.EmittedFile(FOLDERS[kind], f"l2_normalization_{emitter.LABELS[kind]}")
    signed = kind == emitter.Q8S
    low = emitter.RANGES[kind][0]
    target = (1 / 128, 0 if signed else 128)
    for name, shape, scale, zero in (
        ("zero_point_inside", [2, 5], 0.1, 128),
        ("lowest_zero_point", [3], 0.5, 0),
        ("highest_zero_point", [2, 2, 3], 1.0, 255),
    ):
        x = _codes(kind, shape, scale, zero + low)
        file.add(name, "L2_NORMALIZATION", {"x": x}, _expected(x, _l2_codes(x), -1, *target))
    x = _codes(kind, RANK4, 0.1, low + 128)
    given: dict[str, emitter.Operand] = {"x": x, "axis": 'Int32Scalar("axis", -1)'}
    file.add("each_axis", "L2_NORMALIZATION", given, _expected(x, _l2_codes(x), -1, *target), EVERY_AXIS)
    # Sums of the squares of 1, 2, 3 and so on, so many that the multiplier is shifted in the other direction.
    rows = [[*row, *[0] * 157] for row in ([0, 0, 1], [-1, 0, 1], [1, -1, 1])] + [[127, -128] * 80]
    x = emitter.SpecTensor(kind, [4, 160], [low + 128 + code for row in rows for code in row], 0.1, low + 128)
    file.add("smallest_and_largest_norms", "L2_NORMALIZATION", {"x": x}, _expected(x, _l2_codes(x), -1, *target))
    zeros = emitter.SpecTensor(kind, [1, 1, 1, 3], [low + 7] * 3, 0.1, low + 7)
    file.add("all_zeros", "L2_NORMALIZATION", {"x": zeros}, _expected(zeros, _l2_codes(zeros), -1, *target))
    return file


def _l2_codes(x: emitter.SpecTensor) -> Slice:
    return lambda codes: oracle.l2_normalization_codes(
        codes, x.zero_point, signed=x.type == emitter.Q8S, last_axis=True
    )


def _lrn_files() -> list[emitter.EmittedFile]:
    name = "LOCAL_RESPONSE_NORMALIZATION"
    floats, halves = emitter.EmittedFile("V1_0", "lrn_float"), emitter.EmittedFile("V1_2", "lrn_float16")
    ranks, axes = emitter.EmittedFile("V1_2", "lrn_ranks"), emitter.EmittedFile("V1_2", "lrn_axis")

    def inputs(x: emitter.SpecTensor, radius: int, scalars: Sequence[float]) -> dict[str, emitter.Operand]:
        bias, alpha, beta = map(str, scalars)
        return {"x": x, "radius": str(radius), "bias": bias, "alpha": alpha, "beta": beta}

    def expected(x: emitter.SpecTensor, radius: int, scalars: Sequence[float]) -> emitter.SpecTensor:
        bias, alpha, beta = scalars
        return _expected(x, lambda values: oracle.local_response_normalization(values, radius, bias, alpha, beta))

    wide = _floats([1, 1, 2, 7])
    for which, radius, *scalars in (
        ("neighbours", 1, 1.0, 0.5, 0.5),
        ("radius_zero", 0, 2.0, 1.0, 1.0),
        ("beta_three_quarters", 2, 9.0, 4.0, 0.75),
        ("radius_beyond_depth", 20, 1.0, 1.0, 0.5),
        ("alpha_zero", 3, 1.0, 0.0, 0.5),
    ):
        floats.add(which, name, inputs(wide, radius, scalars), expected(wide, radius, scalars), emitter.RELAXED)
        halves.add(which, name, inputs(wide, radius, scalars), expected(wide, radius, scalars), emitter.HALF_ONLY)
    usual = (1, (1.0, 0.5, 0.5))
    for shape in ([5], [2, 3], [2, 1, 3]):
        x = _floats(shape)
        ranks.add(f"rank{len(shape)}", name, inputs(x, *usual), expected(x, *usual), emitter.HALF)
    x = _floats(RANK4)
    given = {**inputs(x, *usual), "axis": 'Int32Scalar("axis", -1)'}
    axes.add("each_axis", name, given, expected(x, *usual), EVERY_AXIS + emitter.HALF)
    return [floats, halves, ranks, axes]


def _instance_file() -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_2", "instance_normalization_float")
    for name, shape, gamma, beta, epsilon in (
        ("batch", [2, 2, 2, 3], 1.0, 0.0, 0.25),
        ("gamma_and_beta", [1, 3, 2, 1], 2.0, 10.0, 0.0625),
        ("images_of_one_cell", [2, 1, 1, 2], -0.5, -1.0, 1.0),
    ):
        x = _floats(shape)
        scalars = (gamma, beta, epsilon)

        def of(image: Sequence[Any], scalars: tuple[float, float, float] = scalars) -> list[float]:
            return [
                float(y) for y in oracle.instance_normalization([np.float32(v) for v in image], *scalars, np.float32)
            ]

        given: dict[str, emitter.Operand] = {
            "x": x,
            "gamma": str(gamma),
            "beta": str(beta),
            "epsilon": str(epsilon),
            "layout": 'BoolScalar("layout", False)',
        }
        expected = emitter.result(emitter.F32, shape, _apply(x.values, groups(shape, (1, 2)), of))
        variations = ".AddNchw(x, output, layout)" + emitter.ALL_FLOATS
        file.add(name, "INSTANCE_NORMALIZATION", given, expected, variations)
    return file


def _failures() -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_2", "normalization_invalid")
    x = _floats([2, 2])
    same, fails = emitter.result(emitter.F32, [2, 2], [0.5] * 4), emitter.FAILURE
    lrn: dict[str, emitter.Operand] = {"x": x, "radius": "1", "bias": "1.0", "alpha": "1.0", "beta": "0.5"}
    calls: dict[str, tuple[str, dict[str, emitter.Operand]]] = {
        "softmax_axis": ("SOFTMAX", {"x": x, "beta": "1.0", "axis": "2"}),
        "softmax_beta_zero": ("SOFTMAX", {"x": x, "beta": "0.0"}),
        "softmax_beta_negative": ("SOFTMAX", {"x": x, "beta": "-1.0"}),
        "log_softmax_axis": ("LOG_SOFTMAX", {"x": x, "beta": "1.0", "axis": "-3"}),
        "l2_normalization_axis": ("L2_NORMALIZATION", {"x": x, "axis": "2"}),
        "lrn_axis": ("LOCAL_RESPONSE_NORMALIZATION", {**lrn, "axis": "-3"}),
        "lrn_radius": ("LOCAL_RESPONSE_NORMALIZATION", {**lrn, "radius": "-1"}),
        "instance_normalization_rank": (
            "INSTANCE_NORMALIZATION",
            {"x": x, "gamma": "1.0", "beta": "0.0", "epsilon": "0.5", "layout": "False"},
        ),
    }
    for name, (operation, given) in calls.items():
        file.add(name, operation, given, same, fails)
    codes = emitter.SpecTensor(emitter.Q8, [2, 2], [1, 2, 3, 4], 0.5, 0)
    for name, target in (("scale", (1 / 128, 0)), ("zero_point", (1 / 256, 1))):
        other = emitter.result(emitter.Q8, [2, 2], [128] * 4, *target)
        file.add(f"softmax_output_{name}", "SOFTMAX", {"x": codes, "beta": "1.0"}, other, fails)
    other = emitter.result(emitter.Q8, [2, 2], [128] * 4, 1 / 128, 0)
    file.add("l2_normalization_output", "L2_NORMALIZATION", {"x": codes}, other, fails)
    return file


def _zero_sized() -> list[emitter.EmittedFile]:
    quantizations = {
        kind: ((0.1, emitter.RANGES[kind][0] + 128), (1 / 256, emitter.RANGES[kind][0])) for kind in emitter.QUANTIZED
    }
    return empty_files("SOFTMAX", "1.0", quantizations=quantizations, signed="_signed")


def files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family."""
    return [
        *_softmax_files(),
        _log_softmax_file(),
        *_l2_files(),
        *_lrn_files(),
        _instance_file(),
        _failures(),
        *_zero_sized(),
    ]
