"""Suite ``ConcurrencyTest``: many executions, preparations and models at once, by threads of one client.

All calls of a case wait for each other before they begin. Each one computes something different, so that mixed-up
results are noticed. Most are first made alone, so that a failure afterwards is due to concurrency. Several clients are
in :mod:`nnvet.conformance.suites.concurrency.isolation`.

Source: docs/contract/hal.md 10.2, 10.4, 10.7 and 13.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.adapters.calls import session_of
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.concurrent_calls import call_together
from nnvet.conformance.kit.executing import EXECUTORS, Executor, TestConfig, basic_config, execute
from nnvet.conformance.kit.fenced_runs import prepare_fenced_run
from nnvet.conformance.kit.handmade import check_exactly, check_execution, prepare_test
from nnvet.conformance.kit.outcome import CaseFailed, Outcome, fail, passed
from nnvet.conformance.kit.preparing import open_request
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.caching.networks import chain
from nnvet.graphs.builder import GraphBuilder, endless_loop, product_of_two, sum_of_two
from nnvet.graphs.editor import with_operands
from nnvet.graphs.hal_model import PackedRequest
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.fences import create_fence
from nnvet.hal.interfaces import Burst, PreparedModel
from nnvet.hal.types import ExecutionConfig, OperandType, OperationType
from nnvet.reports.events import Verdict
from nnvet.transport.wire.methods import METHODS

_SUITE: Final = "ConcurrencyTest"
_THREADS: Final = 8
"""Calls at the same time."""
_ROUNDS: Final = 5
"""Executions of each thread."""
_WIDTH: Final = 1000
"""Elements of a sum."""
_SYNC_LEVEL: Final = 3
"""First feature level (HAL 1.2) with executeSynchronously."""
_ATTEMPTS: Final = 5
"""Attempts to meet an execution in flight; a driver that blocks in the call may be late."""
_LOOP_TIMEOUT_NS: Final = 200_000_000
"""Duration of an endless loop, 0.2 s: long enough for a second call to meet it."""

COVERS = {
    "TestGenerated.ThreadedTest": ("ConcurrencyTest/SameModel", "ConsistencyTest/Parallel"),
    "ReusableExecutionConcurrent": ("ConcurrencyTest/InFlightReusable",),
    "BurstComputeConcurrent": ("ConcurrencyTest/InFlightBurst",),
    "NonReusableExecutionConcurrent": "an execution that is not reusable has no object at a driver",
}
"""Tests of VTS and CTS that other checks cover, or that have no counterpart, and why."""


def _build_sum(number: int) -> TestModel:
    """Return a sum that is different for each number."""
    first, second = np.arange(_WIDTH) + number, np.full(_WIDTH, 1000 * number)
    return sum_of_two(f"sum_{number}", first, second, first + second)


@check(_SUITE, "SameModel", rules=("execution/concurrent",), parameters=lambda: EXECUTORS)
def same_model(subject: Subject, executor: Executor) -> None:
    """Concurrent executions of one prepared model each get their own results."""
    config = TestConfig(executor)
    prepared = prepare_test(subject, _build_sum(0), config)
    for number in range(_THREADS * _ROUNDS):
        check_execution(subject, prepared, _build_sum(number), config)

    def run(number: int) -> None:
        for turn in range(_ROUNDS):
            check_execution(subject, prepared, _build_sum(number + _THREADS * turn), config)

    _call_all_at_once(subject, [partial(run, number) for number in range(_THREADS)])


def _call_all_at_once(subject: Subject, calls: list[Callable[[], None]]) -> None:
    """Make all calls at the same time.

    :raises CaseFailed: a call fails. It has succeeded alone, so the rule is that of concurrent executions.
    """
    try:
        call_together(calls, subject.timeout_s * _ROUNDS, "executions at the same time")
    except CaseFailed as failed:
        if failed.outcome.verdict is Verdict.ERROR:
            raise
        reason = f"at the same time as others: {failed.outcome.reason}"
        raise fail(
            "execution/concurrent", reason, broken_rule=failed.outcome.rule, **failed.outcome.evidence
        ) from failed


@check(_SUITE, "SeveralModels", rules=("execution/concurrent",))
def several_models(subject: Subject, _: None) -> None:
    """Concurrent executions of several prepared models, by all executors, get their own results."""
    tests = [
        _build_sum(1),
        product_of_two("product", [2.0, 3.0], [5.0, 7.0], [10.0, 21.0]),
        _build_steps(10),
        _build_steps(90),
    ]
    configs = [TestConfig(executor) for executor in Executor if TestConfig(executor).level[0] <= subject.feature_level]
    models = [(test, prepare_test(subject, test)) for test in tests]
    for (test, prepared), config in product(models, configs):
        check_execution(subject, prepared, test, config)

    def run(test: TestModel, prepared: PreparedModel, config: TestConfig) -> None:
        for _ in range(_ROUNDS):
            check_execution(subject, prepared, test, config)

    _call_all_at_once(
        subject, [partial(run, test, prepared, config) for (test, prepared), config in product(models, configs)]
    )


def _build_steps(length: int) -> TestModel:
    """Return a chain of additions, each of which waits for the one before."""
    return chain(OperationType.ADD, OperandType.TENSOR_FLOAT32, length)


@check(_SUITE, "Preparations", rules=("execution/concurrent",))
def preparations(subject: Subject, _: None) -> None:
    """Equal and different models can be prepared while another model is executed."""
    config = basic_config(subject)
    busy = prepare_test(subject, _build_steps(50), config)

    def prepare(test: TestModel) -> None:
        check_execution(subject, prepare_test(subject, test, config), test, config)

    def keep_busy() -> None:
        for _ in range(_ROUNDS):
            check_execution(subject, busy, _build_steps(50), config)

    tests = [_build_sum(0), _build_sum(0), _build_sum(0), _build_steps(20), _build_steps(20), _build_steps(60)]
    _call_all_at_once(subject, [*(partial(prepare, test) for test in tests), keep_busy, keep_busy])


@check(_SUITE, "Shapes", rules=("execution/concurrent",), level=_SYNC_LEVEL)
def shapes(subject: Subject, _: None) -> None:
    """Concurrent executions of a model with unknown input dimensions can have different dimensions."""
    config = TestConfig(Executor.SYNC)
    prepared = prepare_test(subject, _remove_dimensions(_build_ones(1)), config)

    def run(size: int) -> None:
        test = _build_ones(size)
        with open_request(test) as packed:
            sized = replace(
                packed.request,
                inputs=tuple(replace(argument, dimensions=(size,)) for argument in packed.request.inputs),
                outputs=tuple(replace(argument, dimensions=(size,)) for argument in packed.request.outputs),
            )
            for _ in range(_ROUNDS):
                answer = execute(prepared, sized, config, subject.timeout_s)[0]
                if answer.status is not ErrorStatus.NONE:
                    raise fail("execution/status", f"{size} elements: {answer.status.name} {answer.message}")
                check_exactly(packed.output_arrays(test.main.outputs), test, f"{size} elements")

    _call_all_at_once(subject, [partial(run, size) for size in range(1, _THREADS + 1)])


def _build_ones(size: int) -> TestModel:
    """Return the sum of a tensor of ``size`` ones with itself."""
    graph, kind = GraphBuilder(), OperandType.TENSOR_FLOAT32
    value = graph.input(kind, (size,), np.ones(size))
    activation = graph.scalar(OperandType.INT32, 0)
    graph.operation(OperationType.ADD, (value, value, activation), graph.output(kind, (size,), np.full(size, 2)))
    return graph.finish("ones")


def _remove_dimensions(test: TestModel) -> TestModel:
    """Return the test with all dimensions of its tensors unknown."""
    main = test.main
    shaped = (*main.input_indexes, *main.output_indexes)
    unshaped = {index: replace(main.operands[index], dimensions=(0,)) for index in shaped}
    return replace(test, main=with_operands(main, unshaped))


@check(_SUITE, "InFlightReusable", rules=("execution/in_flight",), level=8)
def in_flight_reusable(subject: Subject, _: None) -> None:
    """While a reusable execution waits for a fence, each further one fails with GENERAL_FAILURE; then it is free."""
    with prepare_fenced_run(subject, Executor.REUSABLE) as run:
        fence, source = create_fence()
        future = run.begin([fence])
        refusals = 0
        # A driver whose call blocks may not have seen the first call yet.
        for _attempt in range(1 if future.done() else _ATTEMPTS):
            status = run.end(run.begin()).status
            refusals += status is ErrorStatus.GENERAL_FAILURE
            if status not in (ErrorStatus.NONE, ErrorStatus.GENERAL_FAILURE):
                raise fail("execution/in_flight", f"a second execution ends with {status.name}", status=status.name)
        source.signal()
        if not refusals:
            raise fail("execution/in_flight", "a second execution succeeds while the first waits for its fence")
        run.check_success(future, "the first execution")
        run.check_success(run.begin(), "when nothing is in flight any more")


@check(_SUITE, "InFlightBurst", rules=("execution/in_flight",), level=4)
def in_flight_burst(subject: Subject, _: None) -> Outcome:
    """Of two concurrent executions on one burst, one fails with GENERAL_FAILURE and the other succeeds."""
    prepared = prepare_test(subject, endless_loop(), TestConfig(Executor.BURST))
    with open_request(endless_loop()) as packed:
        config = ExecutionConfig(loop_timeout_duration_ns=_LOOP_TIMEOUT_NS)
        burst = driver_burst(prepared)
        call = partial(_status_of, burst, packed, config)
        for attempt in range(1, _ATTEMPTS + 1):
            found = call_together([call, call], subject.timeout_s, "executions on one burst")
            if set(found) - {*_LOOPED, ErrorStatus.GENERAL_FAILURE} or not set(found) & set(_LOOPED):
                raise fail("execution/in_flight", f"they end with {[status.name for status in found]}")
            if ErrorStatus.GENERAL_FAILURE in found:
                if call() not in _LOOPED:
                    raise fail("execution/in_flight", "the burst cannot be used any more")
                return passed(attempts=attempt)
    raise fail("execution/in_flight", "two executions on one burst, each a loop without end, both come to their end")


_LOOPED: Final = (ErrorStatus.MISSED_DEADLINE_TRANSIENT, ErrorStatus.MISSED_DEADLINE_PERSISTENT)
"""Statuses of a loop that has come to its timeout."""


def _status_of(burst: Burst, packed: PackedRequest, config: ExecutionConfig) -> ErrorStatus:
    """Execute a request on a burst, and return the status; the memory has no slots."""
    try:
        burst.execute_synchronously(packed.request, [-1, -1], config, NO_DEADLINE)
    except HalError as error:
        return error.status
    return ErrorStatus.NONE


def driver_burst(prepared: PreparedModel) -> Burst:
    """Return a burst of the driver itself, not one over queues.

    The client's end of a burst over queues would refuse a second execution before the driver sees it.
    """
    session = session_of(prepared)
    if session is None:
        return prepared.configure_execution_burst()
    method = METHODS["PreparedModel.configure_execution_burst"]
    burst: Burst = session.call(getattr(prepared, "id"), method, ())  # noqa: B009 - proxies have ids, models need none
    return burst
