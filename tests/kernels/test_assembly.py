"""CONCATENATION, PACK, SPLIT, TILE, FILL, REVERSE against the second implementation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.errors import HalError
from nnvet.hal.types import DataLocation, FeatureLevel, Model, Operand, OperandLifeTime, Operation, Subgraph
from nnvet.hal.validation import validate_model
from nnvet.oracle.operations import movement as golden
from tests.kernels.declared import Break, rules_to_break
from tests.kernels.movement import KINDS, WITH_INT32, check, ints, like, number, whole
from tests.kernels.random_operands import CODES, FEW, assert_exact, operands, quantizations, shapes
from tests.single import output, run_single, tensor

BOTH = st.booleans()


@FEW
@given(data=st.data(), kind=st.sampled_from(KINDS), shape=shapes(), count=st.integers(1, 4))
def test_concatenation(data: st.DataObject, kind: T, shape: tuple[int, ...], count: int) -> None:
    """Inputs follow each other; 8-bit ones with another scale or zero point are requantised to the bit."""
    axis = data.draw(st.integers(0, len(shape) - 1))
    inputs = [
        data.draw(operands(kind, (*shape[:axis], data.draw(st.integers(1, 3)), *shape[axis + 1 :])))
        for _ in range(count)
    ]
    target = (0.0, 0)
    if kind in CODES:
        # Often the first input's own quantisation, which copies it.
        first = (inputs[0].scale, inputs[0].zero_point)
        target = data.draw(st.just(first) | quantizations(kind))
    lowest = 0 if kind == T.TENSOR_QUANT8_ASYMM else -128
    tensors = [
        golden.requantized(whole(a), (a.scale, a.zero_point), target, lowest) if kind in CODES else whole(a)
        for a in inputs
    ]
    expected = golden.concatenation(tensors, axis)
    (result,) = run_single(O.CONCATENATION, [*inputs, number(axis)], [output(kind, *target)])
    assert_exact(result, expected.dims, expected.values)


def test_requantisation_rounds_halves_away() -> None:
    """Worked by hand: scale 0.5 to 1 with zero points 128 halves codes, and 1.5 and -1.5 become 2 and -2."""
    source = tensor(T.TENSOR_QUANT8_ASYMM, [125, 127, 129, 131, 0, 255], 0.5, 128)
    (result,) = run_single(O.CONCATENATION, [source, number(0)], [output(T.TENSOR_QUANT8_ASYMM, 1.0, 128)])
    # real values -1.5, -0.5, 0.5, 1.5, -64, 63.5
    assert result.tolist() == [126, 127, 129, 130, 64, 192]


def test_concatenation_with_empty_input() -> None:
    """An empty input adds nothing; only empty inputs make an empty output."""
    empty, two = (tensor(T.TENSOR_FLOAT32, np.ones((count, 3))) for count in (0, 2))
    out = [output(T.TENSOR_FLOAT32)]
    assert run_single(O.CONCATENATION, [empty, two, empty, number(0)], out)[0].shape == (2, 3)
    assert run_single(O.CONCATENATION, [empty, empty, number(1)], out)[0].shape == (0, 6)


@FEW
@given(data=st.data(), kind=st.sampled_from(WITH_INT32), shape=shapes(), count=st.integers(1, 4))
def test_pack(data: st.DataObject, kind: T, shape: tuple[int, ...], count: int) -> None:
    """Equal shapes stand side by side along a new axis at any position."""
    first = data.draw(operands(kind, shape))
    rest = [tensor(kind, np.flip(first.array) + i, first.scale, first.zero_point) for i in range(1, count)]
    axis = data.draw(st.integers(0, len(shape)))
    inputs = [number(axis), first, *rest]
    check(O.PACK, inputs, golden.pack([whole(argument) for argument in inputs[1:]], axis), source=1)


@FEW
@given(data=st.data(), kind=st.sampled_from(WITH_INT32), shape=shapes(ranks=(1, 5), largest=3), parts=st.integers(1, 4))
def test_split(data: st.DataObject, kind: T, shape: tuple[int, ...], parts: int) -> None:
    """Equal parts come in order, along an axis counted from either end."""
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    sizes = list(shape)
    sizes[axis] *= parts
    argument = data.draw(operands(kind, tuple(sizes)))
    check(O.SPLIT, [argument, number(axis), number(parts)], *golden.split(whole(argument), axis, parts))


@FEW
@given(data=st.data(), kind=st.sampled_from(WITH_INT32), shape=shapes(ranks=(1, 5), largest=3))
def test_tile(data: st.DataObject, kind: T, shape: tuple[int, ...]) -> None:
    """Every dimension is repeated as often as asked."""
    argument = data.draw(operands(kind, shape))
    multiples = [data.draw(st.integers(1, 3)) for _ in shape]
    check(O.TILE, [argument, ints(*multiples)], golden.tile(whole(argument), multiples))


@pytest.mark.parametrize(
    ("kind", "scalar", "value"),
    [
        (T.TENSOR_FLOAT32, T.FLOAT32, 0.1),
        (T.TENSOR_FLOAT32, T.FLOAT32, float("inf")),
        (T.TENSOR_FLOAT16, T.FLOAT16, 0.1),
        (T.TENSOR_INT32, T.INT32, -(2**31)),
    ],
)
@pytest.mark.parametrize("dims", [(3,), (2, 1, 3), (1,) * 6])
def test_fill(kind: T, scalar: T, value: float, dims: tuple[int, ...]) -> None:
    """Every element has the value, bit for bit."""
    (result,) = run_single(O.FILL, [ints(*dims), tensor(scalar, value)], [output(kind)])
    assert_exact(result, dims, [tensor(scalar, value).array.item()] * int(np.prod(dims)))


def test_fill_nothing() -> None:
    """A size of 0 makes an empty tensor."""
    (result,) = run_single(O.FILL, [ints(2, 0), tensor(T.FLOAT32, 1)], [output(T.TENSOR_FLOAT32)])
    assert result.shape == (2, 0)


@FEW
@given(data=st.data(), kind=st.sampled_from(WITH_INT32), shape=shapes(ranks=(1, 8), largest=2))
def test_reverse(data: st.DataObject, kind: T, shape: tuple[int, ...]) -> None:
    """One axis runs backwards."""
    argument = data.draw(operands(kind, shape))
    axis = data.draw(st.integers(0, len(shape) - 1))
    check(O.REVERSE, [argument, ints(axis)], golden.reverse(whole(argument), axis))


F32, Q8 = T.TENSOR_FLOAT32, T.TENSOR_QUANT8_ASYMM
OUT = [output(F32)]
CUBE = tensor(F32, np.zeros((2, 1, 3)))
FIVE = tensor(F32, np.zeros((1, 1, 1, 1, 1)))
NINE = tensor(F32, np.zeros((1,) * 9))
MATRIX = tensor(F32, np.zeros((2, 3)))
CODED = tensor(Q8, np.zeros((2, 3)), 0.5, 3)
NESTED = tensor(T.TENSOR_INT32, [[1]])

BREAKS = [
    Break("CONCATENATION/inputs.rank", [FIVE, FIVE, number(0)], OUT),
    Break("CONCATENATION/inputs.same_rank", [CUBE, MATRIX, number(0)], OUT),
    Break("CONCATENATION/axis.range", [MATRIX, MATRIX, number(2)], OUT),
    Break("CONCATENATION/axis.range", [MATRIX, MATRIX, number(-1)], OUT),
    Break("CONCATENATION/inputs.dimensions", [MATRIX, tensor(F32, [[1, 2]]), number(0)], OUT),
    Break("PACK/quantization", [number(0), CODED, tensor(Q8, np.zeros((2, 3)), 0.5, 4)], [like(CODED)]),
    Break("PACK/quantization", [number(0), CODED, CODED], [output(Q8, 0.25, 3)]),
    Break("PACK/output.rank", [number(0), CUBE, MATRIX], OUT),
    Break("PACK/output.rank", [number(0), MATRIX], [output(F32, rank=2)]),
    Break("PACK/inputs.dimensions", [number(0), MATRIX, tensor(F32, [[1, 2]])], OUT),
    Break("PACK/axis.range", [number(3), MATRIX], OUT),
    Break("PACK/axis.range", [number(-1), MATRIX], OUT),
    Break("SPLIT/num_splits.outputs", [MATRIX, number(0), number(2)], OUT, ErrorStatus.INVALID_ARGUMENT),
    Break("SPLIT/axis.range", [MATRIX, number(2), number(1)], OUT),
    Break("SPLIT/axis.range", [MATRIX, number(-3), number(1)], OUT),
    Break("SPLIT/num_splits.divides", [MATRIX, number(1), number(2)], OUT * 2),
    Break("TILE/multiples.rank", [MATRIX, NESTED], OUT),
    Break("TILE/multiples.length", [MATRIX, ints(1)], OUT),
    Break("TILE/multiples.values", [MATRIX, ints(1, 0)], OUT),
    Break("FILL/dims.rank", [NESTED, tensor(T.FLOAT32, 0)], OUT),
    Break("FILL/dims.values", [ints(2, -1), tensor(T.FLOAT32, 0)], OUT),
    Break("REVERSE/input.rank", [NINE, ints(0)], OUT),
    Break("REVERSE/axis.rank", [MATRIX, NESTED], OUT),
    Break("REVERSE/axis.dimension", [MATRIX, ints(0, 1)], OUT),
    Break("REVERSE/output.rank", [MATRIX, ints(0)], [output(F32, rank=3)]),
    Break("REVERSE/quantization", [CODED, ints(0)], [output(Q8, 0.5, 4)]),
    Break("REVERSE/axis.range", [MATRIX, ints(2)], OUT),
    Break("REVERSE/axis.range", [MATRIX, ints(-1)], OUT),
    Break("SPLIT/output.quantization", [CODED, number(0), number(1)], [output(Q8, 0.25, 3)]),
    Break("TILE/output.quantization", [CODED, ints(1, 1)], [output(Q8, 0.5, 4)]),
]
INFERRED = {"SPLIT/output.quantization", "TILE/output.quantization"}
"""Checked by the driver for every operation whose output takes the input's quantisation."""


