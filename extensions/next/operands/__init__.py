"""Generators of operands for random models, a module per family."""

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
