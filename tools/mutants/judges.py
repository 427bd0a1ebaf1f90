"""Judges of mutants by specs and by checks: they yield the names of cases, each with True if it passes.

:data:`JUDGES` has them for ``__main__.py``; ``random_models.py`` and ``preferences.py`` have the other judges. A judge
runs in a process of its own (``running.py``), because the driver is imported anew there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from nnvet.conformance.engine.driver import DriverUnderTest
from nnvet.conformance.kit.checks import Check, checks
from nnvet.hal.enums import FeatureLevel
from nnvet.reports.events import Verdict
from tools.mutants.mutant import Mutant
from tools.mutants.reach import Reach
from tools.mutants.sessions import RIGHT, RefusedError, is_right, open_session, verdict_over

_COMPLIANCE: Final = "TestCompliance/GeneratedComplianceTest"
"""Check of the models of specs on drivers of lower feature levels."""
_OF_OPERATIONS: Final = (
    "OperationValidationTest",
    "ValidationTest",
    "TestRemoveDefaultArguments",
    "TestOperandExtraParams",
    "TestTrivialModel",
    "TestUnknownDimensions",
    "TestUnspecifiedDimensions",
    "TestValidateModel",
    "TestCompliance",
    "ExtensionTest",
)
"""Suites whose checks ask about operations; the others (caches, memory, fences, clients) only use a few operations."""
_SPECS_OF_CHECK: Final = 8
"""Most spec cases that a check over specs gets for a mutant."""
_MOST: Final = 600
"""Most spec cases for a mutant. Code that runs at import may matter to thousands of similar cases."""
_MOST_OF_LEVEL: Final = 250
"""Most spec cases that are tried on a driver of each feature level."""


def against_specs(reach: Reach, mutant: Mutant) -> Iterator[tuple[str, bool]]:
    """Yield the spec cases that execute the mutant; for a declaration, also cases on drivers of each level.

    :raises RefusedError: all results are right, but some of the models are refused.
    """
    refused = False
    with open_session(mutant) as opened:
        for spec in islice(reach.cases(mutant), _MOST):
            verdict = verdict_over(opened, spec)
            refused |= verdict is Verdict.UNSUPPORTED
            yield spec.name, verdict in RIGHT
    if mutant.part == "declarations":
        yield from _try_each_level(reach, mutant)
    if refused:
        raise RefusedError


def _try_each_level(reach: Reach, mutant: Mutant) -> Iterator[tuple[str, bool]]:
    compliance = checks()[_COMPLIANCE]
    taken = (spec for spec in reach.cases(mutant) if compliance.over is not None and compliance.over(spec.outline))
    specs = list(islice(taken, _MOST_OF_LEVEL))
    for level in FeatureLevel:
        with open_session(mutant, level) as opened:
            for spec in specs:
                case = compliance.case_over(spec.name, spec)
                yield f"{case.id} at level {level}", is_right(opened, compliance, case, spec)


def against_checks(reach: Reach, mutant: Mutant | None) -> Iterator[tuple[str, bool]]:
    """Yield cases of checks about operations; checks over specs get a few of the cases that execute the mutant."""
    specs = [] if mutant is None else list(islice(reach.cases(mutant), _SPECS_OF_CHECK))
    with open_session(mutant) as opened:
        for check in checks().values():
            if check.suite not in _OF_OPERATIONS:
                continue
            if check.over is None:
                yield from _try_own_cases(opened, check)
            for spec in specs:
                if check.over is not None and check.over(spec.outline):
                    case = check.case_over(spec.name, spec)
                    yield case.id, is_right(opened, check, case, spec)


def _try_own_cases(opened: DriverUnderTest, check: Check) -> Iterator[tuple[str, bool]]:
    for case in check.cases():
        if case.usual:
            yield case.id, is_right(opened, check, case, check.values.get(case.name.argument))


JUDGES: Final[dict[str, Callable[[Reach, Mutant], Iterator[tuple[str, bool]]]]] = {
    "specs": against_specs,
    "checks": against_checks,
}
"""Judges by value of ``--against``."""
