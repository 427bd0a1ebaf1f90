"""Tables of the C functions that set up an execution, run it and ask for its results.

The constants quote the sentences of docs/contract/c-api.md on which the expected results rest.
:mod:`nnvet.conformance.suites.c_api.tables` defines the form of a row, :mod:`nnvet.conformance.suites.c_api.checks`
runs the cases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nnvet.adapters.nnapi.sequences import (
    CallStep,
    New,
    ObjectPointers,
    OperandTypeData,
    TextArgument,
    WritablePlace,
    Written,
)
from nnvet.conformance.suites.c_api import vocabulary
from nnvet.conformance.suites.c_api.compilation_calls import ATTRIBUTE_LEVEL
from nnvet.conformance.suites.c_api.tables import INDEX_CITED, CallRow, Wrong
from nnvet.hal.enums import OperandType

# Texts are sentences of docs/contract/c-api.md, which the steps cite.
_LATE: Final = "All setters after computation started BAD_STATE"
_INDEX: Final = "setInput/setOutput: index BAD_DATA; same argument set twice BAD_STATE"
_TYPE: Final = "type (optional new dimensions) incompatible"
_LENGTH: Final = "exactly the size when dimensions are"
_PADDED: Final = "larger only with enableInputAndOutputPadding(true), smaller never"
_PLACE: Final = "plain memory offset+length ≤ size and not (0,0)"
_OMITTED: Final = "NULL+0 = omitted"
_STARTED: Final = "BAD_STATE once started; padding switch also BAD_STATE after any setInput/Output call"
_ONE_DEVICE: Final = "setMeasureTiming, setTimeout, addExtensionAttribute: single explicit device else BAD_DATA"
_AGAIN: Final = "in progress, or completed and not reusable → BAD_STATE"
_UNSET: Final = "any argument unset → BAD_DATA"
_SHAPES: Final = "getOutputOperandRank/Dimensions: before completion BAD_STATE"
_DURATION: Final = "getDuration: bad code BAD_DATA; not completed / failed / not measured BAD_STATE"
_CREATED: Final = "create: unfinished/failed compilation BAD_STATE"
_DEPENDENCIES: Final = "event NULL or null dependency UNEXPECTED_NULL"
_BURST: Final = "burst of another compilation BAD_DATA; burst busy BAD_STATE"
_FOREVER: Final = 2**64 - 1
"""The longest time-out, and the duration of an execution that was not measured."""
_MEMORY_BYTES: Final = 20
"""Size of the memory object: some bytes more than an operand of any base has."""
_EXTENSION: Final = TextArgument("com.example.nnvet.checked")
"""Name of an extension that no driver has."""
_BOTH: Final = ObjectPointers("Device", ("device0", "device1"))
"""A list of two devices."""


def with_memory(begin: Callable[[vocabulary.Base], vocabulary.Steps], base: vocabulary.Base) -> vocabulary.Steps:
    """Return the steps of ``begin``, and one that makes a memory object with some more bytes than are needed."""
    return (*begin(base), *vocabulary.shared_memory(bytes(_MEMORY_BYTES)))


def set_and_compute(base: vocabulary.Base) -> vocabulary.Steps:
    """Return steps that set the arguments which the execution lacks, and compute."""
    return (*vocabulary.set_arguments(base), vocabulary.COMPUTE)


def _list_wrong_types(base: vocabulary.Base, position: int = 2) -> dict[str, Wrong]:
    """Return types that contradict the model, as the argument at ``position``."""
    other = OperandType.TENSOR_INT32 if base.type != OperandType.TENSOR_INT32 else OperandType.TENSOR_FLOAT32
    wrong = {
        "other_type": OperandTypeData(other, (2,)),
        "other_dimension": base.operand(3),
        "other_rank": base.operand(2, 1),
        "dimensions_null": OperandTypeData(base.type, (2,), base.scale, has_pointer=False),
        "dimensions_not_null": OperandTypeData(base.type, (2,), base.scale, count=0),
    }
    return {name: Wrong({position: given}, cites=_TYPE) for name, given in wrong.items()}


def _list_wrong_indexes(count: int) -> dict[str, Wrong]:
    """Return indexes of arguments that the model does not have; it has ``count``."""
    numbers = {"index_negative": -1, "index_beyond": count, "index_far": 999}
    return {name: Wrong({1: it}, cites=INDEX_CITED if it < 0 else _INDEX) for name, it in numbers.items()}


def _make_pointer_row(side: str) -> CallRow:
    """Return the row of the function that sets an input or output at a pointer."""

    def given(base: vocabulary.Base) -> tuple[vocabulary.Given, ...]:
        buffer = base.first if side == "Input" else WritablePlace("result", "uint8_t", base.size)
        return ("execution", 0, None, buffer, base.size)

    def wrong(base: vocabulary.Base) -> dict[str, Wrong]:
        space = WritablePlace("result", "uint8_t", _MEMORY_BYTES)
        return {
            **_list_wrong_indexes(2 if side == "Input" else 1),
            **_list_wrong_types(base),
            "too_long": Wrong({3: space, 4: _MEMORY_BYTES}, cites=_LENGTH),
            "too_short": Wrong({4: base.size - 1}, cites=_LENGTH),
            "null_with_length": Wrong({3: None}, vocabulary.REFUSED, _OMITTED),
        }

    return CallRow(
        f"Execution_set{side}",
        1,
        vocabulary.open_execution,
        given,
        _INDEX,
        nulls={"execution": 0},
        wrong=wrong,
        right=lambda base: {"same_type": {2: base.operand()}},
        late=lambda _: {"twice": ()},
        early=lambda base: {"after_compute": vocabulary.computed_execution(base)},
        state_cites=_INDEX,
    )


def _make_memory_row(side: str) -> CallRow:
    """Return the row of the function that sets an input or output in a memory object."""

    def wrong(base: vocabulary.Base) -> dict[str, Wrong]:
        return {
            **_list_wrong_indexes(2 if side == "Input" else 1),
            **_list_wrong_types(base),
            "too_long": Wrong({5: base.size + 1}, cites=_LENGTH),
            "too_short": Wrong({5: base.size - 1}, cites=_LENGTH),
            "offset_beyond": Wrong({4: _MEMORY_BYTES + 1}, cites=_PLACE),
            "end_beyond": Wrong({4: _MEMORY_BYTES - base.size + 1}, cites=_PLACE),
            "nothing": Wrong({4: 0, 5: 0}, cites=_PLACE),
        }

    return CallRow(
        f"Execution_set{side}FromMemory",
        1,
        lambda base: with_memory(vocabulary.open_execution, base),
        lambda base: ("execution", 0, None, "memory", 4, base.size),
        _PLACE,
        nulls={"execution": 0, "memory": 3},
        wrong=wrong,
        right=lambda base: {"same_type": {2: base.operand()}, "at_the_end": {4: _MEMORY_BYTES - base.size}},
        late=lambda _: {"twice": ()},
        early=lambda base: {"after_compute": with_memory(vocabulary.computed_execution, base)},
        state_cites=_INDEX,
    )


def _make_setter(function: str, level: int, *given: vocabulary.Given, **more: Any) -> CallRow:
    """Return the row of a setter of an open execution, whose other arguments are right."""
    options: dict[str, Any] = {"nulls": {"execution": 0}, "state_cites": _LATE, **more}
    return CallRow(
        function,
        level,
        vocabulary.open_execution,
        lambda _: ("execution", *given),
        late=lambda base: {"after_compute": set_and_compute(base)},
        **options,
    )


MODES: Final[dict[str, tuple[int, Callable[[str, str], CallStep]]]] = {
    "compute": (3, lambda execution, _: vocabulary.call("Execution_compute", execution)),
    "start": (1, lambda execution, event: vocabulary.call("Execution_startCompute", execution, New(event))),
    "burst": (3, lambda execution, _: vocabulary.call("Execution_burstCompute", execution, "burst")),
    "fenced": (vocabulary.FENCED_LEVEL, lambda execution, event: vocabulary.launch_fenced(event, execution)),
}
"""Functions that return the step which runs an execution, by mode, each with its level and the name of its event."""
EVENTFUL: Final = ("start", "fenced")
"""Modes that make an event, which has to be waited for."""


def run_to_end(mode: str, execution: str = "execution", event: str = "event") -> vocabulary.Steps:
    """Return steps that run an execution to its end."""
    _, start = MODES[mode]
    run = (start(execution, event),)
    return (*run, vocabulary.call("Event_wait", event, rule="c_api/accepted")) if mode in EVENTFUL else run


def with_burst(begin: Callable[[vocabulary.Base], vocabulary.Steps], base: vocabulary.Base) -> vocabulary.Steps:
    """Return the steps of ``begin``, which make a compilation, and one that makes a burst of it."""
    return (*begin(base), vocabulary.call("Burst_create", "compilation", New("burst")))


def _make_run(mode: str, function: str, nulls: dict[str, int]) -> CallRow:
    """Return the row of a function that runs an execution; a second run is refused."""
    level, start = MODES[mode]
    right = start("execution", "event")

    def early(base: vocabulary.Base) -> dict[str, vocabulary.Steps]:
        before = with_burst(vocabulary.ready_execution, base)
        return {f"after_{name}": (*before, *run_to_end(name, event="before")) for name in MODES}

    def unset(base: vocabulary.Base) -> dict[str, Wrong]:
        del base
        return {}

    return CallRow(
        function,
        level,
        lambda base: with_burst(vocabulary.ready_execution, base),
        lambda _: right.arguments,
        _AGAIN,
        nulls=nulls,
        wrong=unset,
        early=early,
        state_cites=_AGAIN,
    )


def _make_report(function: str, ctype: str) -> CallRow:
    """Return the row of a question for the rank or dimensions of an output."""
    return CallRow(
        f"Execution_getOutputOperand{function}",
        3,
        vocabulary.computed_execution,
        lambda _: ("execution", 0, WritablePlace("given", ctype)),
        _SHAPES,
        nulls={"execution": 0, "place": 2},
        wrong=lambda _: {
            name: Wrong({1: index}, cites="index BAD_DATA")
            for name, index in {"index_negative": -1, "index_far": 999}.items()
        },
        early=lambda base: {"before_compute": vocabulary.ready_execution(base)},
    )


def measured_execution(base: vocabulary.Base) -> vocabulary.Steps:
    """Return steps that make and run an execution whose time is measured."""
    return (
        *vocabulary.ready_execution(base),
        vocabulary.call("Execution_setMeasureTiming", "execution", True),
        vocabulary.COMPUTE,
    )


ROWS: Final = (
    CallRow(
        "Execution_create",
        1,
        vocabulary.finished_compilation,
        lambda _: ("compilation", New("execution")),
        _CREATED,
        nulls={"compilation": 0, "place": 1},
        early=lambda base: {"unfinished_compilation": vocabulary.open_compilation(base)},
    ),
    *map(_make_pointer_row, ("Input", "Output")),
    *map(_make_memory_row, ("Input", "Output")),
    _make_setter(
        "Execution_setLoopTimeout",
        4,
        10**9,
        cites="setLoopTimeout (clamped to 15 s)",
        right=lambda _: {"above_maximum": {1: 60 * 10**9}, "longest": {1: _FOREVER}},
    ),
    _make_setter(
        "Execution_setReusable", vocabulary.REUSABLE_LEVEL, True, cites=_STARTED, right=lambda _: {"not": {1: False}}
    ),
    _make_setter(
        "Execution_enableInputAndOutputPadding",
        vocabulary.REUSABLE_LEVEL,
        True,
        cites=_STARTED,
        state_cites=_STARTED,
        right=lambda _: {"not": {1: False}},
    ),
    _make_setter("Execution_setMeasureTiming", 3, True, cites=_ONE_DEVICE, right=lambda _: {"not": {1: False}}),
    _make_setter(
        "Execution_setTimeout",
        4,
        60 * 10**9,
        cites=_ONE_DEVICE,
        right=lambda _: {"none": {1: 0}, "longest": {1: _FOREVER}},
    ),
    _make_setter(
        "Execution_addExtensionAttribute",
        ATTRIBUTE_LEVEL,
        *(_EXTENSION, 3, b"value", 5),
        cites=_ONE_DEVICE,
        nulls={"execution": 0, "extension": 1},
    ),
    _make_run("compute", "Execution_compute", {"execution": 0}),
    _make_run("start", "Execution_startCompute", {"execution": 0, "place": 1}),
    _make_run("burst", "Execution_burstCompute", {"execution": 0, "burst": 1}),
    _make_run("fenced", "Execution_startComputeWithDependencies", {"execution": 0, "place": 4}),
    _make_report("Rank", "uint32_t"),
    _make_report("Dimensions", "uint32_t"),
    CallRow(
        "Execution_getDuration",
        3,
        measured_execution,
        lambda _: ("execution", 0, WritablePlace("duration", "uint64_t")),
        _DURATION,
        nulls={"execution": 0, "place": 2},
        wrong=lambda _: {"code_negative": Wrong({1: -1}), "code_beyond": Wrong({1: 4})},
        right=lambda _: {f"code_{number}": {1: number} for number in (1, 2, 3)},
        early=lambda base: {
            "before_compute": vocabulary.ready_execution(base),
            "not_measured": vocabulary.computed_execution(base),
        },
    ),
)
"""The table of single functions."""


def _make_unset(mode: str, base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return runs that are refused because the execution lacks all arguments, or its output."""
    level, start = MODES[mode]
    function = start("execution", "event").function
    step = start("execution", "wrong")
    unset = vocabulary.call(function, *step.arguments, codes=vocabulary.BAD_DATA, cites=_UNSET)
    half = vocabulary.set_arguments(base)[:-1]
    return {
        f"{function}/nothing_set": (level, (*with_burst(vocabulary.open_execution, base), unset)),
        f"{function}/no_output_set": (level, (*with_burst(vocabulary.open_execution, base), *half, unset)),
    }


