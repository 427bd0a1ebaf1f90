"""HEATMAP_MAX_KEYPOINT: running error analysis around the largest cell of each map."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.running import Running, absolute, choose
from nnvet.oracle.bounds.storing import stored
from nnvet.oracle.operations.invocation import in_nhwc
from nnvet.oracle.operations.tensor import Array, Tensor

_LIMIT: Final = 1.5
_BOXES: Final = 1


def _estimate(call: EstimatedCall) -> Sequence[Estimate]:
    nchw = call.parameters.flag(2)
    maps = [
        in_nhwc(Tensor.of(array), nchw=nchw).array.transpose(0, 3, 1, 2) for array in (call.value(0), call.error(0))
    ]
    unit = call.precision.sum_unit
    boxes = Running(call.value(_BOXES)[:, None], call.error(_BOXES)[:, None], unit)
    size = maps[0].shape[-1]
    flat, errors = (array.reshape(*array.shape[:2], -1) for array in maps)
    best = flat.argmax(-1)
    row, column = np.divmod(best, size)
    around = _neighbourhood(maps, row, column, unit)
    dx, dy, score, is_open = _refined(around, 1e-3 if call.inputs[0].type == OperandType.TENSOR_FLOAT16 else 1e-5)  # type: ignore[union-attr]
    is_open = is_open | _is_open_maximum(flat, errors, best)
    x1, y1, x2, y2 = (boxes[..., side] for side in range(4))
    x = (dx + column + 0.5) / float(size) * (x2 - x1) + x1
    y = (dy + row + 0.5) / float(size) * (y2 - y1) + y1
    places = [np.stack(pair, -1) for pair in ((x.value, y.value), (x.error, y.error))]
    spread = np.where(is_open, np.inf, score.error), np.where(is_open[..., None], np.inf, places[1])
    return [
        stored(call, score.value, spread[0]),
        stored(call, places[0], spread[1], output=call.outputs[1]),
    ]


def _neighbourhood(maps: Sequence[Array], row: Array, column: Array, unit: float) -> Callable[[int, int], Running]:
    """The cells around the largest one, mirrored at the edges."""
    size = maps[0].shape[-1]
    box, kind = np.ogrid[: row.shape[0], : row.shape[1]]

    def cell(down: int, across: int) -> Running:
        at = [np.abs(np.where(i == size, size - 2, i)) for i in (row + down, column + across)]
        value, error = (array[box, kind, at[0], at[1]] for array in maps)
        return Running(value, error, unit)

    return cell


def _is_open_maximum(flat: Array, errors: Array, best: Array) -> Array:
    """Return True if another cell may be the largest: of exact ones the first is."""
    lowest = np.take_along_axis(flat - errors, best[..., None], -1)
    may_be = (flat + errors >= lowest) & (errors + np.take_along_axis(errors, best[..., None], -1) > 0)
    np.put_along_axis(may_be, best[..., None], values=False, axis=-1)
    found: Array = may_be.any(-1)
    return found


def _refined(g: Callable[[int, int], Running], tolerance: float) -> tuple[Running, Running, Running, Array]:
    """Offsets, score, and whether rounding decides if there are offsets."""
    b0, b1 = -(g(0, 1) - g(0, -1)) / 2.0, -(g(1, 0) - g(-1, 0)) / 2.0
    axx = g(0, -1) - g(0, 0) * 2.0 + g(0, 1)
    ayy = g(-1, 0) - g(0, 0) * 2.0 + g(1, 0)
    axy = (g(1, 1) - g(1, -1) - g(-1, 1) + g(-1, -1)) / 4.0
    det = axx * ayy - axy * axy
    above = absolute(det) - (axx * ayy * tolerance + tolerance)
    is_flat = above.value < 0
    divisor = choose(is_flat, 1.0, det)
    dx, dy = (ayy * b0 - axy * b1) / divisor, (axx * b1 - axy * b0) / divisor
    far = np.fmax(np.abs(dx.value), np.abs(dy.value))
    farthest = choose(np.abs(dx.value) >= np.abs(dy.value), absolute(dx), absolute(dy))
    factor = choose(far > _LIMIT, farthest.reciprocal(_LIMIT), 1.0)
    # Just below the limit the factor may as well be what it is just above.
    factor = Running(factor.value, np.where(far + farthest.error > _LIMIT, farthest.error, factor.error), dx.unit)
    dx, dy = (choose(is_flat, 0.0, shift * factor) for shift in (dx, dy))
    score = g(0, 0) - b0 * dx - b1 * dy + ((axx * dx + axy * dy) * dx + (axy * dx + ayy * dy) * dy) / 2.0
    return dx, dy, choose(is_flat, g(0, 0), score), np.abs(above.value) <= above.error


RULES: Final[dict[O, BoundRule]] = {
    O.HEATMAP_MAX_KEYPOINT: BoundRule(
        _estimate,
        "running error analysis",
        "running error analysis",
        "maps whose largest cell, or whose determinant beside its threshold, is within the errors",
    )
}
