"""Suites ``BasicTest`` and ``RestartTest``: the answers of a device about itself, which must not change.

BasicTest checks these answers, and that a model with a cycle is refused. Source: docs/contract/vts-tests.md 1.

RestartTest compares the answers before and after a restart. Clients compare them after the death of a driver, and give
up on a device that has changed. Source: docs/contract/hal.md 10.1 and 14. The form of answers about models is checked
in :mod:`nnvet.conformance.suites.basic.compliance`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final, TypeVar

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.invalid_requests import try_preparation, try_question
from nnvet.conformance.kit.notified import Ledger
from nnvet.conformance.kit.outcome import fail
from nnvet.conformance.kit.preparing import ask_supported, built_model
from nnvet.conformance.kit.siblings import require_simplest
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.caching.networks import small_mobilenet
from nnvet.generators.mutations.editing import Mutant
from nnvet.graphs.editor import recounted
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError
from nnvet.hal.levels import LAST_HIDL_LEVEL

_SUITE = "BasicTest"
_DESCRIBING_LEVEL = 3
"""First feature level (HAL 1.2) at which a device has a version string, a type, extensions and cache files."""
_NAME_LEVEL = 3
"""The feature level of HAL 1.2, whose VTS alone demands the form of :data:`_VENDOR_NAME`."""
_CAPABILITIES = ("device/constant", "device/capabilities.positive", "device/capabilities.order")
"""Rules of a device's performance figures."""
_EXTENSION_NAME = re.compile(r"[a-z0-9_.]*\.[a-z0-9_.]*")
"""Form of an extension's name: lower case, with at least one dot, such as ``com.vendor.extension``."""
_VENDOR_NAME = re.compile(r"[^-]+-[^-]+")
"""Form of a device's name at :data:`_NAME_LEVEL`: vendor, one hyphen, device."""

T = TypeVar("T")

COVERS = {
    "StatusTest": "getStatus is not part of the interfaces tested here: adapters of HIDL drivers ask for it",
    "TestAssertions": "the contract's numbers are written once, in nnvet.hal.enums",
}
"""Tests of VTS and CTS without a check of the same name, and the reason; ``docs/vts-coverage.md`` is made from it."""


def _ask_twice(read: Callable[[], T], method: str) -> T:
    """Return the answer of a method, which must be the same every time."""
    try:
        first, second = read(), read()
    except HalError as error:
        raise fail(error.rule or "driver/reply", f"{method} fails: {error}", status=error.status.name) from error
    if first != second:
        raise fail("device/constant", f"{method} answers {first}, then {second}")
    return first


@check(_SUITE, "CreateDevice", rules=("device/name", "device/constant"), needs_operation=False)
def create_device(subject: Subject, _: None) -> None:
    """The device can be reached, and has a name and a valid feature level."""
    if not _ask_twice(lambda: subject.device.name, "name"):
        raise fail("device/name", "the name is empty")
    _ask_twice(subject.device.get_feature_level, "getFeatureLevel")


@check(
    _SUITE,
    "GetCapabilitiesTest",
    rules=("device/constant", "device/capabilities.positive", "device/capabilities.order"),
    needs_operation=False,
)
def get_capabilities(subject: Subject, _: None) -> None:
    """All figures are positive; operand types ascend strictly, without SUBGRAPH."""
    capabilities = _ask_twice(subject.device.get_capabilities, "getCapabilities")
    for name, info in _list_figures(capabilities):
        for figure in (info.exec_time, info.power_usage):
            if not 0 < figure < math.inf:
                raise fail("device/capabilities.positive", f"{name} has {info.exec_time} and {info.power_usage}")
    types = [entry.type for entry in capabilities.operand_performance]
    if any(second <= first for first, second in pairwise(types)):
        raise fail("device/capabilities.order", f"operandPerformance is not in strictly ascending order: {types}")
    if hal.OperandType.SUBGRAPH in types:
        raise fail("device/capabilities.order", "operandPerformance has an entry for SUBGRAPH")


def _list_figures(capabilities: hal.Capabilities) -> Iterator[tuple[str, hal.PerformanceInfo]]:
    """Return all performance figures of a device, each with the name of its field."""
    yield "relaxedFloat32toFloat16PerformanceScalar", capabilities.relaxed_float32_to_float16_performance_scalar
    yield "relaxedFloat32toFloat16PerformanceTensor", capabilities.relaxed_float32_to_float16_performance_tensor
    for entry in capabilities.operand_performance:
        yield f"operandPerformance of {entry.type.name}", entry.info
    yield "ifPerformance", capabilities.if_performance
    yield "whilePerformance", capabilities.while_performance


@check(
    _SUITE,
    "GetDeviceVersionStringTest",
    rules=(
        "device/constant",
        "device/version",
    ),
    level=_DESCRIBING_LEVEL,
    needs_operation=False,
)
def get_version_string(subject: Subject, _: None) -> None:
    """The version string is not empty."""
    if not _ask_twice(subject.device.get_version_string, "getVersionString"):
        raise fail("device/version", "the version string is empty")


@check(
    _SUITE,
    "GetDeviceTypeTest",
    rules=(
        "device/constant",
        "device/type",
    ),
    level=_DESCRIBING_LEVEL,
    needs_operation=False,
)
def get_type(subject: Subject, _: None) -> None:
    """The type is one of those that a driver may have."""
    device_type = _ask_twice(subject.device.get_type, "getType")
    if device_type is hal.DeviceType.UNKNOWN:
        raise fail("device/type", "the type is UNKNOWN")


