"""Mutations of the graph: order, writers, and missing or additional operands and operations.

The public functions are entries of the tables in ``operations.py``. Each private function yields all changed copies of
one subgraph, with a description of the change.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from nnvet.generators.mutations import editing
from nnvet.graphs import editor
from nnvet.hal.types import DataLocation, Model, Operand, OperandLifeTime, OperandType, Operation, Subgraph

_PRODUCED = (OperandLifeTime.TEMPORARY_VARIABLE, OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT)

Changes = Iterator[tuple[str, Subgraph]]


def mutate_execution_order(model: Model, _level: int) -> Iterator[editing.Mutant]:
    """Yield mutants with a reader before all writers, and with a writer after all readers."""
    return editing.subgraph_mutants(model, _reorder)


def mutate_operand_add_writer(model: Model, _level: int) -> Iterator[editing.Mutant]:
    """Yield mutants with a second operation that writes the same output."""
    return editing.subgraph_mutants(model, _write_twice)


def mutate_operation_remove_write(model: Model, _level: int) -> Iterator[editing.Mutant]:
    """Yield mutants with an output written into another operand, so that its own is never written."""
    return editing.subgraph_mutants(model, _redirect_output)


def remove_operand(model: Model, _level: int) -> Iterator[editing.Mutant]:
    """Yield mutants without one operand: all mentions of it are removed, and higher indexes move down."""
    return editing.subgraph_mutants(model, _remove_operand)


def remove_operation(model: Model, _level: int) -> Iterator[editing.Mutant]:
    """Yield mutants without one operation."""
    return editing.subgraph_mutants(model, _remove_operation)


def mutate_input_output_lists(model: Model, _level: int) -> Iterator[editing.Mutant]:
    """Yield mutants whose lists of inputs and outputs lack an operand, name it twice, or name a missing one."""
    return editing.subgraph_mutants(model, _relist)


def add_unwritten_operand(model: Model, _level: int) -> Iterator[editing.Mutant]:
    """Yield mutants with an additional temporary operand that no operation writes or reads."""
    return editing.subgraph_mutants(model, _add_unwritten)


def write_known_operand(model: Model, _level: int) -> Iterator[editing.Mutant]:
    """Yield mutants with an output written into an input or a constant of the operation."""
    return editing.subgraph_mutants(model, _overwrite_input)


def _reorder(subgraph: Subgraph) -> Changes:
    operations, read = subgraph.operations, editor.consumers(subgraph)
    written = {index for operation in operations for index in operation.outputs}
    for position, operation in enumerate(operations):
        rest = editor.without(operations, position)
        if written.intersection(operation.inputs):
            yield f"operation {position} moves to the front", editor.with_operations(subgraph, (operation, *rest))
        if not read.keys().isdisjoint(operation.outputs):
            yield f"operation {position} moves to the end", editor.with_operations(subgraph, (*rest, operation))


def _write_twice(subgraph: Subgraph) -> Changes:
    for position, operation in enumerate(subgraph.operations):
        for slot, output in enumerate(operation.outputs):
            first, others = len(subgraph.operands), editor.without(operation.outputs, slot)
            fresh = tuple(range(first, first + len(others)))
            copy = replace(operation, outputs=(*fresh[:slot], output, *fresh[slot:]))
            larger = editor.with_added(subgraph, *(_make_temporary(subgraph.operands[index]) for index in others))
            yield (
                f"a copy of operation {position} writes operand {output} again",
                editor.with_operations(larger, (*subgraph.operations, copy)),
            )


def _redirect_output(subgraph: Subgraph) -> Changes:
    fresh = len(subgraph.operands)
    for position, operation in enumerate(subgraph.operations):
        for slot, index in enumerate(operation.outputs):
            larger = editor.with_added(subgraph, _make_temporary(subgraph.operands[index]))
            changed = replace(operation, outputs=editor.with_item(operation.outputs, slot, fresh))
            yield (
                f"output {slot} of operation {position} goes to a new operand, not to {index}",
                editor.with_operation(larger, position, changed),
            )


def _make_temporary(operand: Operand) -> Operand:
    return replace(operand, lifetime=OperandLifeTime.TEMPORARY_VARIABLE, location=DataLocation())


def _remove_operand(subgraph: Subgraph) -> Changes:
    for index in range(len(subgraph.operands)):
        if not all(_tolerates(subgraph.operations[use.position], use) for use in editor.uses(subgraph, index)):
            yield f"operand {index} is removed", editor.without_operand(subgraph, index)


def _tolerates(operation: Operation, use: editor.OperandUse) -> bool:
    """Return True if an operation may stay legal without one of its operands."""
    return (
        editing.tolerates_missing_output(operation)
        if use.is_output
        else editing.tolerates_missing_input(operation, use.slot)
    )


def _remove_operation(subgraph: Subgraph) -> Changes:
    for position in range(len(subgraph.operations)):
        operations = editor.without(subgraph.operations, position)
        yield f"operation {position} is removed", editor.with_operations(subgraph, operations)


def _relist(subgraph: Subgraph) -> Changes:
    missing = len(subgraph.operands)
    for name, indexes in (("input", subgraph.input_indexes), ("output", subgraph.output_indexes)):
        field = f"{name}_indexes"
        for position, index in enumerate(indexes):
            yield f"{name} {index} is not listed", replace(subgraph, **{field: editor.without(indexes, position)})
            yield f"{name} {index} is listed twice", replace(subgraph, **{field: (*indexes, index)})
        for index in (-1, missing):
            yield f"{name} {index} is listed", replace(subgraph, **{field: (*indexes, index)})
    if subgraph.input_indexes and subgraph.output_indexes:
        both = (*subgraph.output_indexes, subgraph.input_indexes[0])
        yield "an input is listed as output too", replace(subgraph, output_indexes=both)


def _add_unwritten(subgraph: Subgraph) -> Changes:
    yield "a temporary operand is added", editor.with_added(subgraph, Operand(OperandType.TENSOR_FLOAT32, (1,)))


def _overwrite_input(subgraph: Subgraph) -> Changes:
    for position, operation in enumerate(subgraph.operations):
        for index in dict.fromkeys(operation.inputs):
            changed = replace(operation, outputs=editor.with_item(operation.outputs, 0, index))
            yield f"operation {position} writes its input {index}", editor.with_operation(subgraph, position, changed)
