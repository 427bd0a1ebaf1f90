"""IF and WHILE whose parts are on different devices, none of which has control flow; expected values are by hand."""

import struct
from pathlib import Path

import pytest

from nnvet.adapters.calls import prepare
from nnvet.adapters.split.assignment import GivenDevices
from nnvet.adapters.split.device import SplitDevice
from nnvet.adapters.split.plan import SplitOptions
from nnvet.adapters.split.steps import INTERPRETER
from nnvet.driver_kit.blob_cache import STATE_VARIABLE
from nnvet.graphs.hal_model import create_pool
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, FeatureLevel, OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import mapped
from nnvet.hal.types import (
    DataLocation,
    ExecutionConfig,
    Model,
    Operand,
    Operation,
    PrepareModelConfig,
    Request,
    RequestArgument,
    Subgraph,
    Timing,
)
from nnvet.reference_driver import create
from tests.adapters.split.networks import CountingDevice
from tests.adapters.split.test_caching import TOKEN, SavingDevice, load, save

FLOAT, FLAG, LIFE = OperandType.TENSOR_FLOAT32, OperandType.TENSOR_BOOL8, OperandLifeTime
NUMBER = Operand(FLOAT, (1,))
VALUES = struct.pack("if", 0, 1.0)
"""No activation, and the number 1."""
PLAIN = ExecutionConfig()
ACTIVATION = Operand(OperandType.INT32, lifetime=LIFE.CONSTANT_COPY, location=DataLocation(0, 0, 4))
ONE = Operand(FLOAT, (1,), lifetime=LIFE.CONSTANT_COPY, location=DataLocation(0, 4, 4))


class PartialDevice(CountingDevice):
    """The bundled driver with some types of operations alone."""

    def __init__(self, *kinds: OperationType) -> None:
        """Support these."""
        super().__init__(create(""))
        self._kinds = kinds

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """Those of its types."""
        return tuple(operation.type in self._kinds for operation in model.main.operations)


def of_life(operand: Operand, lifetime: OperandLifeTime) -> Operand:
    """The operand with another lifetime."""
    return Operand(operand.type, operand.dimensions, lifetime=lifetime)


def part(kinds: list[OperationType], result: Operand = NUMBER) -> Subgraph:
    """Two inputs x and y: x+x, or x+x-1, or x-1, or x < y."""
    operands = [of_life(NUMBER, LIFE.SUBGRAPH_INPUT)] * 2 + [ACTIVATION, ONE]
    operations, last = [], 0
    for number, kind in enumerate(kinds):
        is_last = number == len(kinds) - 1
        operands.append(of_life(result, LIFE.SUBGRAPH_OUTPUT if is_last else LIFE.TEMPORARY_VARIABLE))
        other = {OperationType.ADD: last, OperationType.SUB: 3, OperationType.LESS: 1}[kind]
        inputs = (last, other) if kind == OperationType.LESS else (last, other, 2)
        operations.append(Operation(kind, inputs, (len(operands) - 1,)))
        last = len(operands) - 1
    return Subgraph(tuple(operands), tuple(operations), (0, 1), (last,))


ADD, SUB, LESS = OperationType.ADD, OperationType.SUB, OperationType.LESS


def control(kind: OperationType, parts: tuple[Subgraph, Subgraph], outer: Operand = NUMBER) -> Model:
    """IF by a flag, or WHILE, of x and y."""
    models = [
        Operand(OperandType.SUBGRAPH, lifetime=LIFE.SUBGRAPH, location=DataLocation(offset=index)) for index in (0, 1)
    ]
    values = [of_life(outer, LIFE.SUBGRAPH_INPUT)] * 2
    flag = [of_life(Operand(FLAG, (1,)), LIFE.SUBGRAPH_INPUT)] if kind == OperationType.IF else []
    operands = (*flag, *models, *values, of_life(outer, LIFE.SUBGRAPH_OUTPUT))
    count = len(operands) - 1
    inputs = tuple(index for index in range(count) if operands[index].type != OperandType.SUBGRAPH)
    main = Subgraph(operands, (Operation(kind, tuple(range(count)), (count,)),), inputs, (count,))
    return Model(main, parts, VALUES)


LOOP = control(OperationType.WHILE, (part([LESS], Operand(FLAG, (1,))), part([ADD, SUB])))
BRANCH = control(OperationType.IF, (part([ADD, SUB]), part([SUB])))


