"""Sessions of the engine with a driver that has a mutant in it. Only for processes of their own."""

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
GENERATED: Final = ("GeneratedTest/sync", "GeneratedValidationTest/sync")
OVER_SPECS: Final = (*GENERATED, "ConsistencyTest/AfterOtherInputs")
RIGHT: Final = (Verdict.PASS, Verdict.UNSUPPORTED)
"""A driver that does without an operation is no wrong one."""
_TIMEOUT_S: Final = 5.0


class StillbornError(Exception):
    """The mutant cannot be imported: no test is needed to see it."""


class UnchangedError(Exception):
    """Nothing that is asked has another answer of the mutant than of the original."""


class SwitchedOffError(Exception):
    """Every answer is right, but code that the original has for speed is used for less, or not at all."""


class RefusedError(Exception):
    """Every answer is right, but models that the original takes are refused: any driver may do without them."""


@contextmanager
def session(mutant: Mutant | None, level: int = HIGHEST, timeout_s: float = _TIMEOUT_S) -> Iterator[DriverUnderTest]:
    """Yield a session with the driver of a feature level that has the mutant in it.

    :raises StillbornError: it cannot be imported.
    """
    try:
        create = mutated_driver(mutant)
    except Exception as error:
        raise StillbornError(f"{type(error).__name__}: {error}") from error
    with session_of(partial(create, "" if level == HIGHEST else f"level_{level}"), timeout_s) as opened:
        yield opened


@contextmanager
def session_of(factory: Callable[[], Device], timeout_s: float = _TIMEOUT_S) -> Iterator[DriverUnderTest]:
    """Yield a session with any device in this process."""
    with open_subject(Target("mutant", in_process=True, timeout_s=timeout_s, factory=factory, strict=True)) as opened:
        yield opened


def passes(opened: DriverUnderTest, spec: SpecCase, names: Sequence[str] = OVER_SPECS) -> bool:
    """Return True if a spec's case passes the checks of these names."""
    return verdict_over(opened, spec, names) in RIGHT


def verdict_over(opened: DriverUnderTest, spec: SpecCase, names: Sequence[str] = OVER_SPECS) -> Verdict:
    """Return the first verdict of these checks that is not right; else UNSUPPORTED if a check says so, or PASS."""
    refused = False
    for check in (checks()[name] for name in names):
        if check.over is not None and check.over(spec.outline):
            verdict = verdict_of(opened, check, check.case_over(spec.name, spec), spec)
            if verdict not in RIGHT:
                return verdict
            refused |= verdict is Verdict.UNSUPPORTED
    return Verdict.UNSUPPORTED if refused else Verdict.PASS


def is_right(opened: DriverUnderTest, check: Check, case: Case, argument: object) -> bool:
    """Return True if a case passes, or reports that the driver does without what it needs."""
    return verdict_of(opened, check, case, argument) in RIGHT


def verdict_of(opened: DriverUnderTest, check: Check, case: Case, argument: object) -> Verdict:
    """Return the verdict of a case; what the driver raises without deciding to is a failure."""
    opened.begin_case()
    try:
        outcome = check.run(opened, case, argument)
    except DriverGone:
        return Verdict.CRASH
    except Exception:  # noqa: BLE001 - an answer that the suite cannot read
        return Verdict.FAIL
    return judge_errors(outcome, opened.unintended).verdict
