"""Connections (:class:`Road`) to an agent, the program that starts a driver on another machine.

:func:`reach` is the entry point, which :class:`nnvet.adapters.remote.driver.RemoteDriver` calls. The agent listens on a
TCP port or a socket, or ssh starts it. :mod:`nnvet.adapters.remote.adb` connects to phones, and
:mod:`nnvet.adapters.remote.link` sends messages over the connection.
"""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

from nnvet.adapters.selector import Selector, SelectorError, parse_options

TOKEN_VARIABLE: Final = "NNVET_TOKEN"  # noqa: S105 - the name of a variable
"""Environment variable that holds the token which the agent expects."""
AGENT_VARIABLE: Final = "NNVET_AGENT"
"""Environment variable with the agent's path: on the remote machine for ``ssh:``, on this one for ``adb:``."""

_GONE_S: Final = 5.0
"""Time for a program such as ssh to end after its connection was closed."""
_GONE_SILENTLY_S: Final = 30
"""Seconds without an answer from the other machine after which TCP and ssh give the connection up."""
_KEPT: Final = 2000
"""Bytes at the end of ssh's messages that are shown."""


class Road(NamedTuple):
    """A connection to an agent, and how to end it.

    ``token`` is the secret that the agent expects. ``explain`` returns the end of a message about a failure, such as
    what ssh has printed; ``leave`` closes the connection and ends every program that it needed.
    """

    connection: socket.socket
    token: str
    explain: Callable[[], str]
    leave: Callable[[], None]


def reach(selector: Selector, timeout_s: float | None) -> Road:
    """Connect to the agent that a selector names.

    :raises SelectorError: the address is malformed, or no agent answers there.
    """
    return _start_over_ssh(selector) if selector.kind.name == "ssh" else _reach_listener(selector, timeout_s)


def _reach_listener(selector: Selector, timeout_s: float | None) -> Road:
    """Connect to an agent that listens on a TCP port or, for tests and tunnels, on a socket of this machine."""
    place, _, rest = selector.arguments.partition(",")
    options = parse_options("tcp", rest)
    token = _read_token(selector, options.pop("token", ""))
    if options:
        raise SelectorError(f"driver '{selector}': there is no option {next(iter(options))!r}")
    try:
        connection = _connect(place, timeout_s)
    except (OSError, ValueError) as error:
        advice = "start nnvet-agent there first (docs/remote.md)"
        raise SelectorError(f"driver '{selector}': {place}: {error}; {advice}") from error
    return Road(connection, token, lambda: "", lambda: None)


def _read_token(selector: Selector, path: str) -> str:
    """Return the first line of the file at ``path``; without a path, the token in the environment."""
    if not path:
        return os.environ.get(TOKEN_VARIABLE, "")
    try:
        return Path(path).read_text(encoding="utf-8").partition("\n")[0]
    except OSError as error:
        raise SelectorError(f"driver '{selector}': {path}: {error.strerror}") from error


def _connect(place: str, timeout_s: float | None) -> socket.socket:
    if place.startswith("/"):
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(place)
        except OSError:
            connection.close()
            raise
        return connection
    host, _, port = place.rpartition(":")
    connection = socket.create_connection((host.strip("[]"), int(port)), timeout_s)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _GONE_SILENTLY_S * 1000)
    return connection


def _start_over_ssh(selector: Selector) -> Road:
    """Start an agent by ssh, whose standard input and output are the connection."""
    where, slash, command = selector.arguments.partition("/")
    host, _, port = where.partition(":")
    if not host or host.startswith("-") or not slash or not command.strip():
        raise SelectorError(f"driver '{selector}': write {selector.kind.syntax}")
    agent = os.environ.get(AGENT_VARIABLE, "nnvet-agent")
    options = ["-o", "BatchMode=yes", "-o", f"ServerAliveInterval={_GONE_SILENTLY_S // 3}"]
    program = ["ssh", *options, *(["-p", port] if port else []), host, f"{agent} --stdio -- {command}"]
    ours, theirs = socket.socketpair()
    # The Road's ``leave`` closes it, together with the process that writes into it.
    heard = tempfile.TemporaryFile()  # noqa: SIM115
    try:
        with theirs:
            end = theirs.fileno()
            process = subprocess.Popen(program, stdin=end, stdout=end, stderr=heard, process_group=0)
    except OSError as error:
        ours.close()
        heard.close()
        raise SelectorError(f"driver '{selector}': cannot run ssh: {error.strerror}") from error

    undo = ExitStack()
    undo.enter_context(heard)
    undo.callback(end_program, process)
    undo.callback(ours.close)
    return Road(ours, "", lambda: _quote_messages(heard), undo.close)


def end_program(process: subprocess.Popen[bytes]) -> None:
    """Wait until a program ends that has lost its connection; kill a program that does not."""
    with process:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GONE_S)
        process.kill()


def _quote_messages(heard: IO[bytes]) -> str:
    """Return ssh's messages as the end of an error message."""
    heard.seek(0)
    text = heard.read()[-_KEPT:].decode(errors="replace").strip()
    return f"; ssh says: {' '.join(text.split())}" if text else ""
