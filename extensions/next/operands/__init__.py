"""Generators of operands for random models, a module per family.

A generator adds the operands of an operation to a draft (:mod:`nnvet.generators.random_graphs.draft`), as the builders
of :mod:`nnvet.generators.random_graphs.families` do for the operations of the contract.
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
