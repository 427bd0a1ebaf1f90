"""Which feature level something needs: the maximum over its parts (HAL contract 1, 3, 4 and 9).

A driver of level N must accept what needs at most N and reject the rest; a client must not send the rest.
"""

from __future__ import annotations

from hal.dimensions import combine, fully_known
from hal.enums import FeatureLevel, OperandLifeTime
from hal.memory import HardwareBuffer, Memory
from hal.operand_types import OPERAND_TYPES
from hal.types import BufferToken, Model, Operand, Request

_EXTENSION_LEVEL = FeatureLevel.FL3
_UNKNOWN_RANK_LEVEL = FeatureLevel.FL3
_UNSPECIFIED_OUTPUT_LEVEL = FeatureLevel.FL3
_HARDWARE_BUFFER_LEVEL = FeatureLevel.FL3
_SUBGRAPH_LEVEL = FeatureLevel.FL4
_TOKEN_LEVEL = FeatureLevel.FL4
_PADDING_LEVEL = FeatureLevel.FL5


def operand_level(operand: Operand) -> FeatureLevel:
    """Level of an operand by its type, lifetime and rank."""
    info = OPERAND_TYPES.get(operand.type)
    if info is None:
        return _EXTENSION_LEVEL
    levels = [FeatureLevel(info.level)]
    if operand.lifetime == OperandLifeTime.SUBGRAPH:
        levels.append(_SUBGRAPH_LEVEL)
    if info.is_tensor and not operand.dimensions:
        levels.append(_UNKNOWN_RANK_LEVEL)
    return max(levels)


def memory_level(memory: Memory) -> FeatureLevel:
    """Level of a kind of memory."""
    return _HARDWARE_BUFFER_LEVEL if isinstance(memory, HardwareBuffer) else FeatureLevel.FL1


def request_level(request: Request, model: Model) -> FeatureLevel:
    """Level of a valid request for ``model``: kinds of memory, padding, outputs of unknown size."""
    levels = [FeatureLevel.FL1]
    levels += [_TOKEN_LEVEL if isinstance(pool, BufferToken) else memory_level(pool) for pool in request.pools]
    if any(argument.location.padding for argument in (*request.inputs, *request.outputs)):
        levels.append(_PADDING_LEVEL)
    for argument, index in zip(request.outputs, model.main.output_indexes, strict=True):
        operand = model.main.operands[index]
        is_tensor = operand.type in OPERAND_TYPES and OPERAND_TYPES[operand.type].is_tensor
        dimensions = combine(operand.dimensions, argument.dimensions)
        if is_tensor and not fully_known(dimensions or ()):
            levels.append(_UNSPECIFIED_OUTPUT_LEVEL)
    return max(levels)
