"""Agents for tests: built once, started with drivers in Python, and reached through a relay."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from typing import Final

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "agent").glob("*.cpp"))
COMPILER = os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")
TOKEN: Final = "open sesame"  # noqa: S105 - it opens what a test has started
_START: Final = 'exec "$0" -P -m nnvet.adapters.service.main --fd "$NNVET_SOCKET_FD" "$1"'


@cache
def agent_program() -> Path:
    """The agent, not optimised, as one translation unit; built once for all processes that test the same sources."""
    if COMPILER is None:
        pytest.skip("there is no compiler of C++ to build the agent with")
    digest = sha256(b"".join(source.read_bytes() for source in (ROOT / "agent").glob("*.*"))).hexdigest()
    folder = Path(gettempdir()) / f"nnvet-agent-{os.getuid()}-{digest[:16]}"
    folder.mkdir(mode=0o700, exist_ok=True)
    program = folder / "nnvet-agent"
    with (folder / "agent.cc").open("a+", encoding="utf-8") as all_of_it:
        fcntl.flock(all_of_it, fcntl.LOCK_EX)
        if not program.exists():
            all_of_it.truncate(0)
            all_of_it.write("".join(f'#include "{source}"\n' for source in SOURCES))
            all_of_it.flush()
            built = folder / "built"
            command = [COMPILER, "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-o", built, all_of_it.name]
            subprocess.run(command, check=True)
            built.rename(program)
    return program


def service_of(selector: str) -> tuple[str, ...]:
    """The command of a service of a driver in Python."""
    return ("sh", "-c", _START, sys.executable, selector)


@dataclass
class Agent:
    """An agent that listens: where, and its process."""

    port: int
    process: subprocess.Popen[str]

    @property
    def selector(self) -> str:
        """The selector of the driver behind it."""
        return f"tcp:127.0.0.1:{self.port}"

    def sessions(self) -> list[int]:
        """Processes of the agent that serve a client each."""
        return list(map(int, Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()))


@contextmanager
def listening(folder: Path, command: Sequence[str], limits: str = ":", program: Sequence[str] = ()) -> Iterator[Agent]:
    """An agent that starts ``command`` for each client, at a port that the system chooses.

    ``limits`` is a command of the shell that sets them; ``program`` an agent in place of the usual one.
    """
    token = folder / "token"
    token.write_text(f"{TOKEN}\n", encoding="utf-8")
    arguments = (*(program or (str(agent_program()),)), "--listen", "0", "--token-file", str(token), "--", *command)
    shell = ("sh", "-c", f'{limits}; exec "$0" "$@"')
    with subprocess.Popen([*shell, *arguments], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Agent(int(process.stdout.readline().rpartition(":")[2]), process)
        finally:
            process.kill()


@dataclass
class Relay:
    """A relay to an agent that can be cut, or left open without passing anything on, or that takes its time.

    ``passed`` counts the bytes on their way to the agent. It is cut by itself where ``fatal`` goes through, once; with
    ``is_closing`` nobody gets through afterwards.
    """

    target: int
    port: int = 0
    fatal: bytes = b""
    is_closing: bool = False
    delay_s: float = 0.0
    passed: int = 0
    _ends: list[socket.socket] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)
    _is_open: threading.Event = field(default_factory=threading.Event)

    def cut(self) -> None:
        """End the connections."""
        for end in list(self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def stop(self) -> None:
        """Let nothing through any more."""
        self._is_open.clear()

    def end(self) -> None:
        """Have the threads end."""
        self._is_open.set()
        self.cut()
        for thread in self._threads:
            thread.join()
        for end in self._ends:
            end.close()

    def serve(self, listener: socket.socket) -> None:
        """Relay connections in both directions, until the listener is shut down."""
        self._is_open.set()
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                ends = [client, socket.create_connection(("127.0.0.1", self.target))]
                self._ends += ends
                for source, sink in (ends, ends[::-1]):
                    self._threads.append(threading.Thread(target=self._pass_on, args=(source, sink, listener)))
                    self._threads[-1].start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, listener: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                self._is_open.wait()
                time.sleep(self.delay_s)
                self.passed += len(data) * (source in self._ends[::2])
                if self.fatal and self.fatal in data:
                    self.fatal = b""
                    if self.is_closing:
                        listener.shutdown(socket.SHUT_RDWR)
                    self.cut()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_RDWR)


@contextmanager
def relay_to(agent: Agent, fatal: bytes = b"", *, is_closing: bool = False, delay_s: float = 0.0) -> Iterator[Relay]:
    """A relay to an agent."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        relay = Relay(agent.port, listener.getsockname()[1], fatal, is_closing, delay_s)
        thread = threading.Thread(target=relay.serve, args=(listener,))
        thread.start()
        try:
            yield relay
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            relay.end()
