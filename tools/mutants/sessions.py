"""Sessions of the suite's engine with a driver that has a mutant in it, and verdicts of its cases.

Judges open a driver by :func:`open_session` and run cases by :func:`is_right`, in processes of their own
(``running.py``). The exceptions say why a mutant that no case found need not be found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

from nnvet.conformance.engine.driver import DriverUnderTest, open_subject
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case, Check, checks
from nnvet.conformance.kit.outcome import judge_errors
from nnvet.generators.specs import SpecCase
from nnvet.hal.enums import FeatureLevel
from nnvet.hal.interfaces import Device
from nnvet.reports.events import Verdict
from nnvet.transport.wire.failures import DriverGone
from tools.mutants.driver import mutated_driver
from tools.mutants.mutant import Mutant

HIGHEST: Final = max(FeatureLevel)
"""The highest feature level, of which mutants are by default."""
GENERATED: Final = ("GeneratedTest/sync", "GeneratedValidationTest/sync")
"""Checks that measure which lines a spec reaches."""
OVER_SPECS: Final = (*GENERATED, "ConsistencyTest/AfterOtherInputs")
"""Checks that try specs on a mutant."""
RIGHT: Final = (Verdict.PASS, Verdict.UNSUPPORTED)
"""Verdicts that do not find a mutant; any driver may refuse an operation."""
_TIMEOUT_S: Final = 5.0
"""Seconds for a call of the driver."""


class StillbornError(Exception):
    """The mutant cannot be imported: no test is needed to see it."""


class UnchangedError(Exception):
    """All answers of the mutant are those of the original."""


class SwitchedOffError(Exception):
    """All answers are right, but the mutant uses code for speed less than the original, or not at all."""


class RefusedError(Exception):
    """All answers are right, but the mutant refuses models that the original takes, which any driver may."""


@contextmanager
def open_session(
    mutant: Mutant | None, level: int = HIGHEST, timeout_s: float = _TIMEOUT_S
) -> Iterator[DriverUnderTest]:
    """Yield a session with the driver of a feature level that has the mutant in it.

    :raises StillbornError: the mutant cannot be imported.
    """
    try:
        create = mutated_driver(mutant)
    except Exception as error:
        raise StillbornError(f"{type(error).__name__}: {error}") from error
    with open_session_of(partial(create, "" if level == HIGHEST else f"level_{level}"), timeout_s) as opened:
        yield opened


@contextmanager
def open_session_of(factory: Callable[[], Device], timeout_s: float = _TIMEOUT_S) -> Iterator[DriverUnderTest]:
    """Yield a session with any device in this process."""
    with open_subject(Target("mutant", in_process=True, timeout_s=timeout_s, factory=factory, strict=True)) as opened:
        yield opened


def passes(opened: DriverUnderTest, spec: SpecCase, names: Sequence[str] = OVER_SPECS) -> bool:
    """Return True if a spec's case passes the checks of these names."""
    return verdict_over(opened, spec, names) in RIGHT


def verdict_over(opened: DriverUnderTest, spec: SpecCase, names: Sequence[str] = OVER_SPECS) -> Verdict:
    """Return the first verdict of these checks that is not right; otherwise UNSUPPORTED if one is, or PASS."""
    refused = False
    for check in (checks()[name] for name in names):
        if check.over is not None and check.over(spec.outline):
            verdict = verdict_of(opened, check, check.case_over(spec.name, spec), spec)
            if verdict not in RIGHT:
                return verdict
            refused |= verdict is Verdict.UNSUPPORTED
    return Verdict.UNSUPPORTED if refused else Verdict.PASS


def is_right(opened: DriverUnderTest, check: Check, case: Case, argument: object) -> bool:
    """Return True if a case passes, or if the driver does not support it."""
    return verdict_of(opened, check, case, argument) in RIGHT


def verdict_of(opened: DriverUnderTest, check: Check, case: Case, argument: object) -> Verdict:
    """Return the verdict of a case; an unintended exception of the driver is a failure."""
    opened.begin_case()
    try:
        outcome = check.run(opened, case, argument)
    except DriverGone:
        return Verdict.CRASH
    except Exception:  # noqa: BLE001 - an answer that the suite cannot read
        return Verdict.FAIL
    return judge_errors(outcome, opened.unintended).verdict
