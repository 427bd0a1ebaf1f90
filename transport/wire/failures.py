"""Errors and evidence of a driver whose process is lost.

::

    DriverGone
    ├── DriverCrash   the process died, or closed the connection, or broke the protocol
    │   └── DriverBloat   the process was killed for the memory that it had
    └── DriverHang    a call or notification did not come in time

They are no HalErrors on purpose: code that expects a refusal must never take the driver's death for one.
A call that cannot be sent at all is a :class:`NotSentError`, which is the caller's fault.

:class:`PersistentFailures` checks that PERSISTENT errors are final: the same call with the same arguments must not
succeed later.

Two calls are the same if object, method, arguments and the contents of the shared memory that they read are equal.
A deadline is a point in time, so calls with other deadlines are other calls. Nothing is concluded from calls whose
arguments cannot be compared: those with device memory, and those whose memory was closed or is very large.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, Final, Protocol

import msgspec
import numpy as np
from msgspec.msgpack import Encoder
from msgspec.structs import replace

from nnvet.hal.errors import UNINTENDED, HalError, failure
from nnvet.hal.memory import mapped
from nnvet.hal.types import BufferToken, ErrorStatus, Handle, PrepareModelConfig, Request
from nnvet.transport.wire.limits import WaitLimit
from nnvet.transport.wire.methods import Method


class NotSentError(HalError):
    """An argument of a call cannot be sent over the wire, so the service has not received the call.

    It is a HalError, since a device of this process would refuse such an argument itself.
    """


def not_sent(message: str, rule: str) -> NotSentError:
    """Return the error, INVALID_ARGUMENT, of a call with an argument that cannot be sent."""
    return NotSentError(ErrorStatus.INVALID_ARGUMENT, message, rule)


_DIFFERING: Final = ("pid", "memory", "processor_s", "native_stacks", "core")
"""Fields whose values differ even between equal runs."""


class DeathEvidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """Evidence about the driver's process when it was lost.

    ``state`` describes it in words (``killed by SIGSEGV``, ``stopped``, ``running: 1 of 5 threads``, …); ``place`` is
    the place in the driver (``driver.py:33 in compute``). For a fault in native code, ``fault`` is the sanitizer that
    reported it with its kind, the message of the C library, or the signal; ``frames`` are the top frames of the
    driver's own code. ``stderr_tail`` is the end of what the process printed since the case began. ``waited_s`` is the
    limit that was exceeded, ``processor_s`` the processor time that was used meanwhile. ``memory`` is the number of
    bytes for which it was killed, ``memory_limit`` its limit. ``native_stacks`` has the stacks of all threads in native
    code; ``core`` is the path or fate of the core file. ``suite_fault`` says why the suite itself ended the process,
    which is no fault of the driver.
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
        """End of the process and its place, such as ``SIGSEGV in driver.py:33 in compute``, or its state."""
        if self.place:
            return f"{self.fault or self.signal or self.state} in {self.place}"
        return self.fault or self.state

    def as_dict(self) -> dict[str, Any]:
        """Return the known facts as plain values for the event log.

        Facts that differ in every run go under ``timings``, where the log keeps such values.
        """
        values: dict[str, Any] = msgspec.to_builtins(self)
        timings = {name: values.pop(name) for name in _DIFFERING if name in values}
        return {**values, "timings": timings} if timings else values


class DriverGone(Exception):  # noqa: N818 - Error would say less than Gone
    """Raised if the driver cannot be reached any more; ``status`` is the contract's status for that.

    ``circumstances`` describe what the driver was sent, if the call alone does not show it; see :func:`sending`.
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
    """The driver's process used more memory than it may, and was killed."""

    rule = "driver/memory"


class DriverHang(DriverGone):
    """The driver did not answer in time."""

    rule = "driver/hang"


CONTRADICTION: Final = "driver/persistent"
"""Rule broken by a success that follows a PERSISTENT error of the same call."""


class Unintended:
    """Collector of a driver's errors that were not decisions of the driver (:data:`nnvet.hal.errors.UNINTENDED`).

    It also collects successes that ought to have been errors (rule ``driver/persistent``).
    """

    def __init__(self) -> None:
        """Begin without errors; ``computed_by`` collects the processors that computed the models prepared or used."""
        self.errors: list[HalError] = []
        self.computed_by: set[str] = set()

    def hear(self, error: HalError | None) -> None:
        """Keep an error if it was not a decision."""
        if error is not None and error.rule in (*UNINTENDED, CONTRADICTION):
            self.errors.append(error)

    def join(self, other: Unintended) -> None:
        """Hand over to another collector what was collected, and what will be."""
        other.errors += self.errors
        other.computed_by |= self.computed_by
        self.errors, self.computed_by = other.errors, other.computed_by


