"""A :class:`BlobCache` that is kept in a file: loaded when first used, saved a while after it has changed.

Source: sample driver sheet 7.3, with one fault mended: a file too short for its header is an empty cache.
"""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Callable, MutableSequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from nnvet.reference_driver.blob_cache import BlobCache, Policy

SAVE_DELAY_S: Final = 4.0
"""From the first change since the last save to the next one."""

_MAGIC: Final = b"nn$$"
_HEADER: Final = struct.Struct("=4sI")
_POLYNOMIAL: Final = 0x82F63B78
_OWNER_READS: Final = 0o400

Schedule = Callable[[float, Callable[[], None]], None]
"""Runs a function once, so many seconds from now."""


@dataclass(frozen=True)
class _Settings:
    max_key_size: int
    max_value_size: int
    max_total_size: int
    policy: Policy


def on_a_thread(delay_s: float, function: Callable[[], None]) -> None:
    """Run ``function`` later, on a thread that does not keep the process alive."""
    timer = threading.Timer(delay_s, function)
    timer.daemon = True
    timer.start()


class NNCache:
    """Any number of threads may call. Until :meth:`initialize` nothing is kept."""

    def __init__(self, schedule: Schedule = on_a_thread) -> None:
        """Have ``schedule`` save."""
        self._schedule = schedule
        self._lock = threading.Lock()
        self._settings: _Settings | None = None
        self._path: Path | None = None
        self._blobs: BlobCache | None = None
        self._save_pending = False

    def initialize(
        self, max_key_size: int, max_value_size: int, max_total_size: int, policy: Policy | None = None
    ) -> None:
        """Begin to keep blobs within these limits, in bytes."""
        self.terminate()
        with self._lock:
            self._settings = _Settings(max_key_size, max_value_size, max_total_size, policy or Policy())

    def set_cache_filename(self, path: Path | None) -> None:
        """Load from this file when first used, and save there; None for neither."""
        with self._lock:
            self._path = path

    def set_blob(self, key: bytes, value: bytes) -> None:
        """See :meth:`BlobCache.set`; the file is saved SAVE_DELAY_S after the first call since the last save."""
        with self._lock:
            blobs = self._used()
            if blobs is None:
                return
            blobs.set(key, value)
            if not self._save_pending:
                self._save_pending = True
                self._schedule(SAVE_DELAY_S, self._save_later)

    def get_blob(self, key: bytes, buffer: MutableSequence[int] | memoryview) -> int:
        """See :meth:`BlobCache.get`."""
        with self._lock:
            blobs = self._used()
            return blobs.get(key, buffer) if blobs is not None else 0

    def get_blob_allocated(
        self, key: bytes, allocate: Callable[[int], MutableSequence[int] | memoryview | None]
    ) -> int:
        """See :meth:`BlobCache.get_allocated`."""
        with self._lock:
            blobs = self._used()
            return blobs.get_allocated(key, allocate) if blobs is not None else 0

    def get_blob_bytes(self, key: bytes) -> bytes | None:
        """A copy of the value, None without one."""
        copy = bytearray()

        def grown(size: int) -> bytearray:
            copy.extend(bytes(size))
            return copy

        return bytes(copy) if self.get_blob_allocated(key, grown) else None

    def terminate(self) -> None:
        """Save, and keep nothing until the next :meth:`initialize`."""
        with self._lock:
            self._save()
            self._blobs = None
            self._settings = None

    def _used(self) -> BlobCache | None:
        """The blobs, loaded if that has not been done; None before initialisation."""
        settings = self._settings
        if self._blobs is None and settings is not None:
            self._blobs = BlobCache(
                settings.max_key_size, settings.max_value_size, settings.max_total_size, settings.policy
            )
            if self._path is not None:
                load(self._blobs, self._path, 2 * settings.max_total_size)
        return self._blobs

    def _save_later(self) -> None:
        with self._lock:
            self._save()

    def _save(self) -> None:
        self._save_pending = False
        if self._blobs is not None and self._path is not None:
            save(self._blobs, self._path)


@cache
def nn_cache() -> NNCache:
    """The one of this process."""
    return NNCache()


def save(blobs: BlobCache, path: Path) -> None:
    """Write a file that its owner may read; none is left behind if that fails."""
    payload = blobs.flatten()
    data = _HEADER.pack(_MAGIC, crc32c(payload)) + payload
    try:
        path.unlink(missing_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0)
    except OSError:
        return
    try:
        if os.write(fd, data) == len(data):
            os.fchmod(fd, _OWNER_READS)
            return
    except OSError:
        # As after a short write: half a file is of no use.
        pass
    finally:
        os.close(fd)
    with suppress(OSError):
        path.unlink()


def load(blobs: BlobCache, path: Path, max_size: int) -> None:
    """Fill ``blobs`` from a file; it stays empty if there is none, or one that is too large or damaged."""
    try:
        if path.stat().st_size > max_size:
            return
        data = path.read_bytes()
        if len(data) < _HEADER.size:
            return
        magic, crc = _HEADER.unpack_from(data)
        payload = data[_HEADER.size :]
        if magic == _MAGIC and crc == crc32c(payload):
            blobs.unflatten(payload)
    except (OSError, ValueError):
        return


@cache
def _crc_table() -> tuple[int, ...]:
    table = []
    for value in range(256):
        remainder = value
        for _ in range(8):
            remainder = remainder >> 1 ^ (_POLYNOMIAL if remainder & 1 else 0)
        table.append(remainder)
    return tuple(table)


def crc32c(data: bytes) -> int:
    """Reflected CRC-32C that starts from 0 and is not inverted at the end."""
    table, crc = _crc_table(), 0
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    return crc
