"""Sequences of calls on several objects: orders of release, uses one after the other, and uses at the same time.

:func:`groups` returns all sequences by check and case, and :mod:`nnvet.conformance.suites.c_api.checks` runs them.
Functions on their own are in the tables beside this module.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, permutations
from typing import Final

from msgspec.structs import replace

from nnvet.adapters.nnapi import sequences
from nnvet.conformance.suites.c_api import vocabulary
from nnvet.conformance.suites.c_api.execution_calls import MODES, run_to_end, with_burst
from nnvet.hal.enums import OperandType, OperationType

# Texts are sentences of docs/contract/c-api.md, which the steps cite.
ORDERS: Final = "models referenced by setOperandValueFromModel, and Memory objects, until all users are freed"
_AGAIN: Final = "in progress, or completed and not reusable → BAD_STATE"
_BUSY: Final = "burst of another compilation BAD_DATA; burst busy BAD_STATE"
_EARLY: Final = "Objects may be freed in every state before their end, each after all that uses it"
_REUSED: Final = "setReusable + repeated compute"
_SHARED: Final = "several executions of one compilation may run concurrently"
_COPIED: Final = "≤ 128 bytes copied at once, larger values referenced until finish"
_LATE: Final = "All setters after computation started BAD_STATE"
_COMPUTE: Final = "compute | executeSynchronously"
_NOBODY: Final = "An operation no listed device supports → BAD_DATA"
_UNUSABLE: Final = "unfinished/failed compilation BAD_STATE"
_ROLE: Final = "duplicate role, unfinished compilation, index, metadata mismatch"
_PREFERRED: Final = "before finish or failed compilation BAD_STATE"
_KINDS: Final = {
    "execution": "Execution",
    "burst": "Burst",
    "memory": "Memory",
    "compilation": "Compilation",
    "model": "Model",
}
"""Kinds of the objects that are freed, by their names in the steps."""
_BEFORE: Final = (
    ("execution", "compilation"),
    ("burst", "compilation"),
    ("execution", "memory"),
    ("compilation", "model"),
)
"""Pairs of objects; the first of each pair has to be freed before the second."""


def _is_legal(order: tuple[str, ...]) -> bool:
    """Return True if no object is freed before one that uses it."""
    return all(order.index(first) < order.index(second) for first, second in _BEFORE)


def _list_releases(base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return sequences that use everything once, then free it in every order that is legal."""
    used = (
        *with_burst(vocabulary.open_execution, base),
        *vocabulary.shared_memory(bytes(base.size)),
        *vocabulary.set_arguments(base)[:-1],
        vocabulary.call("Execution_setOutputFromMemory", "execution", 0, None, "memory", 0, base.size),
        vocabulary.call("Execution_burstCompute", "execution", "burst", rule="c_api/accepted", cites=ORDERS),
        sequences.CallStep(sequences.HOLDS, ("file", sequences.Raw(base.total)), rule="c_api/written", cites=ORDERS),
    )
    again = vocabulary.computed_execution(base)
    return {
        "_".join(order): (3, (*used, *(vocabulary.free(name, _KINDS[name]) for name in order), *again))
        for order in filter(_is_legal, permutations(_KINDS))
    }


