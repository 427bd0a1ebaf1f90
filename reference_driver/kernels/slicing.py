"""SLICE, STRIDED_SLICE, GATHER, TOPK_V2. Declared in ``hal/operations/slicing.py``."""

from __future__ import annotations

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.slicing import slice_ranges, strides
from nnvet.reference_driver.kernels.registry import Array, kernel


@kernel(OperationType.SLICE, native_float16=True)
def slice_box(call: Call) -> Array:
    """The box that begins at ``begin``."""
    box: Array = call["input"].array[tuple(slice(begin, begin + size) for begin, size in slice_ranges(call))]
    return box


@kernel(OperationType.STRIDED_SLICE, native_float16=True)
def strided_slice(call: Call) -> Array:
    """Every n-th element of each dimension; dropped dimensions have one element."""
    # Python takes -1 for the last element; what lies before the first one is None there.
    parts = (slice(s.begin, None if s.end < 0 else s.end, s.step) for s in strides(call))
    taken: Array = call["input"].array[tuple(parts)]
    return taken.reshape(call.output.dimensions)


@kernel(OperationType.GATHER, native_float16=True)
def gather(call: Call) -> Array:
    """Slices at the indices along the axis."""
    source, indices, axis = call["input"].array, call["indices"].array, call.scalar("axis")
    if indices.min() < 0 or indices.max() >= source.shape[axis]:
        call.fail("GATHER/indices.values", f"axis {axis} has size {source.shape[axis]}")
    return np.take(source, indices, axis=axis)


@kernel(OperationType.TOPK_V2, native_float16=True)
def topk(call: Call) -> tuple[Array, Array]:
    """The k largest of each row, larger index first among equals; NaN counts as largest."""
    source = call["input"].array
    order = np.argsort(source, axis=-1, kind="stable")[..., ::-1][..., : call.scalar("k")]
    return np.take_along_axis(source, order, axis=-1), order.astype(np.int32)
