"""Compilation caching over time: restarts, executions, concurrent savers, colliding tokens, and bad files.

VTS saves and prepares once, in one thread of one driver process; it has none of these checks. Source:
docs/contract/hal.md 10.3, docs/contract/vts-tests.md 5.5 and docs/contract/cts-tests.md 2.8. Most belong to the suite
``CompilationCachingTest`` of :mod:`nnvet.conformance.suites.caching.basic`.

Two checks belong to ``DeadlineTest`` (:mod:`nnvet.conformance.suites.quality_of_service.deadlines`), because preparing
from a cache is the fifth call that takes a deadline. Not in VTS. Source: docs/contract/hal.md 6.6 and 10.3.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.concurrent_calls import call_together
from nnvet.conformance.kit.outcome import CaseFailed, fail, unsupported
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.caching.basic import LEVEL, SUITE, TYPES
from nnvet.conformance.suites.caching.fixtures import WORKS, Cache, Files, fresh_cache, require_files, working_cache
from nnvet.conformance.suites.caching.networks import CachedNetwork, chain_network, small_network
from nnvet.conformance.suites.quality_of_service.deadlines import Deadline
from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.levels import LAST_HIDL_LEVEL
from nnvet.hal.types import Handle, MappableFile

_ROUNDS: Final = 3
"""Repetitions of a race between threads; one alone rarely meets the bad moment."""


@check(SUITE, "RetrievalAfterExecution", rules=WORKS, level=LEVEL, parameters=lambda: TYPES)
def retrieval_after_execution(subject: Subject, operand_type: OperandType) -> None:
    """Executing a saved or loaded model may add to the files, but leaves them usable."""
    network = small_network(subject, operand_type)
    with working_cache(subject, network) as cache:
        prepared = cache.save()
        for generation in range(3):
            for _ in range(2):
                network.check(subject, prepared)
            prepared = _load(cache, f"executing a model of generation {generation}")


@check(
    SUITE,
    "CloseFilesAfterNotification",
    rules=(
        *WORKS,
        "cache/descriptors",
    ),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def close_files_after_notification(subject: Subject, operand_type: OperandType) -> None:
    """Once a preparation is notified, its files may be closed and deleted before the first execution."""
    network = small_network(subject, operand_type)
    with working_cache(subject, network) as cache:
        with cache.open_files() as files:
            saved = cache.save(files)
        with cache.open_files() as files:
            retrieved = cache.load(files).prepared
        for path in cache.paths:
            path.unlink()
        for prepared in (saved, retrieved):
            for _ in range(2):
                _check_after(network, subject, prepared)


def _check_after(network: CachedNetwork, subject: Subject, prepared: PreparedModel | None) -> None:
    """Check a model's results, and blame a failure on the files that were closed before."""
    try:
        if prepared is not None:
            network.check(subject, prepared)
    except CaseFailed as failed:
        reason = f"after its cache files were closed: {failed.outcome.reason}"
        raise fail("cache/descriptors", reason, **failed.outcome.evidence) from failed


@check(
    SUITE,
    "RetrievalAfterRestart",
    rules=(
        *WORKS,
        "cache/restart",
    ),
    level=LEVEL,
)
def retrieval_after_restart(subject: Subject, _: None) -> None:
    """After a restart of the driver a saved model is prepared, or refused with GENERAL_FAILURE; saving works again."""
    network = small_network(subject, OperandType.TENSOR_FLOAT32)
    with working_cache(subject, network) as cache:
        cache.save()
        subject.restart()
        try:
            cache.retrieve()
        except CaseFailed as failed:
            if failed.outcome.rule != "cache/retrieval":
                raise
            raise unsupported("the driver does not find its cache after a restart", "cache/restart") from failed


