"""MAXIMUM, MINIMUM, POW, PRELU and requantisation of single numbers.

Written from their pages in docs/contract/operations, and docs/contract/operations/common.md 15.
"""

import math

import numpy as np

from nnvet.oracle.operations.fixed_point_functions import mbqm, qm, round_away


def extremum(name: str, x: float, y: float) -> float:
    """C++ max and min: the second only if it is really larger or smaller."""
    if name == "MAXIMUM":
        return max(x, y)
    return min(x, y)


def requantize(q: int, source: tuple[float, int], target: tuple[float, int], low: int, high: int) -> int:
    """A code with (scale, zero point) ``source`` as a code with ``target``."""
    real = float(np.float32(q - source[1]) * np.float32(source[0]))
    code = real / float(np.float32(target[0])) + target[1]
    if code < low:
        return low
    if code > high:
        return high
    return round_away(code)


def power(x: float, y: float) -> float:
    """Powf: exact in double, with the special cases of C."""
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:
        if x == 0 and y < 0:
            return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
        return math.nan


def prelu(x: float, alpha: float) -> float:
    """X if x >= 0, else x * alpha."""
    return x if x >= 0 else float(np.float32(x) * np.float32(alpha))


def prelu_code(
    codes: tuple[int, int],
    x: tuple[float, int],
    alpha: tuple[float, int],
    target: tuple[float, int],
    bounds: tuple[int, int],
) -> int:
    """Quantised PRELU of a code of x and one of alpha, each with its (scale, zero point)."""
    centred = codes[0] - x[1]
    if centred >= 0:
        y = mbqm(centred, *qm(float(np.float32(x[0]) / np.float32(target[0]))))
    else:
        product = float(np.float32(x[0]) * np.float32(alpha[0]))
        y = mbqm(centred * (codes[1] - alpha[1]), *qm(product / float(np.float32(target[0]))))
    return min(max(target[1] + y, bounds[0]), bounds[1])
