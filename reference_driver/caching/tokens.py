"""Records of the caches that the driver has written, by token, kept in a file of its own.

:mod:`nnvet.reference_driver.caching.compilation_cache` compares cache files with these records before it uses them, so
that a file which was changed, or written under another token, is refused.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

from nnvet.driver_kit.blob_cache import STATE_VARIABLE, BlobCache

_KEPT: Final = 1024
"""Largest number of tokens in the file; beyond it the oldest one is dropped."""


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """Hash and size of a model cache, and of the plans that were added to the data cache (size 0: none)."""

    model_hash: bytes
    model_size: int
    plans_hash: bytes = b""
    plans_size: int = 0


def state_folder(device: str) -> Path:
    """Return the folder in which the driver of a device keeps data that outlives its process."""
    given = os.environ.get(STATE_VARIABLE)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return (Path(given) if given else Path(cache) / "nnvet") / device


class TokenMap:
    """Entries by token, in a :class:`nnvet.driver_kit.blob_cache.BlobCache`.

    ``stamp`` identifies the version of the driver; entries of other versions are dropped. A damaged file counts as
    empty.
    """

    def __init__(self, folder: Path, stamp: str) -> None:
        """Keep the map in ``folder``, which is made when it is first written to."""
        self._blobs = BlobCache(folder / "tokens", stamp, max_entries=_KEPT)

    def get(self, token: bytes) -> Entry | None:
        """Return the entry of a token."""
        return _decoded(self._blobs.get(token))

    def put(self, token: bytes, entry: Entry) -> None:
        """Store ``entry`` instead of the token's earlier entry.

        :raises OSError: the file cannot be written.
        """
        self._blobs.set(token, msgspec.msgpack.encode(entry))

    def amend(self, token: bytes, known: Entry, entry: Entry) -> bool:
        """Replace the entry ``known`` of a token by ``entry``; return False if the token has another entry by now.

        :raises OSError: if it cannot be written.
        """
        return self._blobs.replace(token, msgspec.msgpack.encode(known), msgspec.msgpack.encode(entry))

    def entries(self) -> dict[bytes, Entry]:
        """Return all entries, the oldest first."""
        decoded = {token: _decoded(value) for token, value in self._blobs.entries().items()}
        return {token: entry for token, entry in decoded.items() if entry is not None}


def _decoded(value: bytes | None) -> Entry | None:
    if value is None:
        return None
    try:
        return msgspec.msgpack.decode(value, type=Entry)
    except msgspec.DecodeError:
        return None
