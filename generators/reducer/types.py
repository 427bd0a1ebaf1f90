"""A pass that makes float16 and quantised graphs float32 ones, if they still fail alike."""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.graphs.editor import map_operands
from nnvet.generators.graphs.model import Array, TestOperand
from nnvet.generators.reducer.search import Search
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info

_T: Final = OperandType
_HALVES: Final = {_T.TENSOR_FLOAT16: _T.TENSOR_FLOAT32, _T.FLOAT16: _T.FLOAT32}


def widen_types(search: Search) -> None:
    """Codes first, then float16; all operands of the model at once."""
    for change in (_dequantised, _widened):
        search.attempt(map_operands, search.best, change)


def _widened(operand: TestOperand) -> TestOperand:
    if operand.type not in _HALVES:
        return operand
    data = None if operand.data is None else operand.data.astype(np.float32)
    return replace(operand, type=_HALVES[_T(operand.type)], data=data)


def _dequantised(operand: TestOperand) -> TestOperand:
    """Codes as the numbers that they mean. A bias is known by its scale; that of a filter by channels is not."""
    is_bias = operand.type == _T.TENSOR_INT32 and operand.scale > 0
    if not type_info(operand.type).is_quantized and not is_bias:
        return operand
    data = None if operand.data is None else _numbers(operand, operand.data)
    return replace(operand, type=_T.TENSOR_FLOAT32, scale=0.0, zero_point=0, channel_quant=None, data=data)


def _numbers(operand: TestOperand, data: Array) -> Array:
    scales = operand.channel_quant
    codes = data.astype(np.float64)
    if scales is None or not data.size:
        return ((codes - operand.zero_point) * operand.scale).astype(np.float32)
    shape = [-1 if axis == scales.channel_dim else 1 for axis in range(len(operand.dimensions))]
    factors = np.array(scales.scales, np.float64).reshape(shape)
    return (codes.reshape(operand.dimensions) * factors).astype(np.float32).reshape(-1)