def _list_unfinished(base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return sequences that free objects in each state before their end."""
    states = {
        "empty_model": (vocabulary.open_model(), ("model",)),
        "complete_model": (vocabulary.complete_model(base), ("model",)),
        "open_compilation": (vocabulary.open_compilation(base), ("compilation", "model")),
        "open_execution": (vocabulary.open_execution(base), ("execution", "compilation", "model")),
        "ready_execution": (vocabulary.ready_execution(base), ("execution", "compilation", "model")),
    }
    return {
        name: (
            3,
            (
                *steps,
                *(vocabulary.free(it, _KINDS[it]) for it in freed),
                *_check_last(vocabulary.computed_execution(base), base, _EARLY),
            ),
        )
        for name, (steps, freed) in states.items()
    }


def _list_uses(base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return sequences that run an execution in each mode after each other mode."""
    found: dict[str, tuple[int, vocabulary.Steps]] = {}
    begin = with_burst(vocabulary.open_execution, base)
    not_reusable = vocabulary.call("Execution_setReusable", "execution", False)
    reusable = vocabulary.call("Execution_setReusable", "execution", True)
    for first, (level, _) in MODES.items():
        for second, (other_level, start) in MODES.items():
            needed = max(level, other_level)
            step = start("execution", "second")
            refused = vocabulary.call(step.function, *step.arguments, codes=vocabulary.BAD_STATE, cites=_AGAIN)
            arguments, run = vocabulary.set_arguments(base), run_to_end(first)
            found[f"{first}_{second}"] = needed, (*begin, *arguments, *run, refused)
            needed = max(needed, vocabulary.REUSABLE_LEVEL)
            found[f"{first}_{second}_not_reusable"] = needed, (*begin, not_reusable, *arguments, *run, refused)
            again = _check_last(run_to_end(second, event="second"), base, _REUSED)
            found[f"{first}_{second}_reusable"] = (
                needed,
                (*begin, reusable, *arguments, *run, _clear_result(base), *again),
            )
    return found


def _clear_result(base: vocabulary.Base) -> sequences.CallStep:
    """Return the step that clears the buffer of the output, so that a later result must have been written anew."""
    return sequences.CallStep(sequences.POKE, ("result", sequences.Raw(bytes(base.size))))


def _check_last(steps: vocabulary.Steps, base: vocabulary.Base, cites: str) -> vocabulary.Steps:
    """Return the steps, of which the last one now checks that the result is right."""
    return (*steps[:-1], replace(steps[-1], written=vocabulary.right_result(base), rule="c_api/written", cites=cites))


def _list_setters(base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return sequences that call every setter after an execution has been run in each mode."""
    setters = (
        *vocabulary.set_arguments(base, result="other"),
        vocabulary.call("Execution_setReusable", "execution", True),
        vocabulary.call("Execution_setLoopTimeout", "execution", 10**9),
        vocabulary.call("Execution_setTimeout", "execution", 10**9),
        vocabulary.call("Execution_setMeasureTiming", "execution", True),
        vocabulary.call("Execution_enableInputAndOutputPadding", "execution", True),
    )
    refused = tuple(replace(step, codes=vocabulary.BAD_STATE, rule="c_api/state", cites=_LATE) for step in setters)
    before = with_burst(vocabulary.ready_execution, base)
    return {mode: (vocabulary.REUSABLE_LEVEL, (*before, *run_to_end(mode), *refused)) for mode in MODES}


def _list_together(base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return sequences that start one execution twice at the same time, for each pair of modes."""
    found: dict[str, tuple[int, vocabulary.Steps]] = {}
    for first, second in combinations_with_replacement(MODES, 2):
        for is_reusable in (False, True):
            start, other = (
                replace(
                    MODES[mode][1]("execution", event),
                    codes=(*vocabulary.OK, *vocabulary.BAD_STATE),
                    rule="c_api/concurrent",
                    cites=_AGAIN,
                )
                for mode, event in ((first, "event"), (second, "second"))
            )
            step = replace(start, beside=(other,), any_may_succeed=is_reusable)
            begin = (
                *with_burst(vocabulary.open_execution, base),
                vocabulary.call("Execution_setReusable", "execution", is_reusable),
                *vocabulary.set_arguments(base),
            )
            name = f"{first}_{second}" + ("_reusable" if is_reusable else "")
            found[name] = max(vocabulary.REUSABLE_LEVEL, MODES[first][0], MODES[second][0]), (*begin, step)
    return found


def _list_several(base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return sequences that use several objects at the same time."""
    right, other = (vocabulary.right_result(base, name) for name in ("result", "other"))
    second = (
        vocabulary.call("Execution_create", "compilation", sequences.New("second")),
        *vocabulary.set_arguments(base, "second", "other"),
    )
    busy = (*vocabulary.OK, *vocabulary.BAD_STATE)
    in_burst = vocabulary.call(
        "Execution_burstCompute", "execution", "burst", codes=busy, rule="c_api/concurrent", cites=_BUSY
    )
    beside = replace(in_burst, arguments=("second", "burst"))
    both = vocabulary.call(
        "Execution_compute", "execution", written=(*right, *other), rule="c_api/concurrent", cites=_SHARED
    )
    begin = (*with_burst(vocabulary.ready_execution, base), *second)
    return {
        "one_burst": (3, (*begin, replace(in_burst, beside=(beside,), any_may_succeed=True))),
        "one_compilation": (3, (*begin, _run_beside(both, vocabulary.call("Execution_compute", "second")))),
        "one_model": (
            3,
            (
                *vocabulary.ready_execution(base),
                vocabulary.call(
                    "Compilation_createForDevices", "model", vocabulary.DEVICES, 1, sequences.New("other_compilation")
                ),
                vocabulary.call("Compilation_finish", "other_compilation"),
                vocabulary.call("Execution_create", "other_compilation", sequences.New("second")),
                *vocabulary.set_arguments(base, "second", "other"),
                _run_beside(both, vocabulary.call("Execution_compute", "second")),
            ),
        ),
    }


def _run_beside(step: sequences.CallStep, beside: sequences.CallStep) -> sequences.CallStep:
    """Return the step with another call at the same time; both must succeed."""
    # Neither may be refused: their codes contain only NO_ERROR.
    return replace(step, beside=(beside,), any_may_succeed=True)


def _list_shared_memory(base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return a sequence with one memory object in two models, as a constant of both, and as an input of executions."""
    content = base.second + base.first

    def constant_model(name: str) -> vocabulary.Steps:
        return (
            *vocabulary.with_operands(base, name),
            vocabulary.call("Model_setOperandValueFromMemory", name, 1, "memory", 0, base.size),
            vocabulary.call("Model_addOperation", *vocabulary.addition_arguments(name)),
            vocabulary.call(
                "Model_identifyInputsAndOutputs",
                name,
                1,
                sequences.NumberArray("uint32_t", (0,)),
                1,
                vocabulary.OUTPUTS,
            ),
            vocabulary.call("Model_finish", name),
        )

    def run(name: str) -> vocabulary.Steps:
        compilation, execution = f"{name}_compilation", f"{name}_execution"
        return (
            vocabulary.call("Compilation_createForDevices", name, vocabulary.DEVICES, 1, sequences.New(compilation)),
            vocabulary.call("Compilation_finish", compilation),
            vocabulary.call("Execution_create", compilation, sequences.New(execution)),
            vocabulary.call("Execution_setInputFromMemory", execution, 0, None, "memory", base.size, base.size),
            vocabulary.call(
                "Execution_setOutput",
                execution,
                0,
                None,
                sequences.WritablePlace(f"{name}_result", "uint8_t", base.size),
                base.size,
            ),
            vocabulary.call(
                "Execution_compute",
                execution,
                written=vocabulary.right_result(base, f"{name}_result"),
                cites="fd duplicated, mapped lazily",
            ),
        )

    both = (*vocabulary.shared_memory(content), *constant_model("first"), *constant_model("second"))
    freed = (
        vocabulary.free("first_execution", "Execution"),
        vocabulary.free("first_compilation", "Compilation"),
        vocabulary.free("first", "Model"),
    )
    return {"two_models": (3, (*both, *run("first"), *freed, *run("second")))}


def _list_copied(base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return a sequence in which a client overwrites a short constant as soon as it has been set."""
    value = vocabulary.call(
        "Model_setOperandValue", "model", vocabulary.ACTIVATION, sequences.Data("value", vocabulary.NO_ACTIVATION), 4
    )
    relu1 = bytes((2, 0, 0, 0))
    return {
        "short_constant": (
            3,
            (
                *vocabulary.with_operands(base),
                value,
                sequences.CallStep(sequences.POKE, ("value", sequences.Raw(relu1))),
                vocabulary.call("Model_addOperation", *vocabulary.addition_arguments()),
                vocabulary.call(
                    "Model_identifyInputsAndOutputs", "model", 2, vocabulary.INPUTS_OF_MODEL, 1, vocabulary.OUTPUTS
                ),
                vocabulary.call("Model_finish", "model"),
                vocabulary.call(
                    "Compilation_createForDevices", "model", vocabulary.DEVICES, 1, sequences.New("compilation")
                ),
                vocabulary.call("Compilation_finish", "compilation"),
                vocabulary.call("Execution_create", "compilation", sequences.New("execution")),
                *vocabulary.set_arguments(base),
                vocabulary.call("Execution_compute", "execution", written=vocabulary.right_result(base), cites=_COPIED),
            ),
        ),
    }


def _list_failed() -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return calls on a compilation that has failed, since no device has an operation of a manufacturer's own."""
    operand = sequences.OperandTypeData(OperandType.TENSOR_OEM_BYTE, (2,))
    index = [sequences.NumberArray("uint32_t", (number,)) for number in range(2)]
    begin = (
        *vocabulary.open_model(),
        *(vocabulary.call("Model_addOperand", "model", operand) for _ in index),
        vocabulary.call("Model_addOperation", "model", int(OperationType.OEM_OPERATION), 1, index[0], 1, index[1]),
        vocabulary.call("Model_identifyInputsAndOutputs", "model", 1, index[0], 1, index[1]),
        vocabulary.call("Model_finish", "model"),
        vocabulary.call("Compilation_createForDevices", "model", vocabulary.DEVICES, 1, sequences.New("compilation")),
        sequences.CallStep("Compilation_finish", ("compilation",), vocabulary.BAD_DATA, cites=_NOBODY, optional=True),
    )
    place = sequences.WritablePlace("preferred", "uint32_t")
    calls = {
        "finish": vocabulary.call(
            "Compilation_finish", "compilation", codes=vocabulary.BAD_STATE, cites="finish twice BAD_STATE"
        ),
        "execution": vocabulary.call(
            "Execution_create", "compilation", sequences.New("execution"), codes=vocabulary.BAD_STATE, cites=_UNUSABLE
        ),
        "burst": vocabulary.call(
            "Burst_create", "compilation", sequences.New("burst"), codes=vocabulary.BAD_STATE, cites=_UNUSABLE
        ),
        "role": vocabulary.call(
            "MemoryDesc_addInputRole", "description", "compilation", 0, 1.0, codes=vocabulary.BAD_DATA, cites=_ROLE
        ),
    }
    for what in ("Alignment", "Padding"):
        function = f"Compilation_getPreferredMemory{what}ForInput"
        calls[what.lower()] = vocabulary.call(
            function, "compilation", 0, place, codes=vocabulary.BAD_STATE, cites=_PREFERRED
        )
    description = vocabulary.call("MemoryDesc_create", sequences.New("description"))
    return {
        name: (5 if name in ("alignment", "padding") else 4, (*begin, description, step))
        for name, step in calls.items()
    }


def _list_introspection(base: vocabulary.Base, devices: int) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return questions for the support by one device and by all, and compilations for all."""
    everyone = sequences.ObjectPointers("Device", tuple(f"device{number}" for number in range(devices)))
    without_list = (
        *vocabulary.finished_model(base),
        vocabulary.call("Compilation_create", "model", sequences.New("compilation")),
    )

    def asked(listed: sequences.ObjectPointers) -> vocabulary.Steps:
        answers = vocabulary.call(
            "Model_getSupportedOperationsForDevices",
            *("model", listed, len(listed.names), sequences.WritablePlace("supported", "bool", 2)),
            written=(sequences.Written("supported", (1, 0)),),
            cites="output = OR over devices, one bool (1 byte) per operation in addOperation order",
        )
        return (*vocabulary.finished_model(base), answers)

    def run(compilation: vocabulary.Steps) -> vocabulary.Steps:
        return (
            *compilation,
            vocabulary.call("Compilation_finish", "compilation", cites="Work distribution with several devices"),
            vocabulary.call("Execution_create", "compilation", sequences.New("execution")),
            *vocabulary.set_arguments(base),
            vocabulary.call("Execution_compute", "execution", written=vocabulary.right_result(base), cites=_COMPUTE),
        )

    return {
        "one_device": (3, asked(vocabulary.DEVICES)),
        "all_devices": (3, asked(everyone)),
        "compiled_for_all": (3, run(vocabulary.open_compilation(base, devices=everyone))),
        "compiled_without_list": (3, run(without_list)),
    }


def _list_chained(base: vocabulary.Base) -> dict[str, tuple[int, vocabulary.Steps]]:
    """Return executions that wait for others, and for a fence that a client hands back."""
    function = "Execution_startComputeWithDependencies"
    second = (
        vocabulary.call("Execution_create", "compilation", sequences.New("second")),
        *vocabulary.set_arguments(base, "second", "other"),
    )
    cites = "dependencies not backed by a fence are waited for"

    def behind(event: str) -> vocabulary.Steps:
        launch = vocabulary.call(
            function, "second", sequences.ObjectPointers("Event", (event,)), 1, 0, sequences.New("last"), cites=cites
        )
        done = vocabulary.right_result(base, "other")
        return (launch, vocabulary.call("Event_wait", "last", written=done, rule="c_api/written", cites=cites))

    started = vocabulary.call("Execution_startCompute", "execution", sequences.New("event"))
    return {
        "fenced": (4, (*vocabulary.launched_execution(base), *second, *behind("event"))),
        "without_fence": (4, (*vocabulary.ready_execution(base), started, *second, *behind("event"))),
    }


def groups(base: vocabulary.Base, devices: int = 2) -> dict[str, dict[str, tuple[int, vocabulary.Steps]]]:
    """Return sequences by check and case, each with the feature level that it needs."""
    return {
        "ReleaseOrder": _list_releases(base),
        "ReleaseUnfinished": _list_unfinished(base),
        "UseAgain": _list_uses(base),
        "SetAfterUse": _list_setters(base),
        "SameExecutionAtOnce": _list_together(base),
        "AtOnce": _list_several(base),
        "SharedMemory": _list_shared_memory(base),
        "CopiedValue": _list_copied(base),
        "FailedCompilation": _list_failed(),
        "Introspection": _list_introspection(base, devices),
        "Dependencies": _list_chained(base),
    }
