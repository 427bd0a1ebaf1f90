"""TestUnknownDimensions: dimensions that the model, the request, or both of them specify, consistently or not.

The check of this module computes ``temporary = in0 + in1; out = temporary + constant`` (docs/contract/cts-tests.md
2.5). The check of :mod:`nnvet.conformance.suites.dimensions.unspecified` computes ``sum[A,B] = input[A,B] +
constant[A,1]; output[B,A] = TRANSPOSE(sum, omitted permutation)``, where A is 2 but may be given as 3, and B is 1 or 2.
Each operand's dimensions are given fully, in part, or not at all (docs/contract/cts-tests.md 2.6, with the rules of
docs/contract/hal.md 4 and 8.1).
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import islice, product
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.executing import EXECUTOR_LEVELS, Answer, Executor, TestConfig, execute
from nnvet.conformance.kit.handmade import check_exactly
from nnvet.conformance.kit.invalid_requests import REFUSED_MODELS, try_mutants
from nnvet.conformance.kit.judging import check_answer
from nnvet.conformance.kit.outcome import Outcome, fail, passed
from nnvet.conformance.kit.preparing import prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.mutations.editing import Mutant
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.hal_model import build_model, close_pools, pack_request
from nnvet.graphs.model import Array, TestModel
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.levels import LAST_HIDL_LEVEL, without_consumers
from nnvet.hal.types import ErrorStatus, OperandType, OperationType, Request

_SUITE = "TestUnknownDimensions"
"""Name of the suite, as in the sources of CTS."""
_INTENDED, _OTHER, _UNKNOWN = 3, 2, 0
_MOST_COMBINATIONS = 9
"""Most combinations of a case. CTS tries thousands in one test; :func:`_sample` chooses."""
_SCALES = {OperandType.TENSOR_QUANT8_ASYMM: 1.0}
"""Scale of quantised tensors. With scale 1 codes equal values, and all sums fit."""


class DimensionKind(Enum):
    """Kinds of a dimension: its values in the model and in the request; None: the request states no dimensions."""

    INTENDED_AT_COMPILE_AND_EXECUTE = (_INTENDED, _INTENDED)
    INTENDED_AT_COMPILE_NOT_SET_AT_EXECUTE = (_INTENDED, None)
    UNKNOWN_AT_COMPILE_INTENDED_AT_EXECUTE = (_UNKNOWN, _INTENDED)
    UNKNOWN_AT_COMPILE_OTHER_AT_EXECUTE = (_UNKNOWN, _OTHER)

    def __init__(self, in_model: int, in_request: int | None) -> None:
        """Keep both values."""
        self.in_model = in_model
        self.in_request = in_request

    @property
    def actual(self) -> int:
        """Return the dimension when the model runs."""
        return self.in_model if self.in_request is None else self.in_request


DimensionKinds = tuple[DimensionKind, DimensionKind]
"""Kinds of the two dimensions of an operand."""
_Rest = tuple[DimensionKinds, DimensionKinds, DimensionKinds, Executor]
"""Kinds of in1, of the constant and of out, and the executor."""
_ALL: tuple[DimensionKinds, ...] = tuple((first, second) for first in DimensionKind for second in DimensionKind)
"""Kinds of the two dimensions of an operand."""
_RIGHT = DimensionKind.INTENDED_AT_COMPILE_AND_EXECUTE, DimensionKind.INTENDED_AT_COMPILE_AND_EXECUTE
"""Valid kinds, which a driver has to accept before its refusals of others count."""
_OF_CONSTANTS = tuple(kinds for kinds in _ALL if set(kinds) <= set(tuple(DimensionKind)[1:3]))
"""Kinds of constants, which have no dimensions in the request."""


@dataclass(frozen=True)
class _Combination:
    """The kinds of both dimensions of each operand, with the executor of the request."""

    in0: DimensionKinds
    in1: DimensionKinds
    constant: DimensionKinds
    out: DimensionKinds
    executor: Executor

    @property
    def name(self) -> str:
        """Return the part of the case's id: the executor, and each operand's specification in model and request."""
        named = (("in0", self.in0), ("in1", self.in1), ("constant", self.constant), ("out", self.out))
        text = "; ".join(f"{name} {first.name}, {second.name}" for name, (first, second) in named)
        return f"{self.executor.value}: {text}"

    @property
    def is_valid(self) -> bool:
        """Return True if the model is valid: the constant has known dimensions."""
        return all(kind.in_model for kind in self.constant)

    @property
    def is_intended(self) -> bool:
        """Return True if all sizes agree, so that there is a result."""
        return _is_intended(self.in0, self.in1, self.out)


def _list_instances() -> Mapping[str, tuple[OperandType, DimensionKinds]]:
    """Return type and kinds of in0's dimensions, by the arguments of the cases."""
    types = {
        "float32": OperandType.TENSOR_FLOAT32,
        "quant8": OperandType.TENSOR_QUANT8_ASYMM,
        "float16": OperandType.TENSOR_FLOAT16,
    }
    return {
        f"{name}-{kinds[0].name}-{kinds[1].name}": (operand_type, kinds)
        for (name, operand_type), kinds in product(types.items(), _ALL)
    }


