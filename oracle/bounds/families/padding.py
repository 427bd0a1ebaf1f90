"""PAD, PAD_V2, MIRROR_PAD."""

from typing import Final

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.patterns import moving
from nnvet.oracle.bounds.rule import BoundRule

RULES: Final[dict[O, BoundRule]] = {
    **dict.fromkeys((O.PAD, O.MIRROR_PAD), moving(0)),
    O.PAD_V2: moving(0, 2),
}
