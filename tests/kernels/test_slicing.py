"""SLICE, STRIDED_SLICE, GATHER, TOPK_V2 against the second implementation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import movement as golden
from nnvet.oracle.operations.invocation import Tensor
from tests.kernels.declared import Break, rules_to_break
from tests.kernels.movement import KINDS, WITH_INT32, check, ints, like, number, whole
from tests.kernels.random_operands import FEW, assert_exact, operands, shapes
from tests.single import output, run_single, tensor


@FEW
@given(data=st.data(), kind=st.sampled_from(WITH_INT32), shape=shapes(ranks=(1, 5), largest=3))
def test_slice(data: st.DataObject, kind: T, shape: tuple[int, ...]) -> None:
    """Any box inside the tensor, also an empty one, with sizes given or -1."""
    argument = data.draw(operands(kind, shape))
    begin = [data.draw(st.integers(0, size)) for size in shape]
    size = [data.draw(st.integers(-1, dim - b)) for dim, b in zip(shape, begin, strict=True)]
    expected = golden.slice_box(whole(argument), begin, size)
    check(O.SLICE, [argument, ints(*begin), ints(*size)], expected)


def test_slice_of_nothing() -> None:
    """An empty tensor has empty slices."""
    argument = tensor(T.TENSOR_FLOAT32, np.zeros((0, 2)))
    (result,) = run_single(O.SLICE, [argument, ints(0, 1), ints(-1, 1)], [output(T.TENSOR_FLOAT32)])
    assert result.shape == (0, 1)


@FEW
@given(data=st.data(), kind=st.sampled_from(KINDS), shape=shapes())
def test_strided_slice(data: st.DataObject, kind: T, shape: tuple[int, ...]) -> None:
    """Positions inside and outside, either direction, every mask."""
    argument = data.draw(operands(kind, shape))
    bits = st.integers(0, 2 ** len(shape) - 1)
    begin, end, strides = ([data.draw(st.integers(-6, 6)) for _ in shape] for _ in range(3))
    strides = [stride or 1 for stride in strides]
    masks = (data.draw(bits), data.draw(bits), 0)
    expected = golden.strided_slice(whole(argument), begin, end, strides, masks)
    check(O.STRIDED_SLICE, sliced(argument, begin, end, strides, masks), expected)


@FEW
@given(data=st.data(), kind=st.sampled_from(KINDS), shape=shapes())
def test_strided_slice_shrinks(data: st.DataObject, kind: T, shape: tuple[int, ...]) -> None:
    """Dimensions of which one element is taken may be dropped; if all are, shape [1] is left."""
    argument = data.draw(operands(kind, shape))
    begin = [data.draw(st.integers(-size, size - 1)) for size in shape]
    # The end after the last element of a dimension counted from its end is not 0 but the size.
    end = [size if b == -1 else b + 1 for b, size in zip(begin, shape, strict=True)]
    strides = [data.draw(st.integers(1, 3)) for _ in shape]
    masks = (0, 0, data.draw(st.integers(0, 2 ** len(shape) - 1)))
    expected = golden.strided_slice(whole(argument), begin, end, strides, masks)
    check(O.STRIDED_SLICE, sliced(argument, begin, end, strides, masks), expected)


def sliced(
    argument: Argument, begin: list[int], end: list[int], strides: list[int], masks: tuple[int, int, int]
) -> list[Argument]:
    """Inputs of a STRIDED_SLICE."""
    return [argument, ints(*begin), ints(*end), ints(*strides), *map(number, masks)]


@pytest.mark.parametrize(
    ("begin", "end", "stride", "masks", "expected"),
    [
        (1, 3, 1, (0, 0, 0), [1, 2]),
        (-3, -1, 1, (0, 0, 0), [1, 2]),
        (-9, 9, 2, (0, 0, 0), [0, 2]),
        (3, 0, -1, (0, 0, 0), [3, 2, 1]),
        (9, -9, -2, (0, 0, 0), [3, 1]),
        (1, -9, -1, (0, 0, 0), [1, 0]),
        (2, 1, 1, (1, 1, 0), [0, 1, 2, 3]),
        (0, 0, -1, (1, 1, 0), [3, 2, 1, 0]),
        (2, 3, 1, (0, 0, 1), [2]),
        (3, 3, 1, (0, 0, 0), []),
    ],
)
def test_strided_slice_by_hand(
    begin: int, end: int, stride: int, masks: tuple[int, int, int], expected: list[int]
) -> None:
    """Worked by hand on 0 1 2 3, by the formulas of the page."""
    argument = tensor(T.TENSOR_FLOAT32, [0, 1, 2, 3])
    check(O.STRIDED_SLICE, sliced(argument, [begin], [end], [stride], masks), Tensor(expected, (len(expected),)))


def test_strided_slice_keeps_declared_quantisation() -> None:
    """Scale and zero point of the output are its own; codes are copied all the same."""
    argument = tensor(T.TENSOR_QUANT8_ASYMM, [7, 8], 0.5, 3)
    (result,) = run_single(
        O.STRIDED_SLICE, sliced(argument, [0], [1], [1], (0, 0, 0)), [output(T.TENSOR_QUANT8_ASYMM, 0.25, 9)]
    )
    assert result.tolist() == [7]


@FEW
@given(
    data=st.data(),
    kind=st.sampled_from(WITH_INT32),
    shape=shapes(ranks=(1, 4), largest=3),
    places=shapes(ranks=(1, 3), largest=3),
)
def test_gather(data: st.DataObject, kind: T, shape: tuple[int, ...], places: tuple[int, ...]) -> None:
    """Indices of any shape replace the axis, counted from either end."""
    argument = data.draw(operands(kind, shape))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    values = [data.draw(st.integers(0, shape[axis] - 1)) for _ in range(int(np.prod(places)))]
    indices = tensor(T.TENSOR_INT32, np.reshape(values, places))
    check(O.GATHER, [argument, number(axis), indices], golden.gather(whole(argument), axis, whole(indices)))


@FEW
@given(data=st.data(), kind=st.sampled_from(WITH_INT32), shape=shapes(largest=5))
def test_topk(data: st.DataObject, kind: T, shape: tuple[int, ...]) -> None:
    """The largest come in order, of equal ones the last first."""
    drawn = data.draw(operands(kind, shape))
    # Few different values make ties likely.
    argument = tensor(kind, drawn.array.astype(np.int64) % 3, drawn.scale, drawn.zero_point)
    k = data.draw(st.integers(1, shape[-1]))
    values, indices = golden.topk(whole(argument), k)
    results = run_single(O.TOPK_V2, [argument, number(k)], [like(argument), output(T.TENSOR_INT32)])
    assert_exact(results[0], values.dims, values.values)
    assert_exact(results[1], indices.dims, indices.values)


@FEW
@given(argument=operands(T.TENSOR_FLOAT32, (3, 6)))
def test_topk_of_distinct_floats(argument: Argument) -> None:
    """All of a row come out sorted."""
    values, indices = golden.topk(whole(argument), 6)
    assume(len(set(values.values)) == 18)
    results = run_single(O.TOPK_V2, [argument, number(6)], [output(T.TENSOR_FLOAT32), output(T.TENSOR_INT32)])
    assert_exact(results[0], values.dims, values.values)
    assert_exact(results[1], indices.dims, indices.values)


F32 = T.TENSOR_FLOAT32
OUT = [output(F32)]
TOP = [output(F32), output(T.TENSOR_INT32)]
MATRIX = tensor(F32, np.zeros((2, 3)))
FIVE = tensor(F32, np.zeros((1, 1, 1, 1, 1)))
NESTED = tensor(T.TENSOR_INT32, [[0, 0]])
ORIGIN, ENDS, STEPS = ints(0, 0), ints(2, 3), ints(1, 1)
FREE = (number(0), number(0), number(0))
CODED = tensor(T.TENSOR_QUANT8_ASYMM, [1, 2, 3], 0.5, 3)

BREAKS = [
    Break("SLICE/begin.rank", [MATRIX, NESTED, ENDS], OUT),
    Break("SLICE/size.rank", [MATRIX, ORIGIN, NESTED], OUT),
    Break("SLICE/begin.length", [MATRIX, ints(0), ENDS], OUT),
    Break("SLICE/size.length", [MATRIX, ORIGIN, ints(0, 0, 0)], OUT),
    Break("SLICE/begin.range", [MATRIX, ints(0, -1), ints(1, 1)], OUT),
    Break("SLICE/begin.range", [MATRIX, ints(3, 0), ints(-1, 1)], OUT),
    Break("SLICE/size.range", [MATRIX, ORIGIN, ints(1, -2)], OUT),
    Break("SLICE/size.range", [MATRIX, ints(1, 0), ints(2, 1)], OUT),
    Break("STRIDED_SLICE/input.rank", [FIVE, *[ints(0, 0, 0, 0, 1)] * 3, *FREE], OUT),
    Break("STRIDED_SLICE/begin.rank", [MATRIX, NESTED, ENDS, STEPS, *FREE], OUT),
    Break("STRIDED_SLICE/end.rank", [MATRIX, ORIGIN, NESTED, STEPS, *FREE], OUT),
    Break("STRIDED_SLICE/strides.rank", [MATRIX, ORIGIN, ENDS, NESTED, *FREE], OUT),
    Break("STRIDED_SLICE/begin.length", [MATRIX, ints(0), ENDS, STEPS, *FREE], OUT),
    Break("STRIDED_SLICE/end.length", [MATRIX, ORIGIN, ints(1, 1, 1), STEPS, *FREE], OUT),
    Break("STRIDED_SLICE/strides.length", [MATRIX, ORIGIN, ENDS, ints(1), *FREE], OUT),
    Break("STRIDED_SLICE/strides.values", [MATRIX, ORIGIN, ENDS, ints(1, 0), *FREE], OUT),
    Break(
        "STRIDED_SLICE/shrink_axis_mask.stride",
        [MATRIX, ORIGIN, ints(-9, -9), ints(-1, -1), number(0), number(0), number(2)],
        OUT,
    ),
    Break("STRIDED_SLICE/shrink_axis_mask.size", [MATRIX, ORIGIN, ENDS, STEPS, number(0), number(0), number(1)], OUT),
    Break(
        "STRIDED_SLICE/shrink_axis_mask.size",
        [MATRIX, ints(-1, 0), ints(0, 1), STEPS, number(0), number(0), number(1)],
        OUT,
    ),
    Break("GATHER/axis.range", [MATRIX, number(2), ints(0)], OUT),
    Break("GATHER/axis.range", [MATRIX, number(-3), ints(0)], OUT),
    Break("GATHER/indices.values", [MATRIX, number(0), ints(0, 2)], OUT),
    Break("GATHER/indices.values", [MATRIX, number(0), ints(-1)], OUT),
    Break("TOPK_V2/k.range", [MATRIX, number(0)], TOP),
    Break("TOPK_V2/k.range", [MATRIX, number(4)], TOP),
    Break(
        "TOPK_V2/output.quantization",
        [CODED, number(1)],
        [output(T.TENSOR_QUANT8_ASYMM, 0.5, 4), output(T.TENSOR_INT32)],
    ),
    Break("TOPK_V2/output.quantization", [MATRIX, number(1)], [output(F32), output(T.TENSOR_INT32, 0.5)]),
]


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: case.rule)
def test_broken_rule(case: Break) -> None:
    """Breaking a rule is answered with that rule and its status."""
    case.check()


def test_every_rule_is_broken() -> None:
    """The table above leaves no rule of the family out."""
    family = (O.SLICE, O.STRIDED_SLICE, O.GATHER, O.TOPK_V2)
    # The last one is checked by the driver for every operation whose output takes the input's quantisation.
    assert {case.rule for case in BREAKS} == rules_to_break(family) | {"TOPK_V2/output.quantization"}
