"""The driver's own memory of what it wrote under which token; on disk, so that it survives a restart."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

STATE_VARIABLE: Final = "NNVET_DRIVER_STATE"
"""Environment variable with the folder for what drivers keep; by default ``nnvet`` in the user's cache folder."""

_KEPT: Final = 1024
"""Tokens remembered; beyond them the oldest is forgotten."""


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """Hash and size of a model cache, and of the plans that were added to the data cache (size 0: none)."""

    model_hash: bytes
    model_size: int
    plans_hash: bytes = b""
    plans_size: int = 0


class _State(msgspec.Struct, array_like=True):
    stamp: str
    entries: dict[bytes, Entry]


def state_folder(device: str) -> Path:
    """Where the driver of a device keeps what outlives its process."""
    given = os.environ.get(STATE_VARIABLE)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return (Path(given) if given else Path(cache) / "nnvet") / device


class TokenMap:
    """Entries by token, in one file that is replaced as a whole.

    ``stamp`` tells the version of the driver: what another version wrote is forgotten. A damaged file is an empty one.
    """

    def __init__(self, folder: Path, stamp: str) -> None:
        """Keep the map in ``folder``, which is made when it is first written to."""
        self._folder = folder
        self._path = folder / "tokens"
        self._stamp = stamp

    def get(self, token: bytes) -> Entry | None:
        """What is known of a token."""
        return self.entries().get(token)

    def put(self, token: bytes, entry: Entry) -> None:
        """Remember ``entry`` in place of whatever was known of the token.

        :raises OSError: if it cannot be written.
        """
        with self._locked():
            self._write(token, entry, self.entries())

    def amend(self, token: bytes, known: Entry, entry: Entry) -> bool:
        """Remember ``entry`` if ``known`` is what is still known; returns whether it was.

        :raises OSError: if it cannot be written.
        """
        with self._locked():
            entries = self.entries()
            if entries.get(token) != known:
                return False
            self._write(token, entry, entries)
            return True

    def entries(self) -> dict[bytes, Entry]:
        """All that is known, oldest first."""
        try:
            state = msgspec.msgpack.decode(self._path.read_bytes(), type=_State)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}
        return state.entries if state.stamp == self._stamp else {}

    def _write(self, token: bytes, entry: Entry, entries: dict[bytes, Entry]) -> None:
        entries.pop(token, None)
        entries[token] = entry
        while len(entries) > _KEPT:
            del entries[next(iter(entries))]
        # Nobody else writes: the lock is ours. What an error leaves there is written over the next time.
        new = self._path.with_suffix(".new")
        new.touch(0o600)
        new.write_bytes(msgspec.msgpack.encode(_State(self._stamp, entries)))
        new.replace(self._path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep all other writers out, in this process and in others."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self._folder / "tokens.lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
