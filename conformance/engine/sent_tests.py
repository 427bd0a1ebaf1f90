"""Tests of failing cases of specs, which go with what is said of the case.

A spec of users is a program: it runs in the process that runs its cases, and nowhere else. What it describes is data,
and whoever keeps failures gets that instead.
"""

from __future__ import annotations

from typing import Any, Final

from nnvet.conformance.engine.case import Case
from nnvet.conformance.engine.catalogue import argument_of, check_of
from nnvet.conformance.engine.outcome import Outcome
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.specs import SpecError
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished
from nnvet.reports.fingerprint import fingerprint

MOST_KEPT: Final = 20
"""Failures of so many fingerprints are kept: a driver that fails everywhere does not fill the disk."""


def fault_of(case: str, outcome: Outcome, labels: dict[str, Any]) -> str:
    """The fingerprint that the case's result will have."""
    return fingerprint(
        CaseFinished(case, outcome.verdict, outcome.rule, outcome.reason, outcome.evidence, labels=labels)
    )


def test_of(case: Case) -> TestModel | None:
    """The test that a case runs, with expected outputs; None: its check is about something else.

    :raises SpecError: its file is no valid spec any more.
    :raises ValueError: what is expected of it is not known.
    """
    model_test = check_of(case).model_test
    return None if model_test is None else model_test.test_of(argument_of(case))


def test_to_send(case: Case, outcome: Outcome, labels: dict[str, Any], sent: set[str]) -> TestModel | None:
    """The test of a failing case of a spec, for the first of each fingerprint, which ``sent`` gains."""
    if case.spec is None or outcome.verdict not in DRIVER_FAULTS:
        return None
    name = fault_of(case.id, outcome, labels)
    if name in sent or len(sent) >= MOST_KEPT:
        return None
    sent.add(name)
    try:
        return test_of(case)
    except (SpecError, ValueError):
        # The failure stands without it.
        return None
