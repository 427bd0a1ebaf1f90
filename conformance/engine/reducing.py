"""Reduction of a failure on its driver, and saving of the result, for commands, campaigns and the fuzzer.

The search itself is :mod:`nnvet.generators.reducer`; :mod:`nnvet.conformance.engine.retesting` runs its candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from nnvet.conformance.engine.driver import open_subject
from nnvet.conformance.engine.retesting import Retester, identity_of, manner_of, provenance
from nnvet.conformance.engine.saved_failures import FOLDER, SavedFailure, save_failure
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.outcome import PASSED, Outcome
from nnvet.generators.reducer import Ending, Reduction, ReductionStep, fingerprint, reduce
from nnvet.generators.reducer.reducing import DEFAULT_BUDGET
from nnvet.graphs.model import TestModel
from nnvet.oracle.comparison import Tolerance


class Finding(NamedTuple):
    """A failed test, with the id of the case in whose manner it runs, the driver's selector, and the outcome.

    ``seed`` is the seed that the test was made from, if the id does not contain it.
    """

    test: TestModel
    case: str
    driver: str
    outcome: Outcome
    seed: str = ""


class ReducedFailure(NamedTuple):
    """A reduced failure: the reduction, the outcome of its test, its fingerprint, and its files.

    ``files`` is None if the test could not be reduced at all; then ``outcome`` is that of the finding.
    """

    reduction: Reduction
    outcome: Outcome
    fingerprint: str
    files: SavedFailure | None


class SearchedFailure(NamedTuple):
    """Result of the reduction of a test on its driver.

    ``first`` is the outcome of the test itself; without a ``reduction`` it is no failure of the driver. ``last`` is the
    outcome of the reduced test, and ``tolerances`` are those of its outputs.
    """

    first: Outcome
    reduction: Reduction | None = None
    last: Outcome = PASSED
    tolerances: Sequence[Tolerance | None] = ()


def search_on(
    target: Target,
    test: TestModel,
    case: str,
    executions: int = DEFAULT_BUDGET,
    watch: Callable[[ReductionStep], None] = lambda _: None,
) -> SearchedFailure:
    """Run a test like a case, and search for a smaller one that fails in the same way.

    :raises SelectorError: there is no such driver.
    :raises DriverLostError: it does not start, or not again.
    """
    with open_subject(target) as subject:
        retester = Retester(subject, manner_of(case, subject.feature_level))
        outcome = retester.outcome(test)
        identity = identity_of(outcome)
        if identity is None:
            return SearchedFailure(outcome)
        found = reduce(test, retester.fails, identity, executions, watch)
        last = retester.failures.get(identity, outcome)
        return SearchedFailure(outcome, found, last, retester.manner.tolerances(found.test))


def save_search(search: SearchedFailure, finding: Finding, out: Path) -> ReducedFailure:
    """Save the reduced test of a finding in ``out/failures/FINGERPRINT``, in place of an earlier one.

    :raises ValueError: the finding does not blame the driver.
    :raises OSError: the files cannot be written.
    """
    identity, found = identity_of(search.first), search.reduction
    if identity is None or found is None:
        raise ValueError(f"{search.first.verdict} is no failure of the driver")
    key = fingerprint(identity, found.test)
    if found.ending is Ending.NOT_REPRODUCED:
        return ReducedFailure(found, finding.outcome, key, None)
    origin = provenance(finding.case, finding.driver, search.last, finding.seed)
    files = save_failure(out / FOLDER / key, found.test, origin, search.tolerances)
    return ReducedFailure(found, search.last, key, files)
