"""Runs tests whose models and values are written by hand: results have to be exact."""

from __future__ import annotations

from collections.abc import Sequence

from nnvet.conformance.engine.arguments import arguments_for
from nnvet.conformance.engine.checking import Array, check_answer
from nnvet.conformance.engine.executing import execute
from nnvet.conformance.engine.outcome import fail, unsupported
from nnvet.conformance.engine.preparing import built_model, prepared_model
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.engine.ways import EXECUTOR_LEVELS, Executor, Way
from nnvet.generators.test_model import TestModel
from nnvet.hal.interfaces import PreparedModel
from nnvet.oracle import Tolerance, compare

EXECUTORS = {executor.value: executor for executor in Executor}
"""Every way into a prepared model, by the name that cases of a check have after it."""

_EXACT = Tolerance(0.0, 0.0, "whole numbers that every driver can compute: exact")


def check_test(subject: Subject, test: TestModel, way: Way) -> None:
    """Prepare a test, execute it in one way, and compare.

    :raises CaseFailed: the way or the model is not supported, something fails, or a value is not the expected one.
    """
    check_execution(subject, prepare_test(subject, test, way), test, way)


def prepare_test(subject: Subject, test: TestModel, *ways: Way) -> PreparedModel:
    """The prepared model of a test that is going to be executed in some ways; raises like :func:`check_test`."""
    require(subject, *ways)
    with built_model(test, subject.feature_level) as model:
        return prepared_model(subject, model)


def require(subject: Subject, *ways: Way) -> None:
    """The driver's level has all ways.

    :raises CaseFailed: UNSUPPORTED if it lacks one.
    """
    for way in ways:
        level, part = way.level
        if subject.feature_level < level:
            reason = f"feature level {level} brings {part}, the driver has {subject.feature_level}"
            raise unsupported(reason, "model/level")


def basic_way(subject: Subject) -> Way:
    """The way to execute that is simplest, of those that the driver's level has."""
    return Way(Executor.SYNC if subject.feature_level >= EXECUTOR_LEVELS[Executor.SYNC] else Executor.ASYNC)


def check_execution(subject: Subject, prepared: PreparedModel, test: TestModel, way: Way) -> None:
    """Execute a prepared test in one way and compare; raises like :func:`check_test`."""
    with arguments_for(test, way, subject.device, prepared) as arguments:
        for answer in execute(prepared, arguments.request, way, subject.timeout_s):
            if check_answer(answer, test, way):
                check_exactly(arguments.output_arrays(test.main.outputs), test)


def check_exactly(results: Sequence[Array], test: TestModel, when: str = "") -> None:
    """Compare all outputs, which are flat, with the expected ones.

    :raises CaseFailed: an element is not the expected one; ``when`` begins the reason.
    """
    for position, (result, operand) in enumerate(zip(results, test.main.outputs, strict=True)):
        if operand.data is None:
            continue
        shape = operand.dimensions or operand.data.shape
        mismatch = compare(result.reshape(shape), operand.data.reshape(shape), _EXACT)
        if mismatch is not None:
            where = f"{when}: output {position}" if when else f"output {position}"
            raise fail("execution/output.value", f"{where}: {mismatch}")
