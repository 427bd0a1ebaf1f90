"""The road to a phone by ``adb``: what is needed is copied there once, and an agent is started for one connection."""

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
"""The shell of adb may write there, and start programs."""
_PUSH_S: Final = 300.0
_SHORT_S: Final = 30.0
_KEPT: Final = 2000
_LISTENS: Final = b"listening on "


class _Place(NamedTuple):
    """A device, the command of its service, and files that have to be there."""

    device: str
    command: str
    files: tuple[Path, ...]


def over_adb(selector: Selector, timeout_s: float | None) -> Road:
    """Copy agent and files to the device if it does not have them, start the agent there, and connect to it.

    :raises SelectorError: adb, the device or a file is missing, or something does not work there.
    """
    place = _place_in(selector)
    try:
        folder = _copied(place)
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


def _copied(place: _Place) -> str:
    """Return the folder of the device in which the files are; its name is made of their content."""
    digest = sha256()
    for path in place.files:
        content = _digest(path, path.stat().st_mtime_ns)
        digest.update(f"{path.name} {content}\n".encode())
    folder = _FOLDER + digest.hexdigest()[:16]
    if _adb(place.device, "shell", f"if [ -d {folder} ]; then echo there; fi").strip() == "there":
        return folder
    # Others, such as a second worker, may do the same at the same time: the first one to be ready wins.
    new = f"{folder}-{secrets.token_hex(4)}"
    _adb(place.device, "shell", f"mkdir {new}")
    _adb(place.device, "push", *map(str, place.files), f"{new}/", seconds=_PUSH_S)
    _adb(place.device, "shell", f"chmod 755 {new}/* && {{ [ -d {folder} ] || mv {new} {folder}; }}; rm -rf {new}")
    return folder


@cache
def _digest(path: Path, changed_ns: int) -> str:
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
    """Return the port at which it listens.

    :raises OSError: it says something else, or nothing.
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
    """Return what adb prints.

    :raises OSError: it fails, with what it says.
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
