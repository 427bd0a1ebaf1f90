"""Namespaces of its own for a service: user, mounts, processes, network and System V's memory, made by bubblewrap.

The service sees the whole system read-only, a private ``/tmp`` that lasts as long as its driver is open, an empty
``/run`` and ``/var/tmp``, few devices, no network and no process but those that it starts. Its connection, and all that
comes and goes on it, are descriptors, which namespaces do not stop. Source: bwrap(1), pid_namespaces(7).

Three processes are around it: a shell, bubblewrap, and the first process of the namespace. The shell is there since
bubblewrap ends with the thread that has started it, and a thread of ours may end sooner. Where the shell ends, by
whatever signal, the kernel kills bubblewrap, then that first process, and with it all that is in the namespace.
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
"""Environment variable of a service that is in namespaces of its own: its parent is the first process there."""

_PROGRAM: Final = "bwrap"
_SHELL: Final = ("/bin/sh", "-c", '"$@"; exit $?', "nnvet-sandbox")
_NAMESPACES: Final = ("user", "pid", "net", "ipc", "uts")
_TMP: Final = "/tmp"  # noqa: S108 - the place over which the private folder comes
_HIDDEN: Final = (_TMP, "/var/tmp", "/run")  # noqa: S108 - places that are hidden from the service
_HIDDEN_DEVICES: Final = "/dev"
_PREFIX: Final = "nnvet-sandbox-"
_TRIED_S: Final = 60.0
_BEGUN_S: Final = 30.0
"""Seconds in which bubblewrap has made the namespaces, on the busiest machine too."""
_ENDED_MS: Final = 5000
_PAUSE_S: Final = 0.001
_SIGNALLED: Final = 128
"""Added to the number of a signal by shells and bubblewrap, which exit with it."""
_LAST_SIGNAL: Final = 64


@dataclass(frozen=True)
class Sandbox:
    """Wish for namespaces, and the devices, files or folders below /dev, that a service may use there."""

    devices: tuple[str, ...] = ()

    def require(self) -> None:
        """Make such namespaces once and leave them.

        :raises SelectorError: bubblewrap is missing, may not make them, or there is no such device.
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
    """The place of one driver's services, one after the other, with the folder that they have for themselves."""

    def __init__(self, sandbox: Sandbox, arguments: str) -> None:
        """Make the folder. What ``arguments``, those of a selector, name in hidden places stays visible.

        :raises SelectorError: the system allows no namespaces; and so OSError if no folder can be made.
        """
        sandbox.require()
        self._sandbox = sandbox
        self._arguments = arguments
        _sweep()
        self.folder, self._lock = _own_folder()

    def command(self, command: Sequence[str], status: int) -> list[str]:
        """Return the command that runs ``command`` inside; descriptor ``status`` hears of its beginning.

        :raises FileNotFoundError: there is no such program.
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
        """Variables for a service inside: where it may write, and that it is there."""
        return {VARIABLE: "1", "TMPDIR": _TMP, STATE_VARIABLE: f"{_TMP}/nnvet"}

    def close(self) -> None:
        """Remove the folder, as far as its contents let us."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)


def _own_folder() -> tuple[Path, int]:
    """Return a new folder, and the descriptor by which it is locked as long as we live."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        lock = _locked(folder)
        if lock is not None and folder.is_dir():
            return folder, lock
        # Somebody who sweeps came between the two, and removes it.
        if lock is not None:
            os.close(lock)


def _locked(folder: Path) -> int | None:
    """Return a descriptor of a folder of ours that nobody else has locked; None: somebody has, or there is none."""
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
    """Bubblewrap with the options that hold for every service; the private folder comes over ``/tmp`` later."""
    return [
        *(_PROGRAM, *(f"--unshare-{name}" for name in _NAMESPACES), "--die-with-parent", "--new-session"),
        # Whoever has the capabilities of the namespaces can make their mounts writable again.
        *("--cap-drop", "ALL"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *(part for place in _HIDDEN if Path(place).is_dir() for part in ("--tmpfs", str(Path(place).resolve()))),
        *(part for device in devices for part in ("--dev-bind", device, device)),
    ]


def _named(arguments: str) -> list[str]:
    """Files that the arguments of a selector name, in whatever form: programs, modules, libraries, files of options."""
    parts = arguments
    for mark in ":,#=?&'\"":
        parts = parts.replace(mark, " ")
    found = []
    for part in parts.split():
        with suppress(OSError, ValueError):
            path = Path(part).expanduser().absolute()
            if path.is_file():
                found.append(str(path))
                # What belongs to it lies beside it, unless that is a place of everybody's.
                found.append(str(path.parent))
            elif path.is_dir():
                found.append(str(path))
    return found


def _visible(paths: Iterable[str]) -> list[str]:
    """Those of some paths that hidden places would hide, outer ones first; none that is such a place itself."""
    hidden = [Path(place).resolve() for place in _HIDDEN]
    found = set()
    for path in paths:
        for place in (Path(path).absolute(), Path(path).resolve()):
            is_below = any(place.is_relative_to(folder) and place != folder for folder in hidden)
            if path and is_below and place.exists():
                found.add(str(place))
    # What lies in a folder that is there is there, too; a place of its own could not be made in it.
    return [place for place in sorted(found) if not any(str(above) in found for above in Path(place).parents)]


class Wrapping(NamedTuple):
    """The processes around a service, as numbers of our own namespace; the service, None: it has ended already."""

    around: frozenset[int]
    service: int | None


def wrapping(outer: int, status: int) -> Wrapping:
    """Wait until what ``outer`` has been started for runs; ``status`` is the reading end of what it says.

    :raises OSError: it does not in time.
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
    """Return the first process of the namespace; None: there is none, since bubblewrap has ended before."""
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
    """Return True if a child of ours ends within some time; it is not waited for, and keeps its number."""
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
    """Return the exit code of a service by that of what is around it: minus the signal that killed it."""
    number = code - _SIGNALLED
    return -number if signal.SIGHUP <= number <= _LAST_SIGNAL else code
