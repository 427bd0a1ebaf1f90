"""A sandbox for a service: namespaces for users, mounts, processes, network and System V IPC, made by bubblewrap.

The service sees the system read-only, with a private ``/tmp`` that lasts until its driver is closed, empty ``/run`` and
``/var/tmp``, few devices, no network, and no processes but its own. Its connection, and all memory that passes over it,
are descriptors, which namespaces do not stop. Source: bwrap(1), pid_namespaces(7).

Three processes are around the service: a shell, bubblewrap, and the first process of the namespace. The shell is needed
because bubblewrap dies with the thread that started it, and a thread of ours may end early. When the shell ends, by
whatever signal, the kernel kills bubblewrap, then the first process, and with it everything in the namespace.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from nnvet.adapters.selector import SelectorError
from nnvet.adapters.service.strays import children
from nnvet.driver_kit.blob_cache import STATE_VARIABLE

VARIABLE: Final = "NNVET_SANDBOXED"
"""Environment variable of a service inside a sandbox, whose parent is the first process of the namespace."""

_PROGRAM: Final = "bwrap"
_SHELL: Final = ("/bin/sh", "-c", '"$@"; exit $?', "nnvet-sandbox")
_NAMESPACES: Final = ("user", "pid", "net", "ipc", "uts")
_TMP: Final = "/tmp"  # noqa: S108 - the private folder is mounted over it
_HIDDEN: Final = (_TMP, "/var/tmp", "/run")  # noqa: S108 - the service sees other folders in these places
_HIDDEN_DEVICES: Final = "/dev"
_PREFIX: Final = "nnvet-sandbox-"
_TRIED_S: Final = 60.0
_BEGUN_S: Final = 30.0
"""Time for bubblewrap to make the namespaces, on the busiest machine too."""
_ENDED_MS: Final = 5000
_PAUSE_S: Final = 0.001
_SIGNALLED: Final = 128
"""Shells and bubblewrap exit with this number plus the signal that killed their program."""
_LAST_SIGNAL: Final = 64


@dataclass(frozen=True)
class Sandbox:
    """A wish for a sandbox, and the devices (files or folders below /dev) that a service may use in it."""

    devices: tuple[str, ...] = ()

    def require(self) -> None:
        """Make such a sandbox once and leave it, to find out whether it is possible.

        :raises SelectorError: bubblewrap is missing or may not make namespaces, or a device does not exist.
        """
        for device in self.devices:
            _require_device(device)
        if shutil.which(_PROGRAM) is None:
            raise SelectorError(
                "--sandbox needs bubblewrap, whose program bwrap is not there: install the package bubblewrap, "
                "for example with: apt-get install bubblewrap"
            )
        command = [*_bubblewrap(self.devices), "--", *_SHELL[:2], ":"]
        try:
            tried = subprocess.run(command, capture_output=True, text=True, timeout=_TRIED_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SelectorError(f"--sandbox: bubblewrap cannot be run: {error}") from error
        if tried.returncode:
            said = tried.stderr.strip() or f"exit code {tried.returncode}"
            raise SelectorError(
                f"--sandbox: bubblewrap cannot make namespaces here: {said}; "
                "the system has to let users make them, and a container its processes"
            )


class Confinement:
    """The sandbox of one driver: its services, one after the other, share a private folder."""

    def __init__(self, sandbox: Sandbox, arguments: str) -> None:
        """Make the folder. Files that ``arguments`` of the selector name stay visible, even in hidden places.

        :raises SelectorError: the system allows no namespaces.
        :raises OSError: the folder cannot be made.
        """
        sandbox.require()
        self._sandbox = sandbox
        self._arguments = arguments
        _sweep()
        self.folder, self._lock = _own_folder()

    def command(self, command: Sequence[str], status: int) -> list[str]:
        """Return the command that runs ``command`` inside; bubblewrap reports the start on descriptor ``status``.

        :raises FileNotFoundError: the program does not exist.
        """
        program = shutil.which(command[0])
        if program is None:
            raise FileNotFoundError(f"no program that can be executed: {command[0]}")
        seen = _visible((str(Path.cwd()), program, sys.prefix, *sys.path, *_named(self._arguments)))
        return [
            *_SHELL,
            *_bubblewrap(self._sandbox.devices),
            *("--bind", str(self.folder), _TMP),
            *(part for path in seen for part in ("--ro-bind", path, path)),
            *("--chdir", str(Path.cwd()), "--json-status-fd", str(status), "--", *command),
        ]

    def environment(self) -> Mapping[str, str]:
        """Return the variables of a service inside: where it may write, and that it is in a sandbox."""
        return {VARIABLE: "1", "TMPDIR": _TMP, STATE_VARIABLE: f"{_TMP}/nnvet"}

    def close(self) -> None:
        """Remove the folder; files whose permissions forbid it stay."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)


