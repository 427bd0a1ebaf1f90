"""Requests of a check, argument by argument, in shared and in device memory; for one executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from msgspec.structs import replace

from nnvet.adapters.calls import ExecutionRecorder
from nnvet.conformance.engine.config import EXECUTOR_LEVELS, Executor, TestConfig
from nnvet.conformance.engine.executing import Answer, open_execution, refusal, rounds
from nnvet.conformance.engine.notified import Ledger
from nnvet.conformance.engine.outcome import fail, unsupported
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.hal_model import create_pool
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import Ashmem, close, mapped
from nnvet.hal.types import BufferToken, DataLocation, Request, RequestArgument, Timing


@dataclass
class RequestRunner:
    """Requests of a check and the shared memory they need, for one executor."""

    subject: Subject
    executor: Executor
    _pools: list[Ashmem | BufferToken] = field(default_factory=list)

    def shared(self, content: bytes, dimensions: Sequence[int] = ()) -> RequestArgument:
        """An argument in shared memory of its own."""
        self._pools.append(create_pool(len(content), ((0, content),)))
        location = DataLocation(len(self._pools) - 1, 0, len(content))
        return RequestArgument(location=location, dimensions=tuple(dimensions))

    def output(self, size: int, dimensions: Sequence[int] = ()) -> RequestArgument:
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
        """Return the content of an argument's shared memory."""
        pool = self._pools[argument.location.pool_index]
        if isinstance(pool, BufferToken):
            raise TypeError("device memory cannot be looked into")
        with mapped(pool, writable=False) as view:
            return bytes(view)

    def run(
        self, prepared: PreparedModel, inputs: Sequence[RequestArgument], outputs: Sequence[RequestArgument]
    ) -> list[Answer]:
        """Execute; a reusable execution answers twice, unless it cannot be made."""
        with self.opened(prepared, inputs, outputs) as run:
            return run()

    @contextmanager
    def opened(
        self, prepared: PreparedModel, inputs: Sequence[RequestArgument], outputs: Sequence[RequestArgument]
    ) -> Iterator[Callable[[], list[Answer]]]:
        """Executes each time it is called while the block runs, with one and the same burst or reusable execution.

        Every asynchronous launch must be notified once, with the same status if it is refused.
        """
        request, config = self.request(inputs, outputs), TestConfig(self.executor)
        ledger = Ledger(self.subject, "execution")
        callbacks: list[ExecutionRecorder] = []

        def new_callback() -> ExecutionRecorder:
            callbacks.append(ExecutionRecorder())
            return callbacks[-1]

        with ExitStack() as stack:
            try:
                execution = stack.enter_context(
                    open_execution(prepared, request, config, self.subject.timeout_s, new_callback=new_callback)
                )
            except HalError as error:
                refused = [refusal(error)]
                yield lambda: refused
                return

            def run() -> list[Answer]:
                answers = [execution() for _ in range(rounds(config))]
                if callbacks:
                    for callback, answer in zip(callbacks, answers, strict=True):
                        ledger.answered(callback, answer, "execute")
                    ledger.settle()
                    callbacks.clear()
                return answers

            yield run

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
def request_runner(subject: Subject, executor: Executor = Executor.SYNC) -> Iterator[RequestRunner]:
    """A runner while the block runs; it closes its memory at the end.

    :raises CaseFailed: UNSUPPORTED if the driver's level does not have the executor.
    """
    if subject.feature_level < EXECUTOR_LEVELS[executor]:
        raise unsupported(f"{executor.value} executions begin at feature level {EXECUTOR_LEVELS[executor]}")
    made = RequestRunner(subject, executor)
    try:
        yield made
    finally:
        made.close()
