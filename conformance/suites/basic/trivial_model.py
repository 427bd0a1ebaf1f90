"""Suite ``TestTrivialModel``: sums and products of small matrices, by every executor.

The checks have the names of CTS's tests. Source: docs/contract/cts-tests.md 2.1. Operands are whole numbers, so every
driver has to give the exact result. Models from specs are run by :mod:`nnvet.conformance.suites.generated.cases`.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.conformance.kit import executing
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.concurrent_calls import begin, result_of
from nnvet.conformance.kit.handmade import check_exactly, check_execution, check_test, prepare_test
from nnvet.conformance.kit.judging import check_answer
from nnvet.conformance.kit.outcome import fail
from nnvet.conformance.kit.preparing import open_request
from nnvet.conformance.kit.subject import Subject
from nnvet.graphs.builder import GraphBuilder, product_of_two, sum_of_two
from nnvet.graphs.model import Array, TestModel
from nnvet.hal import types as hal
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.fences import create_fence
from nnvet.hal.interfaces import FencedExecutionResult, PreparedModel

SUITE: Final = "TestTrivialModel"
_RULES: Final = ("execution/output.value", "execution/status")
"""Rules that a driver breaks which computes a sum or product wrongly, or not at all."""
_FENCED_LEVEL: Final = 4
"""First feature level with executeFenced."""
_CHAIN: Final = 8
"""Fenced executions in a row, all of them launched before the first one may begin."""

_A: Final = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
"""First operand: the numbers 1 to 12."""
_B: Final = np.float32(100) * _A
"""Second operand."""
_C: Final = np.array([[1, 3, -5, 8]] * 3, np.float32)
"""Constant of the sum of three."""
_ROW: Final = np.array([1, -2, 3, 1000], np.float32)
"""Operand that is broadcast to each row."""
# Sums and products of small whole numbers are exact in float32.
_ADD_TWO: Final = sum_of_two("add_two", _A, _B, 101 * _A)
_BROADCAST_ADD: Final = sum_of_two(
    "broadcast_add_two",
    _A.reshape(1, 1, 3, 4),
    _ROW,
    [[[[2, 0, 6, 1004], [6, 4, 10, 1008], [10, 8, 14, 1012]]]],
)
_BROADCAST_MUL: Final = product_of_two(
    "broadcast_mul_two",
    _A.reshape(1, 1, 3, 4),
    _ROW,
    [[[[1, -4, 9, 4000], [5, -12, 21, 8000], [9, -20, 33, 12000]]]],
)

_CPU: Final = 0x33
"""Usage of a hardware buffer that the processor often reads and writes."""
_GPU_DATA: Final = 1 << 24
"""Usage flag of a data buffer for the graphics processor, which is added to :data:`_CPU`."""


def _build_add_three(a: Array, b: Array) -> TestModel:
    """Return ADD(ADD(a, b), C), where C is a constant."""
    graph, kind, shape = GraphBuilder(), hal.OperandType.TENSOR_FLOAT32, (3, 4)
    first, second, none = (
        graph.input(kind, shape, a),
        graph.input(kind, shape, b),
        graph.scalar(hal.OperandType.INT32, 0),
    )
    partial = graph.operation(hal.OperationType.ADD, (first, second, none), graph.temporary(kind, shape))
    third, total = graph.constant(kind, shape, _C), graph.output(kind, shape, a + b + _C)
    graph.operation(hal.OperationType.ADD, (partial, third, none), total)
    return graph.finish("add_three")


@check(SUITE, "AddTwo", rules=_RULES, parameters=lambda: executing.EXECUTORS)
def add_two(subject: Subject, executor: executing.Executor) -> None:
    """The sum of two matrices is exact."""
    check_test(subject, _ADD_TWO, executing.TestConfig(executor))


@check(SUITE, "AddTwoWithHardwareBufferInput", rules=_RULES, level=3, parameters=lambda: executing.EXECUTORS)
def add_two_hardware_buffers(subject: Subject, executor: executing.Executor) -> None:
    """The sum of two matrices in BLOB hardware buffers is exact."""
    _check_hardware_buffers(subject, executor, _CPU)


@check(
    SUITE, "AddTwoWithHardwareBufferInputWithGPUUsage", rules=_RULES, level=3, parameters=lambda: executing.EXECUTORS
)
def add_two_gpu_buffers(subject: Subject, executor: executing.Executor) -> None:
    """The sum of two matrices is exact in buffers that the graphics processor may use, too."""
    _check_hardware_buffers(subject, executor, _CPU | _GPU_DATA)


def _check_hardware_buffers(subject: Subject, executor: executing.Executor, usage: int) -> None:
    """Check the sum of two matrices with all memory in hardware buffers of the given usage."""
    config = executing.TestConfig(executor, memory=executing.MemoryType.BLOB_AHWB)
    prepared = prepare_test(subject, _ADD_TWO, config)
    with executing.arguments_for(_ADD_TWO, config, subject.device, prepared) as arguments:
        pools = tuple(
            replace(pool, usage=usage) if isinstance(pool, hal.HardwareBuffer) else pool
            for pool in arguments.request.pools
        )
        for answer in executing.execute(prepared, replace(arguments.request, pools=pools), config, subject.timeout_s):
            check_answer(answer, _ADD_TWO, config)
            check_exactly(arguments.output_arrays(_ADD_TWO.main.outputs), _ADD_TWO)


@check(SUITE, "AddThree", rules=_RULES, parameters=lambda: executing.EXECUTORS)
def add_three(subject: Subject, executor: executing.Executor) -> None:
    """A model can be prepared twice, and each prepared model can be executed again with other inputs."""
    config, tests = executing.TestConfig(executor), (_build_add_three(_A, _B), _build_add_three(_B, -_A))
    for prepared in [prepare_test(subject, tests[0], config) for _ in range(2)]:
        for test in tests:
            check_execution(subject, prepared, test, config)


@check(SUITE, "BroadcastAddTwo", rules=_RULES, parameters=lambda: executing.EXECUTORS)
def broadcast_add_two(subject: Subject, executor: executing.Executor) -> None:
    """The sum of a matrix and a row is exact."""
    check_test(subject, _BROADCAST_ADD, executing.TestConfig(executor))


@check(SUITE, "BroadcastMulTwo", rules=_RULES, parameters=lambda: executing.EXECUTORS)
def broadcast_mul_two(subject: Subject, executor: executing.Executor) -> None:
    """The product of a matrix and a row is exact."""
    check_test(subject, _BROADCAST_MUL, executing.TestConfig(executor))


@check(SUITE, "FencedAddThree", rules=("execution/fence.order", *_RULES, "execution/fence"), level=_FENCED_LEVEL)
def fenced_add_three(subject: Subject, _: None) -> None:
    """Each execution waits for the fence of the one before, and reads its output; only the last one is awaited."""
    test = _build_add_three(_A, _B)
    prepared = prepare_test(subject, test, executing.TestConfig(executing.Executor.FENCED))
    sums = [_A + _B + _C]
    while len(sums) < _CHAIN:
        sums.append(sums[-1] + _B + _C)
    _check_chain(subject, prepared, [test, *(_build_add_three(before, _B) for before in sums[:-1])])


def _check_chain(subject: Subject, prepared: PreparedModel, tests: list[TestModel]) -> None:
    """Launch all tests one after the other; input 0 of each is output 0 of the one before."""
    with ExitStack() as stack:
        packed = [stack.enter_context(open_request(test)) for test in tests]
        requests = [packed[0].request]
        requests += [_chain_request(later.request, earlier.request) for earlier, later in pairwise(packed)]
        fence, source = create_fence()
        launched = begin(partial(_launch_chain, prepared, requests, fence))
        # A fence holds all of them back until they are launched, unless the driver waits within the call.
        executing.check_waiting(launched)
        source.signal()
        result = result_of(launched, len(tests) * subject.timeout_s, "execute_fenced")
        status = executing.await_fenced_end(result, subject.timeout_s).status
        if status is not ErrorStatus.NONE:
            raise fail("execution/status", f"the last execution ends with {status.name}", status=status.name)
        for number, (request, test) in enumerate(zip(packed, tests, strict=True)):
            check_exactly(request.output_arrays(test.main.outputs), test, f"execution {number}")


def _launch_chain(prepared: PreparedModel, requests: list[hal.Request], fence: hal.Handle) -> FencedExecutionResult:
    """Launch all requests, each after the fence of the one before, and return the answer of the last one."""
    fences: tuple[hal.Handle, ...] = (fence,)
    for number, request in enumerate(requests):
        try:
            result = prepared.execute_fenced(request, fences, hal.ExecutionConfig(), NO_DEADLINE, NO_DEADLINE)
        except HalError as error:
            raise fail("execution/status", f"execution {number} cannot be launched: {error}") from error
        fences = () if result.sync_fence is None else (result.sync_fence,)
    return result


def _chain_request(request: hal.Request, before: hal.Request) -> hal.Request:
    """Return the request with input 0 at the location of output 0 of the request before."""
    source = before.outputs[0].location
    moved = hal.RequestArgument(location=replace(source, pool_index=len(request.pools)))
    return replace(
        request,
        inputs=(moved, *request.inputs[1:]),
        pools=(*request.pools, before.pools[source.pool_index]),
    )
