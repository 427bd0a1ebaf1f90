"""Compilation caching across versions: a cache of another version of the driver has to be refused, or to work.

The environment variable ``NNVET_DRIVER_VERSION`` asks a service to start as another version. A driver that ignores it
cannot be judged here. The command ``nnvet upgrade`` (:mod:`nnvet.conformance.upgrade`) calls :func:`judge_older_cache`
with two real versions. Not in VTS. Source: docs/contract/hal.md 10.3.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.outcome import fail, unsupported
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.caching.basic import LEVEL, SUITE, TYPES
from nnvet.conformance.suites.caching.fixtures import REFUSED, WORKS, Cache, working_cache
from nnvet.conformance.suites.caching.networks import CachedNetwork, small_network
from nnvet.driver_kit.base_device import VERSION_VARIABLE
from nnvet.hal.enums import OperandType
from nnvet.transport.wire.failures import DriverGone

RULE: Final = "cache/version"
"""Rule of a driver that takes a cache of another version and computes something else."""
_OTHER_VERSION: Final = "0.0-other-version"
"""Version string that no real driver has."""


@check(SUITE, "OtherVersion", rules=(*WORKS, RULE, "cache/fallback"), level=LEVEL, parameters=lambda: TYPES)
def other_version(subject: Subject, operand_type: OperandType) -> None:
    """If a model is prepared from files of another version, it computes the same as one of both versions."""
    network = small_network(subject, operand_type)
    with working_cache(subject, network) as cache:
        cache.save()
        with _restart_as_another_version(subject):
            judge_older_cache(cache, subject, small_network(subject, operand_type))


def judge_older_cache(cache: Cache, subject: Subject, network: CachedNetwork) -> bool:
    """Offer files that another driver has filled to ``subject``; return True if it prepares the model from them.

    ``network`` is the model of the cache with the outputs of ``subject``. After a refusal the files are used to save
    anew.

    :raises CaseFailed: the driver neither refuses nor computes like one of both; UNSUPPORTED if it asks for other
        files.
    :raises DriverGone: it dies of the files, or gives no answer.
    """
    if subject.device.get_number_of_cache_files_needed() != cache.needed:
        raise unsupported("the two versions of the driver ask for different numbers of cache files", RULE)
    offered = replace(cache, subject=subject, network=network)
    try:
        retrieval = offered.load()
        if retrieval.prepared is None:
            retrieval.check_refused(RULE, "files of another version", REFUSED)
            network.check(subject, offered.save(), "cache/fallback")
            return False
        outputs = network.outputs(subject, retrieval.prepared)
    except DriverGone as death:
        death.rule = RULE
        raise
    difference = network.difference(outputs)
    if difference and cache.network.difference(outputs):
        raise fail(RULE, f"a model prepared from the cache of another version: {difference}")
    return True


@contextmanager
def _restart_as_another_version(subject: Subject) -> Iterator[None]:
    """Run the block on another version of the driver, then start the first one again.

    :raises CaseFailed: UNSUPPORTED if it has no other version.
    """
    first, before = subject.device.get_version_string(), os.environ.get(VERSION_VARIABLE)
    os.environ[VERSION_VARIABLE] = _OTHER_VERSION
    try:
        subject.restart()
        if subject.device.get_version_string() == first:
            raise unsupported(f"the driver cannot be started as another version: it ignores {VERSION_VARIABLE}", RULE)
        yield
    finally:
        os.environ.pop(VERSION_VARIABLE)
        if before is not None:
            os.environ[VERSION_VARIABLE] = before
        subject.restart()
