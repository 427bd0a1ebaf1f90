"""QUANTIZE, DEQUANTIZE, CAST."""

from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.patterns import ENDS, elementwise, unrounded
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.spreading import corners
from nnvet.oracle.bounds.storing import CORRECTLY_ROUNDED, of_magnitude, stored
from nnvet.oracle.operations.tensor import Array

_INT32_END: Final = 2.0**31


def _products(call: EstimatedCall, value: Array) -> Array:
    """Magnitudes of code * scale and zero point * scale, which may be formed before they are subtracted."""
    source = call.parameters.inputs[0]
    if not source.zero_point:
        return np.zeros(value.shape)
    offset: Array = np.abs(source.zero_point * source.scale)
    return offset + np.abs(value + source.zero_point * source.scale)


def _whole(x: Any) -> Any:
    """Return the whole numbers; those that TENSOR_INT32 cannot hold are undefined."""
    return np.where(np.abs(x) < _INT32_END, np.trunc(x), np.nan)


def _byte(x: Any) -> Any:
    return np.trunc(np.clip(x, 0, 255))


def _cast(call: EstimatedCall) -> list[Estimate]:
    """Numbers as they are stored; scales and zero points count for nothing."""
    source, output = call.estimate(0), call.output
    if source.type == output.type:
        return [
            replace(unrounded(output, source.value, source.error), shared=source.shared, deviation=source.deviation)
        ]
    one = source.value.astype(np.float64), source.error
    if output.is_float:
        return [stored(call, *one)]
    of = _byte if type_info(output.type).dtype == "uint8" else _whole
    value = of(one[0])
    error = np.where(np.isnan(value), np.inf, corners(of, one))
    return [unrounded(output, np.nan_to_num(value), error)]


RULES: Final[dict[O, BoundRule]] = {
    O.QUANTIZE: elementwise(lambda _: lambda x: x),
    O.DEQUANTIZE: elementwise(
        lambda _: lambda x: x, local=of_magnitude(1, _products, "code * scale and zero point * scale, unless that is 0")
    ),
    O.CAST: BoundRule(_cast, ENDS, CORRECTLY_ROUNDED.words, "a NaN, and what the integer type cannot hold"),
}
