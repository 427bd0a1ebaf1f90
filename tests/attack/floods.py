"""Clients that ask a service for too much, or send nothing: each is refused or disconnected, and others are served.

While a flood stands, the honest client that came before is served; when it has gone, a newcomer is, too.
"""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

import msgspec

from nnvet.hal.types import Handle
from nnvet.transport.wire.codec import Hello
from nnvet.transport.wire.framing import HEADER, MAGIC, Channel, WireError
from tests.attack.apart import attack_apart
from tests.attack.besieged import SERVICES, Besieged
from tests.attack.figures import Attack, Figures
from tests.attack.service import Connect

_LIMIT_S: Final = 1200.0
_CONNECTIONS: Final = 100
"""More than the clients that a service takes at once."""
_LANES: Final = 3000
_REFUSED: Final = (OSError, EOFError, WireError)
_CALL: Final = msgspec.msgpack.encode((1, "Device.get_capabilities", (), (), 1))

Flood = Callable[[Connect, random.Random, ExitStack], None]


class _Hostile:
    """A connection that can send anything."""

    def __init__(self, connect: Connect, stack: ExitStack) -> None:
        """Connect, and shake hands."""
        self.socket = stack.enter_context(connect())
        self.socket.setblocking(True)
        self.channel = Channel(self.socket)
        self.channel.send(msgspec.msgpack.encode(Hello()))
        self.channel.receive()

    def open_lane(self, stack: ExitStack) -> Channel:
        """One more lane."""
        ours, theirs = socket.socketpair()
        stack.enter_context(ours)
        with theirs:
            self.send_descriptor(theirs.fileno(), "Service.open_lane")
        return Channel(ours)

    def send_descriptor(self, descriptor: int, method: str) -> None:
        """Give the service a descriptor as a connection."""
        handle = msgspec.msgpack.Ext(1, b"\0\0")
        self.channel.send(msgspec.msgpack.encode((0, method, (), (handle,))), [Handle(descriptor)])


def _silent(connect: Connect, _: random.Random, stack: ExitStack) -> None:
    """Connections that say nothing."""
    for _number in range(_CONNECTIONS):
        stack.enter_context(connect())


def _half_frames(connect: Connect, draw: random.Random, stack: ExitStack) -> None:
    """Frames that are begun and never ended, in the handshake."""
    for _number in range(_CONNECTIONS):
        connection = stack.enter_context(connect())
        frame = HEADER.pack(draw.choice((100, 1 << 29)), 0, MAGIC) + bytes(50)
        with suppress(*_REFUSED):
            connection.sendall(frame[: draw.randrange(1, len(frame))])


def _half_calls(connect: Connect, draw: random.Random, stack: ExitStack) -> None:
    """Long calls that are begun on all lanes that there are, and never ended."""
    hostile = _Hostile(connect, stack)
    for _number in range(100):
        lane = hostile.open_lane(stack)
        data = HEADER.pack(1 << 29, 0, MAGIC) + bytes(draw.randrange(1, 100_000))
        with suppress(*_REFUSED):
            lane._socket.sendall(data)


def _lanes(connect: Connect, _: random.Random, stack: ExitStack) -> None:
    """Thousands of lanes."""
    with suppress(*_REFUSED):
        hostile = _Hostile(connect, stack)
        for _number in range(_LANES):
            hostile.open_lane(stack)


def _sessions(connect: Connect, _: random.Random, stack: ExitStack) -> None:
    """As many sessions as there are, and more."""
    for _number in range(_CONNECTIONS):
        with suppress(*_REFUSED):
            _Hostile(connect, stack)


def _never_reads(connect: Connect, _: random.Random, stack: ExitStack) -> None:
    """Send calls without end, and read no answer."""
    hostile = _Hostile(connect, stack)
    for _number in range(20):
        lane = hostile.open_lane(stack)
        lane._socket.setblocking(False)
        with suppress(*_REFUSED):
            while True:
                lane._socket.send((HEADER.pack(len(_CALL), 0, MAGIC) + _CALL) * 100)


def _no_sockets(connect: Connect, _: random.Random, stack: ExitStack) -> None:
    """Descriptors that are no sockets, as lanes and as clients."""
    null = os.open(os.devnull, os.O_RDWR)
    stack.callback(os.close, null)
    with suppress(*_REFUSED):
        hostile = _Hostile(connect, stack)
        for number in range(1000):
            hostile.send_descriptor(null, ("Service.open_lane", "Service.open_client")[number % 2])


def _hangs_up(connect: Connect, draw: random.Random, _: ExitStack) -> None:
    """Clients that hang up in the middle of a call, or right after it."""
    for _number in range(_CONNECTIONS):
        with ExitStack() as brief, suppress(*_REFUSED):
            lane = _Hostile(connect, brief).open_lane(brief)
            frame = HEADER.pack(len(_CALL), 0, MAGIC) + _CALL
            lane._socket.sendall(frame[: draw.randrange(1, len(frame) + 1)])


def _itself(connect: Connect, _: random.Random, stack: ExitStack) -> None:
    """Lanes whose other end the service has, too."""
    with suppress(*_REFUSED):
        hostile = _Hostile(connect, stack)
        for _number in range(50):
            for end in socket.socketpair():
                with end:
                    hostile.send_descriptor(end.fileno(), "Service.open_lane")


_FLOODS: Final[tuple[Flood, ...]] = (
    *(_silent, _half_frames, _half_calls, _lanes, _sessions, _never_reads, _no_sockets, _hangs_up, _itself),
)
_FULL: Final = (_silent, _half_frames, _sessions)
"""While these stand there is no place for a newcomer, who is refused."""
_LIMIT: Final = "clients, which is all that it takes"


def attack_by_floods(tries: int, seed: int, folder: Path) -> Figures:
    """Flood services in each way in turn, ``tries`` times in all."""
    return attack_apart(_attack, tries, seed, folder, limit_s=_LIMIT_S)


def _attack(tries: int, seed: int, folder: Path) -> Figures:
    figures = Figures()
    for number, (name, serve) in enumerate(SERVICES.items(), 1):
        with serve(folder) as (pid, connect):
            besieged = Besieged(pid, connect)
            while figures.tried < tries * number // len(SERVICES):
                flood = _FLOODS[figures.tried % len(_FLOODS)]
                draw = random.Random(f"{seed}/{figures.tried}")
                wrong = _flooded(besieged, flood, draw)
                figures.see(wrong and f"{name} {flood.__name__}: {wrong}")
            figures.peak_mib = max(figures.peak_mib, besieged.peak_mib)
    return figures


def _flooded(besieged: Besieged, flood: Flood, draw: random.Random) -> str:
    with ExitStack() as stack:
        flood(besieged.connect, draw, stack)
        wrong = besieged.wrong_for_honest()
        if flood in _FULL and _LIMIT not in (refusal := besieged.wrong_for_newcomer()):
            wrong = wrong or f"a newcomer is not refused: {refusal}"
    return wrong or besieged.left_behind() or besieged.wrong()


FLOODS: Final = Attack(
    "floods", attack_by_floods, 9, 180, "refused or given up; the honest client is served meanwhile", 300.0
)
