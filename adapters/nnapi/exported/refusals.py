"""Failed calls of the exported C API: an exception with the result code that a function returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nnvet.adapters.nnapi.declarations import RESULTS, ResultCode
from nnvet.hal.errors import HalError

Functions = Mapping[str, Callable[..., Any]]
"""Implementations of functions, by their names without ``ANeuralNetworks``.

They get objects in place of pointers to objects, and all other arguments unchanged. If the last parameter of the C
function is the place of a new object, the implementation returns the object instead. Functions without a result code
return their own value.
"""


class RefusalError(Exception):
    """A call that fails with ``code``; the text gives the reason."""

    def __init__(self, code: ResultCode, message: str) -> None:
        """Keep code and reason."""
        super().__init__(f"{code.name}: {message}")
        self.code = code


def bad_data(message: str) -> RefusalError:
    """Return BAD_DATA, for a wrong argument."""
    return RefusalError(ResultCode.BAD_DATA, message)


def bad_state(message: str) -> RefusalError:
    """Return BAD_STATE, for an object whose state does not allow the call."""
    return RefusalError(ResultCode.BAD_STATE, message)


def unexpected_null(message: str) -> RefusalError:
    """Return UNEXPECTED_NULL, for a pointer that must not be null."""
    return RefusalError(ResultCode.UNEXPECTED_NULL, message)


def op_failed(message: str) -> RefusalError:
    """Return OP_FAILED, for a call that could not do its work."""
    return RefusalError(ResultCode.OP_FAILED, message)


def refusal(error: HalError) -> RefusalError:
    """Return a driver's error in the terms of the C API."""
    return RefusalError(RESULTS[error.status], f"{error.message} [{error.rule}]" if error.rule else error.message)


def check_index(index: int, count: int, what: str) -> None:
    """Check that an index is below ``count``.

    :raises RefusalError: BAD_DATA.
    """
    if not 0 <= index < count:
        raise bad_data(f"{what} {index} of {count}")
