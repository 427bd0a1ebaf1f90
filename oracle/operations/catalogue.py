"""The meanings of all operations, collected from the modules of the families."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from nnvet.hal.enums import OperationType
from nnvet.hal.extensions import brought
from nnvet.hal.operations.catalogue import operation_name
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
"""Meaning of every operation of the contract."""


@cache
def meanings() -> Mapping[int, Meaning]:
    """Return the meanings of all operations by code, those of known extensions among them."""
    return {**{int(operation): meaning for operation, meaning in MEANINGS.items()}, **brought("meanings")}


@cache
def names() -> Mapping[int, str]:
    """Return the names of the operations of :func:`meanings`, by code; a model contains only the codes."""
    return {code: operation_name(code) for code in meanings()}


@cache
def meanings_by_name() -> Mapping[str, Meaning]:
    """Return the meanings by the names of the operations."""
    return {names()[code]: meaning for code, meaning in meanings().items()}
