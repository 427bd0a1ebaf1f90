"""Suite ``CompilationCachingTest``: wrong arguments and files, and files that change during a call.

Source: docs/contract/vts-tests.md 5.2 and 5.3. Checks that VTS has are named as there; docstrings of those that VTS
lacks begin with "Ours". A handle here holds one descriptor or none, so VTS's tests with two descriptors in a handle
have no counterpart. Neighbours: ``lifecycle.py`` (restarts and threads), ``security.py`` (tampering), ``versions.py``
(updates of the driver).
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.concurrent_calls import begin
from nnvet.conformance.kit.outcome import fail
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.caching import fixtures
from nnvet.conformance.suites.caching.networks import CachedNetwork, chain_network, small_network
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.levels import LAST_HIDL_LEVEL
from nnvet.hal.types import Handle, MappableFile
from nnvet.reports.files import file_over

SUITE: Final = "CompilationCachingTest"
LEVEL: Final = 3
"""First feature level (HAL 1.2) with compilation caching."""
TYPES: Final = {
    operand_type.name: operand_type for operand_type in (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_QUANT8_ASYMM)
}
"""Types of the cached networks, by the arguments of the cases, as in VTS."""
_RACES: Final = 12
"""Number of races. VTS has 100, but its attacker writes only once, and ours as long as the driver works."""


@check(
    SUITE, "CacheSavingAndRetrieval", rules=(*fixtures.WORKS, "cache/rewritten"), level=LEVEL, parameters=lambda: TYPES
)
def saving_and_retrieval(subject: Subject, operand_type: OperandType) -> None:
    """A saved model can be prepared again and computes the same; a driver without caching refuses that."""
    _save_and_retrieve(subject, operand_type)


@check(
    SUITE,
    "CacheSavingAndRetrievalNonZeroOffset",
    rules=(
        *fixtures.WORKS,
        "cache/rewritten",
    ),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def saving_and_retrieval_non_zero_offset(subject: Subject, operand_type: OperandType) -> None:
    """Files with content, whose descriptors are at their end, are emptied and filled from the start."""
    _save_and_retrieve(subject, operand_type, stale=bytes(2))


@check(
    SUITE,
    "SaveOverLongerFiles",
    rules=(
        *fixtures.WORKS,
        "cache/rewritten",
    ),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def save_over_longer_files(subject: Subject, operand_type: OperandType) -> None:
    """Ours: saving into longer files leaves nothing of their old content."""
    _save_and_retrieve(subject, operand_type, stale=bytes(1 << 20))


def _save_and_retrieve(subject: Subject, operand_type: OperandType, stale: bytes = b"") -> None:
    """Check that the network is saved in files that hold ``stale`` bytes, and is prepared from them.

    The descriptors stand at the end of the stale bytes. A driver that needs no files must refuse to prepare from none.
    """
    network = small_network(subject, operand_type)
    with fixtures.fresh_cache(subject, network) as cache:
        if not cache.is_supported:
            network.check(subject, cache.save())
            cache.load().check_refused(
                "cache/unsupported", "no files, which is all that the driver needs,", fixtures.FAILED
            )
            return
    # Control: only a driver that can load from files that were empty before can be blamed for longer ones.
    with fixtures.working_cache(subject, network) as cache:
        for path in cache.paths:
            fixtures.write_file(path, stale)
        with cache.open_files(offset=len(stale)) as files:
            network.check(subject, cache.save(files))
        with cache.open_files(offset=bool(stale)) as files:
            retrieval = cache.load(files)
        if retrieval.prepared is None:
            reason = f"with files that held {len(stale)} bytes before, preparing from them fails: {retrieval.message}"
            raise fail("cache/rewritten", reason, status=retrieval.status.name)
        network.check(subject, retrieval.prepared)


@check(SUITE, "SaveToCacheInvalidNumCache", rules=fixtures.WORKS, level=LEVEL, parameters=lambda: TYPES)
def save_invalid_number(subject: Subject, operand_type: OperandType) -> None:
    """With a wrong number of files the model is still prepared, and preparing from the files fails."""
    with fixtures.fresh_cache(subject, small_network(subject, operand_type)) as cache:
        for what, model_paths, data_paths in cache.wrong_counts():
            with cache.open_files(model_paths, data_paths) as files:
                _check_not_saved(cache, files, "cache/files.count", what)


@check(SUITE, "PrepareModelFromCacheInvalidNumCache", rules=fixtures.WORKS, level=LEVEL, parameters=lambda: TYPES)
def load_invalid_number(subject: Subject, operand_type: OperandType) -> None:
    """Preparing from a wrong number of files fails, even if the model was saved properly."""
    with fixtures.working_cache(subject, small_network(subject, operand_type)) as cache:
        cache.save()
        for what, model_paths, data_paths in cache.wrong_counts():
            with cache.open_files(model_paths, data_paths) as files:
                cache.load(files).check_refused("cache/files.count", what)


@check(SUITE, "SaveToCacheInvalidNumFd", rules=fixtures.WORKS, level=LEVEL, parameters=lambda: TYPES)
def save_invalid_descriptor(subject: Subject, operand_type: OperandType) -> None:
    """With a handle that has no descriptor the model is still prepared."""
    with fixtures.fresh_cache(subject, small_network(subject, operand_type)) as cache, cache.open_files() as files:
        fixtures.require_files(cache)
        for what, wrong in _replace_each(files, _make_empty_file()):
            _check_not_saved(cache, wrong, "cache/files.handle", f"no descriptor for {what}")


@check(
    SUITE,
    "PrepareModelFromCacheInvalidNumFd",
    rules=(
        *fixtures.WORKS,
        "cache/files.handle",
    ),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def load_invalid_descriptor(subject: Subject, operand_type: OperandType) -> None:
    """Preparing from a handle that has no descriptor fails."""
    with fixtures.working_cache(subject, small_network(subject, operand_type)) as cache:
        cache.save()
        with cache.open_files() as files:
            for what, wrong in _replace_each(files, _make_empty_file()):
                cache.load(wrong).check_refused("cache/files.handle", f"no descriptor for {what}")


@check(SUITE, "SaveToCacheInvalidAccessMode", rules=fixtures.WORKS, level=LEVEL, parameters=lambda: TYPES)
def save_read_only(subject: Subject, operand_type: OperandType) -> None:
    """With a read-only file the model is still prepared, and preparing from the file fails."""
    with fixtures.fresh_cache(subject, small_network(subject, operand_type)) as cache:
        fixtures.require_files(cache)
        for path in cache.paths:
            with cache.open_files(modes={path: os.O_RDONLY}) as files:
                _check_not_saved(cache, files, "cache/files.handle", f"{path.name} open for reading only")


@check(
    SUITE,
    "PrepareModelFromCacheInvalidAccessMode",
    rules=(
        *fixtures.WORKS,
        "cache/files.handle",
    ),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def load_write_only(subject: Subject, operand_type: OperandType) -> None:
    """Preparing from a write-only file fails; before feature level 5 with GENERAL_FAILURE."""
    statuses = fixtures.REFUSED if subject.feature_level > LAST_HIDL_LEVEL else fixtures.FAILED
    with fixtures.working_cache(subject, small_network(subject, operand_type)) as cache:
        cache.save()
        for path in cache.paths:
            with cache.open_files(modes={path: os.O_WRONLY}) as files:
                cache.load(files).check_refused("cache/files.handle", f"{path.name} open for writing only", statuses)


@check(
    SUITE,
    "SaveToCache_TOCTOU",
    rules=(
        *fixtures.WORKS,
        "cache/checked_is_used",
    ),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def save_under_attack(subject: Subject, operand_type: OperandType) -> None:
    """If another model's files are copied over a model's files while it is saved, the other model is never prepared."""
    with _open_two_models(subject, operand_type) as (cache, others):
        for _ in range(_RACES):
            with _overwrite({path: [content] for path, content in others.items()}):
                cache.save()
            _check_own_or_nothing(cache)


@check(
    SUITE,
    "PrepareFromCache_TOCTOU",
    rules=(
        *fixtures.WORKS,
        "cache/checked_is_used",
    ),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def load_under_attack(subject: Subject, operand_type: OperandType) -> None:
    """If the files turn into another model's and back while a model is prepared, the other model is never prepared."""
    with _open_two_models(subject, operand_type) as (cache, others):
        cache.save()
        own = cache.content()
        for _ in range(_RACES):
            for path, content in own.items():
                fixtures.write_file(path, content)
            with _overwrite({path: [content, own[path]] for path, content in others.items()}):
                _check_own_or_nothing(cache)


