"""Tables of the C functions that ask a library and its devices, and of those that only support libraries have.

The constants quote the sentences of docs/contract/c-api.md on which the expected results rest.
:mod:`nnvet.conformance.suites.c_api.tables` defines the form of a row, :mod:`nnvet.conformance.suites.c_api.checks`
runs the cases.
"""

from __future__ import annotations

from typing import Final

from nnvet.adapters.nnapi.sequences import Callback, CallStep, New, TextArgument, WritablePlace, Written
from nnvet.conformance.suites.c_api.tables import CallRow, Wrong
from nnvet.conformance.suites.c_api.vocabulary import FAR, NULL, Base, call

# Other texts are sentences of docs/contract/c-api.md, which the steps cite.
_LEVEL: Final = 3
"""First feature level at which a library lists devices."""
_SUPPORT_LEVEL: Final = 5
"""First feature level of support libraries."""
_UNKNOWN: Final = TextArgument("com.example.nobody.has.this")
"""Name of an extension that no driver has."""
_NEVER: Final = "getDevice index out of range BAD_DATA"
_NULL_CONTEXT: Final = "74 and 77 return UNEXPECTED_NULL when context is NULL"
_ZEROED: Final = "Out parameters are zeroed/nulled before argument checks (72, 73, 75, 76)"
_UNKNOWN_KIND: Final = "73 unknown kind BAD_DATA; 76/77 index BAD_DATA"


def _begin_with_nothing(_: Base) -> tuple[CallStep, ...]:
    """Return no steps: the function needs no objects."""
    return ()


def _make_question(function: str, ctype: str, *, level: int = _LEVEL) -> CallRow:
    """Return the row of a function that writes one property of a device."""
    return CallRow(
        function,
        level,
        _begin_with_nothing,
        lambda _: ("device", WritablePlace("given", ctype)),
        "**Devices.**",
        nulls={"device": 0, "place": 1},
    )


def _list_wrong_kinds(_: Base) -> dict[str, Wrong]:
    """Return kinds of performance figures that do not exist."""
    return {
        "kind_below": Wrong({1: -1}, cites=_UNKNOWN_KIND),
        "kind_above": Wrong({1: 4}, cites=_UNKNOWN_KIND),
    }


def _ask_loop_timeout(function: str, name: str) -> CallStep:
    """Return the step that asks for a loop timeout, whose value the contract states in nanoseconds."""
    number = {"_getDefaultLoopTimeout": 2 * 10**9, "_getMaximumLoopTimeout": 15 * 10**9}[function]
    return call(function, codes=(number,), rule="c_api/written", cites=name)


