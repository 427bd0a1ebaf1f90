"""Kernels of AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D. Declared in ``hal/operations/convolution.py``.

Windows are combined along the height first and then along the width, so a window of n by m cells takes n + m steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.convolution import image, windows
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.shapes import Window
from nnvet.reference_driver.kernels.convolution import in_layout
from nnvet.reference_driver.kernels.fixed_point import FLOAT_BOUNDS, activation_codes
from nnvet.reference_driver.kernels.registry import Array, Plan, kernel, run_planned
from nnvet.reference_driver.limits import check_cells, check_rounds


@kernel(OperationType.AVERAGE_POOL_2D, OperationType.MAX_POOL_2D, OperationType.L2_POOL_2D)
def pooling(call: Call) -> Array:
    """Return the mean, maximum or root mean square of the cells of each window that lie in the image."""
    return run_planned(call, _prepare)


def _prepare(call: Call) -> Plan:
    """Return a function from images to the output; what depends on shapes and parameters is computed here, once."""
    vertical, horizontal = windows(call)
    is_float = call.output.dtype == "float32"
    code = call.scalar("activation")
    low, high = FLOAT_BOUNDS[code] if is_float else activation_codes(code, call.output)
    counts = np.multiply.outer(_counts(vertical), _counts(horizontal))[:, :, None]
    dtype = call.output.dtype
    batches, _, width, depth = image(call)
    check_cells(batches, vertical.out, width, depth)
    pools: dict[int, Callable[..., Array]] = {
        OperationType.AVERAGE_POOL_2D: _average_float if is_float else _average_codes,
        OperationType.MAX_POOL_2D: _maximum,
        OperationType.L2_POOL_2D: _root_mean_square,
    }
    pool = pools[call.declaration.type]

    def plan(images: Array) -> Array:
        values = pool(images, vertical, horizontal, counts)
        return np.clip(values, low, high, out=values).astype(dtype, copy=False)

    return in_layout(call, plan)


def _counts(window: Window) -> Array:
    """Return for each window along an axis the number of its cells that lie in the image."""
    starts = np.arange(window.out) * window.stride - window.head
    return np.minimum(starts + window.filter, window.size) - np.maximum(starts, 0)


def _slide(combine: Callable[..., Any], values: Array, axis: int, window: Window, start: Any) -> Array:
    """Combine the cells of every window along ``axis`` (1 or 2), beginning with ``start``, which changes no result."""
    shape = list(values.shape)
    shape[axis] = window.out
    result = np.full(shape, start, values.dtype)
    before = (slice(None),) * axis
    last = (window.out - 1) * window.stride
    # Taps are places within a window; these have a cell of the image in at least one window.
    taps = range(max(window.head - last, 0), min(window.filter, window.head + window.size))
    check_rounds(len(taps))
    for tap in taps:
        # From ``first`` to ``end`` are the windows that have this tap in the image.
        first = max(-(-(window.head - tap) // window.stride), 0)
        end = min((window.size - 1 + window.head - tap) // window.stride + 1, window.out)
        if first < end:
            begin = first * window.stride - window.head + tap
            cells = values[(*before, slice(begin, begin + (end - first - 1) * window.stride + 1, window.stride))]
            part = result[(*before, slice(first, end))]
            combine(part, cells, out=part)
    return result


def _sums(values: Array, vertical: Window, horizontal: Window) -> Array:
    return _slide(np.add, _slide(np.add, values, 1, vertical, 0), 2, horizontal, 0)


def _average_float(images: Array, vertical: Window, horizontal: Window, counts: Array) -> Array:
    sums = _sums(images, vertical, horizontal)
    sums /= counts.astype(np.float32)
    return sums


def _average_codes(images: Array, vertical: Window, horizontal: Window, counts: Array) -> Array:
    """Return the mean of the codes, halves away from zero."""
    sums = _sums(images.astype(np.int64), vertical, horizontal)
    means: Array = (np.abs(sums) + counts // 2) // counts
    return np.where(sums < 0, -means, means)


def _root_mean_square(images: Array, vertical: Window, horizontal: Window, counts: Array) -> Array:
    sums = _sums(np.square(images), vertical, horizontal)
    sums *= np.float32(1) / counts.astype(np.float32)
    np.sqrt(sums, out=sums)
    return sums


def _maximum(images: Array, vertical: Window, horizontal: Window, counts: Array) -> Array:
    del counts  # needed by the means alone
    lowest = -np.inf if images.dtype == np.float32 else np.iinfo(images.dtype).min
    return _slide(np.maximum, _slide(np.maximum, images, 1, vertical, lowest), 2, horizontal, lowest)
