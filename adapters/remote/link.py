"""The suite's end of a link: one byte stream to an agent, on which all connections to a driver share.

One thread reads, and applies what comes in the order in which it comes. Another waits for our fences. Whoever sends
brings the replicas of memory up to date first. Bookkeeping has a lock of its own, which nobody holds while he sends, so
that reading never waits for writing: a link that is stuck is noticed in any case.
"""

from __future__ import annotations

import os
import select
import socket
import stat
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from nnvet.adapters.remote.messages import (
    CHUNK,
    ENTRY,
    FENCE_ENTRY,
    PROTOCOL,
    U8,
    U16,
    U64,
    VERSION,
    EntryKind,
    Message,
    MessageKind,
    Splitter,
    packed,
)
from nnvet.adapters.remote.replicas import Replica, Replicas, access_of
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.enums import FenceState
from nnvet.hal.errors import failure
from nnvet.hal.fences import FenceSource, create_fence, fence_state
from nnvet.hal.types import Handle, OwnedHandle
from nnvet.transport.wire.framing import WireError

SILENCE_S: Final = 30.0
"""Time without a word of the agent, which answers at once, after which the link counts as cut."""
_PINGS: Final = 6
"""Questions in that time."""
_TICK_S: Final = 0.5
_LOOK_S: Final = 10.0
_AT_ONCE: Final = 1 << 18
_CLOCKS_KEPT: Final = 8
"""Comparisons of clocks, which drift."""
_STATES: Final = {FenceState.SIGNALED: 1, FenceState.ERROR: 2}
_SIGNALLED: Final = 1
_ACTIVE: Final = 0


class LinkError(Exception):
    """There is no link: nobody is there, or he takes us not; the message says why."""


class ChannelHandle(Handle):
    """Stands for the other end of a new channel in a message; it is no descriptor."""

    __slots__ = ()

    def close(self) -> None:
        """Nothing is open."""


class Received(Protocol):
    """One channel, as the link's reader sees it."""

    def deliver(self, payload: bytes, handles: list[OwnedHandle], fences: Sequence[int]) -> Iterable[Replica]:
        """A frame has come, with fences that are active yet; returns what is in use no longer."""

    def settle(self, fence: int) -> Iterable[Replica]:
        """One of these fences is active no longer; returns what is in use no longer."""

    def end(self, reason: str) -> None:
        """Nothing comes any more: the driver has closed the channel, for a reason that is empty if it has said none."""


class Clock(NamedTuple):
    """A comparison of clocks: the round trip, and what to add to a time of ours to get one of the agent's."""

    round_trip_ns: int
    shift_ns: int


