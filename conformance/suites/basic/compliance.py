"""Suites ``TestCompliance`` and ``AnswerTest``: the models that a driver must accept, and the form of its answers.

TestCompliance: a driver accepts models of its feature level and refuses those that need a higher one. CTS asks the
framework for the level of a model; here the driver has to know (docs/contract/cts-tests.md 2.10; docs/contract/hal.md
7.3).

AnswerTest: every call is answered once, in time, and in the right form. VTS has no such test. Source:
docs/contract/hal.md 10.2, 10.4 and 16. The answers of a device about itself are checked in
:mod:`nnvet.conformance.suites.basic.device`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

from msgspec.structs import replace

from nnvet.adapters.calls import ExecutionRecorder, PreparedModelRecorder
from nnvet.conformance.kit import executing, invalid_requests
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.handmade import check_exactly, check_execution, prepare_test
from nnvet.conformance.kit.invalid_requests import check_every_executor, try_mutants, try_requests
from nnvet.conformance.kit.notified import Ledger, refusal_of
from nnvet.conformance.kit.outcome import Outcome, fail, passed
from nnvet.conformance.kit.preparing import ask_supported, built_model, open_request, prepare_valid
from nnvet.conformance.kit.siblings import require_sibling
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.validation.models import sum_of_inputs
from nnvet.generators.mutations.editing import Mutant
from nnvet.generators.mutations.requests import RequestMutant
from nnvet.generators.specs import SpecCase
from nnvet.graphs.builder import GraphBuilder, sum_of_two
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import TestModel
from nnvet.hal import types as hal
from nnvet.hal.levels import LAST_HIDL_LEVEL, without_consumers
from nnvet.hal.validation import required_level

SUITE: Final = "TestCompliance"
_RULES: Final = ("model/level", "*/level", "*.level", "prepare/valid", *invalid_requests.REFUSED_MODELS)
"""Rules of TestCompliance: those of levels, and those that refusing an invalid model may break."""
_FLOAT: Final = hal.OperandType.TENSOR_FLOAT32


def _is_taken(test: TestModel) -> bool:
    """Return True for specs that must work. Variants with other lifetimes have the level of the original."""
    return not test.expect_failure and not test.traits.is_lifetime_variant


@check(SUITE, "GeneratedComplianceTest", rules=_RULES, over=_is_taken, any_level=True)
def generated(subject: Subject, spec: SpecCase) -> Outcome:
    """The model is accepted or refused, as its level demands."""
    return _check_model(subject, spec.build())


def _build_rank_0(unknown: str) -> TestModel:
    """Return RELU6(RELU(input)), in which the operand ``unknown`` has an unknown rank."""
    graph = GraphBuilder()
    shapes = {"input": (2,), "temporary": (2,), "output": (2,)} | {unknown: ()}
    value = graph.input(_FLOAT, shapes["input"], [1, 2])
    positive = graph.operation(hal.OperationType.RELU, (value,), graph.temporary(_FLOAT, shapes["temporary"]))
    graph.operation(hal.OperationType.RELU6, (positive,), graph.output(_FLOAT, shapes["output"], [1, 2]))
    return graph.finish(f"rank_0_{unknown}", hal.FeatureLevel.FL3)


_RANK_0: Final = {
    "Rank0TensorModelInput": "input",
    "Rank0TensorModelOutput": "output",
    "Rank0TensorTemporaryVariable": "temporary",
}
"""The operand of :func:`_build_rank_0` without a rank, by the names of CTS's tests."""


@check(SUITE, "UnknownRank", rules=_RULES, parameters=lambda: _RANK_0)
def unknown_rank(subject: Subject, place: str) -> Outcome:
    """From feature level 3 on a tensor's rank may be unknown."""
    return _check_model(subject, _build_rank_0(place))


