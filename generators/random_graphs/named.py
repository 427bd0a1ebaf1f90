"""Random models with names, for the suite of random graphs: a test and a seed always give the same model.

Models are made on demand. :class:`SingleTest` has one operation, and :class:`GraphTest` has graphs of one type and
rank, as CTS has; both use ``generate.py``. :class:`MixedTest` has graphs over all types and ranks, which ``models.py``
makes: plain, relaxed, or with dimensions that the request decides. Campaigns of unnamed models are in ``models.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final
from zlib import crc32

from nnvet.generators.random_graphs.catalogue import all_signatures, by_test, pool
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.generate import random_graph, single_operation, with_open_dimensions
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.random_graphs.shapes import NARROW, WIDE, SizeLimits
from nnvet.generators.random_graphs.signature import LAST_LEVEL, OperationSignature
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import FeatureLevel, OperandType

SEEDS: Final = range(50)
"""Seeds of every test."""
_FLOAT32: Final = OperandType.TENSOR_FLOAT32
_LATER: Final = (LAST_LEVEL, FeatureLevel.FL3)
"""Levels for graphs of types other than float32."""
_CEILINGS: Final = {_FLOAT32: (*_LATER, LAST_LEVEL, FeatureLevel.FL2, *_LATER, LAST_LEVEL, FeatureLevel.FL1)}
"""Highest level of the operations of graphs, seed by seed, so that drivers of every level get some."""


Combination = tuple[OperationSignature, OperandType, int]
"""A signature with a type and a rank."""


@dataclass(frozen=True)
class SingleTest:
    """Tests of an operation in one HAL version; successive seeds take other types, ranks and variants.

    With ``in_cts`` these are combinations that CTS tests, otherwise those that no seed of the former tests makes.
    """

    operation: str
    in_cts: bool = True

    @property
    def id(self) -> str:
        """Return the readable, unique id, such as ``ADD_V1_0`` or ``further/LSTM_V1_2``."""
        return self.operation if self.in_cts else f"further/{self.operation}"

    @property
    def level(self) -> int:
        """Feature level that its models need."""
        return self.pick(0)[0].level

    def pick(self, seed: int) -> Combination:
        """Return the combination of operation and types for a seed."""
        # Each test begins at another row, so that few seeds cover many types and ranks.
        position = seed + crc32(self.operation.encode())
        if not self.in_cts:
            combinations = left_out()[self.operation]
            return combinations[position % len(combinations)]
        pairs = [(form, kind) for form in by_test()[self.operation] for kind in form.types]
        signature, kind = pairs[position % len(pairs)]
        # Pairs and ranks advance together; if their numbers have a common divisor, some combinations never occur.
        return signature, kind, signature.ranks[(position + position // len(pairs)) % len(signature.ranks)]

    def make(self, seed: int, limits: SizeLimits = WIDE) -> TestModel:
        """Return the model of a seed, without expected outputs."""
        name = f"{self.id}/{seed}"
        return single_operation(SeededChooser(name), name, *self.pick(seed), limits)


@dataclass(frozen=True)
class GraphTest:
    """Graphs of a size, of one primary type and rank."""

    size: str
    operations: int
    limits: SizeLimits
    kind: OperandType
    rank: int

    @property
    def name(self) -> str:
        """Return the name, such as ``SmallGraph_TENSOR_FLOAT32_Rank4``."""
        return f"{self.size}Graph_{self.kind.name}_Rank{self.rank}"

    @property
    def level(self) -> int:
        """Lowest feature level that some of its models need at most."""
        return min(_CEILINGS.get(self.kind, _LATER))

    def make(self, seed: int) -> TestModel:
        """Return the model of a seed, without expected outputs."""
        ceilings = _CEILINGS.get(self.kind, _LATER)
        signatures = pool(self.kind, self.rank, ceilings[seed % len(ceilings)])
        name = f"{self.name}/{seed}"
        return random_graph(SeededChooser(name), name, signatures, self.kind, self.rank, self.operations, self.limits)


GRAPH_TESTS: Final = tuple(
    GraphTest(size, operations, limits, kind, rank)
    for size, operations, limits in (("Small", 5, WIDE), ("Large", 40, NARROW))
    for kind in (_FLOAT32, OperandType.TENSOR_FLOAT16, OperandType.TENSOR_INT32, OperandType.TENSOR_BOOL8)
    for rank in range(4, 0, -1)
)


def single_tests(*, in_cts: bool = True) -> tuple[SingleTest, ...]:
    """Return a test for each operation in each HAL version; :class:`SingleTest` explains ``in_cts``."""
    return tuple(SingleTest(operation, in_cts) for operation in (by_test() if in_cts else left_out()))


@cache
def left_out() -> Mapping[str, Sequence[Combination]]:
    """Return the combinations that no seed of CTS's tests makes, by operation and version."""
    made = {combination for test in single_tests() for combination in map(test.pick, SEEDS)}
    found: dict[str, list[Combination]] = {}
    for signature in all_signatures():
        combinations = [(signature, kind, rank) for kind in signature.types for rank in signature.ranks]
        if missing := [combination for combination in combinations if combination not in made]:
            found.setdefault(signature.test, []).extend(missing)
    return dict(sorted(found.items()))


_LEVELS: Final = (FeatureLevel.FL8, FeatureLevel.FL4, FeatureLevel.FL3, FeatureLevel.FL8, FeatureLevel.FL3)
"""Highest levels of the operations, seed by seed, so that older drivers get some models, too."""


@dataclass(frozen=True)
class MixedTest:
    """Graphs over all types and ranks. With ``is_open``, the driver gets the model with some dimensions unspecified."""

    name: str
    options: GraphOptions
    is_open: bool = False

    @property
    def level(self) -> int:
        """Lowest feature level that some of its models need at most."""
        return min(_LEVELS)

    def make(self, seed: int) -> TestModel:
        """Return the model of a seed, all dimensions known, without expected outputs."""
        # There are few graphs of each test, so they share no operations at their beginning.
        options = replace(self.options, level=_LEVELS[seed % len(_LEVELS)], remembered=0)
        name = f"{self.name}/{seed}"
        return random_model(SeededChooser(name), options, name)

    def declared(self, model: TestModel) -> TestModel:
        """Return the model as the driver gets it."""
        return with_open_dimensions(SeededChooser(f"{model.name}/open"), model) if self.is_open else model


MIXED_TESTS: Final = (
    MixedTest("MixedGraph_5", GraphOptions(operations=(5, 5), dimensions=(1, 50), elements=5000)),
    MixedTest("MixedGraph_10", GraphOptions(operations=(10, 10))),
    MixedTest("MixedGraph_40", GraphOptions(operations=(40, 40))),
    MixedTest("RelaxedGraph_10", GraphOptions(operations=(10, 10), relaxed=1.0)),
    MixedTest("UnspecifiedGraph_10", GraphOptions(operations=(10, 10)), is_open=True),
)
