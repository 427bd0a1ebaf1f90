"""Checks of ``CApiTest``: perform the sequences of calls of the tables, and compare the results with those demanded.

:func:`run` does this for one case. A sequence is data (:mod:`nnvet.adapters.nnapi`); each case cites the sentence of
the contract on which it rests. The calls are made in a separate process beside the driver's, since a wrong library may
die of them. Source: docs/contract/c-api.md 1.1 to 1.4 and 2.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from typing import Any, Final, Protocol

from nnvet.adapters.drivers import ProcessDriver
from nnvet.adapters.nnapi.declarations import result_name
from nnvet.adapters.nnapi.sequence_process import start
from nnvet.adapters.nnapi.sequences import CallSequence, CallStep, Library, SequenceEnd
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.outcome import CaseFailed, fail, unsupported
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.c_api import (
    compilation_calls,
    device_calls,
    execution_calls,
    memory_calls,
    model_calls,
    orders,
    vocabulary,
)
from nnvet.conformance.suites.c_api.tables import CallRow, functions_by_level
from nnvet.conformance.suites.c_api.vocabulary import BASES, FLOATS, Base, Steps

SUITE: Final = "CApiTest"
KINDS: Final = ("ndk", "sl")
"""Kinds of the selectors of drivers that are reached by the C API."""
_RULES: Final = (
    "c_api/accepted",
    "c_api/null",
    "c_api/argument",
    "c_api/state",
    "c_api/written",
    "c_api/concurrent",
)
"""Rules that a step may find broken, see ``PARTS`` in :mod:`nnvet.conformance.suites.c_api.vocabulary`."""
_SHOWN: Final = 12
"""Most calls before the wrong one that the evidence shows."""
_ROWS: Final[tuple[CallRow, ...]] = tuple(
    row
    for module in (device_calls, model_calls, compilation_calls, execution_calls, memory_calls)
    for row in module.ROWS
)
"""Rows of all tables of single functions."""
_SEQUENCES: Final[tuple[Callable[[Base], Mapping[str, tuple[int, Steps]]], ...]] = (
    lambda _: device_calls.SEQUENCES,
    *(module.sequences for module in (model_calls, compilation_calls, execution_calls, memory_calls)),
)
"""Functions that return the further sequences of each table, by case."""


class LibraryCaller(Protocol):
    """Interface of what performs calls on a library: a process of its own, or :class:`_OwnCaller` in this process."""

    @property
    def library(self) -> Library:
        """The library's facts."""

    @property
    def perform(self) -> Callable[[CallSequence], SequenceEnd]:
        """The function that performs a sequence; it raises DriverGone if the library dies."""


@dataclass(frozen=True)
class _OwnCaller:
    """A caller in this process, where a debugger can watch."""

    library: Library
    perform: Callable[[CallSequence], SequenceEnd]


def caller_of(subject: Subject) -> LibraryCaller:
    """Return the process in which calls are made (or this one); many cases share it.

    :raises CaseFailed: UNSUPPORTED if the driver is not a library.
    :raises DriverGone: the library dies while it is loaded.
    """
    known: LibraryCaller | None = subject.shared.get(SUITE)
    if known is not None:
        return known
    selector = subject.reached.selector
    kind = selector.kind.name
    if kind not in KINDS:
        raise unsupported(
            f"not applicable: '{selector}' is reached by {kind}, and only ndk: and sl: by the C API", "c_api/functions"
        )
    driver = subject.reached
    made: LibraryCaller
    if isinstance(driver, ProcessDriver):
        made = start(driver, subject.timeout_s)
    else:
        made = own_caller(kind, selector.arguments)
    subject.shared[SUITE] = made
    return made


def own_caller(kind: str, arguments: str) -> LibraryCaller:
    """Load a library into this process.

    :raises SelectorError: the library cannot be loaded.
    """
    from nnvet.adapters.nnapi.performing import describe, load, perform  # noqa: PLC0415 - needs an extra

    loaded, name = load(kind, arguments)
    found = describe(loaded, name)
    return _OwnCaller(found, partial(perform, loaded, found.device))


