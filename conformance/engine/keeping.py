"""Keeps the tests of failing cases as files, for later and for readers without nnvet; see :mod:`.saved_failures`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.checks import checks
from nnvet.conformance.engine.nearest import resolve
from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.retesting import manner_of, provenance
from nnvet.conformance.engine.saved_failures import FOLDER, MOST_KEPT, fault_of, save_failure, test_of
from nnvet.generators.graphs.model import TestModel
from nnvet.reports.events import DRIVER_FAULTS
from nnvet.reports.log import LogError


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
