"""All mutations of models by name, and the choice of mutants to send to a driver.

The mutations of VTS come first, in its order, then those that VTS lacks. A test sends either all mutants that the
driver must refuse, or a few of every kind, which are the same in each run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import Protocol, TypeVar
from zlib import crc32

from nnvet.generators.mutations import graph, operands, operations
from nnvet.generators.mutations.editing import Mutant, Mutation
from nnvet.generators.mutations.operands import mutate_operation_operand_type
from nnvet.hal.errors import HalError
from nnvet.hal.types import FeatureLevel, Model
from nnvet.hal.validation import validate_model

VTS_MUTATIONS: dict[str, Mutation] = {
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
    "mutateOperationTypeTest": operations.mutate_operation_type,
    "mutateOperationInputOperandIndexTest": operations.mutate_operation_input_operand_index,
    "mutateOperationOutputOperandIndexTest": operations.mutate_operation_output_operand_index,
    "mutateOperationRemoveWriteTest": graph.mutate_operation_remove_write,
    "removeOperandTest": graph.remove_operand,
    "removeOperationTest": graph.remove_operation,
    "removeOperationInputTest": operations.remove_operation_input,
    "removeOperationOutputTest": operations.remove_operation_output,
    "addOperationInputTest": operations.add_operation_input,
    "addOperationOutputTest": operations.add_operation_output,
}
"""Mutations by their names in VTS; numbers 21 and 22 are in :mod:`nnvet.generators.mutations.requests`.

Source: docs/contract/vts-tests.md 2.2.
"""

FURTHER_MUTATIONS: dict[str, Mutation] = {
    "mutateOperandDimensions": operands.mutate_operand_dimensions,
    "mutateOperandExtraParams": operands.mutate_operand_extra_params,
    "mutateOperandLocation": operands.mutate_operand_location,
    "mutateOperandLifeTimeValue": operands.mutate_operand_lifetime_value,
    "mutateOperationNegativeIndex": operations.mutate_operation_negative_index,
    "mutateInputOutputLists": graph.mutate_input_output_lists,
    "addUnwrittenOperand": graph.add_unwritten_operand,
    "writeKnownOperand": graph.write_known_operand,
}
"""Mutations that VTS does not have, some of which it mentions itself (docs/contract/vts-tests.md 2.8)."""


class _Described(Protocol):
    @property
    def description(self) -> str: ...


T = TypeVar("T", bound=_Described)


def mutants_of(mutations: Mapping[str, Mutation], model: Model, level: int) -> dict[str, list[Mutant]]:
    """Return all mutants by the name of their mutation."""
    return {name: list(mutate(model, level)) for name, mutate in mutations.items()}


def refused_at(level: FeatureLevel, mutants: Mapping[str, Sequence[Mutant]]) -> dict[str, list[Mutant]]:
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
