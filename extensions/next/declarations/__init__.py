"""Declarations of the operations, a module per family."""

from __future__ import annotations

from typing import Final

from nnvet.extensions.next.declarations import activation, attention, movement, normalization, scaling, sums

DECLARATIONS: Final = (
    *activation.DECLARATIONS,
    *normalization.DECLARATIONS,
    *attention.DECLARATIONS,
    *movement.DECLARATIONS,
    *sums.DECLARATIONS,
    *scaling.DECLARATIONS,
)
