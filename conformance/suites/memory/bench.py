"""Requests of a check, argument by argument, in shared and in device memory; for one executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from msgspec.structs import replace

from nnvet.adapters.calls import ExecutionRecorder
from nnvet.conformance.engine.config import EXECUTOR_LEVELS, Executor, TestConfig
from nnvet.conformance.engine.executing import Answer, answer_of, execute, refusal
from nnvet.conformance.engine.notified import Ledger
from nnvet.conformance.engine.outcome import fail, unsupported
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.hal_model import create_pool
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import Ashmem, close, mapped
from nnvet.hal.types import BufferToken, DataLocation, ExecutionConfig, Request, RequestArgument, Timing

_CONFIG: Final = ExecutionConfig()
_NOT_CACHED: Final = -1


@dataclass
class Bench:
    """Requests of a check and the shared memory they need, for one executor."""

    subject: Subject
    executor: Executor
    _pools: list[Ashmem | BufferToken] = field(default_factory=list)

    def shared(self, content: bytes, dimensions: Sequence[int] = ()) -> RequestArgument:
        """An argument in shared memory of its own."""
        self._pools.append(create_pool(len(content), ((0, content),)))
        location = DataLocation(len(self._pools) - 1, 0, len(content))
        return RequestArgument(location=location, dimensions=tuple(dimensions))

    def room(self, size: int, dimensions: Sequence[int] = ()) -> RequestArgument:
        """An output in shared memory of its own."""
        return self.shared(bytes(size), dimensions)

    def device(self, token: int, dimensions: Sequence[int] = ()) -> RequestArgument:
        """An argument in device memory."""
        self._pools.append(BufferToken(token))
        return RequestArgument(location=DataLocation(len(self._pools) - 1), dimensions=tuple(dimensions))

    def request(self, inputs: Sequence[RequestArgument], outputs: Sequence[RequestArgument]) -> Request:
        """A request with the pools of its arguments."""
        used = sorted({argument.location.pool_index for argument in (*inputs, *outputs)})

        def moved(argument: RequestArgument) -> RequestArgument:
            location = replace(argument.location, pool_index=used.index(argument.location.pool_index))
            return replace(argument, location=location)

        pools = tuple(self._pools[index] for index in used)
        return Request(tuple(map(moved, inputs)), tuple(map(moved, outputs)), pools)

    def content(self, argument: RequestArgument) -> bytes:
        """What lies in an argument's shared memory."""
        pool = self._pools[argument.location.pool_index]
        if isinstance(pool, BufferToken):
            raise TypeError("device memory cannot be looked into")
        with mapped(pool, writable=False) as view:
            return bytes(view)

    def run(
        self, prepared: PreparedModel, inputs: Sequence[RequestArgument], outputs: Sequence[RequestArgument]
    ) -> list[Answer]:
        """Execute; a reusable execution answers twice, unless it cannot be made."""
        return self.opened(prepared, inputs, outputs)()

    def opened(
        self, prepared: PreparedModel, inputs: Sequence[RequestArgument], outputs: Sequence[RequestArgument]
    ) -> Callable[[], list[Answer]]:
        """Executes each time it is called, with one and the same burst or reusable execution."""
        request = self.request(inputs, outputs)
        if self.executor is Executor.ASYNC:
            return lambda: [self._asynchronous(prepared, request)]
        try:
            if self.executor is Executor.BURST:
                burst, tokens = prepared.configure_execution_burst(), (_NOT_CACHED,) * len(request.pools)
                run = partial(burst.execute_synchronously, request, tokens, _CONFIG, NO_DEADLINE)
                return lambda: [answer_of(run)]
            if self.executor is Executor.REUSABLE:
                execution = prepared.create_reusable_execution(request, _CONFIG)
                return lambda: [answer_of(partial(execution.execute_synchronously, NO_DEADLINE)) for _ in range(2)]
        except HalError as error:
            refused = [refusal(error)]
            return lambda: refused
        return lambda: execute(prepared, request, TestConfig(self.executor), self.subject.timeout_s)

    def _asynchronous(self, prepared: PreparedModel, request: Request) -> Answer:
        """Every launch is notified once, with the same status if it is refused."""
        ledger, recorder = Ledger(self.subject, "execution"), ExecutionRecorder()
        try:
            prepared.execute(request, _CONFIG, NO_DEADLINE, recorder)
            answer = Answer(*ledger.outcome(recorder, "execute"))
        except HalError as error:
            ledger.refused(recorder, error.status, "execute")
            answer = refusal(error)
        ledger.settle()
        return answer

    def expect(
        self,
        expected: ErrorStatus,
        rule: str,
        prepared: PreparedModel,
        inputs: Sequence[RequestArgument],
        outputs: Sequence[RequestArgument],
    ) -> None:
        """Execute; every answer must have the expected status, and no timing.

        :raises CaseFailed: with ``rule``, if the status is another one.
        """
        for answer in self.run(prepared, inputs, outputs):
            if answer.status is not expected:
                reason = f"status {answer.status.name}, expected {expected.name}: {answer.message}"
                raise fail(rule, reason, status=answer.status.name, driver_rule=answer.rule)
            if answer.timing != Timing():
                raise fail("execution/timing", "timing is reported without being asked for")
            if expected is not ErrorStatus.NONE and answer.output_shapes:
                raise fail("execution/output.shapes", f"output shapes are reported with {expected.name}")

    def close(self) -> None:
        """Close all shared memory."""
        for pool in self._pools:
            if isinstance(pool, Ashmem):
                close(pool)


@contextmanager
def bench(subject: Subject, executor: Executor = Executor.SYNC) -> Iterator[Bench]:
    """A bench while the block runs.

    :raises CaseFailed: UNSUPPORTED if the driver's level does not have the executor.
    """
    if subject.feature_level < EXECUTOR_LEVELS[executor]:
        raise unsupported(f"{executor.value} executions begin at feature level {EXECUTOR_LEVELS[executor]}")
    made = Bench(subject, executor)
    try:
        yield made
    finally:
        made.close()
