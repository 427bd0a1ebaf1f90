"""Compiled function that executes runs of operations: it interprets a table of steps, and numba compiles it.

All values are float32 in one array, the arena; 8-bit codes are whole numbers in it. A step is a row of the table: its
kind, and sizes and places in the arena and in the arrays of constants, in columns that
:mod:`nnvet.reference_driver.fused.steps` fills. The function does not check places, so the code that fills the table
has to check them. Steps without weights (sums of two tensors, pooling, softmax) are here; those with weights are in
:mod:`nnvet.reference_driver.fused.sums`. Codes equal those of the NumPy kernels bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnvet.reference_driver.fused import table as t
from nnvet.reference_driver.fused.compiling import compile_cached, compile_inline
from nnvet.reference_driver.fused.stamp import checksum
from nnvet.reference_driver.fused.sums import depthwise, fill, pad, patch, product, recurrent
from nnvet.reference_driver.kernels.fixed_point import INT32_MAX, NEWTON_SLOPE, NEWTON_START
from nnvet.reference_driver.kernels.registry import Array


@compile_inline
def _mbqm(x: int, multiplier: int, exponent: int) -> int:
    """Return MBQM as kernels/fixed_point.py defines it; ``exponent`` is at most 0."""
    value = min((x * multiplier + (1 << 30)) >> 31, INT32_MAX)
    if exponent == 0:
        return value
    return (value + ((1 << -exponent) >> 1) - (1 if value < 0 else 0)) >> -exponent


@compile_inline
def _add_codes(arena: Array, row: Array) -> None:
    """Add two tensors of codes of one shape, as kernels/elementwise.py does."""
    first, second, out, count = row[t.SOURCE], row[3], row[t.OUT], row[4]
    zero0, m0, n0, zero1, m1, n1, m, n, zero, low, high = row[5:16]
    for index in range(count):
        total = _mbqm((np.int64(arena[first + index]) - zero0) << 20, m0, n0)
        total += _mbqm((np.int64(arena[second + index]) - zero1) << 20, m1, n1)
        arena[out + index] = np.float32(min(max(_mbqm(total, m, n) + zero, low), high))


@compile_inline
def _add_floats(arena: Array, row: Array, doubles: Array) -> None:
    """Add two tensors of floats of one shape, and clamp the sums."""
    first, second, out, count = row[t.SOURCE], row[3], row[t.OUT], row[4]
    low, high = np.float32(doubles[row[5]]), np.float32(doubles[row[5] + 1])
    for index in range(count):
        value = arena[first + index] + arena[second + index]
        value = max(value, low)
        arena[out + index] = min(value, high)


@compile_inline
def _cells(arena: Array, row: Array, image: int, out: int, rows: tuple[int, int], columns: tuple[int, int]) -> None:
    """Store the sum or the maximum of the cells of a window, for all channels."""
    depth, width = row[6], row[15]
    is_maximum = row[7] == t.MAXIMUM
    fill(arena, out, out + depth, np.float32(-np.inf if is_maximum else 0))
    for y in range(rows[0], rows[1]):
        for x in range(columns[0], columns[1]):
            start = image + (y * width + x) * depth
            for channel in range(depth):
                value, so_far = arena[start + channel], arena[out + channel]
                if not is_maximum:
                    arena[out + channel] = so_far + value
                elif not value <= so_far:
                    arena[out + channel] = value


@compile_inline
def _mean(value: float, cells: int, mode: int) -> float:
    if mode == t.MEAN_FLOAT:
        return np.float64(np.float32(value) / np.float32(cells))
    if mode == t.MEAN_CODES:
        mean = np.float64((np.int64(abs(value)) + cells // 2) // cells)
        return -mean if value < 0 else mean
    return np.float64(value)


@compile_inline
def _pool(arena: Array, row: Array, doubles: Array) -> None:
    """Store the mean or the maximum of the cells of each window that lie in the image."""
    batches, height, width, depth, mode = row[3], row[4], row[5], row[6], row[7]
    size_y, stride_y, head_y, size_x, stride_x, head_x, in_height, in_width = row[8:16]
    low, high = doubles[row[16]], doubles[row[16] + 1]
    out = row[t.OUT]
    for batch in range(batches):
        image = row[t.SOURCE] + batch * in_height * in_width * depth
        for y in range(height):
            rows = max(y * stride_y - head_y, 0), min(y * stride_y - head_y + size_y, in_height)
            for x in range(width):
                columns = max(x * stride_x - head_x, 0), min(x * stride_x - head_x + size_x, in_width)
                _cells(arena, row, image, out, rows, columns)
                cells = (rows[1] - rows[0]) * (columns[1] - columns[0])
                for channel in range(depth):
                    value = _mean(arena[out + channel], cells, mode)
                    value = max(value, low)
                    arena[out + channel] = min(value, high)
                out += depth


@compile_inline
def _softmax_floats(arena: Array, row: Array, doubles: Array) -> None:
    """Divide powers by their sum, along the last axis."""
    rows, count = row[3], row[4]
    beta = np.float32(doubles[row[5]])
    for index in range(rows):
        source, out = row[t.SOURCE] + index * count, row[t.OUT] + index * count
        highest = arena[source]
        for at in range(count):
            value = arena[source + at]
            if not value <= highest:
                highest = value
        total = np.float32(0)
        for at in range(count):
            arena[out + at] = np.exp((arena[source + at] - highest) * beta)
            total += arena[out + at]
        for at in range(count):
            arena[out + at] /= total


@compile_inline
def _saturating_shift(x: int, exponent: int) -> int:
    return min(max(x << exponent, -INT32_MAX - 1), INT32_MAX)


@compile_inline
def _reciprocal(x: int) -> int:
    """Return 1 / (1 + x), as ``recip1p`` of kernels/fixed_point.py does."""
    half = (x + 2**31) >> 1
    y = NEWTON_START + _mbqm(half, NEWTON_SLOPE, 0)
    for _ in range(3):
        y += _saturating_shift(_mbqm(y, (1 << 29) - _mbqm(half, y, 0), 0), 2)
    return _saturating_shift(y, 1)


@compile_inline
def _softmax_codes(arena: Array, row: Array, words: Array) -> None:
    """Compute softmax along the last axis from a table of powers, as kernels/normalization.py does."""
    rows, count, table, low, high = row[3], row[4], row[5], row[6], row[7]
    for index in range(rows):
        source, out = row[t.SOURCE] + index * count, row[t.OUT] + index * count
        largest = arena[source]
        for at in range(count):
            largest = max(largest, arena[source + at])
        highest = np.int64(largest)
        total = 0
        for at in range(count):
            total += (words[table + highest - np.int64(arena[source + at])] + (1 << 11)) >> 12
        total = min(total, INT32_MAX)
        bits = 0
        while total >> bits:
            bits += 1
        reciprocal = _reciprocal((total << (32 - bits)) - 2**31)
        shift = 3 + bits
        for at in range(count):
            power = words[table + highest - np.int64(arena[source + at])]
            value = (_mbqm(reciprocal, power, 0) + ((1 << shift) >> 1)) >> shift
            arena[out + at] = np.float32(min(max(value + low, low), high))


@compile_inline
def _run_weightless(row: Array, arena: Array, doubles: Array, words: Array) -> None:
    """Execute a step without weights."""
    kind = row[t.KIND]
    if kind == t.ADD_FLOAT:
        _add_floats(arena, row, doubles)
    elif kind == t.ADD_CODES:
        _add_codes(arena, row)
    elif kind == t.POOL:
        _pool(arena, row, doubles)
    elif kind == t.SOFTMAX_FLOAT:
        _softmax_floats(arena, row, doubles)
    elif kind == t.SOFTMAX_CODES:
        _softmax_codes(arena, row, words)


def _compile_run(sources: int) -> Callable[[Array, Array, Array, Array, Array], None]:
    """Return the function compiled from files with the checksum ``sources``.

    numba caches by this file and by the values that the function closes over. The checksum is such a value, so that a
    change of another file of the package makes numba compile again.
    """

    def run(rows: Array, arena: Array, constants: Array, doubles: Array, words: Array) -> None:
        """Execute all steps of a table: int64 [steps, COLUMNS]; float32, float32, float64 and int64 vectors."""
        for index in range(len(rows) if sources else 0):
            row = rows[index]
            kind = row[t.KIND]
            if kind == t.PRODUCT:
                product(arena, row, constants, doubles, words)
            elif kind == t.DEPTHWISE:
                depthwise(arena, row, constants, doubles, words)
            elif kind == t.PAD:
                pad(arena, row)
            elif kind == t.PATCH:
                patch(arena, row, words)
            elif kind >= t.BESIDE:
                recurrent(row, arena, constants, doubles)
            else:
                _run_weightless(row, arena, doubles, words)

    return compile_cached(run)


run = _compile_run(checksum())