@check(SUITE, "HardwareBufferModel", rules=_RULES)
def hardware_buffer_model(subject: Subject, _: None) -> Outcome:
    """From feature level 3 on constants may lie in a BLOB hardware buffer."""
    graph = GraphBuilder()
    terms = (graph.input(_FLOAT, (2,), [1, 2]), graph.shared(_FLOAT, (2,), [3, 4]))
    inputs = (*terms, graph.scalar(hal.OperandType.INT32, 0))
    graph.operation(hal.OperationType.ADD, inputs, graph.output(_FLOAT, (2,), [4, 6]))
    return _check_model(subject, graph.finish("hardware_buffer_model", hal.FeatureLevel.FL3), _move_constants)


def _move_constants(model: hal.Model) -> hal.Model:
    """Return the model with the pools of its constants as BLOB hardware buffers."""
    pools = (
        executing.as_type(pool, executing.MemoryType.BLOB_AHWB) for pool in model.pools if isinstance(pool, hal.Ashmem)
    )
    return replace(model, pools=tuple(pools))


def _check_model(
    subject: Subject, test: TestModel, change: Callable[[hal.Model], hal.Model] = lambda model: model
) -> Outcome:
    """Prepare the model of a test, after a change, if the driver has its level; else check its refusal.

    A refusal counts only if the driver accepts the valid sibling
    (:func:`nnvet.conformance.kit.siblings.require_sibling`).
    """
    built = build_model(test)
    try:
        level = subject.device.get_feature_level()
        model = change(built if level <= LAST_HIDL_LEVEL else without_consumers(built))
        # A spec does not state the level that its relaxed forms need.
        needed = test.min_supported_version or required_level(model)
        if needed <= level:
            prepare_valid(subject, model)
        else:
            what = f"the model needs feature level {int(needed)}, the driver has {int(level)}"
            try_mutants(subject, [("", Mutant(what, model))])
            require_sibling(subject, test)
    finally:
        close_pools(built)
    return passed(needed=int(needed), driver=int(level))


_REQUESTS: Final = {
    "HardwareBufferRequest": executing.MemoryType.BLOB_AHWB,
    "DeviceMemory": executing.MemoryType.DEVICE,
}
"""Types of memory that need a level, by the names of the cases."""


@check(SUITE, "Request", rules=invalid_requests.REFUSED, parameters=lambda: _REQUESTS)
def requests(subject: Subject, memory: executing.MemoryType) -> Outcome:
    """Requests may use hardware buffers from feature level 3 on; tokens need level 4 and an existing buffer."""
    test, config = sum_of_inputs(), executing.basic_config(subject)
    prepared = prepare_test(subject, test, config)
    level, needed = int(subject.device.get_feature_level()), executing.MEMORY_LEVELS[memory]
    if memory is executing.MemoryType.BLOB_AHWB and level >= needed:
        check_execution(subject, prepared, test, dataclasses.replace(config, memory=memory))
    else:
        with executing.arguments_for(test, config, subject.device, prepared) as arguments:
            mutant = RequestMutant(f"all memory is {memory.value}", _move_pools(arguments.request, memory))
            check_every_executor(subject, prepared, test, arguments.request)
            try_requests(subject, prepared, [("", mutant)])
    return passed(needed=needed, driver=level)


def _move_pools(request: hal.Request, memory: executing.MemoryType) -> hal.Request:
    """Return the request with all its memory of another type; tokens count from 1, and no buffer has them."""
    pools = [
        hal.BufferToken(index + 1) if memory is executing.MemoryType.DEVICE else executing.as_type(pool, memory)
        for index, pool in enumerate(request.pools)
        if isinstance(pool, hal.Ashmem)
    ]
    return replace(request, pools=tuple(pools))


_SUITE = "AnswerTest"
"""An addition of this project."""
_NULL = cast("Any", None)
"""Callback that is missing. The interfaces have no type for it, because the contract forbids it."""
_CONFIG = hal.ExecutionConfig()
"""Configuration of executions: no timing, no extensions."""
_ROUNDS = 5
"""Number of rounds: a second notification may come late, and later rounds give it time without waiting."""


