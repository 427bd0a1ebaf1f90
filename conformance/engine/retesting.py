"""Repetition of tests that are not cases, such as candidates of a reduction, in the manner of a check.

Every check with a ``model_test`` (:mod:`nnvet.conformance.kit.checks`) can run other models than its own. The functions
of the check that do so are called its manner here (:func:`manner_of`). A :class:`Retester` runs tests by a manner, for
the reducer and the command that replays files; a :class:`Keeper` saves the failing tests of a run as files, by
:mod:`nnvet.conformance.engine.saved_failures`. Cases are repeated by :mod:`nnvet.conformance.engine.again`.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any, Final

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import DriverUnderTest, run_guarded
from nnvet.conformance.engine.nearest import resolve
from nnvet.conformance.engine.saved_failures import FOLDER, MOST_KEPT, Provenance, fault_of, save_failure, test_of
from nnvet.conformance.kit.checks import ModelTest, checks, outcome_of
from nnvet.conformance.kit.executing import EXECUTOR_LEVELS, Executor
from nnvet.conformance.kit.outcome import Outcome
from nnvet.generators.reducer import Identity
from nnvet.graphs.model import TestModel
from nnvet.reports.events import DRIVER_FAULTS, Verdict
from nnvet.reports.log import LogError

_CAUSES: Final = ("driver_rule", "raised", "place", "signal")
"""Keys of the evidence that say where in the driver a failure arose, the most exact key first."""


def manner_of(case: str, level: int) -> ModelTest:
    """Return the manner of a case's check, by the case's id; for other ids, the manner of spec cases at that level."""
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
    # The place at which a hanging driver is found when the time is over is random.
    known = () if outcome.verdict is Verdict.HANG else _CAUSES
    cause = next((str(outcome.evidence[key]) for key in known if outcome.evidence.get(key)), "")
    return Identity(outcome.verdict, outcome.rule, cause or _fault_of(outcome.evidence.get("worst") or {}))


def _fault_of(worst: Mapping[str, Any]) -> str:
    """Return the kind of a numeric failure; empty if single elements are too far off.

    A drift of all errors, a NaN and a single wrong element are different failures, although all of them cross a bound.
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
    """Runs tests on one driver, and restarts it after a death; a test is to blame only if a fresh driver dies of it."""

    def __init__(self, subject: DriverUnderTest, manner: ModelTest) -> None:
        """Run tests by ``manner``. ``failures`` has the last outcome of :meth:`fails` for each identity."""
        self.failures: dict[Identity, Outcome] = {}
        self._subject, self.manner = subject, manner
        self._is_fresh = True

    def outcome(self, test: TestModel) -> Outcome:
        """Run a test, and return its outcome.

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
        """Return the identity of a test's failure, for the reducer; raises like :meth:`outcome`."""
        outcome = self.outcome(test)
        identity = identity_of(outcome)
        if identity is not None:
            self.failures[identity] = outcome
        return identity

    def _run(self, test: TestModel) -> tuple[Outcome, bool]:
        """Run a test; return its outcome, and True if the driver died of it."""
        self._subject.shared.clear()
        return run_guarded(self._subject, test.name, lambda: outcome_of(lambda: self.manner.run(self._subject, test)))


class Keeper:
    """Saves the first failure of each fingerprint whose case runs a model."""

    def __init__(self, out: Path, driver: str, level: int, *, has_own_specs: bool) -> None:
        """Save below ``out``; ``driver`` is tested at ``level``; ``has_own_specs``: specs are not the bundled ones."""
        self._out, self._driver, self._level, self._has_own_specs = out, driver, level, has_own_specs
        self._kept: set[str] = set()

    def keep(
        self, case: str, outcome: Outcome, labels: Mapping[str, Any], sent: TestModel | None = None
    ) -> dict[str, str]:
        """Return additions to the evidence: the path of the vector, relative to the results; nothing if none was saved.

        ``sent`` is the test, if the worker has sent it along with the case's end.

        :raises LogError: the files cannot be written.
        """
        check = checks().get(f"{labels.get('suite')}/{labels.get('check')}")
        if check is None or check.model_test is None:
            return {}
        if outcome.verdict not in DRIVER_FAULTS or len(self._kept) >= MOST_KEPT:
            return {}
        name = fault_of(case, outcome, dict(labels))
        if name in self._kept or (sent is None and self._has_own_specs and check.over is not None):
            return {}
        self._kept.add(name)
        try:
            test = sent or test_of(resolve(Catalogue(), case))
        except ValueError:
            # Without expected outputs there is no test to keep; a case that needs them ends with ERROR itself.
            return {}
        assert test is not None  # noqa: S101 - the check has a model_test
        tolerances = manner_of(case, self._level).tolerances(test)
        origin = provenance(case, self._driver, outcome)
        try:
            saved = save_failure(self._out / FOLDER / name, test, origin, tolerances)
        except OSError as error:
            raise LogError(f"{error.filename or self._out} cannot be written: {error.strerror}") from error
        return {"vector": saved.vector.relative_to(self._out).as_posix()}
