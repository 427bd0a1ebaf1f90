"""Connections to a phone by ``adb``: copy agent and driver there once, and start an agent for each connection.

:func:`reach_over_adb` is the entry point, which :class:`nnvet.adapters.remote.driver.RemoteDriver` calls for the kind
``adb``. :mod:`nnvet.adapters.remote.reaching` makes the connections over TCP and ssh. Both return a
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
"""Time for copying files to the device; drivers of some hundred megabytes go over USB 2."""
_SHORT_S: Final = 30.0
"""Time for all other commands of adb, which first starts a server if none is running."""
_KEPT: Final = 2000
"""Characters of a message that are shown."""
_LISTENS: Final = b"listening on "
"""Beginning of the line that an agent prints when it accepts connections; the address follows."""


class _Place(NamedTuple):
    """A device, the command that starts its service, and the files that the command needs (the agent first)."""

    device: str
    command: str
    files: tuple[Path, ...]


def reach_over_adb(selector: Selector, timeout_s: float | None) -> Road:
    """Copy the agent and the driver's files to the device unless they are there, start the agent, and connect to it.

    :raises SelectorError: adb, the device or a file is missing, or a command fails on the device.
    """
    place = _parse_place(selector)
    try:
        folder = _copy_files(place)
        with ExitStack() as undo:
            token = secrets.token_hex()
            agent, end = map(undo.enter_context, socket.socketpair())
            undo.callback(end_program, _start_agent(place, folder, token, end))
            end.close()
            port = _read_port(agent, timeout_s)
            ours = _adb(place.device, "forward", "tcp:0", f"tcp:{port}").strip()
            undo.callback(_remove_forwarding, place.device, ours)
            connection = socket.create_connection(("127.0.0.1", int(ours)), timeout_s)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            undo.callback(connection.close)
            leave = undo.pop_all().close
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise SelectorError(f"driver '{selector}': {error}") from error
    return Road(connection, token, lambda: "", leave)


def _parse_place(selector: Selector) -> _Place:
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
        content = _hash_file(path, path.stat().st_mtime_ns)
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
def _hash_file(path: Path, changed_ns: int) -> str:
    # The time of the last change is a part of the key, so that a rebuilt file is read again.
    del changed_ns
    return sha256(path.read_bytes()).hexdigest()


def _start_agent(place: _Place, folder: str, token: str, end: socket.socket) -> subprocess.Popen[bytes]:
    """Start the agent on the device; it reads the token from its input and prints to ``end``."""
    agent = shlex.quote(place.files[0].name)
    command = f"cd {folder} && exec ./{agent} --listen 0 --token-file - --once -- {place.command}"
    with tempfile.TemporaryFile() as given:
        given.write(token.encode() + b"\n")
        given.seek(0)
        fd = end.fileno()
        command_line = _make_command(place.device, "shell", "-T", command)
        return subprocess.Popen(command_line, stdin=given, stdout=fd, stderr=fd, process_group=0)


def _read_port(agent: socket.socket, timeout_s: float | None) -> int:
    """Return the port on which the agent listens.

    :raises OSError: the agent prints anything else, or nothing.
    """
    agent.settimeout(timeout_s)
    output = b""
    while not (output.startswith(_LISTENS) and output.endswith(b"\n")) and (more := agent.recv(_KEPT)):
        output += more
    if not output.startswith(_LISTENS):
        raise ConnectionError(f"the agent does not start there: {' '.join(output.decode(errors='replace').split())}")
    return int(output.rpartition(b":")[2])


def _remove_forwarding(device: str, port: str) -> None:
    """End the forwarding of a local port to the device; nothing can be done if that fails."""
    with suppress(OSError, subprocess.SubprocessError):
        _adb(device, "forward", "--remove", f"tcp:{port}")


def _make_command(device: str, *arguments: str) -> Sequence[str]:
    """Return a command of adb for a device, given by its serial number, or for the only one."""
    return ("adb", *(("-s", device) if device else ()), *arguments)


def _adb(device: str, *arguments: str, seconds: float = _SHORT_S) -> str:
    """Run adb, and return its output.

    :raises OSError: adb fails; the message has its output.
    """
    run = subprocess.run(
        _make_command(device, *arguments),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    if run.returncode:
        raise ConnectionError(f"adb says: {' '.join((run.stderr + run.stdout)[-_KEPT:].split())}")
    return run.stdout
