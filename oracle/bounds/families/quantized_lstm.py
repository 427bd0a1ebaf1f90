"""QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM: no analysis, but the fixed-point recipes, which say every rounding.

Source: their pages in docs/contract/operations, Semantics: to the bit. Products with multipliers may be rounded once in
place of twice, as elsewhere; nothing else is free. What errors of inputs would do to a cell state is not known: with
inexact inputs nothing is decided.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.patterns import all_open, unrounded
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall, results
from nnvet.oracle.operations.fixed_point_functions import rounded_once_away, rounded_once_up
from nnvet.oracle.operations.quantized_lstm import cells_with

OTHER_RECIPES: Final = tuple(cells_with(rescale) for rescale in (rounded_once_up, rounded_once_away))


def _estimate(call: EstimatedCall) -> Sequence[Estimate]:
    codes = {
        position: replace(call.parameters.inputs[position], array=np.rint(estimate.value).astype(np.int64))
        for position, estimate in enumerate(call.inputs)
        if estimate is not None and type_info(estimate.type).is_tensor
    }
    values = call.on_stored(codes)
    if not all(estimate is None or estimate.is_exact for estimate in call.inputs):
        return all_open([unrounded(*pair, np.zeros(())) for pair in zip(call.outputs, values, strict=False)])
    whole = call.parameters.with_inputs([codes.get(i, operand) for i, operand in enumerate(call.parameters.inputs)])
    others = [results(recipe[call.operation].compute(whole)) for recipe in OTHER_RECIPES]
    return [
        unrounded(output, value, np.max([np.abs(other - value) for other in several], axis=0).astype(np.float64))
        for output, value, *several in zip(call.outputs, values, *others, strict=False)
    ]


RULES: Final[dict[O, BoundRule]] = {
    operation: BoundRule(
        _estimate,
        "none is followed",
        "what one rounding in place of two changes",
        "everything, where an input is inexact",
    )
    for operation in (O.QUANTIZED_16BIT_LSTM, O.QUANTIZED_LSTM)
}
