"""The answer to getCapabilities: a figure for each operand type.

Source: docs/contract/hal.md 6.3; docs/contract/sample-driver.md 11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.hal.enums import OperandType
from nnvet.hal.types import Capabilities, OperandPerformance, PerformanceInfo

_FLOAT32: Final = (OperandType.FLOAT32, OperandType.TENSOR_FLOAT32)
_UNLISTED: Final = (OperandType.SUBGRAPH, OperandType.OEM, OperandType.TENSOR_OEM_BYTE)


def make_capabilities(
    default: PerformanceInfo,
    float32: PerformanceInfo,
    relaxed: PerformanceInfo,
    others: Mapping[OperandType, PerformanceInfo] | None = None,
) -> Capabilities:
    """A table of every type but the OEM ones and SUBGRAPH, sorted; ``default`` holds for control flow too.

    ``others`` are figures of further types.
    """
    known = {**dict.fromkeys(_FLOAT32, float32), **(others or {})}
    table = tuple(
        OperandPerformance(kind, known.get(kind, default)) for kind in sorted(OperandType) if kind not in _UNLISTED
    )
    return Capabilities(relaxed, relaxed, table, default, default)
