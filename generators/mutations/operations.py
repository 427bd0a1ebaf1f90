"""All mutations of models by name, those of a single operation, and the choice of mutants to send to a driver.

The mutations of VTS come first, in its order, then those that VTS lacks. Either all mutants are sent that the driver
must refuse, or a few of every kind, always the same ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import Protocol, TypeVar
from zlib import crc32

from msgspec.structs import replace

from nnvet.generators.mutations import editing, graph, operands
from nnvet.generators.mutations.operands import mutate_operation_operand_type
from nnvet.graphs.editor import with_added, with_item, with_operation, without
from nnvet.hal.errors import HalError
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.types import FeatureLevel, Model, Operand, OperandLifeTime, OperandType, Operation, Subgraph
from nnvet.hal.validation import validate_model

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
        if not editing.tolerates_missing_input(operation, slot):
            yield f"input {slot} is removed", replace(operation, inputs=without(operation.inputs, slot))


def _without_output(operation: Operation, _subgraph: Subgraph, _level: int) -> Changes:
    for slot in range(len(operation.outputs)):
        yield f"output {slot} is removed", replace(operation, outputs=without(operation.outputs, slot))


def add_operation_input(model: Model, _level: int) -> Iterator[editing.Mutant]:
    """Append a new INT32 input of the subgraph to the inputs of an operation."""
    return editing.subgraph_mutants(model, _with_input)


def add_operation_output(model: Model, _level: int) -> Iterator[editing.Mutant]:
    """Append a new INT32 output of the subgraph to the outputs of an operation."""
    return editing.subgraph_mutants(model, _with_output)


def _with_input(subgraph: Subgraph) -> Iterator[tuple[str, Subgraph]]:
    fresh = len(subgraph.operands)
    larger = with_added(subgraph, Operand(OperandType.INT32, lifetime=OperandLifeTime.SUBGRAPH_INPUT))
    for position, operation in enumerate(subgraph.operations):
        if not editing.tolerates_more_inputs(operation):
            changed = replace(operation, inputs=(*operation.inputs, fresh))
            yield f"operation {position} gets an input more", with_operation(larger, position, changed)


def _with_output(subgraph: Subgraph) -> Iterator[tuple[str, Subgraph]]:
    fresh = len(subgraph.operands)
    larger = with_added(subgraph, Operand(OperandType.INT32, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT))
    for position, operation in enumerate(subgraph.operations):
        if not editing.tolerates_more_outputs(operation):
            changed = replace(operation, outputs=(*operation.outputs, fresh))
            yield f"operation {position} gets an output more", with_operation(larger, position, changed)


mutate_operation_type = editing.of_operations(_type)
mutate_operation_input_operand_index = editing.of_operations(_input_index)
mutate_operation_output_operand_index = editing.of_operations(_output_index)
mutate_operation_negative_index = editing.of_operations(_negative_index)
remove_operation_input = editing.of_operations(_without_input)
remove_operation_output = editing.of_operations(_without_output)


VTS_MUTATIONS: dict[str, editing.Mutation] = {
    "mutateExecutionOrderTest": graph.mutate_execution_order,
    "mutateOperandTypeTest": operands.mutate_operand_type,
    "mutateOperandRankTest": operands.mutate_operand_rank,
    "mutateOperandScaleTest": operands.mutate_operand_scale,
    "mutateOperandZeroPointTest": operands.mutate_operand_zero_point,
    "mutateOperandLifeTimeTest": operands.mutate_operand_lifetime,
    "mutateOperandInputOutputTest": operands.mutate_operand_input_output,
    "mutateOperandNumberOfConsumersTest": operands.mutate_operand_number_of_consumers,
    "mutateOperandAddWriterTest": graph.mutate_operand_add_writer,
    "mutateOperationOperandTypeTest": mutate_operation_operand_type,
    "mutateOperationTypeTest": mutate_operation_type,
    "mutateOperationInputOperandIndexTest": mutate_operation_input_operand_index,
    "mutateOperationOutputOperandIndexTest": mutate_operation_output_operand_index,
    "mutateOperationRemoveWriteTest": graph.mutate_operation_remove_write,
    "removeOperandTest": graph.remove_operand,
    "removeOperationTest": graph.remove_operation,
    "removeOperationInputTest": remove_operation_input,
    "removeOperationOutputTest": remove_operation_output,
    "addOperationInputTest": add_operation_input,
    "addOperationOutputTest": add_operation_output,
}
"""Mutations by their names in VTS; numbers 21 and 22 are in :mod:`nnvet.generators.mutations.requests`.

Source: docs/contract/vts-tests.md 2.2.
"""

FURTHER_MUTATIONS: dict[str, editing.Mutation] = {
    "mutateOperandDimensions": operands.mutate_operand_dimensions,
    "mutateOperandExtraParams": operands.mutate_operand_extra_params,
    "mutateOperandLocation": operands.mutate_operand_location,
    "mutateOperandLifeTimeValue": operands.mutate_operand_lifetime_value,
    "mutateOperationNegativeIndex": mutate_operation_negative_index,
    "mutateInputOutputLists": graph.mutate_input_output_lists,
    "addUnwrittenOperand": graph.add_unwritten_operand,
    "writeKnownOperand": graph.write_known_operand,
}
"""Mutations that VTS lacks, though it mentions some of them itself (docs/contract/vts-tests.md 2.8)."""


class _Described(Protocol):
    @property
    def description(self) -> str: ...


T = TypeVar("T", bound=_Described)


def mutants_of(mutations: Mapping[str, editing.Mutation], model: Model, level: int) -> dict[str, list[editing.Mutant]]:
    """Return all mutants by the name of their mutation."""
    return {name: list(mutate(model, level)) for name, mutate in mutations.items()}


def refused_at(level: FeatureLevel, mutants: Mapping[str, Sequence[editing.Mutant]]) -> dict[str, list[editing.Mutant]]:
    """Return the mutants that are also invalid at a driver's own, higher level, so that it must refuse them.

    An operand of unknown rank, for example, is wrong at the first two levels only, and a model does not say for
    which level it is meant.
    """
    return {name: [mutant for mutant in some if is_refused(mutant.model, level)] for name, some in mutants.items()}


def is_refused(model: Model, level: FeatureLevel) -> bool:
    """Return True if a model is invalid at a level."""
    try:
        validate_model(model, level)
    except HalError:
        return True
    return False


def sample(mutants: Mapping[str, Sequence[T]], limit: int | None, key: str) -> list[tuple[str, T]]:
    """Return at most ``limit`` mutants (None: all) with their mutation's name, kinds in turn; ``key`` varies them.

    The key is the model's name, so models that differ in a detail get different mutants, and together cover more.
    """

    def shuffled(name: str) -> Iterator[tuple[str, T]]:
        order = sorted(mutants[name], key=lambda mutant: crc32(f"{key} {mutant.description}".encode()))
        return ((name, mutant) for mutant in order)

    rounds = chain.from_iterable(zip_longest(*(shuffled(name) for name in mutants)))
    return list(islice((mutant for mutant in rounds if mutant is not None), limit))