def _refuse_setting(
    base: vocabulary.Base, function: str, *given: vocabulary.Given, devices: ObjectPointers | None
) -> vocabulary.Steps:
    """Return steps in which an execution refuses a setting that needs exactly one device, named by the client.

    ``devices`` are those of its compilation; None: they are not named.
    """
    without_list = (
        *vocabulary.finished_model(base),
        vocabulary.call("Compilation_create", "model", New("compilation")),
    )
    return (
        *(without_list if devices is None else vocabulary.open_compilation(base, devices=devices)),
        vocabulary.call("Compilation_finish", "compilation"),
        vocabulary.call("Execution_create", "compilation", New("execution")),
        vocabulary.call(function, "execution", *given, codes=vocabulary.BAD_DATA, cites=_ONE_DEVICE),
        *set_and_compute(base),
    )


def _make_padding(base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return sequences with arguments that are longer than their operands, with and without padding enabled."""
    enable = vocabulary.call("Execution_enableInputAndOutputPadding", "execution", True, cites=_PADDED)
    late = vocabulary.call(
        "Execution_enableInputAndOutputPadding", "execution", True, codes=vocabulary.BAD_STATE, cites=_STARTED
    )
    long, space = 64, bytes(64)
    longer = (base.first + space)[:long], (base.second + space)[:long]
    padded = (
        *(
            vocabulary.call("Execution_setInput", "execution", at, None, it, long, cites=_PADDED)
            for at, it in enumerate(longer)
        ),
        vocabulary.call(
            "Execution_setOutput", "execution", 0, None, WritablePlace("result", "uint8_t", long), long, cites=_PADDED
        ),
        vocabulary.call("Execution_compute", "execution", written=vocabulary.right_result(base), cites=_PADDED),
    )
    cases: dict[str, vocabulary.Steps] = {"used": (*vocabulary.open_execution(base), enable, *padded)}
    for at, name in enumerate(("input", "second_input", "output")):
        step = vocabulary.set_arguments(base)[at]
        cases[f"after_{name}"] = (*vocabulary.open_execution(base), step, late)
        short = vocabulary.call(
            step.function, *step.arguments[:-1], base.size - 1, codes=vocabulary.BAD_DATA, cites=_PADDED
        )
        cases[f"{name}_too_short"] = (*vocabulary.open_execution(base), enable, short, step)
    for side in ("Input", "Output"):
        given = ("execution", 0, None, "memory", 0)
        function = f"Execution_set{side}FromMemory"
        begin = (*with_memory(vocabulary.open_execution, base), enable)
        short = vocabulary.call(function, *given, base.size - 1, codes=vocabulary.BAD_DATA, cites=_PADDED)
        beyond = vocabulary.call(function, *given, _MEMORY_BYTES + 1, codes=vocabulary.BAD_DATA, cites=_PLACE)
        whole = vocabulary.call(function, *given, _MEMORY_BYTES, cites=_PADDED)
        cases[f"{side.lower()}_in_memory"] = (*begin, short, beyond, whole)
    name = "Execution_enableInputAndOutputPadding"
    return {f"{name}/{case}": (vocabulary.REUSABLE_LEVEL, steps) for case, steps in cases.items()}


def _make_results(base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return sequences that ask for shapes and durations."""
    rank = vocabulary.call(
        "Execution_getOutputOperandRank",
        *("execution", 0, WritablePlace("rank", "uint32_t")),
        written=(Written("rank", (1,)),),
        cites=_SHAPES,
    )
    dimensions = vocabulary.call(
        "Execution_getOutputOperandDimensions",
        *("execution", 0, WritablePlace("dimensions", "uint32_t")),
        written=(Written("dimensions", (2,)),),
        cites=_SHAPES,
    )
    unknown = vocabulary.call(
        "Execution_getDuration",
        *("execution", 0, WritablePlace("duration", "uint64_t", begin=7)),
        codes=vocabulary.BAD_STATE,
        written=(Written("duration", (_FOREVER,)),),
        cites=_DURATION,
    )
    return {
        "Execution_getOutputOperandRank/value": (3, (*vocabulary.computed_execution(base), rank)),
        "Execution_getOutputOperandDimensions/value": (3, (*vocabulary.computed_execution(base), dimensions)),
        "Execution_getDuration/no_duration": (3, (*vocabulary.computed_execution(base), unknown)),
        "Execution_free/null": (
            1,
            (vocabulary.call("Execution_free", None, codes=(), cites="`*_free(NULL)` allowed"),),
        ),
    }


def _make_dependencies(base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return sequences with wrong dependencies of fenced executions."""
    function = "Execution_startComputeWithDependencies"
    begin = vocabulary.ready_execution(base)

    def refused(*given: vocabulary.Given, codes: tuple[int, ...], cites: str) -> CallStep:
        return vocabulary.call(function, "execution", *given, New("wrong"), codes=codes, cites=cites)

    nothing = vocabulary.call(
        function,
        *("execution", None, 0, 0, New("wrong")),
        codes=vocabulary.BAD_DATA,
        written=(Written("wrong", (0,)),),
        rule="c_api/written",
        cites="on failure *event = NULL",
    )
    null_list = refused(None, 1, 0, codes=vocabulary.NULL, cites=_DEPENDENCIES)
    null_entry = refused(ObjectPointers("Event", (None,)), 1, 0, codes=vocabulary.NULL, cites=_DEPENDENCIES)
    return {
        f"{function}/null_list": (vocabulary.FENCED_LEVEL, (*begin, null_list, vocabulary.launch_fenced())),
        f"{function}/null_dependency": (vocabulary.FENCED_LEVEL, (*begin, null_entry, vocabulary.launch_fenced())),
        f"{function}/event_of_a_failure": (vocabulary.FENCED_LEVEL, (*vocabulary.open_execution(base), nothing)),
        f"{function}/two_devices": (
            vocabulary.FENCED_LEVEL,
            (
                *vocabulary.open_compilation(base, devices=_BOTH),
                vocabulary.call("Compilation_finish", "compilation"),
                vocabulary.call("Execution_create", "compilation", New("execution")),
                *vocabulary.set_arguments(base),
                refused(None, 0, 10**9, codes=vocabulary.BAD_DATA, cites="duration > 0 needs a single explicit"),
            ),
        ),
    }


def sequences(base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return further sequences by the names of their cases, each with the feature level that it needs."""
    found: dict[str, tuple[int, vocabulary.Steps]] = {}
    for mode in MODES:
        found |= _make_unset(mode, base)
    settings: tuple[tuple[str, int, tuple[vocabulary.Given, ...]], ...] = (
        ("setMeasureTiming", 3, (True,)),
        ("setTimeout", 4, (10**9,)),
        ("addExtensionAttribute", ATTRIBUTE_LEVEL, (_EXTENSION, 3, b"value", 5)),
    )
    for name, level, given in settings:
        function = f"Execution_{name}"
        found[f"{function}/two_devices"] = level, _refuse_setting(base, function, *given, devices=_BOTH)
        found[f"{function}/without_devices"] = level, _refuse_setting(base, function, *given, devices=None)
    other = (
        *with_burst(vocabulary.ready_execution, base),
        vocabulary.call("Compilation_createForDevices", "model", vocabulary.DEVICES, 1, New("second")),
        vocabulary.call("Compilation_finish", "second"),
        vocabulary.call("Burst_create", "second", New("other")),
        vocabulary.call("Execution_burstCompute", "execution", "other", codes=vocabulary.BAD_DATA, cites=_BURST),
    )
    found["Execution_burstCompute/other_compilation"] = 3, other
    return found | _make_padding(base) | _make_results(base) | _make_dependencies(base)
