"""Reductions of lists of numbers, from their pages in docs/contract/operations. ``number`` is the element type."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nnvet.oracle.operations.fixed_point_functions import div


def mean(values: Sequence[float]) -> float:
    """Float mean: float32 sum in order, divided once."""
    total = np.float32(0)
    for x in values:
        total += np.float32(x)
    return float(total / np.float32(len(values)))


def mean_code(codes: Sequence[int]) -> int:
    """Mean of codes, truncated toward zero."""
    return div(sum(codes), len(codes))


def reduce_all(values: Sequence[int]) -> int:
    """Logical and of bytes."""
    result = True
    for x in values:
        result = result and x != 0
    return int(result)


def reduce_any(values: Sequence[int]) -> int:
    """Logical or of bytes."""
    result = False
    for x in values:
        result = result or x != 0
    return int(result)


def reduce_max(values: Sequence[Any], lowest: Any) -> Any:
    """Largest, from the lowest finite number of the type on."""
    result = lowest
    for x in values:
        result = max(result, x)
    return result


def reduce_min(values: Sequence[Any], highest: Any) -> Any:
    """Smallest, from the highest finite number of the type on."""
    result = highest
    for x in values:
        result = min(result, x)
    return result


def reduce_prod(values: Sequence[Any], number: Any) -> Any:
    """Product in order; a zero factor wins over infinity and NaN."""
    result = number(1)
    for x in values:
        result = number(0) if x == 0 or result == 0 else number(result * x)
    return result


def reduce_sum(values: Sequence[Any], number: Any) -> Any:
    """Sum in order."""
    result = number(0)
    for x in values:
        result = number(result + x)
    return result


def _search(values: Sequence[float], better: Callable[[float, float], bool]) -> int:
    found = 0
    for i, x in enumerate(values):
        if better(x, values[found]):
            found = i
    return found


def argmax(values: Sequence[float]) -> int:
    """First index of the largest; a NaN never replaces and is never replaced."""
    return _search(values, lambda x, best: not math.isnan(x) and x > best)


def argmin(values: Sequence[float]) -> int:
    """First index of the smallest; a NaN never replaces and is never replaced."""
    return _search(values, lambda x, best: not math.isnan(x) and x < best)
