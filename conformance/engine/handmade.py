"""Runs tests whose models and values are written by hand: results have to be exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nnvet.conformance.engine.executing import run_test
from nnvet.conformance.engine.judging import Array, exactly, expect, judge
from nnvet.conformance.engine.outcome import CaseFailed
from nnvet.conformance.engine.preparing import built_model, prepared_model
from nnvet.conformance.engine.subject import Subject, require_level
from nnvet.conformance.engine.ways import EXECUTOR_LEVELS, Executor, Way
from nnvet.generators.graphs.model import TestModel
from nnvet.hal.interfaces import PreparedModel

EXECUTORS = {executor.value: executor for executor in Executor}
"""Every way into a prepared model, by the name that cases of a check have after it."""


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
        require_level(subject, *way.level)


def basic_way(subject: Subject) -> Way:
    """The way to execute that is simplest, of those that the driver's level has."""
    return Way(Executor.SYNC if subject.feature_level >= EXECUTOR_LEVELS[Executor.SYNC] else Executor.ASYNC)


def check_execution(subject: Subject, prepared: PreparedModel, test: TestModel, way: Way) -> None:
    """Execute a prepared test in one way and compare; raises like :func:`check_test`."""
    for answer in run_test(prepared, test, way, subject.device, subject.timeout_s):
        expect(judge(test, way, answer, criteria=exactly))


def check_exactly(results: Sequence[Array], test: TestModel, when: str = "") -> None:
    """Compare all outputs, which are flat, with the expected ones.

    :raises CaseFailed: an element is not the expected one; ``when`` begins the reason.
    """
    try:
        exactly(test, results)
    except CaseFailed as failed:
        outcome = failed.outcome
        raise CaseFailed(replace(outcome, reason=f"{when}: {outcome.reason}" if when else outcome.reason)) from None
