"""DeadlineTest, preparations from a cache: the fifth call that takes a deadline. Not in VTS.

Source: docs/contract/hal.md 6.6 and 10.3.
"""

from __future__ import annotations

from typing import Final

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.outcome import fail, unsupported
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.suites.caching.fixtures import WORKS, Cache, working_cache
from nnvet.conformance.suites.caching.networks import small_network
from nnvet.conformance.suites.quality_of_service.deadlines import Deadline
from nnvet.hal.enums import ErrorStatus, OperandType
from nnvet.hal.levels import LAST_HIDL_LEVEL

_SUITE: Final = "DeadlineTest"
_LEVEL: Final = 4
_NEGATIVE: Final = (-2, -(2**63))
_DEADLINES: Final = {deadline.name: deadline for deadline in Deadline}


@check(
    _SUITE,
    "PrepareModelFromCache",
    rules=(*WORKS, "prepare/deadline.status"),
    level=_LEVEL,
    parameters=lambda: _DEADLINES,
)
def prepare_model_from_cache(subject: Subject, deadline: Deadline) -> None:
    """Only what is due at once or soon may be missed; what is prepared is right, and the cache stays usable."""
    network = small_network(subject, OperandType.TENSOR_FLOAT32)
    with working_cache(subject, network) as cache:
        cache.save()
        retrieval = cache.load(deadline_ns=deadline.value.at_ns())
        if not deadline.allows(retrieval.status):
            what = f"prepareModelFromCache with deadline {deadline.name}: {retrieval.status.name} {retrieval.message}"
            raise fail("prepare/deadline.status", what.rstrip(), status=retrieval.status.name)
        if retrieval.prepared is not None:
            network.check(subject, retrieval.prepared)
        _still_works(cache, f"a preparation with deadline {deadline.name}")


@check(_SUITE, "PrepareModelFromCacheNegative", rules=(*WORKS, "prepare/deadline"), level=_LEVEL)
def prepare_model_from_cache_negative(subject: Subject, _: None) -> None:
    """A deadline below the value for none is refused, by a driver that prepares the same cache without one."""
    if subject.feature_level <= LAST_HIDL_LEVEL:
        raise unsupported("deadlines of HIDL have no sign", "model/level")
    network = small_network(subject, OperandType.TENSOR_FLOAT32)
    with working_cache(subject, network) as cache:
        cache.save()
        for deadline_ns in _NEGATIVE:
            retrieval = cache.load(deadline_ns=deadline_ns)
            what = f"the deadline {deadline_ns}"
            retrieval.refused("prepare/deadline", what, (ErrorStatus.INVALID_ARGUMENT,))
        _still_works(cache, "negative deadlines")


def _still_works(cache: Cache, after: str) -> None:
    """The same files prepare the model without a deadline.

    :raises CaseFailed: they do not, or the model computes something else.
    """
    retrieval = cache.load()
    if retrieval.prepared is None:
        reason = f"after {after}, preparing from the cache fails: {retrieval.message}"
        raise fail("cache/retrieval", reason, status=retrieval.status.name)
    cache.network.check(cache.subject, retrieval.prepared)
