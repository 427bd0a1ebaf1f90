"""The optional data layout flag of spatial operations (docs/contract/operations/common.md 11)."""

from __future__ import annotations

from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Call, Formal

LAYOUT = Formal("layout", OperandType.BOOL, "whether first input and first output are NCHW, not NHWC", level=3)


def is_nchw(call: Call) -> bool:
    """Return True if the layout flag is given and set."""
    return bool(call.scalar("layout", False))