def base_of(subject: Subject) -> Base:
    """Return an addition that the device supports; most sequences are made of it.

    :raises CaseFailed: UNSUPPORTED if it supports none of the candidates.
    """
    key = SUITE, "base"
    if key not in subject.shared:
        caller = caller_of(subject)
        if not caller.library.devices:
            raise unsupported("the library is older than devices: it has no getDeviceCount", "c_api/functions")
        subject.shared[key] = next((base for base in BASES if _is_supported(caller, base)), None)
    found: Base | None = subject.shared[key]
    if found is None:
        raise unsupported("the device supports no ADD of two vectors, in float32, float16 or codes of 8 bits")
    return found


def _is_supported(caller: LibraryCaller, base: Base) -> bool:
    """Return False if the device says that it does not support the addition.

    A library that fails at the question fails in the cases themselves, so it counts as supporting.
    """
    asked = vocabulary.ask_for_support(base)
    answer = caller.perform(CallSequence(asked))
    return not (answer.step == len(asked) - 1 and answer.results == vocabulary.OK and bool(answer.differs))


def judge(sequence: CallSequence, answer: SequenceEnd) -> None:
    """Compare the end of a sequence with the expected one.

    :raises CaseFailed: they differ.
    """
    if answer.step == len(sequence.steps):
        return
    step = sequence.steps[answer.step]
    if answer.missing:
        raise unsupported(f"the library has no ANeuralNetworks{answer.missing}", "c_api/functions")
    if step.optional:
        raise unsupported(f"{step.function} gives {_name_results(answer.results)}: not offered", "c_api/accepted")
    raise _blame(sequence, answer, step)


def _blame(sequence: CallSequence, answer: SequenceEnd, step: CallStep) -> CaseFailed:
    """Return the failure of a step, with the calls before it and the sentence that demands another result."""
    wanted = " or ".join(map(result_name, step.codes))
    gives = f"{step.function} gives {_name_results(answer.results)}"
    also = f" (the calls at the same time: {', '.join(it.function for it in step.beside)})" if step.beside else ""
    reason = f"{gives}, and {answer.differs}" if answer.differs else f"{gives}, must be {wanted}"
    calls = [_show_step(it) for it in sequence.steps[: answer.step + 1]]
    # A setter that refuses a right value breaks the rule about acceptance, not the one that the step tests.
    rule = step.rule or "c_api/accepted"
    return fail(rule, reason + also, cites=step.cites, calls=calls[-_SHOWN:])


def _name_results(results: tuple[int | None, ...]) -> str:
    """Return results in words."""
    return " and ".join("nothing" if result is None else result_name(result) for result in results)


def _show_step(step: CallStep) -> str:
    """Return a call as a line of the evidence."""
    arguments = ", ".join("NULL" if value is None else str(value) for value in step.arguments)
    return f"{step.function}({arguments})"


def run(subject: Subject, make: Callable[[Base], Steps], *, level: int, needs_device: bool = True) -> None:
    """Make steps for a base that the device supports, perform them, and judge the end."""
    caller = caller_of(subject)
    if caller.library.level < level:
        reason = f"begins at feature level {level}, the library has {caller.library.level}"
        raise unsupported(reason, "model/level")
    steps = make(base_of(subject) if needs_device else FLOATS)
    if _needs_two_devices(steps) and len(caller.library.devices) < len(("device0", "device1")):
        raise unsupported("the library has only one device", "c_api/functions")
    sequence = CallSequence(steps)
    judge(sequence, caller.perform(sequence))


def _needs_two_devices(steps: Steps) -> bool:
    """Return True if any step names a second device."""
    return any("device1" in getattr(argument, "names", ()) for step in steps for argument in step.arguments)


@dataclass(frozen=True)
class CallCase:
    """A case of the tables: ``make`` returns its steps; ``level`` is the first level that has it."""

    make: Callable[[Base], Steps]
    level: int
    needs_device: bool = True


@cache
def table() -> Mapping[str, Mapping[str, CallCase]]:
    """Return all cases of single functions, by function and name."""
    found: dict[str, dict[str, CallCase]] = {}
    for row in _ROWS:
        for name in row.names():
            make = partial(_steps_of_variant, row, name)
            found.setdefault(row.function, {})[name] = CallCase(make, row.level, row.needs_device)
    for sequences in _SEQUENCES:
        for case, (level, _) in sequences(FLOATS).items():
            function, _, name = case.partition("/")
            needs_device = not function.startswith(("Model_", "_", "Device_"))
            found.setdefault(function, {})[name] = CallCase(
                partial(_steps_of_sequence, sequences, case), level, needs_device
            )
    return found


