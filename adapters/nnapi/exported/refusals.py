"""Calls of the C API that fail: an exception with the result code that the function returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nnvet.adapters.nnapi.declarations import RESULTS, ResultCode
from nnvet.hal.errors import HalError

Functions = Mapping[str, Callable[..., Any]]
"""Implementations of functions, by their names without ``ANeuralNetworks``.

They get objects in place of pointers to objects, and everything else as C has it. Those whose last parameter is the
place of a new object return that instead; those that return no result code are free to return whatever theirs is.
"""


class RefusalError(Exception):
    """A call fails with ``code``; the text says why."""

    def __init__(self, code: ResultCode, message: str) -> None:
        """Keep both."""
        super().__init__(f"{code.name}: {message}")
        self.code = code


def bad_data(message: str) -> RefusalError:
    """An argument is wrong."""
    return RefusalError(ResultCode.BAD_DATA, message)


def bad_state(message: str) -> RefusalError:
    """The object is in no state for the call."""
    return RefusalError(ResultCode.BAD_STATE, message)


def unexpected_null(message: str) -> RefusalError:
    """A pointer is null that must not be."""
    return RefusalError(ResultCode.UNEXPECTED_NULL, message)


def op_failed(message: str) -> RefusalError:
    """The call could not do what it is for."""
    return RefusalError(ResultCode.OP_FAILED, message)


def refusal(error: HalError) -> RefusalError:
    """Return a driver's error in the terms of the C API."""
    return RefusalError(RESULTS[error.status], f"{error.message} [{error.rule}]" if error.rule else error.message)


def check_index(index: int, count: int, what: str) -> None:
    """Check that one of ``count`` things has this index.

    :raises RefusalError: BAD_DATA.
    """
    if not 0 <= index < count:
        raise bad_data(f"{what} {index} of {count}")
