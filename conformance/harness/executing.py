"""Runs a request in one way and gathers what the driver answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from adapters import execute as execute_asynchronously
from conformance.harness.ways import Executor, Way
from hal.arguments import boot_time_ns
from hal.enums import NO_DEADLINE, ErrorStatus
from hal.errors import HalError
from hal.fences import wait_for_fences
from hal.interfaces import PreparedModel
from hal.types import BufferToken, ExecutionConfig, ExecutionResult, OutputShape, Request, Timing


@dataclass(frozen=True, slots=True)
class Answer:
    """A driver's answer to one execution, in one form for all executors."""

    status: ErrorStatus
    output_shapes: tuple[OutputShape, ...] = ()
    timing: Timing = field(default_factory=Timing)
    message: str = ""
    rule: str = ""


def execute(prepared: PreparedModel, request: Request, way: Way, timeout_s: float) -> list[Answer]:
    """Execute once (a reusable execution: twice) and return the answers.

    :raises DriverGone: the driver's process died, or gave no answer within ``timeout_s`` seconds.
    """
    config = ExecutionConfig(way.measure, way.loop_timeout_ns)
    if way.executor is Executor.REUSABLE:
        return _reusable(prepared, request, config)
    return [_EXECUTORS[way.executor](prepared, request, config, timeout_s)]


def _answer(run: Callable[[], ExecutionResult]) -> Answer:
    try:
        result = run()
    except HalError as error:
        return refusal(error)
    status = ErrorStatus.NONE if result.output_sufficient_size else ErrorStatus.OUTPUT_INSUFFICIENT_SIZE
    return Answer(status, result.output_shapes, result.timing)


def refusal(error: HalError) -> Answer:
    """The answer that an error is."""
    return Answer(error.status, message=error.message, rule=error.rule)


def _synchronous(prepared: PreparedModel, request: Request, config: ExecutionConfig, _timeout: float) -> Answer:
    return _answer(lambda: prepared.execute_synchronously(request, config, NO_DEADLINE))


def _asynchronous(prepared: PreparedModel, request: Request, config: ExecutionConfig, timeout_s: float) -> Answer:
    return _answer(lambda: execute_asynchronously(prepared, request, config, NO_DEADLINE, timeout_s))


def _burst(prepared: PreparedModel, request: Request, config: ExecutionConfig, _timeout: float) -> Answer:
    tokens = [-1 if isinstance(pool, BufferToken) else index for index, pool in enumerate(request.pools)]
    try:
        burst = prepared.configure_execution_burst()
        answer = _answer(lambda: burst.execute_synchronously(request, tokens, config, NO_DEADLINE))
        for token in tokens:
            if token >= 0:
                burst.release_memory_resource(token)
    except HalError as error:
        return refusal(error)
    return answer


def _fenced(prepared: PreparedModel, request: Request, config: ExecutionConfig, timeout_s: float) -> Answer:
    try:
        result = prepared.execute_fenced(request, (), config, NO_DEADLINE, NO_DEADLINE)
        if result.sync_fence is not None:
            wait_for_fences([result.sync_fence], boot_time_ns() + int(timeout_s * 1e9))
        status, timing, _ = result.callback.get_execution_info()
    except HalError as error:
        return refusal(error)
    return Answer(status, (), timing)


def _reusable(prepared: PreparedModel, request: Request, config: ExecutionConfig) -> list[Answer]:
    try:
        execution = prepared.create_reusable_execution(request, config)
    except HalError as error:
        return [refusal(error)]
    return [_answer(lambda: execution.execute_synchronously(NO_DEADLINE)) for _ in range(2)]


_EXECUTORS = {
    Executor.SYNC: _synchronous,
    Executor.ASYNC: _asynchronous,
    Executor.BURST: _burst,
    Executor.FENCED: _fenced,
}
