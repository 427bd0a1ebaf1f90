"""Decorators that compile functions to machine code with numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def compile_inline(function: F) -> F:
    """Compile a function as part of the function that calls it; both are cached on the disk together."""
    result: F = numba.njit(nogil=True, error_model="numpy")(function)
    return result


def compile_cached(function: F) -> F:
    """Compile a function when it is first called, or load its machine code from the disk if it was cached."""
    try:
        result: F = numba.njit(nogil=True, error_model="numpy", cache=True)(function)
    except RuntimeError:
        return compile_inline(function)
    return result
