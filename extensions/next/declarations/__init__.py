"""Declarations of the operations, a module per family: operands, types, shapes of results and rules.

Validation, the oracle, generators and the documentation read them; ``nnvet.extensions.next`` lists them.
"""

from __future__ import annotations

from typing import Final

from nnvet.extensions.next.declarations import activation, movement, sums, transformers
from nnvet.hal.enums import OperandType

DECLARATIONS: Final = (
    *activation.DECLARATIONS,
    *transformers.DECLARATIONS,
    *movement.DECLARATIONS,
    *sums.DECLARATIONS,
)

TYPES: Final = {
    declaration.type: tuple(dict.fromkeys(OperandType(row.types["T"]) for row in declaration.rows))
    for declaration in DECLARATIONS
}
"""Types of the main tensors, by operation: what a runtime that takes all of them claims."""
