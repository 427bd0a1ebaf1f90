"""QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM: no analysis, but the fixed-point recipe, from which codes may be one off.

The recipes say every rounding. What another recipe makes of a cell state is not known, and neither is what errors of
inputs would do to it: with inexact inputs nothing is decided.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.patterns import all_open, unrounded
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall

_CODES: Final = 1.0


def _estimate(call: EstimatedCall) -> Sequence[Estimate]:
    codes = {
        position: replace(call.parameters.inputs[position], array=np.rint(one.value).astype(np.int64))
        for position, one in enumerate(call.inputs)
        if one is not None and type_info(one.type).is_tensor
    }
    values = call.on_stored(codes)
    found = [
        unrounded(output, value, np.full(value.shape, _CODES))
        for output, value in zip(call.outputs, values, strict=False)
    ]
    is_exact = all(one is None or one.is_exact for one in call.inputs)
    return found if is_exact else all_open(found)


RULES: Final[dict[O, BoundRule]] = {
    operation: BoundRule(_estimate, "none is followed", "one code", "everything, where an input is inexact")
    for operation in (O.QUANTIZED_16BIT_LSTM, O.QUANTIZED_LSTM)
}
