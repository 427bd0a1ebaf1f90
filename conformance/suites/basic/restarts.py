"""RestartTest: what a device says of itself is the same after a restart. Source: docs/contract/hal.md 10.1 and 14.

Clients read these answers once and keep them; after the death of a driver they compare, and give up on a device
that has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.engine.preparing import ask_supported, built_model
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.suites.caching.networks import small_mobilenet
from nnvet.hal.types import OperandType

_SUITE: Final = "RestartTest"
_RESTARTS: Final = 2


def _supported(subject: Subject) -> tuple[bool, ...]:
    with built_model(small_mobilenet(OperandType.TENSOR_FLOAT32), subject.feature_level) as model:
        return ask_supported(subject, model)


_QUERIES: Final[dict[str, Callable[[Subject], Any]]] = {
    "name": lambda subject: subject.device.name,
    "getFeatureLevel": lambda subject: subject.device.get_feature_level(),
    "getVersionString": lambda subject: subject.device.get_version_string(),
    "getType": lambda subject: subject.device.get_type(),
    "getCapabilities": lambda subject: subject.device.get_capabilities(),
    "getSupportedExtensions": lambda subject: subject.device.get_supported_extensions(),
    "getNumberOfCacheFilesNeeded": lambda subject: subject.device.get_number_of_cache_files_needed(),
    "getSupportedOperations": _supported,
}


@check(
    _SUITE,
    "Queries",
    rules=(
        "prepare/valid",
        "device/restart",
    ),
    needs_operation=False,
)
def queries(subject: Subject, _: None) -> None:
    """Every query has the same answer before and after each restart, whether or not operations are supported."""
    before = {name: query(subject) for name, query in _QUERIES.items()}
    for _restart in range(_RESTARTS):
        subject.restart()
        for name, query in _QUERIES.items():
            after = query(subject)
            if after != before[name]:
                raise fail("device/restart", f"{name} answers {before[name]}, and {after} after a restart")
