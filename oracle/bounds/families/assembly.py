"""CONCATENATION, PACK, SPLIT, TILE, REVERSE, FILL."""

from typing import Final

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.families.arithmetic import fixed_point_grid
from nnvet.oracle.bounds.patterns import MOVED, alike, moved, moving
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.storing import stored
from nnvet.oracle.operations.invocation import OperandValue
from nnvet.oracle.operations.tensor import Array


def _concatenation(call: EstimatedCall) -> list[Estimate]:
    """Codes of another scale are requantised."""
    count = len(call.inputs) - 1
    if alike(call.output, [call.estimate(i) for i in range(count)]):
        # As floats, which are not requantised.
        operands = {i: OperandValue(OperandType.TENSOR_FLOAT32, call.estimate(i).value) for i in range(count)}
        return moved(call, range(count), call.on_stored(operands))
    (value,) = call.ideal()
    (spread,) = call.ideal({i: call.error(i) for i in range(count)})
    return [stored(call, value, spread, grid=_grids(call, count))]


def _grids(call: EstimatedCall, count: int) -> Array:
    """Return the grids of requantisation by a fixed-point multiplier; nobody says how codes are requantised."""
    grids = {}
    for i in range(count):
        grid = fixed_point_grid(call.parameters.inputs[i].scale / call.output.scale)
        grids[i] = OperandValue(OperandType.TENSOR_FLOAT32, np.full(call.estimate(i).value.shape, grid))
    (found,) = call.on_stored(grids)
    return found


RULES: Final[dict[O, BoundRule]] = {
    O.CONCATENATION: BoundRule(
        _concatenation, MOVED, "codes of another scale are rounded, twice if by a fixed-point multiplier below 1/2"
    ),
    O.PACK: moving(1, last=0),
    **dict.fromkeys((O.SPLIT, O.TILE, O.REVERSE), moving(0)),
    O.FILL: moving(1),
}
