"""Meanings of the operations, a module per family; they know nothing of the kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.extensions.next.meanings import activation, attention, movement, normalization, scaling, sums
from nnvet.oracle.operations.invocation import Meaning

MEANINGS: Final[Mapping[int, Meaning]] = {
    **activation.MEANINGS,
    **normalization.MEANINGS,
    **attention.MEANINGS,
    **movement.MEANINGS,
    **sums.MEANINGS,
    **scaling.MEANINGS,
}
