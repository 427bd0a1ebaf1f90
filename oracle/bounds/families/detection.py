"""Rules of operations that choose among boxes: inputs are moved within their errors, to see which choices are possible.

Unlike all other rules this is sampling, not analysis: scores, thresholds and overlaps decide one after the other, and
there is no bound for the effect of a changed choice. If any sample chooses other boxes, everything is undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.patterns import all_open
from nnvet.oracle.bounds.precision import Estimate, is_real
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.running import Running
from nnvet.oracle.bounds.storing import LocalError, stored
from nnvet.oracle.operations.invocation import Array

_SAMPLES: Final = 8
"""The number of times that the inputs are moved at random."""
_NOISE: Final = 2.0**-20
"""Inputs are also moved by this relative distance, which is more than float32 rounding."""
_MARGIN: Final = 4.0
"""The error may be larger than in the samples by this factor."""
_UNITS: Final = 16.0
"""The error of a computed box, in units of roundoff of the largest result."""
_TAKEN: Final = {O.BOX_WITH_NMS_LIMIT: (0, 1), O.DETECTION_POSTPROCESSING: (0,), O.GENERATE_PROPOSALS: (0,)}
"""Outputs with numbers copied from the inputs: scores, and boxes that are not computed from deltas."""
_KERNEL: Final = 5
"""Position of the input that selects how BOX_WITH_NMS_LIMIT decays scores; 0 means it does not."""
SAMPLED: Final = (
    "four times the largest change in eight samples",
    "16 units of roundoff of the largest result; none to scores, and to boxes that are only chosen",
    "everything, where a sample chooses other boxes",
)


def sampled(call: EstimatedCall) -> Sequence[Estimate]:
    """Return the results of the ideal inputs, undecided if slightly moved inputs give other boxes."""
    ideal = call.ideal()
    changes = [np.zeros(array.shape) for array in ideal]
    is_open = False
    for seed in range(_SAMPLES):
        found = call.ideal(_move_inputs(call, seed))
        if not _same_choice(call, ideal, found):
            is_open = True
            break
        changes = [
            np.fmax(change, np.abs(other.astype(np.float64) - array))
            for change, other, array in zip(changes, found, ideal, strict=True)
        ]
    finished = []
    chosen = taken(call)
    for place, (output, value, change) in enumerate(zip(call.outputs, ideal, changes, strict=True)):
        if not is_real(output) or place in chosen:
            own = np.fmax(change - _NOISE * np.abs(value), 0.0)
            finished.append(stored(call, value, own, output=output))
            continue
        units = _UNITS * call.precision.sum_unit * np.abs(value).max(initial=0.0)
        finished.append(stored(call, value.astype(np.float64), _MARGIN * change, LocalError(units), output=output))
    return all_open(finished) if is_open else finished


def taken(call: EstimatedCall) -> tuple[int, ...]:
    """Return the outputs whose numbers are copied from the inputs."""
    decays = call.operation == O.BOX_WITH_NMS_LIMIT and call.parameters.number(_KERNEL) != 0
    return _TAKEN[call.operation][1 if decays else 0 :]


def _move_inputs(call: EstimatedCall, seed: int) -> dict[int, Array]:
    """Return the real inputs, each element moved to a random end of its interval."""
    random = np.random.default_rng(seed)
    found = {}
    for position, estimate in enumerate(call.inputs):
        if estimate is not None and is_real(estimate.as_operand) and estimate.value.ndim:
            value = call.value(position)
            reach = call.error(position) + _NOISE * np.abs(value)
            found[position] = value + random.choice([-1.0, 1.0], value.shape) * reach
    return found


def _same_choice(call: EstimatedCall, ideal: Sequence[Array], found: Sequence[Array]) -> bool:
    """Return True if the same number of boxes is chosen, with the same classes and images."""
    return all(
        array.shape == other.shape and (is_real(output) or np.array_equal(array, other))
        for output, array, other in zip(call.outputs, ideal, found, strict=True)
    )


def _estimate_transform(call: EstimatedCall) -> Sequence[Estimate]:
    """Estimate regions that are moved, resized, and clipped to an image."""
    unit = call.precision.sum_unit
    batches = np.array(call.parameters.list(2), np.int64)
    count = len(batches)
    rois, images = (Running(call.value(position), call.error(position), unit) for position in (0, 3))
    # Without any region, -1 in a shape could not be resolved.
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
    # ``sides`` has both sides of x before those of y.
    value, error = (
        np.stack([parts[i] for i in (0, 2, 1, 3)], -1).reshape(count, width)
        for parts in ([side.value for side in sides], [side.error for side in sides])
    )
    return [stored(call, value, error)]


RULES: Final[dict[O, BoundRule]] = {
    **dict.fromkeys((O.BOX_WITH_NMS_LIMIT, O.DETECTION_POSTPROCESSING), BoundRule(sampled, *SAMPLED)),
    O.AXIS_ALIGNED_BBOX_TRANSFORM: BoundRule(_estimate_transform, "running error analysis", "running error analysis"),
    O.GENERATE_PROPOSALS: BoundRule(sampled, *SAMPLED),
}
