"""Meanings of the operations, a module per family: functions that compute ideal results, for the oracle.

The error bounds follow from them. The kernels (``nnvet.extensions.next.kernels``) compute the same for the bundled
driver, but share no code with the meanings, so that each checks the other.
"""

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
