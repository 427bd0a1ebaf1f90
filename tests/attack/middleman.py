"""A relay between the suite and a service, which passes frames on and damages one of them."""

from __future__ import annotations

import random
import socket
import stat
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import dup, fstat
from typing import Final

from nnvet.hal.types import Handle, OwnedHandle
from nnvet.transport.wire.framing import MAX_PAYLOAD, Channel, WireError
from tests.attack.mutation import MUTATIONS, Damage, Frame
from tests.attack.reading import is_same_result, meaning, result_of

_REMEMBERED: Final = 20
_READ: Final = 1 << 20
"""Bytes of the longest frame that is looked into: our own copies of it count as the memory of the suite."""
_ENDS: Final = (EOFError, OSError, WireError)


@dataclass(frozen=True)
class Order:
    """Damage the frame ``at`` (from 0) by the mutation of that name, with numbers drawn from ``seed``."""

    at: int
    mutation: str
    seed: str


class Done:
    """An attack on a frame of a connection, ``primary`` or ``lane``."""

    def __init__(self, where: str, meant: Frame, damage: Damage) -> None:
        """Keep what is said of it later, and no descriptors."""
        self._where = where
        self._meant = meant.raw
        is_one = len(damage.pieces) == 1 and not damage.after_next
        self._sent = damage.pieces[0][0] if is_one else b"".join(piece for piece, _ in damage.pieces)
        same_handles = is_one and list(damage.pieces[0][1]) == list(meant.handles)
        is_read = is_one and len(self._sent) <= _READ
        self.means_the_same = is_read and same_handles and meaning(self._sent) == meaning(self._meant)
        result = result_of(self._meant)
        self.differs_in_result = is_read and result is not None and not is_same_result(result, result_of(self._sent))

    def __str__(self) -> str:
        """Both in hexadecimal, as far as they need be known."""
        return f"{self._where}: {self._meant[:200].hex()} became {self._sent[:200].hex()} ({len(self._sent)} bytes)"


class Saboteur:
    """Counts the frames of one direction, over all connections, and damages one when it has an order."""

    def __init__(self) -> None:
        """No order yet."""
        self._lock = threading.Lock()
        self._order: Order | None = None
        self._earlier: deque[Frame] = deque(maxlen=_REMEMBERED)
        self.seen = 0
        self.done: Done | None = None

    def take(self, order: Order | None) -> None:
        """Count from 0 again; damage nothing, or what the order says."""
        with self._lock:
            self._order, self.seen, self.done = order, 0, None

    def pass_on(self, frame: Frame, where: str) -> Damage | None:
        """Return the damage to send instead of the frame, if any."""
        with self._lock:
            number, order = self.seen, self._order
            self.seen += 1
            earlier = list(self._earlier)
            self._earlier.append(Frame(frame.payload))
            if order is None or order.at != number:
                return None
            damage = MUTATIONS[order.mutation][1](frame, earlier, random.Random(order.seed))
            self.done = Done(where, frame, damage)
            return damage


class Middleman:
    """Links connections of clients with those of services. ``to_client`` or ``to_service`` may be sabotaged."""

    def __init__(self, to_client: Saboteur | None = None, to_service: Saboteur | None = None) -> None:
        """Without saboteurs every frame is passed on unchanged."""
        self._to_client = to_client
        self._to_service = to_service

    def link(self, client: socket.socket, service: socket.socket, where: str = "primary") -> None:
        """Pass frames on in both directions until either side disconnects; takes over both sockets."""
        ends = Channel(client, MAX_PAYLOAD), Channel(service, MAX_PAYLOAD)
        for source, sink, saboteur, raw in (
            (*ends, self._to_service, service),
            (*reversed(ends), self._to_client, client),
        ):
            arguments = (source, sink, saboteur, raw, where)
            threading.Thread(target=self._hand_on, args=arguments, name="middleman", daemon=True).start()

    def _hand_on(
        self, source: Channel, sink: Channel, saboteur: Saboteur | None, raw: socket.socket, where: str
    ) -> None:
        held: Damage | None = None
        with suppress(*_ENDS):
            while True:
                frame = Frame(*source.receive())
                handles = {handle: self._between(handle) for handle in frame.handles}
                damage = saboteur.pass_on(frame, where) if saboteur is not None else None
                if damage is not None and damage.after_next:
                    held = damage.with_handles(handles)
                    continue
                if damage is None:
                    sink.send(frame.payload, [handles[handle] for handle in frame.handles])
                elif _written(raw, damage.with_handles(handles)):
                    break
                if held is not None:
                    _written(raw, held)
                    held = None
                # Descriptors are kept no longer than they are needed.
                del frame, damage, handles
        source.shutdown()
        sink.shutdown()

    def _between(self, handle: Handle) -> Handle:
        """A connection that is handed on leads through us, too."""
        if not stat.S_ISSOCK(fstat(handle.fd).st_mode):
            return handle
        ours, theirs = socket.socketpair()
        self.link(socket.socket(fileno=dup(handle.fd)), ours, "lane")
        return OwnedHandle(theirs.detach())


def _written(raw: socket.socket, damage: Damage) -> bool:
    """Write the pieces; whether the connection is to be closed."""
    for piece, handles in damage.pieces:
        _write(raw, piece, handles)
    return damage.closes


def _write(raw: socket.socket, piece: bytes, handles: Sequence[Handle]) -> None:
    sent = socket.send_fds(raw, [piece], [handle.fd for handle in handles]) if handles and piece else 0
    raw.sendall(piece[sent:])
