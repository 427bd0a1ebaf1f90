"""Operations on blocks of cells, and CHANNEL_SHUFFLE, against the second implementation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import movement as golden
from nnvet.oracle.operations.invocation import Tensor, to_nchw, to_nhwc
from tests.kernels.declared import Break, rules_to_break
from tests.kernels.movement import KINDS, check, flag, ints, number, whole
from tests.kernels.random_operands import FEW, operands, shapes
from tests.single import output, tensor

SIZES = st.integers(1, 3)
ANY_KIND = st.sampled_from(KINDS)
Sizes = tuple[int, int, int, int]


def images(
    data: st.DataObject, kind: T, nhwc: Sizes, *, layout: bool | None
) -> tuple[Argument, Tensor, list[Argument]]:
    """An input in a layout (None: flag not given), the same as NHWC, and the flag's operands."""
    n, h, w, c = nhwc
    argument = data.draw(operands(kind, (n, c, h, w) if layout else nhwc))
    flags = [] if layout is None else [flag(value=layout)]
    return argument, to_nhwc(whole(argument)) if layout else whole(argument), flags


LAYOUTS = st.sampled_from((None, False, True))


def laid_out(result: Tensor, *, layout: bool | None) -> Tensor:
    """An NHWC result in the layout."""
    return to_nchw(result) if layout else result


@FEW
@given(data=st.data(), kind=ANY_KIND, sizes=st.tuples(SIZES, SIZES, SIZES, SIZES), block=SIZES, layout=LAYOUTS)
def test_depth_to_space(data: st.DataObject, kind: T, sizes: Sizes, block: int, *, layout: bool | None) -> None:
    """Channels become blocks of cells, in either layout."""
    n, h, w, c = sizes
    argument, source, flags = images(data, kind, (n, h, w, c * block**2), layout=layout)
    expected = laid_out(golden.depth_to_space(source, block), layout=layout)
    check(O.DEPTH_TO_SPACE, [argument, number(block), *flags], expected)


@FEW
@given(data=st.data(), kind=ANY_KIND, sizes=st.tuples(SIZES, SIZES, SIZES, SIZES), block=SIZES, layout=LAYOUTS)
def test_space_to_depth(data: st.DataObject, kind: T, sizes: Sizes, block: int, *, layout: bool | None) -> None:
    """Blocks of cells become channels, in either layout."""
    n, h, w, c = sizes
    argument, source, flags = images(data, kind, (n, h * block, w * block, c), layout=layout)
    expected = laid_out(golden.space_to_depth(source, block), layout=layout)
    check(O.SPACE_TO_DEPTH, [argument, number(block), *flags], expected)


@FEW
@given(
    data=st.data(),
    kind=ANY_KIND,
    sizes=st.tuples(SIZES, SIZES, SIZES, SIZES),
    block=st.tuples(SIZES, SIZES),
    layout=LAYOUTS,
)
def test_batch_to_space(
    data: st.DataObject,
    kind: T,
    sizes: Sizes,
    block: tuple[int, int],
    *,
    layout: bool | None,
) -> None:
    """Batches become cells of blocks that need not be square, in either layout."""
    n, h, w, c = sizes
    argument, source, flags = images(data, kind, (n * block[0] * block[1], h, w, c), layout=layout)
    expected = laid_out(golden.batch_to_space(source, *block), layout=layout)
    check(O.BATCH_TO_SPACE_ND, [argument, ints(*block), *flags], expected)


@FEW
@given(
    data=st.data(),
    kind=ANY_KIND,
    sizes=st.tuples(SIZES, SIZES, SIZES, SIZES),
    block=st.tuples(SIZES, SIZES),
    layout=LAYOUTS,
)
def test_space_to_batch(
    data: st.DataObject,
    kind: T,
    sizes: Sizes,
    block: tuple[int, int],
    *,
    layout: bool | None,
) -> None:
    """Cells of blocks become batches after padding with real zero, in either layout."""
    argument, source, flags = images(data, kind, sizes, layout=layout)
    paddings = []
    for size, step in zip(sizes[1:3], block, strict=True):
        before = data.draw(SIZES)
        paddings.append((before, -(size + before) % step + step * data.draw(st.integers(0, 1))))
    expected = golden.space_to_batch(source, *block, (paddings[0], paddings[1]), argument.zero_point)
    inputs = [argument, ints(*block), tensor(T.TENSOR_INT32, paddings), *flags]
    check(O.SPACE_TO_BATCH_ND, inputs, laid_out(expected, layout=layout))


@FEW
@given(data=st.data(), kind=ANY_KIND, shape=shapes(largest=3), groups=st.integers(1, 4))
def test_channel_shuffle(data: st.DataObject, kind: T, shape: tuple[int, ...], groups: int) -> None:
    """Groups are interleaved along any axis, counted from either end."""
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    sizes = list(shape)
    sizes[axis] *= groups
    argument = data.draw(operands(kind, tuple(sizes)))
    expected = golden.channel_shuffle(whole(argument), groups, axis)
    check(O.CHANNEL_SHUFFLE, [argument, number(groups), number(axis)], expected)


