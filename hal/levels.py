"""Which feature level something needs: the maximum over its parts (HAL contract 1, 3, 4 and 9).

A driver of level N must accept what needs at most N and reject the rest; a client must not send the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nnvet.hal.dimensions import combine, fully_known
from nnvet.hal.enums import EXTENSION_TYPE_LOW_BITS_TYPE, FeatureLevel, OperandLifeTime, OperandType, OperationType
from nnvet.hal.memory import HardwareBuffer, Memory
from nnvet.hal.operand_types import OPERAND_TYPES, is_extension
from nnvet.hal.types import BufferToken, Model, Operand, Request, SymmPerChannelQuantParams

_EXTENSION_LEVEL = FeatureLevel.FL3
_UNKNOWN_RANK_LEVEL = FeatureLevel.FL3
_UNSPECIFIED_OUTPUT_LEVEL = FeatureLevel.FL3
_HARDWARE_BUFFER_LEVEL = FeatureLevel.FL3
_SUBGRAPH_LEVEL = FeatureLevel.FL4
_TOKEN_LEVEL = FeatureLevel.FL4
_PADDING_LEVEL = FeatureLevel.FL5

LAST_HIDL_LEVEL: Final = FeatureLevel.FL4
"""From the next level on the interface is AIDL: signed numbers, nanoseconds, no consumers, no OEM codes."""

HAL_VERSIONS: Final[dict[str, FeatureLevel]] = {
    **{f"V1_{minor}": FeatureLevel(1 + minor) for minor in range(4)},
    **{f"AIDL_V{major}": FeatureLevel(4 + major) for major in range(1, 5)},
}
"""Names of the HAL's versions, as spec files and their folders have them, with the levels that they mean."""

_ALIASES: Final = {"AIDL_UNSTABLE": FeatureLevel.FL7}
_NAMES: Final = {level: name for name, level in HAL_VERSIONS.items()}
_INT32_MAX: Final = 2**31 - 1
_AIDL_PREFIX_MAX: Final = 0x7FFF
_OEM_TYPES: Final = (OperandType.OEM, OperandType.TENSOR_OEM_BYTE)


@dataclass(frozen=True, slots=True)
class LevelRange:
    """The levels at which something exists, both ends included; empty if ``first`` is above ``last``."""

    first: int = FeatureLevel.FL1
    last: int = FeatureLevel.FL8

    def __contains__(self, level: int) -> bool:
        """Whether it exists at a level."""
        return self.first <= level <= self.last

    def __and__(self, other: LevelRange) -> LevelRange:
        """Where both exist."""
        return LevelRange(max(self.first, other.first), min(self.last, other.last))

    def __str__(self) -> str:
        """What is to be said of a level outside."""
        parts = [f"needs feature level {int(self.first)}"] if self.first > FeatureLevel.FL1 else []
        parts += [f"does not exist above feature level {int(self.last)}"] if self.last < FeatureLevel.FL8 else []
        return " and ".join(parts) or "exists at every level"


def level_of_version(name: str) -> FeatureLevel:
    """Level of a version's name; AIDL_UNSTABLE is the old name of AIDL_V3.

    :raises ValueError: there is no such version.
    """
    known = HAL_VERSIONS | _ALIASES
    if name not in known:
        raise ValueError(f"there is no HAL version {name!r}; there are {', '.join(known)}")
    return known[name]


def version_name(level: int) -> str:
    """Name of the version of a level.

    :raises ValueError: there is no such level.
    """
    return _NAMES[FeatureLevel(level)]


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


def operand_levels(operand: Operand) -> LevelRange:
    """Levels that have an operand: AIDL has no OEM types, and its numbers are signed."""
    params = operand.extra_params
    numbers = [operand.location.pool_index, *operand.dimensions]
    if isinstance(params, SymmPerChannelQuantParams):
        numbers.append(params.channel_dim)
    in_aidl = operand.type not in _OEM_TYPES and _has_aidl_code(operand.type) and max(numbers) <= _INT32_MAX
    return LevelRange(operand_level(operand), FeatureLevel.FL8 if in_aidl else LAST_HIDL_LEVEL)


def last_operation_level(code: int) -> FeatureLevel:
    """Last level that has an operation's code."""
    in_aidl = code != OperationType.OEM_OPERATION and _has_aidl_code(code)
    return FeatureLevel.FL8 if in_aidl else LAST_HIDL_LEVEL


def _has_aidl_code(code: int) -> bool:
    """Whether an extension's prefix has at most the 15 bits of AIDL."""
    return not is_extension(code) or code >> EXTENSION_TYPE_LOW_BITS_TYPE <= _AIDL_PREFIX_MAX


def memory_level(memory: Memory) -> FeatureLevel:
    """Level of a kind of memory."""
    return _HARDWARE_BUFFER_LEVEL if isinstance(memory, HardwareBuffer) else FeatureLevel.FL1


def request_level(request: Request, model: Model) -> FeatureLevel:
    """Level of a valid request for ``model``: kinds of memory, padding, outputs of unknown size."""
    return FeatureLevel(max((levels.first for levels, _ in request_parts(request, model)), default=1))


def request_parts(request: Request, model: Model) -> Iterator[tuple[LevelRange, str]]:
    """Parts of a valid request that not every level has: the levels that do, and what the part is."""
    for index, pool in enumerate(request.pools):
        if isinstance(pool, BufferToken):
            yield LevelRange(_TOKEN_LEVEL), f"pool {index}, device memory,"
        elif memory_level(pool) > FeatureLevel.FL1:
            yield LevelRange(memory_level(pool)), f"pool {index}, a hardware buffer,"
    for side, arguments in (("input", request.inputs), ("output", request.outputs)):
        for index, argument in enumerate(arguments):
            if argument.location.padding:
                yield LevelRange(_PADDING_LEVEL), f"padding of {side} {index}"
            if max(argument.dimensions, default=0) > _INT32_MAX:
                yield LevelRange(last=LAST_HIDL_LEVEL), f"{side} {index}, of dimensions {list(argument.dimensions)},"
    for position, (argument, index) in enumerate(zip(request.outputs, model.main.output_indexes, strict=True)):
        operand = model.main.operands[index]
        is_tensor = operand.type in OPERAND_TYPES and OPERAND_TYPES[operand.type].is_tensor
        dimensions = combine(operand.dimensions, argument.dimensions) or ()
        if is_tensor and not fully_known(dimensions):
            yield LevelRange(_UNSPECIFIED_OUTPUT_LEVEL), f"output {position}, of dimensions {list(dimensions)},"
