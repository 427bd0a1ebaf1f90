"""The editor of graphs. Every graph here is small enough to say by hand what an edit must make of it."""

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.graphs.editor import (
    OperandUse,
    consumers,
    relisted,
    uses,
    with_added,
    with_operand,
    with_operands,
    with_operation,
    with_operations,
    with_subgraph,
    without_operand,
)
from nnvet.graphs.model import TestModel, TestOperand, TestOperation, TestSubgraph
from nnvet.hal.types import Model, Operand, OperandLifeTime, OperandType, Operation, OperationType, Subgraph

LIFE, FLOAT = OperandLifeTime, OperandType.TENSOR_FLOAT32
LIFETIMES = (LIFE.SUBGRAPH_INPUT, LIFE.SUBGRAPH_INPUT, LIFE.TEMPORARY_VARIABLE, LIFE.SUBGRAPH_OUTPUT)
CONSUMERS = (1, 2, 1, 0)
OPERATIONS = ((OperationType.ADD, (0, 1), (2,)), (OperationType.MUL, (2, 1), (3,)))


def of_the_hal(*, counted: bool = True) -> Subgraph:
    """2 = ADD(0, 1); 3 = MUL(2, 1)."""
    operands = (
        Operand(FLOAT, (1,), lifetime=life, number_of_consumers=count if counted else None)
        for life, count in zip(LIFETIMES, CONSUMERS, strict=True)
    )
    return Subgraph(tuple(operands), tuple(Operation(*operation) for operation in OPERATIONS), (0, 1), (3,))


def of_a_test() -> TestSubgraph:
    """The same graph as part of a test."""
    operands = tuple(TestOperand(FLOAT, (1,), lifetime=life, data=np.zeros(1, np.float32)) for life in LIFETIMES)
    return TestSubgraph(operands, tuple(TestOperation(*operation) for operation in OPERATIONS), (0, 1), (3,))


@pytest.fixture(params=[of_the_hal, of_a_test], ids=["hal", "test"])
def subgraph(request: pytest.FixtureRequest) -> Any:
    """The graph in both forms: every edit is the same for them."""
    return request.param()


def connections(subgraph: Any) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Inputs and outputs of all operations."""
    return [(operation.inputs, operation.outputs) for operation in subgraph.operations]


def counts(subgraph: Subgraph) -> list[int | None]:
    """Numbers of consumers."""
    return [operand.number_of_consumers for operand in subgraph.operands]


def test_consumers_are_input_slots(subgraph: Any) -> None:
    """An operand counts once for each slot, also twice in one operation."""
    assert consumers(subgraph) == {0: 1, 1: 2, 2: 1}
    twice = with_operation(subgraph, 0, replace(subgraph.operations[0], inputs=(0, 0)))
    assert consumers(twice) == {0: 2, 1: 1, 2: 1}


def test_uses_are_slots_of_both_sides(subgraph: Any) -> None:
    """Operand 2 is written by the first operation and read by the second."""
    assert list(uses(subgraph, 2)) == [OperandUse(0, 0, is_output=True), OperandUse(1, 0, is_output=False)]
    assert list(uses(subgraph, 1)) == [OperandUse(0, 1, is_output=False), OperandUse(1, 1, is_output=False)]


def test_an_operand_is_removed_from_everywhere(subgraph: Any) -> None:
    """Mentions of it go, and the operands behind it get the index before."""
    smaller = without_operand(subgraph, 1)
    assert [operand.lifetime for operand in smaller.operands] == [LIFETIMES[0], *LIFETIMES[2:]]
    assert connections(smaller) == [((0,), (1,)), ((1,), (2,))]
    assert (smaller.input_indexes, smaller.output_indexes) == ((0,), (2,))
    assert connections(subgraph) == [((0, 1), (2,)), ((2, 1), (3,))]


def test_added_operands_are_listed_by_their_lifetimes(subgraph: Any) -> None:
    """They come last; an input and an output are in the lists, a temporary in none."""
    added = [replace(subgraph.operands[0], lifetime=life) for life in LIFETIMES[1:]]
    larger = with_added(subgraph, *added)
    assert [operand.lifetime for operand in larger.operands] == [*LIFETIMES, *LIFETIMES[1:]]
    assert (larger.input_indexes, larger.output_indexes) == ((0, 1, 4), (3, 6))
    assert connections(larger) == connections(subgraph)


@pytest.mark.parametrize(
    ("index", "lifetime", "inputs", "outputs"),
    [
        (0, LIFE.CONSTANT_COPY, (1,), (3,)),
        (0, LIFE.SUBGRAPH_OUTPUT, (1,), (3, 0)),
        (2, LIFE.SUBGRAPH_OUTPUT, (0, 1), (3, 2)),
        (3, LIFE.SUBGRAPH_INPUT, (0, 1, 3), ()),
    ],
)
def test_lists_follow_a_lifetime(
    subgraph: Any, index: int, lifetime: LIFE, inputs: tuple[int, ...], outputs: tuple[int, ...]
) -> None:
    """An operand is named by the list of its lifetime, at the end, and by no other."""
    changed = relisted(subgraph, index, lifetime)
    assert (changed.input_indexes, changed.output_indexes) == (inputs, outputs)


def test_numbers_of_consumers_follow_where_there_are_some() -> None:
    """A HAL model with numbers has right ones after every edit; one without gets none."""
    graph = of_the_hal()
    assert counts(without_operand(graph, 2)) == [1, 2, 0]
    assert counts(with_operations(graph, graph.operations[:1])) == [1, 1, 0, 0]
    extra = Operand(FLOAT, (1,), number_of_consumers=7)
    assert counts(with_added(graph, extra)) == [1, 2, 1, 0, 0]
    assert counts(without_operand(of_the_hal(counted=False), 2)) == [None] * 3


def test_changed_operands_stay_in_their_places(subgraph: Any) -> None:
    """One or several; all others are the same objects."""
    other = replace(subgraph.operands[0], dimensions=(5,))
    assert [operand.dimensions for operand in with_operand(subgraph, 2, other).operands] == [(1,), (1,), (5,), (1,)]
    several = with_operands(subgraph, {0: other, 3: other})
    assert several.operands == (other, *subgraph.operands[1:3], other)


def test_subgraphs_are_replaced_by_place() -> None:
    """Place 0 is the main subgraph, the referenced ones follow; both kinds of model."""
    hal, test, empty = of_the_hal(), of_a_test(), Subgraph((), (), (), ())
    model = Model(hal, (hal, hal))
    assert with_subgraph(model, 0, empty) == Model(empty, (hal, hal))
    assert with_subgraph(model, 2, empty) == Model(hal, (hal, empty))
    changed = with_subgraph(TestModel("t", test, (test, test)), 1, replace(test, operations=()))
    assert [len(graph.operations) for graph in changed.subgraphs] == [2, 0, 2]
