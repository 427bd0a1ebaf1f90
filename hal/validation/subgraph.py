"""Rules of one subgraph: operations, listed inputs and outputs, execution order, consumers.

:mod:`nnvet.hal.validation.model` calls :func:`check_subgraph` for each subgraph of a model. IF and WHILE also have
rules about the subgraphs that they run (docs/contract/hal.md 7.4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np

from nnvet.hal.enums import CONSTANTS, OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError, errors_of, invalid
from nnvet.hal.operand_types import OPERAND_TYPES, ExtensionType, fully_known, is_extension
from nnvet.hal.operations.binding import bind_checked, model_argument
from nnvet.hal.operations.binding import required_level as operation_level
from nnvet.hal.operations.catalogue import declarations, operation_name
from nnvet.hal.operations.declaration import Argument, OperationDeclaration
from nnvet.hal.types import Model, Operand, Operation, Subgraph
from nnvet.hal.validation.operands import MAX_BYTES, broken_rules_of_operand, byte_size, check_operand

CONTROL_FLOW: Final = (OperationType.IF, OperationType.WHILE)
"""Operations that run other subgraphs."""


def check_control_flow(operation: Operation, subgraph: Subgraph, model: Model, where: str) -> None:
    """Check an IF or WHILE whose operand types fit already; other operations pass unchecked.

    :raises HalError: INVALID_ARGUMENT with the broken rule.
    """
    if operation.type == OperationType.IF:
        _check_if(operation, subgraph, model, where)
    elif operation.type == OperationType.WHILE:
        _check_while(operation, subgraph, model, where)


def compatible(first: Operand, second: Operand) -> bool:
    """Return True if type and quantisation are the same, and no two known sizes differ."""
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
        branch = _find_referenced(operands[index], model, where)
        _match(inputs, _list_operands(branch, branch.input_indexes), "IF/branch.inputs", where)
        _match(outputs, _list_operands(branch, branch.output_indexes), "IF/branch.outputs", where)


def _check_while(operation: Operation, subgraph: Subgraph, model: Model, where: str) -> None:
    operands = subgraph.operands
    condition = _find_referenced(operands[operation.inputs[0]], model, where)
    body = _find_referenced(operands[operation.inputs[1]], model, where)
    carried = [operands[index] for index in operation.inputs[2:]]
    results = [operands[index] for index in operation.outputs]
    _match(carried, _list_operands(condition, condition.input_indexes), "WHILE/condition.inputs", where)
    answers = _list_operands(condition, condition.output_indexes)
    if len(answers) != 1 or answers[0].type != OperandType.TENSOR_BOOL8 or answers[0].dimensions != (1,):
        raise invalid(f"{where}: condition must yield one TENSOR_BOOL8 [1]", "WHILE/condition.output")
    body_inputs = _list_operands(body, body.input_indexes)
    body_outputs = _list_operands(body, body.output_indexes)
    _match(carried, body_inputs, "WHILE/body.inputs", where)
    if not len(results) <= len(body_outputs) <= len(body_inputs):
        raise invalid(f"{where}: body has {len(body_outputs)} outputs", "WHILE/body.outputs")
    _match(body_inputs[: len(body_outputs)], body_outputs, "WHILE/body.outputs", where)
    _match(results, body_outputs[: len(results)], "WHILE/outputs", where)
    for operand in (
        *carried,
        *results,
        *body_inputs,
        *body_outputs,
        *_list_operands(condition, condition.input_indexes),
    ):
        if not _has_known_size(operand):
            raise invalid(f"{where}: an operand of the loop has unknown size", "WHILE/known_sizes")


def _has_known_size(operand: Operand) -> bool:
    """Return True if the model states how many bytes an operand has."""
    if is_extension(operand.type) or not OPERAND_TYPES[operand.type].is_tensor:
        return True
    return fully_known(operand.dimensions)


def _find_referenced(operand: Operand, model: Model, where: str) -> Subgraph:
    index = operand.location.offset
    if not 0 <= index < len(model.referenced):
        raise invalid(f"{where}: subgraph {index} does not exist", "model/subgraph.reference")
    return model.referenced[index]


def _list_operands(subgraph: Subgraph, indexes: Sequence[int]) -> list[Operand]:
    if any(not 0 <= index < len(subgraph.operands) for index in indexes):
        raise invalid("a referenced subgraph lists operands that do not exist", "model/inputs.listed")
    return [subgraph.operands[index] for index in indexes]


def _match(outer: Sequence[Operand], inner: Sequence[Operand], rule: str, where: str) -> None:
    """Check that operands outside agree with those of a subgraph, one by one."""
    if len(outer) != len(inner):
        raise invalid(f"{where}: {len(outer)} operands outside, {len(inner)} in the subgraph", rule)
    for position, (first, second) in enumerate(zip(outer, inner, strict=True)):
        if not compatible(first, second):
            raise invalid(f"{where}: operand {position} does not fit the subgraph's", rule)


WRITTEN = (OperandLifeTime.TEMPORARY_VARIABLE, OperandLifeTime.SUBGRAPH_OUTPUT)
"""Lifetimes of operands that operations write."""


def check_subgraph(subgraph: Subgraph, model: Model, where: str) -> int:
    """Check one subgraph, ``where`` names it in messages. Returns the feature level it needs.

    :raises HalError: INVALID_ARGUMENT with the broken rule.
    """
    if not subgraph.operands:
        raise invalid(f"{where} has no operands", "model/operands.empty")
    if not subgraph.operations:
        raise invalid(f"{where} has no operations", "model/operations.empty")
    level = 1
    for index, operand in enumerate(subgraph.operands):
        level = max(level, check_operand(operand, model, where, index))
    arguments = [model_argument(operand) for operand in subgraph.operands]
    for index in range(len(subgraph.operations)):
        level = max(level, _check_operation(index, subgraph, model, arguments, where))
    _check_listed(subgraph, OperandLifeTime.SUBGRAPH_INPUT, where)
    _check_listed(subgraph, OperandLifeTime.SUBGRAPH_OUTPUT, where)
    _check_order(subgraph, where)
    _check_consumers(subgraph, where)
    return level


def broken_rules_of_subgraph(subgraph: Subgraph, model: Model, where: str) -> Iterator[HalError]:
    """Yield the errors of all rules that a subgraph breaks: all of each operand, the first one of everything else.

    Operations with operands that are wrong or do not exist are not checked further.
    """
    if not subgraph.operands:
        yield invalid(f"{where} has no operands", "model/operands.empty")
    if not subgraph.operations:
        yield invalid(f"{where} has no operations", "model/operations.empty")
    wrong = set()
    for index, operand in enumerate(subgraph.operands):
        for error in broken_rules_of_operand(operand, model, f"{where}, operand {index}"):
            wrong.add(index)
            yield error
    arguments = [model_argument(operand) for operand in subgraph.operands]
    checks: list[Callable[[], object]] = []
    count, all_exist = len(subgraph.operands), True
    for position, operation in enumerate(subgraph.operations):
        used = {*operation.inputs, *operation.outputs}
        exist = all(0 <= index < count for index in used)
        all_exist = all_exist and exist
        if not exist or not used & wrong:
            checks.append(partial(_check_operation, position, subgraph, model, arguments, where))
    lifetimes = (OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT)
    checks += [partial(_check_listed, subgraph, lifetime, where) for lifetime in lifetimes]
    if all_exist:
        checks.append(partial(_check_order, subgraph, where))
    yield from errors_of((*checks, partial(_check_consumers, subgraph, where)))


def _describe_place(where: str, index: int, operation: Operation) -> str:
    return f"{where}, operation {index} ({operation_name(operation.type)})"


def _check_operation(position: int, subgraph: Subgraph, model: Model, arguments: Sequence[Argument], where: str) -> int:
    operation, count = subgraph.operations[position], len(subgraph.operands)
    for index in (*operation.inputs, *operation.outputs):
        if not 0 <= index < count:
            place = _describe_place(where, position, operation)
            raise invalid(f"{place} names operands that do not exist", "model/operation.operands")
    if is_extension(operation.type):
        return 3
    if operation.type == OperationType.OEM_OPERATION:
        return 1
    declaration = declarations().get(operation.type)
    if declaration is None:
        raise invalid(f"{_describe_place(where, position, operation)}: unknown operation", "model/operation.type")
    try:
        inputs = [arguments[index] for index in operation.inputs]
        call = bind_checked(declaration, inputs, [arguments[index] for index in operation.outputs])
    except HalError as error:
        place = _describe_place(where, position, operation)
        raise HalError(error.status, f"{place}: {error.message}", error.rule) from error
    if operation.type in CONTROL_FLOW:
        check_control_flow(operation, subgraph, model, _describe_place(where, position, operation))
    return operation_level(call)[0]


def _check_listed(subgraph: Subgraph, lifetime: OperandLifeTime, where: str) -> None:
    are_inputs = lifetime is OperandLifeTime.SUBGRAPH_INPUT
    indexes = subgraph.input_indexes if are_inputs else subgraph.output_indexes
    wanted = [index for index, operand in enumerate(subgraph.operands) if operand.lifetime == lifetime]
    if sorted(indexes) == wanted:
        return
    rule = "model/inputs.listed" if are_inputs else "model/outputs.listed"
    if any(not 0 <= index < len(subgraph.operands) for index in indexes):
        raise invalid(f"{where} lists operands that do not exist: {tuple(indexes)}", rule)
    raise invalid(f"{where} lists {tuple(indexes)}, operands with lifetime {lifetime.name} are {wanted}", rule)


def _check_order(subgraph: Subgraph, where: str) -> None:
    known = [operand.lifetime not in WRITTEN for operand in subgraph.operands]
    for position, operation in enumerate(subgraph.operations):
        for index in operation.inputs:
            if not known[index]:
                place = _describe_place(where, position, operation)
                raise invalid(f"{place} reads operand {index} before it is written", "model/order.read_before_write")
        for index in operation.outputs:
            if known[index]:
                place = _describe_place(where, position, operation)
                raise invalid(f"{place} writes operand {index}, which has a value", "model/order.written_once")
            known[index] = True
    if not all(known):
        raise invalid(f"{where}: operand {known.index(False)} is never written", "model/order.never_written")


def _check_consumers(subgraph: Subgraph, where: str) -> None:
    if {operand.number_of_consumers for operand in subgraph.operands} == {None}:
        return
    counted = Counter(index for operation in subgraph.operations for index in operation.inputs)
    for index, operand in enumerate(subgraph.operands):
        if operand.number_of_consumers is not None and operand.number_of_consumers != counted[index]:
            raise invalid(
                f"{where}, operand {index}: {operand.number_of_consumers} consumers given, {counted[index]} counted",
                "model/operand.consumers",
            )


@np.errstate(all="ignore")
def fits(declaration: OperationDeclaration, operation: Operation, subgraph: Subgraph) -> bool:
    """Return True if an operation of a resolved model has the operands that ``declaration`` demands.

    The driver alone checks the operands of an extension's operation; a misfit is unsupported, not invalid.
    """
    inputs = [subgraph.operands[index] for index in operation.inputs]
    outputs = [subgraph.operands[index] for index in operation.outputs]
    try:
        bind_checked(
            declaration, [model_argument(operand) for operand in inputs], [model_argument(output) for output in outputs]
        )
    except HalError:
        return False
    return all(_is_well_formed(operand) for operand in (*inputs, *outputs))


def _is_well_formed(operand: Operand) -> bool:
    """Return True if an operand of an extension's type keeps the rules that the contract has for its own types only."""
    if not isinstance(operand.type, ExtensionType):
        return True
    if not operand.type.info.is_tensor and operand.dimensions:
        return False
    if operand.lifetime not in CONSTANTS:
        return byte_size(operand.type, operand.dimensions) <= MAX_BYTES
    known = fully_known(operand.dimensions) or not operand.type.info.is_tensor
    return known and operand.location.length == byte_size(operand.type, operand.dimensions)
