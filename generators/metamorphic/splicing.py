"""Operations put behind an operand of a test, so that whoever reads it reads their result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace

from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.model import TestModel, TestOperand, TestOperation
from nnvet.generators.metamorphic.operands import is_value
from nnvet.generators.metamorphic.relation import OtherForm, Transformation
from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.hal.enums import OperandLifeTime, OperandType

Splice: TypeAlias = Callable[[Chooser, GraphBuilder, TestOperand, int, int], None]
"""Adds operations that lead from one operand, which is given with its index, to another one like it."""


def everywhere(splice: Splice, kinds: Collection[OperandType]) -> Transformation:
    """The form of a test with a splice behind any of its inputs and results of these types."""
    return partial(_spliced, splice, kinds)


def _spliced(splice: Splice, kinds: Collection[OperandType], chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    main = test.main
    written = {index for operation in main.operations for index in operation.outputs}
    read = {index for operation in main.operations for index in operation.inputs}
    ends = {*main.input_indexes, *written}
    places = [
        index
        for index in sorted(ends)
        if main.operands[index].type in kinds and is_value(main.operands[index]) and _is_clear(test, index, read)
    ]
    if not places:
        return ()
    return (OtherForm(spliced(test, chooser.pick(places), partial(splice, chooser))),)


def _is_clear(test: TestModel, index: int, read: set[int]) -> bool:
    """Return True if an operand is either read or an output; a result that is neither has no reader to redirect."""
    return (index in read) != (test.main.operands[index].lifetime == OperandLifeTime.SUBGRAPH_OUTPUT)


def spliced(test: TestModel, index: int, splice: Callable[[GraphBuilder, TestOperand, int, int], None]) -> TestModel:
    """The test with a splice behind the operand ``index``; an output stays the last of them."""
    main, operand = test.main, test.main.operands[index]
    graph = GraphBuilder()
    for given in main.operands:
        graph.add(given)
    other = graph.add(replace(operand, lifetime=OperandLifeTime.TEMPORARY_VARIABLE, data=None, is_ignored=False))
    is_output = operand.lifetime == OperandLifeTime.SUBGRAPH_OUTPUT
    moved = [
        replace(operation, outputs=_renamed(operation.outputs, index, other))
        if is_output
        else replace(operation, inputs=_renamed(operation.inputs, index, other))
        for operation in main.operations
    ]
    position = _first(moved, other) + is_output
    for operation in moved[:position]:
        graph.operation(operation.type, operation.inputs, *operation.outputs)
    splice(graph, operand, *((other, index) if is_output else (index, other)))
    for operation in moved[position:]:
        graph.operation(operation.type, operation.inputs, *operation.outputs)
    return replace(test, main=graph.finish_subgraph())


def _renamed(indexes: tuple[int, ...], before: int, after: int) -> tuple[int, ...]:
    return tuple(after if index == before else index for index in indexes)


def _first(operations: Sequence[TestOperation], index: int) -> int:
    return next(place for place, operation in enumerate(operations) if index in (*operation.inputs, *operation.outputs))
