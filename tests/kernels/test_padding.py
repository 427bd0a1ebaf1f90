"""PAD, PAD_V2, MIRROR_PAD against the second implementation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import movement as golden
from nnvet.oracle.operations.invocation import Tensor
from tests.kernels.declared import Break, rules_to_break
from tests.kernels.movement import KINDS, WITH_INT32, check, ints, number, whole
from tests.kernels.random_operands import CODES, FEW, operands, shapes
from tests.single import output, tensor

SCALARS = {T.TENSOR_FLOAT32: T.FLOAT32, T.TENSOR_FLOAT16: T.FLOAT16}


def pairs(*values: tuple[int, int]) -> Argument:
    """Paddings as the operations take them."""
    return tensor(T.TENSOR_INT32, values)


def drawn_paddings(data: st.DataObject, limits: tuple[int, ...]) -> list[tuple[int, int]]:
    """Cells before and after each dimension, at most its limit."""
    return [(data.draw(st.integers(0, limit)), data.draw(st.integers(0, limit))) for limit in limits]


@FEW
@given(data=st.data(), kind=st.sampled_from(KINDS), shape=shapes(largest=3))
def test_pad(data: st.DataObject, kind: T, shape: tuple[int, ...]) -> None:
    """Borders hold real zero: 0, or the zero point."""
    argument = data.draw(operands(kind, shape, special=True))
    paddings = drawn_paddings(data, (2,) * len(shape))
    check(O.PAD, [argument, pairs(*paddings)], golden.pad(whole(argument), paddings, argument.zero_point))


@FEW
@given(data=st.data(), kind=st.sampled_from(KINDS), shape=shapes(largest=3))
def test_pad_v2(data: st.DataObject, kind: T, shape: tuple[int, ...]) -> None:
    """Borders hold the value; for codes it is a code, of which the low byte counts."""
    argument = data.draw(operands(kind, shape))
    paddings = drawn_paddings(data, (2,) * len(shape))
    if kind in CODES:
        value = number(data.draw(st.integers(-128, 255) | st.integers(-(2**31), 2**31 - 1)))
        border = golden.low_byte(value.array.item(), signed=kind == T.TENSOR_QUANT8_ASYMM_SIGNED)
    else:
        value = tensor(SCALARS[kind], data.draw(st.floats(-100, 100)))
        border = value.array.item()
    check(O.PAD_V2, [argument, pairs(*paddings), value], golden.pad(whole(argument), paddings, border))


@FEW
@given(
    data=st.data(),
    kind=st.sampled_from(WITH_INT32),
    shape=shapes(ranks=(1, 5), largest=3),
    mode=st.sampled_from((0, 1)),
)
def test_mirror_pad(data: st.DataObject, kind: T, shape: tuple[int, ...], mode: int) -> None:
    """Borders mirror the tensor in every dimension, up to the largest padding the mode allows."""
    argument = data.draw(operands(kind, shape))
    paddings = drawn_paddings(data, tuple(size - 1 + mode for size in shape))
    expected = golden.mirror_pad(whole(argument), paddings, mode)
    check(O.MIRROR_PAD, [argument, pairs(*paddings), number(mode)], expected)


def test_mirror_pad_by_hand() -> None:
    """The two modes on 1 2 3: the border cell is left out, or repeated."""
    row = tensor(T.TENSOR_INT32, [1, 2, 3])
    reflected, symmetric = ([3, 2, 1, 2, 3, 2], [2, 1, 1, 2, 3, 3])
    check(O.MIRROR_PAD, [row, pairs((2, 1)), number(0)], Tensor(reflected, (6,)))
    check(O.MIRROR_PAD, [row, pairs((2, 1)), number(1)], Tensor(symmetric, (6,)))


F32, Q8 = T.TENSOR_FLOAT32, T.TENSOR_QUANT8_ASYMM
OUT = [output(F32)]
ROW = tensor(F32, [1, 2, 3])
FIVE = tensor(F32, np.zeros((1, 1, 1, 1, 1)))
NOTHING = pairs(*[(0, 0)] * 5)
ZERO = tensor(T.FLOAT32, 0)
CODED = tensor(Q8, [1, 2, 3], 0.5, 3)

BREAKS = [
    Break("PAD/input.rank", [FIVE, NOTHING], OUT),
    Break("PAD/paddings.rank", [ROW, ints(0, 0)], OUT),
    Break("PAD/paddings.dimensions", [ROW, pairs((0, 0), (0, 0))], OUT),
    Break("PAD/paddings.dimensions", [ROW, tensor(T.TENSOR_INT32, [[0, 0, 0]])], OUT),
    Break("PAD/paddings.values", [ROW, pairs((-1, 1))], OUT),
    Break("PAD/output.quantization", [CODED, pairs((0, 1))], [output(Q8, 0.5, 4)]),
    Break("PAD_V2/input.rank", [FIVE, NOTHING, ZERO], OUT),
    Break("PAD_V2/paddings.rank", [ROW, ints(0, 0), ZERO], OUT),
    Break("PAD_V2/paddings.dimensions", [ROW, pairs((0, 0), (0, 0)), ZERO], OUT),
    Break("PAD_V2/paddings.values", [ROW, pairs((1, -1)), ZERO], OUT),
    Break("PAD_V2/output.quantization", [CODED, pairs((0, 1)), number(0)], [output(Q8, 0.25, 3)]),
    Break("MIRROR_PAD/paddings.rank", [ROW, ints(0, 0), number(0)], OUT),
    Break("MIRROR_PAD/paddings.shape", [ROW, pairs((0, 0), (0, 0)), number(0)], OUT),
    Break("MIRROR_PAD/paddings.shape", [ROW, tensor(T.TENSOR_INT32, [[0, 0, 0]]), number(0)], OUT),
    Break("MIRROR_PAD/paddings.values", [ROW, pairs((-1, 0)), number(0)], OUT),
    Break("MIRROR_PAD/output.rank", [ROW, pairs((0, 0)), number(0)], [output(F32, rank=2)]),
    Break("MIRROR_PAD/quantization", [CODED, pairs((0, 0)), number(0)], [output(Q8, 0.5, 4)]),
    Break("MIRROR_PAD/mode", [ROW, pairs((0, 0)), number(2)], OUT),
    Break("MIRROR_PAD/paddings.range", [ROW, pairs((0, 3)), number(0)], OUT),
    Break("MIRROR_PAD/paddings.range", [ROW, pairs((4, 0)), number(1)], OUT),
]
INFERRED = {"PAD/output.quantization", "PAD_V2/output.quantization"}
"""Checked by the driver for every operation whose output takes the input's quantisation."""


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: case.rule)
def test_broken_rule(case: Break) -> None:
    """Breaking a rule is answered with that rule and its status."""
    case.check()


def test_every_rule_is_broken() -> None:
    """The table above leaves no rule of the family out."""
    assert {case.rule for case in BREAKS} == rules_to_break((O.PAD, O.PAD_V2, O.MIRROR_PAD)) | INFERRED
