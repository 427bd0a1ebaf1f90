"""Compilation caching: the driver's token, and its files in a folder or by descriptors (sample-driver.md 7.1)."""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nnvet.adapters.nnapi.exported.devices import ExportedDevice
from nnvet.hal.memory import Handle, MappableFile, OwnedHandle

_OWNER_ONLY: Final = 0o600


@dataclass(frozen=True)
class Hint:
    """An attribute of an extension that a client has set."""

    extension: str
    code: int
    value: bytes


@dataclass(frozen=True)
class OpenCacheFiles:
    """Files of one compilation, open."""

    token: bytes
    models: tuple[MappableFile, ...]
    data: tuple[MappableFile, ...]


@dataclass(frozen=True)
class Folder:
    """A client's folder for the files of one application's token."""

    path: str
    token: bytes

    @contextmanager
    def opened(self, device: ExportedDevice, token: bytes, *, create: bool) -> Iterator[OpenCacheFiles | None]:
        """The files that ``device`` needs for its own ``token``, as long as the block runs.

        None if it needs none, or one is not there and cannot be created.
        """
        needed = device.driver.get_number_of_cache_files_needed()
        counts = (needed.num_model_cache, needed.num_data_cache)
        with ExitStack() as stack:
            try:
                files = [self._open(f"{token.hex()}{index}", stack, create=create) for index in range(sum(counts))]
            except OSError:
                files = []
            if not files:
                yield None
                return
            yield OpenCacheFiles(token, tuple(files[: counts[0]]), tuple(files[counts[0] :]))

    def _open(self, name: str, stack: ExitStack, *, create: bool) -> MappableFile:
        flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        handle = OwnedHandle(os.open(Path(self.path) / name, flags, _OWNER_ONLY))
        stack.callback(handle.close)
        return MappableFile(handle, os.fstat(handle.fd).st_size)


@dataclass(frozen=True)
class Descriptors:
    """Files that a client of the support library has opened; they are ours to close."""

    models: tuple[Handle, ...]
    data: tuple[Handle, ...]
    token: bytes

    @contextmanager
    def opened(self, device: ExportedDevice, token: bytes, *, create: bool) -> Iterator[OpenCacheFiles | None]:
        """As :meth:`Folder.opened`; None if their number is not the one that the device needs."""
        del token, create
        needed = device.driver.get_number_of_cache_files_needed()
        fits = (len(self.models), len(self.data)) == (needed.num_model_cache, needed.num_data_cache)
        yield (
            OpenCacheFiles(self.token, _files(self.models), _files(self.data))
            if fits and self.models + self.data
            else None
        )


def _files(handles: Sequence[Handle]) -> tuple[MappableFile, ...]:
    return tuple(MappableFile(handle, os.fstat(handle.fd).st_size) for handle in handles)


def driver_token(token: bytes, name: str, version: str, preference: int, priority: int, hints: Sequence[Hint]) -> bytes:
    """The token that a driver gets: 32 bytes that differ whenever any of these does. ``priority`` is the C API's."""
    digest = hashlib.sha256(token)
    digest.update(name.encode())
    digest.update(version.encode())
    digest.update(struct.pack("=ii", preference, priority))
    for hint in sorted(hints, key=lambda given: (given.extension, given.code)):
        digest.update(hint.extension.encode())
        digest.update(struct.pack("=H", hint.code))
        digest.update(hint.value)
    return digest.digest()
