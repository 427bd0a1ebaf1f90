"""Measures a run through an agent (``agent/``) against a local run, with and without a delay on the link.

``python benchmarks/link.py AGENT SELECTOR [OPTION ...]`` runs ``nnvet run -d SELECTOR OPTION ...`` here, then behind
the program AGENT on a port of this machine, then through a relay that keeps all bytes back for 5 ms in each direction.
It prints seconds, ratios and what ``nnvet diff`` says. A selector of ``exec:`` is the service itself; any other kind is
served by nnvet.
"""

from __future__ import annotations

import os
import queue
import secrets
import shlex
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

DELAY_S: Final = 0.005
_NNVET: Final = (sys.executable, "-P", "-m", "nnvet.commands")
_SERVE: Final = 'exec "$0" -P -m nnvet.adapters.service.main --fd "$NNVET_SOCKET_FD" "$1"'
_AT_ONCE: Final = 1 << 16


def service_of(selector: str) -> Sequence[str]:
    """Return the command with which an agent starts the driver of a selector."""
    if selector.startswith("exec:"):
        return shlex.split(selector.removeprefix("exec:"))
    return ("sh", "-c", _SERVE, sys.executable, selector)


@contextmanager
def listening(agent: str, folder: Path, command: Sequence[str]) -> Iterator[int]:
    """Yield the port of an agent that starts a command for each client."""
    token = folder / "token"
    os.environ["NNVET_TOKEN"] = secrets.token_hex()
    token.write_text(os.environ["NNVET_TOKEN"], encoding="ascii")
    arguments = (agent, "--listen", "0", "--token-file", str(token), "--", *command)
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield int(process.stdout.readline().rpartition(":")[2]) if process.stdout else 0
        finally:
            process.terminate()


def delay(source: socket.socket, sink: socket.socket) -> None:
    """Pass bytes on with a fixed delay, however many are on their way."""
    under_way: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()

    def pass_on() -> None:
        with suppress(OSError):
            while True:
                due, data = under_way.get()
                time.sleep(max(0.0, due - time.monotonic()))
                if not data:
                    sink.shutdown(socket.SHUT_WR)
                    return
                sink.sendall(data)

    threading.Thread(target=pass_on, daemon=True).start()
    data = b"more"
    while data:
        try:
            data = source.recv(_AT_ONCE)
        except OSError:
            data = b""
        under_way.put((time.monotonic() + DELAY_S, data))


def relay(listener: socket.socket, port: int) -> None:
    """Relay each connection to a port of this machine."""
    while True:
        client, _ = listener.accept()
        target = socket.create_connection(("127.0.0.1", port))
        for end in (client, target):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for source, sink in ((client, target), (target, client)):
            threading.Thread(target=delay, args=(source, sink), daemon=True).start()


def seconds_of(selector: str, out: Path, options: Sequence[str]) -> float:
    """Run the suite, and return the seconds."""
    begin = time.monotonic()
    command = (*_NNVET, "run", "-d", selector, "--out", str(out), *options)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    return time.monotonic() - begin


def main(agent: str, selector: str, *options: str) -> None:
    """Print the table and the differences."""
    with tempfile.TemporaryDirectory(prefix="nnvet-link-") as place, socket.create_server(("127.0.0.1", 0)) as listener:
        folder = Path(place)
        with listening(agent, folder, service_of(selector)) as port:
            threading.Thread(target=relay, args=(listener, port), daemon=True).start()
            selectors = {
                "here": selector,
                "over a link": f"tcp:127.0.0.1:{port}",
                f"with {DELAY_S * 1000:g} ms": f"tcp:127.0.0.1:{listener.getsockname()[1]}",
            }
            taken = {name: seconds_of(selector, folder / name, options) for name, selector in selectors.items()}
        for name, seconds in taken.items():
            sys.stdout.write(f"{name:12} {seconds:8.1f} s  {seconds / taken['here']:5.2f}\n")
        for name in list(selectors)[1:]:
            sys.stdout.write(f"\nhere and {name}:\n")
            sys.stdout.flush()
            subprocess.run((*_NNVET, "diff", str(folder / "here"), str(folder / name)), check=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
