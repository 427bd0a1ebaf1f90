"""Replicas: copies, on the machine of a remote driver, of the shared memory in which models and requests have data.

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

from nnvet.adapters.remote.messages import CHUNK, U8, U64, EntryKind, MessageKind, pack
from nnvet.hal.types import Handle, OwnedHandle
from nnvet.transport.wire.codec import EXT_OBJECT, CallMessage, Reply
from nnvet.transport.wire.framing import WireError

_BLOCK: Final = CHUNK
"""Memory is compared in blocks of this many bytes."""
_ZEROS: Final = bytes(_BLOCK)
_GAP: Final = 8
"""Up to this many equal bytes between two changes are sent along, since a message of their own costs more."""
_MOST_IDLE: Final = 64
_MOST_IDLE_BYTES: Final = 256 << 20
"""Limits, in number and bytes, up to which replicas stay that no call uses; those unused for longest go first."""
_ACCESS: Final = {
    os.O_RDWR: EntryKind.MEMORY,
    os.O_RDONLY: EntryKind.READ_ONLY,
    os.O_WRONLY: EntryKind.WRITE_ONLY,
}
"""Kinds of entries by the access mode of a descriptor: the driver's descriptor must not allow more than ours."""


_LONGEST_FILE: Final = 1 << 30
"""Bytes up to which a driver on another machine may let a file grow: all of it is kept here, too."""

LEAST_CONTENT: Final = 1 << 12
"""Shorter runs of bytes, in bytes, are sent each time; keeping them would cost more than it saves."""
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
            messages.append(pack(MessageKind.FORGET, *U64.unpack_from(reference)))
        self._last += 1
        # The agent compares the sum: a wrong reference must not become a wrong constant.
        reference = U64.pack(self._last) + zlib.crc32(data).to_bytes(4, "little")
        self._kept[digest] = reference, len(data)
        self._held += len(data)
        return reference, [*messages, pack(MessageKind.KEEP, self._last, data)]


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
        self._is_pool = bool(_read_seals(handle.fd) & fcntl.F_SEAL_SHRINK)
        self._known: dict[int, bytes] = {}
        self._seals = 0
        self._lock = threading.Lock()
        self.is_new = True

    def changes(self, contents: Contents) -> Iterator[bytes]:
        """Yield the messages that bring the replica up to date; ``contents`` has the bytes that the agent keeps."""
        fd = self._handle.fd
        with self._lock:
            size, find_runs = os.fstat(fd).st_size, _find_runs
            if self.is_new:
                self.is_new, find_runs = False, _find_content
                yield pack(MessageKind.MEMORY, self.id, U64.pack(size))
            elif size != self.size:
                yield pack(MessageKind.RESIZE, self.id, U64.pack(size))
            self._cut(size)
            for block in self._blocks(size):
                offset = block * _BLOCK
                now = os.pread(fd, min(_BLOCK, size - offset), offset)
                before = self._get_known(block, len(now))
                if now != before:
                    for start, end in find_runs(now, before):
                        yield from self._make_range(contents, offset + start, now[start:end])
                    self._known[block] = now
            seals = _read_seals(fd)
            if seals != self._seals:
                self._seals = seals
                yield pack(MessageKind.SEAL, self.id, seals.to_bytes(4, "little"))

    def _make_range(self, contents: Contents, offset: int, data: bytes) -> Iterator[bytes]:
        """Yield the messages for a run of bytes: the bytes, or a reference to bytes that the agent keeps."""
        if len(data) < LEAST_CONTENT:
            yield pack(MessageKind.RANGE, self.id, U64.pack(offset) + data)
            return
        reference, first = contents.refer(data)
        yield from first
        yield pack(MessageKind.PASTE, self.id, U64.pack(offset) + reference)

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
                before = self._get_known(block, max(len(self._known.get(block, b"")), start + len(part)))
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

    def _get_known(self, block: int, size: int) -> bytes:
        """Return the content of a block that the other end has; unknown bytes are 0, as in new memory."""
        before = self._known.get(block, b"")
        return before if len(before) == size else before[:size].ljust(size, b"\0")

    def _cut(self, size: int) -> None:
        """Forget the content behind a new size, since memory that grows again has zeros there."""
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


