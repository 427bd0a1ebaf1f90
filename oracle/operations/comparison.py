"""Comparisons and logic of single numbers, from their pages in docs/contract/operations."""

from collections.abc import Callable
from typing import Any

import numpy as np

RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "EQUAL": lambda x, y: x == y,
    "NOT_EQUAL": lambda x, y: x != y,
    "LESS": lambda x, y: x < y,
    "LESS_EQUAL": lambda x, y: x <= y,
    "GREATER": lambda x, y: x > y,
    "GREATER_EQUAL": lambda x, y: x >= y,
    "LOGICAL_AND": lambda x, y: x != 0 and y != 0,
    "LOGICAL_OR": lambda x, y: x != 0 or y != 0,
}


def relation(name: str, x: float, y: float) -> int:
    """1 or 0 for numbers (or bytes of booleans)."""
    return 1 if RELATIONS[name](x, y) else 0


def relation_of_codes(name: str, x: tuple[int, float, int], y: tuple[int, float, int]) -> int:
    """1 or 0 for (code, scale, zero point) of either side, compared as float32 values."""
    real = [np.float32(q - zero_point) * np.float32(scale) for q, scale, zero_point in (x, y)]
    return relation(name, float(real[0]), float(real[1]))