@check(
    _SUITE,
    "Test",
    rules=("execution/output.dimensions", "model/operand.dimensions.constant", *REFUSED_MODELS),
    level=3,
    parameters=_list_instances,
)
def unknown_dimensions(subject: Subject, instance: tuple[OperandType, DimensionKinds]) -> Outcome:
    """Correct sizes in model or request give the sum; wrong ones give an error."""
    operand_type, in0 = instance
    executors = [e for e in (Executor.SYNC, Executor.FENCED) if EXECUTOR_LEVELS[e] <= subject.feature_level]
    rests = list(product(_ALL, _OF_CONSTANTS, _ALL, executors))
    chosen = _sample(in0, rests)
    for executor in executors:
        _try(subject, operand_type, _Combination(_RIGHT, _RIGHT, _RIGHT, _RIGHT, executor))
    for combination in chosen:
        _try(subject, operand_type, combination)
    return passed(combinations=len(chosen), of=len(rests))


def _sample(in0: DimensionKinds, rests: list[_Rest]) -> list[_Combination]:
    """Return a fixed sample for ``in0``: as many combinations with a result as without, and some invalid models."""
    random.Random(f"{in0[0].name} {in0[1].name}").shuffle(rests)  # noqa: S311 - a sample, not a secret
    kinds_of_result = 2 if _is_intended(in0) else 1
    in_each = math.ceil(_MOST_COMBINATIONS / (2 * kinds_of_result))
    groups: dict[tuple[bool, bool], list[_Combination]] = {}
    for rest in rests:
        combination = _Combination(in0, *rest)
        groups.setdefault((combination.is_valid, combination.is_intended), []).append(combination)
        if len(groups) == 2 * kinds_of_result and min(map(len, groups.values())) == in_each:
            break
    rounds = zip(*groups.values(), strict=False)
    return list(islice((combination for one_of_each in rounds for combination in one_of_each), _MOST_COMBINATIONS))


def _is_intended(*operands: DimensionKinds) -> bool:
    """Return True if all dimensions of the operands have the intended size when the model runs."""
    return all(kind.actual == _INTENDED for kinds in operands for kind in kinds)


def _try(subject: Subject, operand_type: OperandType, combination: _Combination) -> None:
    """Prepare and execute a combination, or check that its model is refused."""
    test = _build_test(operand_type, combination)
    model = build_model(test)
    # The test has the sizes of the run; the model only states the known ones.
    in0, in1, constant, out = map(
        _shape_in_model, (combination.in0, combination.in1, combination.constant, combination.out)
    )
    dimensions = (in0, in1, (0, 0), constant, (), out)
    operands = tuple(
        replace(operand, dimensions=known) for operand, known in zip(model.main.operands, dimensions, strict=True)
    )
    model = replace(model, main=replace(model.main, operands=operands))
    if subject.feature_level > LAST_HIDL_LEVEL:
        model = without_consumers(model)
    try:
        if not combination.is_valid:
            try_mutants(subject, [(_SUITE, Mutant(combination.name, model))])
            return
        prepared = prepare_valid(subject, model)
    finally:
        close_pools(model)
    _execute(subject, test, prepared, combination)


def _execute(subject: Subject, test: TestModel, prepared: PreparedModel, combination: _Combination) -> None:
    """Execute a combination with the dimensions of its request, and judge status and values."""
    packed = pack_request(test)
    try:
        request = Request(
            tuple(
                replace(argument, dimensions=_shape_in_request(kinds))
                for argument, kinds in zip(packed.request.inputs, (combination.in0, combination.in1), strict=True)
            ),
            (replace(packed.request.outputs[0], dimensions=_shape_in_request(combination.out)),),
            packed.request.pools,
        )
        answer = execute(prepared, request, TestConfig(combination.executor), subject.timeout_s)[0]
        _judge(answer, combination)
        if combination.is_intended and check_answer(answer, test, TestConfig(combination.executor)):
            check_exactly(packed.output_arrays(test.main.outputs), test, combination.name)
    finally:
        packed.close()


