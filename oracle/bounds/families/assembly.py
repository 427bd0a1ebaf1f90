"""CONCATENATION, PACK, SPLIT, TILE, REVERSE, FILL."""

from typing import Final

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.patterns import MOVED, alike, moved, moving
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.storing import stored
from nnvet.oracle.operations.invocation import OperandValue


def _concatenation(call: EstimatedCall) -> list[Estimate]:
    """Codes of another scale are requantised."""
    count = len(call.inputs) - 1
    if alike(call.output, [call.estimate(i) for i in range(count)]):
        # As floats, which are not requantised.
        operands = {i: OperandValue(OperandType.TENSOR_FLOAT32, call.estimate(i).value) for i in range(count)}
        return moved(call, range(count), call.on_stored(operands))
    (value,) = call.ideal()
    (spread,) = call.ideal({i: call.error(i) for i in range(count)})
    return [stored(call, value, spread)]


RULES: Final[dict[O, BoundRule]] = {
    O.CONCATENATION: BoundRule(_concatenation, MOVED, "codes of another scale are rounded once"),
    O.PACK: moving(1, last=0),
    **dict.fromkeys((O.SPLIT, O.TILE, O.REVERSE), moving(0)),
    O.FILL: moving(1),
}
