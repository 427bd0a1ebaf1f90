"""Suites ``MemoryDomainExecutionTest`` and ``TestGpuNnapi``: device memory and hardware buffers in requests.

The models of the first copy each input to its output, so that values are known and compared, unlike in VTS;
``lifecycle.py`` adds further checks to it by :func:`execution_check`. In the second, another party writes pictures
while the driver already waits for their fence: in CTS a graphics processor, here a thread of the suite. Copies without
requests are in :mod:`nnvet.conformance.suites.memory.copy`. Source: docs/contract/vts-tests.md 6.4,
docs/contract/cts-tests.md 2.19.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Final

import numpy as np

from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.conformance.kit import executing
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.concurrent_calls import begin, result_of
from nnvet.conformance.kit.device_memory import read, write
from nnvet.conformance.kit.handmade import check_exactly, prepare_test
from nnvet.conformance.kit.outcome import fail, unsupported
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.memory import domain
from nnvet.conformance.suites.memory.request_runner import request_runner
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel, element_type
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.fences import create_fence
from nnvet.hal.interfaces import FencedExecutionResult, PreparedModel
from nnvet.hal.memory import mapped
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import BufferToken, ExecutionConfig, Handle, OperandType, OperationType, Request

_SUITE: Final = "MemoryDomainExecutionTest"
_NONE, _INVALID, _FAILED = ErrorStatus.NONE, ErrorStatus.INVALID_ARGUMENT, ErrorStatus.GENERAL_FAILURE
_UNKNOWN_TOKENS: Final = (0, 100, -1, 2**31 - 1)
"""Tokens that no buffer has; valid ones are positive."""

Body = Callable[[domain.Fixture], None]
"""Function of a check, which gets the fixture of its case."""


def execution_check(
    name: str, *rules: str, types: Sequence[OperandType] = domain.TYPES, without: Sequence[executing.Executor] = ()
) -> Callable[[Body], Body]:
    """Register a check that runs for each type and executor, except those of ``without``."""
    parameters = {
        f"{operand_type.name}_{executor.value}": (operand_type, executor)
        for operand_type, executor in product(types, executing.Executor)
        if executor not in without
    }

    def register(body: Body) -> Body:
        @check(_SUITE, name, rules=rules, level=domain.LEVEL, parameters=lambda: parameters)
        def run(subject: Subject, parameter: tuple[OperandType, executing.Executor]) -> None:
            operand_type, executor = parameter
            with request_runner(subject, executor) as made:
                body(domain.Fixture(subject, operand_type, made))

        return body

    return register


@execution_check("InvalidToken", "buffer/token")
def invalid_token(fixture: domain.Fixture) -> None:
    """A token that no buffer has is refused, for an input and for an output."""
    prepared, runner = fixture.convolution(), fixture.runner
    for token in _UNKNOWN_TOKENS:
        runner.expect(_INVALID, "buffer/token", prepared, [runner.device(token)], [fixture.output()])
        runner.expect(_INVALID, "buffer/token", prepared, [fixture.shared()], [runner.device(token)])
    fixture.check_device_memory(prepared)


@execution_check("InvalidPreparedModel", "buffer/role")
def invalid_prepared_model(fixture: domain.Fixture) -> None:
    """Buffers of a prepared model are refused by another one of the same model."""
    prepared, runner = fixture.convolution(), fixture.runner
    other = domain.prepare_own(fixture.subject, domain.convolutions(fixture.type))
    (first, token), (_second, output_token) = fixture.memory(prepared, (0,)), fixture.memory(prepared, (), (0,))
    write(first, fixture.data())
    runner.expect(_INVALID, "buffer/role", other, [runner.device(token)], [fixture.output()])
    runner.expect(_INVALID, "buffer/role", other, [fixture.shared()], [runner.device(output_token)])
    fixture.check_device_memory(other)


@execution_check("InvalidIOIndex", "buffer/role")
def invalid_io_index(fixture: domain.Fixture) -> None:
    """Buffers of input 0 and of output 0 are refused as input 1 and as output 1."""
    prepared, runner = fixture.convolution(2), fixture.runner
    (first, token), (_second, output_token) = fixture.memory(prepared, (0,)), fixture.memory(prepared, (), (0,))
    write(first, fixture.data())
    shared, outputs = [fixture.shared(), fixture.shared()], [fixture.output(), fixture.output()]
    runner.expect(_INVALID, "buffer/role", prepared, [shared[0], runner.device(token)], outputs)
    runner.expect(_INVALID, "buffer/role", prepared, shared, [outputs[0], runner.device(output_token)])
    runner.expect(_NONE, "execution/status", prepared, [runner.device(token), shared[1]], outputs)
    runner.expect(_NONE, "execution/status", prepared, shared, [runner.device(output_token), outputs[1]])


@execution_check("InvalidIOType", "buffer/role")
def invalid_io_type(fixture: domain.Fixture) -> None:
    """A buffer of an input is refused as an output, and the other way round."""
    prepared, runner = fixture.convolution(), fixture.runner
    (_first, token), (_second, output_token) = fixture.memory(prepared, (0,)), fixture.memory(prepared, (), (0,))
    runner.expect(_INVALID, "buffer/role", prepared, [fixture.shared()], [runner.device(token)])
    runner.expect(_NONE, "execution/status", prepared, [fixture.shared()], [runner.device(output_token)])
    runner.expect(_INVALID, "buffer/role", prepared, [runner.device(output_token)], [fixture.output()])


@execution_check("UninitializedMemory", "buffer/uninitialised", "buffer/content")
def uninitialized_memory(fixture: domain.Fixture) -> None:
    """Fresh device memory is refused as an input; after it was an output it is accepted."""
    prepared, runner = fixture.convolution(), fixture.runner
    buffer, token = fixture.memory(prepared, (0,), (0,))
    output = fixture.output()
    runner.expect(_FAILED, "buffer/uninitialised", prepared, [runner.device(token)], [output])
    runner.expect(_NONE, "execution/status", prepared, [fixture.shared()], [runner.device(token)])
    runner.expect(_NONE, "execution/status", prepared, [runner.device(token)], [output])
    fixture.check(output)
    if read(buffer, fixture.size) != fixture.data():
        raise fail("buffer/content", "copyTo does not yield what an execution has written")


@execution_check("SameRequestMultipleRoles", "buffer/exclusive", "buffer/content")
def same_request_multiple_roles(fixture: domain.Fixture) -> None:
    """A buffer may be two inputs, but neither an input and an output nor two outputs, by one pool or by two."""
    prepared, runner = fixture.convolution(2), fixture.runner
    buffer, token = fixture.memory(prepared, (0, 1), (0, 1))
    shared, outputs = [fixture.shared(), fixture.shared()], [fixture.output(), fixture.output()]
    one = runner.device(token)
    for other in (one, runner.device(token)):
        write(buffer, fixture.data())
        runner.expect(_INVALID, "buffer/exclusive", prepared, [one, shared[1]], [other, outputs[1]])
        runner.expect(_INVALID, "buffer/exclusive", prepared, shared, [one, other])
        write(buffer, fixture.data(seed=1))
        runner.expect(_NONE, "execution/status", prepared, [one, other], outputs)
        fixture.check(outputs[0], seed=1)
        fixture.check(outputs[1], seed=1)


@execution_check("InvalidDimensions", "buffer/dimensions", "buffer/output", without=(executing.Executor.FENCED,))
def invalid_dimensions(fixture: domain.Fixture) -> None:
    """Arguments of a batch of 2 are refused in device memory for a batch of 1."""
    prepared, runner = fixture.convolution(dimensions=domain.UNKNOWN_BATCH), fixture.runner
    first, token = fixture.memory(prepared, (0,), dimensions=domain.SHAPE)
    _second, output_token = fixture.memory(prepared, (), (0,), dimensions=domain.SHAPE)
    write(first, fixture.data())
    both = runner.shared(fixture.data(batch=2), domain.OTHER_BATCH)
    output = runner.output(2 * fixture.size, domain.OTHER_BATCH)
    runner.expect(_INVALID, "buffer/dimensions", prepared, [runner.device(token, domain.OTHER_BATCH)], [output])
    runner.expect(_INVALID, "buffer/dimensions", prepared, [both], [runner.device(output_token, domain.OTHER_BATCH)])
    runner.expect(_FAILED, "buffer/output", prepared, [both], [runner.device(output_token)])


SUITE: Final = "TestGpuNnapi"
"""Name of the second suite, as in CTS."""
_LEVEL: Final = 5
"""First feature level of the drivers that CTS tests with a graphics processor."""
_SIDE: Final = 256
"""Height and width of the pictures."""
_ROUNDS: Final = 20
"""Number of rounds, a fifth of CTS's; already the first shows whether the driver waits for fences."""
_CONFIG: Final = executing.TestConfig(executing.Executor.FENCED, memory=executing.MemoryType.BLOB_AHWB)
"""Fenced executions with all arguments in BLOB hardware buffers."""

