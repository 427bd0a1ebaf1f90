"""What the checks of device memory share: prepared models, data, requests, and the verdict on an answer.

Source: VTS catalogue, 6.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from adapters.calls import ExecutionRecorder
from conformance.harness.device_memory import allocate
from conformance.harness.executing import Answer, answer_of, execute, refusal
from conformance.harness.notified import Ledger
from conformance.harness.outcome import fail, unsupported
from conformance.harness.preparing import built_model, prepared_model
from conformance.harness.subject import Subject
from conformance.harness.ways import EXECUTOR_LEVELS, Executor, Way
from generators.hal_model import create_pool
from generators.memory_domain_models import SHAPE, addition, convolutions
from generators.test_model import TestModel
from hal.enums import NO_DEADLINE, ErrorStatus
from hal.errors import HalError
from hal.interfaces import Buffer, PreparedModel
from hal.memory import Ashmem, close, mapped
from hal.operand_types import type_info
from hal.types import (
    BufferRole,
    BufferToken,
    DataLocation,
    ExecutionConfig,
    OperandType,
    Request,
    RequestArgument,
    Timing,
)

LEVEL: Final = 4
"""The first feature level with device memory."""

TYPES: Final = (
    OperandType.TENSOR_FLOAT32,
    OperandType.TENSOR_FLOAT16,
    OperandType.TENSOR_QUANT8_ASYMM,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
)
SIZES: Final = {operand_type: type_info(operand_type).size * int(np.prod(SHAPE)) for operand_type in TYPES}
"""Bytes of data of each type."""

_CONFIG: Final = ExecutionConfig()
_NOT_CACHED: Final = -1

UNKNOWN_BATCH: Final = (0, *SHAPE[1:])
OTHER_BATCH: Final = (2, *SHAPE[1:])

ROLE: Final = (BufferRole(0, 0),)
"""The first input or output of the first model."""


def by_type() -> dict[str, OperandType]:
    """Parameters of a check that runs for each type."""
    return {operand_type.name: operand_type for operand_type in TYPES}


def convolution(subject: Subject, operand_type: OperandType, count: int = 1, **form: Any) -> PreparedModel:
    """See :func:`generators.memory_domain_models.convolutions`; ``form`` is passed on."""
    key = ("convolutions", operand_type, count, *form.items())
    return _shared(subject, key, lambda: convolutions(operand_type, count, **form))


def sum_of_two(subject: Subject, operand_type: OperandType, dimensions: tuple[int, ...] = SHAPE) -> PreparedModel:
    """See :func:`generators.memory_domain_models.addition`."""
    return _shared(subject, ("addition", operand_type, dimensions), lambda: addition(operand_type, dimensions))


def fresh(subject: Subject, test: TestModel) -> PreparedModel:
    """A prepared model that no other case has.

    :raises CaseFailed: it cannot be prepared; UNSUPPORTED if the driver does not take its operations.
    """
    with built_model(test, subject.feature_level) as model:
        return prepared_model(subject, model)


def _shared(subject: Subject, key: tuple[Any, ...], make: Callable[[], TestModel]) -> PreparedModel:
    known = ("memory domain", *key)
    if known not in subject.shared:
        subject.shared[known] = fresh(subject, make())
    prepared: PreparedModel = subject.shared[known]
    return prepared


def device_memory(
    subject: Subject,
    models: Sequence[PreparedModel],
    inputs: Sequence[BufferRole] = (),
    outputs: Sequence[BufferRole] = (),
    dimensions: Sequence[int] = (),
) -> tuple[Buffer, int]:
    """Device memory for valid roles, with its token.

    :raises CaseFailed: UNSUPPORTED if the driver has none; the answer is neither.
    """
    allocated = allocate(subject.device, models, inputs, outputs, dimensions)
    if allocated is None:
        raise unsupported("the driver has no device memory for these roles", "allocate/supported")
    return allocated


def data(operand_type: OperandType, seed: int = 0, batch: int = 1) -> bytes:
    """Values of a type that are exact in it; other values for other seeds."""
    count = batch * int(np.prod(SHAPE))
    values = (np.arange(count) * 7 + seed * 13) % 101
    return values.astype(type_info(operand_type).dtype).tobytes()


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
        return lambda: execute(prepared, request, Way(self.executor), self.subject.timeout_s)

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