def _build_sum() -> TestModel:
    """Return the sum of two vectors."""
    return sum_of_two("sum", [1, 2], [3, 4], [4, 6])


@check(
    _SUITE,
    "SupportedOperations",
    rules=("prepare/valid", "prepare/supported.count", "driver/reply"),
    needs_operation=False,
)
def supported(subject: Subject, _: None) -> None:
    """There is one answer for each operation, whether or not it is supported."""
    with built_model(_build_sum(), subject.feature_level) as model:
        ask_supported(subject, model)


@check(
    _SUITE,
    "PreparationNotifiedOnce",
    rules=("prepare/valid", "prepare/supported", "prepare/notified_once", "driver/notification"),
    needs_operation=False,
)
def preparation_notified_once(subject: Subject, _: None) -> None:
    """A preparation is notified once, with a model exactly if it succeeds; a refusal is notified, too."""
    ledger = Ledger(subject, "prepare")
    with built_model(_build_sum(), subject.feature_level) as model:
        is_supported = all(ask_supported(subject, model))
        for _round in range(_ROUNDS):
            recorder = PreparedModelRecorder()
            error = refusal_of(partial(subject.device.prepare_model, model, hal.PrepareModelConfig(), recorder))
            if error is not None:
                if is_supported:
                    raise fail("prepare/supported", f"all operations are supported, but prepareModel raises {error}")
                ledger.refused(recorder, error.status, "prepareModel")
                continue
            status, prepared = ledger.outcome(recorder, "prepareModel")
            if (status is hal.ErrorStatus.NONE) != (prepared is not None):
                raise fail("driver/notification", f"prepareModel notified {status.name} with {prepared}")
    ledger.settle()


@check(_SUITE, "ExecutionNotifiedOnce", rules=("execution/notified_once", "driver/notification"))
def execution_notified_once(subject: Subject, _: None) -> None:
    """An asynchronous execution is notified once, and successfully."""
    ledger, test = Ledger(subject, "execution"), _build_sum()
    with built_model(test, subject.feature_level) as model:
        prepared = prepare_valid(subject, model)
    with open_request(test) as packed:
        for _round in range(_ROUNDS):
            recorder = ExecutionRecorder()
            prepared.execute(packed.request, _CONFIG, hal.NO_DEADLINE, recorder)
            status, _shapes, timing = ledger.outcome(recorder, "execute")
            if status is not hal.ErrorStatus.NONE or timing != hal.Timing():
                raise fail("execution/status", f"execute notified {status.name} with {timing}")
        check_exactly(packed.output_arrays(test.main.outputs), test)
    ledger.settle()


@check(_SUITE, "PreparationWithoutCallback", rules=("prepare/notified_once",))
def preparation_without_callback(subject: Subject, _: None) -> None:
    """Without a callback a preparation is refused: nobody could be notified of its end."""
    with built_model(_build_sum(), subject.feature_level) as model:
        prepare_valid(subject, model)
        error = refusal_of(lambda: subject.device.prepare_model(model, hal.PrepareModelConfig(), _NULL))
    if error is None or error.status is not hal.ErrorStatus.INVALID_ARGUMENT:
        raise fail("prepare/notified_once", f"prepareModel without callback answers {error or 'success'}")


@check(_SUITE, "ExecutionWithoutCallback", rules=("execution/notified_once",))
def execution_without_callback(subject: Subject, _: None) -> None:
    """Without a callback an asynchronous execution is refused."""
    test = _build_sum()
    with built_model(test, subject.feature_level) as model:
        prepared = prepare_valid(subject, model)
    with open_request(test) as packed:
        check_execution(subject, prepared, test, executing.TestConfig(executing.Executor.ASYNC))
        error = refusal_of(lambda: prepared.execute(packed.request, _CONFIG, hal.NO_DEADLINE, _NULL))
    if error is None or error.status is not hal.ErrorStatus.INVALID_ARGUMENT:
        raise fail("execution/notified_once", f"execute without callback answers {error or 'success'}")
