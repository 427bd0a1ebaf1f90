"""Tables of the C functions that compile a model: right arguments, wrong ones and wrong states, with their results.

The constants quote the sentences of docs/contract/c-api.md on which the expected results rest.
:mod:`nnvet.conformance.suites.c_api.tables` defines the form of a row, :mod:`nnvet.conformance.suites.c_api.checks`
runs the cases.
"""

from __future__ import annotations

from typing import Final

from nnvet.adapters.nnapi.sequences import (
    FOLDER,
    KEPT,
    CallStep,
    New,
    NumberArray,
    ObjectPointers,
    Path,
    TextArgument,
    WritablePlace,
    Written,
)
from nnvet.conformance.suites.c_api import vocabulary
from nnvet.conformance.suites.c_api.tables import CallRow, Wrong
from nnvet.conformance.suites.c_api.vocabulary import BAD_DATA, DEVICES, FAR, NULL, Base, Given, Steps, call

# Texts are sentences of docs/contract/c-api.md, which the steps cite.
_TOKEN: Final = bytes(range(32))
"""A cache token of the right size."""
_CREATED: Final = "create/createForDevices: unfinished/invalid model BAD_STATE; 0 devices or duplicates or"
_LATE: Final = "Setters after finish BAD_STATE"
_PREFERENCE: Final = "setPreference: ≥ 3 BAD_DATA"
_PRIORITY: Final = "setPriority: other than 90/100/110 BAD_DATA"
_ONE_DEVICE: Final = "setTimeout: needs explicit single device else BAD_DATA; 0 removes the time-out"
_FINISHED: Final = "finish twice BAD_STATE"
_PREFERRED: Final = "before finish or failed compilation BAD_STATE; index BAD_DATA"
_CACHING: Final = "setCaching: directory gets a trailing `/`"
_ATTRIBUTES: Final = "addExtensionAttribute: single explicit device else BAD_DATA; repeated token BAD_DATA"
_INVALID: Final = "full validation BAD_DATA"
_FOREVER: Final = 2**64 - 1
"""The longest time-out."""
_EXTENSION: Final = TextArgument("com.example.nnvet.checked")
"""Name of an extension that no driver has."""
_BOTH: Final = ObjectPointers("Device", ("device0", "device1"))
"""A list of two devices."""
_ATTRIBUTE: Final = (_EXTENSION, 3, b"value", 5)
"""Arguments of an attribute: extension, code, value and its length."""
ATTRIBUTE_LEVEL: Final = 8
"""First feature level with attributes of extensions."""
FINISH: Final = call("Compilation_finish", "compilation", cites=_FINISHED)
"""The step that finishes the compilation, for sequences in other tables, too."""


def _finish_first(_: Base) -> dict[str, Steps]:
    """Return steps after which setters are refused, by the name of the case."""
    return {"after_finish": (FINISH,)}


def failed_model(base: Base) -> Steps:
    """Return steps that make a model without an operation, which cannot be finished."""
    return (*vocabulary.with_operands(base), call("Model_finish", "model", codes=BAD_DATA, cites=_INVALID))


def _make_create(function: str, level: int, *arguments: Given, nulls: dict[str, int]) -> CallRow:
    """Return the row of a function that creates a compilation; ``nulls`` are the positions of its pointers."""
    several: dict[str, Wrong] = {}
    if "devices" in nulls:
        several = {
            "no_devices": Wrong({2: 0}),
            "device_twice": Wrong({1: ObjectPointers("Device", ("device", "device")), 2: 2}),
            "null_device": Wrong(
                {1: ObjectPointers("Device", (None,))}, NULL, "a required null pointer → UNEXPECTED_NULL"
            ),
        }
    return CallRow(
        function,
        level,
        vocabulary.finished_model,
        lambda _: arguments,
        _CREATED,
        nulls=nulls,
        wrong=lambda _: several,
        early=lambda base: {"unfinished_model": vocabulary.complete_model(base), "failed_model": failed_model(base)},
    )


