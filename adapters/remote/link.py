"""The suite's end of a link: one byte stream to an agent, shared by all connections to a driver.

:class:`nnvet.adapters.remote.driver.RemoteDriver` makes a :class:`Link`, and each connection of a session
(:mod:`nnvet.adapters.remote.carrier`) is a channel of it. One thread reads messages and applies them in order; another
one watches fences of this machine. A sender first brings the replicas of memory (:mod:`nnvet.adapters.remote.replicas`)
up to date. The lock ``_order`` is held while sending, the lock ``_state`` for bookkeeping only: so reading never waits
for writing, and a link that is stuck is always noticed. docs/remote.md describes the protocol.
"""

from __future__ import annotations

import os
import re
import socket
import stat
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

from nnvet.adapters.remote.fences import ACTIVE, OwnFences, settle
from nnvet.adapters.remote.messages import (
    CHUNK,
    ENTRY,
    FENCE_ENTRY,
    PROTOCOL,
    U16,
    U64,
    VERSION,
    EntryKind,
    Message,
    MessageKind,
    pack,
)
from nnvet.adapters.remote.replicas import LEAST_CONTENT, Contents, Replica, Replicas, access_of
from nnvet.adapters.remote.stream import TICK_S, Clock, Stream
from nnvet.hal.fences import FenceSource, create_fence
from nnvet.hal.types import Handle, OwnedHandle
from nnvet.transport.wire.framing import MAX_ANSWER, WireError
from nnvet.transport.wire.texts import one_line

_LONG_BYTES: Final = re.compile(rb"\xc6(.{4})", re.DOTALL)
"""The beginning of a long byte string in msgpack, such as the constants of a model, with its length."""
_LOOK_S: Final = 10.0
"""Time for the agent to answer a question about the driver's processes."""
_MOST_EARLY: Final = 64
"""Channels that a driver may close before the suite opens them: it can know of those that every session has."""
_MOST_FENCES: Final = 16
"""Fences of one frame from a driver; the contract's only reply with a fence has one."""
_COMPARISONS: Final = 3
"""Comparisons of clocks at the beginning: a single one may be late for reasons of its own."""


class LinkError(Exception):
    """Raised if no link can be made: nobody answers, or the agent refuses; the message says why."""


class ChannelHandle(Handle):
    """A handle that stands for the other end of a new channel in a message; it is not a descriptor."""

    __slots__ = ()

    def close(self) -> None:
        """Do nothing: there is no descriptor to close."""


class Received(Protocol):
    """A channel, as the reader of the link uses it; :class:`nnvet.adapters.remote.carrier.LinkChannel` is one."""

    def deliver(self, payload: bytes, handles: list[OwnedHandle], fences: Sequence[int]) -> Iterable[Replica]:
        """Take a frame with its active fences; return the replicas that the driver stops using."""

    def settle(self, fence: int) -> Iterable[Replica]:
        """Take note that one of these fences has ended; return the replicas that the driver stops using."""

    def end(self, reason: str) -> None:
        """Take note that the driver has closed the channel; ``reason`` is empty if it gave none."""


