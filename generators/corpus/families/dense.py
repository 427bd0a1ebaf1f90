"""Spec files of FULLY_CONNECTED and BATCH_MATMUL.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/windowed.py`` has the scales and data
that related families share. ``corpus/writing.py`` calls :func:`files`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nnvet.generators.corpus import emitter, windowed
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations import convolution as oracle
from nnvet.oracle.operations.activation import activate, requantized
from nnvet.oracle.operations.invocation import size_of

CONNECTED, MATMUL = "FULLY_CONNECTED", "BATCH_MATMUL"
"""The two operations of this family."""


@dataclass(frozen=True)
class _Shape:
    """Input of any rank from 2 to 4, and weights."""

    name: str
    input: Sequence[int]
    weights: tuple[int, int]


SHAPES = (
    _Shape("matrix", [3, 4], (2, 4)),
    _Shape("sizes_of_one", [1, 1], (1, 1)),
    _Shape("rank3", [2, 3, 2], (3, 6)),
    # Rows of the input are grouped anew: 12 elements in rows of 3.
    _Shape("rank4_regrouped", [2, 2, 1, 3], (5, 3)),
    _Shape("matrix_regrouped", [2, 6], (2, 4)),
    _Shape("one_row_regrouped", [1, 8], (3, 2)),
)
"""Sizes of the examples of FULLY_CONNECTED."""
ACTIVATION: dict[str, emitter.Operand] = {"activation": 'Int32Scalar("activation", 0)'}
"""The scalar input with the fused activation, by its name."""


FUSED = "activation"
"""Name of the examples that vary the fused activation."""


def _named(name: str, shape: _Shape) -> _Shape:
    return replace(shape, name=name)


def _float_case(file: emitter.EmittedFile, shape: _Shape, seed: int, variations: str) -> None:
    units = shape.weights[0]
    x = emitter.SpecTensor(emitter.F32, shape.input, windowed.floats(seed, shape.input))
    weights = emitter.SpecTensor(emitter.F32, shape.weights, windowed.floats(seed + 1, shape.weights), role="Parameter")
    bias = emitter.SpecTensor(emitter.F32, [units], windowed.floats(seed + 2, [units]), role="Parameter")
    sums = oracle.fully_connected(windowed.numbers(x), windowed.numbers(weights), bias.values)
    expected = emitter.result(emitter.F32, sums.dims, [activate(value, 0) for value in sums.values])
    file.add(shape.name, CONNECTED, {"input": x, "weights": weights, "bias": bias, **ACTIVATION}, expected, variations)


def _code_case(
    file: emitter.EmittedFile,
    kind: OperandType,
    shape: _Shape,
    scales: windowed.Scales,
    seed: int,
    variations: str = "",
    *,
    bias_scale: float | None = None,
) -> None:
    """Add an example of codes; the default ``bias_scale`` follows the rule: input scale times weight scale."""
    units = shape.weights[0]
    x = windowed.quantized(kind, shape.input, seed, scales.input, scales.reach)
    weights = replace(windowed.quantized(kind, shape.weights, seed + 1, scales.weights, scales.reach), role="Parameter")
    product = scales.input[0] * scales.weights[0]
    values = [int(scales.output[0] / product * 15) * (1 - 2 * (u % 2)) + u for u in range(units)]
    bias = emitter.SpecTensor(emitter.INT32, [units], values, bias_scale or product, role="Parameter")
    sums = oracle.fully_connected(windowed.numbers(x), windowed.numbers(weights), values)
    target = windowed.shifted(scales.output, kind)
    expected = requantized(sums.values, (x.scale, [weights.scale]), target, 0, emitter.RANGES[kind])
    given: dict[str, emitter.Operand] = {"input": x, "weights": weights, "bias": bias, **ACTIVATION}
    file.add(shape.name, CONNECTED, given, emitter.result(kind, sums.dims, expected, *target), variations)


def _cancelled_case(file: emitter.EmittedFile, kind: OperandType) -> None:
    """Add sums above 2^25 that biases reduce to a few units of eight codes; only exact int32 sums give them."""
    size, low = 1024, emitter.RANGES[kind][0]
    source = emitter.Source(32)
    x = emitter.SpecTensor(kind, [1, size], source.integers(low + 200, low + 255, size), 1.0, low)
    weights = emitter.SpecTensor(
        kind, [2, size], source.integers(low + 200, low + 255, 2 * size), 1.0, low, "Parameter"
    )
    products = oracle.fully_connected(windowed.numbers(x), windowed.numbers(weights), [0, 0]).values
    values = [left - int(product) for left, product in zip((5, 13), products, strict=True)]
    bias = emitter.SpecTensor(emitter.INT32, [2], values, 1.0, role="Parameter")
    expected = [low + 8 * 5, low + 8 * 13]
    given: dict[str, emitter.Operand] = {"input": x, "weights": weights, "bias": bias, **ACTIVATION}
    file.add("large_sums_cancelled", CONNECTED, given, emitter.result(kind, [1, 2], expected, 0.125, low), emitter.ONCE)


def _connected_files() -> Iterable[emitter.EmittedFile]:
    file = emitter.EmittedFile("V1_0", "fully_connected_float")
    for index, shape in enumerate(SHAPES):
        _float_case(file, shape, index, emitter.RELAXED * (index == 1))
    _float_case(file, _named(FUSED, SHAPES[0]), 9, windowed.ALL_ACTIVATIONS)
    yield file
    file = emitter.EmittedFile("V1_2", "fully_connected_float16")
    for index, shape in enumerate(SHAPES):
        _float_case(file, shape, 10 + index, emitter.HALF_ONLY)
    _float_case(file, _named(FUSED, SHAPES[0]), 19, emitter.HALF_ONLY + windowed.ALL_ACTIVATIONS)
    yield file
    for kind in emitter.QUANTIZED:
        file = emitter.EmittedFile("V1_3" if kind == emitter.Q8S else "V1_0", f"fully_connected_{emitter.LABELS[kind]}")
        for index, shape in enumerate(SHAPES):
            _code_case(
                file,
                kind,
                shape,
                (windowed.MIDDLE, windowed.ENDS, windowed.LOW, windowed.SATURATING)[index % 4],
                20 + index,
            )
        _code_case(file, kind, _named(FUSED, SHAPES[0]), windowed.MIDDLE, 28, windowed.ALL_ACTIVATIONS)
        _code_case(
            file,
            kind,
            _named(f"{FUSED}_fine_output", SHAPES[3]),
            replace(windowed.ENDS, output=(0.05, 60)),
            29,
            windowed.ALL_ACTIVATIONS,
        )
        if kind == emitter.Q8:
            _add_biases(file, windowed.BIASES_AT_LIMIT, emitter.ONCE)
        yield file
        name = f"fully_connected_{emitter.LABELS[kind]}_multiplier_above_1"
        file = emitter.EmittedFile("V1_3" if kind == emitter.Q8S else "V1_2", name)
        _code_case(file, kind, _named("multiplier_four", SHAPES[0]), windowed.GREATER, 30)
        # Equal scales: multiplier 1 exactly.
        _cancelled_case(file, kind)
        _code_case(file, kind, _named("multiplier_one", SHAPES[2]), replace(windowed.GREATER, output=(3.0, 128)), 31)
        yield file


def _connected_failures() -> emitter.EmittedFile:
    """Return calls that break one rule; their expected values are never compared."""
    file = emitter.EmittedFile("V1_2", "fully_connected_invalid")
    shape = SHAPES[0]
    good: dict[str, emitter.Operand] = {
        "input": emitter.SpecTensor(emitter.F32, shape.input, windowed.floats(0, shape.input)),
        "weights": emitter.SpecTensor(emitter.F32, shape.weights, windowed.floats(1, shape.weights), role="Parameter"),
        "bias": emitter.SpecTensor(emitter.F32, [2], [0.5, 1.0], role="Parameter"),
        **ACTIVATION,
    }
    broken = {
        "input_rank": emitter.SpecTensor(emitter.F32, [12], windowed.floats(0, [12])),
        "input_columns": emitter.SpecTensor(emitter.F32, [3, 5], windowed.floats(0, [3, 5])),
        "weights_rank": emitter.SpecTensor(emitter.F32, [2, 4, 1], windowed.floats(1, [8]), role="Parameter"),
        "bias_length": emitter.SpecTensor(emitter.F32, [3], [0.0] * 3, role="Parameter"),
        "bias_rank": emitter.SpecTensor(emitter.F32, [2, 1], [0.0] * 2, role="Parameter"),
    }
    for name, tensor in broken.items():
        zeros = emitter.result(emitter.F32, [3, 2], [0.0] * 6)
        file.add(name, CONNECTED, {**good, name.partition("_")[0]: tensor}, zeros, emitter.FAILS)
    # 0.0625 is input scale x weights scale.
    _code_case(file, emitter.Q8, _named("bias_scale", shape), windowed.MIDDLE, 40, emitter.FAILS, bias_scale=0.0624)
    for name, scale in windowed.SMALL_BIASES.items():
        _code_case(file, emitter.Q8, _named(name, shape), windowed.SMALL, 40, emitter.FAILS, bias_scale=scale)
    _add_biases(file, windowed.BIASES_PAST_LIMIT, emitter.FAILS)
    return file


def _add_biases(file: emitter.EmittedFile, scales: Mapping[str, tuple[int, int]], variations: str) -> None:
    for name, (product, bias) in scales.items():
        scale = bias * windowed.BIAS_UNIT
        _code_case(
            file, emitter.Q8, _named(name, SHAPES[0]), windowed.with_product(product), 40, variations, bias_scale=scale
        )


CONNECTED_WEIGHTS = {
    "filter": emitter.parameter(emitter.F32, [3, 8], [0.5] * 24),
    "bias": emitter.parameter(emitter.F32, [3], [1.0, 2.0, 3.0]),
}
"""Constant weights and bias of the examples with an empty batch."""


def _zero_sized() -> Iterable[emitter.EmittedFile]:
    for kind in (emitter.F32, *emitter.QUANTIZED):
        folder = "V1_3" if kind == emitter.Q8S else "V1_2"
        file = emitter.EmittedFile(folder, f"fully_connected_zero_sized_{emitter.LABELS[kind]}")
        file.examples.append(
            windowed.empty_batch(CONNECTED, kind, "filter", "bias", "0", constants=CONNECTED_WEIGHTS, dimensions=[0, 3])
        )
        yield file


PRODUCTS: dict[str, tuple[tuple[int, ...], int, int, int]] = {
    "matrices": ((), 2, 3, 4),
    "batch_of_outer_products": ((2,), 3, 1, 2),
    "two_batch_dimensions": ((2, 3), 1, 4, 2),
    "sizes_of_one": ((), 1, 1, 1),
}
"""Batch dimensions; rows, inner size and columns."""


def _product_case(file: emitter.EmittedFile, kind: OperandType, name: str, *, adj_x: bool, adj_y: bool) -> None:
    number = list(PRODUCTS).index(name)
    batches, rows, inner, columns = PRODUCTS[name]
    first = (*batches, inner, rows) if adj_x else (*batches, rows, inner)
    second = (*batches, columns, inner) if adj_y else (*batches, inner, columns)
    target = (0.0, 0)
    if kind == emitter.Q8S:
        x = windowed.quantized(kind, first, number, ((0.5, 120), (0.1, 0), (0.25, 255), (2.0, 128))[number], 60)
        y = windowed.quantized(kind, second, number + 9, ((0.125, 131), (0.3, 255), (0.5, 0), (1.0, 128))[number], 60)
        target = ((3.0, 4), (1.5, -128), (40.0, 127), (0.75, 0))[number]
    elif kind == emitter.INT32:
        x, y = (
            emitter.SpecTensor(emitter.INT32, dims, emitter.Source(number + i).integers(-9, 9, size_of(dims)))
            for i, dims in enumerate((first, second))
        )
    else:
        x, y = (
            emitter.SpecTensor(kind, dims, windowed.floats(number + i, dims)) for i, dims in enumerate((first, second))
        )
    rounded = {emitter.F32: np.float32, emitter.F16: np.float16}.get(kind, int)
    product = oracle.batch_matmul(windowed.numbers(x), windowed.numbers(y), adj_x=adj_x, adj_y=adj_y, number=rounded)
    values = product.values
    if kind == emitter.Q8S:
        values = requantized(values, (x.scale, [y.scale]), target, 0, emitter.RANGES[kind])
    label = "_".join([name, *["adjoint_x"] * adj_x, *["adjoint_y"] * adj_y])
    file.add(
        label, MATMUL, _factors(x, y, adj_x=adj_x, adj_y=adj_y), emitter.result(kind, product.dims, values, *target)
    )


def _factors(x: emitter.SpecTensor, y: emitter.SpecTensor, *, adj_x: bool, adj_y: bool) -> dict[str, emitter.Operand]:
    return {"x": x, "y": y, "adj_x": f'BoolScalar("adj_x", {adj_x})', "adj_y": f'BoolScalar("adj_y", {adj_y})'}


def _product_files() -> Iterable[emitter.EmittedFile]:
    for kind in (emitter.F32, emitter.F16, emitter.INT32, emitter.Q8S):
        file = emitter.EmittedFile("AIDL_V2", f"batch_matmul_{emitter.LABELS[kind]}")
        for name in PRODUCTS:
            for adj_x in (False, True):
                for adj_y in (False, True):
                    _product_case(file, kind, name, adj_x=adj_x, adj_y=adj_y)
        yield file
    file = emitter.EmittedFile("AIDL_V2", "batch_matmul_invalid")
    for name, (first, second, adjoint) in {
        "inner_sizes": ([2, 3], [2, 3], False),
        "inner_sizes_of_adjoint": ([2, 3], [3, 2], True),
        "ranks": ([2, 3], [1, 3, 2], False),
        "batches": ([2, 2, 3], [3, 3, 2], False),
    }.items():
        x, y = (
            emitter.SpecTensor(emitter.F32, dims, windowed.floats(i, dims)) for i, dims in enumerate((first, second))
        )
        given = _factors(x, y, adj_x=adjoint, adj_y=False)
        dims = [*first[:-2], 3 if adjoint else 2, second[-1]]
        file.add(name, MATMUL, given, emitter.result(emitter.F32, dims, [0.0] * math.prod(dims)), emitter.FAILS)
    yield file


def files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family."""
    return [*_connected_files(), _connected_failures(), *_zero_sized(), *_product_files()]
