"""ADD, SUB, MUL, DIV against the second implementation, and their rules."""

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.errors import HalError
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import elementwise as golden
from nnvet.oracle.operations.invocation import Tensor
from tests.kernels.declared import Break, level_of, rules_to_break
from tests.kernels.movement import number, whole
from tests.kernels.random_operands import (
    CODES,
    FEW,
    FLOATS,
    assert_close,
    assert_exact,
    broadcastable,
    code_range,
    operands,
    quantizations,
)
from tests.kernels.windowed_calls import zeros
from tests.single import output, run_single, tensor

OPERATIONS = (O.ADD, O.SUB, O.MUL, O.DIV)
FLOAT, HALF, Q8, Q8S, INT32 = T.TENSOR_FLOAT32, T.TENSOR_FLOAT16, *CODES, T.TENSOR_INT32
ACTIVATIONS = st.sampled_from((0, 0, 1, 2, 3))
Shapes = tuple[tuple[int, ...], tuple[int, ...]]


@pytest.mark.parametrize("operation", OPERATIONS)
@FEW
@given(data=st.data(), shapes=broadcastable(), kind=st.sampled_from(FLOATS), code=ACTIVATIONS)
def test_floats(operation: O, data: st.DataObject, shapes: Shapes, kind: T, code: int) -> None:
    """One float32 rounding, NaN and infinity included; float16 is rounded once more at the end."""
    x, y = (data.draw(operands(kind, shape, special=True)) for shape in shapes)
    expected = golden.broadcast(whole(x), whole(y), lambda a, b: golden.of_floats(operation.name, a, b, code))
    (result,) = run_single(operation, [x, y, number(code)], [output(kind)])
    assert_close(result, expected.dims, expected.values, (1e-12, 0))


@pytest.mark.parametrize("operation", OPERATIONS)
@FEW
@given(data=st.data(), shapes=broadcastable())
def test_integers(operation: O, data: st.DataObject, shapes: Shapes) -> None:
    """TENSOR_INT32 wraps around; quotients round toward minus infinity, by zero they are zero."""
    x, y = (data.draw(operands(INT32, shape)) for shape in shapes)
    expected = golden.broadcast(whole(x), whole(y), lambda a, b: golden.of_integers(operation.name, a, b))
    (result,) = run_single(operation, [x, y, number(0)], [output(INT32)])
    assert_exact(result, expected.dims, expected.values)


@pytest.mark.parametrize("operation", OPERATIONS[:3])
@FEW
@given(data=st.data(), shapes=broadcastable(), kind=st.sampled_from(CODES), code=ACTIVATIONS)
def test_codes(operation: O, data: st.DataObject, shapes: Shapes, kind: T, code: int) -> None:
    """Every scale, zero point and activation, to the bit."""
    x, y = (data.draw(operands(kind, shape)) for shape in shapes)
    target = data.draw(quantizations(kind))
    if operation == O.MUL:
        assume(np.float32(target[0]) > np.float32(x.scale) * np.float32(y.scale))
    inputs = ((x.scale, x.zero_point), (y.scale, y.zero_point))

    def of(p: int, q: int) -> int:
        return golden.of_codes(operation.name, (p, q), inputs, target, code, code_range(kind))

    expected: Tensor = golden.broadcast(whole(x), whole(y), of)
    for constants in (True, False):
        (result,) = run_single(operation, [x, y, number(code)], [output(kind, *target)], constants=constants)
        assert_exact(result, expected.dims, expected.values)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("operation", OPERATIONS[:3])
@pytest.mark.parametrize("kind", CODES)
def test_all_pairs_of_codes(operation: O, kind: T) -> None:
    """All 65536 pairs, with scales that are powers of two, so that every kind of tie occurs."""
    low, high = code_range(kind)
    every = np.arange(low, high + 1)
    x, y = tensor(kind, every[:, None], 0.5, low + 100), tensor(kind, every, 0.25, low + 28)
    target = (1.0, low + 128)
    (result,) = run_single(operation, [x, y, number(0)], [output(kind, *target)])
    chosen = [(i, j) for i in range(0, 256, 5) for j in range(256)]
    inputs = ((x.scale, x.zero_point), (y.scale, y.zero_point))
    expected = [golden.of_codes(operation.name, (i + low, j + low), inputs, target, 0, (low, high)) for i, j in chosen]
    assert [int(result[i, j]) for i, j in chosen] == expected