@contextmanager
def sending(**what: str) -> Iterator[None]:
    """Add ``what``, described by ``change``, to the evidence if the driver is lost inside the block."""
    try:
        yield
    except DriverGone as gone:
        gone.circumstances = {**what, **gone.circumstances}
        raise


# Statuses after which the same call must not succeed.
_PERSISTENT: Final = (ErrorStatus.MISSED_DEADLINE_PERSISTENT, ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT)
_REMEMBERED: Final = 64
"""Most failed calls that are remembered; older ones are forgotten."""
_LARGEST: Final = 2**26
"""Most bytes of memory whose contents are compared."""
_LAUNCH_ONLY: Final = "execute_fenced"
"""Methods that only launch an execution; their success does not mean that the execution succeeds."""


class PersistentFailures:
    """Calls of one session that failed with a PERSISTENT status. Threads may share it, since every step is atomic."""

    def __init__(self) -> None:
        """Begin without failed calls."""
        self._failed: dict[tuple[int, str, bytes], ErrorStatus] = {}

    def forget(self) -> None:
        """Let calls succeed that have failed until now."""
        self._failed = {}

    def ended(
        self, target: int, method: Method, arguments: tuple[Any, ...], status: ErrorStatus, value: Any
    ) -> HalError | None:
        """Note the end of a call; return an error if it succeeded although the same call failed for good before."""
        failed = self._failed
        if status in _PERSISTENT:
            key = _key(target, method, arguments)
            if key is not None:
                failed[key] = status
                while len(failed) > _REMEMBERED:
                    failed.pop(next(iter(failed)), None)
        elif failed and status is ErrorStatus.NONE and not method.name.endswith(_LAUNCH_ONLY):
            key = _key(target, method, arguments)
            before = failed.pop(key, None) if key is not None else None
            if before is not None and getattr(value, "output_sufficient_size", True):
                text = f"{method.name} failed with {before.name}, then succeeded with the same arguments"
                return failure(text, CONTRADICTION)
        return None


def _key(target: int, method: Method, arguments: tuple[Any, ...]) -> tuple[int, str, bytes] | None:
    """Return a key that is equal for equal calls; None if the arguments cannot be compared."""
    compared = [_plain(argument) for place, argument in enumerate(arguments) if place != method.callback_index]
    try:
        return target, method.name, sha256(_ENCODER.encode(compared)).digest()
    except (_UnknownError, HalError, OSError, OverflowError, TypeError, ValueError):
        return None


class _UnknownError(Exception):
    """The contents of memory cannot be determined."""


def _plain(argument: Any) -> Any:
    if isinstance(argument, Request):
        return argument.inputs, argument.outputs, [type(pool).__name__ for pool in argument.pools], _Inputs(argument)
    if isinstance(argument, PrepareModelConfig):
        # The content of the files does not matter when a model is saved in them.
        return replace(argument, model_cache=(), data_cache=())
    return argument


class _Inputs:
    """The bytes of a request's inputs, read when they are encoded."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def digest(self) -> bytes:
        """Return the hash of all inputs in shared memory."""
        content = sha256()
        for argument in self._request.inputs:
            if argument.has_no_value:
                continue
            place = argument.location
            pool = self._request.pools[place.pool_index]
            if isinstance(pool, BufferToken) or place.length > _LARGEST:
                raise _UnknownError
            with mapped(pool, writable=False) as view:
                content.update(view[place.offset : place.offset + place.length])
        return content.digest()


def _encoded(value: object) -> object:
    if isinstance(value, _Inputs):
        return value.digest()
    if isinstance(value, Handle):
        return _content(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, int):
        return int(value)
    return value.id  # type: ignore[attr-defined] # an object of the service


def _content(handle: Handle) -> bytes:
    """Return a hash of the contents behind a descriptor; fences and sockets all have the same hash."""
    if handle.fd < 0:
        raise _UnknownError
    state = os.fstat(handle.fd)
    if not stat.S_ISREG(state.st_mode):
        return b""
    if state.st_size > _LARGEST:
        raise _UnknownError
    return sha256(os.pread(handle.fd, state.st_size, 0)).digest()


_ENCODER: Final = Encoder(enc_hook=_encoded)


class Peer(Protocol):
    """The part of a session with the service that a burst uses."""

    @property
    def alive(self) -> bool:
        """Return True until the service is known to be lost."""

    def limit(self) -> WaitLimit:
        """Return the time limit of a call that begins now."""

    @property
    def unintended(self) -> Unintended:
        """Collector of the service's errors that were not decisions."""

    def crash(self, call: str) -> Exception:
        """Return the exception to raise when a call finds the service dead."""

    def hang(self, call: str, limit: WaitLimit) -> Exception:
        """Return the exception to raise when a call was not answered in time."""
