"""The meanings of all operations, collected from the modules of the families."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.hal.enums import OperationType
from nnvet.oracle.operations import (
    activation,
    control_flow,
    convolution,
    detection,
    elementwise,
    lookup,
    movement,
    normalization,
    quantized_lstm,
    recurrent,
    reduction,
    resize,
    roi,
)
from nnvet.oracle.operations.invocation import Meaning

_FAMILIES: Final[tuple[Mapping[OperationType, Meaning], ...]] = (
    activation.MEANINGS,
    control_flow.MEANINGS,
    convolution.MEANINGS,
    detection.MEANINGS,
    elementwise.MEANINGS,
    lookup.MEANINGS,
    movement.MEANINGS,
    normalization.MEANINGS,
    quantized_lstm.MEANINGS,
    recurrent.MEANINGS,
    reduction.MEANINGS,
    resize.MEANINGS,
    roi.MEANINGS,
)
MEANINGS: Final[Mapping[OperationType, Meaning]] = {
    operation: meaning for family in _FAMILIES for operation, meaning in family.items()
}
"""Meaning of every operation."""