def _find_runs(now: bytes, before: bytes) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each run of differing bytes."""
    differing = np.flatnonzero(np.frombuffer(now, np.uint8) != np.frombuffer(before, np.uint8))
    breaks = np.flatnonzero(np.diff(differing) > _GAP)
    for run in np.split(differing, breaks + 1):
        yield int(run[0]), int(run[-1]) + 1


def _find_content(now: bytes, before: bytes) -> Iterator[tuple[int, int]]:
    """Yield begin and end of the part of new memory that is not 0.

    One run is enough, since the driver cannot have written into a memory that it does not know yet.
    """
    del before
    end = len(now.rstrip(b"\0"))
    yield end - len(now[:end].lstrip(b"\0")), end


def _reopen(handle: Handle) -> OwnedHandle:
    """Return a descriptor of our own for the same memory, writable if its owner permits that."""
    with suppress(OSError):
        return OwnedHandle(os.open(f"/proc/self/fd/{handle.fd}", os.O_RDWR | os.O_CLOEXEC))
    return OwnedHandle(os.dup(handle.fd))


def _read_seals(fd: int) -> int:
    """Return the seals of a memory file; none for other files."""
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
        """Expect the driver to change the replicas, until :meth:`leave` has been called as often; return messages."""
        begun = [replica for replica in replicas if _count(replica, 1) == 1]
        for replica in begun:
            self._held -= self._idle.pop(replica.id, 0)
        return _watch(begun, on=True)

    def leave(self, replicas: Iterable[Replica]) -> list[bytes]:
        """End one use of each replica, and return the messages about that."""
        ended = [replica for replica in replicas if _count(replica, -1) == 0]
        for replica in ended:
            self._set_aside(replica)
        return _watch(ended, on=False) + self._drop_idle()

    def in_use(self) -> list[Replica]:
        """Return the replicas that the driver may be reading or writing."""
        return [replica for replica in self._by_id.values() if replica.users]

    def _set_aside(self, replica: Replica) -> None:
        self._idle[replica.id] = replica.size
        self._held += replica.size

    def _drop_idle(self) -> list[bytes]:
        """Drop the oldest unused replicas beyond the limits, and return the messages about that."""
        messages = []
        while len(self._idle) > _MOST_IDLE or (self._held > _MOST_IDLE_BYTES and self._idle):
            identifier, size = self._idle.popitem(last=False)
            replica = self._by_id.pop(identifier)
            del self._by_file[replica.key]
            self._held -= size
            replica.forget()
            messages.append(pack(MessageKind.DROP, identifier))
        return messages


def _count(replica: Replica, step: int) -> int:
    """Change the number of a replica's users, and return it."""
    replica.users += step
    return replica.users


def _watch(replicas: list[Replica], *, on: bool) -> list[bytes]:
    """Return the message that makes the agent begin or stop to look for changes of the replicas."""
    if not replicas:
        return []
    return [pack(MessageKind.WATCH, body=U8.pack(on) + b"".join(U64.pack(replica.id) for replica in replicas))]


_REFERENCE: Final = bytes([0xD7, EXT_OBJECT])
"""The first bytes of an object reference in msgpack; the id follows."""
_NOTIFIED: Final = ("PreparedModel.execute", "Device.prepare_model", "Device.prepare_model_from_cache")
"""Calls that end when the callback, their last argument, is notified."""
_KEPT: Final = "PreparedModel.create_reusable_execution"
"""The call that creates an object which uses the call's memory until it is released."""
_RUNS: Final = "Execution."
"""Beginning of the names of calls on such an object."""

Memories = Sequence[Replica]


class _InFlight(msgspec.Struct, frozen=True):
    """A call without a reply yet; ``callback`` is the id of its callback, 0 if it has none."""

    method: str
    memories: Memories
    callback: int


class Uses:
    """Memory in use by one session, for :mod:`nnvet.adapters.remote.carrier`. Not thread-safe.

    The methods ``end_by_…`` return the replicas whose use has ended.
    """

    def __init__(self) -> None:
        """Start with nothing in use."""
        self._in_flight: dict[tuple[int, int], _InFlight] = {}
        self._by_callback: dict[int, Memories] = {}
        self._by_object: dict[int, Memories] = {}
        self._by_fence: dict[int, Memories] = {}

    def find_by_target(self, call: CallMessage) -> Memories:
        """Return the replicas that a call uses through its target, without naming them."""
        return self._by_object.get(call.target, ()) if call.method.startswith(_RUNS) else ()

    def end_by_release(self, identifiers: Iterable[int]) -> list[Replica]:
        """End the uses by objects of the service that the client has released."""
        return [replica for identifier in identifiers for replica in self._by_object.pop(identifier, ())]

    def begin(self, channel: int, call: CallMessage, memories: Memories) -> None:
        """Begin the uses of a call that is about to be sent."""
        callback = _read_reference(call.arguments) if call.method in _NOTIFIED else 0
        if callback:
            self._by_callback[callback] = memories
        self._in_flight[channel, call.number] = _InFlight(call.method, memories, callback)

    def end_by_reply(self, channel: int, reply: Reply, fences: Sequence[int]) -> list[Replica]:
        """End the uses of a call by its reply, except those that callbacks, objects or active ``fences`` prolong."""
        ended = [replica for note in reply.notifications for replica in self.end_by_notification(note.target)]
        call = self._in_flight.pop((channel, reply.number), None)
        if call is None:
            return ended
        if call.callback:
            # If the call itself fails, no notification needs to come.
            return ended + (self.end_by_notification(call.callback) if reply.status else [])
        if reply.status == 0 and call.method == _KEPT:
            self._by_object[_read_reference(reply.result)] = call.memories
            return ended
        if fences:
            self._by_fence[fences[0]] = call.memories
            return ended
        return [*ended, *call.memories]

    def end_by_notification(self, callback: int) -> list[Replica]:
        """End the uses of an asynchronous call whose callback was notified, or never will be."""
        return list(self._by_callback.pop(callback, ()))

    def end_by_fence(self, fence: int) -> list[Replica]:
        """End the uses of a fenced call whose fence has ended."""
        return list(self._by_fence.pop(fence, ()))

    def end_by_closing(self, channel: int) -> list[Replica]:
        """End the uses of all calls on a channel that has closed, since no reply can come."""
        calls = [self._in_flight.pop(key) for key in list(self._in_flight) if key[0] == channel]
        return [replica for call in calls if not call.callback for replica in call.memories]


def _read_reference(encoded: msgspec.Raw) -> int:
    """Return the id of the reference at the end of an encoded value; 0 if there is none."""
    end = bytes(encoded)[-10:]
    return int.from_bytes(end[2:], "little") if end.startswith(_REFERENCE) else 0
