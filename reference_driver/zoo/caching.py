"""Planted bugs of compilation caching within one version of a driver; most are cache classes with one changed method.

:mod:`nnvet.reference_driver.zoo.caching_lifecycle` has the bugs that need several models, attempts or versions.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.interfaces import Device, PreparedModelCallback
from nnvet.hal.types import ErrorStatus, MappableFile, Model, PrepareModelConfig
from nnvet.reference_driver.caching import CompilationCache
from nnvet.reference_driver.caching import content as files
from nnvet.reference_driver.caching.compilation_cache import Build, JustInTimeUpdate
from nnvet.reference_driver.caching.content import StoredModel, decode, digest, encode
from nnvet.reference_driver.caching.tokens import Entry, TokenMap, state_folder
from nnvet.reference_driver.compiled import CompiledModel
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice
from nnvet.reference_driver.zoo.registry import bug

_CACHING = "CompilationCachingTest/"
"""Suite of caching."""
_SECURITY = "CompilationCachingSecurityTest/"
"""Suite of damaged caches."""
_WRONG_COUNTS = (f"{_CACHING}SaveToCacheInvalidNumCache/*", f"{_CACHING}PrepareModelFromCacheInvalidNumCache/*")
"""Cases with too few or too many cache files."""
_NO_DESCRIPTOR = (f"{_CACHING}SaveToCacheInvalidNumFd/*", f"{_CACHING}PrepareModelFromCacheInvalidNumFd/*")
"""Cases with a handle that has no descriptor, or several."""
_DAMAGED = (
    f"{_CACHING}ReplaceSecuritySensitiveCache/*",
    f"{_SECURITY}CorruptedModelCache/*",
    f"{_SECURITY}WrongLengthModelCache/*",
    f"{_SECURITY}TruncatedModelCache/*",
)
"""Cases with cache files that were changed."""
_GLANCES = 10
"""Number of looks at a file, a pause apart, by drivers that read it twice."""
_PAUSE_S = 0.001
"""Pause between looks of a driver that reads a file twice, as if it had much to do in between."""


def with_cache(cache: type[CompilationCache]) -> Device:
    """Make the full driver with a cache of another class."""
    device = FullDevice()
    device.cache = cache(device.name, device.version, device.extensions)
    return device


class _FromMemory(CompilationCache):
    """A cache that keeps models in memory, by token."""

    def hash_of(self, content: bytes, fd: int) -> bytes:
        """Remember the content by its hash."""
        self.__dict__.setdefault("kept", {})[digest(content)] = content
        return super().hash_of(content, fd)

    def verified(self, fd: int, token: bytes) -> tuple[Entry, StoredModel]:
        """Return the entry that was saved last, whatever the file holds."""
        del fd
        entry = self.tokens.get(token)
        if entry is None or entry.model_hash not in self.__dict__.get("kept", {}):
            raise failure("nothing was saved under this token", "cache/token")
        return entry, decode(self.__dict__["kept"][entry.model_hash])


@bug(
    "cache-from-memory",
    "Prepares what it saved last under the token, whatever the model cache file holds now.",
    rules=("cache/tampered_model_cache",),
    breaks=(*_DAMAGED, f"{_CACHING}RetrievalAfterRestart"),
)
def cache_from_memory() -> Device:
    """Prepare from memory instead of from the file."""
    return with_cache(_FromMemory)


class _TailIgnored(CompilationCache):
    def verified(self, fd: int, token: bytes) -> tuple[Entry, StoredModel]:
        """Cut off appended bytes before the check."""
        entry = self.tokens.get(token)
        if entry is not None and files.file_size(fd) > entry.model_size:
            os.ftruncate(fd, entry.model_size)
        return super().verified(fd, token)


@bug(
    "cache-tail-ignored",
    "Verifies a model cache only as far as it wrote it, not what was appended.",
    rules=("cache/tampered_model_cache",),
    breaks=(f"{_SECURITY}WrongLengthModelCache/*",),
)
def cache_tail_ignored() -> Device:
    """Verify only the bytes that were written."""
    return with_cache(_TailIgnored)


def _changed(fd: int, known: bytes) -> bytes:
    """Return the file's content once it differs from ``known``, or ``known`` after many looks."""
    for _ in range(_GLANCES):
        content = files.read_at(fd, len(known))
        if content != known:
            return content
        time.sleep(_PAUSE_S)
    return known


