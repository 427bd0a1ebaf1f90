"""The one executor: a prepared model and a request, by each of the executors of the HAL, with bounded waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy.typing as npt

from nnvet.adapters.calls import ExecutionRecorder, notified_execution
from nnvet.conformance.engine.arguments import arguments_for
from nnvet.conformance.engine.config import Executor, OutputType, TestConfig
from nnvet.conformance.engine.fences import end_of_fenced
from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase, span
from nnvet.generators.graphs.model import TestModel
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import BufferToken, ExecutionConfig, ExecutionResult, OutputShape, Request, Timing

_EXECUTE: Final = Bucket(Layer.APPLICATION, TracePhase.EXECUTION)
_NOT_CACHED: Final = -1


@dataclass(frozen=True, slots=True)
class Answer:
    """A driver's answer to one execution, in one form for all executors.

    ``outputs`` are the values that it has written, flat, where they were read: see :func:`run_test`. An execution that
    ``is_launched`` fails by its notification (VTS: return status), any other one by the call itself (launch status).
    """

    status: ErrorStatus
    output_shapes: tuple[OutputShape, ...] = ()
    timing: Timing = field(default_factory=Timing)
    message: str = ""
    rule: str = ""
    outputs: tuple[npt.NDArray[Any], ...] = ()
    is_launched: bool = True


Execution = Callable[[], Answer]
"""Executes each time it is called."""


@dataclass(frozen=True, slots=True)
class _Call:
    """An execution and its limits: the deadline that the driver is given, and the time for which the suite waits."""

    prepared: PreparedModel
    request: Request
    config: ExecutionConfig
    deadline_ns: int
    timeout_s: float
    new_callback: Callable[[], ExecutionRecorder]


def execute(
    prepared: PreparedModel, request: Request, config: TestConfig, timeout_s: float, deadline_ns: int = NO_DEADLINE
) -> list[Answer]:
    """Execute once (a reusable execution: twice) and return the answers.

    :raises DriverGone: the driver's process died, or gave no answer within ``timeout_s`` seconds.
    """
    try:
        with open_execution(prepared, request, config, timeout_s, deadline_ns) as execution:
            return [execution() for _ in range(rounds(config))]
    except HalError as error:
        return [refusal(error)]


def run_test(
    prepared: PreparedModel, test: TestModel, config: TestConfig, device: Device, timeout_s: float, times: int = 0
) -> list[Answer]:
    """Execute a test so many ``times`` (0: as often as the configuration does), and read the outputs after each.

    If the driver refuses to execute at all, there are as many answers, all of which say so.

    :raises CaseFailed: the driver has no memory of the type that the configuration asks for, or fails to provide it.
    :raises DriverGone: the driver's process died, or gave no answer within ``timeout_s`` seconds.
    """
    answers: list[Answer] = []
    times = times or rounds(config)
    with arguments_for(test, config, device, prepared) as arguments:
        try:
            with open_execution(prepared, arguments.request, config, timeout_s) as execution:
                for _ in range(times):
                    answer = execution()
                    if answer.status is ErrorStatus.NONE and config.output is not OutputType.INSUFFICIENT:
                        outputs = arguments.output_arrays(test.main.outputs)
                        answer = replace(answer, outputs=tuple(outputs))
                    answers.append(answer)
        except HalError as error:
            answers = [refusal(error)] * times
    return answers


def rounds(config: TestConfig) -> int:
    """Return the number of executions of a configuration: a reusable execution has to be reused."""
    return 2 if config.executor is Executor.REUSABLE else 1


@contextmanager
def open_execution(
    prepared: PreparedModel,
    request: Request,
    config: TestConfig,
    timeout_s: float,
    deadline_ns: int = NO_DEADLINE,
    *,
    new_callback: Callable[[], ExecutionRecorder] = ExecutionRecorder,
) -> Iterator[Execution]:
    """An execution that can be called as often as wanted while the block runs, with one burst or reusable execution.

    Each asynchronous execution gets a callback that ``new_callback`` makes.

    :raises HalError: the driver refuses the burst or the reusable execution, or releasing memory of the burst.
    """
    execution_config = ExecutionConfig(config.measure, config.loop_timeout_ns)
    call = _Call(prepared, request, execution_config, deadline_ns, timeout_s, new_callback)
    with span(_EXECUTE, config.executor), _EXECUTORS[config.executor](call) as execution:
        yield execution


def answer_of(run: Callable[[], ExecutionResult]) -> Answer:
    """The answer of a synchronous execution."""
    try:
        result = run()
    except HalError as error:
        return refusal(error)
    status = ErrorStatus.NONE if result.output_sufficient_size else ErrorStatus.OUTPUT_INSUFFICIENT_SIZE
    return Answer(status, result.output_shapes, result.timing)


def refusal(error: HalError) -> Answer:
    """The answer that an error is."""
    return Answer(error.status, message=error.message, rule=error.rule, is_launched=False)


@contextmanager
def _synchronous(call: _Call) -> Iterator[Execution]:
    yield lambda: answer_of(lambda: call.prepared.execute_synchronously(call.request, call.config, call.deadline_ns))


@contextmanager
def _asynchronous(call: _Call) -> Iterator[Execution]:
    yield lambda: _execute_asynchronously(call)


def _execute_asynchronously(call: _Call) -> Answer:
    callback = call.new_callback()
    try:
        status, shapes, timing = notified_execution(
            call.prepared, call.request, call.config, call.deadline_ns, call.timeout_s, callback
        )
    except HalError as error:
        return refusal(error)
    if status in (ErrorStatus.NONE, ErrorStatus.OUTPUT_INSUFFICIENT_SIZE):
        return Answer(status, shapes, timing)
    notified = callback.failed("PreparedModel.execute")
    return Answer(status, shapes, timing, notified.message, notified.rule)


@contextmanager
def _burst(call: _Call) -> Iterator[Execution]:
    tokens = [_NOT_CACHED if isinstance(pool, BufferToken) else index for index, pool in enumerate(call.request.pools)]
    burst = call.prepared.configure_execution_burst()
    yield lambda: answer_of(lambda: burst.execute_synchronously(call.request, tokens, call.config, call.deadline_ns))
    for token in tokens:
        if token != _NOT_CACHED:
            burst.release_memory_resource(token)


@contextmanager
def _fenced(call: _Call) -> Iterator[Execution]:
    yield lambda: _execute_fenced(call)


def _execute_fenced(call: _Call) -> Answer:
    try:
        result = call.prepared.execute_fenced(call.request, (), call.config, call.deadline_ns, NO_DEADLINE)
    except HalError as error:
        return refusal(error)
    end = end_of_fenced(result, call.timeout_s)
    return Answer(end.status, (), end.launched)


@contextmanager
def _reusable(call: _Call) -> Iterator[Execution]:
    execution = call.prepared.create_reusable_execution(call.request, call.config)
    yield lambda: answer_of(lambda: execution.execute_synchronously(call.deadline_ns))


_EXECUTORS: Final[dict[Executor, Callable[[_Call], AbstractContextManager[Execution]]]] = {
    Executor.SYNC: _synchronous,
    Executor.ASYNC: _asynchronous,
    Executor.BURST: _burst,
    Executor.FENCED: _fenced,
    Executor.REUSABLE: _reusable,
}