def _own_folder() -> tuple[Path, int]:
    """Return a new folder, and the descriptor that keeps it locked as long as this process lives."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        lock = _locked(folder)
        if lock is not None and folder.is_dir():
            return folder, lock
        # Another suite's sweep came between making and locking, and is removing the folder.
        if lock is not None:
            os.close(lock)


def _locked(folder: Path) -> int | None:
    """Lock a folder of ours and return its descriptor; None if it is gone, or another process has locked it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        if os.fstat(descriptor).st_uid == os.geteuid():
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
    except BlockingIOError:
        pass
    os.close(descriptor)
    return None


def _sweep() -> None:
    """Remove the folders of suites that were killed: nobody holds their locks."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if (lock := _locked(folder)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _require_device(device: str) -> None:
    path = Path(device)
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise SelectorError(f"--sandbox-device {device}: {error.strerror}") from error
    if not path.resolve().is_relative_to(_HIDDEN_DEVICES) or path.resolve() == Path(_HIDDEN_DEVICES):
        raise SelectorError(f"--sandbox-device {device}: name a device below /dev, or a folder of devices there")
    if not (stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISDIR(mode)):
        raise SelectorError(f"--sandbox-device {device}: neither a device nor a folder of devices")


def _bubblewrap(devices: Iterable[str]) -> list[str]:
    """Return bubblewrap's options for every service; the private folder is mounted over ``/tmp`` later."""
    return [
        *(_PROGRAM, *(f"--unshare-{name}" for name in _NAMESPACES), "--die-with-parent", "--new-session"),
        # With the namespace's capabilities, the service could make its mounts writable again.
        *("--cap-drop", "ALL"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *(part for place in _HIDDEN if Path(place).is_dir() for part in ("--tmpfs", str(Path(place).resolve()))),
        *(part for device in devices for part in ("--dev-bind", device, device)),
    ]


def _named(arguments: str) -> list[str]:
    """Return the files and folders that a selector's arguments name: programs, modules, libraries, option files."""
    parts = arguments
    for mark in ":,#=?&'\"":
        parts = parts.replace(mark, " ")
    found = []
    for part in parts.split():
        with suppress(OSError, ValueError):
            path = Path(part).expanduser().absolute()
            if path.is_file():
                found.append(str(path))
                # Libraries and data of a program usually lie beside it.
                found.append(str(path.parent))
            elif path.is_dir():
                found.append(str(path))
    return found


def _visible(paths: Iterable[str]) -> list[str]:
    """Return those paths that the sandbox would hide, outer ones first, without the hidden places themselves."""
    hidden = [Path(place).resolve() for place in _HIDDEN]
    found = set()
    for path in paths:
        for place in (Path(path).absolute(), Path(path).resolve()):
            is_below = any(place.is_relative_to(folder) and place != folder for folder in hidden)
            if path and is_below and place.exists():
                found.add(str(place))
    # A path inside another visible folder is visible with it, and cannot be mounted a second time.
    return [place for place in sorted(found) if not any(str(above) in found for above in Path(place).parents)]


class Wrapping(NamedTuple):
    """The processes around a service, by their ids in our namespace; ``service`` is None if it has ended already."""

    around: frozenset[int]
    service: int | None


def wrapping(outer: int, status: int) -> Wrapping:
    """Wait until the service runs that ``outer`` starts; bubblewrap reports to the descriptor ``status``.

    :raises OSError: it does not run in time.
    """
    until = time.monotonic() + _BEGUN_S
    first = _first_process(status, until)
    around = frozenset({outer, *children(outer), *((first,) if first else ())})
    while first and time.monotonic() < until:
        if service := next(children(first), None):
            return Wrapping(around, service)
        if has_ended(outer, 0):
            break
        time.sleep(_PAUSE_S)
    if first and not has_ended(outer, 0):
        raise TimeoutError("the sandbox does not begin")
    return Wrapping(around, None)


def _first_process(status: int, until: float) -> int | None:
    """Return the first process of the namespace; None if bubblewrap ended before making it."""
    said = b""
    while b"\n" not in said:
        if not select.select([status], [], [], max(0.0, until - time.monotonic()))[0]:
            raise TimeoutError("the sandbox does not begin")
        data = os.read(status, 4096)
        if not data:
            return None
        said += data
    number = json.loads(said.splitlines()[0]).get("child-pid")
    return number if isinstance(number, int) else None


def has_ended(child: int, patience_ms: int = _ENDED_MS) -> bool:
    """Return True if a child of ours ends within the given time. It is not waited for, so its id stays valid."""
    try:
        descriptor = os.pidfd_open(child)
    except ProcessLookupError:
        return True
    try:
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        return bool(poller.poll(patience_ms))
    finally:
        os.close(descriptor)


def code_inside(code: int) -> int:
    """Return the exit code of a service, minus the signal that killed it, from the code of the process around it."""
    number = code - _SIGNALLED
    return -number if signal.SIGHUP <= number <= _LAST_SIGNAL else code
