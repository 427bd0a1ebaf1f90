"""TestGpuNnapi: pictures that another party writes while the driver already waits for their fence.

In CTS a graphics processor writes and signals; here a thread of the suite does the same. Source:
docs/contract/cts-tests.md 2.19.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.concurrent_calls import begin, result_of
from nnvet.conformance.engine.executing import (
    Executor,
    MemoryType,
    TestConfig,
    arguments_for,
    check_waiting,
    end_of_fenced,
)
from nnvet.conformance.engine.handmade import check_exactly, prepare_test
from nnvet.conformance.engine.outcome import fail, unsupported
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.model import TestModel, element_type
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.fences import create_fence
from nnvet.hal.interfaces import FencedExecutionResult, PreparedModel
from nnvet.hal.memory import mapped
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import BufferToken, ExecutionConfig, Handle, OperandType, OperationType, Request

SUITE: Final = "TestGpuNnapi"
_LEVEL: Final = 5
_SIDE: Final = 256
_ROUNDS: Final = 20
"""Number of rounds, a fifth of CTS's; already the first shows whether the driver waits for fences."""
_CONFIG: Final = TestConfig(Executor.FENCED, memory=MemoryType.BLOB_AHWB)

TYPES: Final = {
    "Float32": OperandType.TENSOR_FLOAT32,
    "Float16": OperandType.TENSOR_FLOAT16,
    "Quant8Asymm": OperandType.TENSOR_QUANT8_ASYMM,
    "Quant8AsymmSigned": OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
}


def _plus_one(kind: OperandType) -> TestModel:
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


def _after_fence(kind: OperandType, subject: Subject, _: None) -> None:
    """Check that a picture of ones, written before its fence signals, gives a picture of twos."""
    test = _plus_one(kind)
    prepared = prepare_test(subject, test, _CONFIG)
    for number in range(_ROUNDS):
        with arguments_for(test, _CONFIG, subject.device, prepared) as arguments:
            fence, source = create_fence()
            future = begin(partial(_launch, prepared, arguments.request, fence))
            if number == 0:
                check_waiting(future)
            _write_ones(arguments.request, kind)
            source.signal()
            result = result_of(future, subject.timeout_s, "execute_fenced")
            status = end_of_fenced(result, subject.timeout_s).status
            if status is not ErrorStatus.NONE:
                raise fail("execution/status", f"round {number} ends with {status.name}", status=status.name)
            check_exactly(arguments.output_arrays(test.main.outputs), test, f"round {number}")


for _name, _type in TYPES.items():
    check(SUITE, _name, rules=("execution/fence.order", "execution/output.value"), level=_LEVEL)(
        partial(_after_fence, _type)
    )


def _launch(prepared: PreparedModel, request: Request, fence: Handle) -> FencedExecutionResult:
    try:
        return prepared.execute_fenced(request, (fence,), ExecutionConfig(), NO_DEADLINE, NO_DEADLINE)
    except HalError as error:
        if error.rule == INEXPRESSIBLE:
            raise unsupported(f"the adapter cannot pass on such a request: {error.message}", error.rule) from error
        raise fail("execution/status", f"execute_fenced fails: {error}", status=error.status.name) from error


def _write_ones(request: Request, kind: OperandType) -> None:
    place = request.inputs[0].location
    pool = request.pools[place.pool_index]
    if isinstance(pool, BufferToken):
        raise TypeError("a picture in device memory cannot be written")
    with mapped(pool) as view:
        ones = np.ones(_SIDE * _SIDE, element_type(kind)).tobytes()
        view[place.offset : place.offset + place.length] = ones
