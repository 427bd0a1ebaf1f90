"""ADD, SUB, MUL, DIV of single elements, from their pages in docs/contract/operations."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from nnvet.oracle.operations.fixed_point_functions import mbqm, qm, rdbp, srdhm
from nnvet.oracle.operations.fused_activation import activate, code_bounds, wrap
from nnvet.oracle.operations.tensor import Tensor, indices

Quantization = tuple[float, int]


def broadcast(x: Tensor, y: Tensor, of: Callable[[Any, Any], Any]) -> Tensor:
    """Element-wise result of broadcast operands."""
    rank = max(len(x.dims), len(y.dims))
    a = (1,) * (rank - len(x.dims)) + tuple(x.dims)
    b = (1,) * (rank - len(y.dims)) + tuple(y.dims)
    dims = tuple(m if n == 1 else n for m, n in zip(a, b, strict=True))
    first, second = Tensor(x.values, a), Tensor(y.values, b)
    values = []
    for index in indices(dims):
        p = [0 if size == 1 else i for i, size in zip(index, a, strict=True)]
        q = [0 if size == 1 else i for i, size in zip(index, b, strict=True)]
        values.append(of(first[p], second[q]))
    return Tensor(values, dims)


def of_floats(name: str, x: float, y: float, code: int) -> float:
    """One float32 operation, then the activation."""
    p, q = np.float32(x), np.float32(y)
    with np.errstate(all="ignore"):
        value = {"ADD": p + q, "SUB": p - q, "MUL": p * q, "DIV": p / q}[name]
    return activate(float(value), code)


def of_integers(name: str, x: int, y: int) -> int:
    """Integers wrap around; division rounds toward minus infinity, by zero gives zero."""
    if name == "DIV":
        return 0 if y == 0 else wrap(math.floor(Fraction(x, y)))
    return wrap({"ADD": x + y, "SUB": x - y, "MUL": x * y}[name])


def of_codes(
    name: str,
    codes: tuple[int, int],
    inputs: Sequence[Quantization],
    target: Quantization,
    code: int,
    limits: tuple[int, int],
) -> int:
    """Output code of two input codes with scales and zero points ``inputs``."""
    (s0, z0), (s1, z1) = inputs
    s_out, z_out = target
    p, q = codes[0] - z0, codes[1] - z1
    if name == "MUL":
        value = mbqm(p * q, *qm(float(np.float32(s0) * np.float32(s1)) / s_out))
    else:
        twice = 2 * max(s0, s1)
        m0, n0 = qm(s0 / twice)
        m1, n1 = qm(s1 / twice)
        mo, no = qm(twice / float(np.float32(2**20) * np.float32(s_out)))
        t0 = rdbp(srdhm(p * 2**20, m0), -n0)
        t1 = rdbp(srdhm(q * 2**20, m1 if name == "ADD" else -m1), -n1)
        value = mbqm(t0 + t1, mo, no)
    low, high = code_bounds(code, s_out, z_out, *limits)
    return min(max(z_out + value, low), high)
