"""TestUnspecifiedDimensions: one operand is told fully, in part or not at all, by the model and by the request.

``sum[A,B] = input[A,B] + constant[A,1]; output[B,A] = TRANSPOSE(sum, omitted permutation)``, where A is 2 but may be
told as 3, and B is 1 or 2. Source: CTS catalogue, 2.6; what the request breaks there is INVALID_ARGUMENT here. Sizes
and paddings vary for the tested operand alone, so that the cases that CTS never reaches are reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from itertools import product
from typing import NamedTuple
from zlib import crc32

import numpy as np
from msgspec.structs import replace

from conformance.checks import check
from conformance.harness.executing import Answer, execute
from conformance.harness.handmade import check_exactly
from conformance.harness.invalid_models import try_mutants
from conformance.harness.outcome import Outcome, fail, passed, unsupported
from conformance.harness.preparing import LAST_HIDL_LEVEL, prepared_model
from conformance.harness.subject import Subject
from conformance.harness.ways import Executor, Way
from conformance.mutations.editing import Mutant, without_consumers
from generators.graph import Graph
from generators.hal_model import build_model, close_pools, create_pool
from generators.hal_request import pack_request
from generators.test_model import TestModel
from hal.enums import ErrorStatus, OperandType, OperationType
from hal.memory import Memory
from hal.types import Model, Request, RequestArgument
from hal.validation.operands import byte_size

_SUITE = "TestUnspecifiedDimensions"
_GOOD, _BAD = 2, 3
_MOST_TRIALS = 8
_WAY = Way(Executor.SYNC)
_SCALES = {OperandType.TENSOR_QUANT8_ASYMM: 1.0}


class Varied(Enum):
    """The operand whose dimensions vary, by its index in the model."""

    INPUT_MANDATORY = 0
    CONST_MANDATORY = 1
    TEMPORARY_VARIABLE = 2
    OUTPUT = 4
    INPUT_OPTIONAL = 3
    CONST_OPTIONAL = -3

    @property
    def index(self) -> int:
        """Index of the operand."""
        return abs(self.value)


_IN_REQUEST = (Varied.INPUT_MANDATORY, Varied.INPUT_OPTIONAL, Varied.OUTPUT)


class Told(Enum):
    """How much is told: all, all but B, not even the rank; a request may also give no type, which is the same."""

    FULLY_SPECIFIED = 0
    UNSPECIFIED_DIM = 1
    UNSPECIFIED_RANK = 2
    UNSPECIFIED_TYPE = 3


class Size(Enum):
    """Bytes of the buffer for each byte that is needed."""

    LESS = 0.5
    EQUAL = 1
    MORE = 2


class Place(Enum):
    """Who tells the wrong A."""

    NONE = 0
    MODEL = 1
    EXECUTION = 2


class Expected(Enum):
    """What has to come of a trial."""

    INVALID_MODEL = "the model is refused"
    INVALID_REQUEST = "INVALID_ARGUMENT"
    FAILURE = "an error"
    INSUFFICIENT = "OUTPUT_INSUFFICIENT_SIZE"
    VALUES = "success"


class Trial(NamedTuple):
    """One combination; ``padded``: what is too much of the buffer is declared as padding."""

    tested: Varied
    in_model: Told
    in_request: Told
    bad: Place
    size: Size
    padded: bool
    b: int

    @property
    def name(self) -> str:
        """Readable form, which also decides on the sample."""
        buffer = f"buffer {self.size.name}{' padded' if self.padded else ''}"
        told = f"{self.in_model.name} in the model, {self.in_request.name} in the request"
        return f"{self.tested.name}: {told}, wrong A: {self.bad.name}, B = {self.b}, {buffer}"

    def a(self, place: Place) -> int:
        """A as it is told in ``place``."""
        return _BAD if self.bad is place else _GOOD

    def dimensions(self, told: Told, a: int) -> tuple[int, ...]:
        """Dimensions of the tested operand, as far as they are told."""
        whole = {
            Varied.OUTPUT: (self.b, a),
            Varied.CONST_MANDATORY: (a, 1),
            Varied.INPUT_OPTIONAL: (2,),
            Varied.CONST_OPTIONAL: (2,),
        }.get(self.tested, (a, self.b))
        open_axis = 0 if self.tested is Varied.OUTPUT else len(whole) - 1
        partly = (*whole[:open_axis], 0, *whole[open_axis + 1 :])
        return {Told.FULLY_SPECIFIED: whole, Told.UNSPECIFIED_DIM: partly}.get(told, ())


_STATUSES = {
    Expected.INVALID_REQUEST: ErrorStatus.INVALID_ARGUMENT,
    Expected.INSUFFICIENT: ErrorStatus.OUTPUT_INSUFFICIENT_SIZE,
    Expected.VALUES: ErrorStatus.NONE,
}


def expectation(trial: Trial) -> Expected:
    """What the contract says of a trial (HAL contract 4 and 8.1)."""
    model = trial.dimensions(trial.in_model, trial.a(Place.MODEL))
    told = trial.dimensions(trial.in_request, trial.a(Place.EXECUTION))
    if trial.tested is Varied.CONST_MANDATORY:
        valid = trial.in_model is Told.FULLY_SPECIFIED and trial.bad is Place.NONE
        return Expected.VALUES if valid else Expected.INVALID_MODEL
    if trial.tested is Varied.TEMPORARY_VARIABLE:
        return Expected.FAILURE if trial.bad is Place.MODEL else Expected.VALUES
    if trial.tested is Varied.INPUT_OPTIONAL:
        # What has no value has no dimensions.
        return Expected.INVALID_REQUEST if told else Expected.VALUES
    if trial.tested is Varied.CONST_OPTIONAL:
        return Expected.VALUES
    return _expectation_of_argument(trial, model, told)


def _expectation_of_argument(trial: Trial, model: tuple[int, ...], told: tuple[int, ...]) -> Expected:
    is_input = trial.tested is Varied.INPUT_MANDATORY
    if model and told and any(0 not in pair and pair[0] != pair[1] for pair in zip(model, told, strict=True)):
        return Expected.INVALID_REQUEST
    combined = tuple(a or b for a, b in zip(model, told, strict=True)) if model and told else model or told
    known = bool(combined) and 0 not in combined
    if is_input and (not known or 0 in told):
        return Expected.INVALID_REQUEST
    right = trial.dimensions(Told.FULLY_SPECIFIED, trial.a(Place.EXECUTION))
    fits = trial.size is Size.EQUAL or (trial.size is Size.MORE and trial.padded)
    if known and not (fits and combined == right):
        return Expected.INVALID_REQUEST
    if _BAD in combined:
        return Expected.FAILURE
    return Expected.INSUFFICIENT if trial.size is Size.LESS else Expected.VALUES


def trials_of(tested: Varied, in_model: Told, in_request: Told) -> Iterator[Trial]:
    """All trials of one instance."""
    in_buffers = tested in (Varied.INPUT_MANDATORY, Varied.OUTPUT)
    places = {Varied.INPUT_OPTIONAL: 1, Varied.CONST_OPTIONAL: 1}.get(tested, 3 if in_buffers else 2)
    known = in_model is Told.FULLY_SPECIFIED and tested in (*_IN_REQUEST[::2], Varied.TEMPORARY_VARIABLE)
    for bad, size, padded, b in product(list(Place)[:places], Size, (False, True), (2,) if known else (2, 1)):
        trial = Trial(tested, in_model, in_request, bad, size, padded, b)
        varies = size is not Size.EQUAL or padded
        if (in_buffers or not varies) and (size is not Size.EQUAL or not padded) and _is_told(trial):
            yield trial


def _is_told(trial: Trial) -> bool:
    """Whether the wrong A is told at all."""
    tells = {Place.MODEL: trial.in_model, Place.EXECUTION: trial.in_request}
    return trial.bad is Place.NONE or tells[trial.bad] in (Told.FULLY_SPECIFIED, Told.UNSPECIFIED_DIM)


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
        for in_request in (Told if tested in _IN_REQUEST else (Told.FULLY_SPECIFIED,))
    }


@check(_SUITE, "Test", rules=("execution/output.dimensions", "prepare/valid"), level=3, parameters=_instances)
def unspecified_dimensions(subject: Subject, instance: tuple[OperandType, Varied, Told, Told]) -> Outcome:
    """What is told must agree; what is told must suffice; then what is not told follows."""
    operand_type, tested, in_model, in_request = instance
    trials = list(trials_of(tested, in_model, in_request))
    chosen = sorted(trials, key=lambda trial: crc32(trial.name.encode()))[:_MOST_TRIALS]
    for trial in chosen:
        _try(subject, operand_type, trial)
    return passed(trials=len(chosen), of=len(trials))


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
        answer = execute(prepared, _request(packed.request, trial, operand_type), _WAY, subject.timeout_s)[0]
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
    graph, shape, scale = Graph(), (_GOOD, trial.b), _SCALES.get(operand_type, 0.0)
    values = np.arange(1, 1 + _GOOD * trial.b).reshape(shape)
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
    told: dict[int, tuple[int, ...]] = {0: (_GOOD, 0), 2: (_GOOD, 0), 4: (0, _GOOD)}
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
    inputs = [replace(request.inputs[0], dimensions=(_GOOD, trial.b)), *request.inputs[1:]]
    output = replace(request.outputs[0], dimensions=(trial.b, _GOOD))
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
        pairs = zip(shape.dimensions, (trial.b, _GOOD), strict=False)
        if len(shape.dimensions) != 2 or any(a != b and not (partly and a == 0) for a, b in pairs):  # noqa: PLR2004 - A and B
            reason = f"the output has dimensions {shape.dimensions}, expected {(trial.b, _GOOD)}: {trial.name}"
            raise fail("execution/output.dimensions", reason)
        if shape.is_sufficient == partly:
            raise fail("execution/output.insufficient", f"is_sufficient is {shape.is_sufficient}: {trial.name}")
