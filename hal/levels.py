"""Feature levels that models and calls need (docs/contract/hal.md 1, 3, 4 and 9).

Validation (:mod:`nnvet.hal.validation`) and clients ask this module; conversions to older levels are in
:mod:`nnvet.hal.conversion`. The level of a model or call is the highest level that any of its parts needs. A driver of
level N must accept everything that needs at most level N and reject the rest; a client must not send the rest. Models
at AIDL levels have no numbers of consumers (docs/contract/hal.md 5).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from nnvet.hal.enums import FeatureLevel, OperandLifeTime
from nnvet.hal.operand_types import OPERAND_TYPES, combine, fully_known
from nnvet.hal.types import BufferToken, HardwareBuffer, Memory, Model, Operand, Request, Subgraph


def without_consumers(model: Model) -> Model:
    """Return a copy without numbers of consumers, which no AIDL level has."""

    def stripped(subgraph: Subgraph) -> Subgraph:
        return replace(
            subgraph, operands=tuple(replace(operand, number_of_consumers=None) for operand in subgraph.operands)
        )

    return replace(model, main=stripped(model.main), referenced=tuple(map(stripped, model.referenced)))


_EXTENSION_LEVEL = FeatureLevel.FL3
_UNKNOWN_RANK_LEVEL = FeatureLevel.FL3
_UNSPECIFIED_OUTPUT_LEVEL = FeatureLevel.FL3
_HARDWARE_BUFFER_LEVEL = FeatureLevel.FL3
_SUBGRAPH_LEVEL = FeatureLevel.FL4
_TOKEN_LEVEL = FeatureLevel.FL4
_PADDING_LEVEL = FeatureLevel.FL5
"""First level of each of these features (docs/contract/hal.md 1)."""

HIGHEST_REQUEST_LEVEL: Final = _PADDING_LEVEL
"""Highest level that a request can need."""
LAST_HIDL_LEVEL: Final = FeatureLevel.FL4
"""Last level of HIDL. Later levels are AIDL: signed numbers, nanoseconds, no consumers, no OEM codes."""

HAL_VERSIONS: Final[dict[str, FeatureLevel]] = {
    **{f"V1_{minor}": FeatureLevel(1 + minor) for minor in range(4)},
    **{f"AIDL_V{major}": FeatureLevel(4 + major) for major in range(1, 5)},
}
"""Levels by the names of the HAL's versions that spec files and their folders use."""

# Constants, because making or looking up a member of an enumeration takes longer than most work on it.
_LEVELS: Final = {int(level): level for level in FeatureLevel}
_SUBGRAPH: Final = OperandLifeTime.SUBGRAPH
_NAMES: Final = {level: name for name, level in HAL_VERSIONS.items()}
"""Names of the HAL's versions by level."""


def version_name(level: int) -> str:
    """Return the name of the version of a level.

    :raises ValueError: there is no such level.
    """
    return _NAMES[FeatureLevel(level)]


def operand_level(operand: Operand) -> FeatureLevel:
    """Return the level of an operand by its type, lifetime and rank."""
    info = OPERAND_TYPES.get(operand.type)
    if info is None:
        return _EXTENSION_LEVEL
    level = _LEVELS[info.level]
    if operand.lifetime == _SUBGRAPH:
        level = max(level, _SUBGRAPH_LEVEL)
    if info.is_tensor and not operand.dimensions:
        level = max(level, _UNKNOWN_RANK_LEVEL)
    return level


def memory_level(memory: Memory) -> FeatureLevel:
    """Return the level of a kind of memory."""
    return _HARDWARE_BUFFER_LEVEL if isinstance(memory, HardwareBuffer) else FeatureLevel.FL1


def request_level(request: Request, model: Model) -> FeatureLevel:
    """Return the level of a valid request for ``model``: kinds of memory, padding, outputs of unknown size."""
    return max(_request_levels(request, model), default=FeatureLevel.FL1)


def _request_levels(request: Request, model: Model) -> Iterator[FeatureLevel]:
    for pool in request.pools:
        yield _TOKEN_LEVEL if isinstance(pool, BufferToken) else memory_level(pool)
    if any(argument.location.padding for argument in (*request.inputs, *request.outputs)):
        yield _PADDING_LEVEL
    for argument, index in zip(request.outputs, model.main.output_indexes, strict=True):
        operand = model.main.operands[index]
        is_tensor = operand.type in OPERAND_TYPES and OPERAND_TYPES[operand.type].is_tensor
        if is_tensor and not fully_known(combine(operand.dimensions, argument.dimensions) or ()):
            yield _UNSPECIFIED_OUTPUT_LEVEL
