"""The bounds of all operations, collected from the modules of the families."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.hal.enums import OperationType
from nnvet.oracle.bounds.families import arithmetic, assembly, blocks, padding, reshaping
from nnvet.oracle.bounds.rule import BoundRule

_FAMILIES: Final[tuple[Mapping[OperationType, BoundRule], ...]] = (
    arithmetic.RULES,
    assembly.RULES,
    blocks.RULES,
    padding.RULES,
    reshaping.RULES,
)
RULES: Final[Mapping[OperationType, BoundRule]] = {
    operation: rule for family in _FAMILIES for operation, rule in family.items()
}
"""How errors spread through every operation, and what it adds."""
