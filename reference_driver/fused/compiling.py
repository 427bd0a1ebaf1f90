"""Compilation of functions to machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def jitted(function: F) -> F:
    """A part of the compiled function: made with it, and kept on the disk with it."""
    result: F = numba.njit(nogil=True, error_model="numpy")(function)
    return result


def kept(function: F) -> F:
    """Compile when it is first called, or take the machine code from the disk, if there is a place for it."""
    try:
        result: F = numba.njit(nogil=True, error_model="numpy", cache=True)(function)
    except RuntimeError:
        return jitted(function)
    return result
