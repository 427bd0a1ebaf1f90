"""Search for a smaller failing test: :class:`Search` keeps the best test so far and runs candidates.

The passes (``operations.py``, ``dimensions.py``) propose candidates with :meth:`Search.attempt`, and ``reducing.py``
runs the passes. Digests of a test's graph and of its whole content recognise candidates that were tried before. The
identity of a failure decides whether a candidate fails in the same way.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

import msgspec
import numpy as np
from msgspec.structs import asdict

from nnvet.generators.reducer.evaluation import NotReducibleError, Values, complete
from nnvet.graphs.model import TestModel, TestSubgraph, operation_name
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.operand_types import type_name
from nnvet.reports.events import Verdict


class Identity(msgspec.Struct, frozen=True):
    """Identity of a failure, which has to stay while its test is made smaller.

    ``rule`` is the broken rule. ``cause`` is a detail that the driver reveals: a rule of an operation, the place of an
    exception or of a fatal signal; or empty.
    """

    verdict: Verdict
    rule: str
    cause: str = ""

    def __str__(self) -> str:
        """Return the identity in words."""
        return " ".join((self.verdict, self.rule, *([f"({self.cause})"] if self.cause else [])))


_L: Final = OperandLifeTime
_DIGITS: Final = 6
"""Bytes of a fingerprint."""
_GIVEN: Final = {
    _L.SUBGRAPH_INPUT: "input",
    _L.CONSTANT_COPY: "constant",
    _L.CONSTANT_REFERENCE: "constant",
    _L.NO_VALUE: "omitted",
    _L.SUBGRAPH: "subgraph",
}


def fingerprint(identity: Identity, test: TestModel) -> str:
    """Return twelve hexadecimal digits that are equal for failures of one verdict and rule in graphs of one shape.

    The shape of a graph consists of its operations, their connections and the types of operands. It does not include
    dimensions, values, or the order of operations that do not depend on each other.
    """
    return _digest([identity.verdict, identity.rule, [_shape(graph) for graph in test.subgraphs]]).hex()


def content_digest(test: TestModel) -> bytes:
    """Return a digest of everything that a driver sees of a test; equal tests have equal digests."""
    described = [
        [
            [
                {**asdict(operand), "data": None if operand.data is None else operand.data.tobytes()}
                for operand in graph.operands
            ],
            [[operation.type, operation.inputs, operation.outputs] for operation in graph.operations],
            graph.input_indexes,
            graph.output_indexes,
        ]
        for graph in test.subgraphs
    ]
    return _digest([test.is_relaxed, described], 16)


def _digest(content: Any, size: int = _DIGITS) -> bytes:
    # Codes of extensions are integers of a class that has a name as well.
    return hashlib.blake2s(msgspec.msgpack.encode(content, enc_hook=int), digest_size=size).digest()


def _shape(graph: TestSubgraph) -> list[Any]:
    """Return the graph with operands numbered by first use, in an order that depends only on its shape."""
    numbers: dict[int, int] = {}

    def named(index: int) -> list[Any]:
        operand = graph.operands[index]
        kind = _GIVEN.get(OperandLifeTime(operand.lifetime), "")
        return [numbers.setdefault(index, len(numbers)), type_name(operand.type), kind]

    order = _canonical_order(graph)
    return [
        [
            operation_name(operation.type),
            [named(index) for index in operation.inputs],
            [named(index) for index in operation.outputs],
        ]
        for operation in (graph.operations[position] for position in order)
    ]


def _canonical_order(graph: TestSubgraph) -> list[int]:
    """Return the positions of operations in execution order; ties are broken by all that comes before and after."""
    before = _histories(graph, range(len(graph.operations)), backwards=False)
    behind = _histories(graph, range(len(graph.operations) - 1, -1, -1), backwards=True)
    maker = {index: position for position, operation in enumerate(graph.operations) for index in operation.outputs}
    left, order = set(range(len(graph.operations))), list[int]()
    while left:
        ready = [
            position
            for position in left
            if all(maker.get(index) not in left for index in graph.operations[position].inputs)
        ]
        first = min(ready, key=lambda position: (before[position], behind[position], position))
        order.append(first)
        left.remove(first)
    return order


def _histories(graph: TestSubgraph, positions: Sequence[int], *, backwards: bool) -> Mapping[int, bytes]:
    """Return a digest of each operation and all that it depends on, or, ``backwards``, all that depends on it."""
    digests: dict[int, bytes] = {}
    known: dict[int, list[bytes]] = {}
    for position in positions:
        operation = graph.operations[position]
        sources, targets = (operation.outputs, operation.inputs) if backwards else (operation.inputs, operation.outputs)
        seen = [[type_name(graph.operands[index].type), sorted(known.get(index, []))] for index in sources]
        digests[position] = _digest([operation_name(operation.type), seen])
        for slot, index in enumerate(targets):
            known.setdefault(index, []).append(digests[position] + bytes([slot % 256]))
    return digests


P = ParamSpec("P")
T = TypeVar("T")

Fails = Callable[[TestModel], Identity | None]
"""Function that runs a test on the driver, and returns the identity of the failure, or None."""


class Ending(StrEnum):
    """Reason for which a reduction has ended."""

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
    """The budget of executions is used up."""


class Search:
    """The search for a smaller test: the best test so far with its ``values``; no candidate is executed twice."""

    def __init__(
        self, fails: Fails, identity: Identity, budget: int, watch: Callable[[ReductionStep], None] = lambda _: None
    ) -> None:
        """Begin with the original test; ``budget`` bounds the executions, and ``watch`` is called for each."""
        self._fails, self._identity = fails, identity
        self._budget, self._watch = budget, watch
        self._seen: set[bytes] = set()
        self._best: tuple[TestModel, Values] | None = None
        self.executions = 0
        self.trying = ""
        self.obstacle = ""

    @property
    def best(self) -> TestModel:
        """The smallest test that is known to fail in the same manner."""
        return self._known[0]

    @property
    def values(self) -> Values:
        """Values of the operands of the best test's main subgraph."""
        return self._known[1]

    def _check_values(self, values: Values) -> None:
        """Refuse candidates with new empty tensors, infinities or NaN, because these may cause another failure.

        :raises NotReducibleError: the candidate has some.
        """
        if self._best is not None and _is_odd(values) and not _is_odd(self.values):
            raise NotReducibleError("values are empty or not finite")

    def best_or(self, test: TestModel) -> TestModel:
        """Return the best test; ``test`` if none has failed yet."""
        return test if self._best is None else self._best[0]

    @property
    def _known(self) -> tuple[TestModel, Values]:
        if self._best is None:
            raise LookupError("nothing has failed yet")
        return self._best

    def attempt(self, make: Callable[P, TestModel | None], *args: P.args, **kwargs: P.kwargs) -> bool:
        """Try a candidate; return True, and keep it as the best, if it is valid and fails in the same manner.

        :raises BudgetSpentError: the budget allows no further execution.
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
    """Return a small part of the items, in order, that has a property which all of them together have.

    Bisection takes about m * log2(n) calls for m needed items, if the property of a part holds for every larger part.
    Otherwise the part may be larger than necessary, but it always has the property.
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
