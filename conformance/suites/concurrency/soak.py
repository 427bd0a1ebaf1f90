"""LeakTest/Soak: what a driver keeps of every inference, and of every preparation. Source: docs/contract/hal.md 11.

The other checks of this suite do rounds of work on large tensors, which find what a driver keeps of those; this one
repeats one small inference, or one preparation, for about a second, and finds kilobytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Final

import numpy as np

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.executing import execute
from nnvet.conformance.engine.growth import Growth, growth_of
from nnvet.conformance.engine.handmade import basic_config, check_execution, prepare_test
from nnvet.conformance.engine.outcome import CaseFailed, Outcome, fail, passed, unsupported
from nnvet.conformance.engine.preparing import open_request
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.model import TestModel
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import OperandType, OperationType
from nnvet.reports.events import Verdict

_RULE: Final = "client/leak"
_ELEMENTS: Final = 64
_KINDS: Final = {
    OperandType.TENSOR_FLOAT32: 0.0,
    OperandType.TENSOR_QUANT8_ASYMM: 0.5,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 0.5,
    OperandType.TENSOR_FLOAT16: 0.0,
    OperandType.TENSOR_INT32: 0.0,
}
"""Types of the model, with their scale, which is above its square: the first that the driver supports is taken."""


def _models() -> Iterator[TestModel]:
    """ADD, then MUL, and RELU at last, of each type; a constant of 1 and of 2 gives the same whatever the rounding."""
    for operation, value in ((OperationType.ADD, 4.0), (OperationType.MUL, 3.0), (OperationType.RELU, 3.0)):
        for kind, scale in _KINDS.items():
            if (operation, kind) == (OperationType.RELU, OperandType.TENSOR_INT32):
                # There is none of integers.
                continue
            graph, shape = GraphBuilder(), (1, _ELEMENTS)
            inputs: tuple[int, ...] = (graph.input(kind, shape, np.full(shape, 3.0), scale),)
            if operation != OperationType.RELU:
                ones = graph.constant(kind, shape, np.ones(shape), scale)
                inputs = (*inputs, ones, graph.scalar(OperandType.INT32, 0))
            graph.operation(operation, inputs, graph.output(kind, shape, np.full(shape, value), scale))
            yield graph.finish(f"{OperationType(operation).name.lower()}_{OperandType(kind).name.lower()}")


def _prepared(subject: Subject) -> tuple[TestModel, PreparedModel]:
    """The first model that the driver supports.

    :raises CaseFailed: it supports none of them, or is wrong about one.
    """
    for test in _models():
        try:
            return test, prepare_test(subject, test, basic_config(subject))
        except CaseFailed as failed:
            if failed.outcome.verdict is not Verdict.UNSUPPORTED:
                raise
    raise unsupported("the driver supports none of the models: ADD, MUL and RELU of float and 8-bit types")


def _executions(subject: Subject, stack: ExitStack) -> Callable[[], None]:
    test, prepared = _prepared(subject)
    config = basic_config(subject)
    check_execution(subject, prepared, test, config)
    packed = stack.enter_context(open_request(test))

    def cycle() -> None:
        for answer in execute(prepared, packed.request, config, subject.timeout_s):
            if answer.status is not ErrorStatus.NONE:
                reason = f"what was executed before ends with {answer.status.name}: {answer.message}"
                raise fail("execution/repeated", reason)

    return cycle


def _preparations(subject: Subject, _: ExitStack) -> Callable[[], None]:
    test, prepared = _prepared(subject)
    check_execution(subject, prepared, test, basic_config(subject))
    return lambda: void(prepare_test(subject, test))


def void(_: object) -> None:
    """Let go of something at once."""


_CYCLES: Final = {"executions": _executions, "preparations": _preparations}


@check(
    "LeakTest",
    "Soak",
    rules=(_RULE, "execution/repeated"),
    parameters=lambda: _CYCLES,
)
def soak(subject: Subject, cycle_of: Callable[[Subject, ExitStack], Callable[[], None]]) -> Outcome:
    """Executions of a small model, or its preparations, again and again: memory, descriptors and threads come back."""
    with ExitStack() as stack:
        growth = growth_of(subject, cycle_of(subject, stack))
    if not growth.leaks:
        return passed().with_timings(growth.evidence)
    failed = fail(_RULE, _reason(growth), what=", ".join(growth.leaks)).outcome
    raise CaseFailed(failed.with_timings(growth.evidence))


def _reason(growth: Growth) -> str:
    grown = " and ".join(f"{growth.per_cycle[name].value:.3g} {name.replace('_', ' ')}" for name in growth.leaks)
    return f"with each of {growth.cycles} cycles of the same work the driver holds {grown} more"