@check(
    SUITE,
    "ReplaceSecuritySensitiveCache",
    rules=(
        *fixtures.WORKS,
        "cache/tampered_model_cache",
    ),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def replaced_model_cache(subject: Subject, operand_type: OperandType) -> None:
    """Another model's model cache is refused, although the driver itself wrote it under another token."""
    with _open_two_models(subject, operand_type) as (cache, others):
        cache.save()
        for path, content in others.items():
            fixtures.write_file(path, content)
        cache.load().check_refused("cache/tampered_model_cache", "another model's model cache", fixtures.FAILED)


@contextmanager
def _open_two_models(subject: Subject, operand_type: OperandType) -> Iterator[tuple[fixtures.Cache, dict[Path, bytes]]]:
    """Open a cache of the chain of additions; yield also the model files of the chain of multiplications."""
    other: CachedNetwork = chain_network(subject, OperationType.MUL, operand_type)
    with fixtures.working_cache(subject, chain_network(subject, OperationType.ADD, operand_type)) as cache:
        fixtures.require_model_files(cache)
        cache.save(token=cache.token[::-1], network=other)
        yield cache, cache.content(cache.model_paths)


def _check_own_or_nothing(cache: fixtures.Cache) -> None:
    """Check that preparing fails, with any status, or gives the saved model."""
    prepared = cache.load().prepared
    if prepared is not None:
        cache.network.check(cache.subject, prepared, "cache/checked_is_used")


@contextmanager
def _overwrite(contents: Mapping[Path, Sequence[bytes]]) -> Iterator[None]:
    """Write the contents into the files, in turn and repeatedly, until the block or a timeout ends."""
    enough = threading.Event()

    def attack() -> None:
        with ExitStack() as stack:
            targets = []
            for path, each in contents.items():
                fd, _ = fixtures.open_file(path, os.O_RDWR)
                targets.append((stack.enter_context(file_over(fd, "r+b")), each))
            for turn in itertools.count():
                for file, several in targets:
                    file.seek(0)
                    file.write(several[turn % len(several)])
                if enough.is_set():
                    break

    attacker = begin(attack)
    try:
        yield
    finally:
        enough.set()
        # A race in which the attacker could not write proves nothing.
        attacker.result()


def _check_not_saved(cache: fixtures.Cache, files: fixtures.Files, rule: str, what: str) -> None:
    """Check that saving in such files prepares the model, and that preparing from them fails."""
    cache.network.check(cache.subject, cache.save(files), "cache/save_never_fails")
    cache.load(files).check_refused(rule, what)


def _make_empty_file() -> MappableFile:
    """Return a file without a descriptor."""
    return MappableFile(Handle(-1), 0)


def _replace_each(files: fixtures.Files, other: MappableFile) -> Iterator[tuple[str, fixtures.Files]]:
    """Yield the files with one of them replaced by another, and the index of that one."""
    for index in range(len(files.model)):
        yield f"model cache file {index}", fixtures.Files(_replace_file(files.model, index, other), files.data)
    for index in range(len(files.data)):
        yield f"data cache file {index}", fixtures.Files(files.model, _replace_file(files.data, index, other))


def _replace_file(files: tuple[MappableFile, ...], index: int, other: MappableFile) -> tuple[MappableFile, ...]:
    """Return the files with another one at an index."""
    return (*files[:index], other, *files[index + 1 :])