def _make_setter(function: str, level: int, *arguments: Given, **more: object) -> CallRow:
    """Return the row of a setter of an open compilation, whose other arguments are right."""
    options = {"nulls": {"compilation": 0}, "late": _finish_first, "state_cites": _LATE, **more}
    return CallRow(function, level, vocabulary.open_compilation, lambda _: ("compilation", *arguments), **options)  # type: ignore[arg-type]


def _make_preferred(what: str, side: str) -> CallRow:
    """Return the row of a question for the preferred alignment or padding of inputs or outputs."""
    return CallRow(
        f"Compilation_getPreferredMemory{what}For{side}",
        5,
        vocabulary.finished_compilation,
        lambda _: ("compilation", 0, WritablePlace("preferred", "uint32_t")),
        _PREFERRED,
        nulls={"compilation": 0, "place": 2},
        wrong=lambda _: {
            name: Wrong({1: index})
            for name, index in {"index_beyond": 2, "index_far": 1000, "index_highest": FAR}.items()
        },
        early=lambda base: {"before_finish": vocabulary.open_compilation(base)},
    )


def _with_folder(base: Base) -> Steps:
    """Return steps that make an open compilation and a folder for its cache."""
    return (*vocabulary.open_compilation(base), CallStep(FOLDER, ("folder",)))


ROWS: Final = (
    _make_create("Compilation_create", 1, "model", New("compilation"), nulls={"model": 0, "place": 1}),
    _make_create(
        "Compilation_createForDevices",
        3,
        *("model", DEVICES, 1, New("compilation")),
        nulls={"model": 0, "devices": 1, "place": 3},
    ),
    _make_setter(
        "Compilation_setPreference",
        1,
        1,
        cites=_PREFERENCE,
        wrong=lambda _: {"next": Wrong({1: 3}), "far": Wrong({1: 40})},
        right=lambda _: {f"preference_{number}": {1: number} for number in range(3)},
    ),
    _make_setter(
        "Compilation_setPriority",
        4,
        100,
        cites=_PRIORITY,
        wrong=lambda _: {f"priority_{number}": Wrong({1: number}) for number in (-1, 0, 89, 91, 99, 101, 109, 111)},
        right=lambda _: {f"priority_{number}": {1: number} for number in (90, 110)},
    ),
    _make_setter(
        "Compilation_setTimeout",
        4,
        60 * 10**9,
        cites=_ONE_DEVICE,
        right=lambda _: {"none": {1: 0}, "longest": {1: _FOREVER}},
    ),
    CallRow(
        "Compilation_setCaching",
        3,
        _with_folder,
        lambda _: ("compilation", Path("folder"), _TOKEN),
        _CACHING,
        nulls={"compilation": 0, "folder": 1, "token": 2},
        late=_finish_first,
        state_cites=_LATE,
    ),
    CallRow(
        "Compilation_setCachingFromFds",
        5,
        lambda base: (*vocabulary.open_compilation(base), *vocabulary.shared_memory(bytes(8))),
        lambda _: ("compilation", None, 0, None, 0, _TOKEN),
        "fds duplicated (bad fd BAD_DATA)",
        nulls={"compilation": 0, "token": 5},
        wrong=lambda _: {
            "bad_model_file": Wrong({1: NumberArray("int", (-1,)), 2: 1}),
            "bad_data_file": Wrong({3: NumberArray("int", (-1,)), 4: 1}),
        },
        late=_finish_first,
        state_cites="after finish BAD_STATE",
    ),
    _make_setter(
        "Compilation_addExtensionAttribute",
        ATTRIBUTE_LEVEL,
        *(_EXTENSION, 3, b"value", 5),
        nulls={"compilation": 0, "extension": 1},
        cites=_ATTRIBUTES,
    ),
    CallRow(
        "Compilation_finish",
        1,
        vocabulary.open_compilation,
        lambda _: ("compilation",),
        _FINISHED,
        nulls={"compilation": 0},
        late=lambda _: {"twice": ()},
        state_cites=_FINISHED,
    ),
    *(_make_preferred(what, side) for what in ("Alignment", "Padding") for side in ("Input", "Output")),
)
"""The table of single functions."""