@check(
    SUITE,
    "FallbackAfterFailedRetrieval",
    rules=(*WORKS, "cache/fallback", "cache/token"),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def fallback_after_failed_retrieval(subject: Subject, operand_type: OperandType) -> None:
    """Empty files under a new token are refused; the same descriptors can then be used to save and to load."""
    network = small_network(subject, operand_type)
    with working_cache(subject, network) as cache, cache.open_files() as files:
        cache.load(files).check_refused("cache/token", "a token that nothing was saved under")
        network.check(subject, cache.save(files), "cache/fallback")
        after = "a failed preparation and saving with the same descriptors"
        network.check(subject, _load(cache, after, files, "cache/fallback"))


@check(
    SUITE,
    "TokenCollision",
    rules=(
        *WORKS,
        "cache/collision",
    ),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def token_collision(subject: Subject, operand_type: OperandType) -> None:
    """With two models saved under one token, any mixture of their caches is refused or gives one of both models."""
    with _open_two_caches(subject, operand_type) as (first, second):
        first.save()
        second.save()
        mixtures = [
            (first.model_paths, first.data_paths),
            (second.model_paths, second.data_paths),
            (first.model_paths, second.data_paths),
            (second.model_paths, first.data_paths),
        ]
        for model_paths, data_paths in mixtures:
            with first.open_files(model_paths, data_paths) as files:
                _check_one_of_both(first, second, files)


@check(
    SUITE,
    "ConcurrentSaves",
    rules=(
        *WORKS,
        "cache/collision",
    ),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def concurrent_saves(subject: Subject, operand_type: OperandType) -> None:
    """After two threads have saved two models under one token, in the same files and in others, the cache works."""
    with _open_two_caches(subject, operand_type) as (first, second):
        for place in (first, second) * _ROUNDS:
            with first.open_files() as files, place.open_files() as others:
                calls = [partial(first.save, files), partial(second.save, others)]
                call_together(calls, subject.timeout_s, "concurrent saves")
            for cache in (first, second):
                with cache.open_files() as files:
                    _check_one_of_both(first, second, files)
        first.save()
        first.network.check(subject, _load(first, "concurrent saves under its token"), "cache/collision")


@check(SUITE, "ConcurrentRetrievals", rules=WORKS, level=LEVEL, parameters=lambda: TYPES)
def concurrent_retrievals(subject: Subject, operand_type: OperandType) -> None:
    """Threads that prepare from the same files at the same time, and execute at the same time, all get the model."""
    network = small_network(subject, operand_type)
    with working_cache(subject, network) as cache:
        cache.save()

        def use() -> None:
            network.check(subject, _load(cache, "another thread's use of the same files"))

        for _ in range(_ROUNDS):
            call_together([use, use], subject.timeout_s, "concurrent preparations from a cache")


@check(
    SUITE,
    "NotAFile",
    rules=(
        *WORKS,
        "cache/files.handle",
    ),
    level=LEVEL,
    parameters=lambda: TYPES,
)
def not_a_file(subject: Subject, operand_type: OperandType) -> None:
    """Descriptors of sockets and folders are refused as cache files; the driver does not block on them."""
    network = small_network(subject, operand_type)
    with fresh_cache(subject, network) as cache, _open_strange_descriptors(cache.folder) as descriptors:
        require_files(cache)
        for what, fd in descriptors.items():
            file = MappableFile(Handle(fd), 0)
            files = Files((file,) * len(cache.model_paths), (file,) * len(cache.data_paths))
            network.check(subject, cache.save(files), "cache/save_never_fails")
            cache.load(files).check_refused("cache/files.handle", f"a {what} for a file")


@contextmanager
def _open_strange_descriptors(folder: Path) -> Iterator[dict[str, int]]:
    """Open descriptors that are no files, by their names in messages."""
    with ExitStack() as stack:
        near, far = socket.socketpair()
        stack.enter_context(near)
        stack.enter_context(far)
        place = os.open(folder, os.O_RDONLY)
        stack.callback(os.close, place)
        yield {"socket": near.fileno(), "folder": place}


@contextmanager
def _open_two_caches(subject: Subject, operand_type: OperandType) -> Iterator[tuple[Cache, Cache]]:
    """Open files for two models with different results, under one token."""
    add, mul = (chain_network(subject, kind, operand_type) for kind in (OperationType.ADD, OperationType.MUL))
    with working_cache(subject, add) as first, fresh_cache(subject, mul, first.token) as second:
        yield first, second


def _load(cache: Cache, after: str, files: Files | None = None, rule: str = "cache/retrieval") -> PreparedModel:
    """Prepare the model from its cache, where the driver is known to do so in the usual case.

    :raises CaseFailed: with ``rule``, if the preparation fails.
    """
    retrieval = cache.load(files)
    if retrieval.prepared is None:
        reason = f"after {after}, preparing from the cache fails: {retrieval.message}"
        raise fail(rule, reason, status=retrieval.status.name)
    return retrieval.prepared


def _check_one_of_both(first: Cache, second: Cache, files: Files) -> None:
    """Check that the files give no model, or one of the two that were saved.

    :raises CaseFailed: the prepared model has the results of neither.
    """
    prepared = first.load(files).prepared
    if prepared is None:
        return
    outputs = first.network.outputs(first.subject, prepared)
    if all(cache.network.difference(outputs) for cache in (first, second)):
        values = [output.tolist() for output in outputs]
        raise fail("cache/collision", f"a model prepared from the cache gives {values}, neither model does that")


_SUITE: Final = "DeadlineTest"
_LEVEL: Final = 4
"""First feature level (HAL 1.3) with deadlines."""
_NEGATIVE: Final = (-2, -(2**63))
"""Invalid deadlines: -1 means "no deadline", so -2 is the largest of them, and -2^63 the smallest."""
_DEADLINES: Final = {deadline.name: deadline for deadline in Deadline}
"""Kinds of deadlines by the arguments of the cases."""


@check(
    _SUITE,
    "PrepareModelFromCache",
    rules=(*WORKS, "prepare/deadline.status"),
    level=_LEVEL,
    parameters=lambda: _DEADLINES,
)
def prepare_model_from_cache(subject: Subject, deadline: Deadline) -> None:
    """Only deadlines that are past or near may be missed; a prepared model is right, and the cache stays usable."""
    network = small_network(subject, OperandType.TENSOR_FLOAT32)
    with working_cache(subject, network) as cache:
        cache.save()
        retrieval = cache.load(deadline_ns=deadline.value.at_ns())
        if not deadline.allows(retrieval.status):
            what = f"prepareModelFromCache with deadline {deadline.name}: {retrieval.status.name} {retrieval.message}"
            raise fail("prepare/deadline.status", what.rstrip(), status=retrieval.status.name)
        if retrieval.prepared is not None:
            network.check(subject, retrieval.prepared)
        _check_still_works(cache, f"a preparation with deadline {deadline.name}")


@check(_SUITE, "PrepareModelFromCacheNegative", rules=(*WORKS, "prepare/deadline"), level=_LEVEL)
def prepare_model_from_cache_negative(subject: Subject, _: None) -> None:
    """A driver that loads a cache without a deadline refuses to load it with a negative one."""
    if subject.feature_level <= LAST_HIDL_LEVEL:
        # HIDL sends a deadline as an unsigned number, so none can be negative.
        raise unsupported("deadlines of HIDL have no sign", "model/level")
    network = small_network(subject, OperandType.TENSOR_FLOAT32)
    with working_cache(subject, network) as cache:
        cache.save()
        for deadline_ns in _NEGATIVE:
            retrieval = cache.load(deadline_ns=deadline_ns)
            what = f"the deadline {deadline_ns}"
            retrieval.check_refused("prepare/deadline", what, (ErrorStatus.INVALID_ARGUMENT,))
        _check_still_works(cache, "negative deadlines")


def _check_still_works(cache: Cache, after: str) -> None:
    """Check that the same files prepare the model without a deadline.

    :raises CaseFailed: they do not, or the model's results are wrong.
    """
    retrieval = cache.load()
    if retrieval.prepared is None:
        reason = f"after {after}, preparing from the cache fails: {retrieval.message}"
        raise fail("cache/retrieval", reason, status=retrieval.status.name)
    cache.network.check(cache.subject, retrieval.prepared)
