"""Suite ``TestUnspecifiedDimensions``: one operand is specified fully, in part or not at all.

Model and request each specify it; :mod:`nnvet.conformance.suites.dimensions.unknown` lists the combinations and what
the contract demands for each. Source: docs/contract/cts-tests.md 2.6; errors of the request are INVALID_ARGUMENT here.
Sizes and paddings vary only for the tested operand, which reaches cases that CTS never reaches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from zlib import crc32

import numpy as np
from msgspec.structs import replace

from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.executing import Answer, Executor, TestConfig, execute
from nnvet.conformance.kit.handmade import check_exactly
from nnvet.conformance.kit.invalid_requests import REFUSED_MODELS, try_mutants
from nnvet.conformance.kit.judging import check_decided, check_reached
from nnvet.conformance.kit.outcome import CaseFailed, Outcome, fail, passed, unsupported
from nnvet.conformance.kit.preparing import prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.dimensions.unknown import (
    GOOD_A,
    IN_REQUEST,
    Combination,
    Expected,
    Size,
    SpecificationLevel,
    Varied,
    WrongIn,
    combinations_of,
    expectation,
)
from nnvet.generators.mutations.editing import Mutant
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.hal_model import build_model, close_pools, create_pool, pack_request
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.levels import LAST_HIDL_LEVEL, without_consumers
from nnvet.hal.types import Memory, Model, Request, RequestArgument
from nnvet.hal.validation.operands import byte_size

_SUITE = "TestUnspecifiedDimensions"
"""Name of the suite, as in the sources of CTS."""
_MOST_COMBINATIONS = 8
"""Most combinations of a case; a checksum of their names chooses them."""
_CONFIG = TestConfig(Executor.SYNC)
"""Synchronous executions, for all combinations."""
_SCALES = {OperandType.TENSOR_QUANT8_ASYMM: 1.0}
"""Scale of quantised tensors. With scale 1 codes equal values, and all sums fit."""
_STATUSES = {
    Expected.INVALID_REQUEST: ErrorStatus.INVALID_ARGUMENT,
    Expected.INSUFFICIENT: ErrorStatus.OUTPUT_INSUFFICIENT_SIZE,
    Expected.VALUES: ErrorStatus.NONE,
}
"""Statuses of the expected outcomes; a FAILURE may have any but NONE."""


def _list_instances() -> Mapping[str, tuple[OperandType, Varied, SpecificationLevel, SpecificationLevel]]:
    """Return type, tested operand and its specification in model and request, by the arguments of the cases."""
    types = {
        "float32": OperandType.TENSOR_FLOAT32,
        "quant8": OperandType.TENSOR_QUANT8_ASYMM,
        "float16": OperandType.TENSOR_FLOAT16,
    }
    levels = list(SpecificationLevel)[:3]
    return {
        f"{name}-{tested.name}-{in_model.name}-{in_request.name}": (operand_type, tested, in_model, in_request)
        for (name, operand_type), tested, in_model in product(types.items(), Varied, levels)
        for in_request in (SpecificationLevel if tested in IN_REQUEST else (SpecificationLevel.FULLY_SPECIFIED,))
    }


@check(
    _SUITE,
    "Test",
    rules=("execution/output.dimensions", "model/operand.dimensions.constant", *REFUSED_MODELS),
    level=3,
    parameters=_list_instances,
)
def unspecified_dimensions(
    subject: Subject, instance: tuple[OperandType, Varied, SpecificationLevel, SpecificationLevel]
) -> Outcome:
    """Specified dimensions have to agree and to suffice; the driver infers the others."""
    operand_type, tested, in_model, in_request = instance
    combinations = list(combinations_of(tested, in_model, in_request))
    chosen = sorted(combinations, key=lambda combination: crc32(combination.name.encode()))[:_MOST_COMBINATIONS]
    _check_right(subject, operand_type)
    unsaid: list[CaseFailed] = []
    for combination in chosen:
        try:
            _try(subject, operand_type, combination)
        except CaseFailed as failed:
            if failed.outcome.rule != INEXPRESSIBLE:
                raise
            unsaid.append(failed)
    if len(unsaid) == len(chosen):
        raise unsaid[0]
    return passed(combinations=len(chosen) - len(unsaid), of=len(combinations))


def _check_right(subject: Subject, operand_type: OperandType) -> None:
    """Check that the driver computes the sum with all dimensions correct, so that its refusals of others count."""
    full = SpecificationLevel.FULLY_SPECIFIED
    _try(
        subject,
        operand_type,
        Combination(Varied.INPUT_MANDATORY, full, full, WrongIn.NONE, Size.EQUAL, padded=False, b=2),
    )


def _try(subject: Subject, operand_type: OperandType, combination: Combination) -> None:
    """Prepare and execute a combination, or check that its model is refused."""
    test, expected = _build_test(operand_type, combination), expectation(combination)
    built = build_model(test)
    try:
        model = _specify_model(built, combination, subject.feature_level)
        if expected is Expected.INVALID_MODEL:
            try_mutants(subject, [(_SUITE, Mutant(combination.name, model))])
            return
        prepared = prepare_valid(subject, model)
    finally:
        close_pools(built)
    packed = pack_request(test, make_input_pool=_create_spacious_pool, make_output_pool=_create_spacious_pool)
    try:
        answer = execute(
            prepared, _specify_request(packed.request, combination, operand_type), _CONFIG, subject.timeout_s
        )[0]
        _judge(answer, combination, expected)
        if expected is Expected.VALUES:
            check_exactly(packed.output_arrays(test.main.outputs), test, combination.name)
    finally:
        packed.close()


def _create_spacious_pool(size: int, buffers: Iterable[tuple[int, bytes]]) -> Memory:
    """Return a pool of twice the needed size, also for a wrong A, which needs more."""
    return create_pool(4 * size, buffers)


def _build_test(operand_type: OperandType, combination: Combination) -> TestModel:
    """Return the test with correct values and all dimensions known."""
    graph, shape, scale = GraphBuilder(), (GOOD_A, combination.b), _SCALES.get(operand_type, 0.0)
    values = np.arange(1, 1 + GOOD_A * combination.b).reshape(shape)
    columns = np.array([[10], [20]])
    given = graph.input(operand_type, shape, values, scale)
    constant = graph.constant(operand_type, columns.shape, columns, scale)
    total = graph.temporary(operand_type, shape, scale)
    omit = graph.input if combination.tested is Varied.INPUT_OPTIONAL else graph.constant
    permutation = omit(OperandType.TENSOR_INT32, (2,), None)
    output = graph.output(operand_type, shape[::-1], (values + columns).T, scale)
    graph.operation(OperationType.ADD, (given, constant, graph.scalar(OperandType.INT32, 0)), total)
    graph.operation(OperationType.TRANSPOSE, (total, permutation), output)
    return graph.finish(combination.name)


def _specify_model(model: Model, combination: Combination, level: int) -> Model:
    """Return the model with the dimensions of a combination; in operands that are not tested, B is unknown."""
    specified: dict[int, tuple[int, ...]] = {0: (GOOD_A, 0), 2: (GOOD_A, 0), 4: (0, GOOD_A)}
    specified[combination.tested.index] = combination.dimensions(combination.in_model, combination.a(WrongIn.MODEL))
    operands = [
        replace(operand, dimensions=specified.get(index, operand.dimensions))
        for index, operand in enumerate(model.main.operands)
    ]
    changed = replace(model, main=replace(model.main, operands=tuple(operands)))
    return changed if level <= LAST_HIDL_LEVEL else without_consumers(changed)


def _specify_request(request: Request, combination: Combination, operand_type: OperandType) -> Request:
    """Return the request of a combination; arguments that are not tested are fully specified."""
    specified = combination.dimensions(combination.in_request, combination.a(WrongIn.EXECUTION))
    inputs = [replace(request.inputs[0], dimensions=(GOOD_A, combination.b)), *request.inputs[1:]]
    output = replace(request.outputs[0], dimensions=(combination.b, GOOD_A))
    if combination.tested is Varied.INPUT_MANDATORY:
        inputs[0] = _resize(replace(inputs[0], dimensions=specified), combination, operand_type)
    elif combination.tested is Varied.OUTPUT:
        output = _resize(replace(output, dimensions=specified), combination, operand_type)
    elif combination.tested is Varied.INPUT_OPTIONAL:
        inputs[1] = replace(inputs[1], dimensions=specified)
    return Request(tuple(inputs), (output,), request.pools)


def _resize(argument: RequestArgument, combination: Combination, operand_type: OperandType) -> RequestArgument:
    """Return the argument with a buffer of the size of the combination, of which a part may be padding."""
    needed = byte_size(operand_type, (combination.a(WrongIn.EXECUTION), combination.b))
    capacity = int(needed * combination.size.value)
    length = min(capacity, needed) if combination.padded else capacity
    return replace(argument, location=replace(argument.location, length=length, padding=capacity - length))


def _judge(answer: Answer, combination: Combination, expected: Expected) -> None:
    """Check status and shapes. GENERAL_FAILURE for an output of unknown size is UNSUPPORTED, as the contract allows."""
    if answer.status is not ErrorStatus.NONE:
        check_reached(answer)
    status = answer.status
    unknown = combination.tested is Varied.OUTPUT and expected in (Expected.INSUFFICIENT, Expected.VALUES)
    if unknown and status is ErrorStatus.GENERAL_FAILURE:
        check_decided(answer)
        raise unsupported(f"the driver does not support outputs of unknown size: {answer.message}")
    right = status is not ErrorStatus.NONE if expected is Expected.FAILURE else status is _STATUSES[expected]
    if not right:
        reason = f"status {status.name}, expected {expected.value}: {combination.name} {answer.message}".rstrip()
        raise fail("execution/output.dimensions", reason, status=status.name, driver_rule=answer.rule)
    if status in (ErrorStatus.NONE, ErrorStatus.OUTPUT_INSUFFICIENT_SIZE):
        _check_shape(answer, combination, partly=status is not ErrorStatus.NONE)


def _check_shape(answer: Answer, combination: Combination, *, partly: bool) -> None:
    """Check the reported dimensions of the output; with ``partly`` some may be unknown.

    A driver whose output does not fit may know only a part of the dimensions.
    """
    for shape in answer.output_shapes:
        pairs = zip(shape.dimensions, (combination.b, GOOD_A), strict=False)
        if len(shape.dimensions) != 2 or any(a != b and not (partly and a == 0) for a, b in pairs):  # noqa: PLR2004 - A and B
            reason = (
                f"the output has dimensions {shape.dimensions}, expected {(combination.b, GOOD_A)}: {combination.name}"
            )
            raise fail("execution/output.dimensions", reason)
        if shape.is_sufficient == partly:
            raise fail("execution/output.insufficient", f"is_sufficient is {shape.is_sufficient}: {combination.name}")
