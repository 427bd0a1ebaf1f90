"""Errors and evidence of a driver whose process is lost.

::

    DriverGone
    ├── DriverCrash   the process died, or closed the connection, or broke the protocol
    │   └── DriverBloat   the process was killed for the memory that it had
    └── DriverHang    a call or notification did not come in time

They are no HalErrors on purpose: whoever expects a driver to refuse a call must never take its death for it.
A call that cannot be sent at all is a :class:`NotSentError`, which is nobody's fault but the caller's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import UNINTENDED, HalError


class NotSentError(HalError):
    """An argument of a call has no place on the wire: the service has not heard of the call.

    It is a HalError, since a device of this process would refuse such an argument itself.
    """


def not_sent(message: str, rule: str) -> NotSentError:
    """The error, INVALID_ARGUMENT, of a call with an argument that cannot be sent."""
    return NotSentError(ErrorStatus.INVALID_ARGUMENT, message, rule)


_DIFFERING: Final = ("pid", "memory", "processor_s", "native_stacks", "core")
"""Fields that differ between equal runs."""


class DeathEvidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """Evidence about the driver's process when it was lost.

    ``state`` says it in words (``killed by SIGSEGV``, ``stopped``, ``running: 1 of 5 threads``, …), ``place`` is where
    in the driver that was (``driver.py:33 in compute``). Of a fault in native code ``fault`` is the sanitizer that
    reported it, with its kind, or what the C library said, or the signal; ``frames`` are the top frames of the driver's
    own code. ``stderr_tail`` the end of what the process printed since the
    case began, ``waited_s`` the limit that was over, ``processor_s`` the processor time that was seen to be used
    meanwhile. ``memory`` are the bytes for which it was killed, ``memory_limit`` those that it may have.
    ``native_stacks`` are those of all threads, in native code; ``core`` is the path of the core file, or says what
    became of it. ``suite_fault`` says why the suite itself had to end the process, which is nothing of the driver's.
    """

    call: str
    state: str
    pid: int | None = None
    exit_code: int | None = None
    signal: str | None = None
    waited_s: float | None = None
    processor_s: int | None = None
    memory: int | None = None
    memory_limit: int | None = None
    place: str = ""
    fault: str = ""
    frames: list[str] = []
    stderr_tail: str = ""
    native_stacks: str = ""
    core: str = ""
    suite_fault: str = ""

    @property
    def end(self) -> str:
        """End of the process, and its place: ``SIGSEGV in driver.py:33 in compute``, or its state."""
        if self.place:
            return f"{self.fault or self.signal or self.state} in {self.place}"
        return self.fault or self.state

    def as_dict(self) -> dict[str, Any]:
        """Plain values for the event log: what is known.

        What differs in every run goes where the log keeps such things, under ``timings``.
        """
        values: dict[str, Any] = msgspec.to_builtins(self)
        timings = {name: values.pop(name) for name in _DIFFERING if name in values}
        return {**values, "timings": timings} if timings else values


class DriverGone(Exception):  # noqa: N818 - Error would say less than Gone
    """The driver cannot be reached any more; ``status`` is what the contract calls it.

    ``circumstances`` say what it was sent, where the call alone does not: see :func:`sending`.
    """

    status = ErrorStatus.DEAD_OBJECT
    rule = ""

    def __init__(self, message: str, evidence: DeathEvidence) -> None:
        """Keep the message and the evidence."""
        super().__init__(message)
        self.message = message
        self.evidence = evidence
        self.circumstances: dict[str, str] = {}

    def __str__(self) -> str:
        """Return the call, the end of the process, and its last output if it ended by itself."""
        last = "" if self.last_output in self.message else self.last_output
        return f"{self.message}{last} [{self.rule}]"

    @property
    def last_output(self) -> str:
        """Return the last output of a process that ended by itself, to be added to the message."""
        lines = self.evidence.stderr_tail.rstrip().splitlines()
        return f"; last output: {lines[-1]}" if lines and self.evidence.exit_code and not self.evidence.signal else ""


class DriverCrash(DriverGone):
    """The driver's process died, or broke the wire protocol."""

    rule = "driver/crash"


class DriverBloat(DriverCrash):
    """The driver's process had more memory than it may have, and was killed."""

    rule = "driver/memory"


class DriverHang(DriverGone):
    """The driver did not answer in time."""

    rule = "driver/hang"


CONTRADICTION: Final = "driver/persistent"
"""Rule of a success after an error that said that there will be none."""


class Unintended:
    """Errors that a driver gave without deciding to (:data:`nnvet.hal.errors.UNINTENDED`), as its clients hear them.

    Beside them stand successes that ought to have been errors (rule ``driver/persistent``).
    """

    def __init__(self) -> None:
        """None was heard yet. ``computed_by`` are those that computed the models which were prepared or used."""
        self.errors: list[HalError] = []
        self.computed_by: set[str] = set()

    def hear(self, error: HalError | None) -> None:
        """Keep an error if it is one of these."""
        if error is not None and error.rule in (*UNINTENDED, CONTRADICTION):
            self.errors.append(error)


@contextmanager
def sending(**what: str) -> Iterator[None]:
    """A driver that is lost inside the block is lost over ``what``; ``change`` says it in words."""
    try:
        yield
    except DriverGone as gone:
        gone.circumstances = {**what, **gone.circumstances}
        raise