def _steps_of_variant(row: CallRow, name: str, base: Base) -> Steps:
    """Return the steps of a row's case by its name."""
    return dict(row.variants(base))[name]


def _steps_of_sequence(sequences: Callable[[Base], Mapping[str, tuple[int, Steps]]], case: str, base: Base) -> Steps:
    """Return the steps of a further sequence by its name."""
    return sequences(base)[case][1]


def _run_case(subject: Subject, case: CallCase) -> None:
    """Run a case of the tables of single functions."""
    run(subject, case.make, level=case.level, needs_device=case.needs_device)


for _function, _cases in table().items():
    check(SUITE, _function, rules=_RULES, kinds=KINDS, parameters=partial(dict, _cases), needs_operation=False)(
        _run_case
    )


def _steps_of_group(group: str, name: str, devices: int, base: Base) -> Steps:
    """Return the steps of a case of :mod:`nnvet.conformance.suites.c_api.orders`."""
    return orders.groups(base, devices)[group][name][1]


def _run_group(subject: Subject, argument: tuple[str, str, int]) -> None:
    """Run a case of :mod:`nnvet.conformance.suites.c_api.orders`: group, name and feature level."""
    group, name, level = argument
    devices = len(caller_of(subject).library.devices)
    run(subject, partial(_steps_of_group, group, name, devices), level=level)


def _list_arguments(group: str) -> Mapping[str, Any]:
    """Return the cases of a group by their names."""
    return {name: (group, name, level) for name, (level, _) in orders.groups(FLOATS)[group].items()}


for _group in orders.groups(FLOATS):
    check(SUITE, _group, rules=_RULES, kinds=KINDS, parameters=partial(_list_arguments, _group), needs_operation=False)(
        _run_group
    )


@check(
    SUITE, "Functions", rules=("c_api/functions",), kinds=KINDS, parameters=functions_by_level, needs_operation=False
)
def has_functions(subject: Subject, given: tuple[int, tuple[str, ...]]) -> None:
    """Check that a library has all functions of every level up to its own; a support library may lack two."""
    library = caller_of(subject).library
    level, functions = given
    if library.level < level:
        raise unsupported(f"begins at feature level {level}, the library has {library.level}", "model/level")
    is_support = subject.reached.selector.kind.name == "sl"
    absent = {"Compilation_create", "Execution_startCompute"} if is_support else set()
    missing = [name for name in functions if name not in library.functions and name not in absent]
    if missing:
        raise fail("c_api/functions", f"the library lacks functions of level {level}: {', '.join(missing)}")


def _find_wrong_levels(library: Library) -> Iterator[str]:
    """Yield a description of each device whose level is above the library's."""
    for name, level, _ in library.devices:
        if level > library.level:
            yield f"{name} has level {level}, the library {library.level}"


def _find_wrong_types(library: Library) -> Iterator[str]:
    """Yield a description of each device whose type does not exist."""
    for name, _, kind in library.devices:
        if kind not in range(5):
            yield f"{name} has type {kind}"


def _find_wrong_names(library: Library) -> Iterator[str]:
    """Yield a description of each name that is empty or that of several devices."""
    for name, same in groupby(sorted(name for name, *_ in library.devices)):
        if not name or len(list(same)) > 1:
            yield f"a name is empty or that of several devices: {name!r}"


_LISTED: Final[dict[str, Callable[[Library], Iterator[str]]]] = {
    "levels": _find_wrong_levels,
    "types": _find_wrong_types,
    "names": _find_wrong_names,
}
"""Functions that describe what is wrong with the list of devices, by the arguments of the cases."""


@check(
    SUITE, "Devices", rules=("c_api/written",), kinds=KINDS, parameters=partial(dict, _LISTED), needs_operation=False
)
def lists_devices(subject: Subject, wrong: Callable[[Library], Iterator[str]]) -> None:
    """Check the list of devices: unique names, existing types, and no level above the library's."""
    library = caller_of(subject).library
    if not library.devices:
        raise unsupported("the library is older than devices", "c_api/functions")
    found = list(wrong(library))
    if found:
        raise fail("c_api/written", "; ".join(found), cites="getFeatureLevel = min(runtime, device)")
