"""Fixed-point arithmetic on Python integers, step by step as docs/contract/operations/common.md 14 writes it.

Independent of the kernels: it imports nothing from them and uses no arrays.
"""

import math

INT32_MAX = 2**31 - 1
INT32_MIN = -(2**31)


def div(a: int, b: int) -> int:
    """Division of C: truncates toward zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def round_away(x: float) -> int:
    """Nearest integer, halves away from zero."""
    whole = math.trunc(x)
    if abs(x - whole) < 0.5:
        return whole
    return whole + (1 if x > 0 else -1)


def srdhm(a: int, b: int) -> int:
    """SRDHM."""
    if a == b == INT32_MIN:
        return INT32_MAX
    p = a * b
    n = 2**30 if p >= 0 else 1 - 2**30
    return div(p + n, 2**31)


def rdbp(x: int, e: int) -> int:
    """RDBP."""
    mask = 2**e - 1
    r = x & mask
    t = (mask >> 1) + (1 if x < 0 else 0)
    return (x >> e) + (1 if r > t else 0)


def qm(d: float) -> tuple[int, int]:
    """QM."""
    if d == 0:
        return 0, 0
    q, n = math.frexp(d)
    m = round_away(q * 2**31)
    if m == 2**31:
        m, n = 2**30, n + 1
    return (0, 0) if n < -31 else (m, n)


def mbqm(x: int, m: int, n: int) -> int:
    """MBQM."""
    left = max(n, 0)
    right = max(-n, 0)
    return rdbp(srdhm(x * 2**left, m), right)


def ssl(x: int, k: int) -> int:
    """SSL."""
    t = 2 ** (31 - k) - 1
    if x > t:
        return INT32_MAX
    if x < -t:
        return INT32_MIN
    return x << k


def expneg(a: int, m: int) -> int:
    """Expneg."""
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
    h = (x + 2**31) // 2
    y = 1515870810 + srdhm(h, -1010580540)
    for _ in range(3):
        y += ssl(srdhm(y, 2**29 - srdhm(h, y)), 2)
    return y


def recip1p(x: int) -> int:
    """recip1p."""
    return ssl(_newton(x), 1)


def ratio1p(x: int) -> int:
    """ratio1p."""
    return ssl(_newton(x) - 2**29, 2)


def logistic(a: int) -> int:
    """Logistic of a Q4 number."""
    if a == 0:
        return 2**30
    t = recip1p(expneg(-abs(a), 4))
    return t if a > 0 else (2**31 - 1) - t


def tanh(a: int) -> int:
    """Hyperbolic tangent of a Q4 number."""
    if a == 0:
        return 0
    t = ratio1p(expneg(-abs(a), 5))
    return t if a > 0 else -t


def clz32(x: int) -> int:
    """Leading zeros of a 32-bit integer above 0."""
    return 32 - x.bit_length()


def invsqrt(v: int) -> tuple[int, int]:
    """Invsqrt."""
    if v <= 1:
        return INT32_MAX, 0
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
