"""Runs all passes of the reducer repeatedly, until none of them finds a smaller test.

Passes that make the graph smaller come first, then those that simplify it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from nnvet.generators.reducer import dimensions
from nnvet.generators.reducer.operations import bypass_operations, drop_operations, drop_outputs, inline_subgraphs
from nnvet.generators.reducer.search import BudgetSpentError, Ending, Fails, Identity, ReductionStep, Search
from nnvet.graphs.model import TestModel

Pass = Callable[[Search], None]

PASSES: Final[tuple[tuple[str, Pass], ...]] = (
    ("branches and loops in line", inline_subgraphs),
    ("fewer outputs", drop_outputs),
    ("fewer operations", drop_operations),
    ("operations bypassed", bypass_operations),
    ("fewer outputs", drop_outputs),
    ("omitted operands", dimensions.omit_operands),
    ("float32", dimensions.widen_types),
    ("full precision", dimensions.demand_full_precision),
    ("neutral attributes", dimensions.neutral_scalars),
    ("smaller dimensions", dimensions.shrink_dimensions),
    ("plain values", dimensions.plain_values),
    ("plain constants", dimensions.copy_constants),
)


DEFAULT_BUDGET = 500
"""Default number of executions of a reduction."""


@dataclass(frozen=True)
class Reduction:
    """Result of a reduction: the least test found, with the oracle's expected outputs, and the ending of the search.

    If the ending is NOT_REPRODUCED, ``test`` is the given test, and ``obstacle`` is the reason if it is known.
    """

    test: TestModel
    identity: Identity
    ending: Ending
    executions: int
    obstacle: str = ""


def reduce(
    test: TestModel,
    fails: Fails,
    identity: Identity,
    executions: int = DEFAULT_BUDGET,
    watch: Callable[[ReductionStep], None] = lambda _: None,
) -> Reduction:
    """Return the least test found that fails with ``identity`` as ``test`` does, within a number of executions.

    The result depends only on the arguments, if ``fails`` is deterministic. Exceptions of ``fails`` are passed on,
    except KeyboardInterrupt, which ends the search with the best test so far. ``watch`` is called for every execution.
    """
    search = Search(fails, identity, executions, watch)
    try:
        search.trying = "the test as it is"
        if not search.attempt(_unchanged, test):
            why = search.obstacle or "with the expected outputs of the oracle it does not fail alike"
            return Reduction(test, identity, Ending.NOT_REPRODUCED, search.executions, why)
        _until_nothing_changes(search)
        ending = Ending.MINIMAL
    except BudgetSpentError:
        ending = Ending.BUDGET
    except KeyboardInterrupt:
        ending = Ending.INTERRUPTED
    return Reduction(search.best_or(test), identity, ending, search.executions)


def _unchanged(test: TestModel) -> TestModel:
    return test


def _until_nothing_changes(search: Search) -> None:
    before = None
    while before is not search.best:
        before = search.best
        for name, run in PASSES:
            search.trying = name
            run(search)
