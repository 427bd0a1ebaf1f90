"""The bytes of a link: messages that go, messages that come, and whether the other end still answers."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections import deque
from contextlib import suppress
from typing import Final, NamedTuple

from nnvet.adapters.remote.messages import CHUNK, U64, Message, MessageKind, Splitter, packed
from nnvet.hal.arguments import boot_time_ns

SILENCE_S: Final = 30.0
"""Time without a word of the agent, which answers at once, after which the link counts as cut."""
TICK_S: Final = 0.5
_PINGS: Final = 6
"""Questions in that time."""
_AT_ONCE: Final = 1 << 18
_CLOCKS_KEPT: Final = 8
"""Comparisons of clocks, which drift."""


class Clock(NamedTuple):
    """A comparison of clocks: the round trip, and what to add to a time of ours to get one of the agent's."""

    round_trip_ns: int
    shift_ns: int


class Stream:
    """A connected socket to an agent. Any thread may send; one reads."""

    def __init__(self, connection: socket.socket) -> None:
        """Take over the socket."""
        self._socket = connection
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
        """Let no operation take longer; None: it may."""
        self._socket.settimeout(timeout_s)

    def say(self, *messages: bytes) -> None:
        """Send messages, a few at a time, so that those of other threads do not wait for long.

        :raises OSError: they cannot be sent.
        """
        group: list[bytes] = []
        size = 0
        for index, message in enumerate(messages):
            group.append(message)
            size += len(message)
            if size < CHUNK and index + 1 < len(messages):
                continue
            with self._sending:
                self._socket.sendall(b"".join(group))
            group, size = [], 0

    def receive(self) -> list[Message]:
        """Messages that have come, in their order; waits for bytes, which may not complete any.

        :raises OSError, EOFError: none can come any more.
        :raises WireError: what comes is no message, or was damaged.
        """
        data = self._socket.recv(_AT_ONCE)
        if not data:
            raise EOFError("the agent has closed the link")
        return self._splitter.feed(data)

    def wait(self) -> bool:
        """Wait a moment for bytes, and return True if there are some; ask the agent for its time now and then.

        :raises OSError: the agent has not said a word for :data:`SILENCE_S`, or cannot be asked.
        """
        is_ready = bool(self._poller.poll(TICK_S * 1000))
        now = time.monotonic()
        # Time in which this process was stopped itself counts for little.
        self._silent_s, self._seen = self._silent_s + min(now - self._seen, 2 * TICK_S), now
        if is_ready:
            self._silent_s = 0.0
        elif self._silent_s > SILENCE_S:
            raise TimeoutError(f"nothing was heard of the agent for {SILENCE_S:g} s")
        if now - self._asked > SILENCE_S / _PINGS:
            self._asked = now
            self.ping()
        return is_ready

    def ping(self) -> None:
        """Ask for the agent's time; not now if another thread is sending, which may be stuck.

        :raises OSError: it cannot be sent.
        """
        if self._sending.acquire(blocking=False):
            try:
                self._last_ping += 1
                self._pinged[self._last_ping] = boot_time_ns()
                self._socket.sendall(packed(MessageKind.PING, self._last_ping))
            finally:
                self._sending.release()

    def answered(self, message: Message) -> None:
        """Take note of the agent's time."""
        now = boot_time_ns()
        sent = self._pinged.pop(message.id, now)
        (theirs,) = U64.unpack_from(message.body)
        # A call has as much time left when it arrives as it had when it was sent.
        self._clocks.append(Clock(now - sent, theirs - sent))

    @property
    def clock(self) -> Clock | None:
        """The best comparison of late, if there is one."""
        return min(self._clocks, default=None)

    def shutdown(self) -> None:
        """Let no more bytes go or come."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
