"""TestUnknownDimensions: sums whose dimensions are told by the model, by the request, or by both, rightly or wrongly.

``temporary = in0 + in1; out = temporary + constant``. Source: CTS catalogue, 2.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice, product
from zlib import crc32

import numpy as np
from msgspec.structs import replace

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.config import EXECUTOR_LEVELS, Executor, TestConfig
from nnvet.conformance.engine.executing import Answer, execute
from nnvet.conformance.engine.handmade import check_exactly
from nnvet.conformance.engine.invalid_models import REFUSED, try_mutants
from nnvet.conformance.engine.judging import check_answer
from nnvet.conformance.engine.outcome import Outcome, fail, passed
from nnvet.conformance.engine.preparing import prepared_model
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.hal_model import build_model, close_pools
from nnvet.generators.graphs.hal_request import pack_request
from nnvet.generators.graphs.model import Array, TestModel
from nnvet.generators.mutations.editing import Mutant
from nnvet.hal.conversion import without_consumers
from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.levels import LAST_HIDL_LEVEL
from nnvet.hal.types import Request

_SUITE = "TestUnknownDimensions"
_INTENDED, _OTHER, _UNKNOWN = 3, 2, 0
_MOST_TRIALS = 9
_SCALES = {OperandType.TENSOR_QUANT8_ASYMM: 1.0}


class Kind(Enum):
    """What model and request say of one dimension; None: the request says nothing."""

    INTENDED_AT_COMPILE_AND_EXECUTE = (_INTENDED, _INTENDED)
    INTENDED_AT_COMPILE_NOT_SET_AT_EXECUTE = (_INTENDED, None)
    UNKNOWN_AT_COMPILE_INTENDED_AT_EXECUTE = (_UNKNOWN, _INTENDED)
    UNKNOWN_AT_COMPILE_OTHER_AT_EXECUTE = (_UNKNOWN, _OTHER)

    def __init__(self, in_model: int, told: int | None) -> None:
        """What the model says, and what the request does."""
        self.in_model = in_model
        self.told = told

    @property
    def actual(self) -> int:
        """The dimension when the model runs."""
        return self.in_model if self.told is None else self.told


Kinds = tuple[Kind, Kind]
_ALL: tuple[Kinds, ...] = tuple((first, second) for first in Kind for second in Kind)
_RIGHT = Kind.INTENDED_AT_COMPILE_AND_EXECUTE, Kind.INTENDED_AT_COMPILE_AND_EXECUTE
"""What refusals of all others are measured by."""
_OF_CONSTANTS = tuple(kinds for kinds in _ALL if set(kinds) <= set(tuple(Kind)[1:3]))


@dataclass(frozen=True)
class _Trial:
    in0: Kinds
    in1: Kinds
    constant: Kinds
    out: Kinds
    executor: Executor

    @property
    def name(self) -> str:
        """Readable form, which also decides on the sample."""
        named = (("in0", self.in0), ("in1", self.in1), ("constant", self.constant), ("out", self.out))
        text = "; ".join(f"{name} {first.name}, {second.name}" for name, (first, second) in named)
        return f"{self.executor.value}: {text}"

    @property
    def is_valid(self) -> bool:
        """Whether the model is: a constant is known."""
        return all(kind.in_model for kind in self.constant)

    @property
    def is_intended(self) -> bool:
        """Whether all sizes agree, so that there is a result."""
        return all(kind.actual == _INTENDED for kind in (*self.in0, *self.in1, *self.out))


def _instances() -> Mapping[str, tuple[OperandType, Kinds]]:
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
    rules=("execution/output.dimensions", "model/operand.dimensions.constant", *REFUSED),
    level=3,
    parameters=_instances,
)
def unknown_dimensions(subject: Subject, instance: tuple[OperandType, Kinds]) -> Outcome:
    """Right sizes give the sum, whoever tells them; wrong ones give an error."""
    operand_type, in0 = instance
    executors = [e for e in (Executor.SYNC, Executor.FENCED) if EXECUTOR_LEVELS[e] <= subject.feature_level]
    trials = [_Trial(in0, *rest) for rest in product(_ALL, _OF_CONSTANTS, _ALL, executors)]
    chosen = _sample(trials)
    for executor in executors:
        _try(subject, operand_type, _Trial(_RIGHT, _RIGHT, _RIGHT, _RIGHT, executor))
    for trial in chosen:
        _try(subject, operand_type, trial)
    return passed(trials=len(chosen), of=len(trials))


def _sample(trials: Sequence[_Trial]) -> list[_Trial]:
    """As many trials with a result as without, and some with an invalid model."""
    groups: dict[tuple[bool, bool], list[_Trial]] = {}
    for trial in sorted(trials, key=lambda trial: crc32(trial.name.encode())):
        groups.setdefault((trial.is_valid, trial.is_intended), []).append(trial)
    rounds = zip(*(iter(group) for group in groups.values()), strict=False)
    return list(islice((trial for one_of_each in rounds for trial in one_of_each), _MOST_TRIALS))


def _try(subject: Subject, operand_type: OperandType, trial: _Trial) -> None:
    test = _test(operand_type, trial)
    model = build_model(test)
    # The test has the sizes of the run; the model tells those that it knows.
    in0, in1, constant, out = map(_in_model, (trial.in0, trial.in1, trial.constant, trial.out))
    dimensions = (in0, in1, (0, 0), constant, (), out)
    operands = tuple(
        replace(operand, dimensions=known) for operand, known in zip(model.main.operands, dimensions, strict=True)
    )
    model = replace(model, main=replace(model.main, operands=operands))
    if subject.feature_level > LAST_HIDL_LEVEL:
        model = without_consumers(model)
    try:
        if not trial.is_valid:
            try_mutants(subject, [(_SUITE, Mutant(trial.name, model))])
            return
        prepared = prepared_model(subject, model)
    finally:
        close_pools(model)
    _execute(subject, test, prepared, trial)


def _execute(subject: Subject, test: TestModel, prepared: PreparedModel, trial: _Trial) -> None:
    packed = pack_request(test)
    try:
        request = Request(
            tuple(
                replace(argument, dimensions=_told(kinds))
                for argument, kinds in zip(packed.request.inputs, (trial.in0, trial.in1), strict=True)
            ),
            (replace(packed.request.outputs[0], dimensions=_told(trial.out)),),
            packed.request.pools,
        )
        answer = execute(prepared, request, TestConfig(trial.executor), subject.timeout_s)[0]
        _judge(answer, trial)
        if trial.is_intended and check_answer(answer, test, TestConfig(trial.executor)):
            check_exactly(packed.output_arrays(test.main.outputs), test, trial.name)
    finally:
        packed.close()


def _judge(answer: Answer, trial: _Trial) -> None:
    if (answer.status is ErrorStatus.NONE) == trial.is_intended:
        return
    expected = "success" if trial.is_intended else "an error, since sizes contradict each other"
    reason = f"status {answer.status.name}, expected {expected}: {trial.name} {answer.message}".rstrip()
    rule = "execution/status" if trial.is_intended else "execution/output.dimensions"
    raise fail(rule, reason, status=answer.status.name, driver_rule=answer.rule)


def _test(operand_type: OperandType, trial: _Trial) -> TestModel:
    """The sum with the sizes that the request gives; its result means something if they are the intended ones."""
    scale = _SCALES.get(operand_type, 0.0)
    graph = GraphBuilder()
    in0, in1 = (
        graph.input(operand_type, _actual(kinds), _counted(_actual(kinds), start), scale)
        for kinds, start in ((trial.in0, 1), (trial.in1, 20))
    )
    temporary = graph.temporary(operand_type, (0, 0), scale)
    shape = (_INTENDED, _INTENDED)
    constant = graph.constant(operand_type, shape, np.full(shape, 100), scale)
    activation = graph.scalar(OperandType.INT32, 0)
    out_shape = _actual(trial.out)
    result = _counted(shape, 1) + _counted(shape, 20) + 100 if trial.is_intended else np.zeros(out_shape)
    out = graph.output(operand_type, out_shape, result, scale)
    graph.operation(OperationType.ADD, (in0, in1, activation), temporary)
    graph.operation(OperationType.ADD, (temporary, constant, activation), out)
    return graph.finish(trial.name)


def _actual(kinds: Kinds) -> tuple[int, int]:
    return kinds[0].actual, kinds[1].actual


def _counted(shape: tuple[int, int], start: int) -> Array:
    return np.arange(start, start + shape[0] * shape[1]).reshape(shape)


def _in_model(kinds: Kinds) -> tuple[int, int]:
    return kinds[0].in_model, kinds[1].in_model


def _told(kinds: Kinds) -> tuple[int, ...]:
    """What the request says: nothing, if that is what both kinds want, else everything."""
    return () if all(kind.told is None for kind in kinds) else _actual(kinds)
