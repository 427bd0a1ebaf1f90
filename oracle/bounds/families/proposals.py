"""AXIS_ALIGNED_BBOX_TRANSFORM and GENERATE_PROPOSALS."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.decisions import SAMPLED, sampled
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.running import Running
from nnvet.oracle.bounds.storing import stored


def _transform(call: EstimatedCall) -> Sequence[Estimate]:
    """Regions moved and resized, clipped to an image."""
    unit = call.precision.sum_unit
    batches = np.array(call.parameters.list(2), np.int64)
    count = len(batches)
    rois, images = (Running(call.value(position), call.error(position), unit) for position in (0, 3))
    # There may be no regions at all, of which -1 would not say the size.
    width = call.estimate(1).value.shape[1]
    shape = count, width // 4, 4
    deltas = Running(call.value(1).reshape(shape), call.error(1).reshape(shape), unit)
    sides = []
    for axis, end in ((0, images[batches, 1]), (1, images[batches, 0])):
        low, high = rois[:, axis, None], rois[:, axis + 2, None]
        length = high - low
        centre = (low + high) / 2.0 + deltas[..., axis] * length
        half = deltas[..., axis + 2].exp() * length / 2.0
        limit, doubt = end.value[:, None], end.error[:, None]
        for corner in (centre - half, centre + half):
            inside = corner.clip(0.0, np.fmax(limit, 0.0))
            sides.append(Running(inside.value, inside.error + doubt, unit))
    # Both sides of x came first.
    value, error = (
        np.stack([parts[i] for i in (0, 2, 1, 3)], -1).reshape(count, width)
        for parts in ([side.value for side in sides], [side.error for side in sides])
    )
    return [stored(call, value, error)]


RULES: Final[dict[O, BoundRule]] = {
    O.AXIS_ALIGNED_BBOX_TRANSFORM: BoundRule(_transform, "running error analysis", "running error analysis"),
    O.GENERATE_PROPOSALS: BoundRule(sampled, *SAMPLED),
}
