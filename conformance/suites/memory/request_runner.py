"""Requests whose arguments lie in shared or in device memory: build them, and run them by one executor.

Checks of device memory use :class:`RequestRunner`, which :func:`request_runner` opens. Checks of other memory use
:class:`Adder`, in the second half: the sum of two vectors of whole numbers, which every driver has to compute exactly.
Requests with all arguments in the usual places are built by :mod:`nnvet.graphs.hal_model`.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.adapters.calls import ExecutionRecorder
from nnvet.conformance.kit import executing
from nnvet.conformance.kit.handmade import prepare_test
from nnvet.conformance.kit.judging import check_reached
from nnvet.conformance.kit.notified import Ledger
from nnvet.conformance.kit.outcome import CaseFailed, fail, unsupported
from nnvet.conformance.kit.subject import Subject
from nnvet.graphs.builder import GraphBuilder, sum_of_two
from nnvet.graphs.hal_model import create_pool
from nnvet.graphs.model import TestModel
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import close, mapped


@dataclass
class RequestRunner:
    """Builds and runs requests of a check, and owns their shared memory, for one executor."""

    subject: Subject
    executor: executing.Executor
    _pools: list[hal.Ashmem | hal.BufferToken] = field(default_factory=list)

    def shared(self, content: bytes, dimensions: Sequence[int] = ()) -> hal.RequestArgument:
        """Add an input with the given content in shared memory of its own, and return the argument."""
        self._pools.append(create_pool(len(content), ((0, content),)))
        location = hal.DataLocation(len(self._pools) - 1, 0, len(content))
        return hal.RequestArgument(location=location, dimensions=tuple(dimensions))

    def output(self, size: int, dimensions: Sequence[int] = ()) -> hal.RequestArgument:
        """Add an output of ``size`` bytes in shared memory of its own, and return the argument."""
        return self.shared(bytes(size), dimensions)

    def device(self, token: int, dimensions: Sequence[int] = ()) -> hal.RequestArgument:
        """Add an argument in the device memory with a token, and return it."""
        self._pools.append(hal.BufferToken(token))
        return hal.RequestArgument(location=hal.DataLocation(len(self._pools) - 1), dimensions=tuple(dimensions))

    def request(self, inputs: Sequence[hal.RequestArgument], outputs: Sequence[hal.RequestArgument]) -> hal.Request:
        """Return a request with the pools of its arguments."""
        used = sorted({argument.location.pool_index for argument in (*inputs, *outputs)})

        def moved(argument: hal.RequestArgument) -> hal.RequestArgument:
            location = replace(argument.location, pool_index=used.index(argument.location.pool_index))
            return replace(argument, location=location)

        pools = tuple(self._pools[index] for index in used)
        return hal.Request(tuple(map(moved, inputs)), tuple(map(moved, outputs)), pools)

    def content(self, argument: hal.RequestArgument) -> bytes:
        """Return the content of an argument's shared memory."""
        pool = self._pools[argument.location.pool_index]
        if isinstance(pool, hal.BufferToken):
            raise TypeError("device memory cannot be looked into")
        with mapped(pool, writable=False) as view:
            return bytes(view)

    def run(
        self, prepared: PreparedModel, inputs: Sequence[hal.RequestArgument], outputs: Sequence[hal.RequestArgument]
    ) -> list[executing.Answer]:
        """Execute, and return the answers; a reusable execution gives two, unless it cannot be created."""
        with self.open(prepared, inputs, outputs) as run:
            return run()

    @contextmanager
    def open(
        self, prepared: PreparedModel, inputs: Sequence[hal.RequestArgument], outputs: Sequence[hal.RequestArgument]
    ) -> Iterator[Callable[[], list[executing.Answer]]]:
        """Yield a function that executes within the block, always with the same burst or reusable execution.

        Every asynchronous launch must be notified once, with the same status if it is refused.
        """
        request, config = self.request(inputs, outputs), executing.TestConfig(self.executor)
        ledger = Ledger(self.subject, "execution")
        callbacks: list[ExecutionRecorder] = []

        def new_callback() -> ExecutionRecorder:
            callbacks.append(ExecutionRecorder())
            return callbacks[-1]

        with ExitStack() as stack:
            try:
                execution = stack.enter_context(
                    executing.open_execution(
                        prepared, request, config, self.subject.timeout_s, new_callback=new_callback
                    )
                )
            except HalError as error:
                refused = [executing.refusal(error)]
                yield lambda: refused
                return

            def run() -> list[executing.Answer]:
                answers = [execution() for _ in range(executing.rounds(config))]
                if callbacks:
                    for callback, answer in zip(callbacks, answers, strict=True):
                        ledger.answered(callback, answer, "execute")
                    ledger.settle()
                    callbacks.clear()
                return answers

            yield run

    def expect(
        self,
        expected: hal.ErrorStatus,
        rule: str,
        prepared: PreparedModel,
        inputs: Sequence[hal.RequestArgument],
        outputs: Sequence[hal.RequestArgument],
    ) -> None:
        """Execute, and check that every answer has the expected status and no times.

        :raises CaseFailed: with ``rule``, if the status is another one.
        """
        for answer in self.run(prepared, inputs, outputs):
            if answer.status is not expected:
                reason = f"status {answer.status.name}, expected {expected.name}: {answer.message}"
                raise fail(rule, reason, status=answer.status.name, driver_rule=answer.rule)
            if answer.timing != hal.Timing():
                raise fail("execution/timing", "timing is reported without being asked for")
            if expected is not hal.ErrorStatus.NONE and answer.output_shapes:
                raise fail("execution/output.shapes", f"output shapes are reported with {expected.name}")

    def close(self) -> None:
        """Close all shared memory."""
        for pool in self._pools:
            if isinstance(pool, hal.Ashmem):
                close(pool)


