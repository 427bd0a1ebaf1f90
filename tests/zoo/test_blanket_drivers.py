"""Nothing passes for free: drivers that treat everything alike pass no case that needs an operation."""

import pytest

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.selection import BUNDLED_SPECS, Selection, check_of
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case
from nnvet.reference_driver.zoo.registry import bugs
from nnvet.reports.events import Verdict
from tests.zoo.test_zoo import PATIENCE_S, SAMPLED, SPECS, matches, outcomes, suite, undeclared

EXECUTING_SUITES = (
    "ConsistencyTest",
    "FencedComputeTest",
    "GeneratedTest",
    "MemoryDomainExecutionTest",
    "TestTrivialModel",
    "TestUnknownDimensions",
    "TestUnspecifiedDimensions",
    "TimingTest",
)
"""Suites all of whose cases execute, and so need a driver that does."""


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Every hand-written check, and a few specs, but of random graphs what usual runs have."""
    everything = Catalogue([SPECS]).cases(Selection(full=True))
    return [case for case in everything if case.usual or suite(case.id) not in SAMPLED]


def passed_by(name: str, cases: list[Case]) -> list[Case]:
    """Return the cases that the driver of that name passes; its failures are of declared rules."""
    target = Target(f"zoo:{name}", in_process=True, timeout_s=PATIENCE_S)
    found = outcomes(cases, target)
    assert not undeclared(cases, found)
    return [case for case in cases if found[case.id].verdict is Verdict.PASS]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("supports-nothing", marks=pytest.mark.long),
        "refuses-everything",
        pytest.param("run-claims", marks=pytest.mark.long),
    ],
)
def test_no_check_that_needs_an_operation_passes(name: str, cases: list[Case]) -> None:
    """A case that passes on a driver that runs nothing needs no operation, and says so."""
    passed = passed_by(name, cases)
    assert passed, "at least what the driver says of itself is right"
    assert [case.id for case in passed if check_of(case).needs_operation] == []


def test_refusing_what_is_reported_as_an_extension_is_not_right() -> None:
    """A driver that reports an extension and refuses every model passes no case of wrong models with its operations."""
    files = sorted(BUNDLED_SPECS.rglob("extension_*.mod.py"))
    wrong = list(Catalogue(files, with_checks=False).cases(Selection(("GeneratedValidationTest/*",))))
    found = outcomes(wrong, Target("zoo:refuses-everything", in_process=True, timeout_s=PATIENCE_S))
    assert {found[case.id].verdict for case in wrong} == {Verdict.UNSUPPORTED}


@pytest.mark.long
def test_no_request_is_right_to_be_refused_if_all_are(cases: list[Case]) -> None:
    """A driver that prepares everything and executes nothing passes none of the suites that execute."""
    passed = passed_by("refuses-requests", cases)
    assert [case.id for case in passed if suite(case.id) in EXECUTING_SUITES] == []
    assert not {"TestCompliance/Request", "ValidationTest/Test", "FenceTest/BadDescriptor"} & {
        check_of(case).id for case in passed
    }


@pytest.mark.parametrize("name", ["supports-nothing", "refuses-everything"])
def test_the_zoo_spares_only_checks_without_operations(name: str, cases: list[Case]) -> None:
    """A case that these drivers of the zoo may pass needs no operation."""
    spared = {
        check_of(case).id for case in cases if matches(case, bugs()[name].spares) and check_of(case).needs_operation
    }
    assert spared == set()
