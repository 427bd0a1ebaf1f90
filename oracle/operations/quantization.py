"""QUANTIZE, DEQUANTIZE, CAST of numbers or arrays. Written from their pages in docs/contract/operations."""

from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.oracle.operations.fixed_point_functions import rounded
from nnvet.oracle.operations.invocation import Invocation, Meaning
from nnvet.oracle.operations.tensor import Tensor, choose

_BEYOND_ALL_CODES: Final = 2.0**24


def quantize(x: Any, target: tuple[float, int], low: int, high: int) -> Any:
    """Codes of real values for (scale, zero point) ``target``; NaN gives the highest code."""
    with np.errstate(all="ignore"):
        quotient = np.float64(np.float32(x) / np.float32(target[0]))
    finite = np.clip(choose(np.isnan(quotient), np.inf, quotient), -_BEYOND_ALL_CODES, _BEYOND_ALL_CODES)
    return np.clip(target[1] + rounded(finite), low, high)


def dequantize(q: Any, scale: Any, zero_point: int) -> Any:
    """Real values of codes, float32."""
    return np.float32(scale) * np.float32(q - zero_point)


def cast(x: Any, target: str) -> Any:
    """Numbers as ``float32``, ``float16``, ``int32`` or ``uint8``; NaN and what int32 cannot hold are undefined."""
    with np.errstate(all="ignore"):
        if target in ("float32", "float16"):
            return np.dtype(target).type(x)
        return np.trunc(np.clip(x, 0, 255) if target == "uint8" else x).astype(np.int64)


def _quantize(call: Invocation) -> Tensor:
    """Inputs: tensor of real numbers."""
    return Tensor.of(quantize(call.real(0).array, call.output.quantization, *call.output.limits))


def _dequantize(call: Invocation) -> Tensor:
    """Inputs: tensor of codes."""
    source = call.inputs[0]
    scale: Any = source.scale
    if source.channel_quant is not None:
        shape = [1] * call.array(0).ndim
        shape[source.channel_quant.channel_dim] = -1
        scale = np.array(source.channel_quant.scales).reshape(shape)
    return Tensor.of(dequantize(call.whole(0).array, scale, source.zero_point))


def _cast(call: Invocation) -> Tensor:
    """Inputs: tensor. Scales and zero points count for nothing."""
    if call.inputs[0].type == call.output.type:
        return call.raw(0)
    return Tensor.of(cast(call.array(0), type_info(call.output.type).dtype))


MEANINGS: Final = {O.QUANTIZE: Meaning(_quantize), O.DEQUANTIZE: Meaning(_dequantize), O.CAST: Meaning(_cast)}
