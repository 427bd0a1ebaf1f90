"""Passes in their order, again and again: first those that make the graph smaller, then those that make it plainer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nnvet.generators.reducer.control_flow import inline_subgraphs
from nnvet.generators.reducer.dimensions import shrink_dimensions
from nnvet.generators.reducer.operations import bypass_operations, drop_operations, drop_outputs
from nnvet.generators.reducer.plainer import (
    copy_constants,
    demand_full_precision,
    neutral_scalars,
    omit_operands,
    plain_values,
)
from nnvet.generators.reducer.search import Search
from nnvet.generators.reducer.types import widen_types

Pass = Callable[[Search], None]

PASSES: Final[tuple[tuple[str, Pass], ...]] = (
    ("branches and loops in line", inline_subgraphs),
    ("fewer outputs", drop_outputs),
    ("fewer operations", drop_operations),
    ("operations bypassed", bypass_operations),
    ("fewer outputs", drop_outputs),
    ("omitted operands", omit_operands),
    ("float32", widen_types),
    ("full precision", demand_full_precision),
    ("neutral attributes", neutral_scalars),
    ("smaller dimensions", shrink_dimensions),
    ("plain values", plain_values),
    ("plain constants", copy_constants),
)