def _make_refusals(base: Base) -> dict[str, tuple[int, Steps]]:
    """Return sequences with settings that need exactly one device, named by the client.

    Without a list of devices, or with two, the settings are refused.
    """
    settings: dict[str, tuple[int, tuple[Given, ...], str]] = {
        "Compilation_setTimeout": (4, (10**9,), _ONE_DEVICE),
        "Compilation_addExtensionAttribute": (ATTRIBUTE_LEVEL, _ATTRIBUTE, _ATTRIBUTES),
    }
    without_list = (*vocabulary.finished_model(base), call("Compilation_create", "model", New("compilation")))
    two = vocabulary.open_compilation(base, devices=_BOTH)
    found: dict[str, tuple[int, Steps]] = {}
    for function, (level, given, cites) in settings.items():
        refused = call(function, "compilation", *given, codes=BAD_DATA, cites=cites)
        found[f"{function}/without_devices"] = level, (*without_list, refused, FINISH)
        found[f"{function}/two_devices"] = level, (*two, refused, FINISH)
    function = "Compilation_addExtensionAttribute"
    first, other = (call(function, "compilation", _EXTENSION, code, b"value", 5, cites=_ATTRIBUTES) for code in (3, 4))
    again = call(function, "compilation", *_ATTRIBUTE, codes=BAD_DATA, cites=_ATTRIBUTES)
    found[f"{function}/twice"] = ATTRIBUTE_LEVEL, (*vocabulary.open_compilation(base), first, other, again)
    return found


def sequences(base: Base) -> dict[str, tuple[int, Steps]]:
    """Return further sequences by the names of their cases, each with the feature level that it needs."""
    caching = call("Compilation_setCaching", "compilation", Path("folder"), _TOKEN)
    again = call("Compilation_createForDevices", "model", DEVICES, 1, New("second"))
    kept = CallStep(KEPT, ("folder",), optional=True)
    many_files = call(
        "Compilation_setCachingFromFds",
        *("compilation", None, 0, NumberArray("int", (0,) * 40), 40, _TOKEN),
        cites="mismatch: no error, caching skipped",
    )
    second = (again, *_cache_second(), *_compute_with_second(base))
    return {
        **_make_refusals(base),
        "Compilation_free/null": (1, (call("Compilation_free", None, codes=(), cites="`*_free(NULL)` allowed"),)),
        "Compilation_setCaching/same_folder": (3, (*_with_folder(base), caching, FINISH, *second)),
        "Compilation_setCaching/kept": (3, (*_with_folder(base), caching, FINISH, kept, *second)),
        "Compilation_setCachingFromFds/other_number": (
            5,
            (*vocabulary.open_compilation(base), many_files, FINISH),
        ),
        "Compilation_finish/one_model_twice": (
            3,
            (
                *vocabulary.finished_compilation(base),
                again,
                call("Compilation_finish", "second"),
                *_compute_with_second(base),
            ),
        ),
    }


def _cache_second() -> Steps:
    """Return steps that give the second compilation the same folder and token, and finish it."""
    return (
        call("Compilation_setCaching", "second", Path("folder"), _TOKEN, cites=_CACHING),
        call("Compilation_finish", "second", cites=_FINISHED),
    )


def _compute_with_second(base: Base) -> Steps:
    """Return steps that compute with the second compilation."""
    written: tuple[Written, ...] = vocabulary.right_result(base)
    return (
        call("Execution_create", "second", New("execution")),
        *vocabulary.set_arguments(base),
        call("Execution_compute", "execution", written=written, cites="compute | executeSynchronously"),
    )
