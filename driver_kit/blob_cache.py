"""A persistent cache from keys to bytes, for data that a driver keeps: compiled kernels, tuning results, hashes.

It corresponds to NNAPI's ``nnCache``, and is independent of the caching interface of the HAL: the driver owns the file,
and clients do not see it. Source: docs/contract/sample-driver.md 7.2 and 7.3.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from zlib import crc32

import msgspec

STATE_VARIABLE: Final = "NNVET_DRIVER_STATE"
"""Environment variable with the folder for drivers' own files; by default ``nnvet`` in the user's cache folder."""

_MAGIC: Final = b"nn$$"
"""First bytes of the file, by which a foreign one is recognised."""
_CHECKSUM_BYTES: Final = 4
"""Length of the CRC-32 behind them, by which a damaged file is recognised."""


class _Stored(msgspec.Struct, array_like=True):
    version: str
    entries: dict[bytes, bytes]


class BlobCache:
    """Values by key, in one file that is replaced as a whole. Several threads and processes may share it.

    Every :meth:`set` is on disk when it returns. Entries of another ``version`` of the driver are ignored. A file that
    is missing, damaged in any byte, or far larger than the limits counts as empty.
    """

    def __init__(
        self,
        path: Path,
        version: str = "",
        *,
        max_key: int = 4096,
        max_value: int = 2**19,
        max_total: int = 2**21,
        max_entries: int | None = None,
    ) -> None:
        """Keep the cache in the file ``path``, which the first write creates together with its folder.

        Sizes are in bytes; ``max_total`` limits keys and values together. Beyond it, or beyond ``max_entries``, the
        least recently used entries are dropped.

        :raises ValueError: a limit is not above 0.
        """
        if min(max_key, max_value, max_total, max_entries or 1) <= 0:
            raise ValueError("limits of a blob cache are above 0")
        self._path = path
        self._version = version
        self._max_key, self._max_value = max_key, max_value
        self._max_total, self._max_entries = max_total, max_entries
        # Reading does not write. Uses are remembered here, and change the order of eviction at the next write.
        self._used: dict[bytes, None] = {}

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key; None if it has none."""
        value = self.entries().get(key)
        if value is not None:
            self._used.pop(key, None)
            self._used[key] = None
        return value

    def set(self, key: bytes, value: bytes) -> bool:
        """Replace the value of a key; return True if the new value is kept.

        An empty value, or one larger than the limits, is not kept, and the old value stays.

        :raises OSError: the file cannot be written.
        """
        if not self._fits(key, value):
            return False
        with self._locked():
            self._write(key, value)
        return True

    def replace(self, key: bytes, known: bytes, value: bytes) -> bool:
        """Do :meth:`set` if the key still has the value ``known``; return True if the new value is kept.

        :raises OSError: the file cannot be written.
        """
        if not self._fits(key, value):
            return False
        with self._locked():
            if self.entries().get(key) != known:
                return False
            self._write(key, value)
        return True

    def entries(self) -> dict[bytes, bytes]:
        """Return all values by key, the least recently written or used first."""
        try:
            if self._path.stat().st_size > self._largest_file:
                return {}
            content = self._path.read_bytes()
        except OSError:
            return {}
        start = len(_MAGIC) + _CHECKSUM_BYTES
        payload = content[start:]
        if content[:start] != _header(payload):
            return {}
        try:
            stored = msgspec.msgpack.decode(payload, type=_Stored)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return {}
        return stored.entries if stored.version == self._version else {}

    @property
    def _largest_file(self) -> int:
        # Another process may have larger limits, but a file far beyond ours is not read into memory.
        return 2 * self._max_total + 2**20

    def _fits(self, key: bytes, value: bytes) -> bool:
        if not key or not value or len(key) > self._max_key or len(value) > self._max_value:
            return False
        return len(key) + len(value) <= self._max_total

    def _write(self, key: bytes, value: bytes) -> None:
        entries = self.entries()
        used, self._used = self._used, {}
        for name in used:
            if name in entries:
                entries[name] = entries.pop(name)
        entries.pop(key, None)
        entries[key] = value
        total = sum(len(entry) + len(entries[entry]) for entry in entries)
        for oldest in list(entries):
            if total <= self._max_total and len(entries) <= (self._max_entries or len(entries)):
                break
            total -= len(oldest) + len(entries.pop(oldest))
        payload = msgspec.msgpack.encode(_Stored(self._version, entries))
        # We hold the lock, so nobody else writes. A file that an error leaves behind is overwritten the next time.
        new = self._path.with_name(f"{self._path.name}.new")
        new.touch(0o600)
        new.write_bytes(_header(payload) + payload)
        new.replace(self._path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Exclude all other writers, in this process and in others."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._path.with_name(f"{self._path.name}.lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _header(payload: bytes) -> bytes:
    return _MAGIC + crc32(payload).to_bytes(_CHECKSUM_BYTES, "little")
