"""A sandbox for a service: namespaces for users, mounts, processes, network and System V IPC, made by bubblewrap.

The service sees the system read-only, with a private ``/tmp`` that lasts until its driver is closed, empty ``/run`` and
``/var/tmp``, few devices, no network, and no processes but its own. Its connection, and all memory that passes over it,
are descriptors, which namespaces do not stop. Source: bwrap(1), pid_namespaces(7).

:class:`Sandbox` is the user's choice (``--sandbox``, ``--sandbox-device``); :class:`Confinement` carries it out for one
driver, and :class:`nnvet.adapters.service.process.ServiceProcess` runs each service with it.

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
"""The program of the package bubblewrap."""
_SHELL: Final = ("/bin/sh", "-c", '"$@"; exit $?', "nnvet-sandbox")
"""A shell that runs the command after it; with ``exit`` behind the command, no shell replaces itself by the command."""
_NAMESPACES: Final = ("user", "pid", "net", "ipc", "uts")
"""Namespaces that bubblewrap makes besides that of mounts, in the words of its options ``--unshare-…``."""
_TMP: Final = "/tmp"  # noqa: S108 - the private folder is mounted over it
_HIDDEN: Final = (_TMP, "/var/tmp", "/run")  # noqa: S108 - the service sees other folders in these places
"""Folders of the system that the service does not see: other processes leave files and sockets there."""
_DEVICES: Final = "/dev"
"""Folder of devices. The service has a new one with few devices, and those that the user names."""
_PREFIX: Final = "nnvet-sandbox-"
"""Beginning of the names of private folders; :func:`_remove_abandoned` finds them by it."""
_TRIED_S: Final = 60.0
"""Time for the first attempt, in which bubblewrap runs a command that does nothing."""
_BEGUN_S: Final = 30.0
"""Time for bubblewrap to make the namespaces, on the busiest machine too."""
_ENDED_MS: Final = 5000
"""Time for the processes around a service to end after it."""
_PAUSE_S: Final = 0.001
"""Pause between two looks for the service among the children of the namespace's first process."""
_SIGNALLED: Final = 128
"""Shells and bubblewrap exit with this number plus the signal that killed their program."""
_LAST_SIGNAL: Final = 64
"""The largest number of a signal, SIGRTMAX; source: signal(7)."""