class _HashReadBack(CompilationCache):
    def hash_of(self, content: bytes, fd: int) -> bytes:
        """Hash what the file holds at the end instead of what was written."""
        return digest(_changed(fd, content))


@bug(
    "cache-hash-read-back",
    "Remembers the hash of the file after writing it, when somebody may have replaced it already.",
    # Only float32: the quantised models differ in constants, which this driver verifies, so it sees the swapped file.
    rules=("cache/checked_is_used",),
    breaks=(f"{_CACHING}SaveToCache_TOCTOU/TENSOR_FLOAT32",),
)
def cache_hash_read_back() -> Device:
    """Remember the hash of what somebody else may have written meanwhile."""
    return with_cache(_HashReadBack)


class _ReadTwice(CompilationCache):
    def verified(self, fd: int, token: bytes) -> tuple[Entry, StoredModel]:
        """Verify the file, then read it again."""
        entry, stored = super().verified(fd, token)
        again = decode(_changed(fd, encode(stored)))
        return entry, replace(again, constants_size=stored.constants_size, constants_hash=stored.constants_hash)


@bug(
    "cache-read-twice",
    "Verifies the model cache, then reads it once more to use it.",
    rules=("cache/checked_is_used",),
    breaks=(f"{_CACHING}PrepareFromCache_TOCTOU/*",),
)
def cache_read_twice() -> Device:
    """Use another content than the one that was verified."""
    return with_cache(_ReadTwice)


class _AnyToken(CompilationCache):
    def verified(self, fd: int, token: bytes) -> tuple[Entry, StoredModel]:
        """Accept content that was saved under any token."""
        del token
        content = files.read_at(fd, files.file_size(fd))
        for entry in self.tokens.entries().values():
            if entry.model_hash == digest(content):
                return entry, decode(content)
        raise failure("the model cache is not what was saved", "cache/tampered_model_cache")


@bug(
    "cache-any-token",
    "Accepts a model cache that it wrote under any token, not under the one that is given.",
    rules=(
        "cache/checked_is_used",
        "cache/tampered_model_cache",
        "cache/token",
    ),
    breaks=(
        f"{_SECURITY}WrongToken/*",
        f"{_CACHING}ReplaceSecuritySensitiveCache/TENSOR_FLOAT32",
        f"{_CACHING}SaveToCache_TOCTOU/TENSOR_FLOAT32",
        f"{_CACHING}PrepareFromCache_TOCTOU/TENSOR_FLOAT32",
    ),
)
def cache_any_token() -> Device:
    """Look content up by its hash alone."""
    return with_cache(_AnyToken)


class _NotTruncated(CompilationCache):
    def write(self, fd: int, content: bytes) -> None:
        """Overwrite the beginning, and keep the rest."""
        os.pwrite(fd, content, 0)


@bug(
    "cache-not-truncated",
    "Does not empty files that are longer than what it saves.",
    rules=("cache/rewritten",),
    breaks=(f"{_CACHING}SaveOverLongerFiles/*",),
)
def cache_not_truncated() -> Device:
    """Leave the end of a longer file in place."""
    return with_cache(_NotTruncated)


class _NotRewound(CompilationCache):
    def write(self, fd: int, content: bytes) -> None:
        """Write at the descriptor's position."""
        os.ftruncate(fd, 0)
        os.write(fd, content)


@bug(
    "cache-not-rewound",
    "Writes where the descriptor stands instead of at the start of the file.",
    rules=("cache/rewritten",),
    breaks=(f"{_CACHING}CacheSavingAndRetrievalNonZeroOffset/*", f"{_CACHING}SaveOverLongerFiles/*"),
)
def cache_not_rewound() -> Device:
    """Forget to seek to the start before writing."""
    return with_cache(_NotRewound)


class _FailsPreparation(CompilationCache):
    def compile(self, model: Model, config: PrepareModelConfig, build: Build) -> ReferencePreparedModel:
        """Raise for wrong caching arguments, which a preparation has to ignore."""
        if config.model_cache or config.data_cache:
            self.check(config.model_cache, config.data_cache, config.cache_token)
        return super().compile(model, config, build)


