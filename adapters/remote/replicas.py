"""Replicas: copies of our shared memory on the machine of a remote driver.

Both ends remember the content that the other end has, and send only differences. Each run of changed bytes is sent by
itself: the other end may be writing to the bytes between two runs at the same time.

:class:`Replicas` keeps the copies; the link (:mod:`nnvet.adapters.remote.link`) sends what they have changed.
:class:`Uses` says which calls and objects let the driver write into a replica, and when each use ends. That follows
from the messages alone: a call uses the memory that it names until its reply. Three kinds of calls use memory for
longer: an asynchronous one until its callback is notified, a fenced one until its fence has ended, and a reusable
execution until it is released.
"""

from __future__ import annotations

import fcntl
import os
import stat
import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Final

import msgspec
import numpy as np

from nnvet.adapters.remote.messages import CHUNK, U8, U64, EntryKind, MessageKind, packed
from nnvet.hal.types import Handle, OwnedHandle
from nnvet.transport.wire.codec import EXT_OBJECT, CallMessage, Reply
from nnvet.transport.wire.framing import WireError

_BLOCK: Final = CHUNK
_ZEROS: Final = bytes(_BLOCK)
_GAP: Final = 8
"""Up to this many equal bytes between two changes are sent along, since a message of their own costs more."""
# Replicas that no call uses stay up to these limits, the longest unused go first.
_MOST_IDLE: Final = 64
_MOST_IDLE_BYTES: Final = 256 << 20
_ACCESS: Final = {
    os.O_RDWR: EntryKind.MEMORY,
    os.O_RDONLY: EntryKind.READ_ONLY,
    os.O_WRONLY: EntryKind.WRITE_ONLY,
}


_LONGEST_FILE: Final = 1 << 30
"""Bytes up to which a driver on another machine may let a file grow: all of it is kept here, too."""

LEAST_CONTENT: Final = 1 << 12
"""Shorter runs of bytes are sent each time."""
_MOST_KEPT: Final = 48 << 20
"""Bytes that the agent is asked to keep; it refuses more than 64 MiB."""


class Contents:
    """Bytes that the agent keeps, so that constants of models that occur again are sent once.

    Not thread-safe: messages have to be sent in the order in which they are made.
    """

    def __init__(self) -> None:
        """Start with nothing kept."""
        self._last = 0
        self._held = 0
        self._kept: OrderedDict[bytes, tuple[bytes, int]] = OrderedDict()
        """References and sizes by digest; the longest unused is first."""

    def refer(self, data: bytes) -> tuple[bytes, list[bytes]]:
        """Return the reference to some bytes, and the messages that have to go first."""
        digest = blake2b(data, digest_size=32).digest()
        if digest in self._kept:
            self._kept.move_to_end(digest)
            return self._kept[digest][0], []
        messages = []
        while self._kept and self._held + len(data) > _MOST_KEPT:
            _, (reference, size) = self._kept.popitem(last=False)
            self._held -= size
            messages.append(packed(MessageKind.FORGET, *U64.unpack_from(reference)))
        self._last += 1
        # The agent compares the sum: a wrong reference must not become a wrong constant.
        reference = U64.pack(self._last) + zlib.crc32(data).to_bytes(4, "little")
        self._kept[digest] = reference, len(data)
        self._held += len(data)
        return reference, [*messages, packed(MessageKind.KEEP, self._last, data)]