class Link:
    """A link to an agent, which has started a driver for it."""

    def __init__(
        self,
        connection: socket.socket,
        token: str,
        on_output: Callable[[bytes], None],
        timeout_s: float | None,
        memory_limit: int | None = None,
    ) -> None:
        """Shake hands over a connected socket; ``on_output`` receives what the driver prints.

        The agent kills the driver if it uses more than ``memory_limit`` bytes; None sets no limit.

        :raises LinkError: the agent refuses, speaks another version of the protocol, or does not answer in time.
        """
        self._stream = Stream(connection)
        self._on_output = on_output
        self._order = threading.Lock()
        self._state = threading.Lock()
        self._replicas = Replicas()
        self._contents = Contents()
        self._pending: list[bytes] = []
        self._channels: dict[int, Received] = {}
        self._last_channel = 0
        self._closed_early: dict[int, str] = {}
        self._parts: dict[int, bytearray] = {}
        self._sources: dict[int, tuple[FenceSource, Received]] = {}
        self._fences = OwnFences()
        self._last_question = 0
        self._looks: dict[int, bytes | None] = {}
        self._looked = threading.Condition()
        self.exit_code: int | None = None
        """Exit code of the driver; None until it has ended."""
        self.memory_at_kill = 0
        """Bytes in use when the agent killed the driver for exceeding the limit; 0 if it did not."""
        self.ended = threading.Event()
        """Set once the driver has ended, or the link is lost."""
        self.loss = ""
        """The reason why the link is lost; empty as long as it works."""
        self.agent = ""
        """The agent's own words about itself, after the handshake."""
        try:
            self._shake_hands(token, memory_limit, timeout_s)
        except (OSError, EOFError, WireError) as error:
            connection.close()
            raise LinkError(str(error) or type(error).__name__) from error
        self._reader = threading.Thread(target=self._read, name="nnvet-link", daemon=True)
        self._reader.start()
        threading.Thread(target=self._watch_fences, name="nnvet-link-fences", daemon=True).start()

    def join(self, channel: Received) -> int:
        """Add a channel, and return its id."""
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
            self._send(pack(MessageKind.CLOSE, channel))

    def send_frame(
        self,
        channel: int,
        payload: bytes,
        handles: Sequence[Handle],
        begin: Callable[[Sequence[Replica]], tuple[Iterable[Replica], Iterable[Replica]]],
    ) -> None:
        """Send a frame, preceded by all changes in the memory that it concerns.

        ``begin`` receives the replicas that the frame names. It returns the other replicas that the driver may use, and
        those that the driver stops using.

        :raises OSError: a descriptor is not open (EBADF), the limit of descriptors is reached, or the link is lost.
        :raises HalError: an argument cannot be expressed in bytes.
        """
        with self._order:
            with self._state:
                entries, named, messages = self._describe(handles)
                others, ended = begin(named)
                for replica in dict.fromkeys((*named, *others)):
                    messages += replica.changes(self._contents)
                messages += self._pending
                messages += self._replicas.use((*named, *others))
                self._pending = self._replicas.leave(ended)
            *parts, (end, _) = _split(payload)
            for part, is_constant in parts:
                messages += self._make_part(channel, part, is_constant=is_constant)
            messages.append(pack(MessageKind.FRAME, channel, entries + end))
            self._send(*messages)
        if self.loss:
            raise ConnectionResetError(self.loss)

    def _make_part(self, channel: int, part: bytes, *, is_constant: bool) -> list[bytes]:
        """Return the messages for a part of a frame; constants that the agent keeps already are not sent again."""
        if not is_constant or len(part) < LEAST_CONTENT:
            return [pack(MessageKind.PART, channel, part)]
        reference, first = self._contents.refer(part)
        return [*first, pack(MessageKind.AGAIN, channel, reference)]

    def end_uses(self, find: Callable[[], Iterable[Replica]]) -> None:
        """End the use of the replicas that ``find`` returns, while no other thread begins or ends a use."""
        with self._state:
            self._pending += self._replicas.leave(find())

    @property
    def clock(self) -> Clock:
        """Return the best of the recent comparisons of the two clocks."""
        return self._stream.clock or Clock(0, 0)

    def look(self) -> str | None:
        """Return lines about the driver's processes; None if the agent does not answer."""
        with self._looked:
            self._last_question += 1
            question = self._last_question
            self._looks[question] = None
        self._send(pack(MessageKind.LOOK, question))
        with self._looked:
            self._looked.wait_for(lambda: self._looks[question] is not None or bool(self.loss), _LOOK_S)
            answer = self._looks.pop(question)
        return None if answer is None else answer.decode(errors="replace")

    def kill(self) -> None:
        """Ask the agent to kill the driver."""
        self._send(pack(MessageKind.KILL))

    def close(self) -> None:
        """Part from the agent, which then ends whatever is left of the driver."""
        self._lose("the link was closed")
        if threading.current_thread() is not self._reader:
            self._reader.join()

    def _shake_hands(self, token: str, memory_limit: int | None, timeout_s: float | None) -> None:
        until = None if timeout_s is None else time.monotonic() + timeout_s
        self._stream.limit(timeout_s)
        hello = f"{PROTOCOL}\n{VERSION}\n{token}\n{memory_limit or 0}"
        self._stream.send(pack(MessageKind.HELLO, body=hello.encode()))
        while not self.agent:
            self._receive_until(until)
        while self._stream.comparisons < _COMPARISONS:
            self._stream.ping()
            self._receive_until(until)
        self._stream.limit(None)

    def _receive_until(self, until: float | None) -> None:
        """Receive messages of the handshake. A peer that only ever sends others must not prolong it."""
        if until is not None:
            left_s = until - time.monotonic()
            if left_s <= 0:
                raise TimeoutError("the handshake has not ended in time")
            self._stream.limit(left_s)
        self._receive()

    def _receive(self) -> None:
        """Receive some bytes, and apply the messages that they complete."""
        for message in self._stream.receive():
            self._act(message)

    def _send(self, *messages: bytes) -> None:
        """Send messages; a link that is lost by that is noted, not raised, since the reader ends it for all."""
        try:
            self._stream.send(*messages)
        except OSError as error:
            self._lose(f"the link is lost: {error}")

    def _read(self) -> None:
        """Receive messages until the link is lost; the body of the reading thread."""
        try:
            while not self.loss:
                if self._stream.wait():
                    self._receive()
        except (OSError, EOFError, WireError) as error:
            self._lose(f"the link is lost: {error}")
        except Exception as error:  # noqa: BLE001 - whoever waits for the reader must learn that it has ended
            self._lose(f"the link is lost: {error!r}")
        self._end()

    def _lose(self, reason: str) -> None:
        """Note the first reason why the link is lost, and make the reading thread stop."""
        self.loss = self.loss or reason
        self._stream.shutdown()

    def _end(self) -> None:
        """Notify everybody who waits that nothing will come; the reading thread's last act."""
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
        self._stream.close()
        self._fences.close()

    def _act(self, message: Message) -> None:
        act = _ACTS.get(message.kind)
        if act is None:
            raise WireError(f"an agent sends no {message.kind.name}")
        try:
            act(self, message)
        except (IndexError, struct.error) as error:
            raise WireError(f"a {message.kind.name} is too short") from error
        except (OverflowError, ValueError) as error:
            raise WireError(f"a {message.kind.name} has a number that cannot be: {error}") from error

    def _take_hello(self, message: Message) -> None:
        version, _, self.agent = map(one_line, message.body.decode(errors="replace").partition("\n"))
        if version != str(VERSION):
            raise WireError(f"the agent chose version {version} of the protocol; {VERSION} was offered")

    def _take_refusal(self, message: Message) -> None:
        raise WireError(f"the agent says: {one_line(message.body.decode(errors='replace'))}")

    def _take_frame(self, message: Message) -> None:
        """Deliver a frame, with a local fence for each fence of the driver's that comes with it."""
        (count,) = U16.unpack_from(message.body)
        if count > _MOST_FENCES:
            raise WireError(f"no frame of a driver has {count} fences")
        end = U16.size + count * FENCE_ENTRY.size
        self._gather(message.id, message.body[end:])
        payload = bytes(self._parts.pop(message.id))
        with self._state:
            channel = self._channels.get(message.id)
            handles, active = [], []
            for fence, state in FENCE_ENTRY.iter_unpack(message.body[U16.size : end]):
                handle, source = create_fence()
                handles.append(handle)
                if state == ACTIVE and channel is not None:
                    self._sources[fence] = source, channel
                    active.append(fence)
                else:
                    settle(source, state)
            if channel is not None:
                self._pending += self._replicas.leave(channel.deliver(payload, handles, active))

    def _take_part(self, message: Message) -> None:
        """Keep a part of a long frame until its end comes."""
        with self._state:
            is_open = message.id in self._channels
        if is_open:
            self._gather(message.id, message.body)
        else:
            # Nobody will read it: the channel has been left, or was never opened.
            self._parts.pop(message.id, None)

    def _gather(self, channel: int, more: bytes) -> None:
        """Add to the payload of a frame, which is no longer than one of a service on this machine."""
        payload = self._parts.setdefault(channel, bytearray())
        payload += more
        if len(payload) > MAX_ANSWER:
            raise WireError(f"a frame of a driver has more than {MAX_ANSWER} bytes")

    def _take_close(self, message: Message) -> None:
        reason = one_line(message.body.decode(errors="replace"))
        with self._state:
            channel = self._channels.pop(message.id, None)
            if channel is None and message.id > self._last_channel:
                # A driver may end before the suite has opened its primary connection.
                self._closed_early[message.id] = reason
                if len(self._closed_early) > _MOST_EARLY:
                    raise WireError("the agent closes channels that nobody has opened")
        if channel is not None:
            channel.end(reason)

    def _take_change(self, message: Message) -> None:
        """Change our memory as the driver has changed the replica: some of its bytes, or its size."""
        with self._state:
            replica = self._replicas.get(message.id)
        if replica is not None:
            (number,) = U64.unpack_from(message.body)
            if message.kind is MessageKind.RANGE:
                replica.write(number, message.body[U64.size :])
            else:
                replica.resize(number)

    def _take_fence_state(self, message: Message) -> None:
        """Bring our copy of a driver's fence into its final state."""
        with self._state:
            source, channel = self._sources.pop(message.id, (None, None))
            if channel is not None:
                self._pending += self._replicas.leave(channel.settle(message.id))
        if source is not None:
            settle(source, message.body[0])

    def _take_time(self, message: Message) -> None:
        self._stream.compare_clocks(message)

    def _take_look(self, message: Message) -> None:
        with self._looked:
            if message.id in self._looks:
                self._looks[message.id] = message.body
                self._looked.notify_all()

    def _take_output(self, message: Message) -> None:
        self._on_output(message.body)

    def _take_exit(self, message: Message) -> None:
        self.exit_code = int.from_bytes(message.body[:4], "little", signed=True)
        (self.memory_at_kill,) = U64.unpack_from(message.body, 4)
        self.ended.set()

    def _describe(self, handles: Sequence[Handle]) -> tuple[bytes, list[Replica], list[bytes]]:
        """Return a frame's entries for its descriptors, the replicas among them, and messages that have to go first."""
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
                # The client has passed a folder instead of a file. The driver has to notice that, with any folder.
                entries.append(ENTRY.pack(EntryKind.FOLDER, 0))
                continue
            fence, message = self._fences.announce(handle)
            entries.append(ENTRY.pack(EntryKind.FENCE, fence))
            messages.append(message)
        return b"".join(entries), named, messages

    def _watch_fences(self) -> None:
        """Notify the agent when fences of this machine end; the body of the thread that watches them."""
        while not self.loss:
            descriptors = self._fences.wait_for_changes(TICK_S)
            if descriptors is None:
                return
            for descriptor in descriptors:
                with self._order:
                    self._send(*self._report_end(descriptor))

    def _report_end(self, descriptor: int) -> list[bytes]:
        """Return the messages about a fence that has ended; none if it is still active."""
        with self._state:
            end = self._fences.end(descriptor)
            if end is None:
                return []
            # Whoever waits for the fence may read what was written before it ended, so the changes go first.
            changes = [message for replica in self._replicas.in_use() for message in replica.changes(self._contents)]
        return [*changes, end]


