"""Runs a request in one way and gathers what the driver answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from nnvet.adapters import execute as execute_asynchronously
from nnvet.conformance.engine.fences import end_of_fenced
from nnvet.conformance.engine.ways import Executor, Way
from nnvet.diagnostics.tracing import Bucket, Layer, Phase, span
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import BufferToken, ExecutionConfig, ExecutionResult, OutputShape, Request, Timing

_EXECUTE = Bucket(Layer.APPLICATION, Phase.EXECUTION)


@dataclass(frozen=True, slots=True)
class Answer:
    """A driver's answer to one execution, in one form for all executors."""

    status: ErrorStatus
    output_shapes: tuple[OutputShape, ...] = ()
    timing: Timing = field(default_factory=Timing)
    message: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class _Limits:
    """What bounds an execution: the deadline that the driver is given, and how long the suite waits."""

    deadline_ns: int
    timeout_s: float


def execute(
    prepared: PreparedModel, request: Request, way: Way, timeout_s: float, deadline_ns: int = NO_DEADLINE
) -> list[Answer]:
    """Execute once (a reusable execution: twice) and return the answers.

    :raises DriverGone: the driver's process died, or gave no answer within ``timeout_s`` seconds.
    """
    config = ExecutionConfig(way.measure, way.loop_timeout_ns)
    limits = _Limits(deadline_ns, timeout_s)
    with span(_EXECUTE, way.executor):
        if way.executor is Executor.REUSABLE:
            return _reusable(prepared, request, config, limits)
        return [_EXECUTORS[way.executor](prepared, request, config, limits)]


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
    return Answer(error.status, message=error.message, rule=error.rule)


def _synchronous(prepared: PreparedModel, request: Request, config: ExecutionConfig, limits: _Limits) -> Answer:
    return answer_of(lambda: prepared.execute_synchronously(request, config, limits.deadline_ns))


def _asynchronous(prepared: PreparedModel, request: Request, config: ExecutionConfig, limits: _Limits) -> Answer:
    return answer_of(lambda: execute_asynchronously(prepared, request, config, limits.deadline_ns, limits.timeout_s))


def _burst(prepared: PreparedModel, request: Request, config: ExecutionConfig, limits: _Limits) -> Answer:
    tokens = [-1 if isinstance(pool, BufferToken) else index for index, pool in enumerate(request.pools)]
    try:
        burst = prepared.configure_execution_burst()
        answer = answer_of(lambda: burst.execute_synchronously(request, tokens, config, limits.deadline_ns))
        for token in tokens:
            if token >= 0:
                burst.release_memory_resource(token)
    except HalError as error:
        return refusal(error)
    return answer


def _fenced(prepared: PreparedModel, request: Request, config: ExecutionConfig, limits: _Limits) -> Answer:
    try:
        result = prepared.execute_fenced(request, (), config, limits.deadline_ns, NO_DEADLINE)
    except HalError as error:
        return refusal(error)
    end = end_of_fenced(result, limits.timeout_s)
    return Answer(end.status, (), end.launched)


def _reusable(prepared: PreparedModel, request: Request, config: ExecutionConfig, limits: _Limits) -> list[Answer]:
    try:
        execution = prepared.create_reusable_execution(request, config)
    except HalError as error:
        return [refusal(error)]
    return [answer_of(lambda: execution.execute_synchronously(limits.deadline_ns)) for _ in range(2)]


_EXECUTORS = {
    Executor.SYNC: _synchronous,
    Executor.ASYNC: _asynchronous,
    Executor.BURST: _burst,
    Executor.FENCED: _fenced,
}
