"""Meanings of the operations of ``nnvet.next``, a module for each family: functions that compute ideal results.

The oracle computes expected results with :data:`MEANINGS`, and derives error bounds by computing them on numbers with
errors (:mod:`nnvet.oracle.bounds.following`). The kernels (``nnvet.extensions.next.kernels``) compute the same for the
bundled driver, but share no code with the meanings, so that each checks the other.
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
"""All meanings by the codes of operations."""
