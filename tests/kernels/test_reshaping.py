"""RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, RANK against the second implementation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import movement as golden
from tests.kernels.declared import Break, rules_to_break
from tests.kernels.movement import KINDS, WITH_INT32, check, ints, whole
from tests.kernels.random_operands import FEW, operands, shapes
from tests.single import omitted, output, run_single, tensor


@FEW
@given(data=st.data(), kind=st.sampled_from(WITH_INT32), shape=shapes())
def test_reshape(data: st.DataObject, kind: T, shape: tuple[int, ...]) -> None:
    """Elements keep their row-major order in any factorisation of their number, one factor left to -1 or none."""
    argument = data.draw(operands(kind, shape, special=True))
    target = data.draw(st.permutations(shape))
    cut = data.draw(st.integers(1, len(target)))
    target = [*target[: cut - 1], int(np.prod(target[cut - 1 :]))]
    if data.draw(st.booleans()):
        target[data.draw(st.integers(0, len(target) - 1))] = -1
    check(O.RESHAPE, [argument, tensor(T.TENSOR_INT32, target)], golden.reshape(whole(argument), target))


@FEW
@given(data=st.data(), kind=st.sampled_from(KINDS), shape=st.lists(st.integers(1, 2), min_size=1, max_size=4))
def test_squeeze(data: st.DataObject, kind: T, shape: list[int]) -> None:
    """Named dimensions of size 1 go, named from either end and more than once; with no names all go."""
    argument = data.draw(operands(kind, tuple(shape)))
    ones = [dim for dim, size in enumerate(shape) if size == 1]
    if not ones or data.draw(st.booleans()):
        check(
            O.SQUEEZE,
            [argument, replace(omitted(T.TENSOR_INT32), dimensions=(0,))],
            golden.squeeze(whole(argument), None),
        )
        return
    names = st.sampled_from([*ones, *(dim - len(shape) for dim in ones)])
    dims = data.draw(st.lists(names, min_size=1, max_size=5))
    check(O.SQUEEZE, [argument, tensor(T.TENSOR_INT32, dims)], golden.squeeze(whole(argument), dims))


@FEW
@given(data=st.data(), kind=st.sampled_from(WITH_INT32), shape=shapes(ranks=(1, 5), largest=3))
def test_expand_dims(data: st.DataObject, kind: T, shape: tuple[int, ...]) -> None:
    """A dimension of size 1 appears at any position, counted from either end."""
    argument = data.draw(operands(kind, shape))
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    check(O.EXPAND_DIMS, [argument, tensor(T.INT32, axis)], golden.expand_dims(whole(argument), axis))


@FEW
@given(data=st.data(), kind=st.sampled_from(KINDS), shape=shapes())
def test_transpose(data: st.DataObject, kind: T, shape: tuple[int, ...]) -> None:
    """Dimensions follow any permutation."""
    argument = data.draw(operands(kind, shape))
    perm = data.draw(st.permutations(range(len(shape))))
    check(O.TRANSPOSE, [argument, tensor(T.TENSOR_INT32, perm)], golden.transpose(whole(argument), perm))


@FEW
@given(argument=shapes(ranks=(2, 2)).flatmap(lambda shape: operands(T.TENSOR_FLOAT32, shape)))
def test_transpose_without_permutation(argument: Argument) -> None:
    """A matrix is transposed when the permutation is omitted."""
    check(O.TRANSPOSE, [argument, omitted(T.TENSOR_INT32)], golden.transpose(whole(argument), None))


def test_transpose_of_nothing() -> None:
    """A zero-sized tensor has its dimensions permuted."""
    argument = tensor(T.TENSOR_FLOAT32, np.zeros((0, 2, 3)))
    (result,) = run_single(O.TRANSPOSE, [argument, tensor(T.TENSOR_INT32, [2, 0, 1])], [output(T.TENSOR_FLOAT32)])
    assert result.shape == (3, 0, 2)


@pytest.mark.parametrize(
    "kind",
    [
        *WITH_INT32,
        T.TENSOR_BOOL8,
        T.TENSOR_QUANT16_SYMM,
        T.TENSOR_QUANT16_ASYMM,
        T.TENSOR_QUANT8_SYMM,
        T.TENSOR_QUANT8_SYMM_PER_CHANNEL,
    ],
)
@pytest.mark.parametrize("shape", [(3,), (2, 1), (1, 1, 2, 1, 1, 1)])
def test_rank(kind: T, shape: tuple[int, ...]) -> None:
    """The number of dimensions comes back as a scalar, for every type."""
    (result,) = run_single(O.RANK, [tensor(kind, np.zeros(shape), 0.5)], [output(T.INT32)])
    assert (result.shape, result.dtype, result.item()) == ((), np.int32, len(shape))


F32 = T.TENSOR_FLOAT32
OUT = [output(F32)]
CUBE = tensor(F32, np.zeros((2, 1, 3)))
FIVE = tensor(F32, np.zeros((1, 1, 1, 1, 1)))


BREAKS = [
    Break("RESHAPE/input.rank", [FIVE, ints(1)], OUT),
    Break("RESHAPE/shape.rank", [CUBE, tensor(T.TENSOR_INT32, [[6]])], OUT),
    Break("RESHAPE/shape.inferred", [CUBE, ints(-1, -1)], OUT),
    Break("RESHAPE/shape.values", [CUBE, ints(6, 0)], OUT),
    Break("RESHAPE/shape.values", [CUBE, ints(-2, -3)], OUT),
    Break("RESHAPE/shape.elements", [CUBE, ints(5)], OUT),
    Break("RESHAPE/shape.elements", [CUBE, ints(4, -1)], OUT),
    Break("SQUEEZE/input.rank", [FIVE, ints(0)], OUT),
    Break("SQUEEZE/dims.rank", [CUBE, tensor(T.TENSOR_INT32, [[1]])], OUT),
    Break("SQUEEZE/dims.declared", [CUBE, omitted(T.TENSOR_INT32)], OUT),
    Break("SQUEEZE/dims.range", [CUBE, ints(3)], OUT),
    Break("SQUEEZE/dims.range", [CUBE, ints(-4)], OUT),
    Break("SQUEEZE/dims.size", [CUBE, ints(1, 2)], OUT),
    Break("EXPAND_DIMS/axis.range", [CUBE, tensor(T.INT32, 4)], OUT),
    Break("EXPAND_DIMS/axis.range", [CUBE, tensor(T.INT32, -5)], OUT),
    Break("TRANSPOSE/input.rank", [FIVE, ints(0, 1, 2, 3, 4)], OUT),
    Break("TRANSPOSE/perm.rank", [CUBE, tensor(T.TENSOR_INT32, [[0, 1, 2]])], OUT),
    Break("TRANSPOSE/perm.omitted", [CUBE, omitted(T.TENSOR_INT32)], OUT),
    Break("TRANSPOSE/perm.length", [CUBE, ints(1, 0)], OUT),
    Break("TRANSPOSE/perm.range", [CUBE, ints(0, 1, -1)], OUT),
    Break("TRANSPOSE/perm.range", [CUBE, ints(0, 1, 3)], OUT),
    Break("TRANSPOSE/perm.distinct", [CUBE, ints(0, 1, 1)], OUT),
]


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: case.rule)
def test_broken_rule(case: Break) -> None:
    """Breaking a rule is answered with that rule and its status."""
    case.check()


def test_every_rule_is_broken() -> None:
    """The table above leaves no rule of the family out."""
    family = (O.RESHAPE, O.SQUEEZE, O.EXPAND_DIMS, O.TRANSPOSE, O.RANK)
    assert {case.rule for case in BREAKS} == rules_to_break(family)
