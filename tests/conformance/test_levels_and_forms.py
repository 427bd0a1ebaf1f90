"""Checks after CTS on drivers of other levels: no false alarms, and what needs such a driver to be found."""

from pathlib import Path

import pytest

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.selection import BUNDLED_SPECS, Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.outcome import Finished
from nnvet.reports.events import Verdict

ZOO_SPECS = Path(__file__).parent.parent / "zoo" / "specs"
GLOBS = (
    "TestTrivialModel/*",
    "Memory*Test/Test*",
    "TestValidation/*",
    "TestRemoveDefaultArguments/*",
    "TestCompliance/*",
    "TestGenerated/*",
    "TestGpuNnapi/*",
    "QuantizationCouplingTest/sync/*",
    "ValidationTest/*",
    "DeadlineTest/*",
)


def outcomes(selector: str, globs: tuple[str, ...], specs: Path = ZOO_SPECS) -> dict[str, Finished]:
    """Return the ends of a driver's cases, run in process."""
    cases = list(Catalogue([specs], with_checks=True).cases(Selection(globs, full=True)))
    events = run_cases(cases, Target(selector, in_process=True, timeout_s=20))
    return {event.case: event for event in events if isinstance(event, Finished)}


def with_verdict(found: dict[str, Finished], verdict: Verdict) -> set[str]:
    """Cases that ended so."""
    return {case for case, event in found.items() if event.outcome.verdict is verdict}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "passed"),
    [
        ("level_1", 30),
        ("level_3", 80),
        pytest.param("level_4", 100, marks=pytest.mark.long),
        pytest.param("level_5", 110, marks=pytest.mark.long),
    ],
)
def test_no_false_alarms_at_lower_levels(name: str, passed: int) -> None:
    """A driver of any level passes what applies to it; the rest is UNSUPPORTED."""
    found = outcomes(f"reference:{name}", GLOBS)
    wrong = {case: event.outcome.reason for case, event in found.items() if event.outcome.verdict is Verdict.FAIL}
    assert not wrong
    assert len(with_verdict(found, Verdict.PASS)) >= passed
    assert found.keys() == with_verdict(found, Verdict.PASS) | with_verdict(found, Verdict.UNSUPPORTED)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("level", "passed"), [(1, 4), (2, 4), (3, 8), (5, 10)])
def test_no_false_alarms_under_a_lower_level(level: int, passed: int) -> None:
    """The newest driver, tested as an older one, is not blamed for models that its own level allows."""
    cases = list(Catalogue([ZOO_SPECS], with_checks=False).cases(Selection(("ValidationTest/*",), full=True)))
    events = run_cases(cases, Target("reference", in_process=True, level=level))
    found = {event.case: event for event in events if isinstance(event, Finished)}
    assert found.keys() == with_verdict(found, Verdict.PASS) | with_verdict(found, Verdict.UNSUPPORTED)
    assert len(with_verdict(found, Verdict.PASS)) >= passed


def test_a_driver_that_takes_what_it_cannot_know() -> None:
    """Models and requests of higher levels must be refused."""
    found = outcomes("zoo:level-ignored", ("TestCompliance/*",))
    assert with_verdict(found, Verdict.FAIL) == {
        "TestCompliance/UnknownRank/Rank0TensorModelInput",
        "TestCompliance/UnknownRank/Rank0TensorModelOutput",
        "TestCompliance/UnknownRank/Rank0TensorTemporaryVariable",
        "TestCompliance/HardwareBufferModel",
        "TestCompliance/Request/HardwareBufferRequest",
        *(f"TestCompliance/GeneratedComplianceTest/{name}" for name in newer_than_2()),
    }


def newer_than_2() -> set[str]:
    """Spec cases, without copies and those that must fail, of folders above V1_1."""
    folders = [folder for folder in ZOO_SPECS.iterdir() if folder.name not in ("V1_0", "V1_1")]
    cases = list(
        Catalogue(folders, with_checks=False).cases(Selection(("TestCompliance/GeneratedComplianceTest/*",), full=True))
    )
    return {case.id.rpartition("/")[2] for case in cases}


def test_an_extension_without_declarations() -> None:
    """A driver that checks nothing of its extension's operations fails every wrong use, and no right one."""
    spec = BUNDLED_SPECS / "V1_2" / "extension_add_fixed64.mod.py"
    globs = ("FibonacciExtensionTest/*_broadcast", "FibonacciExtensionTest/*_temporaries")
    found = outcomes("zoo:extension-any-operands", globs, spec)
    right = {case for case in found if "/GetSupportedOperations/" in case}
    assert len(right) == 2
    assert with_verdict(found, Verdict.PASS) == right
    assert with_verdict(found, Verdict.FAIL) == found.keys() - right