def _split(payload: bytes) -> Iterator[tuple[bytes, bool]]:
    """Cut a payload into parts; with each, yield True if it belongs to a long byte string, which may well occur again.

    The last part is the end of the payload, which may be empty.
    """
    at = 0
    while len(payload) - at > CHUNK:
        begin, end = _find_long_bytes(payload, at)
        for first, last in ((at, begin), (begin, end)):
            for start in range(first, last, CHUNK):
                yield payload[start : min(start + CHUNK, last)], first == begin
        at = end
    yield payload[at:], False


def _find_long_bytes(payload: bytes, at: int) -> tuple[int, int]:
    """Return begin and end of the next long byte string; if there is none, the end of the payload twice."""
    for found in _LONG_BYTES.finditer(payload, at):
        # The same byte may also stand for something else. A wrong guess only cuts the payload at another place.
        length = int.from_bytes(found[1], "big")
        if CHUNK <= length <= len(payload) - found.end():
            return found.end(), found.end() + length
    return len(payload), len(payload)


_ACTS: Final[dict[MessageKind, Callable[[Link, Message], Any]]] = {
    MessageKind.HELLO: Link._take_hello,  # noqa: SLF001
    MessageKind.REFUSED: Link._take_refusal,  # noqa: SLF001
    MessageKind.FRAME: Link._take_frame,  # noqa: SLF001
    MessageKind.PART: Link._take_part,  # noqa: SLF001
    MessageKind.CLOSE: Link._take_close,  # noqa: SLF001
    MessageKind.RANGE: Link._take_change,  # noqa: SLF001
    MessageKind.RESIZE: Link._take_change,  # noqa: SLF001
    MessageKind.FENCE: Link._take_fence_state,  # noqa: SLF001
    MessageKind.PING: Link._take_time,  # noqa: SLF001
    MessageKind.LOOK: Link._take_look,  # noqa: SLF001
    MessageKind.OUTPUT: Link._take_output,  # noqa: SLF001
    MessageKind.EXITED: Link._take_exit,  # noqa: SLF001
}
"""Methods for the messages of an agent; all run on the reading thread, after the handshake."""
