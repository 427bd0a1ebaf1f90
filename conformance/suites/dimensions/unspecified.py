"""TestUnspecifiedDimensions: one operand is told fully, in part or not at all, by the model and by the request.

Source: CTS catalogue, 2.6; what the request breaks there is INVALID_ARGUMENT here. Sizes and paddings vary for the
tested operand alone, so that the cases that CTS never reaches are reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from zlib import crc32

import numpy as np
from msgspec.structs import replace

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.config import Executor, TestConfig
from nnvet.conformance.engine.executing import Answer, execute
from nnvet.conformance.engine.handmade import check_exactly
from nnvet.conformance.engine.invalid_models import REFUSED, try_mutants
from nnvet.conformance.engine.outcome import Outcome, fail, passed, unsupported
from nnvet.conformance.engine.preparing import prepared_model
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.suites.dimensions.combinations import (
    GOOD_A,
    IN_REQUEST,
    Expected,
    Place,
    Size,
    Told,
    Trial,
    Varied,
    expectation,
    trials_of,
)
from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.hal_model import build_model, close_pools, create_pool
from nnvet.generators.graphs.hal_request import pack_request
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.mutations.editing import Mutant
from nnvet.hal.conversion import without_consumers
from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.levels import LAST_HIDL_LEVEL
from nnvet.hal.memory import Memory
from nnvet.hal.types import Model, Request, RequestArgument
from nnvet.hal.validation.operands import byte_size

_SUITE = "TestUnspecifiedDimensions"
_MOST_TRIALS = 8
_CONFIG = TestConfig(Executor.SYNC)
_SCALES = {OperandType.TENSOR_QUANT8_ASYMM: 1.0}
_STATUSES = {
    Expected.INVALID_REQUEST: ErrorStatus.INVALID_ARGUMENT,
    Expected.INSUFFICIENT: ErrorStatus.OUTPUT_INSUFFICIENT_SIZE,
    Expected.VALUES: ErrorStatus.NONE,
}


def _instances() -> Mapping[str, tuple[OperandType, Varied, Told, Told]]:
    types = {
        "float32": OperandType.TENSOR_FLOAT32,
        "quant8": OperandType.TENSOR_QUANT8_ASYMM,
        "float16": OperandType.TENSOR_FLOAT16,
    }
    levels = list(Told)[:3]
    return {
        f"{name}-{tested.name}-{in_model.name}-{in_request.name}": (operand_type, tested, in_model, in_request)
        for (name, operand_type), tested, in_model in product(types.items(), Varied, levels)
        for in_request in (Told if tested in IN_REQUEST else (Told.FULLY_SPECIFIED,))
    }


@check(
    _SUITE,
    "Test",
    rules=("execution/output.dimensions", "model/operand.dimensions.constant", *REFUSED),
    level=3,
    parameters=_instances,
)
def unspecified_dimensions(subject: Subject, instance: tuple[OperandType, Varied, Told, Told]) -> Outcome:
    """What is told must agree; what is told must suffice; then what is not told follows."""
    operand_type, tested, in_model, in_request = instance
    trials = list(trials_of(tested, in_model, in_request))
    chosen = sorted(trials, key=lambda trial: crc32(trial.name.encode()))[:_MOST_TRIALS]
    _check_right(subject, operand_type)
    for trial in chosen:
        _try(subject, operand_type, trial)
    return passed(trials=len(chosen), of=len(trials))


def _check_right(subject: Subject, operand_type: OperandType) -> None:
    """With all dimensions told fully and rightly the sum is computed, so that refusing others means something."""
    full = Told.FULLY_SPECIFIED
    _try(subject, operand_type, Trial(Varied.INPUT_MANDATORY, full, full, Place.NONE, Size.EQUAL, padded=False, b=2))


def _try(subject: Subject, operand_type: OperandType, trial: Trial) -> None:
    test, expected = _test(operand_type, trial), expectation(trial)
    built = build_model(test)
    try:
        model = _model(built, trial, subject.feature_level)
        if expected is Expected.INVALID_MODEL:
            try_mutants(subject, [(_SUITE, Mutant(trial.name, model))])
            return
        prepared = prepared_model(subject, model)
    finally:
        close_pools(built)
    packed = pack_request(test, make_input_pool=_spacious_pool, make_output_pool=_spacious_pool)
    try:
        answer = execute(prepared, _request(packed.request, trial, operand_type), _CONFIG, subject.timeout_s)[0]
        _judge(answer, trial, expected)
        if expected is Expected.VALUES:
            check_exactly(packed.output_arrays(test.main.outputs), test, trial.name)
    finally:
        packed.close()


def _spacious_pool(size: int, buffers: Iterable[tuple[int, bytes]]) -> Memory:
    """Room for twice of what is needed, also where a wrong A makes that more."""
    return create_pool(4 * size, buffers)


def _test(operand_type: OperandType, trial: Trial) -> TestModel:
    """The right values, all dimensions known."""
    graph, shape, scale = GraphBuilder(), (GOOD_A, trial.b), _SCALES.get(operand_type, 0.0)
    values = np.arange(1, 1 + GOOD_A * trial.b).reshape(shape)
    columns = np.array([[10], [20]])
    given = graph.input(operand_type, shape, values, scale)
    constant = graph.constant(operand_type, columns.shape, columns, scale)
    total = graph.temporary(operand_type, shape, scale)
    omit = graph.input if trial.tested is Varied.INPUT_OPTIONAL else graph.constant
    permutation = omit(OperandType.TENSOR_INT32, (2,), None)
    output = graph.output(operand_type, shape[::-1], (values + columns).T, scale)
    graph.operation(OperationType.ADD, (given, constant, graph.scalar(OperandType.INT32, 0)), total)
    graph.operation(OperationType.TRANSPOSE, (total, permutation), output)
    return graph.finish(trial.name)


def _model(model: Model, trial: Trial, level: int) -> Model:
    """The model with dimensions as the trial tells them; what it does not test lacks B."""
    told: dict[int, tuple[int, ...]] = {0: (GOOD_A, 0), 2: (GOOD_A, 0), 4: (0, GOOD_A)}
    told[trial.tested.index] = trial.dimensions(trial.in_model, trial.a(Place.MODEL))
    operands = [
        replace(operand, dimensions=told.get(index, operand.dimensions))
        for index, operand in enumerate(model.main.operands)
    ]
    changed = replace(model, main=replace(model.main, operands=tuple(operands)))
    return changed if level <= LAST_HIDL_LEVEL else without_consumers(changed)


def _request(request: Request, trial: Trial, operand_type: OperandType) -> Request:
    """The request with dimensions and buffers as the trial has them; what it does not test is told fully."""
    told = trial.dimensions(trial.in_request, trial.a(Place.EXECUTION))
    inputs = [replace(request.inputs[0], dimensions=(GOOD_A, trial.b)), *request.inputs[1:]]
    output = replace(request.outputs[0], dimensions=(trial.b, GOOD_A))
    if trial.tested is Varied.INPUT_MANDATORY:
        inputs[0] = _sized(replace(inputs[0], dimensions=told), trial, operand_type)
    elif trial.tested is Varied.OUTPUT:
        output = _sized(replace(output, dimensions=told), trial, operand_type)
    elif trial.tested is Varied.INPUT_OPTIONAL:
        inputs[1] = replace(inputs[1], dimensions=told)
    return Request(tuple(inputs), (output,), request.pools)


def _sized(argument: RequestArgument, trial: Trial, operand_type: OperandType) -> RequestArgument:
    needed = byte_size(operand_type, (trial.a(Place.EXECUTION), trial.b))
    room = int(needed * trial.size.value)
    length = min(room, needed) if trial.padded else room
    return replace(argument, location=replace(argument.location, length=length, padding=room - length))


def _judge(answer: Answer, trial: Trial, expected: Expected) -> None:
    status = answer.status
    unknown = trial.tested is Varied.OUTPUT and expected in (Expected.INSUFFICIENT, Expected.VALUES)
    if unknown and status is ErrorStatus.GENERAL_FAILURE:
        raise unsupported(f"the driver does not support outputs of unknown size: {answer.message}")
    right = status is not ErrorStatus.NONE if expected is Expected.FAILURE else status is _STATUSES[expected]
    if not right:
        reason = f"status {status.name}, expected {expected.value}: {trial.name} {answer.message}".rstrip()
        raise fail("execution/output.dimensions", reason, status=status.name, driver_rule=answer.rule)
    if status in (ErrorStatus.NONE, ErrorStatus.OUTPUT_INSUFFICIENT_SIZE):
        _check_shape(answer, trial, partly=status is not ErrorStatus.NONE)


def _check_shape(answer: Answer, trial: Trial, *, partly: bool) -> None:
    for shape in answer.output_shapes:
        pairs = zip(shape.dimensions, (trial.b, GOOD_A), strict=False)
        if len(shape.dimensions) != 2 or any(a != b and not (partly and a == 0) for a, b in pairs):  # noqa: PLR2004 - A and B
            reason = f"the output has dimensions {shape.dimensions}, expected {(trial.b, GOOD_A)}: {trial.name}"
            raise fail("execution/output.dimensions", reason)
        if shape.is_sufficient == partly:
            raise fail("execution/output.insufficient", f"is_sufficient is {shape.is_sufficient}: {trial.name}")
