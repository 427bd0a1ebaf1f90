"""Which parts of a valid model a level has, and which operations a driver of that level cannot be given.

Source: HAL contract 1, 3, 4 and 7.3; sample driver sheet 11 and, for control flow, 12.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType
from nnvet.hal.levels import LevelRange, last_operation_level, memory_level, operand_levels
from nnvet.hal.operand_types import is_extension, type_name
from nnvet.hal.operations.binding import bind
from nnvet.hal.operations.binding import required_level as operation_level
from nnvet.hal.operations.catalogue import declarations, operation_name
from nnvet.hal.types import Model, Operand, Operation, Subgraph
from nnvet.hal.validation.model import required_level
from nnvet.hal.validation.subgraph import model_argument

_EXTENSION = LevelRange(3)


def is_compliant(model: Model, level: int) -> bool:
    """Whether a model can be sent as it is to a driver of ``level``.

    :raises HalError: INVALID_ARGUMENT for a model that is valid at no level.
    """
    return required_level(model) <= level and not any(True for _ in foreign_parts(model, level))


def noncompliant_operations(model: Model, level: int) -> frozenset[int]:
    """Indexes of the main subgraph's operations that a driver of ``level`` cannot be given.

    What counts is the operation itself, its operands, the memory of its constants, and all of the subgraphs that
    it refers to. The relaxed flag, unused operands and unused pools do not count.

    :raises HalError: INVALID_ARGUMENT for a model that is valid at no level.
    """
    required_level(model)
    own = [_range_of_all(subgraph, subgraph.operations, model) for subgraph in model.referenced]
    operations = enumerate(model.main.operations)
    return frozenset(index for index, one in operations if level not in _with_subgraphs(one, model, own))


def foreign_parts(model: Model, level: int) -> Iterator[tuple[str, str]]:
    """Operands and operations that ``level`` does not have: where, and why not. The model has to be valid."""
    for number, subgraph in enumerate((model.main, *model.referenced)):
        place = f"subgraph {number - 1}" if number else "main subgraph"
        for index, operand in enumerate(subgraph.operands):
            levels = _operand_range(operand, model)
            if level not in levels:
                yield f"{place}, operand {index}", f"{_described(operand)} {levels}"
        for index, operation in enumerate(subgraph.operations):
            levels = _operation_range(operation, subgraph)
            if level not in levels:
                name = operation_name(operation.type)
                yield f"{place}, operation {index}", f"{name} with these operands {levels}"


def _described(operand: Operand) -> str:
    lifetime = OperandLifeTime(operand.lifetime).name
    return f"{type_name(operand.type)} {list(operand.dimensions)} ({lifetime})"


def _range_of_all(subgraph: Subgraph, operations: Sequence[Operation], model: Model) -> LevelRange:
    levels = LevelRange()
    for operation in operations:
        levels &= _operation_range(operation, subgraph)
        for index in {*operation.inputs, *operation.outputs}:
            levels &= _operand_range(subgraph.operands[index], model)
    return levels


def _with_subgraphs(operation: Operation, model: Model, own: Sequence[LevelRange]) -> LevelRange:
    levels = _range_of_all(model.main, (operation,), model)
    # No recursion: nobody limits how deep subgraphs are nested.
    seen: set[int] = set()
    new = _references(operation, model.main)
    while new:
        seen |= new
        new = {found for index in new for found in _references_of_all(model.referenced[index])} - seen
    for index in seen:
        levels &= own[index]
    return levels


def _references_of_all(subgraph: Subgraph) -> set[int]:
    return {index for operation in subgraph.operations for index in _references(operation, subgraph)}


def _references(operation: Operation, subgraph: Subgraph) -> set[int]:
    operands = (subgraph.operands[index] for index in operation.inputs)
    return {operand.location.offset for operand in operands if operand.type == OperandType.SUBGRAPH}


def _operand_range(operand: Operand, model: Model) -> LevelRange:
    levels = operand_levels(operand)
    if operand.lifetime == OperandLifeTime.CONSTANT_REFERENCE:
        levels &= LevelRange(memory_level(model.pools[operand.location.pool_index]))
    return levels


@np.errstate(all="ignore")
def _operation_range(operation: Operation, subgraph: Subgraph) -> LevelRange:
    levels = LevelRange(last=last_operation_level(operation.type))
    if is_extension(operation.type):
        return levels & _EXTENSION
    if operation.type == OperationType.OEM_OPERATION:
        return levels
    inputs, outputs = (
        [model_argument(subgraph.operands[index]) for index in side] for side in (operation.inputs, operation.outputs)
    )
    call = bind(declarations()[operation.type], inputs, outputs)
    return levels & LevelRange(operation_level(call)[0])