class Link:
    """A link to an agent that has started a driver for it."""

    def __init__(
        self,
        connection: socket.socket,
        token: str,
        said: Callable[[bytes], None],
        timeout_s: float | None,
        memory_limit: int | None = None,
    ) -> None:
        """Shake hands over a connected socket; ``said`` hears what the driver prints.

        The driver is killed if it has more than ``memory_limit`` bytes; None: it may have all.

        :raises LinkError: the agent refuses, speaks no version of ours, or does not answer in time.
        """
        self._socket = connection
        self._said = said
        self._splitter = Splitter()
        self._raw = threading.Lock()
        self._order = threading.Lock()
        self._state = threading.Lock()
        self._replicas = Replicas()
        self._pending: list[bytes] = []
        self._channels: dict[int, Received] = {}
        self._last_channel = 0
        self._closed_early: dict[int, str] = {}
        self._parts: dict[int, list[bytes]] = {}
        self._sources: dict[int, tuple[FenceSource, Received]] = {}
        self._fences: dict[int, tuple[int, Handle]] = {}
        self._last_fence = 0
        self._fence_poller = select.epoll()
        self._clocks: deque[Clock] = deque(maxlen=_CLOCKS_KEPT)
        self._pinged: dict[int, int] = {}
        self._last_question = 0
        self._looks: dict[int, bytes] = {}
        self._looked = threading.Condition()
        self.exit_code: int | None = None
        self.taken = 0
        self.ended = threading.Event()
        self.loss = ""
        self.agent = ""
        try:
            self._shake_hands(token, memory_limit, timeout_s)
        except (OSError, EOFError, WireError) as error:
            connection.close()
            raise LinkError(str(error) or type(error).__name__) from error
        self._reader = threading.Thread(target=self._read, name="nnvet-link", daemon=True)
        self._reader.start()
        threading.Thread(target=self._watch_fences, name="nnvet-link-fences", daemon=True).start()

    def join(self, channel: Received) -> int:
        """Return the id of a new channel."""
        with self._state:
            self._last_channel += 1
            self._channels[self._last_channel] = channel
            early = self._closed_early.pop(self._last_channel, None)
            if early is not None or self.loss:
                channel.end(early or "")
            return self._last_channel

    def leave(self, channel: int) -> None:
        """Close a channel."""
        with self._state:
            known = self._channels.pop(channel, None)
        if known is not None:
            self._say(packed(MessageKind.CLOSE, channel))

    def send_frame(
        self,
        channel: int,
        payload: bytes,
        handles: Sequence[Handle],
        begin: Callable[[Sequence[Replica]], tuple[Iterable[Replica], Iterable[Replica]]],
    ) -> None:
        """Send a frame, and before it all that has changed in the memories that it concerns.

        ``begin`` gets those that it names, and returns others that it concerns and those that are in use no longer.

        :raises OSError: a descriptor is not open (EBADF), or there is none left; or the link is lost.
        :raises HalError: something has no form in bytes.
        """
        with self._order:
            with self._state:
                entries, named, messages = self._described(handles)
                others, ended = begin(named)
                for replica in dict.fromkeys((*named, *others)):
                    messages += replica.changes()
                messages += self._pending
                messages += self._replicas.use((*named, *others))
                self._pending = self._replicas.leave(ended)
            rest = memoryview(payload)
            while len(rest) > CHUNK:
                messages.append(packed(MessageKind.PART, channel, bytes(rest[:CHUNK])))
                rest = rest[CHUNK:]
            messages.append(packed(MessageKind.FRAME, channel, entries + bytes(rest)))
            self._say(*messages)
        if self.loss:
            raise ConnectionResetError(self.loss)

    def part_from(self, ended: Callable[[], Iterable[Replica]]) -> None:
        """Memories are in use no longer; ``ended`` says which, while nobody else begins or ends a use."""
        with self._state:
            self._pending += self._replicas.leave(ended())

    @property
    def clock(self) -> Clock:
        """The best comparison of late."""
        return min(self._clocks)

    def look(self) -> str | None:
        """Return lines about the driver's processes; None if the agent does not answer."""
        with self._looked:
            self._last_question += 1
            question = self._last_question
        self._say(packed(MessageKind.LOOK, question))
        with self._looked:
            self._looked.wait_for(lambda: question in self._looks or bool(self.loss), _LOOK_S)
            answer = self._looks.pop(question, None)
        return None if answer is None else answer.decode(errors="replace")

    def kill(self) -> None:
        """Have the driver killed."""
        self._say(packed(MessageKind.KILL))

    def close(self) -> None:
        """Part from the agent, which ends what is left of the driver."""
        self._lose("the link was closed")
        if threading.current_thread() is not self._reader:
            self._reader.join()

    def _shake_hands(self, token: str, memory_limit: int | None, timeout_s: float | None) -> None:
        self._socket.settimeout(timeout_s)
        hello = f"{PROTOCOL}\n{VERSION}\n{token}\n{memory_limit or 0}"
        self._socket.sendall(packed(MessageKind.HELLO, body=hello.encode()))
        while not self.agent:
            self._receive()
        while not self._clocks:
            self._ping()
            self._receive()
        self._socket.settimeout(None)

    def _receive(self) -> None:
        data = self._socket.recv(_AT_ONCE)
        if not data:
            raise EOFError("the agent has closed the link")
        for message in self._splitter.feed(data):
            self._act(message)

    def _say(self, *messages: bytes) -> None:
        """Send messages, a few at a time, so that those of other threads do not wait for long."""
        group: list[bytes] = []
        size = 0
        for index, message in enumerate(messages):
            group.append(message)
            size += len(message)
            if size < CHUNK and index + 1 < len(messages):
                continue
            try:
                with self._raw:
                    self._socket.sendall(b"".join(group))
            except OSError as error:
                self._lose(f"the link is lost: {error}")
                return
            group, size = [], 0

    def _ping(self) -> None:
        """Ask for the agent's time. The reader does it, which must not wait for a thread that cannot send."""
        if self._raw.acquire(blocking=False):
            try:
                self._last_question += 1
                self._pinged[self._last_question] = boot_time_ns()
                self._socket.sendall(packed(MessageKind.PING, self._last_question))
            finally:
                self._raw.release()

    def _read(self) -> None:
        poller = select.poll()
        poller.register(self._socket, select.POLLIN)
        silent_s, last = 0.0, time.monotonic()
        pinged = last
        try:
            while not self.loss:
                is_ready = bool(poller.poll(_TICK_S * 1000))
                now = time.monotonic()
                # Time in which this process was stopped itself counts for little.
                silent_s, last = silent_s + min(now - last, 2 * _TICK_S), now
                if is_ready:
                    self._receive()
                    silent_s = 0.0
                elif silent_s > SILENCE_S:
                    raise TimeoutError(f"nothing was heard of the agent for {SILENCE_S:g} s")
                if now - pinged > SILENCE_S / _PINGS:
                    pinged = now
                    self._ping()
        except (OSError, EOFError, WireError) as error:
            self._lose(f"the link is lost: {error}")
        self._end()

    def _lose(self, reason: str) -> None:
        self.loss = self.loss or reason
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _end(self) -> None:
        """The last that the reader does."""
        with self._state:
            channels, self._channels = list(self._channels.values()), {}
            sources, self._sources = list(self._sources.values()), {}
        for channel in channels:
            channel.end("")
        for source, _ in sources:
            source.fail()
        self.ended.set()
        with self._looked:
            self._looked.notify_all()
        self._socket.close()
        self._fence_poller.close()

    def _act(self, message: Message) -> None:
        act = _ACTS.get(message.kind)
        if act is None:
            raise WireError(f"an agent sends no {message.kind.name}")
        try:
            act(self, message)
        except (IndexError, struct.error) as error:
            raise WireError(f"a {message.kind.name} is too short") from error

    def _welcomed(self, message: Message) -> None:
        version, _, self.agent = message.body.decode(errors="replace").partition("\n")
        if version != str(VERSION):
            raise WireError(f"the agent chose version {version} of the protocol; {VERSION} was offered")

    def _refused(self, message: Message) -> None:
        raise WireError(f"the agent says: {message.body.decode(errors='replace')}")

    def _framed(self, message: Message) -> None:
        (count,) = U16.unpack_from(message.body)
        end = U16.size + count * FENCE_ENTRY.size
        parts = self._parts.pop(message.id, [])
        with self._state:
            channel = self._channels.get(message.id)
            handles, active = [], []
            for fence, state in FENCE_ENTRY.iter_unpack(message.body[U16.size : end]):
                handle, source = create_fence()
                handles.append(handle)
                if state == _ACTIVE and channel is not None:
                    self._sources[fence] = source, channel
                    active.append(fence)
                else:
                    _settle(source, state)
            if channel is not None:
                payload = b"".join((*parts, message.body[end:]))
                self._pending += self._replicas.leave(channel.deliver(payload, handles, active))

    def _parted(self, message: Message) -> None:
        self._parts.setdefault(message.id, []).append(message.body)

    def _closed(self, message: Message) -> None:
        reason = message.body.decode(errors="replace")
        with self._state:
            channel = self._channels.pop(message.id, None)
            if channel is None and message.id > self._last_channel:
                # A driver may end before anybody speaks on its primary connection.
                self._closed_early[message.id] = reason
        if channel is not None:
            channel.end(reason)

    def _changed(self, message: Message) -> None:
        with self._state:
            replica = self._replicas.get(message.id)
        if replica is not None:
            (number,) = U64.unpack_from(message.body)
            if message.kind is MessageKind.RANGE:
                replica.write(number, message.body[U64.size :])
            else:
                replica.resize(number)

    def _fenced(self, message: Message) -> None:
        with self._state:
            source, channel = self._sources.pop(message.id, (None, None))
            if channel is not None:
                self._pending += self._replicas.leave(channel.settle(message.id))
        if source is not None:
            _settle(source, message.body[0])

    def _ponged(self, message: Message) -> None:
        now = boot_time_ns()
        sent = self._pinged.pop(message.id, now)
        (theirs,) = U64.unpack_from(message.body)
        # A call has as much time left when it arrives as it had when it was sent.
        self._clocks.append(Clock(now - sent, theirs - sent))

    def _looked_at(self, message: Message) -> None:
        with self._looked:
            self._looks[message.id] = message.body
            self._looked.notify_all()

    def _printed(self, message: Message) -> None:
        self._said(message.body)

    def _exited(self, message: Message) -> None:
        self.exit_code = int.from_bytes(message.body[:4], "little", signed=True)
        (self.taken,) = U64.unpack_from(message.body, 4)
        self.ended.set()

    def _described(self, handles: Sequence[Handle]) -> tuple[bytes, list[Replica], list[bytes]]:
        """Entries of a frame for descriptors, the memories among them, and messages that come before."""
        entries, named, messages = [U16.pack(len(handles))], [], []
        for handle in handles:
            if isinstance(handle, ChannelHandle):
                entries.append(ENTRY.pack(EntryKind.CHANNEL, handle.fd))
                continue
            replica = self._replicas.find(handle)
            if replica is not None:
                named.append(replica)
                entries.append(ENTRY.pack(access_of(handle), replica.id))
                continue
            if stat.S_ISDIR(os.fstat(handle.fd).st_mode):
                # Any will do: it is in the place of a file, which is what a driver has to notice.
                entries.append(ENTRY.pack(EntryKind.FOLDER, 0))
                continue
            _check_fence(handle)
            self._last_fence += 1
            entries.append(ENTRY.pack(EntryKind.FENCE, self._last_fence))
            messages.append(self._new_fence(self._last_fence, handle))
        return b"".join(entries), named, messages

    def _new_fence(self, fence: int, handle: Handle) -> bytes:
        state = _STATES.get(fence_state(handle), _ACTIVE)
        if state == _ACTIVE:
            kept = OwnedHandle(os.dup(handle.fd))
            self._fences[kept.fd] = fence, kept
            self._fence_poller.register(kept.fd, select.EPOLLIN)
        return packed(MessageKind.FENCE, fence, U8.pack(state))

    def _watch_fences(self) -> None:
        """Tell the agent of fences of ours that are active no longer."""
        while not self.loss:
            try:
                ready = self._fence_poller.poll(_TICK_S)
            except (OSError, ValueError):
                return
            for descriptor, _ in ready:
                with self._order:
                    self._say(*self._settled(descriptor))

    def _settled(self, descriptor: int) -> list[bytes]:
        with self._state:
            fence, kept = self._fences[descriptor]
            state = _STATES.get(fence_state(kept), _ACTIVE)
            if state == _ACTIVE:
                return []
            del self._fences[descriptor]
            with suppress(OSError, ValueError):
                self._fence_poller.unregister(descriptor)
            kept.close()
            # Who waits for the fence may read then what was written before.
            messages = [message for replica in self._replicas.in_use() for message in replica.changes()]
        return [*messages, packed(MessageKind.FENCE, fence, U8.pack(state))]