def result_of(prepared: PreparedModel, *values: bytes, config: ExecutionConfig = PLAIN) -> float:
    """The one number that comes of these inputs."""
    pool = create_pool(256, [(64 * index, value) for index, value in enumerate(values)])
    inputs = tuple(
        RequestArgument(location=DataLocation(0, 64 * index, len(value))) for index, value in enumerate(values)
    )
    output = RequestArgument(location=DataLocation(0, 192, 4))
    result = prepared.execute_synchronously(Request(inputs, (output,), (pool,)), config, NO_DEADLINE)
    assert result.timing == Timing()
    with mapped(pool) as view:
        return float(struct.unpack_from("f", view, 192)[0])


def numbers(*values: float) -> list[bytes]:
    """Tensors of one number."""
    return [struct.pack("f", value) for value in values]


def devices() -> list[PartialDevice]:
    """One compares and adds, the other one subtracts."""
    return [PartialDevice(ADD, LESS), PartialDevice(SUB)]


def test_a_loop_over_two_devices() -> None:
    """2, 3, 5, 9, 17 is the first that is not below 10; of a loop without a round the result is its input."""
    parts = devices()
    device = SplitDevice(parts)
    assert device.get_supported_operations(LOOP) == (True,)
    prepared = prepare(device, LOOP)
    assert result_of(prepared, *numbers(2, 10)) == 17
    # Five comparisons, and four rounds of one addition and one subtraction.
    assert [len(part.executions) for part in parts] == [9, 4]
    assert result_of(prepared, *numbers(2, 2)) == 2
    assert result_of(prepared, *numbers(3, 4)) == 5


def test_a_branch_over_two_devices() -> None:
    """7 + 7 - 1, or 7 - 1."""
    prepared = prepare(SplitDevice(devices()), BRANCH)
    assert result_of(prepared, b"\1", *numbers(7, 0)) == 13
    assert result_of(prepared, b"\0", *numbers(7, 0)) == 6


def test_a_loop_that_takes_too_long() -> None:
    """A nanosecond is too little for one comparison."""
    prepared = prepare(SplitDevice(devices()), LOOP)
    with pytest.raises(HalError, match="loop timeout") as caught:
        result_of(prepared, *numbers(2, 10), config=ExecutionConfig(loop_timeout_duration_ns=1))
    assert caught.value.status is ErrorStatus.MISSED_DEADLINE_TRANSIENT


def test_what_is_not_interpreted() -> None:
    """Sizes that are not known, a part with an operation that no device has, and what one device takes as a whole."""
    device = SplitDevice(devices())
    unknown = control(OperationType.IF, (part([ADD]), part([ADD])), Operand(FLOAT, (0,)))
    assert device.get_supported_operations(unknown) == (False,)
    assert SplitDevice([PartialDevice(ADD, LESS)]).get_supported_operations(LOOP) == (False,)
    whole = SplitDevice([*devices(), create("")])
    assert [step.device for step in whole.plan(LOOP).steps(PrepareModelConfig().preference)] == [2]
    parts = SplitDevice([*devices(), create("")], SplitOptions(interprets=True))
    assert [step.device for step in parts.plan(LOOP).steps(PrepareModelConfig().preference)] == [INTERPRETER]


def test_parts_of_control_flow_are_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CTS's CacheTokenDifferentReferenceModelPartitions: equal branches on one device have different tokens."""
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    options = SplitOptions(GivenDevices((0, 1)), interprets=True)
    equal = control(OperationType.IF, (part([ADD, SUB]), part([ADD, SUB])))
    saving = [SavingDevice("a"), SavingDevice("b")]
    save(SplitDevice(saving, options), equal, tmp_path / "cache")
    tokens = [token for device in saving for token in device.saved]
    assert len(tokens) == len(set(tokens)) == 4
    again = [SavingDevice("a"), SavingDevice("b")]
    restored = load(SplitDevice(again, options), tmp_path / "cache", TOKEN)
    assert [sorted(device.found) for device in again] == [sorted(device.saved) for device in saving]
    assert not again[0].saved + again[1].saved
    assert result_of(restored, b"\0", *numbers(7, 0)) == 13


def test_levels_without_control_flow() -> None:
    """Devices of FL3 compute the parts of what they cannot know."""
    older = [create("level_3"), create("level_3")]
    device = SplitDevice([*older, create("level_4")], SplitOptions(GivenDevices((0, 1)), interprets=True))
    assert device.get_feature_level() == FeatureLevel.FL4
    assert result_of(prepare(device, LOOP), *numbers(2, 10)) == 17
