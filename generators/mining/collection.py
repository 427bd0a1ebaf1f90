"""Collection of fragments of users' models, in which equal ones are merged; ``spec_folder.py`` writes them as specs.

A model is cut into single operations and connected groups of two or three that can run alone. Fragments are equal if
their operations, wiring, shapes, types and attributes are equal; weights and scales do not matter. Files do not keep
all weights, but a few numbers that describe their distribution, from which similar weights are drawn.
"""

from __future__ import annotations

import hashlib
import inspect
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from nnvet.generators.mining.manifest import Spread
from nnvet.generators.reducer.evaluation import NotReducibleError, argument_of, complete, part_of
from nnvet.graphs.editor import with_operands
from nnvet.graphs.hal_model import operand_data
from nnvet.graphs.model import Array, TestModel, TestOperand, TestSubgraph, operation_name
from nnvet.hal.enums import CONSTANTS, FeatureLevel, OperandLifeTime
from nnvet.hal.extensions import every_declaration
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.binding import bound_formals

_L: Final = OperandLifeTime
_DIGITS: Final = 8
"""Hexadecimal digits of the hash in a fragment's name."""
_MOST_NAMED: Final = 3
"""Most operations in a fragment's name."""


def in_order_of_use(test: TestModel) -> tuple[TestModel, list[int]]:
    """Return the test with operands numbered in order of first use, and their former numbers."""
    main = test.main
    order = list(
        dict.fromkeys(index for operation in main.operations for index in (*operation.inputs, *operation.outputs))
    )
    place = {index: number for number, index in enumerate(order)}
    operands = tuple(main.operands[index] for index in order)

    def listed(lifetime: OperandLifeTime) -> tuple[int, ...]:
        return tuple(number for number, operand in enumerate(operands) if operand.lifetime == lifetime)

    operations = tuple(
        replace(
            operation,
            inputs=tuple(place[i] for i in operation.inputs),
            outputs=tuple(place[i] for i in operation.outputs),
        )
        for operation in main.operations
    )
    graph = TestSubgraph(operands, operations, listed(_L.SUBGRAPH_INPUT), listed(_L.SUBGRAPH_OUTPUT))
    return replace(test, main=graph), order


def parameters(test: TestModel) -> frozenset[int]:
    """Return operands that are attributes: scalars, and tensors whose values decide shapes or rules, such as axes."""
    found = set()
    for operation in test.main.operations:
        inputs, outputs = (
            [argument_of(test.main.operands[index], None) for index in side]
            for side in (operation.inputs, operation.outputs)
        )
        formals = bound_formals(every_declaration()[operation.type], inputs, outputs)
        for index, formal in zip(operation.inputs, formals, strict=False):
            if formal.parameter or not type_info(test.main.operands[index].type).is_tensor:
                found.add(index)
    return frozenset(found)


def signature(test: TestModel) -> str:
    """Return a digest that equal fragments share, as hexadecimal digits; operands in order of use."""
    attributes = parameters(test)
    operations = [(int(operation.type), operation.inputs, operation.outputs) for operation in test.main.operations]
    operands = [
        _described(operand, is_attribute=index in attributes) for index, operand in enumerate(test.main.operands)
    ]
    text = repr((operations, operands, list(_equal_codes(test)), test.is_relaxed))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def name_of(test: TestModel) -> str:
    """Return names of the operations and the signature, as the name of a file."""
    operations = [operation_name(operation.type).lower().replace("::", "_") for operation in test.main.operations]
    return "_".join([*operations[:_MOST_NAMED], signature(test)])


def _described(operand: TestOperand, *, is_attribute: bool) -> tuple[Any, ...]:
    is_constant = operand.lifetime in CONSTANTS
    value = operand.data.tolist() if is_attribute and is_constant and operand.data is not None else None
    channel = operand.channel_quant.channel_dim if operand.channel_quant else None
    lifetime = "constant" if is_constant else int(operand.lifetime)
    return int(operand.type), operand.dimensions, lifetime, channel, value


def _equal_codes(test: TestModel) -> Iterator[int]:
    """Map each operand with a zero point to the first one with equal scale and zero point."""
    first: dict[tuple[int, float, int], int] = {}
    for index, operand in enumerate(test.main.operands):
        if type_info(operand.type).is_quantized:
            yield first.setdefault((operand.type, operand.scale, operand.zero_point), index)


def spread_of(values: npt.NDArray[Any]) -> Spread | None:
    """Return the distribution of the finite values; None if there are none."""
    finite = values[np.isfinite(values)].astype(np.float64)
    if not finite.size:
        return None
    return Spread(float(finite.min()), float(finite.max()), float(finite.mean()), float(finite.std()))