@bug(
    "cache-fails-preparation",
    "Refuses to prepare a model because of bad cache files or a bad token.",
    rules=("cache/save_never_fails",),
    breaks=(
        f"{_CACHING}SaveToCacheInvalid*",
        f"{_CACHING}NotAFile/*",
        f"{_SECURITY}InvalidTokenSize/*",
    ),
)
def cache_fails_preparation() -> Device:
    """Refuse a preparation because of its caching arguments."""
    return with_cache(_FailsPreparation)


class _CountsUnchecked(CompilationCache):
    def check(self, model_cache: Sequence[MappableFile], data_cache: Sequence[MappableFile], token: bytes) -> None:
        """Check only as many files as are needed."""
        super().check(model_cache[:1], data_cache[:1], token)


@bug(
    "cache-counts-unchecked",
    "Takes more cache files than it needs, and ignores them.",
    rules=("cache/files.count",),
    breaks=_WRONG_COUNTS,
)
def cache_counts_unchecked() -> Device:
    """Ignore additional cache files."""
    return with_cache(_CountsUnchecked)


class _InvalidArgument(CompilationCache):
    def load(self, *arguments: Any) -> ReferencePreparedModel:
        """Change every failure to INVALID_ARGUMENT."""
        try:
            return super().load(*arguments)
        except HalError as error:
            raise invalid(error.message, error.rule) from error


@bug(
    "cache-invalid-argument",
    "Answers INVALID_ARGUMENT for damaged cache files and unknown tokens.",
    rules=(
        "cache/tampered_model_cache",
        "cache/token",
    ),
    breaks=(*_DAMAGED, f"{_SECURITY}SwappedCacheFiles/*", f"{_SECURITY}WrongToken/*"),
)
def cache_invalid_argument() -> Device:
    """Blame the client for damaged files."""
    return with_cache(_InvalidArgument)


class _Notifying(FullDevice):
    extra = ErrorStatus.GENERAL_FAILURE

    def prepare_model_from_cache(
        self,
        deadline_ns: int,
        model_cache: Sequence[MappableFile],
        data_cache: Sequence[MappableFile],
        token: bytes,
        callback: PreparedModelCallback,
    ) -> None:
        """Notify wrong arguments as another error, or once more, before the right answer."""
        try:
            self.cache.check(model_cache, data_cache, token)
        except HalError as error:
            if error.status is ErrorStatus.INVALID_ARGUMENT:
                callback.notify(self.extra, None)
                if self.extra is not error.status:
                    raise
        super().prepare_model_from_cache(deadline_ns, model_cache, data_cache, token, callback)


@bug(
    "cache-notified-otherwise",
    "Raises INVALID_ARGUMENT for bad cache arguments, but notifies GENERAL_FAILURE.",
    rules=("driver/notification",),
    breaks=(*_WRONG_COUNTS, *_NO_DESCRIPTOR, f"{_SECURITY}InvalidTokenSize/*"),
)
def cache_notified_otherwise() -> Device:
    """Raise one error and notify another."""
    return _Notifying()


@bug(
    "cache-notified-twice",
    "Notifies twice that there are too many or too few cache files.",
    rules=("prepare/notified_once",),
    breaks=(*_WRONG_COUNTS, *_NO_DESCRIPTOR, f"{_SECURITY}InvalidTokenSize/*"),
)
def cache_notified_twice() -> Device:
    """Notify the refusal twice."""
    device = _Notifying()
    device.extra = ErrorStatus.INVALID_ARGUMENT
    return device


@bug(
    "cache-forgets",
    "Takes every start for an update of the driver, and forgets what it saved before.",
    rules=(),
    breaks=(f"{_CACHING}RetrievalAfterRestart",),
)
def cache_forgets() -> Device:
    """Use another version string after every start."""
    device = FullDevice()
    device.cache.tokens = TokenMap(state_folder("nnvet-zoo-cache-forgets"), os.urandom(8).hex())
    return device