GPU_TYPES: Final = {
    "Float32": OperandType.TENSOR_FLOAT32,
    "Float16": OperandType.TENSOR_FLOAT16,
    "Quant8Asymm": OperandType.TENSOR_QUANT8_ASYMM,
    "Quant8AsymmSigned": OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
}
"""Types of the pictures, by the names of CTS's tests."""


def _build_plus_one(kind: OperandType) -> TestModel:
    """Return a picture plus the constant 1; the picture is black until it is written."""
    graph, scale = GraphBuilder(), 1.0 if type_info(kind).is_quantized else 0.0
    shape = (1, _SIDE, _SIDE, 1)
    inputs = (
        graph.input(kind, shape, np.zeros(shape), scale),
        graph.constant(kind, (1,), [1], scale),
        graph.scalar(OperandType.INT32, 0),
    )
    graph.operation(OperationType.ADD, inputs, graph.output(kind, shape, np.full(shape, 2), scale))
    return graph.finish(f"plus_one_{kind.name.lower()}")


def _check_after_fence(kind: OperandType, subject: Subject, _: None) -> None:
    """Check that a picture of ones, written before its fence signals, gives a picture of twos."""
    test = _build_plus_one(kind)
    prepared = prepare_test(subject, test, _CONFIG)
    for number in range(_ROUNDS):
        with executing.arguments_for(test, _CONFIG, subject.device, prepared) as arguments:
            fence, source = create_fence()
            future = begin(partial(_launch, prepared, arguments.request, fence))
            if number == 0:
                executing.check_waiting(future)
            _write_ones(arguments.request, kind)
            source.signal()
            result = result_of(future, subject.timeout_s, "execute_fenced")
            status = executing.await_fenced_end(result, subject.timeout_s).status
            if status is not ErrorStatus.NONE:
                raise fail("execution/status", f"round {number} ends with {status.name}", status=status.name)
            check_exactly(arguments.output_arrays(test.main.outputs), test, f"round {number}")


