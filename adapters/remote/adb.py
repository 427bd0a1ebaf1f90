"""Connections to a phone by ``adb``: copy agent and driver there once, and start an agent for each connection.

:mod:`nnvet.adapters.remote.reaching` makes the connections over TCP and ssh. All of these functions return a
:class:`~nnvet.adapters.remote.reaching.Road`, an open connection to an agent.
"""

from __future__ import annotations

import os
import secrets
import shlex
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from nnvet.adapters.remote.reaching import AGENT_VARIABLE, Road, end_program
from nnvet.adapters.selector import Selector, SelectorError

_FOLDER: Final = "/data/local/tmp/nnvet-"
"""A folder in which adb's shell may write and start programs; its name ends with a digest of the files."""
_PUSH_S: Final = 300.0
_SHORT_S: Final = 30.0
_KEPT: Final = 2000
"""Characters of a message that are shown."""
_LISTENS: Final = b"listening on "


class _Place(NamedTuple):
    """A device, the command that starts its service, and the files that the command needs (the agent first)."""

    device: str
    command: str
    files: tuple[Path, ...]


def over_adb(selector: Selector, timeout_s: float | None) -> Road:
    """Copy the agent and the driver's files to the device unless they are there, start the agent, and connect to it.

    :raises SelectorError: adb, the device or a file is missing, or a command fails on the device.
    """
    place = _place_in(selector)
    try:
        folder = _copy_files(place)
        with ExitStack() as undo:
            token = secrets.token_hex()
            agent, end = map(undo.enter_context, socket.socketpair())
            undo.callback(end_program, _started(place, folder, token, end))
            end.close()
            port = _port_of(agent, timeout_s)
            ours = _adb(place.device, "forward", "tcp:0", f"tcp:{port}").strip()
            undo.callback(_part_with, place.device, ours)
            connection = socket.create_connection(("127.0.0.1", int(ours)), timeout_s)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            undo.callback(connection.close)
            leave = undo.pop_all().close
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise SelectorError(f"driver '{selector}': {error}") from error
    return Road(connection, token, lambda: "", leave)


def _place_in(selector: Selector) -> _Place:
    device, slash, rest = selector.arguments.partition("/")
    command, *files = rest.split(",push=")
    if not slash or not command.strip():
        raise SelectorError(f"driver '{selector}': write {selector.kind.syntax}")
    agent = os.environ.get(AGENT_VARIABLE, "")
    if not agent:
        advice = f"build nnvet-agent for the device's processor (docs/remote.md) and name it in {AGENT_VARIABLE}"
        raise SelectorError(f"driver '{selector}': there is no agent to be copied: {advice}")
    return _Place(device, command, (Path(agent), *map(Path, files)))


def _copy_files(place: _Place) -> str:
    """Copy the files unless they are there, and return their folder on the device, which is named by their content."""
    digest = sha256()
    for path in place.files:
        content = _digest(path, path.stat().st_mtime_ns)
        digest.update(f"{path.name} {content}\n".encode())
    folder = _FOLDER + digest.hexdigest()[:16]
    if _adb(place.device, "shell", f"if [ -d {folder} ]; then echo there; fi").strip() == "there":
        return folder
    # Another worker may copy the same files at the same time. Each fills a folder of its own; the first rename wins.
    new = f"{folder}-{secrets.token_hex(4)}"
    _adb(place.device, "shell", f"mkdir {new}")
    _adb(place.device, "push", *map(str, place.files), f"{new}/", seconds=_PUSH_S)
    _adb(place.device, "shell", f"chmod 755 {new}/* && {{ [ -d {folder} ] || mv {new} {folder}; }}; rm -rf {new}")
    return folder


@cache
def _digest(path: Path, changed_ns: int) -> str:
    # The time of the last change is a part of the key, so that a rebuilt file is read again.
    del changed_ns
    return sha256(path.read_bytes()).hexdigest()


def _started(place: _Place, folder: str, token: str, end: socket.socket) -> subprocess.Popen[bytes]:
    agent = shlex.quote(place.files[0].name)
    command = f"cd {folder} && exec ./{agent} --listen 0 --token-file - --once -- {place.command}"
    with tempfile.TemporaryFile() as given:
        given.write(token.encode() + b"\n")
        given.seek(0)
        fd = end.fileno()
        command_line = _command(place.device, "shell", "-T", command)
        return subprocess.Popen(command_line, stdin=given, stdout=fd, stderr=fd, process_group=0)


def _port_of(agent: socket.socket, timeout_s: float | None) -> int:
    """Return the port on which the agent listens.

    :raises OSError: the agent prints anything else, or nothing.
    """
    agent.settimeout(timeout_s)
    said = b""
    while not (said.startswith(_LISTENS) and said.endswith(b"\n")) and (more := agent.recv(_KEPT)):
        said += more
    if not said.startswith(_LISTENS):
        raise ConnectionError(f"the agent does not start there: {' '.join(said.decode(errors='replace').split())}")
    return int(said.rpartition(b":")[2])


def _part_with(device: str, port: str) -> None:
    with suppress(OSError, subprocess.SubprocessError):
        _adb(device, "forward", "--remove", f"tcp:{port}")


def _command(device: str, *arguments: str) -> Sequence[str]:
    return ("adb", *(("-s", device) if device else ()), *arguments)


def _adb(device: str, *arguments: str, seconds: float = _SHORT_S) -> str:
    """Run adb, and return what it prints.

    :raises OSError: adb fails; the message has its output.
    """
    run = subprocess.run(
        _command(device, *arguments),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    if run.returncode:
        raise ConnectionError(f"adb says: {' '.join((run.stderr + run.stdout)[-_KEPT:].split())}")
    return run.stdout