def _judge(answer: Answer, combination: _Combination) -> None:
    """Check that the execution succeeds exactly if all sizes are the intended ones."""
    if (answer.status is ErrorStatus.NONE) == combination.is_intended:
        return
    expected = "success" if combination.is_intended else "an error, since sizes contradict each other"
    reason = f"status {answer.status.name}, expected {expected}: {combination.name} {answer.message}".rstrip()
    rule = "execution/status" if combination.is_intended else "execution/output.dimensions"
    raise fail(rule, reason, status=answer.status.name, driver_rule=answer.rule)


def _build_test(operand_type: OperandType, combination: _Combination) -> TestModel:
    """Return the sum with the sizes of the request; its expected result is only valid for the intended sizes."""
    scale = _SCALES.get(operand_type, 0.0)
    graph = GraphBuilder()
    in0, in1 = (
        graph.input(operand_type, _actual_shape(kinds), _count_from(_actual_shape(kinds), start), scale)
        for kinds, start in ((combination.in0, 1), (combination.in1, 20))
    )
    temporary = graph.temporary(operand_type, (0, 0), scale)
    shape = (_INTENDED, _INTENDED)
    constant = graph.constant(operand_type, shape, np.full(shape, 100), scale)
    activation = graph.scalar(OperandType.INT32, 0)
    out_shape = _actual_shape(combination.out)
    result = _count_from(shape, 1) + _count_from(shape, 20) + 100 if combination.is_intended else np.zeros(out_shape)
    out = graph.output(operand_type, out_shape, result, scale)
    graph.operation(OperationType.ADD, (in0, in1, activation), temporary)
    graph.operation(OperationType.ADD, (temporary, constant, activation), out)
    return graph.finish(combination.name)


def _actual_shape(kinds: DimensionKinds) -> tuple[int, int]:
    """Return the dimensions when the model runs."""
    return kinds[0].actual, kinds[1].actual


def _count_from(shape: tuple[int, int], start: int) -> Array:
    """Return a tensor of successive whole numbers."""
    return np.arange(start, start + shape[0] * shape[1]).reshape(shape)


def _shape_in_model(kinds: DimensionKinds) -> tuple[int, int]:
    """Return the dimensions in the model, in which 0 means unknown."""
    return kinds[0].in_model, kinds[1].in_model


def _shape_in_request(kinds: DimensionKinds) -> tuple[int, ...]:
    """Return the dimensions in the request: none if both kinds have none, else all."""
    return () if all(kind.in_request is None for kind in kinds) else _actual_shape(kinds)


# From here on: combinations of TestUnspecifiedDimensions, whose check is in the module of that name.
GOOD_A, BAD_A = 2, 3
"""Dimension A as the constant has it, and as a wrong model or request has it."""


class Varied(Enum):
    """Operands whose dimensions vary, by their index in the model."""

    INPUT_MANDATORY = 0
    CONST_MANDATORY = 1
    TEMPORARY_VARIABLE = 2
    OUTPUT = 4
    INPUT_OPTIONAL = 3
    CONST_OPTIONAL = -3

    @property
    def index(self) -> int:
        """Return the index of the operand; the value of CONST_OPTIONAL is the negative index."""
        return abs(self.value)


IN_REQUEST = (Varied.INPUT_MANDATORY, Varied.INPUT_OPTIONAL, Varied.OUTPUT)
"""Operands that are arguments of the request."""


class SpecificationLevel(Enum):
    """Extents of a specification: all dimensions, all but B, or not even the rank, as in a request without type."""

    FULLY_SPECIFIED = 0
    UNSPECIFIED_DIM = 1
    UNSPECIFIED_RANK = 2
    UNSPECIFIED_TYPE = 3


class Size(Enum):
    """Sizes of the buffer, as a multiple of the bytes needed."""

    LESS = 0.5
    EQUAL = 1
    MORE = 2


class WrongIn(Enum):
    """Places of a wrong A."""

    NONE = 0
    MODEL = 1
    EXECUTION = 2


class Expected(Enum):
    """Expected outcomes of a combination."""

    INVALID_MODEL = "the model is refused"
    INVALID_REQUEST = "INVALID_ARGUMENT"
    FAILURE = "an error"
    INSUFFICIENT = "OUTPUT_INSUFFICIENT_SIZE"
    VALUES = "success"


