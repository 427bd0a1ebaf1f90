"""Declarations of the operations of ``nnvet.next``, a module for each family: operands, types, shapes and rules.

Validation, the oracle, generators and the documentation (docs/next.md) read :data:`DECLARATIONS`. What the operations
compute is in ``meanings``.
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
"""All declarations, in the order of the documentation."""

TYPES: Final = {
    declaration.type: tuple(
        dict.fromkeys(kind for row in declaration.rows if isinstance(kind := row.types["T"], OperandType))
    )
    for declaration in DECLARATIONS
}
"""Types of the main tensors by operation, those of the contract alone: claims of runtimes that compute all of them."""
