"""Mutations of the graph: order, writers, operands and operations that are missing or too many."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from nnvet.generators.graphs.editor import consumed, recounted, with_operations
from nnvet.generators.mutations.editing import Mutant, subgraph_mutants
from nnvet.generators.mutations.exceptions import tolerates_missing_input, tolerates_missing_output
from nnvet.hal.types import DataLocation, Model, Operand, OperandLifeTime, OperandType, Operation, Subgraph

_PRODUCED = (OperandLifeTime.TEMPORARY_VARIABLE, OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT)

Changes = Iterator[tuple[str, Subgraph]]


def mutate_execution_order(model: Model, _level: int) -> Iterator[Mutant]:
    """A reader in front of all writers; a writer behind all readers."""
    return subgraph_mutants(model, _reordered)


def mutate_operand_add_writer(model: Model, _level: int) -> Iterator[Mutant]:
    """A second operation that writes the same output."""
    return subgraph_mutants(model, _written_twice)


def mutate_operation_remove_write(model: Model, _level: int) -> Iterator[Mutant]:
    """An output that is written into another operand, so that its own is never written."""
    return subgraph_mutants(model, _not_written)


def remove_operand(model: Model, _level: int) -> Iterator[Mutant]:
    """An operand less; whatever named it does so no more, and higher indexes move down."""
    return subgraph_mutants(model, _without_operand)


def remove_operation(model: Model, _level: int) -> Iterator[Mutant]:
    """An operation less."""
    return subgraph_mutants(model, _without_operation)


def mutate_input_output_lists(model: Model, _level: int) -> Iterator[Mutant]:
    """Lists of inputs and outputs that lack an operand, name it twice, or name one that does not exist."""
    return subgraph_mutants(model, _relisted)


def add_unwritten_operand(model: Model, _level: int) -> Iterator[Mutant]:
    """A temporary operand that nobody writes, nor reads."""
    return subgraph_mutants(model, _with_unwritten)


def write_known_operand(model: Model, _level: int) -> Iterator[Mutant]:
    """An output that is written into an input or a constant of the operation."""
    return subgraph_mutants(model, _overwriting)


def _reordered(subgraph: Subgraph) -> Changes:
    operations, read = subgraph.operations, consumed(subgraph)
    written = {index for operation in operations for index in operation.outputs}
    for position, operation in enumerate(operations):
        rest = operations[:position] + operations[position + 1 :]
        if written.intersection(operation.inputs):
            yield f"operation {position} moves to the front", with_operations(subgraph, (operation, *rest))
        if read.intersection(operation.outputs):
            yield f"operation {position} moves to the end", with_operations(subgraph, (*rest, operation))


def _written_twice(subgraph: Subgraph) -> Changes:
    for position, operation in enumerate(subgraph.operations):
        for slot, output in enumerate(operation.outputs):
            outputs, operands = [], list(subgraph.operands)
            for other_slot, index in enumerate(operation.outputs):
                if other_slot == slot:
                    outputs.append(index)
                else:
                    outputs.append(len(operands))
                    operands.append(_temporary(subgraph.operands[index]))
            copy = replace(operation, outputs=tuple(outputs))
            larger = replace(subgraph, operands=tuple(operands))
            yield (
                f"a copy of operation {position} writes operand {output} again",
                with_operations(larger, (*subgraph.operations, copy)),
            )


def _not_written(subgraph: Subgraph) -> Changes:
    fresh = len(subgraph.operands)
    for position, operation in enumerate(subgraph.operations):
        for slot, index in enumerate(operation.outputs):
            larger = replace(subgraph, operands=(*subgraph.operands, _temporary(subgraph.operands[index])))
            outputs = (*operation.outputs[:slot], fresh, *operation.outputs[slot + 1 :])
            changed = replace(operation, outputs=outputs)
            operations = (*subgraph.operations[:position], changed, *subgraph.operations[position + 1 :])
            yield (
                f"output {slot} of operation {position} goes to a new operand, not to {index}",
                with_operations(larger, operations),
            )


def _temporary(operand: Operand) -> Operand:
    return replace(operand, lifetime=OperandLifeTime.TEMPORARY_VARIABLE, location=DataLocation())


def _without_operand(subgraph: Subgraph) -> Changes:
    for index in range(len(subgraph.operands)):
        users = [operation for operation in subgraph.operations if index in (*operation.inputs, *operation.outputs)]
        if all(_tolerates(operation, index) for operation in users):
            continue
        yield f"operand {index} is removed", _erased(subgraph, index)


def _tolerates(operation: Operation, index: int) -> bool:
    """Whether an operation may stay legal without its mentions of an operand."""
    inputs = (slot for slot, operand in enumerate(operation.inputs) if operand == index)
    return all(tolerates_missing_input(operation, slot) for slot in inputs) and (
        index not in operation.outputs or tolerates_missing_output(operation)
    )


def _erased(subgraph: Subgraph, index: int) -> Subgraph:
    def shifted(indexes: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(other - (other > index) for other in indexes if other != index)

    smaller = Subgraph(
        subgraph.operands[:index] + subgraph.operands[index + 1 :],
        tuple(
            Operation(operation.type, shifted(operation.inputs), shifted(operation.outputs))
            for operation in subgraph.operations
        ),
        shifted(subgraph.input_indexes),
        shifted(subgraph.output_indexes),
    )
    return recounted(smaller)


def _without_operation(subgraph: Subgraph) -> Changes:
    for position in range(len(subgraph.operations)):
        operations = subgraph.operations[:position] + subgraph.operations[position + 1 :]
        yield f"operation {position} is removed", with_operations(subgraph, operations)


def _relisted(subgraph: Subgraph) -> Changes:
    missing = len(subgraph.operands)
    for name, indexes in (("input", subgraph.input_indexes), ("output", subgraph.output_indexes)):
        field = f"{name}_indexes"
        for position, index in enumerate(indexes):
            rest = indexes[:position] + indexes[position + 1 :]
            yield f"{name} {index} is not listed", replace(subgraph, **{field: rest})
            yield f"{name} {index} is listed twice", replace(subgraph, **{field: (*indexes, index)})
        for index in (-1, missing):
            yield f"{name} {index} is listed", replace(subgraph, **{field: (*indexes, index)})
    if subgraph.input_indexes and subgraph.output_indexes:
        both = (*subgraph.output_indexes, subgraph.input_indexes[0])
        yield "an input is listed as output too", replace(subgraph, output_indexes=both)


def _with_unwritten(subgraph: Subgraph) -> Changes:
    count = 0 if subgraph.operands[0].number_of_consumers is not None else None
    extra = Operand(OperandType.TENSOR_FLOAT32, (1,), number_of_consumers=count)
    yield "a temporary operand is added", replace(subgraph, operands=(*subgraph.operands, extra))


def _overwriting(subgraph: Subgraph) -> Changes:
    for position, operation in enumerate(subgraph.operations):
        for index in dict.fromkeys(operation.inputs):
            changed = replace(operation, outputs=(index, *operation.outputs[1:]))
            operations = (*subgraph.operations[:position], changed, *subgraph.operations[position + 1 :])
            yield f"operation {position} writes its input {index}", with_operations(subgraph, operations)