class Combination(NamedTuple):
    """Specifications of one operand in model and request, its wrong dimension, and the size of its buffer.

    ``padded``: the surplus of the buffer is declared as padding. ``b`` is the dimension B.
    """

    tested: Varied
    in_model: SpecificationLevel
    in_request: SpecificationLevel
    bad: WrongIn
    size: Size
    padded: bool
    b: int

    @property
    def name(self) -> str:
        """Return the readable name, which also decides whether the combination is in the sample."""
        buffer = f"buffer {self.size.name}{' padded' if self.padded else ''}"
        specified = f"{self.in_model.name} in the model, {self.in_request.name} in the request"
        return f"{self.tested.name}: {specified}, wrong A: {self.bad.name}, B = {self.b}, {buffer}"

    def a(self, place: WrongIn) -> int:
        """Return A as it is given in ``place``."""
        return BAD_A if self.bad is place else GOOD_A

    def dimensions(self, specified: SpecificationLevel, a: int) -> tuple[int, ...]:
        """Return the dimensions of the tested operand; 0 for those that are not specified, empty without a rank."""
        whole = {
            Varied.OUTPUT: (self.b, a),
            Varied.CONST_MANDATORY: (a, 1),
            Varied.INPUT_OPTIONAL: (2,),
            Varied.CONST_OPTIONAL: (2,),
        }.get(self.tested, (a, self.b))
        open_axis = 0 if self.tested is Varied.OUTPUT else len(whole) - 1
        partly = (*whole[:open_axis], 0, *whole[open_axis + 1 :])
        return {SpecificationLevel.FULLY_SPECIFIED: whole, SpecificationLevel.UNSPECIFIED_DIM: partly}.get(
            specified, ()
        )


def expectation(combination: Combination) -> Expected:
    """Return the outcome that the contract demands for a combination (docs/contract/hal.md 4 and 8.1)."""
    model = combination.dimensions(combination.in_model, combination.a(WrongIn.MODEL))
    specified = combination.dimensions(combination.in_request, combination.a(WrongIn.EXECUTION))
    if combination.tested is Varied.CONST_MANDATORY:
        valid = combination.in_model is SpecificationLevel.FULLY_SPECIFIED and combination.bad is WrongIn.NONE
        return Expected.VALUES if valid else Expected.INVALID_MODEL
    if combination.tested is Varied.TEMPORARY_VARIABLE:
        return Expected.FAILURE if combination.bad is WrongIn.MODEL else Expected.VALUES
    if combination.tested is Varied.INPUT_OPTIONAL:
        # An argument without value has no dimensions.
        return Expected.INVALID_REQUEST if specified else Expected.VALUES
    if combination.tested is Varied.CONST_OPTIONAL:
        return Expected.VALUES
    return _expectation_of_argument(combination, model, specified)


def _expectation_of_argument(combination: Combination, model: tuple[int, ...], specified: tuple[int, ...]) -> Expected:
    """Return the outcome for an input or output whose value lies in a buffer of the request.

    ``model`` and ``specified`` are its dimensions in the model and in the request.
    """
    is_input = combination.tested is Varied.INPUT_MANDATORY
    if model and specified and any(known not in (0, given) for known, given in zip(model, specified, strict=True)):
        return Expected.INVALID_REQUEST
    combined = (
        tuple(a or b for a, b in zip(model, specified, strict=True)) if model and specified else model or specified
    )
    known = bool(combined) and 0 not in combined
    if is_input and (not known or 0 in specified):
        return Expected.INVALID_REQUEST
    right = combination.dimensions(SpecificationLevel.FULLY_SPECIFIED, combination.a(WrongIn.EXECUTION))
    fits = combination.size is Size.EQUAL or (combination.size is Size.MORE and combination.padded)
    if known and not (fits and combined == right):
        return Expected.INVALID_REQUEST
    if BAD_A in combined:
        return Expected.FAILURE
    return Expected.INSUFFICIENT if combination.size is Size.LESS else Expected.VALUES


def combinations_of(
    tested: Varied, in_model: SpecificationLevel, in_request: SpecificationLevel
) -> Iterator[Combination]:
    """Return all combinations of one instance."""
    in_buffers = tested in (Varied.INPUT_MANDATORY, Varied.OUTPUT)
    places = {Varied.INPUT_OPTIONAL: 1, Varied.CONST_OPTIONAL: 1}.get(tested, 3 if in_buffers else 2)
    known = in_model is SpecificationLevel.FULLY_SPECIFIED and tested in (*IN_REQUEST[::2], Varied.TEMPORARY_VARIABLE)
    for bad, size, padded, b in product(list(WrongIn)[:places], Size, (False, True), (2,) if known else (2, 1)):
        combination = Combination(tested, in_model, in_request, bad, size, padded, b)
        varies = size is not Size.EQUAL or padded
        if (in_buffers or not varies) and (size is not Size.EQUAL or not padded) and _is_specified(combination):
            yield combination


def _is_specified(combination: Combination) -> bool:
    """Return True if the wrong A is given at all."""
    givers = {WrongIn.MODEL: combination.in_model, WrongIn.EXECUTION: combination.in_request}
    return combination.bad is WrongIn.NONE or givers[combination.bad] in (
        SpecificationLevel.FULLY_SPECIFIED,
        SpecificationLevel.UNSPECIFIED_DIM,
    )
