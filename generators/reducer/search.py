"""The search for a smaller failing test: which candidates were tried, what they cost, and the best so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple, ParamSpec, TypeVar

import numpy as np

from nnvet.generators.graphs.model import TestModel
from nnvet.generators.reducer.evaluation import Values, complete
from nnvet.generators.reducer.parts import NotReducibleError
from nnvet.generators.reducer.shape import Identity, content_digest

P = ParamSpec("P")
T = TypeVar("T")

Fails = Callable[[TestModel], Identity | None]
"""Runs a test with its expected outputs on the driver; gives what fails, None if nothing does."""


class Ending(StrEnum):
    """Why a reduction came to its end."""

    MINIMAL = "minimal"
    BUDGET = "budget"
    INTERRUPTED = "interrupted"
    NOT_REPRODUCED = "not reproduced"


class ReductionStep(NamedTuple):
    """Progress of a reduction: executions so far and at most, operations of the best test, and the pass that runs."""

    executions: int
    budget: int
    operations: int
    trying: str


class BudgetSpentError(Exception):
    """No execution is left."""


class Search:
    """The best test so far, with its ``values``; every candidate is completed, and executed once at most."""

    def __init__(
        self, fails: Fails, identity: Identity, budget: int, watch: Callable[[ReductionStep], None] = lambda _: None
    ) -> None:
        """Nothing is found yet. ``budget`` bounds the executions; ``watch`` hears of each."""
        self._fails, self._identity = fails, identity
        self._budget, self._watch = budget, watch
        self._seen: set[bytes] = set()
        self._best: tuple[TestModel, Values] | None = None
        self.executions = 0
        self.trying = ""
        self.obstacle = ""

    @property
    def best(self) -> TestModel:
        """The smallest test that is known to fail alike."""
        return self._known[0]

    @property
    def values(self) -> Values:
        """The values of the operands of its main subgraph."""
        return self._known[1]

    def _check_values(self, values: Values) -> None:
        """Empty tensors, infinities and what is no number are as good as another failure, where none were before.

        :raises NotReducibleError: there are such.
        """
        if self._best is not None and _is_odd(values) and not _is_odd(self.values):
            raise NotReducibleError("values are empty or not finite")

    def best_or(self, test: TestModel) -> TestModel:
        """The best test; ``test`` if none has failed yet."""
        return test if self._best is None else self._best[0]

    @property
    def _known(self) -> tuple[TestModel, Values]:
        if self._best is None:
            raise LookupError("nothing has failed yet")
        return self._best

    def attempt(self, make: Callable[P, TestModel | None], *args: P.args, **kwargs: P.kwargs) -> bool:
        """Return True if a candidate still fails alike; then it is the best. None, or an invalid model, is none.

        :raises BudgetSpentError: it is one execution too many.
        """
        try:
            candidate = make(*args, **kwargs)
            if candidate is None:
                return False
            found = complete(candidate)
            self._check_values(found[1])
        except NotReducibleError as error:
            self.obstacle = str(error)
            return False
        digest = content_digest(found[0])
        if digest in self._seen:
            return False
        if self.executions >= self._budget:
            raise BudgetSpentError
        self._seen.add(digest)
        self.executions += 1
        size = len((self._best or found)[0].main.operations)
        self._watch(ReductionStep(self.executions, self._budget, size, self.trying))
        if self._fails(found[0]) != self._identity:
            return False
        self._best = found
        return True


def _is_odd(values: Values) -> bool:
    return any(not value.size or not np.isfinite(value).all() for value in values.values())


def smallest(items: Sequence[T], holds: Callable[[list[T]], bool]) -> list[T]:
    """A part of the items, in their order, for which something holds that is known to hold for all of them.

    By bisection: about m * log2(n) calls for m items that are needed, if what holds for a part holds for what has more.
    If that is not so, the part may be larger than it must be, and none but parts that hold are returned.
    """
    needed: list[int] = []
    rest = list(range(len(items)))
    while rest and not (needed and holds([items[index] for index in needed])):
        low, high = 1, len(rest)
        while low < high:
            middle = (low + high) // 2
            if holds([items[index] for index in sorted(rest[:middle] + needed)]):
                high = middle
            else:
                low = middle + 1
        # Without its last item the shortest beginning does not hold.
        needed = sorted([*needed, rest[high - 1]])
        rest = rest[: high - 1]
    return [items[index] for index in needed]