@contextmanager
def request_runner(subject: Subject, executor: executing.Executor = executing.Executor.SYNC) -> Iterator[RequestRunner]:
    """Open a runner for as long as the block runs, and close its memory afterwards.

    :raises CaseFailed: UNSUPPORTED if the driver's level does not have the executor.
    """
    if subject.feature_level < executing.EXECUTOR_LEVELS[executor]:
        raise unsupported(f"{executor.value} executions begin at feature level {executing.EXECUTOR_LEVELS[executor]}")
    made = RequestRunner(subject, executor)
    try:
        yield made
    finally:
        made.close()


BYTES: Final = 2 * mmap.PAGESIZE
"""Size of each tensor: more than a page, so that a missing page of memory is noticed."""

_A, _B = (np.arange(BYTES // 4, dtype=np.float32) % period for period in (97, 89))
A: Final = _A.tobytes()
"""Content of the first input."""
B: Final = _B.tobytes()
"""Content of the second input."""
INPUTS: Final = ((0, A), (BYTES, B))
"""Both inputs side by side, with their offsets."""
PLACES: Final = ((0, 0), (0, BYTES), (1, 0))
"""Inputs in pool 0, the output in pool 1."""

_SUM: Final = (_A + _B).tobytes()
"""Expected content of the output."""
_TEST: Final = sum_of_two("memory_types", _A, _B, _A + _B)
"""The sum as a test; whole numbers below 186 are exact in float32."""

Place = tuple[int, int]
"""Index of a pool, and offset in it."""


def sum_with_constant() -> TestModel:
    """Return a test that adds an input and a constant in a pool."""
    graph, kind, shape = GraphBuilder(), hal.OperandType.TENSOR_FLOAT32, _A.shape
    inputs = (graph.input(kind, shape, _A), graph.shared(kind, shape, _B), graph.scalar(hal.OperandType.INT32, 0))
    graph.operation(hal.OperationType.ADD, inputs, graph.output(kind, shape, _A + _B))
    return graph.finish("sum_with_constant")


@contextmanager
def good_pools() -> Iterator[tuple[hal.Memory, hal.Memory]]:
    """Open a pool with the inputs and one for the output for as long as the block runs."""
    source, output = create_pool(2 * BYTES, INPUTS), create_pool(BYTES, ())
    try:
        yield source, output
    finally:
        close(source)
        close(output)


def request_of(memories: Sequence[hal.Memory], places: Sequence[Place] = PLACES) -> hal.Request:
    """Return a request for the sum; ``places`` are those of the inputs and of the output."""
    arguments = [hal.RequestArgument(location=hal.DataLocation(index, offset, BYTES)) for index, offset in places]
    return hal.Request(tuple(arguments[:2]), tuple(arguments[2:]), tuple(memories))


@dataclass(frozen=True)
class Adder:
    """The prepared model of the sum."""

    subject: Subject
    prepared: PreparedModel

    def run(self, request: hal.Request) -> executing.Answer:
        """Execute synchronously if the level has that, else asynchronously.

        :raises CaseFailed: UNSUPPORTED, if an adapter cannot pass on the request.
        """
        answer = executing.execute(
            self.prepared, request, executing.basic_config(self.subject), self.subject.timeout_s
        )[0]
        check_reached(answer)
        return answer

    def check(self, memories: Sequence[hal.Memory], places: Sequence[Place] = PLACES) -> None:
        """Execute, and check that the output is the sum of the inputs.

        :raises CaseFailed: it is not, or the execution fails.
        """
        answer = self.run(request_of(memories, places))
        if answer.status is not hal.ErrorStatus.NONE:
            raise unexpected("memory/map", answer, (hal.ErrorStatus.NONE,))
        index, offset = places[-1]
        with mapped(memories[index], writable=False) as view:
            if view[offset : offset + BYTES] != _SUM:
                raise fail("execution/output.value", "the output is not the sum of the inputs")


def adder(subject: Subject, *types: executing.MemoryType) -> Adder:
    """Return the prepared sum, which is prepared once for all cases.

    :raises CaseFailed: UNSUPPORTED if the driver's level does not have memory of all ``types``.
    """
    config = executing.basic_config(subject)
    executing.require(
        subject, config, *(executing.TestConfig(config.executor, memory=memory_type) for memory_type in types)
    )
    if _TEST.name not in subject.shared:
        subject.shared[_TEST.name] = prepare_test(subject, _TEST, config)
    return Adder(subject, subject.shared[_TEST.name])


def unexpected(rule: str, answer: executing.Answer, expected: Sequence[hal.ErrorStatus]) -> CaseFailed:
    """Return the verdict on an answer with an unexpected status."""
    names = " or ".join(status.name for status in expected)
    reason = f"status {answer.status.name}, expected {names}: {answer.message}"
    return fail(rule, reason, status=answer.status.name, driver_rule=answer.rule)
