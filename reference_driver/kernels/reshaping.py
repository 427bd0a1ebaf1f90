"""RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, RANK. Declared in ``hal/operations/reshaping.py``."""

from __future__ import annotations

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels.registry import Array, kernel


@kernel(OperationType.RESHAPE, OperationType.SQUEEZE, OperationType.EXPAND_DIMS, native_float16=True)
def reshape(call: Call) -> Array:
    """The input's elements, row-major, in the inferred shape."""
    return call["input"].array.reshape(call.output.dimensions)


@kernel(OperationType.TRANSPOSE, native_float16=True)
def transpose(call: Call) -> Array:
    """Output dimension i is input dimension perm[i]; without perm a matrix is transposed."""
    perm = call.vector("perm") if call.has("perm") else None
    return np.transpose(call["input"].array, perm)


@kernel(OperationType.RANK, native_float16=True)
def rank(call: Call) -> Array:
    """The input's number of dimensions; its data is not looked at."""
    return np.array(call["input"].rank, dtype=np.int32)
