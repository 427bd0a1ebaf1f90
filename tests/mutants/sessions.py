"""Sessions of the engine with a driver that has a mutant in it. Only for processes of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

from nnvet.adapters import DriverGone
from nnvet.conformance.engine.blame import decided
from nnvet.conformance.engine.case import Case
from nnvet.conformance.engine.checks import Check, checks
from nnvet.conformance.engine.session import DriverUnderTest, Target, open_session
from nnvet.generators.specs import SpecCase
from nnvet.hal.enums import FeatureLevel
from nnvet.hal.interfaces import Device
from nnvet.reports.events import Verdict
from tests.mutants.driver import mutated_driver
from tests.mutants.mutant import Mutant

HIGHEST: Final = max(FeatureLevel)
GENERATED: Final = ("GeneratedTest/sync", "GeneratedValidationTest/sync")
OVER_SPECS: Final = (*GENERATED, "ConsistencyTest/AfterOtherInputs")
_RIGHT: Final = (Verdict.PASS, Verdict.UNSUPPORTED)
"""A driver that does without an operation is no wrong one."""
_TIMEOUT_S: Final = 5.0


class StillbornError(Exception):
    """The mutant cannot be imported: no test is needed to see it."""


class UnchangedError(Exception):
    """Nothing that is asked has another answer of the mutant than of the original."""


@contextmanager
def session(mutant: Mutant | None, level: int = HIGHEST) -> Iterator[DriverUnderTest]:
    """A session with the driver of a feature level that has the mutant in it.

    :raises StillbornError: it cannot be imported.
    """
    try:
        create = mutated_driver(mutant)
    except Exception as error:
        raise StillbornError(f"{type(error).__name__}: {error}") from error
    with session_of(partial(create, "" if level == HIGHEST else f"level_{level}")) as opened:
        yield opened


@contextmanager
def session_of(factory: Callable[[], Device]) -> Iterator[DriverUnderTest]:
    """A session with any device in this process."""
    with open_session(Target("mutant", in_process=True, timeout_s=_TIMEOUT_S, factory=factory)) as opened:
        yield opened


def passes(opened: DriverUnderTest, spec: SpecCase, names: Sequence[str] = OVER_SPECS) -> bool:
    """Whether a spec's case passes the checks of these names."""
    over = [checks()[name] for name in names]
    return all(
        is_right(opened, one, one.case_over(spec.name, spec), spec)
        for one in over
        if one.over is not None and one.over(spec.outline)
    )


def is_right(opened: DriverUnderTest, check: Check, case: Case, argument: object) -> bool:
    """Whether a case passes; what the driver raises without deciding to is wrong."""
    opened.begin_case()
    try:
        outcome = check.run(opened, case, argument)
    except DriverGone:
        return False
    except Exception:  # noqa: BLE001 - an answer that the suite cannot read
        return False
    return decided(outcome, opened.unintended).verdict in _RIGHT
