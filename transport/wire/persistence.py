"""PERSISTENT errors are final: the same call with the same arguments must not succeed later.

Two calls are the same if object, method and arguments are equal, and so is what shared memory holds that they read.
A deadline is a point in time, so calls with other deadlines are other calls. Nothing is concluded from calls whose
arguments cannot be compared: those with device memory, and those whose memory was closed or is very large.
"""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from typing import Any, Final

import numpy as np
from msgspec.msgpack import Encoder
from msgspec.structs import replace

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError, failure
from nnvet.hal.memory import Handle, mapped
from nnvet.hal.types import BufferToken, PrepareModelConfig, Request
from nnvet.transport.wire.failures import CONTRADICTION
from nnvet.transport.wire.methods import Method

_PERSISTENT: Final = (ErrorStatus.MISSED_DEADLINE_PERSISTENT, ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT)
_REMEMBERED: Final = 64
_LARGEST: Final = 2**26
_LAUNCH_ONLY: Final = "execute_fenced"
"""A launch that succeeds says nothing yet of the execution."""


class PersistentFailures:
    """Calls of one session that failed with a PERSISTENT status. Every step is indivisible: threads share it."""

    def __init__(self) -> None:
        """No call has failed."""
        self._failed: dict[tuple[int, str, bytes], ErrorStatus] = {}

    def forget(self) -> None:
        """Let calls succeed that have failed until now."""
        self._failed = {}

    def ended(
        self, target: int, method: Method, arguments: tuple[Any, ...], status: ErrorStatus, value: Any
    ) -> HalError | None:
        """A call has ended with a status and, where that is NONE, a value; the error that this is, if it is one."""
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
    """Return a key that tells a call from others; None if there is none."""
    compared = [_plain(argument) for place, argument in enumerate(arguments) if place != method.callback_index]
    try:
        return target, method.name, sha256(_ENCODER.encode(compared)).digest()
    except (_UnknownError, HalError, OSError, OverflowError, TypeError, ValueError):
        return None


class _UnknownError(Exception):
    """The content of memory is not known."""


def _plain(argument: Any) -> Any:
    if isinstance(argument, Request):
        return argument.inputs, argument.outputs, [type(pool).__name__ for pool in argument.pools], _Inputs(argument)
    if isinstance(argument, PrepareModelConfig):
        # What the files hold when a model is saved in them does not matter.
        return replace(argument, model_cache=(), data_cache=())
    return argument


class _Inputs:
    """The bytes of a request's inputs, read when they are encoded."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def digest(self) -> bytes:
        """Hash of all inputs in shared memory."""
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
    """Hash of what is behind a descriptor; fences and sockets are all alike."""
    if handle.fd < 0:
        raise _UnknownError
    state = os.fstat(handle.fd)
    if not stat.S_ISREG(state.st_mode):
        return b""
    if state.st_size > _LARGEST:
        raise _UnknownError
    return sha256(os.pread(handle.fd, state.st_size, 0)).digest()


_ENCODER: Final = Encoder(enc_hook=_encoded)
