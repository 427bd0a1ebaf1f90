"""Spec files of FULLY_CONNECTED and BATCH_MATMUL."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nnvet.generators.corpus.emitter import (
    F16,
    F32,
    FAILS,
    HALF_ONLY,
    INT32,
    LABELS,
    ONCE,
    Q8,
    Q8S,
    QUANTIZED,
    RANGES,
    RELAXED,
    EmittedFile,
    Operand,
    Source,
    SpecTensor,
    parameter,
    result,
)
from nnvet.generators.corpus.windowed import (
    ALL_ACTIVATIONS,
    BIAS_UNIT,
    BIASES_AT_LIMIT,
    BIASES_PAST_LIMIT,
    ENDS,
    GREATER,
    LOW,
    MIDDLE,
    SATURATING,
    SMALL,
    SMALL_BIASES,
    Scales,
    empty_batch,
    floats,
    numbers,
    quantized,
    shifted,
    with_product,
)
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations import convolution as oracle
from nnvet.oracle.operations.activation import activate, requantized
from nnvet.oracle.operations.invocation import size_of

CONNECTED, MATMUL = "FULLY_CONNECTED", "BATCH_MATMUL"


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
ACTIVATION: dict[str, Operand] = {"activation": 'Int32Scalar("activation", 0)'}


FUSED = "activation"


def _named(name: str, shape: _Shape) -> _Shape:
    return replace(shape, name=name)


def _float_case(file: EmittedFile, shape: _Shape, seed: int, variations: str) -> None:
    units = shape.weights[0]
    x = SpecTensor(F32, shape.input, floats(seed, shape.input))
    weights = SpecTensor(F32, shape.weights, floats(seed + 1, shape.weights), role="Parameter")
    bias = SpecTensor(F32, [units], floats(seed + 2, [units]), role="Parameter")
    sums = oracle.fully_connected(numbers(x), numbers(weights), bias.values)
    expected = result(F32, sums.dims, [activate(value, 0) for value in sums.values])
    file.add(shape.name, CONNECTED, {"input": x, "weights": weights, "bias": bias, **ACTIVATION}, expected, variations)


def _code_case(
    file: EmittedFile,
    kind: OperandType,
    shape: _Shape,
    scales: Scales,
    seed: int,
    variations: str = "",
    *,
    bias_scale: float | None = None,
) -> None:
    """Add an example of codes; the default ``bias_scale`` follows the rule: input scale times weight scale."""
    units = shape.weights[0]
    x = quantized(kind, shape.input, seed, scales.input, scales.reach)
    weights = replace(quantized(kind, shape.weights, seed + 1, scales.weights, scales.reach), role="Parameter")
    product = scales.input[0] * scales.weights[0]
    values = [int(scales.output[0] / product * 15) * (1 - 2 * (u % 2)) + u for u in range(units)]
    bias = SpecTensor(INT32, [units], values, bias_scale or product, role="Parameter")
    sums = oracle.fully_connected(numbers(x), numbers(weights), values)
    target = shifted(scales.output, kind)
    expected = requantized(sums.values, (x.scale, [weights.scale]), target, 0, RANGES[kind])
    given: dict[str, Operand] = {"input": x, "weights": weights, "bias": bias, **ACTIVATION}
    file.add(shape.name, CONNECTED, given, result(kind, sums.dims, expected, *target), variations)


def _cancelled_case(file: EmittedFile, kind: OperandType) -> None:
    """Add sums above 2^25 that biases reduce to a few units of eight codes; only exact int32 sums give them."""
    size, low = 1024, RANGES[kind][0]
    source = Source(32)
    x = SpecTensor(kind, [1, size], source.integers(low + 200, low + 255, size), 1.0, low)
    weights = SpecTensor(kind, [2, size], source.integers(low + 200, low + 255, 2 * size), 1.0, low, "Parameter")
    products = oracle.fully_connected(numbers(x), numbers(weights), [0, 0]).values
    values = [left - int(product) for left, product in zip((5, 13), products, strict=True)]
    bias = SpecTensor(INT32, [2], values, 1.0, role="Parameter")
    expected = [low + 8 * 5, low + 8 * 13]
    given: dict[str, Operand] = {"input": x, "weights": weights, "bias": bias, **ACTIVATION}
    file.add("large_sums_cancelled", CONNECTED, given, result(kind, [1, 2], expected, 0.125, low), ONCE)


def _connected_files() -> Iterable[EmittedFile]:
    file = EmittedFile("V1_0", "fully_connected_float")
    for index, shape in enumerate(SHAPES):
        _float_case(file, shape, index, RELAXED * (index == 1))
    _float_case(file, _named(FUSED, SHAPES[0]), 9, ALL_ACTIVATIONS)
    yield file
    file = EmittedFile("V1_2", "fully_connected_float16")
    for index, shape in enumerate(SHAPES):
        _float_case(file, shape, 10 + index, HALF_ONLY)
    _float_case(file, _named(FUSED, SHAPES[0]), 19, HALF_ONLY + ALL_ACTIVATIONS)
    yield file
    for kind in QUANTIZED:
        file = EmittedFile("V1_3" if kind == Q8S else "V1_0", f"fully_connected_{LABELS[kind]}")
        for index, shape in enumerate(SHAPES):
            _code_case(file, kind, shape, (MIDDLE, ENDS, LOW, SATURATING)[index % 4], 20 + index)
        _code_case(file, kind, _named(FUSED, SHAPES[0]), MIDDLE, 28, ALL_ACTIVATIONS)
        _code_case(
            file, kind, _named(f"{FUSED}_fine_output", SHAPES[3]), replace(ENDS, output=(0.05, 60)), 29, ALL_ACTIVATIONS
        )
        if kind == Q8:
            _add_biases(file, BIASES_AT_LIMIT, ONCE)
        yield file
        name = f"fully_connected_{LABELS[kind]}_multiplier_above_1"
        file = EmittedFile("V1_3" if kind == Q8S else "V1_2", name)
        _code_case(file, kind, _named("multiplier_four", SHAPES[0]), GREATER, 30)
        # Equal scales: multiplier 1 exactly.
        _cancelled_case(file, kind)
        _code_case(file, kind, _named("multiplier_one", SHAPES[2]), replace(GREATER, output=(3.0, 128)), 31)
        yield file


def _connected_failures() -> EmittedFile:
    """Return calls that break one rule; their expected values are never compared."""
    file = EmittedFile("V1_2", "fully_connected_invalid")
    shape = SHAPES[0]
    good: dict[str, Operand] = {
        "input": SpecTensor(F32, shape.input, floats(0, shape.input)),
        "weights": SpecTensor(F32, shape.weights, floats(1, shape.weights), role="Parameter"),
        "bias": SpecTensor(F32, [2], [0.5, 1.0], role="Parameter"),
        **ACTIVATION,
    }
    broken = {
        "input_rank": SpecTensor(F32, [12], floats(0, [12])),
        "input_columns": SpecTensor(F32, [3, 5], floats(0, [3, 5])),
        "weights_rank": SpecTensor(F32, [2, 4, 1], floats(1, [8]), role="Parameter"),
        "bias_length": SpecTensor(F32, [3], [0.0] * 3, role="Parameter"),
        "bias_rank": SpecTensor(F32, [2, 1], [0.0] * 2, role="Parameter"),
    }
    for name, tensor in broken.items():
        zeros = result(F32, [3, 2], [0.0] * 6)
        file.add(name, CONNECTED, {**good, name.partition("_")[0]: tensor}, zeros, FAILS)
    # 0.0625 is input scale x weights scale.
    _code_case(file, Q8, _named("bias_scale", shape), MIDDLE, 40, FAILS, bias_scale=0.0624)
    for name, scale in SMALL_BIASES.items():
        _code_case(file, Q8, _named(name, shape), SMALL, 40, FAILS, bias_scale=scale)
    _add_biases(file, BIASES_PAST_LIMIT, FAILS)
    return file


def _add_biases(file: EmittedFile, scales: Mapping[str, tuple[int, int]], variations: str) -> None:
    for name, (product, bias) in scales.items():
        scale = bias * BIAS_UNIT
        _code_case(file, Q8, _named(name, SHAPES[0]), with_product(product), 40, variations, bias_scale=scale)


CONNECTED_WEIGHTS = {"filter": parameter(F32, [3, 8], [0.5] * 24), "bias": parameter(F32, [3], [1.0, 2.0, 3.0])}


def _zero_sized() -> Iterable[EmittedFile]:
    for kind in (F32, *QUANTIZED):
        folder = "V1_3" if kind == Q8S else "V1_2"
        file = EmittedFile(folder, f"fully_connected_zero_sized_{LABELS[kind]}")
        file.examples.append(
            empty_batch(CONNECTED, kind, "filter", "bias", "0", constants=CONNECTED_WEIGHTS, dimensions=[0, 3])
        )
        yield file


PRODUCTS: dict[str, tuple[tuple[int, ...], int, int, int]] = {
    "matrices": ((), 2, 3, 4),
    "batch_of_outer_products": ((2,), 3, 1, 2),
    "two_batch_dimensions": ((2, 3), 1, 4, 2),
    "sizes_of_one": ((), 1, 1, 1),
}
"""Batch dimensions; rows, inner size and columns."""


def _product_case(file: EmittedFile, kind: OperandType, name: str, *, adj_x: bool, adj_y: bool) -> None:
    number = list(PRODUCTS).index(name)
    batches, rows, inner, columns = PRODUCTS[name]
    first = (*batches, inner, rows) if adj_x else (*batches, rows, inner)
    second = (*batches, columns, inner) if adj_y else (*batches, inner, columns)
    target = (0.0, 0)
    if kind == Q8S:
        x = quantized(kind, first, number, ((0.5, 120), (0.1, 0), (0.25, 255), (2.0, 128))[number], 60)
        y = quantized(kind, second, number + 9, ((0.125, 131), (0.3, 255), (0.5, 0), (1.0, 128))[number], 60)
        target = ((3.0, 4), (1.5, -128), (40.0, 127), (0.75, 0))[number]
    elif kind == INT32:
        x, y = (
            SpecTensor(INT32, dims, Source(number + i).integers(-9, 9, size_of(dims)))
            for i, dims in enumerate((first, second))
        )
    else:
        x, y = (SpecTensor(kind, dims, floats(number + i, dims)) for i, dims in enumerate((first, second)))
    rounded = {F32: np.float32, F16: np.float16}.get(kind, int)
    product = oracle.batch_matmul(numbers(x), numbers(y), adj_x=adj_x, adj_y=adj_y, number=rounded)
    values = product.values
    if kind == Q8S:
        values = requantized(values, (x.scale, [y.scale]), target, 0, RANGES[kind])
    label = "_".join([name, *["adjoint_x"] * adj_x, *["adjoint_y"] * adj_y])
    file.add(label, MATMUL, _factors(x, y, adj_x=adj_x, adj_y=adj_y), result(kind, product.dims, values, *target))


def _factors(x: SpecTensor, y: SpecTensor, *, adj_x: bool, adj_y: bool) -> dict[str, Operand]:
    return {"x": x, "y": y, "adj_x": f'BoolScalar("adj_x", {adj_x})', "adj_y": f'BoolScalar("adj_y", {adj_y})'}


def _product_files() -> Iterable[EmittedFile]:
    for kind in (F32, F16, INT32, Q8S):
        file = EmittedFile("AIDL_V2", f"batch_matmul_{LABELS[kind]}")
        for name in PRODUCTS:
            for adj_x in (False, True):
                for adj_y in (False, True):
                    _product_case(file, kind, name, adj_x=adj_x, adj_y=adj_y)
        yield file
    file = EmittedFile("AIDL_V2", "batch_matmul_invalid")
    for name, (first, second, adjoint) in {
        "inner_sizes": ([2, 3], [2, 3], False),
        "inner_sizes_of_adjoint": ([2, 3], [3, 2], True),
        "ranks": ([2, 3], [1, 3, 2], False),
        "batches": ([2, 2, 3], [3, 3, 2], False),
    }.items():
        x, y = (SpecTensor(F32, dims, floats(i, dims)) for i, dims in enumerate((first, second)))
        given = _factors(x, y, adj_x=adjoint, adj_y=False)
        dims = [*first[:-2], 3 if adjoint else 2, second[-1]]
        file.add(name, MATMUL, given, result(F32, dims, [0.0] * math.prod(dims)), FAILS)
    yield file


def files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    return [*_connected_files(), _connected_failures(), *_zero_sized(), *_product_files()]
