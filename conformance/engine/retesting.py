"""Runs tests that are no cases, such as smaller forms of a failing one, as a check runs its own."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from nnvet.conformance.engine.checks import ModelTest, checks, outcome_of
from nnvet.conformance.engine.driver import DriverUnderTest, run_guarded
from nnvet.conformance.engine.executing import EXECUTOR_LEVELS, Executor
from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.saved_failures import Provenance
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.reducer import Identity
from nnvet.reports.events import DRIVER_FAULTS, Verdict

_CAUSES: Final = ("driver_rule", "raised", "place", "signal")
"""Keys of the evidence that say where in the driver a failure lies, the most exact first."""


def manner_of(case: str, level: int) -> ModelTest:
    """Return the manner in which the check of a case's id runs tests; of other ids, a spec's case at that level."""
    known = checks()
    executor = Executor.SYNC if level >= EXECUTOR_LEVELS[Executor.SYNC] else Executor.ASYNC
    as_a_spec = f"GeneratedTest/{executor}"
    found = max((name for name in known if case.startswith(f"{name}/")), key=len, default=as_a_spec)
    manner = known[found].model_test or known[as_a_spec].model_test
    assert manner is not None  # noqa: S101 - the check over specs has one
    return manner


def identity_of(outcome: Outcome) -> Identity | None:
    """Return the identity of a failure; None: the driver is not to blame."""
    if outcome.verdict not in DRIVER_FAULTS:
        return None
    # Where a driver is when nobody waits any longer is another place each time.
    known = () if outcome.verdict is Verdict.HANG else _CAUSES
    cause = next((str(outcome.evidence[key]) for key in known if outcome.evidence.get(key)), "")
    return Identity(outcome.verdict, outcome.rule, cause or _fault_of(outcome.evidence.get("worst") or {}))


def _fault_of(worst: Mapping[str, Any]) -> str:
    """The way in which values are wrong; of single elements that are off nothing is said.

    A model in which all errors drift is not the same failure as one with a NaN, though both cross a bound.
    """
    numbers = [worst[key] for key in ("expected", "actual") if key in worst]
    if not all(map(isfinite, numbers)):
        return "not a finite number"
    within = "bound" in worst and worst["difference"] <= worst["bound"]
    return "all elements together" if within else ""


def provenance(case: str, driver: str, outcome: Outcome, seed: str = "") -> Provenance:
    """Return the origin of a failure."""
    return Provenance(case, driver, outcome.verdict, outcome.rule, outcome.reason, seed)


class Retester:
    """Runs tests on one driver; one that dies is started anew, and a test is to blame if a fresh driver dies of it."""

    def __init__(self, subject: DriverUnderTest, manner: ModelTest) -> None:
        """Run as ``manner`` says. ``failures`` are the last outcomes that :meth:`fails` has seen of each identity."""
        self.failures: dict[Identity, Outcome] = {}
        self._subject, self.manner = subject, manner
        self._is_fresh = True

    def outcome(self, test: TestModel) -> Outcome:
        """Return the end of a test.

        :raises DriverLostError: the driver does not start any more.
        """
        outcome, died = self._run(test)
        if died:
            self._subject.revive()
            if not self._is_fresh:
                outcome, died = self._run(test)
                if died:
                    self._subject.revive()
        self._is_fresh = died
        return outcome

    def fails(self, test: TestModel) -> Identity | None:
        """Return the identity of the failure, as the reducer asks; raises like :meth:`outcome`."""
        outcome = self.outcome(test)
        identity = identity_of(outcome)
        if identity is not None:
            self.failures[identity] = outcome
        return identity

    def _run(self, test: TestModel) -> tuple[Outcome, bool]:
        self._subject.shared.clear()
        return run_guarded(self._subject, test.name, lambda: outcome_of(lambda: self.manner.run(self._subject, test)))