F32, Q8 = T.TENSOR_FLOAT32, T.TENSOR_QUANT8_ASYMM
OUT = [output(F32)]
IMAGE = tensor(F32, np.zeros((4, 2, 2, 4)))
CUBE = tensor(F32, np.zeros((4, 2, 2)))
FIVE = tensor(F32, np.zeros((1, 1, 1, 1, 1)))
CODED = tensor(Q8, np.zeros((4, 2, 2, 4)), 0.5, 3)
WRONG = [output(Q8, 0.5, 4)]
NESTED = tensor(T.TENSOR_INT32, [[1, 1]])
NO_PADDING = tensor(T.TENSOR_INT32, [[0, 0], [0, 0]])

BREAKS = [
    Break("DEPTH_TO_SPACE/input.rank", [CUBE, number(1)], OUT),
    Break("DEPTH_TO_SPACE/block.value", [IMAGE, number(0)], OUT),
    Break("DEPTH_TO_SPACE/block.divides", [IMAGE, number(3)], OUT),
    Break("DEPTH_TO_SPACE/output.quantization", [CODED, number(2)], WRONG),
    Break("SPACE_TO_DEPTH/input.rank", [CUBE, number(1)], OUT),
    Break("SPACE_TO_DEPTH/block.value", [IMAGE, number(-1)], OUT),
    Break("SPACE_TO_DEPTH/block.divides", [IMAGE, number(3)], OUT),
    Break("SPACE_TO_DEPTH/output.quantization", [CODED, number(2)], WRONG),
    Break("BATCH_TO_SPACE_ND/input.rank", [CUBE, ints(1, 1)], OUT),
    Break("BATCH_TO_SPACE_ND/blocks.rank", [IMAGE, NESTED], OUT),
    Break("BATCH_TO_SPACE_ND/blocks.length", [IMAGE, ints(2)], OUT),
    Break("BATCH_TO_SPACE_ND/blocks.values", [IMAGE, ints(1, 0)], OUT),
    Break("BATCH_TO_SPACE_ND/blocks.divide", [IMAGE, ints(3, 1)], OUT),
    Break("BATCH_TO_SPACE_ND/output.quantization", [CODED, ints(2, 1)], WRONG),
    Break("SPACE_TO_BATCH_ND/input.rank", [CUBE, ints(1, 1), NO_PADDING], OUT),
    Break("SPACE_TO_BATCH_ND/blocks.rank", [IMAGE, NESTED, NO_PADDING], OUT),
    Break("SPACE_TO_BATCH_ND/paddings.rank", [IMAGE, ints(1, 1), ints(0, 0)], OUT),
    Break("SPACE_TO_BATCH_ND/blocks.length", [IMAGE, ints(1, 1, 1), NO_PADDING], OUT),
    Break("SPACE_TO_BATCH_ND/blocks.values", [IMAGE, ints(0, 1), NO_PADDING], OUT),
    Break("SPACE_TO_BATCH_ND/paddings.dimensions", [IMAGE, ints(1, 1), tensor(T.TENSOR_INT32, [[0, 0]])], OUT),
    Break("SPACE_TO_BATCH_ND/paddings.values", [IMAGE, ints(1, 1), tensor(T.TENSOR_INT32, [[0, 0], [0, -1]])], OUT),
    Break("SPACE_TO_BATCH_ND/blocks.divide", [IMAGE, ints(1, 2), tensor(T.TENSOR_INT32, [[0, 0], [0, 1]])], OUT),
    Break("SPACE_TO_BATCH_ND/output.quantization", [CODED, ints(1, 2), NO_PADDING], WRONG),
    Break("CHANNEL_SHUFFLE/input.rank", [FIVE, number(1), number(0)], OUT),
    Break("CHANNEL_SHUFFLE/axis.range", [IMAGE, number(2), number(4)], OUT),
    Break("CHANNEL_SHUFFLE/axis.range", [IMAGE, number(2), number(-5)], OUT),
    Break("CHANNEL_SHUFFLE/groups.value", [IMAGE, number(0), number(3)], OUT),
    Break("CHANNEL_SHUFFLE/groups.divide", [IMAGE, number(3), number(3)], OUT),
    Break("CHANNEL_SHUFFLE/output.quantization", [CODED, number(2), number(3)], WRONG),
]
FAMILY = (O.DEPTH_TO_SPACE, O.SPACE_TO_DEPTH, O.BATCH_TO_SPACE_ND, O.SPACE_TO_BATCH_ND, O.CHANNEL_SHUFFLE)


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: case.rule)
def test_broken_rule(case: Break) -> None:
    """Breaking a rule is answered with that rule and its status."""
    case.check()


def test_every_rule_is_broken() -> None:
    """The table above leaves no rule of the family out, nor the quantisation that outputs take from inputs."""
    inferred = {f"{operation.name}/output.quantization" for operation in FAMILY}
    assert {case.rule for case in BREAKS} == rules_to_break(FAMILY) | inferred
