"""The generated parts of ``docs/contract/hal.md``: operand types, operation codes, and the rules of each section."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Final

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import OPERAND_TYPES, OperandTypeInfo
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.rules import GENERAL_RULES

_SCALES: Final = {"zero": "0", "positive": "> 0", "not_negative": "≥ 0", "any": "not checked"}


def operand_types() -> Iterator[str]:
    """Every operand type with its size in bytes, its quantisation and its first level."""
    yield from ("| Code | Name | Kind | Element | Bytes | scale | zeroPoint | extraParams | Since |", "|" + "---|" * 9)
    for code, info in sorted(OPERAND_TYPES.items()):
        cells = (
            str(int(code)),
            info.type.name,
            "tensor" if info.is_tensor else "scalar",
            "none" if info.type is OperandType.SUBGRAPH else info.dtype,
            str(info.size),
            _SCALES[info.scale],
            _zero_point(info),
            _extra_params(info),
            f"FL{info.level}",
        )
        yield f"| {' | '.join(cells)} |"


def _zero_point(info: OperandTypeInfo) -> str:
    low, high = info.zero_point
    if info.scale == "any":
        return "not checked"
    return str(low) if low == high else f"{low} to {high}"


def _extra_params(info: OperandTypeInfo) -> str:
    if info.scale == "any":
        return "not checked"
    return "`channelQuant`" if info.type is OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL else "none"


def operation_codes() -> Iterator[str]:
    """Operations with their codes, one line for each level that has new ones."""
    yield from ("| Since | Codes |", "|---|---|")
    in_order = sorted(declarations().values(), key=attrgetter("level", "type"))
    for level, found in groupby(in_order, attrgetter("level")):
        yield f"| FL{level} | {', '.join(f'{int(operation.type)} {operation.name}' for operation in found)} |"


def rules_of(section: str) -> Iterator[str]:
    """The general rules that a section states, each with an anchor that is its id.

    :raises KeyError: no rule names the section.
    """
    found = [rule for rule in GENERAL_RULES if rule.section == section]
    if not found:
        raise KeyError(section)
    yield from ("| Rule | Checked on | Sentence |", "|---|---|---|")
    for rule in found:
        yield f'| <a id="{rule.id}"></a>`{rule.id}` | {rule.phase} | {rule.sentence} |'
