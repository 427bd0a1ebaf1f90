"""The fragments of several models, equal ones as one.

Cuts a model: every operation, and every connected group of two or three that can stand alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.graphs.editor import with_operands
from nnvet.generators.graphs.hal_model import operand_data
from nnvet.generators.graphs.model import Array, TestModel, TestOperand, TestSubgraph
from nnvet.generators.mining.canonical import in_order_of_use, name_of, parameters
from nnvet.generators.mining.spread import Spread, spread_of
from nnvet.generators.reducer.evaluation import complete
from nnvet.generators.reducer.parts import NotReducibleError, part_of
from nnvet.hal.enums import FeatureLevel, OperandLifeTime
from nnvet.hal.operand_types import type_info
from nnvet.hal.validation.operands import CONSTANTS

Group = tuple[int, ...]
"""Positions of operations, ascending."""


class Dependencies:
    """Data dependencies between the operations of a subgraph. Sets of operations are bits of integers."""

    def __init__(self, graph: TestSubgraph) -> None:
        """Look at all operations, which are in the order of execution."""
        makers = {index: position for position, operation in enumerate(graph.operations) for index in operation.outputs}
        self.count = len(graph.operations)
        self.sources = [
            frozenset(makers[index] for index in operation.inputs if index in makers) for operation in graph.operations
        ]

    @cached_property
    def neighbours(self) -> list[set[int]]:
        """By operation, those that it reads of and those that read of it."""
        found: list[set[int]] = [set() for _ in range(self.count)]
        for reader, makers in enumerate(self.sources):
            for maker in makers:
                found[reader].add(maker)
                found[maker].add(reader)
        return found

    @cached_property
    def before(self) -> list[int]:
        """By operation, all that have to be executed before it."""
        found: list[int] = []
        for makers in self.sources:
            bits = 0
            for maker in makers:
                bits |= found[maker] | 1 << maker
            found.append(bits)
        return found

    def groups(self, most: int) -> Iterator[Group]:
        """Every connected group of up to ``most`` operations that needs nothing computed of its own results outside."""
        level: set[Group] = {(position,) for position in range(self.count)}
        for _ in range(most):
            yield from sorted(group for group in level if self._is_whole(group))
            level = {
                tuple(sorted((*group, more)))
                for group in level
                for position in group
                for more in self.neighbours[position]
                if more not in group
            }

    def _is_whole(self, group: Group) -> bool:
        """Return True if no other operation reads of the group and is read by it, directly or through others."""
        inside = sum(1 << position for position in group)
        outside = 0
        for position in group:
            outside |= self.before[position]
        outside &= ~inside
        return not any(outside >> other & 1 and self.before[other] & inside for other in range(group[0], group[-1]))


MOST_OPERATIONS: Final = 3
MOST_KEPT: Final = 64
"""Tensors of up to so many elements are kept as they are: scales, short biases, axes."""
_L: Final = OperandLifeTime
_HOLDERS: Final = (*CONSTANTS, _L.SUBGRAPH_INPUT)
_INPUT_SEED: Final = 1
_STEPS: Final = 4
"""Steps of a model with states, after which they are no longer those of the beginning."""


@dataclass
class Fragment:
    """Operations as a test of their own, by the first place where they occur.

    ``spreads`` are, by operand, the distributions of the values that are drawn, one of each occurrence;
    ``occurrences`` are numbers by model.
    """

    name: str
    test: TestModel
    spreads: dict[int, list[Spread]]
    occurrences: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        """Occurrences in all models."""
        return self.occurrences.total()


class Collection:
    """Collects the fragments of models, one after the other."""

    def __init__(self) -> None:
        """Begin without any."""
        self._found: dict[str, Fragment] = {}

    def add(self, name: str, model: TestModel, states: Sequence[tuple[int, int]] = ()) -> None:
        """Cut a model, whose values are computed of random inputs, for their distribution.

        ``states`` are positions of an input and of the output that becomes it: with them some steps are computed, from
        states of zeros, and the last one counts.

        :raises NotReducibleError: the oracle cannot compute the model.
        """
        rng = np.random.RandomState(_INPUT_SEED)
        test, values = complete(_with_inputs(model, rng, dict.fromkeys(source for source, _ in states)))
        for _ in range(_STEPS - 1 if states else 0):
            results = {source: operand_data(test.main.outputs[result]) for source, result in states}
            test, values = complete(_with_inputs(model, rng, results))
        known: dict[int, Spread | None] = {}
        for group in Dependencies(test.main).groups(MOST_OPERATIONS):
            self._add(name, test, group, values, known)

    def _add(
        self, model: str, test: TestModel, group: Group, values: Mapping[int, Array], known: dict[int, Spread | None]
    ) -> None:
        try:
            part, indexes = part_of(test, group, values)
        except NotReducibleError:
            return
        part, order = in_order_of_use(part)
        name = name_of(part)
        spreads: dict[int, Spread] = {}
        for index in drawn_operands(part):
            origin = indexes[order[index]]
            if origin not in known:
                data = part.main.operands[index].data
                known[origin] = None if data is None else spread_of(data)
            spread = known[origin]
            if spread is not None:
                spreads[index] = spread
        fragment = self._found.get(name)
        if fragment is None:
            fragment = self._found[name] = Fragment(name, replace(part, name=name), {index: [] for index in spreads})
        fragment.occurrences[model] += 1
        for index, spread in spreads.items():
            fragment.spreads.setdefault(index, []).append(spread)

    def fragments(self, least: int) -> list[Fragment]:
        """Single operations, and groups that occur at least ``least`` times; the smallest and commonest first."""
        kept = [
            fragment
            for fragment in self._found.values()
            if len(fragment.test.main.operations) == 1 or fragment.count >= least
        ]
        return sorted(kept, key=lambda fragment: (len(fragment.test.main.operations), -fragment.count, fragment.name))


def drawn_operands(test: TestModel) -> list[int]:
    """Inputs and constants whose values are drawn: tensors of many elements that are no attributes."""
    attributes = parameters(test)
    return [
        index
        for index, operand in enumerate(test.main.operands)
        if operand.lifetime in _HOLDERS
        and index not in attributes
        and operand.data is not None
        and operand.data.size > MOST_KEPT
    ]


def _with_inputs(model: TestModel, rng: np.random.RandomState, states: Mapping[int, Array | None]) -> TestModel:
    """The model with random inputs, all else than images and features (integers, truth values) zero.

    ``states`` are values of inputs by position; None: what stands for zero.
    """
    main = model.main
    changed: dict[int, TestOperand] = {}
    for position, index in enumerate(main.input_indexes):
        operand = main.operands[index]
        value = states[position] if position in states else _values(operand, rng)
        if value is None:
            value = np.full(int(np.prod(operand.dimensions)), operand.zero_point, type_info(operand.type).dtype)
        changed[index] = replace(operand, data=value)
    return replace(model, main=with_operands(main, changed), min_supported_version=FeatureLevel.FL1)


def _values(operand: TestOperand, rng: np.random.RandomState) -> Array:
    kind = type_info(operand.type)
    count = int(np.prod(operand.dimensions))
    dtype = np.dtype(kind.dtype)
    if dtype.kind == "f":
        return rng.uniform(-1.0, 1.0, count).astype(dtype)
    if kind.is_quantized and dtype.itemsize == 1:
        limits = np.iinfo(dtype)
        return rng.randint(limits.min, limits.max + 1, count).astype(dtype)
    return np.zeros(count, dtype)
