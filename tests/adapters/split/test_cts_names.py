"""CTS's tests of partitioning, introspection and failing drivers by their names; the expected answers are CTS's.

Those that only compare plans of float models are in ``test_steps.py``, those of tokens in ``test_caching.py``.
"""

from collections.abc import Sequence

import pytest

from nnvet.adapters.calls import prepare
from nnvet.adapters.split.assignment import ask
from nnvet.adapters.split.device import SplitDevice
from nnvet.adapters.split.plan import SplitOptions
from nnvet.adapters.split.steps import INTERPRETER
from nnvet.hal.enums import OperandLifeTime, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device
from nnvet.hal.types import Model, Operand, Operation, PrepareModelConfig, Subgraph
from nnvet.reference_driver import create
from tests.adapters.split.test_interpreting import (
    ACTIVATION,
    ADD,
    BRANCH,
    FLOAT,
    LESS,
    LOOP,
    NUMBER,
    SUB,
    VALUES,
    PartialDevice,
    control,
    numbers,
    of_life,
    part,
    result_of,
)

PREFERENCE = PrepareModelConfig().preference
MAXIMUM, MUL, SQRT = OperationType.MAXIMUM, OperationType.MUL, OperationType.SQRT


def chain(*kinds: OperationType) -> Model:
    """Operations of x and y, each of the last result and y."""
    operands = [*[of_life(NUMBER, OperandLifeTime.SUBGRAPH_INPUT)] * 2, ACTIVATION]
    operations, last = list[Operation](), 0
    for number, kind in enumerate(kinds):
        is_last = number == len(kinds) - 1
        life = OperandLifeTime.SUBGRAPH_OUTPUT if is_last else OperandLifeTime.TEMPORARY_VARIABLE
        operands.append(of_life(NUMBER, life))
        inputs = (last, 1) if kind == MAXIMUM else (last, 1, 2)
        last = len(operands) - 1
        operations.append(Operation(kind, inputs, (last,)))
    return Model(Subgraph(tuple(operands), tuple(operations), (0, 1), (last,)), operand_values=VALUES)


def parts_on(devices: Sequence[Device], model: Model) -> list[list[int]]:
    """The devices of the steps of each part of a model that is one IF or WHILE, which is interpreted."""
    plan = SplitDevice(devices).plan(model)
    assert [step.device for step in plan.steps(PREFERENCE)] == [INTERPRETER]
    return [[step.device for step in part.steps(PREFERENCE)] for part in plan.parts[0]]


def test_if_interpreted() -> None:
    """ControlFlowPartitioningTest.IF_Interpreted: both branches are on the old device."""
    assert parts_on([create("level_2"), PartialDevice(LESS)], BRANCH) == [[0], [0]]


def test_while_interpreted() -> None:
    """ControlFlowPartitioningTest.WHILE_Interpreted: the old device does not know the comparison."""
    assert parts_on([create("level_2"), PartialDevice(LESS)], LOOP) == [[1], [0]]


@pytest.mark.parametrize("model", [BRANCH, LOOP])
def test_control_flow_simple_plan(model: Model) -> None:
    """ControlFlowPartitioningTest.IF_SimplePlan, ControlFlowPartitioningTest.WHILE_SimplePlan: one device has all."""
    plan = SplitDevice([create("level_2"), create("")]).plan(model)
    assert [(step.device, step.model) for step in plan.steps(PREFERENCE)] == [(1, model)]


@pytest.mark.parametrize("outer", [(), (0,)])
def test_if_unknown_size(outer: tuple[int, ...]) -> None:
    """ControlFlowPartitioningTest.IF_UnknownSize: not interpreted, even where that is preferred."""
    model = control(OperationType.IF, (part([ADD]), part([SUB])), Operand(FLOAT, outer))
    plan = SplitDevice([create("level_2"), create("")], SplitOptions(interprets=True)).plan(model)
    assert [(step.device, step.model) for step in plan.steps(PREFERENCE)] == [(1, model)]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [((ADD, MAXIMUM), (True, False)), ((MAXIMUM, ADD), (False, True)), ((ADD, MUL), (True, True))],
)
def test_slicing(kinds: tuple[OperationType, ...], expected: tuple[bool, ...]) -> None:
    """IntrospectionSlicingTest.SlicingAddMax, IntrospectionSlicingTest.SlicingMaxAdd.

    IntrospectionSlicingTest.SlicingFullySupported: a driver of HAL 1.1 is asked.
    """
    assert ask([create("level_2")], chain(*kinds), is_lenient=False).supported == (expected,)


def test_partial_model_not_supported() -> None:
    """IntrospectionControlTest.PartialModelNotSupported: preparing fails."""
    device = SplitDevice([PartialDevice(ADD)])
    assert device.get_supported_operations(chain(ADD, MUL)) == (True, False)
    with pytest.raises(HalError):
        prepare(device, chain(ADD, MUL))


def test_model_need_two_devices() -> None:
    """IntrospectionControlTest.ModelNeedTwoDevices: (3 + 2) * 2."""
    prepared = prepare(SplitDevice([PartialDevice(ADD), PartialDevice(MUL)]), chain(ADD, MUL))
    assert result_of(prepared, *numbers(3, 2)) == 10


def test_fail_after_interpreted_while() -> None:
    """FailingDriverTest.FailAfterInterpretedWhile: another device does the last operation, and no loop runs again."""
    operands = (*LOOP.main.operands[:-1], NUMBER, of_life(NUMBER, OperandLifeTime.SUBGRAPH_OUTPUT))
    operations = (*LOOP.main.operations, Operation(SQRT, (4,), (5,)))
    model = Model(Subgraph(operands, operations, LOOP.main.input_indexes, (5,)), LOOP.referenced, VALUES)
    loop, failing, other = PartialDevice(ADD, LESS, SUB), PartialDevice(SQRT), PartialDevice(SQRT)
    failing.fails = lambda _: True
    device = SplitDevice([loop, failing, other], SplitOptions(fallback="partial"))
    # 2, 3, 5, 9: its root is 3.
    assert result_of(prepare(device, model), *numbers(2, 9)) == 3
    # Four comparisons and three rounds.
    assert [len(device.executions) for device in (loop, failing, other)] == [7, 1, 1]
