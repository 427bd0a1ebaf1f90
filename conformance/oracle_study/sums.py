"""The operations that are sums of products, computed in an arithmetic of choice, with faults in the sums.

The terms are those of the meanings in ``oracle/operations``: for each pair of factors an array as large as the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.conformance.oracle_study.arithmetic import Arithmetic, Array
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.convolution import ConvolutionInputs, read_inputs, window_cells
from nnvet.oracle.operations.fused_activation import activate
from nnvet.oracle.operations.invocation import Invocation, in_layout
from nnvet.oracle.operations.pooling import activation_and_layout, pooled
from nnvet.oracle.operations.tensor import Tensor

Term: TypeAlias = tuple[Array, Any]


@dataclass(frozen=True)
class Sum:
    """Sums of one operation: products, what is added to them, and what is done with the sums."""

    terms: list[Term]
    start: Any
    finish: Callable[[Array], Array]


def sum_of(call: Invocation) -> Sum | None:
    """The sum that an operation is; None where it is none, or has no float results."""
    made = SUMS.get(O[call.name])
    return made(call) if made is not None and call.is_float else None


def summed(call: Invocation, arithmetic: Arithmetic) -> Array | None:
    """The results of an operation in an arithmetic, in float64; None where it is no sum of floats."""
    found = sum_of(call)
    return None if found is None else found.finish(arithmetic.total(found.terms, found.start))


def _convolution(call: Invocation) -> Sum:
    given = read_inputs(call)
    terms = list((_scattered if call.name == "TRANSPOSE_CONV_2D" else _windows)(call.name, given))

    def finish(sums: Array) -> Array:
        return in_layout(Tensor.of(activate(sums, given.activation)), nchw=given.nchw).array

    return Sum(terms, given.bias, finish)


def _windows(name: str, given: ConvolutionInputs) -> Iterator[Term]:
    weights = given.weights.array
    depth = weights.shape[-1]
    depthwise = name == "DEPTHWISE_CONV_2D"
    made = depth if depthwise else len(weights)
    # Which input channel the terms of an output channel begin with.
    first = np.arange(made) // given.factor if depthwise else np.arange(made) // (made // given.factor) * depth
    for row, column, seen in window_cells(given.image, weights.shape[1:3], given.steps, 0):
        if depthwise:
            yield seen[..., first], weights[0, row, column]
            continue
        for channel in range(depth):
            yield seen[..., first + channel], weights[:, row, column, channel]


def _scattered(_: str, given: ConvolutionInputs) -> Iterator[Term]:
    """Of a transposed convolution: one cell of the filter adds to every so many cells of the result."""
    image, weights = given.image.array, given.weights.array
    batches, rows, columns, depth = image.shape
    across, down = given.steps.stride
    left, right, top, bottom = given.steps.padding
    height, width = (rows - 1) * down + weights.shape[1], (columns - 1) * across + weights.shape[2]
    for i, j, channel in np.ndindex(*weights.shape[1:3], depth):
        sums = np.zeros((batches, height + max(-bottom, 0), width + max(-right, 0), 1))
        place = sums[:, i : i + (rows - 1) * down + 1 : down, j : j + (columns - 1) * across + 1 : across]
        place += image[..., channel, None]
        yield sums[:, top : height - bottom, left : width - right], weights[:, i, j, channel]


def _fully_connected(call: Invocation) -> Sum:
    weights = call.exact(1).array
    rows = call.exact(0).array.reshape(-1, weights.shape[1])
    terms: list[Term] = [(rows[:, k, None], weights[:, k]) for k in range(weights.shape[1])]
    return Sum(terms, call.exact(2).array, lambda sums: np.asarray(activate(sums, call.number(3))))


def _batch_matmul(call: Invocation) -> Sum:
    x, y = call.exact(0).array, call.exact(1).array
    x = x.swapaxes(-1, -2) if call.flag(2) else x
    y = y.swapaxes(-1, -2) if call.flag(3) else y
    terms: list[Term] = [(x[..., k, None], y[..., None, k, :]) for k in range(x.shape[-1])]
    return Sum(terms, 0.0, lambda sums: sums)


def _average(call: Invocation) -> Sum:
    code, nchw = activation_and_layout(call)
    seen: list[Array] = []
    counts: list[Array] = []

    def keep(cells: Array, inside: Array) -> Array:
        seen.append(cells)
        counts.append(inside.sum(0))
        first: Array = cells[0]
        return first

    pooled(call, call.exact(0).array, keep)

    def finish(sums: Array) -> Array:
        return in_layout(Tensor.of(activate(sums / counts[0], code)), nchw=nchw).array

    return Sum([(cells, 1.0) for cells in seen[0]], 0.0, finish)


SUMS: Final[Mapping[O, Callable[[Invocation], Sum]]] = {
    **dict.fromkeys((O.CONV_2D, O.DEPTHWISE_CONV_2D, O.GROUPED_CONV_2D, O.TRANSPOSE_CONV_2D), _convolution),
    O.FULLY_CONNECTED: _fully_connected,
    O.BATCH_MATMUL: _batch_matmul,
    O.AVERAGE_POOL_2D: _average,
}
"""Sums of each operation."""
