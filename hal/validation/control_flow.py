"""Rules of IF and WHILE, which look at the subgraphs they run (docs/contract/hal.md 7.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nnvet.hal.dimensions import fully_known
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.errors import invalid
from nnvet.hal.operand_types import OPERAND_TYPES, is_extension
from nnvet.hal.types import Model, Operand, Operation, Subgraph

CONTROL_FLOW: Final = (OperationType.IF, OperationType.WHILE)
"""Operations that run other subgraphs."""


def check_control_flow(operation: Operation, subgraph: Subgraph, model: Model, where: str) -> None:
    """Check an IF or WHILE whose operand types fit already; nothing to do for other operations.

    :raises HalError: INVALID_ARGUMENT with the broken rule.
    """
    if operation.type == OperationType.IF:
        _check_if(operation, subgraph, model, where)
    elif operation.type == OperationType.WHILE:
        _check_while(operation, subgraph, model, where)


def compatible(first: Operand, second: Operand) -> bool:
    """Same type and quantisation, and no two known sizes that differ."""
    same = (first.type, first.scale, first.zero_point, first.extra_params) == (
        second.type,
        second.scale,
        second.zero_point,
        second.extra_params,
    )
    if not same or not first.dimensions or not second.dimensions:
        return same
    return len(first.dimensions) == len(second.dimensions) and all(
        a == b or 0 in (a, b) for a, b in zip(first.dimensions, second.dimensions, strict=True)
    )


def _check_if(operation: Operation, subgraph: Subgraph, model: Model, where: str) -> None:
    operands = subgraph.operands
    if operands[operation.inputs[0]].dimensions != (1,):
        raise invalid(f"{where}: condition must have dimensions [1]", "IF/condition.shape")
    inputs = [operands[index] for index in operation.inputs[3:]]
    outputs = [operands[index] for index in operation.outputs]
    for index in operation.inputs[1:3]:
        branch = _referenced(operands[index], model, where)
        _match(inputs, _operands(branch, branch.input_indexes), "IF/branch.inputs", where)
        _match(outputs, _operands(branch, branch.output_indexes), "IF/branch.outputs", where)


def _check_while(operation: Operation, subgraph: Subgraph, model: Model, where: str) -> None:
    operands = subgraph.operands
    condition = _referenced(operands[operation.inputs[0]], model, where)
    body = _referenced(operands[operation.inputs[1]], model, where)
    carried = [operands[index] for index in operation.inputs[2:]]
    results = [operands[index] for index in operation.outputs]
    _match(carried, _operands(condition, condition.input_indexes), "WHILE/condition.inputs", where)
    answers = _operands(condition, condition.output_indexes)
    if len(answers) != 1 or answers[0].type != OperandType.TENSOR_BOOL8 or answers[0].dimensions != (1,):
        raise invalid(f"{where}: condition must yield one TENSOR_BOOL8 [1]", "WHILE/condition.output")
    body_inputs = _operands(body, body.input_indexes)
    body_outputs = _operands(body, body.output_indexes)
    _match(carried, body_inputs, "WHILE/body.inputs", where)
    if not len(results) <= len(body_outputs) <= len(body_inputs):
        raise invalid(f"{where}: body has {len(body_outputs)} outputs", "WHILE/body.outputs")
    _match(body_inputs[: len(body_outputs)], body_outputs, "WHILE/body.outputs", where)
    _match(results, body_outputs[: len(results)], "WHILE/outputs", where)
    for operand in (*carried, *results, *body_inputs, *body_outputs, *_operands(condition, condition.input_indexes)):
        if not _known_size(operand):
            raise invalid(f"{where}: an operand of the loop has unknown size", "WHILE/known_sizes")


def _known_size(operand: Operand) -> bool:
    if is_extension(operand.type) or not OPERAND_TYPES[operand.type].is_tensor:
        return True
    return fully_known(operand.dimensions)


def _referenced(operand: Operand, model: Model, where: str) -> Subgraph:
    index = operand.location.offset
    if not 0 <= index < len(model.referenced):
        raise invalid(f"{where}: subgraph {index} does not exist", "model/subgraph.reference")
    return model.referenced[index]


def _operands(subgraph: Subgraph, indexes: Sequence[int]) -> list[Operand]:
    if any(not 0 <= index < len(subgraph.operands) for index in indexes):
        raise invalid("a referenced subgraph lists operands that do not exist", "model/inputs.listed")
    return [subgraph.operands[index] for index in indexes]


def _match(outer: Sequence[Operand], inner: Sequence[Operand], rule: str, where: str) -> None:
    if len(outer) != len(inner):
        raise invalid(f"{where}: {len(outer)} operands outside, {len(inner)} in the subgraph", rule)
    for position, (first, second) in enumerate(zip(outer, inner, strict=True)):
        if not compatible(first, second):
            raise invalid(f"{where}: operand {position} does not fit the subgraph's", rule)
