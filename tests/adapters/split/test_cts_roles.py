"""CTS's tests of the roles of memory in a plan, and its random partitions, by their names."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from nnvet.adapters.split.assignment import DrawnDevices
from nnvet.adapters.split.device import SplitDevice
from nnvet.adapters.split.plan import SplitOptions
from nnvet.adapters.split.prepared import SourceOperand, StepRole, roles_of
from nnvet.hal.enums import ErrorStatus, OperandLifeTime, OperandType, OperationType
from nnvet.hal.interfaces import Device
from nnvet.hal.types import (
    DataLocation,
    Model,
    Operand,
    Operation,
    Subgraph,
)
from nnvet.reference_driver import create
from tests.adapters.split.networks import KNOWN, OPEN, Answer, CountingDevice, answer_of, network
from tests.adapters.split.test_cts_partitioning import ADD, FAST, FLOAT, MUL, SUB, FigureDevice, graph


def reference(index: int) -> Operand:
    """A referenced model."""
    return Operand(OperandType.SUBGRAPH, lifetime=OperandLifeTime.SUBGRAPH, location=DataLocation(offset=index))


def controlling(kind: OperationType, values: Sequence[OperandType], *parts: Subgraph, first: int = 0) -> Subgraph:
    """One IF or WHILE of so many values, whose models are the next two from ``first`` on; its result is a float."""
    inputs = [Operand(operand_type, (1,), lifetime=OperandLifeTime.SUBGRAPH_INPUT) for operand_type in values]
    result = Operand(FLOAT, (1,), lifetime=OperandLifeTime.SUBGRAPH_OUTPUT)
    count = len(inputs)
    given = list(range(count))
    read = [given.pop()] if kind == OperationType.IF else []
    operation = Operation(kind, (*read, count, count + 1, *given), (count + 2,))
    operands = (*inputs, reference(first), reference(first + 1), result)
    return Subgraph(operands, (operation,), tuple(range(count)), (count + 2,))


FLAG = OperandType.TENSOR_BOOL8
EQUAL = OperationType.EQUAL
A, B, C = range(3)


def roles(devices: Sequence[Device], model: Model) -> dict[SourceOperand, set[StepRole]]:
    """The roles of all operands that have any."""
    found = roles_of(SplitDevice(devices).plan(model), FAST)
    return {place: uses for place, uses in found.items() if uses}


def both(read: Sequence[int], written: Sequence[int] = ()) -> set[StepRole]:
    """Roles of what these devices read and write."""
    return {StepRole(device, True) for device in read} | {StepRole(device, False) for device in written}


def main_of(expected: dict[int, set[StepRole]], source: tuple[int, ...] = ()) -> dict[SourceOperand, set[StepRole]]:
    """The same with names of operands of one model."""
    return {SourceOperand(source, index): uses for index, uses in expected.items()}


def of_source(found: dict[SourceOperand, set[StepRole]], source: tuple[int, ...]) -> dict[SourceOperand, set[StepRole]]:
    """Those of one model."""
    return {place: uses for place, uses in found.items() if place.source == source}


def test_roles_without_control_flow() -> None:
    """MemoryStepRoleTest.NoControlFlow: B, A, C."""
    model = graph([(ADD, (0, 1), 2), (MUL, (1, 3), 4), (SUB, (2, 4), 5)], [2, 5])
    found = roles([FigureDevice(0.8), FigureDevice(0.5, MUL), FigureDevice(0.5, SUB)], model)
    assert found == main_of(
        {0: both([A]), 1: both([A, B]), 2: both([C], [A]), 3: both([B]), 4: both([C], [B]), 5: both([], [C])}
    )


def test_roles_of_an_interpreted_branch() -> None:
    """MemoryStepRoleTest.InterpretedIf: the condition has none; A adds, and B multiplies."""
    parts = [graph([(kind, (0, 1), 2)], [2]) for kind in (ADD, MUL)]
    model = Model(
        controlling(OperationType.IF, (FLOAT, FLOAT, FLAG)), tuple(part.main for part in parts), parts[0].operand_values
    )
    found = roles([FigureDevice(0.8, ADD), FigureDevice(0.5, MUL)], model)
    assert of_source(found, ()) == main_of({0: both([A, B]), 1: both([A, B]), 5: both([], [A, B])})


def test_roles_of_an_interpreted_loop() -> None:
    """MemoryStepRoleTest.InterpretedWhile: the result of the loop has none, since it is copied."""
    condition = graph([(ADD, (0, 1), 3), (EQUAL, (2, 3), 4)], [4], kinds={4: FLAG})
    body = graph([(MUL, (0, 1), 3), (MUL, (0, 2), 4)], [3, 4])
    main = controlling(OperationType.WHILE, (FLOAT, FLOAT, FLOAT))
    found = roles(
        [FigureDevice(0.8, ADD, EQUAL), FigureDevice(0.5, MUL)],
        Model(main, (condition.main, body.main), body.operand_values),
    )
    assert of_source(found, ()) == main_of({index: both([A, B]) for index in range(3)})
    assert found[SourceOperand((0, 0), 4)] == both([], [A])
    assert [found[SourceOperand((0, 1), index)] for index in (3, 4)] == [both([A, B], [B])] * 2


def test_roles_of_nested_control_flow() -> None:
    """MemoryStepRoleTest.NestedInterpretedControlFlow: a branch within a loop."""
    condition = graph([(EQUAL, (0, 1), 3)], [3], kinds={2: FLAG, 3: FLAG}, inputs=3)
    body = controlling(OperationType.IF, (FLOAT, FLOAT, FLAG), first=2)
    branches = [graph([(kind, (0, 1), 2)], [2]).main for kind in (ADD, MUL)]
    main = controlling(OperationType.WHILE, (FLOAT, FLOAT, FLAG))
    devices = [FigureDevice(0.8, EQUAL), FigureDevice(0.5, ADD), FigureDevice(0.5, MUL)]
    found = roles(devices, Model(main, (condition.main, body, *branches), condition.operand_values))
    assert of_source(found, ()) == main_of({0: both([A, B, C]), 1: both([A, B, C])})
    assert found[SourceOperand((0, 0), 3)] == both([], [A])
    assert found[SourceOperand((0, 1), 5)] == both([A, B, C], [B, C])


LARGE = replace(KNOWN, operations=(2, 100))
LARGE_OPEN = replace(OPEN, operations=(2, 100))


class ChosenDevice(CountingDevice):
    """The bundled driver with some operations of each model, as a number draws them, and no others."""

    def __init__(self, has: Callable[[int], bool]) -> None:
        """Support the operations, by index, of which ``has`` says so."""
        super().__init__(create(""))
        self._has = has

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """Those."""
        return tuple(map(self._has, range(len(model.main.operations))))


def assert_partition_equals_whole(seed: int) -> int:
    """A model of up to 100 operations on one to three devices, of which each has some; returns the number of steps."""
    count = 1 + seed % 3
    owner = [random.Random(seed).randrange(count) for _ in range(100)]
    tested = network(seed, LARGE_OPEN if seed % 4 == 0 else LARGE)
    members = [ChosenDevice(lambda place, own=own: owner[place] == own) for own in range(count)]  # type: ignore[misc]
    whole = answer_of(create(""), tested)
    assert answer_of(SplitDevice(members, SplitOptions(DrawnDevices(seed))), tested) == whole, f"seed {seed}"
    if isinstance(whole, Answer) and whole.status == ErrorStatus.NONE.name:
        used = {number for number, member in enumerate(members) if member.executions}
        assert used == set(owner[: len(tested.given.main.operations)])
    return len(members[0].models)


def test_random_partitions() -> None:
    """RandomPartitioningTest, a few of its seeds."""
    assert [assert_partition_equals_whole(seed) for seed in range(4)]


@pytest.mark.long
@pytest.mark.parametrize(
    "seeds", [range(first, first + 25) for first in range(0, 225, 25)], ids=lambda seeds: str(seeds.start)
)
def test_random_partitions_of_all_seeds(seeds: range) -> None:
    """RandomPartitioningTest, all 225 seeds."""
    for seed in seeds:
        assert_partition_equals_whole(seed)