for _name, _type in GPU_TYPES.items():
    check(SUITE, _name, rules=("execution/fence.order", "execution/output.value"), level=_LEVEL)(
        partial(_check_after_fence, _type)
    )


def _launch(prepared: PreparedModel, request: Request, fence: Handle) -> FencedExecutionResult:
    """Launch an execution that waits for a fence.

    :raises CaseFailed: the driver refuses it; UNSUPPORTED if an adapter cannot express it.
    """
    try:
        return prepared.execute_fenced(request, (fence,), ExecutionConfig(), NO_DEADLINE, NO_DEADLINE)
    except HalError as error:
        if error.rule == INEXPRESSIBLE:
            raise unsupported(f"the adapter cannot pass on such a request: {error.message}", error.rule) from error
        raise fail("execution/status", f"execute_fenced fails: {error}", status=error.status.name) from error


def _write_ones(request: Request, kind: OperandType) -> None:
    """Write a picture of ones where the request expects its input."""
    place = request.inputs[0].location
    pool = request.pools[place.pool_index]
    if isinstance(pool, BufferToken):
        raise TypeError("a picture in device memory cannot be written")
    with mapped(pool) as view:
        ones = np.ones(_SIDE * _SIDE, element_type(kind)).tobytes()
        view[place.offset : place.offset + place.length] = ones
