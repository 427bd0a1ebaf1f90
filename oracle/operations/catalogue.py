"""The meanings of all operations, collected from the modules of the families."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.hal.enums import OperationType
from nnvet.oracle.operations import (
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
from nnvet.oracle.operations.invocation import Meaning

_FAMILIES: Final[tuple[Mapping[OperationType, Meaning], ...]] = (
    activation.MEANINGS,
    arithmetic.MEANINGS,
    assembly.MEANINGS,
    blocks.MEANINGS,
    comparison.MEANINGS,
    control_flow.MEANINGS,
    convolution.MEANINGS,
    dense.MEANINGS,
    detection.MEANINGS,
    elementwise.MEANINGS,
    extremum.MEANINGS,
    keypoint.MEANINGS,
    lookup.MEANINGS,
    lstm.MEANINGS,
    normalization.MEANINGS,
    padding.MEANINGS,
    pooling.MEANINGS,
    proposals.MEANINGS,
    quantization.MEANINGS,
    quantized_lstm.MEANINGS,
    recurrent.MEANINGS,
    reduction.MEANINGS,
    reshaping.MEANINGS,
    resize.MEANINGS,
    roi.MEANINGS,
    slicing.MEANINGS,
)
MEANINGS: Final[Mapping[OperationType, Meaning]] = {
    operation: meaning for family in _FAMILIES for operation, meaning in family.items()
}
"""Meaning of every operation."""
