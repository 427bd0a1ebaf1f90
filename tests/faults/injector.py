"""Makes calls of the product fail: in this process, and in those that it starts.

A process in whose environment ``NNVET_TEST_FAULTS`` is loads the rewritten code of :mod:`tests.faults.sites`. It notes
which sites it comes to and, if a :class:`Fault` is given to processes of its role, has one call fail. Of several such
processes one is struck, once.
"""

from __future__ import annotations

import builtins
import io
import itertools
import marshal
import os
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from multiprocessing.connection import Connection
from pathlib import Path
from socket import socket
from types import CodeType, ModuleType
from typing import Any, Final

import msgspec

VARIABLE: Final = "NNVET_TEST_FAULTS"
RUNNER: Final = "runner"
WORKER: Final = "worker"
SERVICE: Final = "service"
PASSED: Final = "-"
"""In place of a role: what is called at the site asks nothing of the system, although it has a name that may."""
NOTED_MOST: Final = 20
"""Calls of one site that are noted; a fault may strike at each."""

_PROGRAMS: Final = {"nnvet.conformance.engine.worker": WORKER, "nnvet.adapters.service.main": SERVICE}
_OF_THE_SYSTEM: Final = (Path, Connection, socket, io.IOBase, threading.Thread, ModuleType)


class Fault(msgspec.Struct, frozen=True):
    """In a process of the ``role`` the ``number``-th call (from 1) at the ``site`` fails with the ``error``."""

    role: str
    site: str
    number: int
    error: int

    def __str__(self) -> str:
        """Return the call, place and error in a line."""
        return f"{self.role}: call {self.number} at {self.site} fails: {text_of(self.error)}"


class Orders(msgspec.Struct):
    """Orders that processes find in their environment.

    ``code`` is the folder of rewritten code, ``notes`` the file to which each process adds what it comes to, ``log``
    that whose size is noted when the fault strikes.
    """

    code: str
    notes: str = ""
    fault: Fault | None = None
    log: str = ""


def text_of(error: int) -> str:
    """Return the text of a message about an error."""
    return os.strerror(error) if error else "can't start new thread"


class Injector:
    """The hook of a process."""

    def __init__(self, orders: Orders, role: str) -> None:
        """Note and strike as the orders say."""
        self._orders = orders
        self._role = role
        self._numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: itertools.count(1))

    def __call__(self, site: str, function: Any) -> Any:
        """The function that is to be called at a site.

        :raises OSError, RuntimeError: this is the call that fails.
        """
        if not self._orders.notes:
            return function
        number = next(self._numbers[site])
        fault = self._orders.fault
        owner = getattr(function, "__self__", None)
        if not (owner is None or isinstance(owner, _OF_THE_SYSTEM)):
            if fault is None and number == 1:
                self._note(f"{PASSED}\t{site}\n")
        elif fault is None:
            if number <= NOTED_MOST:
                self._note(f"{self._role}\t{site}\n")
        elif (fault.role, fault.site, fault.number) == (self._role, site, number) and self._is_first():
            if not fault.error:
                raise RuntimeError(text_of(fault.error))
            raise OSError(fault.error, text_of(fault.error))
        return function

    def disarm(self) -> None:
        """Note and strike no more."""
        self._orders.notes = ""

    def _note(self, line: str) -> None:
        descriptor = os.open(self._orders.notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.write(descriptor, line.encode())
        os.close(descriptor)

    def _is_first(self) -> bool:
        """Return True if no process has been struck yet; keeps the log's content of then."""
        log = Path(self._orders.log)
        content = log.read_bytes() if log.is_file() else b""
        try:
            descriptor = os.open(self._orders.notes, os.O_WRONLY | os.O_EXCL | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            return False
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        return True


class _Rewritten(SourceFileLoader):
    """Loads the code of a module in which faults can strike."""

    def __init__(self, name: str, path: str, code: Path) -> None:
        """``code`` is the file in which it is kept."""
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        """The rewritten code."""
        del fullname
        code: CodeType = marshal.loads(self._code.read_bytes())  # noqa: S302 - the tests wrote it
        return code


class _Finder(MetaPathFinder):
    """Finds rewritten modules before all others do."""

    def __init__(self, folder: Path) -> None:
        """``folder`` has a file for each of them."""
        self._folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See importlib."""
        code = self._folder / fullname
        if not code.is_file():
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _Rewritten(fullname, spec.origin, code)
        return spec


def install(orders: Orders, role: str) -> Injector:
    """Have modules of the product that are imported from now on ask a new hook."""
    injector = Injector(orders, role)
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(Path(orders.code)))
    setattr(builtins, "__fault__", injector)  # noqa: B010 - the type checker knows no such builtin
    return injector


def install_by_environment() -> None:
    """Set this process up to be struck or watched as it starts."""
    if VARIABLE not in os.environ:
        return
    role = next((role for program, role in _PROGRAMS.items() if program in sys.orig_argv), "other")
    install(msgspec.json.decode(os.environ[VARIABLE], type=Orders), role)