_ACTS: Final[dict[MessageKind, Callable[[Link, Message], Any]]] = {
    MessageKind.HELLO: Link._welcomed,  # noqa: SLF001
    MessageKind.REFUSED: Link._refused,  # noqa: SLF001
    MessageKind.FRAME: Link._framed,  # noqa: SLF001
    MessageKind.PART: Link._parted,  # noqa: SLF001
    MessageKind.CLOSE: Link._closed,  # noqa: SLF001
    MessageKind.RANGE: Link._changed,  # noqa: SLF001
    MessageKind.RESIZE: Link._changed,  # noqa: SLF001
    MessageKind.FENCE: Link._fenced,  # noqa: SLF001
    MessageKind.PING: Link._ponged,  # noqa: SLF001
    MessageKind.LOOK: Link._looked_at,  # noqa: SLF001
    MessageKind.OUTPUT: Link._printed,  # noqa: SLF001
    MessageKind.EXITED: Link._exited,  # noqa: SLF001
}


def _check_fence(handle: Handle) -> None:
    """Check that a descriptor can be a fence.

    :raises HalError: it is a hardware buffer or a device, of which there is no copy elsewhere.
    """
    mode = os.fstat(handle.fd).st_mode
    target = str(Path(f"/proc/self/fd/{handle.fd}").readlink())
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or "dmabuf" in target:
        raise failure(f"{target} cannot be sent to another machine", INEXPRESSIBLE)


def _settle(source: FenceSource, state: int) -> None:
    if state == _SIGNALLED:
        source.signal_or_fail()
    else:
        source.fail()
