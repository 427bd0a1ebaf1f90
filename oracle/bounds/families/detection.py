"""BOX_WITH_NMS_LIMIT and DETECTION_POSTPROCESSING."""

from typing import Final

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.decisions import SAMPLED, sampled
from nnvet.oracle.bounds.rule import BoundRule

RULES: Final[dict[O, BoundRule]] = dict.fromkeys(
    (O.BOX_WITH_NMS_LIMIT, O.DETECTION_POSTPROCESSING), BoundRule(sampled, *SAMPLED)
)
"""Rules of what selects boxes."""