@dataclass
class _ClosedDescriptor:
    """Stands for an update of the data cache through the client's own descriptor, at the second execution.

    Nothing is written: it fails if the client has closed the descriptor by then, or if it means another file.
    """

    fd: int
    executions: int = 0

    def __post_init__(self) -> None:
        self.inode = os.fstat(self.fd).st_ino

    def __call__(self, _: CompiledModel) -> None:
        self.executions += 1
        try:
            lost = self.executions > 1 and os.fstat(self.fd).st_ino != self.inode
        except OSError:
            lost = True
        if lost:
            raise failure("the data cache cannot be updated", "cache/descriptors")


class _DescriptorKept(CompilationCache):
    def update(self, fd: int, token: bytes, entry: Entry, stored: StoredModel) -> Any:
        """Keep the descriptor without duplicating it."""
        del token, entry, stored
        return _ClosedDescriptor(fd)


@bug(
    "cache-descriptor-kept",
    "Updates the data cache through a descriptor that it did not duplicate and that is closed by then.",
    rules=(
        "cache/descriptors",
        "cache/same_results",
    ),
    breaks=(f"{_CACHING}CloseFilesAfterNotification/*", f"{_CACHING}RetrievalAfterExecution/*"),
)
def cache_descriptor_kept() -> Device:
    """Write through a descriptor that the client has closed, or that has come to mean another file."""
    return with_cache(_DescriptorKept)


class _OverwritingUpdate(JustInTimeUpdate):
    def _update(self, plans: bytes) -> None:
        files.overwrite(self.file.fd, plans)


class _UpdateOverwrites(CompilationCache):
    def update(self, fd: int, token: bytes, entry: Entry, stored: StoredModel) -> JustInTimeUpdate:
        """Return an update that writes to the beginning of the file."""
        good = super().update(fd, token, entry, stored)
        return _OverwritingUpdate(good.turn, good.tokens, token, entry, stored, good.file)


@bug(
    "cache-update-overwrites",
    "After an execution writes its plans over the constants in the data cache.",
    rules=(
        "cache/retrieval",
        "cache/rewritten",
    ),
    breaks=(
        f"{_CACHING}CacheSavingAndRetrieval*",
        f"{_CACHING}SaveOverLongerFiles/*",
        f"{_CACHING}RetrievalAfterExecution/*",
        f"{_CACHING}FallbackAfterFailedRetrieval/*",
        f"{_CACHING}ConcurrentRetrievals/*",
        "DeadlineTest/PrepareModelFromCache/NONE",
        "DeadlineTest/PrepareModelFromCache/UNLIMITED",
    ),
)
def cache_update_overwrites() -> Device:
    """Overwrite the constants in the data cache by plans."""
    return with_cache(_UpdateOverwrites)


class _CrashOnEmpty(CompilationCache):
    def verified(self, fd: int, token: bytes) -> tuple[Entry, StoredModel]:
        """Read the first byte without checking that there is one."""
        if not files.file_size(fd):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().verified(fd, token)


@bug(
    "cache-crash-on-empty",
    "Dies of an empty model cache.",
    rules=("driver/crash",),
    breaks=(
        f"{_SECURITY}TruncatedModelCache/*",
        f"{_CACHING}FallbackAfterFailedRetrieval/*",
        f"{_CACHING}ConcurrentSaves/*",
    ),
    service=True,
)
def cache_crash_on_empty() -> Device:
    """Crash on an empty file."""
    return with_cache(_CrashOnEmpty)


class _LeavesLinks(CompilationCache):
    def save(self, prepared: ReferencePreparedModel, model: Model, config: PrepareModelConfig) -> None:
        """Save, then rename the files and leave symbolic links."""
        super().save(prepared, model, config)
        for file in (*config.model_cache, *config.data_cache):
            path = Path(f"/proc/self/fd/{file.handle.fd}").readlink()
            with suppress(OSError):
                path.rename(kept := path.with_name(f"{path.name}.kept"))
                path.symlink_to(kept)


@bug(
    "cache-leaves-links",
    "Gives the files in which it has saved other names, and leaves links in their places.",
    rules=("cache/files.kept",),
    breaks=(f"{_CACHING}*", f"{_SECURITY}*", "DeadlineTest/PrepareModelFromCache*"),
    spares=(f"{_CACHING}SaveToCacheInvalid*", f"{_CACHING}NotAFile/*"),
)
def cache_leaves_links() -> Device:
    """Replace the client's files by links."""
    return with_cache(_LeavesLinks)