@dataclass(frozen=True)
class Sandbox:
    """A request for a sandbox, with the devices (files or folders below /dev) that a service may use in it."""

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
        command = [*_make_options(self.devices), "--", *_SHELL[:2], ":"]
        try:
            tried = subprocess.run(command, capture_output=True, text=True, timeout=_TRIED_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SelectorError(f"--sandbox: bubblewrap cannot be run: {error}") from error
        if tried.returncode:
            reason = tried.stderr.strip() or f"exit code {tried.returncode}"
            raise SelectorError(
                f"--sandbox: bubblewrap cannot make namespaces here: {reason}; "
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
        _remove_abandoned()
        self.folder, self._lock = _make_locked_folder()

    def command(self, command: Sequence[str], status: int) -> list[str]:
        """Return the command that runs ``command`` inside; bubblewrap reports the start on descriptor ``status``.

        :raises FileNotFoundError: the program does not exist.
        """
        program = shutil.which(command[0])
        if program is None:
            raise FileNotFoundError(f"no program that can be executed: {command[0]}")
        hidden = _find_hidden((str(Path.cwd()), program, sys.prefix, *sys.path, *_find_files(self._arguments)))
        return [
            *_SHELL,
            *_make_options(self._sandbox.devices),
            *("--bind", str(self.folder), _TMP),
            *(part for path in hidden for part in ("--ro-bind", path, path)),
            *("--chdir", str(Path.cwd()), "--json-status-fd", str(status), "--", *command),
        ]

    def environment(self) -> Mapping[str, str]:
        """Return the variables of a service inside: where it may write, and that it is in a sandbox."""
        return {VARIABLE: "1", "TMPDIR": _TMP, STATE_VARIABLE: f"{_TMP}/nnvet"}

    def close(self) -> None:
        """Remove the folder; files whose permissions forbid it stay."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)


def _make_locked_folder() -> tuple[Path, int]:
    """Return a new folder, and the descriptor that keeps it locked as long as this process lives."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        lock = _lock(folder)
        if lock is not None and folder.is_dir():
            return folder, lock
        # Between making and locking, another suite took the folder for an abandoned one, and is removing it.
        if lock is not None:
            os.close(lock)


def _lock(folder: Path) -> int | None:
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


def _remove_abandoned() -> None:
    """Remove the folders of suites that were killed: nobody holds their locks."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if (lock := _lock(folder)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _require_device(device: str) -> None:
    path = Path(device)
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise SelectorError(f"--sandbox-device {device}: {error.strerror}") from error
    if not path.resolve().is_relative_to(_DEVICES) or path.resolve() == Path(_DEVICES):
        raise SelectorError(f"--sandbox-device {device}: name a device below /dev, or a folder of devices there")
    if not (stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISDIR(mode)):
        raise SelectorError(f"--sandbox-device {device}: neither a device nor a folder of devices")


def _make_options(devices: Iterable[str]) -> list[str]:
    """Return bubblewrap and its options for every service.

    Later options take effect later: the caller mounts the private folder over the empty ``/tmp`` of these.
    """
    return [
        *(_PROGRAM, *(f"--unshare-{name}" for name in _NAMESPACES), "--die-with-parent", "--new-session"),
        # With the namespace's capabilities, the service could make its mounts writable again.
        *("--cap-drop", "ALL"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *(part for place in _HIDDEN if Path(place).is_dir() for part in ("--tmpfs", str(Path(place).resolve()))),
        *(part for device in devices for part in ("--dev-bind", device, device)),
    ]


def _find_files(arguments: str) -> list[str]:
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


def _find_hidden(paths: Iterable[str]) -> list[str]:
    """Return those paths that the sandbox would hide, outer ones first, without the hidden folders themselves.

    The service gets each of these mounted, so that it sees them all the same.
    """
    hidden = [Path(place).resolve() for place in _HIDDEN]
    found = set()
    for path in paths:
        for place in (Path(path).absolute(), Path(path).resolve()):
            is_below = any(place.is_relative_to(folder) and place != folder for folder in hidden)
            if path and is_below and place.exists():
                found.add(str(place))
    # A path inside another visible folder is visible with it, and cannot be mounted a second time.
    return [place for place in sorted(found) if not any(str(above) in found for above in Path(place).parents)]


class SandboxProcesses(NamedTuple):
    """Processes of a sandbox by their ids in our namespace: those around the service, and the service.

    ``service`` is None if the service has ended already.
    """

    around: frozenset[int]
    service: int | None


def find_service(outer: int, status: int) -> SandboxProcesses:
    """Wait until the service runs that ``outer`` starts; bubblewrap reports to the descriptor ``status``.

    :raises OSError: the service does not run in time.
    """
    until = time.monotonic() + _BEGUN_S
    first = _read_first_process(status, until)
    around = frozenset({outer, *children(outer), *((first,) if first else ())})
    while first and time.monotonic() < until:
        if service := next(children(first), None):
            return SandboxProcesses(around, service)
        if has_ended(outer, 0):
            break
        time.sleep(_PAUSE_S)
    if first and not has_ended(outer, 0):
        raise TimeoutError("the sandbox does not begin")
    return SandboxProcesses(around, None)


def _read_first_process(status: int, until: float) -> int | None:
    """Read from bubblewrap which process is the namespace's first; None if bubblewrap ended before making it."""
    report = b""
    while b"\n" not in report:
        if not select.select([status], [], [], max(0.0, until - time.monotonic()))[0]:
            raise TimeoutError("the sandbox does not begin")
        data = os.read(status, 4096)
        if not data:
            return None
        report += data
    number = json.loads(report.splitlines()[0]).get("child-pid")
    return number if isinstance(number, int) else None


def has_ended(child: int, patience_ms: int = _ENDED_MS) -> bool:
    """Return True if a child of ours ends within the given time. The child stays a zombie, so its id stays valid."""
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
    """Return the exit code of a service, given that of the process around it.

    A code that stands for a signal becomes negative: minus the signal, as :mod:`subprocess` has it.
    """
    number = code - _SIGNALLED
    return -number if signal.SIGHUP <= number <= _LAST_SIGNAL else code
