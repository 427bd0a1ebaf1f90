"""Planted bugs that are for ``nnvet fuzz``: the suite passes them, although they are in what it tests."""

import pytest

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.reference_driver.zoo.registry import bugs
from nnvet.reports.events import DRIVER_FAULTS
from tests.zoo.test_zoo import PATIENCE_S, SPECS, outcomes

FUZZ_BUGS = {name: bug for name, bug in bugs().items() if bug.harness}
NEAREST = {
    "model": ("GeneratedTest/sync/*", "TestOperandExtraParams/*", "ValidationTest/Test/zoo_*"),
    "differential": ("GeneratedTest/sync/*", "GeneratedTest/burst/*"),
    "request": ("ValidationTest/Test/zoo_add*", "ValidationTest/FurtherMutations/zoo_add*"),
    "burst": ("ValidateBurst/Slots", "ValidateBurst/Freed*", "ValidateBurst/mutateDatum/sum"),
    "cache": ("CompilationCachingSecurityTest/*Length*", "CompilationCachingTest/CacheSavingAndRetrieval/*"),
    "calls": ("GeneratedTest/reusable*", "GeneratedTest/burst/*", "BurstLifetimes/*"),
}
"""By harness: the cases of the suite that come nearest to its bugs."""


def test_there_are_ten_kinds_at_least() -> None:
    """Faults of different kinds, found by different harnesses."""
    assert len(FUZZ_BUGS) >= 10
    assert {bug.harness for bug in FUZZ_BUGS.values()} == set(NEAREST)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", FUZZ_BUGS)
def test_the_suite_passes_it(name: str) -> None:
    """No case of the suite has what it takes to show the bug, not even the nearest."""
    cases = list(Catalogue([SPECS]).cases(Selection(NEAREST[FUZZ_BUGS[name].harness], full=True)))
    assert cases
    found = outcomes(cases, Target(f"zoo:{name}", in_process=True, timeout_s=PATIENCE_S))
    blamed = {case: outcome.reason for case, outcome in found.items() if outcome.verdict in DRIVER_FAULTS}
    assert not blamed
