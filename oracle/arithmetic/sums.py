"""Operations that are sums of products, in the arithmetics of drivers: formats, orders of summation, fused steps.

The terms are those of the meanings in ``oracle/operations``: for each pair of factors an array as large as the result.
Numbers are float64 arrays whose elements are numbers of the format. Products of two float32 are exact in float64, and
the difference between a sum that is rounded twice and one that is rounded once is far below every bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations import convolution
from nnvet.oracle.operations.activation import activate
from nnvet.oracle.operations.invocation import Invocation, Tensor, in_layout

Array: TypeAlias = npt.NDArray[Any]
Rounding: TypeAlias = Callable[[Any], Array]
"""Function that rounds numbers in float64 to a format."""

_LANES: Final = 8
"""Partial sums that a driver's vector instructions form side by side."""
_BFLOAT16_BITS: Final = 16
"""The bits that bfloat16 drops from float32."""


def to_float64(values: Any) -> Array:
    """Return the numbers unchanged."""
    return np.asarray(values, np.float64)


def to_float32(values: Any) -> Array:
    """Return the nearest float32."""
    return np.asarray(values, np.float64).astype(np.float32).astype(np.float64)


def to_float16(values: Any) -> Array:
    """Return the nearest float16."""
    return np.asarray(values, np.float64).astype(np.float16).astype(np.float64)


def to_bfloat16(values: Any) -> Array:
    """Return the upper half of the nearest float32, halves away from zero."""
    words = np.asarray(values, np.float64).astype(np.float32).view(np.uint32)
    half = np.uint32(1 << (_BFLOAT16_BITS - 1))
    kept = (words + half) >> np.uint32(_BFLOAT16_BITS) << np.uint32(_BFLOAT16_BITS)
    return kept.view(np.float32).astype(np.float64)


def truncated(values: Any, dtype: Any) -> Array:
    """Return the nearest number of the type ``dtype`` that is not further from zero, as an array of that type."""
    exact = np.asarray(values, np.float64)
    found: Array = exact.astype(dtype)
    return np.where(np.abs(found.astype(np.float64)) > np.abs(exact), np.nextafter(found, dtype(0)), found)


def cut_to_float32(values: Any) -> Array:
    """Return the numbers cut to float32, toward zero."""
    return truncated(values, np.float32).astype(np.float64)


class Order(Enum):
    """Orders in which terms are added."""

    FORWARD = "forward"
    BACKWARD = "backward"
    PAIRWISE = "pairwise"
    LANES = "lanes"


@dataclass(frozen=True)
class Arithmetic:
    """Arithmetic of a driver's sums: ``number`` rounds each partial sum, and each product unless they are ``fused``."""

    number: Rounding = to_float32
    order: Order = Order.FORWARD
    fused: bool = False

    def total(self, terms: Sequence[tuple[Array, Any]], start: Any = 0.0) -> Array:
        """Return the sum of ``start`` and of all products; ``start`` itself if there are no terms."""
        initial = self.number(start)
        if self.order is Order.PAIRWISE:
            return self.number(initial + self._pairwise(terms)) if terms else initial
        if self.order is Order.LANES:
            whole = replace(self, order=Order.FORWARD)
            lanes = [whole.total(terms[i::_LANES]) for i in range(min(_LANES, len(terms)))]
            return whole.total([(lane, 1.0) for lane in lanes], initial)
        found = initial
        for left, right in terms if self.order is Order.FORWARD else reversed(terms):
            product = left * right
            found = self.number(found + (product if self.fused else self.number(product)))
        return found

    def _pairwise(self, terms: Sequence[tuple[Array, Any]]) -> Array:
        if len(terms) == 1:
            return self.number(terms[0][0] * terms[0][1])
        middle = len(terms) // 2
        return self.number(self._pairwise(terms[:middle]) + self._pairwise(terms[middle:]))


Term: TypeAlias = tuple[Array, Any]


@dataclass(frozen=True)
class Sum:
    """Sums of an operation: its products, addends, and the last steps."""

    terms: list[Term]
    start: Any
    finish: Callable[[Array], Array]


def sum_of(call: Invocation) -> Sum | None:
    """Return the sums that an operation computes; None if the operation is no sum, or has no float results."""
    operation = O.__members__.get(call.name)
    made = SUMS.get(operation) if operation is not None else None
    return made(call) if made is not None and call.is_float else None


def summed(call: Invocation, arithmetic: Arithmetic) -> Array | None:
    """Return the results of an operation in an arithmetic, in float64; None if it is not a sum of floats."""
    found = sum_of(call)
    return None if found is None else found.finish(arithmetic.total(found.terms, found.start))


def _convolution(call: Invocation) -> Sum:
    given = convolution.read_inputs(call)
    terms = list((_scattered if call.name == "TRANSPOSE_CONV_2D" else _windows)(call.name, given))

    def finish(sums: Array) -> Array:
        return in_layout(Tensor.of(activate(sums, given.activation)), nchw=given.nchw).array

    return Sum(terms, given.bias, finish)


def _windows(name: str, given: convolution.ConvolutionInputs) -> Iterator[Term]:
    weights = given.weights.array
    depth = weights.shape[-1]
    depthwise = name == "DEPTHWISE_CONV_2D"
    made = depth if depthwise else len(weights)
    # For each output channel, the first input channel of its terms.
    first = np.arange(made) // given.factor if depthwise else np.arange(made) // (made // given.factor) * depth
    for row, column, seen in convolution.window_cells(given.image, weights.shape[1:3], given.steps, 0):
        if depthwise:
            yield seen[..., first], weights[0, row, column]
            continue
        for channel in range(depth):
            yield seen[..., first + channel], weights[:, row, column, channel]


def _scattered(_: str, given: convolution.ConvolutionInputs) -> Iterator[Term]:
    """Return the terms of a transposed convolution, in which each cell of the filter adds at a stride."""
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
    code, nchw = convolution.activation_and_layout(call)
    seen: list[Array] = []
    counts: list[Array] = []

    def keep(cells: Array, inside: Array) -> Array:
        seen.append(cells)
        counts.append(inside.sum(0))
        first: Array = cells[0]
        return first

    convolution.pooled(call, call.exact(0).array, keep)

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
