"""RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, RANK."""

from typing import Final

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.patterns import EXACT, MOVED, moving, reshaped
from nnvet.oracle.bounds.rule import BoundRule

RULES: Final[dict[O, BoundRule]] = {
    **dict.fromkeys((O.RESHAPE, O.SQUEEZE, O.EXPAND_DIMS), BoundRule(reshaped, MOVED, EXACT)),
    O.TRANSPOSE: moving(0),
    O.RANK: moving(),
}
