"""The bounds of all operations, collected from the modules of the families."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.hal.enums import OperationType
from nnvet.oracle.bounds.families import (
    activation,
    arithmetic,
    assembly,
    blocks,
    comparison,
    control_flow,
    convolution,
    dense,
    detection,
    elementwise,
    extremum,
    keypoint,
    lookup,
    lstm,
    normalization,
    padding,
    pooling,
    proposals,
    quantization,
    quantized_lstm,
    recurrent,
    reduction,
    reshaping,
    resize,
    roi,
    slicing,
)
from nnvet.oracle.bounds.rule import BoundRule

_FAMILIES: Final[tuple[Mapping[OperationType, BoundRule], ...]] = (
    activation.RULES,
    arithmetic.RULES,
    assembly.RULES,
    blocks.RULES,
    comparison.RULES,
    control_flow.RULES,
    convolution.RULES,
    dense.RULES,
    detection.RULES,
    elementwise.RULES,
    extremum.RULES,
    keypoint.RULES,
    lookup.RULES,
    lstm.RULES,
    normalization.RULES,
    padding.RULES,
    pooling.RULES,
    proposals.RULES,
    quantization.RULES,
    quantized_lstm.RULES,
    recurrent.RULES,
    reduction.RULES,
    reshaping.RULES,
    resize.RULES,
    roi.RULES,
    slicing.RULES,
)
RULES: Final[Mapping[OperationType, BoundRule]] = {
    operation: rule for family in _FAMILIES for operation, rule in family.items()
}
"""How errors spread through every operation, and what it adds."""
