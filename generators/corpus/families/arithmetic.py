"""Spec files of ADD, SUB, MUL and DIV.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/windowed.py`` has the scales and data
that related families share. ``corpus/writing.py`` calls :func:`files`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Final

from nnvet.generators.corpus import emitter
from nnvet.generators.corpus.windowed import ALL_ACTIVATIONS, empty_batch, floats, quantized, shifted
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations import elementwise as oracle
from nnvet.oracle.operations.invocation import Tensor, size_of

OPERATIONS = ("ADD", "SUB", "MUL", "DIV")
"""All operations of this family."""
FOLDERS = {
    "ADD": {emitter.F32: "V1_0", emitter.Q8: "V1_0", emitter.F16: "V1_2", emitter.Q8S: "V1_3", emitter.INT32: "V1_3"},
    "SUB": {emitter.F32: "V1_1", emitter.Q8: "V1_2", emitter.F16: "V1_2", emitter.Q8S: "V1_3", emitter.INT32: "V1_3"},
    "MUL": {emitter.F32: "V1_0", emitter.Q8: "V1_0", emitter.F16: "V1_2", emitter.Q8S: "V1_3", emitter.INT32: "V1_3"},
    "DIV": {emitter.F32: "V1_1", emitter.F16: "V1_2", emitter.INT32: "V1_3"},
}
"""HAL version whose folder gets the file, by operation and type: the first version that has the type."""
SHAPES = {
    "vectors": ([5], [5]),
    "row_on_the_right": ([2, 3], [3]),
    "row_on_the_left": ([3], [2, 3]),
    "crossed": ([2, 1, 3], [4, 1]),
    "images": ([1, 2, 2, 3], [1, 2, 2, 3]),
    "crossed_images": ([2, 1, 2, 1], [1, 3, 1, 2]),
    "one_element": ([1], [2, 2, 1, 1]),
}
"""Pairs of shapes: broadcast either way, in several dimensions at once, and from a lower rank."""
Pair = tuple[list[int], list[int]]
"""Shapes of both inputs."""
FUSED = "activation"
"""Name of the examples that vary the fused activation."""
SCALES = {
    # Equal scales, powers of two: halves occur. Zero points are those of unsigned codes.
    "equal_scales": ((0.5, 120), (0.5, 100), (4.0, 128)),
    "zero_points_at_the_ends": ((0.1, 0), (0.3, 255), (0.7, 60)),
    "scales_far_apart": ((0.02, 255), (0.9, 0), (0.5, 0)),
    "fine_output": ((0.25, 128), (0.125, 3), (0.05, 255)),
}
"""Scale and zero point of both inputs and of the output, by name."""


def _whole(tensor: emitter.SpecTensor) -> Tensor:
    return Tensor(list(tensor.values), tuple(tensor.dimensions))


def _given(x: emitter.SpecTensor, y: emitter.SpecTensor) -> dict[str, emitter.Operand]:
    return {"x": x, "y": y, "activation": 'Int32Scalar("activation", 0)'}


def _divisors(values: Sequence[float]) -> list[float]:
    """Return divisors whose magnitude is at least 0.5: float16 cannot hold quotients by smaller ones exactly."""
    return [value if abs(value) >= 0.5 else 0.5 for value in values]


def _float_case(
    file: emitter.EmittedFile, operation: str, name: str, shapes: Pair, seed: int, variations: str, *, constant: bool
) -> None:
    first, second = shapes
    x = emitter.SpecTensor(emitter.F32, first, floats(seed, first))
    values = floats(seed + 1, second)
    y = emitter.SpecTensor(
        emitter.F32,
        second,
        _divisors(values) if operation == "DIV" else values,
        role="Parameter" if constant else "Input",
    )
    expected = oracle.broadcast(_whole(x), _whole(y), lambda a, b: oracle.of_floats(operation, a, b, 0))
    file.add(name, operation, _given(x, y), emitter.result(emitter.F32, expected.dims, expected.values), variations)


def _float_files(operation: str) -> Iterable[emitter.EmittedFile]:
    for kind, seed, variations in ((emitter.F32, 0, ""), (emitter.F16, 20, emitter.HALF_ONLY)):
        file = emitter.EmittedFile(FOLDERS[operation][kind], f"{operation.lower()}_{emitter.LABELS[kind]}")
        for number, (name, shapes) in enumerate(SHAPES.items()):
            relaxed = emitter.RELAXED if (kind, name) == (emitter.F32, "row_on_the_right") else ""
            constant = number % 2 == 1
            _float_case(file, operation, name, shapes, seed + number, variations + relaxed, constant=constant)
        calls = variations + ALL_ACTIVATIONS
        _float_case(file, operation, FUSED, SHAPES["images"], seed + 9, calls, constant=False)
        yield file
    if operation == "DIV":
        # A divisor of zero: infinite quotients are clamped, here by RELU6.
        file = emitter.EmittedFile("V1_1", "div_by_zero")
        given = _given(emitter.SpecTensor(emitter.F32, [2], [1.0, -2.0]), emitter.parameter(emitter.F32, [1], [0.0]))
        file.add(
            "clamped_infinities", "DIV", {**given, "activation": "3"}, emitter.result(emitter.F32, [2], [6.0, 0.0])
        )
        yield file


def _code_case(
    file: emitter.EmittedFile,
    operation: str,
    kind: OperandType,
    name: str,
    shape: str,
    scales: str,
    variations: str = "",
    reach: int = 256,
) -> None:
    first, second = SHAPES[shape]
    x_scale, y_scale, target = SCALES[scales]
    if operation == "MUL" and scales in ("scales_far_apart", "fine_output"):
        # The output scale must exceed the product of the inputs'.
        target = (target[0] * 4, target[1])
    seed = list(SHAPES).index(shape)
    x, y = quantized(kind, first, seed, x_scale, reach), quantized(kind, second, seed + 50, y_scale, reach)
    target = shifted(target, kind)
    inputs = ((x.scale, x.zero_point), (y.scale, y.zero_point))
    expected = oracle.broadcast(
        _whole(x), _whole(y), lambda a, b: oracle.of_codes(operation, (a, b), inputs, target, 0, emitter.RANGES[kind])
    )
    file.add(name, operation, _given(x, y), emitter.result(kind, expected.dims, expected.values, *target), variations)


def _quantized_files(operation: str) -> Iterable[emitter.EmittedFile]:
    for kind in emitter.QUANTIZED:
        file = emitter.EmittedFile(FOLDERS[operation][kind], f"{operation.lower()}_{emitter.LABELS[kind]}")
        for shape, scales in zip(SHAPES, cycle(SCALES), strict=False):
            _code_case(file, operation, kind, shape, shape, scales)
        for scales in SCALES:
            _code_case(file, operation, kind, f"{FUSED}_{scales}", "images", scales, ALL_ACTIVATIONS, 60)
        yield file


def _integer_file(operation: str) -> emitter.EmittedFile:
    file = emitter.EmittedFile("V1_3", f"{operation.lower()}_int32")
    for number, (name, (first, second)) in enumerate(SHAPES.items()):
        x = emitter.SpecTensor(emitter.INT32, first, emitter.Source(number).integers(-30_000, 30_000, size_of(first)))
        y = emitter.SpecTensor(
            emitter.INT32,
            second,
            [value or 7 for value in emitter.Source(number + 9).integers(-300, 300, size_of(second))],
        )
        expected = oracle.broadcast(_whole(x), _whole(y), lambda a, b: oracle.of_integers(operation, a, b))
        file.add(
            name,
            operation,
            {"x": x, "y": y, "activation": "0"},
            emitter.result(emitter.INT32, expected.dims, expected.values),
        )
    if operation == "DIV":
        # Quotients round toward minus infinity: -5 / 2 = -3, 5 / -2 = -3, -5 / -2 = 2, 4 / -2 = -2.
        x, y = (
            emitter.SpecTensor(emitter.INT32, [4], [-5, 5, -5, 4]),
            emitter.SpecTensor(emitter.INT32, [4], [2, -2, -2, -2]),
        )
        file.add(
            "toward_minus_infinity",
            "DIV",
            {"x": x, "y": y, "activation": "0"},
            emitter.result(emitter.INT32, [4], [-3, -3, 2, -2]),
        )
    return file


def _exact_file(operation: str) -> Iterable[emitter.EmittedFile]:
    """Yield quotients of integers once more with an exact comparison, since the usual one allows an error of one."""
    if operation == "DIV":
        examples = [
            emitter.to_the_unit(replace(example, calls=emitter.ONCE)) for example in _integer_file(operation).examples
        ]
        yield emitter.EmittedFile("V1_3", "div_int32_to_the_unit", examples)


_CHECKS_ACTIVATION: Final = ("ADD", "MUL")
"""Operations whose page states a rule for an invalid activation."""


def _failures(operation: str) -> emitter.EmittedFile:
    """Return calls that break one rule; their expected values are never compared."""
    file = emitter.EmittedFile("V1_3", f"{operation.lower()}_invalid")
    zeros = emitter.result(emitter.F32, [2, 3], [0.0] * 6)
    x = emitter.SpecTensor(emitter.F32, [2, 3], floats(0, [2, 3]))
    file.add("shapes", operation, _given(x, emitter.SpecTensor(emitter.F32, [2], [1.0, 2.0])), zeros, emitter.FAILS)
    rank5 = emitter.SpecTensor(emitter.F32, [1, 1, 1, 1, 3], [1.0, 2.0, 3.0])
    file.add(
        "rank5", operation, _given(x, rank5), emitter.result(emitter.F32, [1, 1, 1, 2, 3], [0.0] * 6), emitter.FAILS
    )
    # Only some operations have to refuse an unknown activation (docs/contract/operations/common.md 10).
    if operation in _CHECKS_ACTIVATION:
        row = emitter.SpecTensor(emitter.F32, [3], [1.0, 2.0, 4.0])
        file.add("activation", operation, {**_given(x, row), "activation": "4"}, zeros, emitter.FAILS)
    integers = _given(emitter.SpecTensor(emitter.INT32, [2], [1, 2]), emitter.SpecTensor(emitter.INT32, [2], [3, 4]))
    file.add(
        "activation_of_int32",
        operation,
        {**integers, "activation": "1"},
        emitter.result(emitter.INT32, [2], [0, 0]),
        emitter.FAILS,
    )
    if operation == "DIV":
        codes = _given(
            emitter.SpecTensor(emitter.Q8S, [2], [1, 2], 0.5, 0), emitter.SpecTensor(emitter.Q8S, [2], [3, 4], 0.5, 0)
        )
        file.add("quantized", operation, codes, emitter.result(emitter.Q8S, [2], [0, 0], 1.0, 0), emitter.FAILS)
    # Output scales that are just too small: in sums, twice the larger input scale (2 x 0.5) has to be below 2^20 output
    # scales; in products, the product of the input scales (0.5 x 0.5) below the output scale.
    bound = {"ADD": 2.0**-20, "SUB": 2.0**-20, "MUL": 0.25}.get(operation)
    for kind in emitter.QUANTIZED if bound else ():
        codes = _given(emitter.SpecTensor(kind, [2], [1, 2], 0.5, 0), emitter.SpecTensor(kind, [2], [3, 4], 0.5, 0))
        wrong = emitter.result(kind, [2], [0, 0], bound or 0.0, 0)
        file.add(f"output_scale_{emitter.LABELS[kind]}", operation, codes, wrong, emitter.FAILS)
    return file


def _zero_sized(operation: str) -> Iterable[emitter.EmittedFile]:
    for kind in (emitter.F32, *emitter.QUANTIZED) if operation != "DIV" else (emitter.F32,):
        folder = "V1_3" if kind == emitter.Q8S else "V1_2"
        file = emitter.EmittedFile(folder, f"{operation.lower()}_zero_sized_{emitter.LABELS[kind]}")
        # The empty tensor with itself, and broadcast. For MUL the scale is valid, too: 0.1 x 0.1 is below 0.1.
        file.examples.append(empty_batch(operation, kind, "empty", "1"))
        yield file


def files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family."""
    written = []
    for operation in OPERATIONS:
        written += [
            *_float_files(operation),
            _integer_file(operation),
            *_exact_file(operation),
            _failures(operation),
            *_zero_sized(operation),
        ]
        if operation != "DIV":
            written += _quantized_files(operation)
    return written
