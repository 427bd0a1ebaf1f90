"""Models and requests of sizes that 32 bits do not count: an error, never a crash, and never a wrong result.

Source: docs/contract/cts-tests.md 2.2 (convTooLarge) and 4.3 (DimensionProductOverflow, DimensionProductOverflow2).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.config import Executor, TestConfig
from nnvet.conformance.engine.executing import Answer, execute
from nnvet.conformance.engine.handmade import EXECUTORS, basic_config, check_exactly, prepare_test
from nnvet.conformance.engine.invalid_requests import REFUSED, check_every_executor, try_requests
from nnvet.conformance.engine.outcome import Outcome, fail, passed
from nnvet.conformance.engine.preparing import built_model, open_request, prepare_valid
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.mutations.requests import RequestMutant
from nnvet.hal.enums import ErrorStatus, FeatureLevel
from nnvet.hal.types import OperandType, OperationType, Request

_RULE: Final = "execution/oversized"
_TOO_LARGE: Final = (
    ErrorStatus.GENERAL_FAILURE,
    ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT,
    ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT,
)

_VALID_PADDING: Final = 2
_ZERO: Final = 128
_RESULT: Final = 10
_WIDE: Final = 1 << 16


def _large_convolution() -> TestModel:
    """A convolution whose patches have more than 2^31 bytes together; all of its input is zero."""
    graph, kind = GraphBuilder(), OperandType.TENSOR_QUANT8_ASYMM
    picture, filters, output = (12, 104, 104, 128), (128, 13, 13, 128), (12, 92, 92, 128)
    weights = (np.arange(np.prod(filters)) % 251).astype(np.uint8)
    inputs = (
        graph.input(kind, picture, np.full(picture, _ZERO), 0.5, _ZERO),
        graph.shared(kind, filters, weights, 0.5, _ZERO),
        graph.shared(OperandType.TENSOR_INT32, (filters[0],), np.zeros(filters[0]), 0.25),
        *(graph.scalar(OperandType.INT32, value) for value in (_VALID_PADDING, 1, 1, 0)),
    )
    graph.operation(OperationType.CONV_2D, inputs, graph.output(kind, output, np.full(output, _RESULT), 1.0, _RESULT))
    return graph.finish("large_convolution")


def _wide_product() -> TestModel:
    """A column of 2^16 numbers by 2^16 weights: 2^32 products, of which the model does not tell the dimensions."""
    graph, kind = GraphBuilder(), OperandType.TENSOR_FLOAT32
    ones = np.ones((_WIDE, 1), np.float32)
    inputs = (
        graph.input(kind, (_WIDE, 1), ones),
        graph.input(kind, (_WIDE, 1), ones),
        graph.input(kind, (_WIDE,), ones),
        graph.scalar(OperandType.INT32, 0),
    )
    graph.operation(OperationType.FULLY_CONNECTED, inputs, graph.output(kind, (0, 0), ones))
    return graph.finish("wide_product")


def _nine_dimensions() -> TestModel:
    """A rank of 9; the model is going to know all dimensions but two."""
    graph, kind, ones = GraphBuilder(), OperandType.TENSOR_FLOAT32, np.ones(_SMALL)
    graph.operation(OperationType.ABS, (graph.input(kind, _SMALL, ones),), graph.output(kind, _SMALL, ones))
    return graph.finish("nine_dimensions", FeatureLevel.FL3)


_DYNAMIC: Final = {name: executor for name, executor in EXECUTORS.items() if executor is not Executor.FENCED}
"""Fenced executions take no outputs of unknown size."""

_HUGE: Final = (5, 4, 4, 786433, 5, 3, 16777216, 4, 5)
"""Their product exceeds 32 bits, and 64 bits with the size of an element."""
_OPEN: Final = (5, 4, 4, 0, 5, 3, 0, 4, 5)
_SMALL: Final = (5, 4, 4, 1, 5, 3, 1, 4, 5)


@check("MemoryLeakTest", "convTooLarge", rules=(_RULE, "execution/output.value"))
def large_convolution(subject: Subject, _: None) -> Outcome:
    """A convolution with more than 2^31 intermediate bytes is right, or ends with an error."""
    test = _large_convolution()
    config = basic_config(subject)
    prepared = prepare_test(subject, test, config)
    with open_request(test) as packed:
        (answer,) = execute(prepared, packed.request, config, subject.timeout_s)
        if answer.status is ErrorStatus.NONE:
            check_exactly(packed.output_arrays(test.main.outputs), test)
        else:
            _check_failure(answer, _TOO_LARGE)
    return passed(status=answer.status.name, driver_message=answer.message)


@check(
    "TestValidation",
    "DimensionProductOverflow2/DynamicOutputShapeOverflow",
    rules=(_RULE,),
    level=3,
    parameters=lambda: _DYNAMIC,
)
def wide_product(subject: Subject, executor: Executor) -> None:
    """An output whose size, which only the execution tells, exceeds 32 bits ends with an error."""
    test = _wide_product()
    config = TestConfig(executor)
    prepared = prepare_test(subject, test, config)
    with open_request(test) as packed:
        for answer in execute(prepared, packed.request, config, subject.timeout_s):
            _check_failure(answer, (*_TOO_LARGE, ErrorStatus.OUTPUT_INSUFFICIENT_SIZE))


def _check_failure(answer: Answer, statuses: tuple[ErrorStatus, ...]) -> None:
    if answer.status not in statuses:
        expected = ", ".join(status.name for status in statuses)
        reason = f"status {answer.status.name} for a result that does not fit, expected one of {expected}"
        raise fail(_RULE, reason, status=answer.status.name, driver_message=answer.message)


@check(
    "TestValidation",
    "DimensionProductOverflow/SetInputOrOutput",
    rules=REFUSED,
    level=3,
)
def huge_dimensions(subject: Subject, _: None) -> None:
    """A request whose dimensions have a product of more than 32 bits is refused."""
    test = _nine_dimensions()
    with built_model(test, subject.feature_level) as model:
        operands = tuple(replace(operand, dimensions=_OPEN) for operand in model.main.operands)
        prepared = prepare_valid(subject, replace(model, main=replace(model.main, operands=operands)))
    with open_request(test) as packed:
        inputs, outputs = packed.request.inputs, packed.request.outputs
        request = Request(
            tuple(replace(argument, dimensions=_SMALL) for argument in inputs),
            tuple(replace(argument, dimensions=_SMALL) for argument in outputs),
            packed.request.pools,
        )
        check_every_executor(subject, prepared, test, request)
        mutants = [
            (
                f"DimensionProductOverflow of {side}",
                RequestMutant(
                    f"dimensions of the {side} are {_HUGE}",
                    replace(request, **{side: (replace(getattr(request, side)[0], dimensions=_HUGE),)}),
                ),
            )
            for side in ("inputs", "outputs")
        ]
        try_requests(subject, prepared, mutants)
