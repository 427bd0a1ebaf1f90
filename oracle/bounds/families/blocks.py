"""DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND, CHANNEL_SHUFFLE."""

from typing import Final

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.patterns import moving
from nnvet.oracle.bounds.rule import BoundRule

RULES: Final[dict[O, BoundRule]] = dict.fromkeys(
    (O.DEPTH_TO_SPACE, O.SPACE_TO_DEPTH, O.BATCH_TO_SPACE_ND, O.SPACE_TO_BATCH_ND, O.CHANNEL_SHUFFLE), moving(0)
)
