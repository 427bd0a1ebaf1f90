"""FULLY_CONNECTED, BATCH_MATMUL. Declared in ``hal/operations/dense.py``."""

from __future__ import annotations

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.shapes import Window
from nnvet.reference_driver.kernels.accumulators import finish_for, weight_values
from nnvet.reference_driver.kernels.convolution import PatchProduct
from nnvet.reference_driver.kernels.fixed_point import mbqm, quantize_multiplier, saturate
from nnvet.reference_driver.kernels.plans import Plan, planned
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.limits import check_products, check_rounds

_POINT = Window(1, 1, 1, 1, 0, 0)


@kernel(OperationType.FULLY_CONNECTED)
def fully_connected(call: Call) -> Array:
    """Flattened input times the weights; quantised results to the bit."""
    return planned(call, _prepare)


def _prepare(call: Call) -> Plan:
    weights = weight_values(call["weights"]).T
    size, units = weights.shape
    batches = call.output.dimensions[0]
    finish = finish_for(call, "weights", weights, 1, raw=True)
    # A convolution of images of one cell.
    product = PatchProduct(
        (batches, 1, 1, size), _POINT, _POINT, np.ascontiguousarray(weights)[None], finish, 0, call.output.dtype
    )
    return lambda vectors: product(vectors).reshape(batches, units)


@kernel(OperationType.BATCH_MATMUL, native_float16=True)
def batch_matmul(call: Call) -> Array:
    """Products of matrices, float16 in half precision at each step, int32 wrapping around."""
    x, y = _factor(call, "x"), _factor(call, "y")
    check_products(*call.output.dimensions, x.shape[-1])
    if x.dtype == np.float16:
        return _half_product(x, y)
    if x.dtype != np.int8:
        return np.asarray(np.matmul(x, y))
    return _quantized_product(call, x, y)


def _factor(call: Call, name: str) -> Array:
    array = call[name].array
    return array.swapaxes(-1, -2) if call.scalar(f"adj_{name}") else array


def _half_product(x: Array, y: Array) -> Array:
    check_rounds(x.shape[-1])
    sums = np.zeros((*x.shape[:-1], y.shape[-1]), np.float16)
    for k in range(x.shape[-1]):
        sums += x[..., :, k, None] * y[..., None, k, :]
    return sums


def _quantized_product(call: Call, x: Array, y: Array) -> Array:
    sums = np.matmul(_centred(call["x"], x), _centred(call["y"], y)).astype(np.int64).astype(np.int32)
    scale = float(np.float32(call["x"].scale) * np.float32(call["y"].scale))
    codes = mbqm(sums, *quantize_multiplier(scale / call.output.scale)) + call.output.zero_point
    return saturate(codes, *call.output.quantized_range, call.output.dtype)


def _centred(argument: Argument, codes: Array) -> Array:
    # Doubles hold every sum of products of codes exactly.
    return codes.astype(np.float64) - argument.zero_point
