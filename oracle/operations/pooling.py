"""Pooling in plain loops, from the pages of the poolings in docs/contract/operations. Images are [N, H, W, C]."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nnvet.oracle.operations.convolution import Steps, out_shape
from nnvet.oracle.operations.fixed_point_functions import div
from nnvet.oracle.operations.tensor import Tensor


def pool(x: Tensor, cells: tuple[int, int], steps: Steps, of: Callable[[Sequence[Any]], Any]) -> Tensor:
    """``of`` the elements of each window (height, width) that lie in the image; no activation."""
    height, width = out_shape(x, cells, steps)
    left, _, top, _ = steps.padding
    values = []
    for b in range(x.dims[0]):
        for i in range(height):
            for j in range(width):
                h0, w0 = i * steps.stride[1] - top, j * steps.stride[0] - left
                rows = range(max(h0, 0), min(h0 + cells[0], x.dims[1]))
                columns = range(max(w0, 0), min(w0 + cells[1], x.dims[2]))
                values += [of([x[b, h, w, c] for h in rows for w in columns]) for c in range(x.dims[3])]
    return Tensor(values, (x.dims[0], height, width, x.dims[3]))


def mean(values: Sequence[float]) -> float:
    """Mean of floats."""
    return math.fsum(values) / len(values)


def mean_unsigned(codes: Sequence[int]) -> int:
    """Mean of unsigned codes, halves up."""
    return (sum(codes) + len(codes) // 2) // len(codes)


def mean_signed(codes: Sequence[int]) -> int:
    """Mean of signed codes, halves away from zero."""
    total, count = sum(codes), len(codes)
    return div(total + count // 2, count) if total > 0 else div(total - count // 2, count)


def root_mean_square(values: Sequence[float]) -> float:
    """Root of the sum of squares times the reciprocal of the count."""
    return math.sqrt(math.fsum(x * x for x in values) * float(np.float32(1) / np.float32(len(values))))
