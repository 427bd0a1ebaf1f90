"""Measures a run through an agent (``agent/``) against a local run, with and without a delay on the link.

``python benchmarks/link.py AGENT SELECTOR [OPTION ...]`` runs ``nnvet run -d SELECTOR OPTION ...`` here, then behind
the program AGENT on a port of this machine, then through a relay that keeps all bytes back for 5 ms in each direction.
A selector of ``exec:`` is the service itself; any other kind is served by nnvet.

It prints wall time, processor time of suite, agent and service together, ratios, round trips, and what ``nnvet diff``
says. Round trips are counted by cause: a call that is sent after a reply was taken costs one more than the call of that
reply. They do not depend on the load of the machine, but are complete only with the option ``-n 1``, because other
processes of the suite are not seen.
"""

from __future__ import annotations

import os
import queue
import resource
import secrets
import shlex
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from nnvet.adapters.remote.carrier import LinkChannel
from nnvet.commands.main import main as run_command

DELAY_S: Final = 0.005
_NNVET: Final = (sys.executable, "-P", "-m", "nnvet.commands")
_COUNTED: Final = (sys.executable, "-P", __file__, "--counted")
_REAPED_S: Final = 1.5
"""Time in which an agent notices that its processes have ended, so that their processor time is known."""
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
        try:
            client, _ = listener.accept()
        except OSError:
            return
        target = socket.create_connection(("127.0.0.1", port))
        for end in (client, target):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for source, sink in ((client, target), (target, client)):
            threading.Thread(target=delay, args=(source, sink), daemon=True).start()


class Cost(NamedTuple):
    """Wall and processor time in seconds, and round trips."""

    wall_s: float
    processor_s: float
    round_trips: int


def run_counted(place: str, *arguments: str) -> None:
    """Run a command of nnvet, and write the number of its round trips into a file."""
    now = 0
    sent: dict[LinkChannel, deque[int]] = {}
    send, receive = LinkChannel.send, LinkChannel.receive

    def note_sent(channel: LinkChannel, *arguments: Any, **named: Any) -> None:
        send(channel, *arguments, **named)
        sent.setdefault(channel, deque()).append(now)

    def note_taken(channel: LinkChannel, *arguments: Any) -> Any:
        nonlocal now
        found = receive(channel, *arguments)
        if channel.id != 1:  # the primary channel brings notifications, which answer nothing that is sent on it
            now = max(now, sent[channel].popleft() + 1)
        return found

    LinkChannel.send, LinkChannel.receive = note_sent, note_taken  # type: ignore[method-assign,assignment]
    sys.argv = ["nnvet", *arguments]
    try:
        run_command()
    finally:
        Path(place).write_text(str(now), encoding="ascii")


def cost_of(selector: str, out: Path, options: Sequence[str], agent: Sequence[str] = (), *, slow: bool = False) -> Cost:
    """Run the suite on a driver: this one, or this one behind an agent, on a fast or a slow link."""
    counted = out.with_suffix(".count")
    spent, begin = processor_s(), time.monotonic()
    command = (*_COUNTED, str(counted), "run", "--out", str(out), *options, "-d")
    with ExitStack() as stack:
        if agent:
            port = stack.enter_context(listening(agent[0], out.parent, service_of(selector)))
            selector = f"tcp:127.0.0.1:{stack.enter_context(relaying(port)) if slow else port}"
        subprocess.run((*command, selector), stdout=subprocess.DEVNULL, check=False)
        wall_s = time.monotonic() - begin
        time.sleep(_REAPED_S)
    return Cost(wall_s, processor_s() - spent, int(counted.read_text(encoding="ascii")))


@contextmanager
def relaying(port: int) -> Iterator[int]:
    """Yield the port of a relay with a delay."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=relay, args=(listener, port), daemon=True).start()
        yield listener.getsockname()[1]


def processor_s() -> float:
    """Return the processor time of all processes that were started from here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(agent: str, selector: str, *options: str) -> None:
    """Print the table and the differences."""
    with tempfile.TemporaryDirectory(prefix="nnvet-link-") as place:
        folder = Path(place)
        costs = {
            "here": cost_of(selector, folder / "here", options),
            "over a link": cost_of(selector, folder / "over a link", options, (agent,)),
            f"with {DELAY_S * 1000:g} ms": cost_of(selector, folder / "slow", options, (agent,), slow=True),
        }
        here = costs["here"]
        for name, cost in costs.items():
            wall = f"{cost.wall_s:8.1f} s of wall time {cost.wall_s / here.wall_s:5.2f}"
            processor = f"{cost.processor_s:8.1f} s of processor time {cost.processor_s / here.processor_s:5.2f}"
            sys.stdout.write(f"{name:12} {wall} {processor} {cost.round_trips:8} round trips\n")
        for name in ("over a link", "slow"):
            sys.stdout.write(f"\nhere and {name}:\n")
            sys.stdout.flush()
            subprocess.run((*_NNVET, "diff", str(folder / "here"), str(folder / name)), check=False)


if __name__ == "__main__":
    if sys.argv[1] == "--counted":
        run_counted(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
