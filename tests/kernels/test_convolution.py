"""CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D, TRANSPOSE_CONV_2D against the second implementation."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import convolution as golden
from nnvet.oracle.operations.activation import activate, requantized
from nnvet.oracle.operations.invocation import Tensor
from tests.kernels.movement import flag, ints, number
from tests.kernels.random_operands import CODES, FLOATS, assert_close, assert_exact, code_range
from tests.kernels.sliding import (
    SAME,
    Geometry,
    Weighted,
    code_weighted,
    float_weighted,
    geometries,
    in_layout,
    trailing,
)
from tests.single import output, run_single, tensor

SOME = settings(derandomize=True, deadline=None, max_examples=100)
CLOSE = {"float32": (1e-5, 1e-5), "float16": (2**-10, 2**-12)}
"""Sums of some dozens of products of numbers about 1, in another order and in double precision."""
Sums = Callable[[Tensor, Tensor, Sequence[Any]], Tensor]


def check(operation: O, data: Weighted, others: Sequence[Argument], sums: Sums, code: int, *, nchw: bool) -> None:
    """Results are the expected ones, with constants and without."""
    expected = sums(*data.numbers)
    kind = T(data.output.type)
    inputs = [in_layout(data.images, nchw=nchw), data.weights, data.bias, *others]
    for constants in (True, False):
        outputs = [output(kind, data.output.scale, data.output.zero_point)]
        (result,) = run_single(operation, inputs, outputs, constants=constants)
        if nchw:
            result = result.transpose(0, 2, 3, 1)
        if kind in FLOATS:
            values = [activate(value, code) for value in expected.values]
            assert_close(result, expected.dims, values, CLOSE[result.dtype.name])
        else:
            target = (data.output.scale, data.output.zero_point)
            scales = (data.images.scale, data.weight_scales)
            codes = requantized(expected.values, scales, target, code, code_range(kind))
            assert_exact(result, expected.dims, codes)


def weighted(
    kind: T, per_channel: int | None, images: Sequence[int], weights: Sequence[int], channels: int
) -> st.SearchStrategy[Weighted]:
    """Operands of a kind; ``per_channel``: dimension of the filter that has scales of its own."""
    if kind in FLOATS:
        return float_weighted(kind, images, weights, channels)
    return code_weighted(kind, images, weights, channels, per_channel)


KINDS = st.sampled_from([(kind, False) for kind in FLOATS] + [(k, p) for k in CODES for p in (False, True)] * 2)
CODE = st.sampled_from((0, 0, 1, 2, 3))


@SOME
@given(st.data(), geometries(), KINDS, CODE, st.booleans())
def test_convolution(data: st.DataObject, geometry: Geometry, kind: tuple[T, bool], code: int, nchw: bool) -> None:
    """CONV_2D of every type, padding, stride, dilation, layout and activation."""
    batches, depth_in, depth_out = data.draw(st.tuples(*[st.integers(1, 3)] * 3))
    shapes = (batches, *geometry.size, depth_in), (depth_out, *geometry.cells, depth_in)
    operands = data.draw(weighted(kind[0], 0 if kind[1] else None, *shapes, depth_out))
    others = (*geometry.padding, *geometry.strides, number(code))
    others += trailing(data.draw, geometry, nchw=nchw, dilated=True)
    check(O.CONV_2D, operands, others, lambda x, w, b: golden.grouped(x, w, b, geometry.steps), code, nchw=nchw)


@SOME
@given(st.data(), geometries(dilation=3), KINDS, CODE, st.booleans())
def test_depthwise(data: st.DataObject, geometry: Geometry, kind: tuple[T, bool], code: int, nchw: bool) -> None:
    """DEPTHWISE_CONV_2D of every type, padding, stride, dilation, multiplier, layout and activation."""
    batches, depth_in, multiplier = data.draw(st.tuples(*[st.integers(1, 3)] * 3))
    depth_out = depth_in * multiplier
    shapes = (batches, *geometry.size, depth_in), (1, *geometry.cells, depth_out)
    operands = data.draw(weighted(kind[0], 3 if kind[1] else None, *shapes, depth_out))
    others = (*geometry.padding, *geometry.strides, number(multiplier), number(code))
    others += trailing(data.draw, geometry, nchw=nchw, dilated=True)
    check(
        O.DEPTHWISE_CONV_2D,
        operands,
        others,
        lambda x, w, b: golden.depthwise(x, w, b, geometry.steps, multiplier),
        code,
        nchw=nchw,
    )


@SOME
@given(st.data(), geometries(dilation=1), KINDS, CODE, st.booleans())
def test_grouped(data: st.DataObject, geometry: Geometry, kind: tuple[T, bool], code: int, nchw: bool) -> None:
    """GROUPED_CONV_2D of every type, padding, stride, number of groups, layout and activation."""
    batches, groups, depth_group, part = data.draw(st.tuples(*[st.integers(1, 3)] * 4))
    depth_out = groups * part
    shapes = (batches, *geometry.size, groups * depth_group), (depth_out, *geometry.cells, depth_group)
    operands = data.draw(weighted(kind[0], 0 if kind[1] else None, *shapes, depth_out))
    others = (*geometry.padding, *geometry.strides, number(groups), number(code), flag(value=nchw))
    check(
        O.GROUPED_CONV_2D,
        operands,
        others,
        lambda x, w, b: golden.grouped(x, w, b, geometry.steps, groups),
        code,
        nchw=nchw,
    )


def test_grouped_negative_padding() -> None:
    """GROUPED_CONV_2D takes negative padding, which crops the image."""
    values = np.arange(16.0).reshape(1, 4, 4, 1)
    paddings = (-1, 0, 0, -2)
    (result,) = run_single(
        O.GROUPED_CONV_2D,
        [
            tensor(T.TENSOR_FLOAT32, values),
            tensor(T.TENSOR_FLOAT32, [[[[2.0]]]]),
            tensor(T.TENSOR_FLOAT32, [0.5]),
            *map(number, (*paddings, 1, 1, 1, 0)),
            flag(value=False),
        ],
        [output(T.TENSOR_FLOAT32)],
    )
    # Without column 0 and rows 2 and 3: 2 x + 0.5 of 1, 2, 3 and 5, 6, 7.
    assert_exact(result, (1, 2, 3, 1), [2.5, 4.5, 6.5, 10.5, 12.5, 14.5])


@st.composite
def transposed_padding(
    draw: st.DrawFn, size: tuple[int, int], cells: tuple[int, int], stride: tuple[int, int], *, nchw: bool
) -> tuple[tuple[int, int, int, int], tuple[Argument, ...]]:
    """Paddings left, right, top, bottom of TRANSPOSE_CONV_2D, and the operands that ask for them."""
    full = [(size[i] - 1) * stride[1 - i] + cells[i] for i in (0, 1)]
    scheme = draw(st.sampled_from(("explicit", "explicit", "same", "valid")))
    if scheme == "explicit":
        (top, bottom), (left, right) = (
            (head, draw(st.integers(-2, length - head - 1)))
            for length, head in ((length, draw(st.integers(0, min(length - 1, 3)))) for length in full)
        )
        return (left, right, top, bottom), tuple(map(number, (left, right, top, bottom)))
    if scheme == "valid":
        return (0, 0, 0, 0), (ints(7, 7, 7, 7), number(draw(st.sampled_from((0, 2)))))
    # Lengths that `size` steps of the stride cover.
    wanted = [size[i] * stride[1 - i] - draw(st.integers(0, stride[1 - i] - 1)) for i in (0, 1)]
    (top, bottom), (left, right) = (golden.transposed_same_padding(wanted[i], cells[i], stride[1 - i]) for i in (0, 1))
    shape = (0, 0, *wanted) if nchw else (0, *wanted, 0)
    return (left, right, top, bottom), (ints(*shape), number(SAME))


@SOME
@given(st.data(), KINDS, CODE, st.booleans())
def test_transposed(data: st.DataObject, kind: tuple[T, bool], code: int, nchw: bool) -> None:
    """TRANSPOSE_CONV_2D of every type, padding (negative at the end), output shape, stride, layout, activation."""
    batches, depth_in, depth_out = data.draw(st.tuples(*[st.integers(1, 3)] * 3))
    pairs = st.tuples(st.integers(1, 3), st.integers(1, 3))
    size, cells, stride = data.draw(pairs), data.draw(pairs), data.draw(pairs)
    padding, operands = data.draw(transposed_padding(size, cells, stride, nchw=nchw))
    shapes = (batches, *size, depth_in), (depth_out, *cells, depth_in)
    tensors = data.draw(weighted(kind[0], 0 if kind[1] else None, *shapes, depth_out))
    others = (*operands, *map(number, stride), number(code), flag(value=nchw))
    steps = golden.Steps(padding, stride)
    check(O.TRANSPOSE_CONV_2D, tensors, others, lambda x, w, b: golden.transposed(x, w, b, steps), code, nchw=nchw)


@pytest.mark.parametrize(("depth_in", "bias"), [(300, 3 - 300 * 255 * 255), (300, 2**31 - 1), (70_000, -(2**31) + 1)])
@pytest.mark.parametrize("kind", CODES)
def test_extreme_sums(kind: T, depth_in: int, bias: int) -> None:
    """Sums beyond 2^24 and 2^31 are exact, and wrap around as int32 sums do."""
    low, high = code_range(kind)
    inputs = [
        tensor(kind, np.full((1, 1, 1, depth_in), high), 0.5, low),
        tensor(kind, np.full((1, 1, 1, depth_in), high), 0.5, low),
        tensor(T.TENSOR_INT32, [bias], 0.25),
        *map(number, (SAME, 1, 1, 0)),
    ]
    for scale in (0.25, 2.0**22):
        (result,) = run_single(O.CONV_2D, inputs, [output(kind, scale, low + 128)])
        total = depth_in * 255 * 255 + bias
        assert_exact(result, (1, 1, 1, 1), requantized([total], (0.5, [0.5]), (scale, low + 128), 0, (low, high)))


def test_plan_follows_shape() -> None:
    """One compiled operation gives the right answers when the input's shape changes and changes back."""
    weights = replace(tensor(T.TENSOR_FLOAT32, np.ones((1, 1, 2, 1))), constant=True)
    for width in (3, 5, 3):
        values = np.arange(float(width)).reshape(1, 1, width, 1)
        inputs = [
            tensor(T.TENSOR_FLOAT32, values),
            weights,
            tensor(T.TENSOR_FLOAT32, [0.0]),
            *map(number, (2, 1, 1, 0)),
        ]
        (result,) = run_single(O.CONV_2D, inputs, [output(T.TENSOR_FLOAT32)])
        # Sums of neighbours: 2 i + 1.
        assert_exact(result, (1, 1, width - 1, 1), [2.0 * i + 1 for i in range(width - 1)])
