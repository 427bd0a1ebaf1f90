"""Meanings of the operations, a module per family; they know nothing of the kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.extensions.next.meanings import activation, movement, sums, transformers
from nnvet.oracle.operations.invocation import Meaning

MEANINGS: Final[Mapping[int, Meaning]] = {
    **activation.MEANINGS,
    **transformers.MEANINGS,
    **movement.MEANINGS,
    **sums.MEANINGS,
}