class Replica:
    """One piece of memory: our descriptor, and the content that the other end is known to have."""

    def __init__(self, identifier: int, key: tuple[int, int], handle: Handle) -> None:
        """Represent the memory behind a descriptor; ``key`` (device, inode) identifies its file.

        :raises OSError: the descriptor is not open, or the limit of descriptors is reached.
        """
        self.id = identifier
        self.key = key
        self.users = 0
        self.size = os.fstat(handle.fd).st_size
        self._handle = _reopen(handle)
        self._is_pool = bool(_seals(handle.fd) & fcntl.F_SEAL_SHRINK)
        self._known: dict[int, bytes] = {}
        self._seals = 0
        self._lock = threading.Lock()
        self.is_new = True

    def changes(self, contents: Contents) -> Iterator[bytes]:
        """Yield the messages that bring the replica up to date."""
        fd = self._handle.fd
        with self._lock:
            size, runs = os.fstat(fd).st_size, _runs
            if self.is_new:
                self.is_new, runs = False, _whole
                yield packed(MessageKind.MEMORY, self.id, U64.pack(size))
            elif size != self.size:
                yield packed(MessageKind.RESIZE, self.id, U64.pack(size))
            self._cut(size)
            for block in self._blocks(size):
                offset = block * _BLOCK
                now = os.pread(fd, min(_BLOCK, size - offset), offset)
                before = self._before(block, len(now))
                if now != before:
                    for start, end in runs(now, before):
                        yield from self._sent(contents, offset + start, now[start:end])
                    self._known[block] = now
            seals = _seals(fd)
            if seals != self._seals:
                self._seals = seals
                yield packed(MessageKind.SEAL, self.id, seals.to_bytes(4, "little"))

    def _sent(self, contents: Contents, offset: int, data: bytes) -> Iterator[bytes]:
        if len(data) < LEAST_CONTENT:
            yield packed(MessageKind.RANGE, self.id, U64.pack(offset) + data)
            return
        reference, first = contents.refer(data)
        yield from first
        yield packed(MessageKind.PASTE, self.id, U64.pack(offset) + reference)

    def write(self, offset: int, data: bytes) -> None:
        """Write a range that the driver has changed.

        :raises OSError: the memory cannot be written.
        :raises WireError: the range ends beyond the size that the driver may give to the memory.
        """
        with self._lock:
            self._check_end(offset + len(data))
            os.pwrite(self._handle.fd, data, offset)
            while data:
                block, start = divmod(offset, _BLOCK)
                part = data[: _BLOCK - start]
                before = self._before(block, max(len(self._known.get(block, b"")), start + len(part)))
                self._known[block] = before[:start] + part + before[start + len(part) :]
                data, offset = data[len(part) :], offset + len(part)

    def resize(self, size: int) -> None:
        """Set the size that the driver has given to the memory.

        :raises OSError: the memory cannot be resized.
        :raises WireError: the driver may not give it this size.
        """
        with self._lock:
            self._check_end(size)
            os.ftruncate(self._handle.fd, size)
            self._cut(size)

    def _check_end(self, end: int) -> None:
        """Check that the memory may become so long: a file of a cache grows, a pool never does."""
        if end > max(self.size, 0 if self._is_pool else _LONGEST_FILE):
            raise WireError(f"memory {self.id} of {self.size} bytes cannot have {end} bytes")

    def forget(self) -> None:
        """Close the descriptor."""
        self._handle.close()

    def _before(self, block: int, size: int) -> bytes:
        before = self._known.get(block, b"")
        return before if len(before) == size else before[:size].ljust(size, b"\0")

    def _cut(self, size: int) -> None:
        if size < self.size:
            for block in [block for block in self._known if (block + 1) * _BLOCK > size]:
                known = self._known.pop(block)[: max(0, size - block * _BLOCK)]
                if known:
                    self._known[block] = known
        self.size = size

    def _blocks(self, size: int) -> Iterable[int]:
        """Return the blocks that may have changed: all but the holes of a sparse file, which may span terabytes."""
        if size <= _BLOCK:
            return range(1 if size else 0)
        blocks = set(self._known)
        at = 0
        with suppress(OSError):
            while at < size:
                at = os.lseek(self._handle.fd, at, os.SEEK_DATA)
                end = os.lseek(self._handle.fd, at, os.SEEK_HOLE)
                blocks.update(range(at // _BLOCK, -(-end // _BLOCK)))
                at = end
        return sorted(block for block in blocks if block * _BLOCK < size)


def _runs(now: bytes, before: bytes) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each run of differing bytes."""
    differing = np.flatnonzero(np.frombuffer(now, np.uint8) != np.frombuffer(before, np.uint8))
    breaks = np.flatnonzero(np.diff(differing) > _GAP)
    for run in np.split(differing, breaks + 1):
        yield int(run[0]), int(run[-1]) + 1


def _whole(now: bytes, before: bytes) -> Iterator[tuple[int, int]]:
    """Yield begin and end of the part of new memory that is not 0; nobody else can have written into it."""
    del before
    end = len(now.rstrip(b"\0"))
    yield end - len(now[:end].lstrip(b"\0")), end


def _reopen(handle: Handle) -> OwnedHandle:
    """Return a descriptor of our own for the same memory, writable if its owner permits that."""
    with suppress(OSError):
        return OwnedHandle(os.open(f"/proc/self/fd/{handle.fd}", os.O_RDWR | os.O_CLOEXEC))
    return OwnedHandle(os.dup(handle.fd))


def _seals(fd: int) -> int:
    try:
        return fcntl.fcntl(fd, fcntl.F_GET_SEALS)
    except OSError:
        return 0


def access_of(handle: Handle) -> EntryKind:
    """Return the kind of entry for a memory descriptor: read-only, write-only, or both."""
    return _ACCESS.get(fcntl.fcntl(handle.fd, fcntl.F_GETFL) & os.O_ACCMODE, EntryKind.MEMORY)


class Replicas:
    """The replicas of one link. Some are kept without users, so that the next user need not send all their content.

    Not thread-safe: the caller holds the link's lock, and sends the messages that the methods return.
    """

    def __init__(self) -> None:
        """Start with no replicas."""
        self._last_id = 0
        self._by_file: dict[tuple[int, int], Replica] = {}
        self._by_id: dict[int, Replica] = {}
        self._idle: OrderedDict[int, int] = OrderedDict()
        """Sizes of those that nobody uses, at the time when they were last used; the oldest is first."""
        self._held = 0

    def find(self, handle: Handle) -> Replica | None:
        """Return the replica of the memory behind a descriptor, made if necessary; None if it is not memory.

        :raises OSError: the descriptor is not open, or the limit of descriptors is reached.
        """
        state = os.fstat(handle.fd)
        if not stat.S_ISREG(state.st_mode):
            return None
        key = state.st_dev, state.st_ino
        replica = self._by_file.get(key)
        if replica is None:
            self._last_id += 1
            replica = self._by_file[key] = self._by_id[self._last_id] = Replica(self._last_id, key, handle)
            self._set_aside(replica)
        return replica

    def get(self, identifier: int) -> Replica | None:
        """Return the replica with an id; None if it has been dropped."""
        return self._by_id.get(identifier)

    def use(self, replicas: Iterable[Replica]) -> list[bytes]:
        """Expect the driver to change the replicas, until :meth:`leave` has been called as often."""
        begun = [replica for replica in replicas if _count(replica, 1) == 1]
        for replica in begun:
            self._held -= self._idle.pop(replica.id, 0)
        return _watch(begun, on=True)

    def leave(self, replicas: Iterable[Replica]) -> list[bytes]:
        """End one use of each replica."""
        ended = [replica for replica in replicas if _count(replica, -1) == 0]
        for replica in ended:
            self._set_aside(replica)
        return _watch(ended, on=False) + self._forgotten()

    def in_use(self) -> list[Replica]:
        """Return the replicas that the driver may be reading or writing."""
        return [replica for replica in self._by_id.values() if replica.users]

    def _set_aside(self, replica: Replica) -> None:
        self._idle[replica.id] = replica.size
        self._held += replica.size

    def _forgotten(self) -> list[bytes]:
        messages = []
        while len(self._idle) > _MOST_IDLE or (self._held > _MOST_IDLE_BYTES and self._idle):
            identifier, size = self._idle.popitem(last=False)
            replica = self._by_id.pop(identifier)
            del self._by_file[replica.key]
            self._held -= size
            replica.forget()
            messages.append(packed(MessageKind.DROP, identifier))
        return messages


def _count(replica: Replica, step: int) -> int:
    replica.users += step
    return replica.users


def _watch(replicas: list[Replica], *, on: bool) -> list[bytes]:
    if not replicas:
        return []
    return [packed(MessageKind.WATCH, body=U8.pack(on) + b"".join(U64.pack(replica.id) for replica in replicas))]


_REFERENCE: Final = bytes([0xD7, EXT_OBJECT])
"""The first bytes of an object reference in msgpack; the id follows."""
_NOTIFIED: Final = ("PreparedModel.execute", "Device.prepare_model", "Device.prepare_model_from_cache")
"""Calls that end when the callback, their last argument, is notified."""
_KEPT: Final = "PreparedModel.create_reusable_execution"
_RUNS: Final = "Execution."

Memories = Sequence[Replica]


class _InFlight(msgspec.Struct, frozen=True):
    method: str
    memories: Memories
    callback: int


class Uses:
    """Memory in use by one session. Not thread-safe. The methods return the replicas whose use has ended."""

    def __init__(self) -> None:
        """Start with nothing in use."""
        self._in_flight: dict[tuple[int, int], _InFlight] = {}
        self._by_callback: dict[int, Memories] = {}
        self._by_object: dict[int, Memories] = {}
        self._by_fence: dict[int, Memories] = {}

    def of_target(self, call: CallMessage) -> Memories:
        """Return the replicas that a call uses through its target, without naming them."""
        return self._by_object.get(call.target, ()) if call.method.startswith(_RUNS) else ()

    def released(self, identifiers: Iterable[int]) -> list[Replica]:
        """End the uses by objects of the service that the client has released."""
        return [replica for identifier in identifiers for replica in self._by_object.pop(identifier, ())]

    def begin(self, channel: int, call: CallMessage, memories: Memories) -> None:
        """Begin the uses of a call that is about to be sent."""
        callback = _reference(call.arguments) if call.method in _NOTIFIED else 0
        if callback:
            self._by_callback[callback] = memories
        self._in_flight[channel, call.number] = _InFlight(call.method, memories, callback)

    def answered(self, channel: int, reply: Reply, fences: Sequence[int]) -> list[Replica]:
        """End the uses of a call by its reply, except those that callbacks, objects or active ``fences`` prolong."""
        ended = [replica for note in reply.notifications for replica in self.notified(note.target)]
        call = self._in_flight.pop((channel, reply.number), None)
        if call is None:
            return ended
        if call.callback:
            return ended + (self.notified(call.callback) if reply.status else [])
        if reply.status == 0 and call.method == _KEPT:
            self._by_object[_reference(reply.result)] = call.memories
            return ended
        if fences:
            self._by_fence[fences[0]] = call.memories
            return ended
        return [*ended, *call.memories]

    def notified(self, callback: int) -> list[Replica]:
        """End the uses of an asynchronous call whose callback was notified, or never will be."""
        return list(self._by_callback.pop(callback, ()))

    def settled(self, fence: int) -> list[Replica]:
        """End the uses of a fenced call whose fence has ended."""
        return list(self._by_fence.pop(fence, ()))

    def closed(self, channel: int) -> list[Replica]:
        """End the uses of all calls on a channel that has closed, since no reply can come."""
        calls = [self._in_flight.pop(key) for key in list(self._in_flight) if key[0] == channel]
        return [replica for call in calls if not call.callback for replica in call.memories]


def _reference(encoded: msgspec.Raw) -> int:
    """Return the id of the reference at the end of an encoded value; 0 if there is none."""
    end = bytes(encoded)[-10:]
    return int.from_bytes(end[2:], "little") if end.startswith(_REFERENCE) else 0
