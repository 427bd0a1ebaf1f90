"""The bundled driver, hostile in all methods or one: ``python:FILE:FAULT`` or ``python:FILE:FAULT__METHOD``.

Objects are wrapped, so that every call of the contract can be met: before the driver answers, or instead.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from nnvet.reference_driver import create
from nnvet.transport.wire.methods import METHODS, OBJECTS

_MEGABYTE: Final = 1 << 20
_LATE_S: Final = 4.0
_KEPT: Final[list[bytearray]] = []
_NAMES: Final = frozenset(method.attribute for method in METHODS.values())
_NOT_OURS: Final = 3
"""The first descriptor after standard input, output and error."""


class _Wrapped:
    """An object of the driver; ``act`` is called with a method's name and the real call, and answers."""

    def __init__(self, inner: Any, act: Callable[[str, Callable[[], Any]], Any]) -> None:
        self.inner = inner
        self.act = act

    def __getattr__(self, name: str) -> Any:
        member = getattr(self.inner, name)
        if name not in _NAMES:
            return member
        if not callable(member):
            return self.act(name, lambda: member)
        return partial(self._call, name, member)

    def _call(self, name: str, member: Callable[..., Any], *arguments: Any) -> Any:
        mine = [self._argument(argument) for argument in arguments]
        return self._outside(self.act(name, lambda: member(*mine)))

    def _argument(self, value: Any) -> Any:
        """Return an argument as the driver wants it: its own objects without their wrappers."""
        if isinstance(value, _Wrapped):
            return value.inner
        if isinstance(value, tuple):
            return tuple(map(self._argument, value))
        return _Callback(value, self._outside) if hasattr(value, "notify") else value

    def _outside(self, value: Any) -> Any:
        """As clients get it."""
        if isinstance(value, tuple):
            return tuple(map(self._outside, value))
        return _Wrapped(value, self.act) if isinstance(value, OBJECTS) else value


class _Callback:
    """A client's callback, which gets wrapped objects."""

    def __init__(self, inner: Any, outside: Callable[[Any], Any]) -> None:
        self._inner = inner
        self._outside = outside

    def notify(self, *arguments: Any) -> None:
        """Pass on."""
        self._inner.notify(*map(self._outside, arguments))


class UnheardOfError(BaseException):
    """Not even an Exception."""


def _raises(_: Callable[[], Any]) -> Any:
    raise UnheardOfError("\x1b[31m" + "x" * 100_000)


def _exits(_: Callable[[], Any]) -> Any:
    os._exit(0)


def _answers_wrong(real: Callable[[], Any]) -> Any:
    return {"\ud800": real, "": [object()]}


def _answers_late(real: Callable[[], Any]) -> Any:
    threading.Event().wait(_LATE_S)
    return real()


def _prints(real: Callable[[], Any]) -> Any:
    sys.stdout.write("\x1b]0;\0printed" * (_MEGABYTE // 4))
    sys.stderr.buffer.write(b"\xff" * _MEGABYTE)
    return real()


def _forks(real: Callable[[], Any]) -> Any:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.pause()
        signal.pause()
    return real()


def _allocates(real: Callable[[], Any]) -> Any:
    _KEPT.append(bytearray(b"x") * (64 * _MEGABYTE))
    return real()


def _closes(real: Callable[[], Any]) -> Any:
    os.closerange(_NOT_OURS, 1024)
    return real()


def _handles_signals(real: Callable[[], Any]) -> Any:
    # Python lets only the main thread do so, which calls never come on: this is what native code does.
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    return real()


def _writes(real: Callable[[], Any]) -> Any:
    sockets = [link for link in Path("/proc/self/fd").iterdir() if "socket" in str(link.readlink())]
    for socket in sockets:
        threading.Thread(target=os.write, args=(int(socket.name), b"\x05\0\0\0\0\0NVhello")).start()
    return real()


FAULTS: Final[dict[str, Callable[[Callable[[], Any]], Any]]] = {
    "raises": _raises,
    "exits": _exits,
    "answers_wrong": _answers_wrong,
    "answers_late": _answers_late,
    "prints": _prints,
    "forks": _forks,
    "allocates": _allocates,
    "closes": _closes,
    "handles_signals": _handles_signals,
    "writes": _writes,
}


def _hostile(fault: str, wanted: str) -> _Wrapped:
    def act(name: str, real: Callable[[], Any]) -> Any:
        return FAULTS[fault](real) if wanted in (name, "") else real()

    return _Wrapped(create(""), act)


def __getattr__(name: str) -> Callable[[], Any]:
    fault, _, wanted = name.partition("__")
    if fault not in FAULTS:
        raise AttributeError(name)
    return partial(_hostile, fault, wanted)
