"""All mutations of models by name: those of VTS in its order, and those that VTS lacks."""

from __future__ import annotations

from nnvet.generators.mutations import graph, operand_types, operands, operations
from nnvet.generators.mutations.editing import Mutation
from nnvet.generators.mutations.operand_types import mutate_operation_operand_type

VTS_MUTATIONS: dict[str, Mutation] = {
    "mutateExecutionOrderTest": graph.mutate_execution_order,
    "mutateOperandTypeTest": operands.mutate_operand_type,
    "mutateOperandRankTest": operands.mutate_operand_rank,
    "mutateOperandScaleTest": operands.mutate_operand_scale,
    "mutateOperandZeroPointTest": operands.mutate_operand_zero_point,
    "mutateOperandLifeTimeTest": operand_types.mutate_operand_lifetime,
    "mutateOperandInputOutputTest": operand_types.mutate_operand_input_output,
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
"""By the names of VTS; numbers 21 and 22 are in :mod:`nnvet.generators.mutations.configs`.

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
"""Mutations that VTS says it does not cover (docs/contract/vts-tests.md 2.8), and more."""