def combined(spreads: Sequence[Spread]) -> Spread:
    """Return the mixture of distributions in equal shares."""
    mean = math.fsum(spread.mean for spread in spreads) / len(spreads)
    square = math.fsum(spread.deviation**2 + (spread.mean - mean) ** 2 for spread in spreads) / len(spreads)
    low, high = min(spread.low for spread in spreads), max(spread.high for spread in spreads)
    return Spread(low, high, mean, math.sqrt(square))


def drawn(seed: int, count: int, low: float, high: float, mean: float, deviation: float, *, whole: bool) -> list[float]:
    """Draw normally distributed values, clamped to the range; equal seeds give equal values.

    RandomState is used since NumPy guarantees its numbers for all releases.
    """
    values = np.random.RandomState(seed).normal(mean, deviation, count)
    limited = np.clip(np.rint(values) if whole else values, low, high)
    numbers: list[float] = limited.tolist()
    return numbers


PROGRAM: Final = f"import numpy as np\n\n{inspect.getsource(drawn)}\n"
"""A Python program with which a spec draws the same values as this module."""


Group = tuple[int, ...]
"""Positions of operations, ascending."""


class Dependencies:
    """Data dependencies between the operations of a subgraph. Sets of operations are bits of integers."""

    def __init__(self, graph: TestSubgraph) -> None:
        """Compute the dependencies of operations, which are in order of execution."""
        makers = {index: position for position, operation in enumerate(graph.operations) for index in operation.outputs}
        self.count = len(graph.operations)
        self.sources = [
            frozenset(makers[index] for index in operation.inputs if index in makers) for operation in graph.operations
        ]

    @cached_property
    def neighbours(self) -> list[set[int]]:
        """For each operation, the operations that it reads from and those that read from it."""
        found: list[set[int]] = [set() for _ in range(self.count)]
        for reader, makers in enumerate(self.sources):
            for maker in makers:
                found[reader].add(maker)
                found[maker].add(reader)
        return found

    @cached_property
    def before(self) -> list[int]:
        """For each operation, the operations that have to be executed before it."""
        found: list[int] = []
        for makers in self.sources:
            bits = 0
            for maker in makers:
                bits |= found[maker] | 1 << maker
            found.append(bits)
        return found

    def groups(self, most: int) -> Iterator[Group]:
        """Yield the connected groups of up to ``most`` operations that can be cut out whole."""
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
        """Return True if no operation outside depends on the group and is needed by it, directly or through others."""
        inside = sum(1 << position for position in group)
        outside = 0
        for position in group:
            outside |= self.before[position]
        outside &= ~inside
        return not any(outside >> other & 1 and self.before[other] & inside for other in range(group[0], group[-1]))


MOST_OPERATIONS: Final = 3
MOST_KEPT: Final = 64
"""Most elements of a tensor that is kept as it is, such as scales, short biases and axes."""
_HOLDERS: Final = (*CONSTANTS, _L.SUBGRAPH_INPUT)
_INPUT_SEED: Final = 1
_STEPS: Final = 4
"""Number of steps of a model with states, so that the states are no longer the initial ones."""


@dataclass
class Fragment:
    """Operations cut out as a test, taken from their first occurrence.

    ``spreads`` are the distributions of drawn values by operand, one for each occurrence; ``occurrences`` are counts by
    model.
    """

    name: str
    test: TestModel
    spreads: dict[int, list[Spread]]
    occurrences: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        """Number of occurrences in all models."""
        return self.occurrences.total()


class Collection:
    """Collects the fragments of one model after the other."""

    def __init__(self) -> None:
        """Begin without fragments."""
        self._found: dict[str, Fragment] = {}

    def add(self, name: str, model: TestModel, states: Sequence[tuple[int, int]] = ()) -> None:
        """Cut a model into fragments; the distribution of its values is computed from random inputs.

        ``states`` are pairs: the position of an input, and the position of the output that becomes this input in the
        next step. A model with states runs some steps from zero states on, and the values of the last step are used.

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
        """Return single operations, and groups that occur ``least`` times or more, the smallest and commonest first."""
        kept = [
            fragment
            for fragment in self._found.values()
            if len(fragment.test.main.operations) == 1 or fragment.count >= least
        ]
        return sorted(kept, key=lambda fragment: (len(fragment.test.main.operations), -fragment.count, fragment.name))


def drawn_operands(test: TestModel) -> list[int]:
    """Return inputs and constants whose values are drawn: tensors of many elements that are no attributes."""
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
    """Return the model with random images and features; other inputs (integers, truth values) are zero.

    ``states`` are values of inputs by position; None stands for zero.
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
