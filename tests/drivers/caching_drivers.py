"""Drivers whose caching is lawful and unusual, or that replace their cache files by pipes, links, folders or more."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nnvet.hal.errors import failure
from nnvet.hal.interfaces import Device
from nnvet.hal.types import (
    MappableFile,
    Model,
    NumberOfCacheFiles,
    PrepareModelConfig,
)
from nnvet.reference_driver.caching import CompilationCache, content
from nnvet.reference_driver.caching.compilation_cache import Build
from nnvet.reference_driver.caching.content import digest
from nnvet.reference_driver.device import VARIANTS, ReferenceDevice
from nnvet.reference_driver.prepared import ReferencePreparedModel


def _device(cache: type[CompilationCache]) -> Device:
    device = ReferenceDevice(VARIANTS[""])
    device.cache = cache(device.name, device.version, device.extensions)
    return device


class _None(CompilationCache):
    """No caching."""

    files_needed = NumberOfCacheFiles()

    def compile(self, model: Model, config: PrepareModelConfig, build: Build) -> ReferencePreparedModel:
        """Ignore all files."""
        return build(model, config)

    def load(self, *_: object) -> ReferencePreparedModel:
        """Nothing is there."""
        raise failure("no caching", "cache/unsupported")


def no_caching() -> Device:
    """Does not cache, as it has every right to."""
    return _device(_None)


class _NeverStores(CompilationCache):
    def is_wanted(self, config: PrepareModelConfig) -> bool:
        """Never."""
        del config
        return False


def never_stores() -> Device:
    """Asks for files and stores nothing, as it may for any model."""
    return _device(_NeverStores)


class _ModelFilesOnly(CompilationCache):
    """Two files for an ordinary cache, and a third one with the hashes of both."""

    files_needed = NumberOfCacheFiles(num_model_cache=3)

    def __init__(self, *arguments: Any) -> None:
        """Make the ordinary cache."""
        super().__init__(*arguments)
        self._inner = CompilationCache(*arguments)

    def compile(self, model: Model, config: PrepareModelConfig, build: Build) -> ReferencePreparedModel:
        """Save in two files, and describe their contents in the third."""
        if not self.is_wanted(config):
            return build(model, config)
        first, second, third = config.model_cache
        two = PrepareModelConfig(model_cache=(first,), data_cache=(second,), cache_token=config.cache_token)
        prepared = self._inner.compile(model, two, build)
        prepared.executed = None
        content.overwrite(third.handle.fd, _hashes(first, second))
        return prepared

    def load(
        self, model_cache: Sequence[MappableFile], data_cache: Sequence[MappableFile], token: bytes, build: Build
    ) -> ReferencePreparedModel:
        """Compare before anything else."""
        self.check(model_cache, data_cache, token)
        first, second, third = model_cache
        if content.read_at(third.handle.fd, content.file_size(third.handle.fd)) != _hashes(first, second):
            raise failure("the model cache is not what was saved", "cache/tampered_model_cache")
        prepared = self._inner.load((first,), (second,), token, build)
        prepared.executed = None
        return prepared


def _hashes(*some: MappableFile) -> bytes:
    descriptors = [file.handle.fd for file in some]
    return b"".join(digest(content.read_at(fd, content.file_size(fd))) for fd in descriptors)


def model_files_only() -> Device:
    """Caches in three model cache files and no data cache."""
    return _device(_ModelFilesOnly)


class _ReplacesFiles(CompilationCache):
    """Puts something else at the paths of its files as soon as it has saved a model."""

    put: Callable[[Path], object]

    def save(self, prepared: ReferencePreparedModel, model: Model, config: PrepareModelConfig) -> None:
        """Save, find out the paths, and be a nuisance."""
        super().save(prepared, model, config)
        for file in (*config.model_cache, *config.data_cache):
            path = Path(f"/proc/self/fd/{file.handle.fd}").readlink()
            path.unlink()
            type(self).put(path)


def _replacing(put: Callable[[Path], object]) -> Callable[[], Device]:
    return lambda: _device(type("Replaces", (_ReplacesFiles,), {"put": staticmethod(put)}))


def _enlarge(path: Path) -> None:
    path.touch()
    os.truncate(path, 4 << 40)


puts_pipes = _replacing(os.mkfifo)
puts_links = _replacing(lambda path: path.symlink_to("/dev/zero"))
puts_folders = _replacing(Path.mkdir)
puts_huge_files = _replacing(_enlarge)
puts_nothing = _replacing(lambda _: None)