LEVELS = {
    # docs/contract/operations/ADD.md and its siblings, Levels.
    O.ADD: {FLOAT: 1, HALF: 3, Q8: 1, Q8S: 4, INT32: 4},
    O.SUB: {FLOAT: 2, HALF: 3, Q8: 3, Q8S: 4, INT32: 4},
    O.MUL: {FLOAT: 1, HALF: 3, Q8: 1, Q8S: 4, INT32: 4},
    O.DIV: {FLOAT: 2, HALF: 3, Q8S: 4, INT32: 4},
}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("kind", [FLOAT, HALF, Q8, Q8S, INT32])
def test_levels(operation: O, kind: T) -> None:
    """Each type needs its level; DIV has no unsigned codes, and signed ones fail when they are divided."""
    inputs = [zeros(kind, 2, 2), zeros(kind, 2), number(0)]
    outputs = [output(kind, 1.0 if kind in CODES else 0.0, rank=2)]
    if kind not in LEVELS[operation]:
        with pytest.raises(HalError, match="DIV/types"):
            level_of(operation, inputs, outputs)
        return
    assert level_of(operation, inputs, outputs) == LEVELS[operation][kind]
    if operation != O.DIV or kind not in CODES:
        assert run_single(operation, inputs, outputs)[0].shape == (2, 2)


def _breaks() -> Iterable[Break]:
    for operation in OPERATIONS:
        name, out = operation.name, [output(FLOAT)]
        one, five = zeros(FLOAT, 2), zeros(FLOAT, 1, 1, 1, 1, 2)
        yield Break(f"{name}/ranks", [one, five, number(0)], out)
        yield Break(f"{name}/broadcast", [zeros(FLOAT, 2, 3), one, number(0)], out)
        for code in (-1, 4):
            yield Break(f"{name}/activation", [one, one, number(code)], out)
        for code in (1, 2, 3):
            wrong = [zeros(INT32, 2), zeros(INT32, 2), number(code)]
            yield Break(f"{name}/activation.int32", wrong, [output(INT32)])
    for kind in CODES:
        codes = [zeros(kind, 2), zeros(kind, 2), number(0)]
        # 2 x 0.5 / (2^20 x 2^-20) = 1.
        yield Break("ADD/output.multiplier", codes, [output(kind, 2.0**-20)])
        yield Break("SUB/output.multiplier", codes, [output(kind, 2.0**-20)])
        yield Break("MUL/output.scale", codes, [output(kind, 0.25)])
        tiny = [zeros(kind, 2, scale=1e-30), zeros(kind, 2, scale=1e-30), number(0)]
        yield Break("MUL/output.multiplier", tiny, [output(kind, 1.0)])
    yield Break("DIV/types.execution", [zeros(Q8S, 2), zeros(Q8S, 2), number(0)], [output(Q8S, 1.0)])


@pytest.mark.parametrize("broken", list(_breaks()), ids=lambda broken: broken.rule)
def test_broken_rules(broken: Break) -> None:
    """Each rule, broken alone, is the one that fails."""
    broken.check()


def test_every_rule_is_broken() -> None:
    """The table above leaves no declared rule out."""
    ranks = {f"{operation.name}/{name}.rank" for operation in OPERATIONS for name in ("input0", "input1")}
    assert {broken.rule for broken in _breaks()} == rules_to_break(OPERATIONS) - ranks


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("position", [0, 1])
def test_unknown_rank_waits(operation: O, position: int) -> None:
    """A rank above 4 makes a model invalid only if the other rank is known; the execution fails."""
    inputs = [zeros(FLOAT, 2), zeros(FLOAT, 2), number(0)]
    inputs[position] = zeros(FLOAT, 1, 1, 1, 1, 2)
    level_of(operation, [Argument(FLOAT) if i == 1 - position else x for i, x in enumerate(inputs)], [output(FLOAT)])
    with pytest.raises(HalError) as caught:
        run_single(operation, inputs, [output(FLOAT)])
    assert caught.value.rule == f"{operation.name}/input{position}.rank"


@pytest.mark.parametrize("operation", [O.ADD, O.SUB])
def test_empty_tensors(operation: O) -> None:
    """An empty operand gives an empty result; the range of the multiplier is then left unchecked."""
    inputs = [zeros(Q8, 0, 2), zeros(Q8, 1, 2), number(0)]
    (result,) = run_single(operation, inputs, [output(Q8, 2.0**-30)])
    assert result.shape == (0, 2)
