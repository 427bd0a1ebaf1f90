"""Runs of hand-written tests: their values are whole numbers, so every driver has to compute them exactly.

Suites build such tests themselves (:mod:`nnvet.graphs.builder`) and call :func:`check_test`, or :func:`prepare_test`
and :func:`check_execution` if the steps differ. Tests from specs and random models have tolerances;
:mod:`nnvet.conformance.kit.judging` compares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nnvet.conformance.kit.executing import TestConfig, require, run_test
from nnvet.conformance.kit.judging import Array, exactly, expect, judge
from nnvet.conformance.kit.numbers import note_outputs
from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.conformance.kit.preparing import built_model, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.graphs.model import TestModel
from nnvet.hal.interfaces import PreparedModel


def check_test(subject: Subject, test: TestModel, config: TestConfig) -> None:
    """Prepare a test, execute it by one configuration, and compare.

    :raises CaseFailed: the executor or the model is not supported, something fails, or a value is wrong.
    """
    check_execution(subject, prepare_test(subject, test, config), test, config)


def prepare_test(subject: Subject, test: TestModel, *configs: TestConfig) -> PreparedModel:
    """Prepare the model of a test that will be executed by ``configs``; raises like :func:`check_test`."""
    require(subject, *configs)
    with built_model(test, subject.feature_level) as model:
        return prepare_valid(subject, model)


def check_execution(subject: Subject, prepared: PreparedModel, test: TestModel, config: TestConfig) -> None:
    """Execute a prepared test by one configuration and compare; raises like :func:`check_test`."""
    for answer in run_test(prepared, test, config, subject.device, subject.timeout_s):
        expect(judge(test, config, answer, criteria=exactly))


def check_exactly(results: Sequence[Array], test: TestModel, when: str = "") -> None:
    """Compare all outputs, which are flat, with the expected ones.

    :raises CaseFailed: an element is wrong; ``when`` begins the reason.
    """
    note_outputs(test, results)
    try:
        exactly(test, results)
    except CaseFailed as failed:
        outcome = failed.outcome
        raise CaseFailed(replace(outcome, reason=f"{when}: {outcome.reason}" if when else outcome.reason)) from None
