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

_LEVEL: Final = 3
_SUPPORT_LEVEL: Final = 5
_UNKNOWN: Final = TextArgument("com.example.nobody.has.this")
_NEVER: Final = "getDevice index out of range BAD_DATA"
_NULL_CONTEXT: Final = "74 and 77 return UNEXPECTED_NULL when context is NULL"
_ZEROED: Final = "Out parameters are zeroed/nulled before argument checks (72, 73, 75, 76)"
_UNKNOWN_KIND: Final = "73 unknown kind BAD_DATA; 76/77 index BAD_DATA"


def _nothing(_: Base) -> tuple[CallStep, ...]:
    return ()


def _asking(function: str, ctype: str, *, level: int = _LEVEL) -> CallRow:
    return CallRow(
        function,
        level,
        _nothing,
        lambda _: ("device", WritablePlace("given", ctype)),
        "**Devices.**",
        nulls={"device": 0, "place": 1},
    )


def _performance(_: Base) -> dict[str, Wrong]:
    return {
        "kind_below": Wrong({1: -1}, cites=_UNKNOWN_KIND),
        "kind_above": Wrong({1: 4}, cites=_UNKNOWN_KIND),
    }


def _looping(function: str, name: str) -> CallStep:
    number = {"_getDefaultLoopTimeout": 2 * 10**9, "_getMaximumLoopTimeout": 15 * 10**9}[function]
    return call(function, codes=(number,), rule="c_api/written", cites=name)


ROWS: Final = (
    CallRow(
        "_getDeviceCount",
        _LEVEL,
        _nothing,
        lambda _: (WritablePlace("count", "uint32_t"),),
        "**Devices.**",
        nulls={"place": 0},
    ),
    CallRow(
        "_getDevice",
        _LEVEL,
        _nothing,
        lambda _: (0, New("first")),
        _NEVER,
        nulls={"place": 1},
        wrong=lambda _: {"index_beyond": Wrong({0: 1_000_000}), "index_highest": Wrong({0: FAR})},
    ),
    _asking("Device_getName", "const char*"),
    _asking("Device_getVersion", "const char*"),
    _asking("Device_getType", "int32_t"),
    _asking("Device_getFeatureLevel", "int64_t"),
    CallRow("Device_wait", 4, _nothing, lambda _: ("device",), "wait: maps the driver's error", nulls={"device": 0}),
    CallRow(
        "Device_getExtensionSupport",
        _SUPPORT_LEVEL,
        _nothing,
        lambda _: ("device", _UNKNOWN, WritablePlace("has", "bool", begin=1)),
        "**Devices.**",
        nulls={"device": 0, "name": 1, "place": 2},
    ),
    CallRow(
        "Device_getNumberOfCacheFilesNeeded",
        _SUPPORT_LEVEL,
        _nothing,
        lambda _: ("device", WritablePlace("models", "uint32_t"), WritablePlace("data", "uint32_t")),
        _ZEROED,
        nulls={"device": 0, "models": 1, "data": 2},
    ),
    CallRow(
        "Device_getPerformanceInfo",
        _SUPPORT_LEVEL,
        _nothing,
        lambda _: ("device", 0, WritablePlace("given", "SL_ANeuralNetworksPerformanceInfo")),
        _ZEROED,
        nulls={"device": 0, "place": 2},
        wrong=_performance,
        right=lambda _: {f"kind_{number}": {1: number} for number in range(4)},
    ),
    CallRow(
        "Device_forEachOperandPerformanceInfo",
        _SUPPORT_LEVEL,
        _nothing,
        lambda _: ("device", b"context", Callback()),
        _NULL_CONTEXT,
        nulls={"device": 0, "callback": 2},
        wrong=lambda _: {"null_context": Wrong({1: None}, NULL)},
    ),
    CallRow(
        "Device_getVendorExtensionCount",
        _SUPPORT_LEVEL,
        _nothing,
        lambda _: ("device", WritablePlace("count", "uint32_t")),
        _ZEROED,
        nulls={"device": 0, "place": 1},
    ),
)


def _zeroed(function: str, *places: WritablePlace) -> tuple[int, tuple[CallStep, ...]]:
    """A call without a device leaves zeros in the places."""
    written = tuple(Written(place.name, (0,)) for place in places)
    return _SUPPORT_LEVEL, (call(function, None, *places, codes=NULL, written=written, cites=_ZEROED),)


SEQUENCES: Final = {
    "Device_getNumberOfCacheFilesNeeded/zeroed": _zeroed(
        "Device_getNumberOfCacheFilesNeeded",
        *(WritablePlace(name, "uint32_t", begin=7) for name in ("models", "data")),
    ),
    "Device_getVendorExtensionCount/zeroed": _zeroed(
        "Device_getVendorExtensionCount", WritablePlace("count", "uint32_t", begin=7)
    ),
    "_getDefaultLoopTimeout/value": (4, (_looping("_getDefaultLoopTimeout", "getDefaultLoopTimeout 2e9"),)),
    "_getMaximumLoopTimeout/value": (4, (_looping("_getMaximumLoopTimeout", "getMaximumLoopTimeout 15e9 (ns)"),)),
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
