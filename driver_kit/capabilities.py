"""Performance tables: made, read and changed, and what versions 1.0 and 1.1 can tell of them.

A table is ``Capabilities.operand_performance``: sorted by type, each type once, no SUBGRAPH, no extension's type.
Source: HAL contract 6 (Capabilities); sample driver sheet 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from nnvet.hal.conversion import Loss
from nnvet.hal.enums import FeatureLevel, OperandType
from nnvet.hal.levels import LAST_HIDL_LEVEL, operand_levels
from nnvet.hal.types import Capabilities, Operand, OperandPerformance, PerformanceInfo

FLT_MAX: Final = 3.4028234663852886e38
"""Largest float32: the performance of what nothing is known of."""
UNKNOWN_PERFORMANCE: Final = PerformanceInfo(FLT_MAX, FLT_MAX)

Table = Sequence[OperandPerformance]

_FLOAT32: Final = (OperandType.FLOAT32, OperandType.TENSOR_FLOAT32)
_OEM: Final = (OperandType.OEM, OperandType.TENSOR_OEM_BYTE)
_QUANTIZED8: Final = (
    OperandType.INT32,
    OperandType.UINT32,
    OperandType.TENSOR_INT32,
    OperandType.TENSOR_QUANT8_ASYMM,
    *_OEM,
)
"""Types that versions 1.0 and 1.1 tell together, by the performance of TENSOR_QUANT8_ASYMM."""
_TABLE_LEVEL: Final = FeatureLevel.FL3
_CONTROL_FLOW_LEVEL: Final = FeatureLevel.FL4


class LegacyCapabilities(msgspec.Struct, frozen=True):
    """What versions 1.0 and 1.1 have; 1.0 has no performance of relaxed computations (None)."""

    float32_performance: PerformanceInfo
    quantized8_performance: PerformanceInfo
    relaxed_float32_to_float16_performance: PerformanceInfo | None = None


def make_capabilities(default: PerformanceInfo, float32: PerformanceInfo, relaxed: PerformanceInfo) -> Capabilities:
    """A table of every type but the OEM ones and SUBGRAPH; ``default`` holds for control flow too."""
    named = [one for one in non_extension_operand_performance(default) if one.type not in _OEM]
    table = tuple(replace(one, info=float32) if one.type in _FLOAT32 else one for one in named)
    return Capabilities(relaxed, relaxed, table, default, default)


def non_extension_operand_performance(
    info: PerformanceInfo, level: int = LAST_HIDL_LEVEL
) -> tuple[OperandPerformance, ...]:
    """The same performance for every type of a level but SUBGRAPH; the OEM types are those of HIDL levels."""
    types = (one for one in sorted(OperandType) if one != OperandType.SUBGRAPH)
    return tuple(OperandPerformance(one, info) for one in types if level in operand_levels(Operand(one, (1,))))


def lookup(table: Table, operand_type: int) -> PerformanceInfo:
    """Performance of a type; FLT_MAX where the table says nothing."""
    return next((entry.info for entry in table if entry.type == operand_type), UNKNOWN_PERFORMANCE)


def update(table: Table, operand_type: int, info: PerformanceInfo) -> tuple[OperandPerformance, ...]:
    """Copy with another performance of one type.

    :raises ValueError: the table does not have the type.
    """
    if all(entry.type != operand_type for entry in table):
        raise ValueError(f"the table has no entry for type {operand_type!r} that could be changed")
    return tuple(replace(entry, info=info) if entry.type == operand_type else entry for entry in table)


def is_compliant(capabilities: Capabilities, level: int) -> bool:
    """Whether a level can tell the performance of the types that it knows; control flow does not count."""
    if level >= _TABLE_LEVEL:
        return True
    table = capabilities.operand_performance
    tensor = capabilities.relaxed_float32_to_float16_performance_tensor
    equal = [
        (capabilities.relaxed_float32_to_float16_performance_scalar, tensor),
        (lookup(table, OperandType.FLOAT32), lookup(table, OperandType.TENSOR_FLOAT32)),
        *((lookup(table, one), lookup(table, OperandType.TENSOR_QUANT8_ASYMM)) for one in _QUANTIZED8),
    ]
    if level == FeatureLevel.FL1:
        equal.append((tensor, lookup(table, OperandType.TENSOR_FLOAT32)))
    return all(first == second for first, second in equal)


def to_legacy(capabilities: Capabilities, level: int) -> LegacyCapabilities:
    """What version 1.0 or 1.1 (level 1 or 2) tells of a device."""
    table = capabilities.operand_performance
    relaxed = capabilities.relaxed_float32_to_float16_performance_tensor
    return LegacyCapabilities(
        lookup(table, OperandType.TENSOR_FLOAT32),
        lookup(table, OperandType.TENSOR_QUANT8_ASYMM),
        relaxed if level > FeatureLevel.FL1 else None,
    )


def from_legacy(legacy: LegacyCapabilities) -> Capabilities:
    """What is known of a device of version 1.0 or 1.1."""
    groups = ((_FLOAT32, legacy.float32_performance), (_QUANTIZED8, legacy.quantized8_performance))
    infos = {one: info for types, info in groups for one in types}
    relaxed = legacy.relaxed_float32_to_float16_performance or legacy.float32_performance
    table = tuple(OperandPerformance(one, infos[one]) for one in sorted(infos))
    return Capabilities(relaxed, relaxed, table, UNKNOWN_PERFORMANCE, UNKNOWN_PERFORMANCE)


def convert_capabilities(capabilities: Capabilities, level: int) -> tuple[Capabilities, tuple[Loss, ...]]:
    """What a client of ``level`` learns of a device, and where that is not what the device says."""
    if level < _TABLE_LEVEL:
        converted = from_legacy(to_legacy(capabilities, level))
    else:
        known = {entry.type for entry in non_extension_operand_performance(UNKNOWN_PERFORMANCE, level)}
        kept = tuple(entry for entry in capabilities.operand_performance if entry.type in known)
        converted = replace(capabilities, operand_performance=kept)
    if level < _CONTROL_FLOW_LEVEL:
        converted = replace(converted, if_performance=UNKNOWN_PERFORMANCE, while_performance=UNKNOWN_PERFORMANCE)
    return converted, tuple(_differences(capabilities, converted))


def _differences(before: Capabilities, after: Capabilities) -> list[Loss]:
    types = sorted({entry.type for one in (before, after) for entry in one.operand_performance})
    pairs = [
        (OperandType(one).name, lookup(before.operand_performance, one), lookup(after.operand_performance, one))
        for one in types
    ]
    fields = [field for field in before.__struct_fields__ if field != "operand_performance"]
    pairs += [(field, getattr(before, field), getattr(after, field)) for field in fields]
    return [
        Loss("capabilities", f"{name} is {_text(old)}, and told as {_text(new)}", breaks=False)
        for name, old, new in pairs
        if old != new
    ]


def _text(info: PerformanceInfo) -> str:
    return "unknown" if info == UNKNOWN_PERFORMANCE else f"{info.exec_time:g}/{info.power_usage:g}"
