"""Generators of operands of ``nnvet.next`` for random models, a module for each family.

A generator adds random operands of an operation to a draft (:mod:`nnvet.generators.random_graphs.draft`): a node of a
random model that is being built. The builders of :mod:`nnvet.generators.random_graphs.families` do the same for the
operations of the contract. The ``reach`` of an operand is the largest magnitude that its elements can have; generators
state it for outputs, so that no later operation overflows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.extensions.next.operands import activation, movement, sums, transformers
from nnvet.generators.random_graphs.signature import Build

GENERATORS: Final[Mapping[int, Build]] = {
    **activation.GENERATORS,
    **transformers.GENERATORS,
    **movement.GENERATORS,
    **sums.GENERATORS,
}
"""All generators by the codes of operations."""