@check(
    _SUITE,
    "GetDeviceNameTest",
    rules=(
        "device/constant",
        "device/name",
    ),
    level=_DESCRIBING_LEVEL,
    needs_operation=False,
)
def get_name(subject: Subject, _: None) -> None:
    """At the level of HAL 1.2 the name consists of vendor and device; at others it has no white space at its ends."""
    name = _ask_twice(lambda: subject.device.name, "name")
    if subject.feature_level == _NAME_LEVEL and not _VENDOR_NAME.fullmatch(name):
        raise fail("device/name", f"the name {name!r} is not VENDOR-NAME with one hyphen")
    if not name or name != name.strip():
        raise fail("device/name", f"the name {name!r} is empty or has white space at an end")


@check(
    _SUITE,
    "GetDeviceSupportedExtensionsTest",
    rules=(
        "device/constant",
        "device/extensions",
    ),
    level=_DESCRIBING_LEVEL,
    needs_operation=False,
)
def get_supported_extensions(subject: Subject, _: None) -> None:
    """Extension names are well formed and unique, and so are their types."""
    extensions = _ask_twice(subject.device.get_supported_extensions, "getSupportedExtensions")
    names = [extension.name for extension in extensions]
    for name in names:
        if not _EXTENSION_NAME.fullmatch(name):
            raise fail("device/extensions", f"extension name {name!r}")
    if len(set(names)) != len(names):
        raise fail("device/extensions", f"an extension is listed twice: {names}")


@check(
    _SUITE,
    "getNumberOfCacheFilesNeeded",
    rules=(
        "device/constant",
        "device/cache_files",
    ),
    level=_DESCRIBING_LEVEL,
    needs_operation=False,
)
def get_number_of_cache_files_needed(subject: Subject, _: None) -> None:
    """Both numbers are within the contract's maximum."""
    needed = _ask_twice(subject.device.get_number_of_cache_files_needed, "getNumberOfCacheFilesNeeded")
    for name, number in (("numModelCache", needed.num_model_cache), ("numDataCache", needed.num_data_cache)):
        if not 0 <= number <= hal.MAX_NUMBER_OF_CACHE_FILES:
            raise fail("device/cache_files", f"{name} is {number}")


def cyclic_model(level: int) -> hal.Model:
    """Return three ADDs for which no order exists: operand 3 = 0 + 4, operand 4 = 1 + 3, operand 5 = 4 + 0."""
    tensor, kinds = hal.OperandType.TENSOR_FLOAT32, hal.OperandLifeTime
    count = 0 if level <= LAST_HIDL_LEVEL else None
    lifetimes = (kinds.SUBGRAPH_INPUT,) * 2 + (kinds.TEMPORARY_VARIABLE,) * 2 + (kinds.SUBGRAPH_OUTPUT,)
    tensors = [hal.Operand(tensor, (1,), lifetime=kind, number_of_consumers=count) for kind in lifetimes]
    activation = hal.Operand(hal.OperandType.INT32, lifetime=kinds.SUBGRAPH_INPUT, number_of_consumers=count)
    add = hal.OperationType.ADD
    operations = (
        hal.Operation(add, (0, 4, 2), (3,)),
        hal.Operation(add, (1, 3, 2), (4,)),
        hal.Operation(add, (4, 0, 2), (5,)),
    )
    main = hal.Subgraph((*tensors[:2], activation, *tensors[2:]), operations, (0, 1, 2), (5,))
    return hal.Model(recounted(main))


@check(
    _SUITE, "CycleTest", rules=("prepare/notified_at_once", "model/order.read_before_write", "prepare/notified_once")
)
def cycle(subject: Subject, _: None) -> None:
    """Every method refuses a model with a cycle; the refused preparation is notified, too."""
    cyclic = Mutant("the operations form a cycle", cyclic_model(subject.feature_level))
    try_question(subject, cyclic)
    ledger = Ledger(subject, "prepare")
    try_preparation(subject, ledger, cyclic.model, hal.PrepareModelConfig(), cyclic.description)
    ledger.settle()
    require_simplest(subject)


_RESTART_SUITE: Final = "RestartTest"
_RESTARTS: Final = 2
"""Restarts, one after the other."""


def _ask_mobilenet(subject: Subject) -> tuple[bool, ...]:
    """Return the driver's answer to getSupportedOperations for a small MobileNet."""
    with built_model(small_mobilenet(hal.OperandType.TENSOR_FLOAT32), subject.feature_level) as model:
        return ask_supported(subject, model)


_QUERIES: Final[dict[str, Callable[[Subject], Any]]] = {
    "name": lambda subject: subject.device.name,
    "getFeatureLevel": lambda subject: subject.device.get_feature_level(),
    "getVersionString": lambda subject: subject.device.get_version_string(),
    "getType": lambda subject: subject.device.get_type(),
    "getCapabilities": lambda subject: subject.device.get_capabilities(),
    "getSupportedExtensions": lambda subject: subject.device.get_supported_extensions(),
    "getNumberOfCacheFilesNeeded": lambda subject: subject.device.get_number_of_cache_files_needed(),
    "getSupportedOperations": _ask_mobilenet,
}
"""Questions whose answers a restart must not change, by the methods of the HAL."""


@check(
    _RESTART_SUITE,
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
