"""The fixed-point arithmetic of quantised operations, step by step as the specification writes it.

``div``, ``srdhm``, ``rdbp``, ``mbqm`` and :func:`rounded` take numbers or arrays of int64 (:func:`rounded`: of floats)
and have no branches, so that one formula serves both. The others are functions of single Python numbers.
Source: docs/contract/operations/common.md 14; all constants are from there. "Qm" is a number of 32 bits with m integer
and 31 - m fraction bits; Q0 lies between -1 and 1.
"""

import math
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Whole = TypeVar("Whole", int, npt.NDArray[np.int64])
"""An integer, or an array of them."""

INT32_MAX = 2**31 - 1
INT32_MIN = -(2**31)


def div(a: Whole, b: Any) -> Whole:
    """Return a / b as C divides, truncated toward zero."""
    quotient: Whole = abs(a) // abs(b) * (1 - 2 * ((a < 0) != (b < 0)))
    return quotient


def round_away(x: float) -> int:
    """Return the nearest integer of a number, halves away from zero."""
    whole = math.trunc(x)
    if abs(x - whole) < 0.5:
        return whole
    return whole + (1 if x > 0 else -1)


def rounded(x: Any) -> Any:
    """Return the nearest integers, halves away from zero; int64.

    The numbers are finite and within the range of int64.
    """
    whole = np.trunc(x)
    return (whole + np.sign(x) * (np.abs(x - whole) >= 0.5)).astype(np.int64)


def srdhm(a: Whole, b: Any) -> Whole:
    """Return SRDHM, saturating rounding doubling high multiply: a * b / 2^31, exact halves toward plus infinity."""
    p = a * b
    nudge = 2**30 + (p < 0) * (1 - 2**31)
    # Only the product of the two lowest numbers is one too large.
    result: Whole = div(p + nudge, 2**31) - (a == INT32_MIN) * (b == INT32_MIN)
    return result


def rdbp(x: Whole, e: Any) -> Whole:
    """Return RDBP, rounding division by 2^e: halves away from zero."""
    mask = 2**e - 1
    r = x & mask
    t = (mask >> 1) + (x < 0)
    result: Whole = (x >> e) + (r > t)
    return result


def qm(d: float) -> tuple[int, int]:
    """Return QM, a real multiplier as an integer m and an exponent n: d = m / 2^31 * 2^n."""
    if d == 0:
        return 0, 0
    q, n = math.frexp(d)
    m = round_away(q * 2**31)
    if m == 2**31:
        m, n = 2**30, n + 1
    return (0, 0) if n < -31 else (m, n)


def qms(ds: Any) -> tuple[Any, Any]:
    """Return QM of several real multipliers: arrays of m and of n."""
    pairs = np.array([qm(float(d)) for d in np.asarray(ds).reshape(-1)], np.int64)
    return pairs[:, 0], pairs[:, 1]


def saturated(x: Whole) -> Whole:
    """Return numbers clamped to the range of int32."""
    if isinstance(x, int):
        return min(max(x, INT32_MIN), INT32_MAX)
    return np.clip(x, INT32_MIN, INT32_MAX)


def mbqm(x: Whole, m: Any, n: Any) -> Whole:
    """Return MBQM, x multiplied by a quantised multiplier with two roundings.

    A left shift beyond int32, which is undefined, saturates.
    """
    left = (n > 0) * n
    right = (n < 0) * -n
    shifted: Whole = x * 2**left
    return rdbp(srdhm(saturated(shifted), m), right)


def rounded_once_up(x: int, m: int, n: int) -> int:
    """Return MBQM with one rounding instead of two, as some drivers compute it; halves toward plus infinity."""
    right = max(31 - n, 0)
    return saturated((x * m + (1 << right >> 1)) >> right)


def rounded_once_away(x: int, m: int, n: int) -> int:
    """Return MBQM with one rounding instead of two, halves away from zero."""
    product = x * m
    return rounded_once_up(product, 1, n) if product >= 0 else -rounded_once_up(-product, 1, n)


def ssl(x: int, k: int) -> int:
    """Return the saturating left shift: ``x * 2**k``, or the nearest int32."""
    t = 2 ** (31 - k) - 1
    if x > t:
        return INT32_MAX
    if x < -t:
        return INT32_MIN
    return x << k


def expneg(a: int, m: int) -> int:
    """Return the exponential of ``a`` <= 0 with ``m`` integer bits (Qm), as Q0: a polynomial, and factors for bits."""
    if a == 0:
        return INT32_MAX
    f = 31 - m
    c = 2 ** (f - 2)
    r = (a & (c - 1)) - c
    rem = r - a
    x = ssl(r, m) + 2**28
    x2 = srdhm(x, x)
    x3 = srdhm(x2, x)
    x4 = srdhm(x2, x2)
    u = rdbp(srdhm(rdbp(x4, 2) + x3, 715827883) + x2, 1)
    y = 1895147668 + srdhm(1895147668, x + u)
    constants = [1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242]
    for e, k in zip([-2, -1, 0, 1, 2, 3, 4], constants, strict=True):
        if m > e and rem & 2 ** (f + e):
            y = srdhm(y, k)
    return y


def _newton(x: int) -> int:
    """Return 2 / (1 + x) for x in Q0, as Q2, by three steps of Newton's method."""
    h = (x + 2**31) // 2
    y = 1515870810 + srdhm(h, -1010580540)
    for _ in range(3):
        y += ssl(srdhm(y, 2**29 - srdhm(h, y)), 2)
    return y


def recip1p(x: int) -> int:
    """Return ``1 / (1 + x)`` of x in (0, 1), both Q0."""
    return ssl(_newton(x), 1)


def ratio1p(x: int) -> int:
    """Return ``(1 - x) / (1 + x)`` of x in (0, 1), both Q0."""
    return ssl(_newton(x) - 2**29, 2)


def logistic(a: int) -> int:
    """Return the logistic function of a Q4 number, as Q0."""
    if a == 0:
        return 2**30
    t = recip1p(expneg(-abs(a), 4))
    return t if a > 0 else (2**31 - 1) - t


def tanh(a: int) -> int:
    """Return the hyperbolic tangent of a Q4 number, as Q0."""
    if a == 0:
        return 0
    t = ratio1p(expneg(-abs(a), 5))
    return t if a > 0 else -t


def clz32(x: int) -> int:
    """Return the number of leading zeros of a 32-bit integer above 0."""
    return 32 - x.bit_length()


def invsqrt(v: int) -> tuple[int, int]:
    """Return ``1 / sqrt(v)`` of an integer as a multiplier and an exponent, the latter not above 0."""
    if v <= 1:
        return INT32_MAX, 0
    # Bring v into the range from 2^27 to 2^29 by powers of 4, which k counts; then Newton's method.
    k = 11
    while v >= 2**29:
        v //= 4
        k += 1
    b = clz32(v) - 1
    p = b // 2 - 1
    k -= p
    v <<= 2 * p
    x = v >> 1
    h = rdbp(x, 1)
    y = 2**28
    for _ in range(5):
        y3 = ssl(srdhm(srdhm(y, y), y), 6)
        y = ssl(srdhm(2**28 + 2**27, y) - srdhm(h, y3), 3)
    m = srdhm(y, 1518500250)
    if k < 0:
        m <<= -k
        k = 0
    return m, -k
