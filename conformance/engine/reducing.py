"""A failure reduced on its driver and saved: one call for commands, campaigns and whoever else finds failures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from nnvet.conformance.engine.keeping import FOLDER
from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.retesting import Retester, identity_of, provenance
from nnvet.conformance.engine.saved_failures import SavedFailure, save_failure
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.reducer import Ending, Reduction, ReductionStep, fingerprint, reduce
from nnvet.generators.reducer.reducing import DEFAULT_BUDGET


class Finding(NamedTuple):
    """A test that failed: the id of the case in whose manner it runs, the driver's selector, and how it ended.

    ``seed`` is what the test was made from, if the id does not say it.
    """

    test: TestModel
    case: str
    driver: str
    outcome: Outcome
    seed: str = ""


class ReducedFailure(NamedTuple):
    """What is left of a failure: the reduction, how its test ends, its fingerprint, and its files.

    ``files`` is None if the test could not be reduced at all; then ``outcome`` is that of the finding.
    """

    reduction: Reduction
    outcome: Outcome
    fingerprint: str
    files: SavedFailure | None


def reduce_failure(
    retester: Retester,
    finding: Finding,
    out: Path,
    executions: int = DEFAULT_BUDGET,
    watch: Callable[[ReductionStep], None] = lambda _: None,
) -> ReducedFailure:
    """Reduce a failure and save what is left in ``out/failures/FINGERPRINT``, over what was saved there before.

    :raises ValueError: the finding does not blame the driver.
    :raises OSError: the files cannot be written.
    :raises DriverLostError: the driver does not start any more.
    """
    identity = identity_of(finding.outcome)
    if identity is None:
        raise ValueError(f"{finding.outcome.verdict} is no failure of the driver")
    found = reduce(finding.test, retester.fails, identity, executions, watch)
    key = fingerprint(identity, found.test)
    if found.ending is Ending.NOT_REPRODUCED:
        return ReducedFailure(found, finding.outcome, key, None)
    outcome = retester.failures.get(identity, finding.outcome)
    origin = provenance(finding.case, finding.driver, outcome, finding.seed)
    files = save_failure(out / FOLDER / key, found.test, origin, retester.manner.tolerances(found.test))
    return ReducedFailure(found, outcome, key, files)
