"""The bytes of a link: sending and receiving messages, comparing clocks, and noticing a silent peer.

:class:`nnvet.adapters.remote.link.Link` owns the :class:`Stream` of its connection, and gives the messages their
meaning. Their layout is in :mod:`nnvet.adapters.remote.messages`.
"""

from __future__ import annotations

import select
import socket
import struct
import threading
import time
from collections import deque
from contextlib import suppress
from typing import Final, NamedTuple

from nnvet.adapters.remote.messages import CHUNK, U64, Message, MessageKind, Splitter, pack
from nnvet.hal.arguments import boot_time_ns
from nnvet.transport.wire.framing import WireError

SILENCE_S: Final = 30.0
"""A link counts as lost after this time without a byte; a living agent answers pings at once."""
TICK_S: Final = 0.5
"""Longest wait for bytes or fences, after which the waiting thread looks whether the link still exists."""
_PINGS: Final = 6
"""Pings during :data:`SILENCE_S`: a single one that is late or lost must not count as silence."""
_AT_ONCE: Final = 1 << 18
"""Bytes that are read at a time."""
_LATEST_NS: Final = 1 << 60
"""Time since the start of a machine that none of them reaches: 36 years."""
_TIMEVAL: Final = struct.Struct("@ll")
_CLOCKS_KEPT: Final = 8
"""Only recent comparisons count, since clocks drift apart."""


class Clock(NamedTuple):
    """A comparison of clocks: the round trip, and the difference to add to our time to get the agent's.

    The order of the fields matters: the smallest tuple has the shortest round trip, and that is the most exact one.
    """

    round_trip_ns: int
    shift_ns: int


class Stream:
    """A connected socket to an agent. Any thread may send, one thread reads."""

    def __init__(self, connection: socket.socket) -> None:
        """Take over the socket."""
        self._socket = connection
        # The kernel's own limit, which holds for the thread that sends and not for the one that reads.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _TIMEVAL.pack(int(SILENCE_S), 0))
        self._splitter = Splitter()
        self._sending = threading.Lock()
        self._clocks: deque[Clock] = deque(maxlen=_CLOCKS_KEPT)
        self._pinged: dict[int, int] = {}
        self._last_ping = 0
        self._poller = select.poll()
        self._poller.register(connection, select.POLLIN)
        self._silent_s = 0.0
        self._seen = self._asked = time.monotonic()

    def limit(self, timeout_s: float | None) -> None:
        """Limit the time of every operation on the socket; None removes the limit."""
        self._socket.settimeout(timeout_s)

    def send(self, *messages: bytes) -> None:
        """Send messages in groups, so that other threads need not wait for all of them.

        :raises OSError: the link is broken.
        """
        group: list[bytes] = []
        size = 0
        for index, message in enumerate(messages):
            group.append(message)
            size += len(message)
            if size < CHUNK and index + 1 < len(messages):
                continue
            with self._sending:
                self._send(b"".join(group))
            group, size = [], 0

    def receive(self) -> list[Message]:
        """Wait for bytes, and return the messages that they complete, in order; there may be none.

        :raises OSError, EOFError: the link has ended.
        :raises WireError: the bytes are not a message, or the checksum is wrong.
        """
        data = self._socket.recv(_AT_ONCE)
        if not data:
            raise EOFError("the agent has closed the link")
        return self._splitter.feed(data)

    def wait(self) -> bool:
        """Wait a moment for bytes, and return True if there are some; ping the agent from time to time.

        :raises OSError: the agent has been silent for :data:`SILENCE_S`, or the ping cannot be sent.
        """
        is_ready = bool(self._poller.poll(TICK_S * 1000))
        now = time.monotonic()
        # If this process itself was stopped for a while, that time says little about the agent.
        self._silent_s, self._seen = self._silent_s + min(now - self._seen, 2 * TICK_S), now
        if is_ready:
            self._silent_s = 0.0
        elif self._silent_s > SILENCE_S:
            raise TimeoutError(f"nothing was heard of the agent for {SILENCE_S:g} s")
        if now - self._asked > SILENCE_S / _PINGS:
            self._asked = now
            self.ping()
        return is_ready

    def _send(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except BlockingIOError as error:
            raise TimeoutError(f"the agent has read nothing for {SILENCE_S:g} s") from error

    def ping(self) -> None:
        """Ask for the agent's time, unless another thread is sending: that thread may be stuck.

        :raises OSError: the link is broken.
        """
        if self._sending.acquire(blocking=False):
            try:
                self._last_ping += 1
                self._pinged[self._last_ping] = boot_time_ns()
                self._send(pack(MessageKind.PING, self._last_ping))
            finally:
                self._sending.release()

    def compare_clocks(self, message: Message) -> None:
        """Compare the clocks by ``message``, the answer to a ping.

        :raises WireError: the answer is not a time.
        """
        now = boot_time_ns()
        (theirs,) = U64.unpack_from(message.body)
        if theirs > _LATEST_NS:
            raise WireError(f"no clock of an agent shows {theirs} ns")
        sent = self._pinged.pop(message.id, None)
        if sent is None:
            # An answer to no question would look like the shortest of all round trips.
            return
        # A deadline converted with the whole round trip leaves the call as much time on arrival as it had when sent.
        self._clocks.append(Clock(now - sent, theirs - sent))

    @property
    def comparisons(self) -> int:
        """Return the number of comparisons that :attr:`clock` is chosen from."""
        return len(self._clocks)

    @property
    def clock(self) -> Clock | None:
        """The most exact of the recent comparisons; None before the first."""
        return min(self._clocks, default=None)

    def shutdown(self) -> None:
        """Stop sending and receiving."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
