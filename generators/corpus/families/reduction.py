"""Spec files of reductions and index searches.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/writing.py`` calls :func:`files`.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nnvet.generators.corpus import emitter
from nnvet.generators.corpus.emitter import variations
from nnvet.oracle.operations import reduction as oracle
from nnvet.oracle.operations.indexing import groups, reduced_shape, slices

FOLDERS = {emitter.Q8: "V1_2", emitter.Q8S: "V1_3"}
"""HAL version whose folder gets the file, by type of codes."""
FLT_MAX = float(np.finfo(np.float32).max)
"""Largest float32; its negative is where a maximum starts."""
FORMS: tuple[tuple[str, list[int], list[int], bool], ...] = (
    ("vector", [5], [0], False),
    ("vector_kept", [5], [-1], True),
    ("first_axis", [2, 3], [0], False),
    ("all_axes_of_both_signs", [2, 3], [1, -2], False),
    ("outer_axes_kept", [2, 3, 2], [-1, 0], True),
    ("one_axis_three_times", [2, 3, 2], [1, 1, -2], False),
    ("inner_axes_kept", [2, 2, 2, 3], [1, 2], True),
    ("axes_out_of_order", [2, 2, 2, 3], [3, 1], False),
    ("all_axes_kept", [2, 2, 2, 3], [0, 1, 2, 3], True),
)
"""Name, shape, axes (in any order, negative, named twice), and True if reduced dimensions are kept."""
Fold = Callable[[Sequence[Any]], Any]
"""Function that reduces elements to one number."""
FLOAT: dict[str, Fold] = {
    "REDUCE_MAX": lambda values: oracle.reduce_max(values, -FLT_MAX),
    "REDUCE_MIN": lambda values: oracle.reduce_min(values, FLT_MAX),
    "REDUCE_PROD": lambda values: oracle.reduce_prod([np.float32(x) for x in values], np.float32),
    "REDUCE_SUM": lambda values: oracle.reduce_sum([np.float32(x) for x in values], np.float32),
}
"""Functions of the oracle for floats, by operation."""
CODES: dict[str, Callable[[Sequence[int], int, int], int]] = {
    "MEAN": lambda codes, _low, _high: oracle.mean_code(codes),
    "REDUCE_MAX": lambda codes, low, _high: oracle.reduce_max(codes, low),
    "REDUCE_MIN": lambda codes, _low, high: oracle.reduce_min(codes, high),
}
"""Functions of the oracle for codes and the ends of their type, by operation."""
SEARCHES: dict[str, Fold] = {"ARGMAX": oracle.argmax, "ARGMIN": oracle.argmin}
"""Functions of the oracle that return an index, by operation."""


def _add(
    file: emitter.EmittedFile, operation: str, number: int, x: emitter.SpecTensor, fold: Fold, variations: str = ""
) -> None:
    name, shape, axes, keep = FORMS[number]
    flag = str(int(keep)) if operation == "MEAN" else str(keep)
    given: dict[str, emitter.Operand] = {
        "x": x,
        "axes": emitter.parameter(emitter.INT32, [len(axes)], axes),
        "keep_dims": flag,
    }
    values = [fold([x.values[i] for i in group]) for group in groups(shape, axes)]
    expected = emitter.result(x.type, reduced_shape(shape, axes, keep=keep), values, x.scale, x.zero_point)
    file.add(name, operation, given, expected, variations)


def _floats(number: int, low: float, high: float, step: float) -> emitter.SpecTensor:
    shape = FORMS[number][1]
    return emitter.SpecTensor(emitter.F32, shape, emitter.Source(number).floats(low, high, math.prod(shape), step))


def _float_files() -> list[emitter.EmittedFile]:
    files = []
    for operation, fold in FLOAT.items():
        file = emitter.EmittedFile("V1_2", f"{operation.lower()}_float")
        for number in range(len(FORMS)):
            # Factors of at most 1.5 keep products of 24 within float16.
            bounds = (-1.5, 1.5, 0.25) if operation == "REDUCE_PROD" else (-8, 8, 1 / 16)
            _add(file, operation, number, _floats(number, *bounds), fold, emitter.ALL_FLOATS)
        files.append(file)
    mean, half = emitter.EmittedFile("V1_1", "mean_float"), emitter.EmittedFile("V1_2", "mean_float16")
    for number in range(len(FORMS)):
        x = _floats(number, -8, 8, 1 / 16)
        _add(mean, "MEAN", number, x, oracle.mean, emitter.RELAXED)
        _add(half, "MEAN", number, x, oracle.mean, emitter.HALF_ONLY)
    return [*files, mean, half]


def _quantized_files() -> list[emitter.EmittedFile]:
    files = []
    for operation, fold in CODES.items():
        for kind, folder in FOLDERS.items():
            low, high = emitter.RANGES[kind]
            own = "V1_1" if operation == "MEAN" and kind == emitter.Q8 else folder
            file = emitter.EmittedFile(own, f"{operation.lower()}_{emitter.LABELS[kind]}")
            for number, (_, shape, _, _) in enumerate(FORMS[1::2]):
                codes = emitter.Source(number).integers(low, high, math.prod(shape))
                x = emitter.SpecTensor(kind, shape, codes, 0.5, low + (0, 128, 255, 7)[number])
                _add(file, operation, 2 * number + 1, x, lambda c, f=fold, b=(low, high): f(c, *b))  # type: ignore[misc]
            files.append(file)
    return files


def _logical_files() -> list[emitter.EmittedFile]:
    files = []
    for operation, fold in (("REDUCE_ALL", oracle.reduce_all), ("REDUCE_ANY", oracle.reduce_any)):
        file = emitter.EmittedFile("V1_2", f"{operation.lower()}_bool")
        for number, (_, shape, _, _) in enumerate(FORMS):
            source, rare = emitter.Source(number), int(operation == "REDUCE_ANY")
            # Mostly true for ALL and mostly false for ANY, so that either result occurs.
            values = [rare if next(source) % 5 == 0 else 1 - rare for _ in range(math.prod(shape))]
            _add(file, operation, number, emitter.SpecTensor(emitter.BOOL8, shape, values), fold)
        files.append(file)
    return files


def _index_files() -> list[emitter.EmittedFile]:
    files = []
    conversions = variations('"relaxed"', '"float16"', '"int32"', emitter.uniform_conversion("quant8", 1.0, 128))
    signed = variations(emitter.uniform_conversion("quant8_signed", 1.0, -3), default=False)
    for operation, search in SEARCHES.items():
        numbers = emitter.EmittedFile("V1_2", f"{operation.lower()}_numbers")
        codes = emitter.EmittedFile("V1_3", f"{operation.lower()}_quant8_signed")
        exact = emitter.EmittedFile("V1_2", f"{operation.lower()}_to_the_unit")
        for shape, axis in (
            ([5], 0),
            ([2, 4], -1),
            ([4, 2], -2),
            ([2, 3, 2], 1),
            ([2, 2, 3, 2], 2),
            ([1, 2, 1, 3, 2], -2),
        ):
            # Few different values: ties are everywhere.
            x = emitter.SpecTensor(
                emitter.F32, shape, emitter.Source(len(shape) + 3).floats(-2, 2, math.prod(shape), 1.0)
            )
            found = [search([x.values[i] for i in group]) for group in slices(shape, axis)]
            expected = emitter.result(emitter.INT32, reduced_shape(shape, [axis], keep=False), found)
            given: dict[str, emitter.Operand] = {"x": x, "axis": str(axis)}
            name = f"rank{len(shape)}_axis{axis}".replace("-", "_minus")
            numbers.add(name, operation, given, expected, conversions)
            exact.add(name, operation, given, expected, conversions + emitter.ONCE)
            codes.add(name, operation, given, expected, signed)
        exact.examples = [emitter.to_the_unit(example) for example in exact.examples]
        files += [numbers, codes, exact]
    return files


def _failures() -> list[emitter.EmittedFile]:
    file = emitter.EmittedFile("V1_2", "reduction_invalid")
    # Of equal sizes, so that the output's does not depend on the axis.
    x = emitter.SpecTensor(emitter.F32, [3, 3], [1.0] * 9)
    fails = emitter.FAILURE
    for which, axis in (("axis_above_rank", 2), ("axis_below_rank", -3)):
        axes = emitter.parameter(emitter.INT32, [1], [axis])
        for operation in FLOAT:
            given: dict[str, emitter.Operand] = {"x": x, "axes": axes, "keep_dims": "False"}
            file.add(
                f"{operation.lower()}_{which}", operation, given, emitter.result(emitter.F32, [3], [1.0] * 3), fails
            )
        given = {"x": x, "axes": axes, "keep_dims": "0"}
        file.add(f"mean_{which}", "MEAN", given, emitter.result(emitter.F32, [3], [1.0] * 3), fails)
        for operation in SEARCHES:
            file.add(
                f"{operation.lower()}_{which}",
                operation,
                {"x": x, "axis": str(axis)},
                emitter.result(emitter.INT32, [3], [0] * 3),
                fails,
            )
        truths = emitter.SpecTensor(emitter.BOOL8, [3, 3], [1] * 9)
        for operation in ("REDUCE_ALL", "REDUCE_ANY"):
            given = {"x": truths, "axes": axes, "keep_dims": "False"}
            file.add(
                f"{operation.lower()}_{which}", operation, given, emitter.result(emitter.BOOL8, [3], [1] * 3), fails
            )
    codes = emitter.SpecTensor(emitter.Q8, [2, 3], [1] * 6, 0.5, 3)
    for operation in CODES:
        flag = "0" if operation == "MEAN" else "False"
        given = {"x": codes, "axes": emitter.parameter(emitter.INT32, [1], [0]), "keep_dims": flag}
        file.add(
            f"{operation.lower()}_scale_of_output",
            operation,
            given,
            emitter.result(emitter.Q8, [3], [1] * 3, 0.25, 3),
            fails,
        )
    return [file]


def files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family."""
    return [*_float_files(), *_quantized_files(), *_logical_files(), *_index_files(), *_failures()]