ROWS: Final = (
    CallRow(
        "_getDeviceCount",
        _LEVEL,
        _begin_with_nothing,
        lambda _: (WritablePlace("count", "uint32_t"),),
        "**Devices.**",
        nulls={"place": 0},
    ),
    CallRow(
        "_getDevice",
        _LEVEL,
        _begin_with_nothing,
        lambda _: (0, New("first")),
        _NEVER,
        nulls={"place": 1},
        wrong=lambda _: {"index_beyond": Wrong({0: 1_000_000}), "index_highest": Wrong({0: FAR})},
    ),
    _make_question("Device_getName", "const char*"),
    _make_question("Device_getVersion", "const char*"),
    _make_question("Device_getType", "int32_t"),
    _make_question("Device_getFeatureLevel", "int64_t"),
    CallRow(
        "Device_wait",
        4,
        _begin_with_nothing,
        lambda _: ("device",),
        "wait: maps the driver's error",
        nulls={"device": 0},
    ),
    CallRow(
        "Device_getExtensionSupport",
        _SUPPORT_LEVEL,
        _begin_with_nothing,
        lambda _: ("device", _UNKNOWN, WritablePlace("has", "bool", begin=1)),
        "**Devices.**",
        nulls={"device": 0, "name": 1, "place": 2},
    ),
    CallRow(
        "Device_getNumberOfCacheFilesNeeded",
        _SUPPORT_LEVEL,
        _begin_with_nothing,
        lambda _: ("device", WritablePlace("models", "uint32_t"), WritablePlace("data", "uint32_t")),
        _ZEROED,
        nulls={"device": 0, "models": 1, "data": 2},
    ),
    CallRow(
        "Device_getPerformanceInfo",
        _SUPPORT_LEVEL,
        _begin_with_nothing,
        lambda _: ("device", 0, WritablePlace("given", "SL_ANeuralNetworksPerformanceInfo")),
        _ZEROED,
        nulls={"device": 0, "place": 2},
        wrong=_list_wrong_kinds,
        right=lambda _: {f"kind_{number}": {1: number} for number in range(4)},
    ),
    CallRow(
        "Device_forEachOperandPerformanceInfo",
        _SUPPORT_LEVEL,
        _begin_with_nothing,
        lambda _: ("device", b"context", Callback()),
        _NULL_CONTEXT,
        nulls={"device": 0, "callback": 2},
        wrong=lambda _: {"null_context": Wrong({1: None}, NULL)},
    ),
    CallRow(
        "Device_getVendorExtensionCount",
        _SUPPORT_LEVEL,
        _begin_with_nothing,
        lambda _: ("device", WritablePlace("count", "uint32_t")),
        _ZEROED,
        nulls={"device": 0, "place": 1},
    ),
)
"""The table of single functions."""


def _make_zeroed(function: str, *places: WritablePlace) -> tuple[int, tuple[CallStep, ...]]:
    """Return the level and the steps of a call without a device, which has to leave zeros in the places."""
    written = tuple(Written(place.name, (0,)) for place in places)
    return _SUPPORT_LEVEL, (call(function, None, *places, codes=NULL, written=written, cites=_ZEROED),)


SEQUENCES: Final = {
    "Device_getNumberOfCacheFilesNeeded/zeroed": _make_zeroed(
        "Device_getNumberOfCacheFilesNeeded",
        *(WritablePlace(name, "uint32_t", begin=7) for name in ("models", "data")),
    ),
    "Device_getVendorExtensionCount/zeroed": _make_zeroed(
        "Device_getVendorExtensionCount", WritablePlace("count", "uint32_t", begin=7)
    ),
    "_getDefaultLoopTimeout/value": (4, (_ask_loop_timeout("_getDefaultLoopTimeout", "getDefaultLoopTimeout 2e9"),)),
    "_getMaximumLoopTimeout/value": (
        4,
        (_ask_loop_timeout("_getMaximumLoopTimeout", "getMaximumLoopTimeout 15e9 (ns)"),),
    ),
    "Device_getExtensionSupport/unknown_name": (
        _SUPPORT_LEVEL,
        (
            call(
                "Device_getExtensionSupport",
                "device",
                _UNKNOWN,
                WritablePlace("has", "bool", begin=1),
                written=(Written("has", (0,)),),
                cites="getExtensionSupport writes false for a name that no driver has",
            ),
        ),
    ),
    "Device_getVendorExtensionName/index_beyond": (
        _SUPPORT_LEVEL,
        (
            call(
                "Device_getVendorExtensionName",
                "device",
                FAR,
                WritablePlace("name", "const char*"),
                codes=(4,),
                written=(Written("name", (0,)),),
                cites=_UNKNOWN_KIND,
            ),
        ),
    ),
    "Device_forEachVendorExtensionOperandTypeInformation/index_beyond": (
        _SUPPORT_LEVEL,
        (
            call(
                "Device_forEachVendorExtensionOperandTypeInformation",
                "device",
                FAR,
                b"context",
                Callback(),
                codes=(4,),
                cites=_UNKNOWN_KIND,
            ),
        ),
    ),
}
"""Further sequences by the names of their cases, each with the feature level that it needs."""
