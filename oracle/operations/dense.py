"""Matrix products: FULLY_CONNECTED and BATCH_MATMUL. Written from their pages in docs/contract/operations."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.fused_activation import activate, requantized, wrap
from nnvet.oracle.operations.invocation import Invocation, Meaning
from nnvet.oracle.operations.tensor import Array, Tensor


def fully_connected(x: Tensor, weights: Tensor, bias: Sequence[Any] | Array) -> Tensor:
    """Rows of input_size elements times the weights; sums with the bias, no activation."""
    rows = x.array.reshape(-1, weights.dims[1])
    return Tensor.of(rows @ weights.array.T + np.asarray(bias))


def batch_matmul(x: Tensor, y: Tensor, *, adj_x: bool, adj_y: bool, number: Any = int) -> Tensor:
    """Matrix products of each batch; every product and sum is rounded to ``number`` (int: exact)."""
    kind = np.int64 if number is int else number
    first = np.asarray(x.array.swapaxes(-1, -2) if adj_x else x.array, kind)
    second = np.asarray(y.array.swapaxes(-1, -2) if adj_y else y.array, kind)
    total = np.zeros((*first.shape[:-1], second.shape[-1]), kind)
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(first.shape[-1]):
            total = total + first[..., :, k : k + 1] * second[..., k : k + 1, :]
    return Tensor.of(total)


def _fully_connected(call: Invocation) -> Tensor:
    """Inputs: tensor, weights, bias, activation."""
    x, weights, code = call.exact(0), call.exact(1), call.number(3)
    sums = fully_connected(x, weights, call.exact(2).array).array
    if call.is_float:
        return Tensor.of(activate(sums, code))
    scales = call.inputs[0].scale, [call.inputs[1].scale]
    return Tensor.of(requantized(sums, scales, call.output.quantization, code, call.output.limits))


def _batch_matmul(call: Invocation) -> Tensor:
    """Inputs: two stacks of matrices, whether the first and whether the second is transposed."""
    kinds = {OperandType.TENSOR_FLOAT32: np.float32, OperandType.TENSOR_FLOAT16: np.float16}
    kind = kinds.get(OperandType(call.inputs[0].type), int)
    x, y = (call.raw(i) if call.is_float else call.centred(i) for i in range(2))
    sums = batch_matmul(x, y, adj_x=call.flag(2), adj_y=call.flag(3), number=kind)
    if call.is_float:
        return sums
    if call.inputs[0].type == OperandType.TENSOR_INT32:
        return Tensor.of(wrap(sums.array))
    scales = call.inputs[0].scale, [call.inputs[1].scale]
    return Tensor.of(requantized(sums.array, scales, call.output.quantization, 0, call.output.limits))


MEANINGS: Final = {O.FULLY_CONNECTED: Meaning(_fully_connected), O.BATCH_MATMUL: Meaning(_batch_matmul)}
