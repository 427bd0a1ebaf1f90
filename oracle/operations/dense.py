"""FULLY_CONNECTED and BATCH_MATMUL in plain loops, from their pages in docs/contract/operations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnvet.oracle.operations.tensor import Tensor, indices


def fully_connected(x: Tensor, weights: Tensor, bias: Sequence[Any]) -> Tensor:
    """Rows of input_size elements times the weights; sums with the bias, no activation."""
    units, size = weights.dims
    rows = len(x.values) // size
    values = []
    for b in range(rows):
        for u in range(units):
            total = 0
            for k in range(size):
                total += x.values[b * size + k] * weights[u, k]
            values.append(total + bias[u])
    return Tensor(values, (rows, units))


def batch_matmul(x: Tensor, y: Tensor, *, adj_x: bool, adj_y: bool, number: Any = int) -> Tensor:
    """Matrix products of each batch; every product and sum is rounded to ``number``."""
    inner = x.dims[-2] if adj_x else x.dims[-1]
    dims = (*x.dims[:-2], x.dims[-1] if adj_x else x.dims[-2], y.dims[-2] if adj_y else y.dims[-1])
    values = []
    with np.errstate(over="ignore"):
        for *batch, row, column in indices(dims):
            total = number(0)
            for k in range(inner):
                first = x[(*batch, k, row) if adj_x else (*batch, row, k)]
                second = y[(*batch, column, k) if adj_y else (*batch, k, column)]
                total = number(total + number(number(first) * number(second)))
            values.append(total)
    return Tensor(values, dims)
