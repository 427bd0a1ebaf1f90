"""Declarations of the operations, a module per family."""

from __future__ import annotations

from typing import Final

from nnvet.extensions.next.declarations import activation, movement, sums, transformers

DECLARATIONS: Final = (
    *activation.DECLARATIONS,
    *transformers.DECLARATIONS,
    *movement.DECLARATIONS,
    *sums.DECLARATIONS,
)
