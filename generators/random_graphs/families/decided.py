"""Boxes of which nobody can doubt which are chosen: small errors in scores and coordinates change nothing.

Which boxes are suppressed, and in which order they stand, depends on comparisons. What is drawn at random is kept only
if the oracle chooses the same ones from numbers that are a little off; otherwise boxes are taken that lie apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.hal_model import build_model
from nnvet.generators.graphs.model import Array
from nnvet.hal.enums import OperandType
from nnvet.oracle.execution import evaluate

_T = OperandType
_ATTEMPTS: Final = 3
_OFF: Final = (0.004, -0.004)
"""Relative errors, larger than those of float16 and of what quantisation leaves."""
_SAME: Final = 0.05
"""Results that differ by less, relative to the largest, are those of the same choice."""

Operands = Sequence[tuple[OperandType, Any]]
"""Types and values of the inputs of an operation, floats as float32."""


def chosen(operation: int, operands: Operands, outputs: Sequence[OperandType]) -> list[Array] | None:
    """Return the oracle's choices, or None if numbers that are a little off may give something else, or nothing."""
    results = _evaluated(operation, operands, outputs)
    if any(not result.size for result in results):
        return None
    for number, error in enumerate(_OFF):
        others = _evaluated(
            operation, [(kind, _moved(kind, value, error, number)) for kind, value in operands], outputs
        )
        if not all(map(_alike, results, others)):
            return None
    return results


def first_decided(
    make: Callable[[bool], Operands], operation: int, outputs: Sequence[OperandType]
) -> tuple[Operands, list[Array]]:
    """Operands that leave nothing open, and the results: ``make(True)`` has to give such.

    :raises ValueError: it does not.
    """
    for attempt in range(_ATTEMPTS + 1):
        operands = make(attempt == _ATTEMPTS)
        results = chosen(operation, operands, outputs)
        if results is not None:
            return operands, results
    raise ValueError(f"boxes that lie apart leave open what operation {operation} chooses")


def _moved(kind: OperandType, value: Any, error: float, number: int) -> Any:
    """Floats that are off, every second element of a tensor in the other direction."""
    if kind == _T.FLOAT32:
        return value * (1 + error)
    if kind != _T.TENSOR_FLOAT32:
        return value
    array = np.asarray(value, np.float64)
    signs = np.where((np.arange(array.size) + number) % 2, 1.0, -1.0).reshape(array.shape)
    return array * (1 + error * signs)


def _alike(result: Array, other: Array) -> bool:
    if result.shape != other.shape:
        return False
    if result.dtype.kind != "f":
        return bool(np.array_equal(result, other))
    largest = float(np.abs(result).max(initial=0.0))
    return bool(np.abs(result - other).max(initial=0.0) <= _SAME * largest)


def _evaluated(operation: int, operands: Operands, outputs: Sequence[OperandType]) -> list[Array]:
    graph = GraphBuilder()
    inputs = [graph.constant(kind, np.shape(value), value) for kind, value in operands]
    results = [graph.output(kind, (0,), None) for kind in outputs]
    graph.operation(operation, tuple(inputs), *results)
    return evaluate(build_model(graph.finish("chosen")), [])
