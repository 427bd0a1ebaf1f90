"""Mutations of a single operation: its code, and its lists of inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from nnvet.generators.graphs.editor import with_added, with_item, with_operation, without
from nnvet.generators.mutations.editing import (
    Mutant,
    of_operations,
    subgraph_mutants,
    tolerates_missing_input,
    tolerates_more_inputs,
    tolerates_more_outputs,
)
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.types import Model, Operand, OperandLifeTime, OperandType, Operation, Subgraph

_UNKNOWN_OPERATIONS = (-1, 9999, 10001)

Changes = Iterator[tuple[str, Operation]]


def _type(operation: Operation, _subgraph: Subgraph, level: int) -> Changes:
    last = max(declaration.type for declaration in declarations().values() if declaration.level <= level)
    for value in (*_UNKNOWN_OPERATIONS, last + 1):
        yield f"type {operation.type} becomes {value}", replace(operation, type=value)


def _input_index(operation: Operation, subgraph: Subgraph, _level: int) -> Changes:
    beyond = len(subgraph.operands)
    for slot, index in enumerate(operation.inputs):
        changed = replace(operation, inputs=with_item(operation.inputs, slot, beyond))
        yield f"input {slot} becomes {beyond}, not {index}", changed


def _output_index(operation: Operation, subgraph: Subgraph, _level: int) -> Changes:
    beyond = len(subgraph.operands)
    for slot, index in enumerate(operation.outputs):
        changed = replace(operation, outputs=with_item(operation.outputs, slot, beyond))
        yield f"output {slot} becomes {beyond}, not {index}", changed


def _negative_index(operation: Operation, _subgraph: Subgraph, _level: int) -> Changes:
    for slot in range(len(operation.inputs)):
        yield f"input {slot} becomes -1", replace(operation, inputs=with_item(operation.inputs, slot, -1))
    for slot in range(len(operation.outputs)):
        yield f"output {slot} becomes -1", replace(operation, outputs=with_item(operation.outputs, slot, -1))


def _without_input(operation: Operation, _subgraph: Subgraph, _level: int) -> Changes:
    for slot in range(len(operation.inputs)):
        if not tolerates_missing_input(operation, slot):
            yield f"input {slot} is removed", replace(operation, inputs=without(operation.inputs, slot))


def _without_output(operation: Operation, _subgraph: Subgraph, _level: int) -> Changes:
    for slot in range(len(operation.outputs)):
        yield f"output {slot} is removed", replace(operation, outputs=without(operation.outputs, slot))


def add_operation_input(model: Model, _level: int) -> Iterator[Mutant]:
    """Append a new INT32 input of the subgraph to the inputs of an operation."""
    return subgraph_mutants(model, _with_input)


def add_operation_output(model: Model, _level: int) -> Iterator[Mutant]:
    """Append a new INT32 output of the subgraph to the outputs of an operation."""
    return subgraph_mutants(model, _with_output)


def _with_input(subgraph: Subgraph) -> Iterator[tuple[str, Subgraph]]:
    fresh = len(subgraph.operands)
    larger = with_added(subgraph, Operand(OperandType.INT32, lifetime=OperandLifeTime.SUBGRAPH_INPUT))
    for position, operation in enumerate(subgraph.operations):
        if not tolerates_more_inputs(operation):
            changed = replace(operation, inputs=(*operation.inputs, fresh))
            yield f"operation {position} gets an input more", with_operation(larger, position, changed)


def _with_output(subgraph: Subgraph) -> Iterator[tuple[str, Subgraph]]:
    fresh = len(subgraph.operands)
    larger = with_added(subgraph, Operand(OperandType.INT32, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT))
    for position, operation in enumerate(subgraph.operations):
        if not tolerates_more_outputs(operation):
            changed = replace(operation, outputs=(*operation.outputs, fresh))
            yield f"operation {position} gets an output more", with_operation(larger, position, changed)


mutate_operation_type = of_operations(_type)
mutate_operation_input_operand_index = of_operations(_input_index)
mutate_operation_output_operand_index = of_operations(_output_index)
mutate_operation_negative_index = of_operations(_negative_index)
remove_operation_input = of_operations(_without_input)
remove_operation_output = of_operations(_without_output)
