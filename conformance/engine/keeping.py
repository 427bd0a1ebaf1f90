"""Keeps the tests of failing cases as files, so that they outlive the run and reach those who lack nnvet."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.checks import checks
from nnvet.conformance.engine.nearest import resolve
from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.retesting import manner_of, provenance, test_of
from nnvet.generators.saved_failures import save_failure
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished
from nnvet.reports.fingerprint import fingerprint
from nnvet.reports.log import LogError

FOLDER: Final = "failures"
"""Where they are, in the folder of the results: a folder for each fingerprint."""
MOST_KEPT: Final = 20
"""Failures of so many fingerprints are kept: a driver that fails everywhere does not fill the disk."""


class Keeper:
    """Saves the first failure of each fingerprint whose case runs a model that the suite itself makes."""

    def __init__(self, out: Path, driver: str, level: int) -> None:
        """Below ``out``; ``driver`` and ``level`` are what is tested."""
        self._out, self._driver, self._level = out, driver, level
        self._kept: set[str] = set()

    def keep(self, case: str, outcome: Outcome, labels: Mapping[str, Any]) -> dict[str, str]:
        """What the evidence gains: the path of the vector, relative to the results; nothing if none was saved.

        :raises LogError: the files cannot be written.
        """
        check = checks().get(f"{labels.get('suite')}/{labels.get('check')}")
        runs_a_model = check is not None and check.model_test is not None
        if outcome.verdict not in DRIVER_FAULTS or not runs_a_model or len(self._kept) >= MOST_KEPT:
            return {}
        end = CaseFinished(case, outcome.verdict, outcome.rule, outcome.reason, outcome.evidence, labels=dict(labels))
        name = fingerprint(end)
        if name in self._kept:
            return {}
        self._kept.add(name)
        try:
            test = test_of(resolve(Catalogue(), case))
        except ValueError:
            # Without expected outputs there is no test to keep; where they are needed, the case itself is an ERROR.
            return {}
        assert test is not None  # noqa: S101 - the check has a model_test
        tolerances = manner_of(case, self._level).tolerances(test)
        origin = provenance(case, self._driver, outcome)
        try:
            saved = save_failure(self._out / FOLDER / name, test, origin, tolerances)
        except OSError as error:
            raise LogError(f"{error.filename or self._out} cannot be written: {error.strerror}") from error
        return {"vector": saved.vector.relative_to(self._out).as_posix()}