def test_packing_into_an_output_of_rank_1() -> None:
    """The model is valid, as for Android, since 1 less than 1 stands for an unknown rank; it cannot be executed."""
    tensors, axis = Operand(T.TENSOR_FLOAT32, (2, 3)), Operand(T.INT32, lifetime=OperandLifeTime.CONSTANT_COPY)
    axis = replace(axis, location=DataLocation(length=4))
    inputs = replace(tensors, lifetime=OperandLifeTime.SUBGRAPH_INPUT)
    result = Operand(T.TENSOR_FLOAT32, (0,), lifetime=OperandLifeTime.SUBGRAPH_OUTPUT)
    main = Subgraph((axis, inputs, result), (Operation(O.PACK, (0, 1), (2,)),), (1,), (2,))
    validate_model(Model(main, operand_values=bytes(4)), FeatureLevel.FL8)
    with pytest.raises(HalError):
        run_single(O.PACK, [number(0), MATRIX], [output(F32, rank=1)])


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: case.rule)
def test_broken_rule(case: Break) -> None:
    """Breaking a rule is answered with that rule and its status."""
    case.check()


def test_every_rule_is_broken() -> None:
    """The table above leaves no rule of the family out."""
    family = (O.CONCATENATION, O.PACK, O.SPLIT, O.TILE, O.FILL, O.REVERSE)
    assert {case.rule for case in BREAKS} == rules_to_break(family) | INFERRED
