"""The one exception of the contract.

A driver answers a failed call with ``HalError``. Everything that implements or calls an interface of
:mod:`nnvet.hal.interfaces` uses this exception and no other.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from nnvet.hal.enums import ErrorStatus

UNINTENDED: Final = ("driver/reply", "driver/exception")
"""Rules of errors that look like a refusal, but that the driver did not choose: malformed answers, and exceptions."""


class HalError(Exception):
    """A call failed with ``status``; ``rule`` is the id of the broken rule where one is known."""

    def __init__(self, status: ErrorStatus, message: str, rule: str = "") -> None:
        """Keep the parts; the text shows all three."""
        super().__init__(status, message, rule)
        self.status = status
        self.message = message
        self.rule = rule

    def __str__(self) -> str:
        """Status, message and, in brackets, the rule."""
        suffix = f" [{self.rule}]" if self.rule else ""
        return f"{self.status.name}: {self.message}{suffix}"


def invalid(message: str, rule: str = "") -> HalError:
    """Return the error of a caller who broke the contract (INVALID_ARGUMENT)."""
    return HalError(ErrorStatus.INVALID_ARGUMENT, message, rule)


def failure(message: str, rule: str = "") -> HalError:
    """Return the error of a task that could not be done (GENERAL_FAILURE)."""
    return HalError(ErrorStatus.GENERAL_FAILURE, message, rule)


def errors_of(checks: Iterable[Callable[[], object]]) -> Iterator[HalError]:
    """Run all checks, even after one has failed, and yield the errors that they raise."""
    for check in checks:
        try:
            check()
        except HalError as error:
            yield error
