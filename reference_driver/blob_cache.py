"""A driver's own cache of blobs: bytes by key, within limits, with eviction and a form on disk.

Source: sample driver sheet 7.2, with two faults mended: loading into a cache that is in use starts its total size
anew, and the flattened form has exactly the bytes that it needs.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, MutableSequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

HOST_BUILD_ID: Final = b"[HOST]"
"""Identifies the system's build where there is no property for it."""

_MAGIC: Final = (ord("_") << 24) + (ord("B") << 16) + (ord("b") << 8) + ord("$")
_VERSIONS: Final = (3, 1)
"""Of the form, and of the device."""
_ALIGNMENT: Final = 8
_HEADER: Final = struct.Struct("=3I4xQi")
_HEADER_SIZE: Final = 32
"""The build id begins at its offset 28, the entries behind header and build id."""
_ENTRY: Final = struct.Struct("=2Q")


class Select(Enum):
    """Which entry is evicted next."""

    RANDOM = "random"
    LRU = "least recently used"


class Capacity(Enum):
    """How far the cache is emptied when an entry does not fit: to half, until it fits, or to the lower of both."""

    HALVE = "halve"
    FIT = "fit"
    FIT_HALVE = "fit and halve"


@dataclass(frozen=True)
class Policy:
    """How entries are evicted."""

    select: Select = Select.RANDOM
    capacity: Capacity = Capacity.HALVE


@dataclass
class _Blob:
    value: bytes
    recency: int


class BlobCache:
    """Blobs by key; sizes are in bytes. Not for several threads at once."""

    def __init__(
        self,
        max_key_size: int,
        max_value_size: int,
        max_total_size: int,
        policy: Policy | None = None,
        *,
        build_id: bytes = HOST_BUILD_ID,
        choose: Callable[[int], int] = random.randrange,
    ) -> None:
        """Start empty. ``choose`` gives an index below its argument for random eviction."""
        self._limits = max_key_size, max_value_size, max_total_size
        self._policy = policy or Policy()
        self._build_id = build_id
        self._choose = choose
        self._blobs: dict[bytes, _Blob] = {}
        self._clock = 0
        self.total_size = 0

    def __len__(self) -> int:
        """Number of entries."""
        return len(self._blobs)

    def set(self, key: bytes, value: bytes) -> None:
        """Insert or replace; ignored if a limit does not allow it, an old value then stays."""
        max_key, max_value, max_total = self._limits
        size = len(key) + len(value)
        if not key or not value or len(key) > max_key or len(value) > max_value or size > max_total:
            return
        while self.total_size + size - self._size_of(key) > max_total:
            if not self._cleanable():
                return
            self._clean(size - self._size_of(key))
        self.total_size += size - self._size_of(key)
        self._clock += 1
        self._blobs[key] = _Blob(value, self._clock)

    def get(self, key: bytes, buffer: MutableSequence[int] | memoryview) -> int:
        """Size of the value, 0 without one; copies it to the start of ``buffer`` if it fits there."""
        return self.get_allocated(key, lambda size: buffer if size <= len(buffer) else None)

    def get_allocated(self, key: bytes, allocate: Callable[[int], MutableSequence[int] | memoryview | None]) -> int:
        """Size of the value, 0 without one; copies it into what ``allocate`` gives for that size, unless None."""
        blob = self._blobs.get(key)
        if blob is None:
            return 0
        buffer = allocate(len(blob.value))
        if buffer is not None:
            buffer[: len(blob.value)] = blob.value
            self._clock += 1
            blob.recency = self._clock
        return len(blob.value)

    def flatten(self) -> bytes:
        """All entries as bytes."""
        data = bytearray(_HEADER.pack(_MAGIC, *_VERSIONS, len(self._blobs), len(self._build_id)))
        data += self._build_id
        data += bytes(self._entries_offset() - len(data))
        for key in self._ordered():
            value = self._blobs[key].value
            data += _ENTRY.pack(len(key), len(value)) + key + value
            data += bytes(-len(data) % _ALIGNMENT)
        return bytes(data)

    def unflatten(self, data: bytes) -> None:
        """Replace all entries by those that were flattened, as far as the limits allow.

        What another version or build of the system wrote leaves the cache empty.

        :raises ValueError: bytes that were not flattened, or not all of them; the cache is empty then.
        """
        self._clear()
        if len(data) < _HEADER_SIZE:
            raise ValueError(f"a blob cache has a header of {_HEADER_SIZE} bytes, this has {len(data)} in all")
        magic, *versions, count, length = _HEADER.unpack_from(data)
        if magic != _MAGIC:
            raise ValueError(f"a blob cache begins with {_MAGIC:#x}, not with {magic:#x}")
        start = _HEADER.size
        if tuple(versions) != _VERSIONS or (length, data[start : start + length]) != (
            len(self._build_id),
            self._build_id,
        ):
            return
        offset = self._entries_offset()
        for index in range(count):
            try:
                key_size, value_size = _ENTRY.unpack_from(data, offset)
            except struct.error:
                key_size = value_size = len(data)
            offset += _ENTRY.size
            end = offset + key_size + value_size
            if end > len(data):
                self._clear()
                raise ValueError(f"entry {index} of {count} of a blob cache is cut off")
            self.set(data[offset : offset + key_size], data[offset + key_size : end])
            offset = end + -end % _ALIGNMENT

    def _clear(self) -> None:
        self._blobs.clear()
        self.total_size = 0

    def _entries_offset(self) -> int:
        end = _HEADER_SIZE + len(self._build_id)
        return end + -end % _ALIGNMENT

    def _ordered(self) -> list[bytes]:
        return sorted(self._blobs, key=lambda key: (len(key), key))

    def _size_of(self, key: bytes) -> int:
        """Size of an entry, 0 if there is none."""
        return len(key) + len(self._blobs[key].value) if key in self._blobs else 0

    def _cleanable(self) -> bool:
        least = self._limits[2] // 2 if self._policy.capacity is Capacity.HALVE else 0
        return self.total_size > least

    def _clean(self, growth: int) -> None:
        """Evict until the policy is content; ``growth`` is by how much the new entry exceeds what it replaces."""
        total = self._limits[2]
        half, fit = total // 2, total - growth
        target = {Capacity.HALVE: half, Capacity.FIT: fit, Capacity.FIT_HALVE: min(half, fit)}[self._policy.capacity]
        while self.total_size > target:
            victim = self._victim()
            self.total_size -= self._size_of(victim)
            del self._blobs[victim]

    def _victim(self) -> bytes:
        if self._policy.select is Select.LRU:
            return min(self._blobs, key=lambda key: self._blobs[key].recency)
        return self._ordered()[self._choose(len(self._blobs))]
