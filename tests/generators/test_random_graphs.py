"""Random models: valid whatever is chosen, within their limits, well connected, and the same everywhere."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from nnvet.generators.random_graphs import generate
from nnvet.generators.random_graphs.catalogue import all_signatures, by_test, pool
from nnvet.generators.random_graphs.chooser import SeededChooser, shuffled
from nnvet.generators.random_graphs.draft import Draft, DraftOperand, DraftRole, Trait, random_values
from nnvet.generators.random_graphs.flow import FlowDraft
from nnvet.generators.random_graphs.generate import random_graph, single_operation
from nnvet.generators.random_graphs.golden import compute_outputs, with_golden_results
from nnvet.generators.random_graphs.named import GRAPH_TESTS, SEEDS, GraphTest, SingleTest, left_out, single_tests
from nnvet.generators.random_graphs.shapes import MOST_ELEMENTS, WIDE, Axis, Shape, SizeLimits
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.editor import with_operands
from nnvet.graphs.hal_model import build_model
from nnvet.graphs.model import TestModel, describe_model, element_type
from nnvet.hal.enums import FeatureLevel, OperandLifeTime, OperandType, OperationType
from nnvet.hal.operand_types import OPERAND_TYPES, type_info
from nnvet.hal.validation import required_level

T = TypeVar("T")
FEW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
SEEDS_OF_GRAPHS = range(12)
NEVER_PASSED_ON = (OperationType.DIV, OperationType.POW, OperationType.REDUCE_PROD, OperationType.L2_NORMALIZATION)


class Extreme:
    """Decides for the lowest or the highest, always or in turn."""

    def __init__(self, *highest: bool) -> None:
        """Begin with the first of the decisions, which repeat."""
        self._highest = highest
        self._count = 0

    def _is_highest(self) -> bool:
        self._count += 1
        return self._highest[self._count % len(self._highest)]

    def integer(self, low: int, high: int) -> int:
        """One of the ends."""
        assert low <= high
        return high if self._is_highest() else low

    def real(self, low: float, high: float) -> float:
        """One of the ends, as nearly as it may be."""
        assert low < high
        return high if self._is_highest() else float(np.nextafter(low, high))

    def boolean(self, probability: float = 0.5) -> bool:
        """Whatever comes next."""
        return self._is_highest()

    def pick(self, options: Sequence[T]) -> T:
        """The first or the last."""
        return options[-1 if self._is_highest() else 0]

    def raw(self, size: int) -> bytes:
        """All bits alike."""
        return (b"\xff" if self._is_highest() else b"\0") * size


class Drawn:
    """Decisions of a property-based test."""

    def __init__(self, data: st.DataObject) -> None:
        """Draw from ``data``."""
        self._draw = data.draw

    def integer(self, low: int, high: int) -> int:
        """Any number."""
        return self._draw(st.integers(low, high))

    def real(self, low: float, high: float) -> float:
        """Any number."""
        return self._draw(st.floats(low, high, exclude_min=True))

    def boolean(self, probability: float = 0.5) -> bool:
        """Any truth."""
        return self._draw(st.booleans())

    def pick(self, options: Sequence[T]) -> T:
        """Any option."""
        return self._draw(st.sampled_from(options))

    def raw(self, size: int) -> bytes:
        """A byte again and again."""
        return bytes([self._draw(st.integers(0, 255))]) * size


def check_valid(test: TestModel, level: int) -> None:
    """A model is valid at a level, has an input and no operand that is too large."""
    assert required_level(build_model(test)) <= level
    assert test.main.inputs
    assert test.main.outputs
    assert all(prod(operand.dimensions) <= MOST_ELEMENTS for operand in test.main.operands)
    assert all(size >= 1 for operand in test.main.operands if operand.data is None for size in operand.dimensions)


def test_catalogue() -> None:
    """Operations, tests and signatures of CTS by version, as docs/contract/random-graphs.md 6 and 7 count them.

    Three signatures more than there at HAL 1.3: AVERAGE_POOL_2D and MAX_POOL_2D of signed codes without a layout, with
    explicit and with implicit padding; one less: integers are cast to integers at HAL 1.2 already.
    """
    signatures = [signature for signature in all_signatures() if signature.in_cts]
    assert len({signature.operation for signature in signatures}) == 85
    assert Counter(signature.level for signature in signatures) == {1: 31, 2: 11, 3: 122, 4: 102 + 4 - 1}
    assert Counter(name[-4:] for name in by_test()) == {"V1_0": 25, "V1_1": 9, "V1_2": 80, "V1_3": 65}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("signature", all_signatures(), ids=lambda signature: signature.name)
def test_models_of_one_operation_are_valid(signature: OperationSignature) -> None:
    """In every type and rank, at the level of the version that brought the form."""
    for kind in signature.types:
        for rank in signature.ranks:
            for seed in range(3):
                chooser = SeededChooser(f"{signature.name}/{kind.name}/{rank}/{seed}")
                check_valid(single_operation(chooser, "valid", signature, kind, rank), signature.level)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("decisions", [(False,), (True,), (False, True), (True, False, False), (True, True, False)])
@pytest.mark.parametrize("limits", [WIDE, SizeLimits(8, 300)], ids=["wide", "small"])
def test_extreme_choices_are_valid(decisions: tuple[bool, ...], limits: SizeLimits) -> None:
    """The smallest and the largest of everything keep all relations too, and the model can be executed."""
    for signature in all_signatures():
        kind, rank = signature.types[-1], signature.ranks[-1]
        test = single_operation(Extreme(*decisions), signature.name, signature, kind, rank, limits)
        check_valid(test, signature.level)
        if limits is not WIDE:
            compute_outputs(test)


@FEW
@given(data=st.data(), signature=st.sampled_from(all_signatures()))
def test_any_choices_are_valid(data: st.DataObject, signature: OperationSignature) -> None:
    """Whoever makes the decisions."""
    kind, rank = data.draw(st.sampled_from(signature.types)), data.draw(st.sampled_from(signature.ranks))
    test = single_operation(Drawn(data), signature.name, signature, kind, rank, SizeLimits(8, 300))
    check_valid(test, signature.level)
    compute_outputs(test)


@pytest.mark.parametrize("test", [*single_tests(), *single_tests(in_cts=False)], ids=lambda test: test.id)
def test_seeds_cover_all_types_and_forms(test: SingleTest) -> None:
    """The fifty seeds of a test make every signature in every type; those that CTS does not have, in every rank."""
    picked = {test.pick(seed) for seed in SEEDS}
    if test.in_cts:
        assert {pick[:2] for pick in picked} == {
            (signature, kind) for signature in by_test()[test.operation] for kind in signature.types
        }
    else:
        assert picked == set(left_out()[test.operation])


def test_every_combination_has_a_case() -> None:
    """Of signature, type and rank, in one of the suites."""
    tests = (*single_tests(), *single_tests(in_cts=False))
    picked = {pick for test in tests for pick in map(test.pick, SEEDS)}
    assert picked == {
        (signature, kind, rank)
        for signature in all_signatures()
        for kind in signature.types
        for rank in signature.ranks
    }


def test_quantised_graphs_are_valid() -> None:
    """Types that no named test has work in graphs as well, and are connected."""
    kind = OperandType.TENSOR_QUANT8_ASYMM
    signatures = pool(kind, 4, FeatureLevel.FL4)
    edges = 0
    for seed in range(20):
        test = random_graph(SeededChooser(f"codes/{seed}"), "codes", signatures, kind, 4, 10)
        check_valid(test, 4)
        compute_outputs(test)
        edges += sum(operand.lifetime == OperandLifeTime.TEMPORARY_VARIABLE for operand in test.main.operands)
    assert edges > 20 * 3


@pytest.mark.sampled(4)
@pytest.mark.parametrize("graph", GRAPH_TESTS, ids=lambda graph: graph.name)
def test_graphs_are_valid_and_connected(graph: GraphTest) -> None:
    """Operations in order, every second input or more wired, most of the graph in one piece; levels as announced."""
    edges = wirable = pieces = 0
    for seed in SEEDS_OF_GRAPHS:
        test = graph.make(seed)
        check_valid(test, 4)
        assert test.min_supported_version is not None
        assert required_level(build_model(test)) <= test.min_supported_version
        operations = test.main.operations
        assert len(operations) == graph.operations
        writer = {index: place for place, operation in enumerate(operations) for index in operation.outputs}
        group = list(range(len(operations)))
        for place, operation in enumerate(operations):
            sources = [writer[index] for index in operation.inputs if index in writer]
            assert all(source < place for source in sources)
            edges += len(sources)
            wirable += place > 0
            for source in sources:
                group = [group[source] if each == group[place] else each for each in group]
            for source in sources:
                assert operations[source].type not in NEVER_PASSED_ON
        pieces += len(set(group))
    assert edges > 0.8 * wirable
    assert pieces / len(SEEDS_OF_GRAPHS) < 2 + graph.operations / 10


def test_half_of_the_tensors_are_constants() -> None:
    """Of the inputs that are not wired about half stay inputs."""
    counts: Counter[int] = Counter()
    for test in (GRAPH_TESTS[16].make(seed) for seed in SEEDS):
        lifetimes = [operand.lifetime for operand in test.main.operands if operand.type == GRAPH_TESTS[16].kind]
        counts.update(lifetimes)
    inputs, constants = counts[OperandLifeTime.SUBGRAPH_INPUT], counts[OperandLifeTime.CONSTANT_COPY]
    assert 0.4 < inputs / (inputs + constants) < 0.6


def test_every_level_gets_graphs() -> None:
    """Among the first ten seeds of float32 there are graphs for drivers of each HAL version."""
    levels = {GRAPH_TESTS[3].make(seed).min_supported_version for seed in range(10)}
    assert {1, 2, 3, 4} <= levels


@pytest.mark.sampled(4)
@pytest.mark.parametrize("graph", GRAPH_TESTS, ids=lambda graph: graph.name)
def test_values_stay_within_bounds(graph: GraphTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No value is larger than what was foreseen, none that is passed on is infinite, and traits hold."""
    drafted: list[DraftOperand] = []
    real = generate._lifetimes

    def spy(chooser: Any, operands: Sequence[DraftOperand], counts: Sequence[int]) -> list[OperandLifeTime]:
        drafted[:] = operands
        return real(chooser, operands, counts)

    monkeypatch.setattr(generate, "_lifetimes", spy)
    for seed in SEEDS_OF_GRAPHS:
        test = with_all_outputs(graph.make(seed))
        for index, result in zip(test.main.output_indexes, compute_outputs(test), strict=True):
            operand, values = drafted[index], result.astype(np.float64)
            assert not np.isnan(values).any()
            if operand.scale == 0:
                assert np.abs(values).max() <= 1.01 * operand.reach + 0.001
            if operand.traits & Trait.NON_NEGATIVE:
                assert (values >= operand.zero_point).all()
            if operand.traits & Trait.NON_ZERO:
                assert (values != operand.zero_point).all()
        for operation in test.main.operations:
            assert all(np.isfinite(drafted[index].reach) for index in operation.inputs)


def with_all_outputs(test: TestModel) -> TestModel:
    """The model with its temporaries as outputs."""
    ends = (OperandLifeTime.TEMPORARY_VARIABLE, OperandLifeTime.SUBGRAPH_OUTPUT)
    indexes = tuple(index for index, operand in enumerate(test.main.operands) if operand.lifetime in ends)
    outputs = {index: replace(test.main.operands[index], lifetime=ends[1]) for index in indexes}
    return replace(test, main=replace(with_operands(test.main, outputs), output_indexes=indexes))


RANGES = {
    # docs/contract/random-graphs.md 4.1.
    "float32": (-2, 2),
    "float16": (-2, 2),
    "int32": (0, 255),
    "uint8": (0, 255),
    "int8": (-128, 127),
    "uint16": (0, 65535),
    "int16": (-32768, 32767),
}
NO_OPERANDS = (OperandType.TENSOR_OEM_BYTE, OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL)
"""Types that no random graph has."""


@pytest.mark.parametrize("trait", [Trait.NONE, Trait.NON_ZERO, Trait.NON_NEGATIVE, Trait.POSITIVE])
@pytest.mark.parametrize(
    "kind", [kind for kind, info in OPERAND_TYPES.items() if info.is_tensor and kind not in NO_OPERANDS]
)
def test_values_have_their_ranges(kind: OperandType, trait: Trait) -> None:
    """Values fill the range of their type and keep away from what their traits exclude."""
    is_truth = kind == OperandType.TENSOR_BOOL8
    low, high = (0, 1) if is_truth else RANGES[element_type(kind)]
    zero_point = sum(type_info(kind).zero_point) // 2
    operand = DraftOperand(kind, (50, 200), zero_point=zero_point, traits=Trait.NONE if is_truth else trait)
    values = random_values(SeededChooser(f"{kind}/{trait}"), operand).astype(np.float64)
    if operand.traits & Trait.NON_NEGATIVE:
        low = zero_point
    if operand.traits & Trait.NON_ZERO:
        assert (values != zero_point).all()
    assert values.min() >= low
    assert values.max() <= high
    assert values.mean() == pytest.approx((low + high) / 2, abs=0.03 * (high - low))


@FEW
@given(data=st.data())
def test_shapes_keep_their_relations(data: st.DataObject) -> None:
    """A shape takes the dimensions that it chooses, and they fit."""
    # So small that only the smallest dimensions fit.
    sizes = st.integers(1, 3)
    axes = st.builds(Axis, sizes, st.none() | st.integers(20, 40), sizes, sizes, st.integers(0, 3))
    shape = Shape(tuple(data.draw(st.lists(axes, min_size=1, max_size=3))), data.draw(st.integers(1, 2)))
    limits = SizeLimits(data.draw(st.integers(8, 50)), 10_000)
    dimensions = shape.choose(Drawn(data), limits)
    assert shape.takes(dimensions, limits)
    used = prod(axis.factor * size + axis.margin for axis, size in zip(shape.axes, dimensions, strict=True))
    assert shape.times * used <= limits.elements
    for axis, size in zip(shape.axes, dimensions, strict=True):
        assert size % axis.step == 0
        assert axis.least <= size <= max(axis.most or limits.most, axis.lowest)


def test_a_shape_that_does_not_fit() -> None:
    """A shape that does not fit is reported."""
    with pytest.raises(ValueError, match="do not suffice"):
        Shape((Axis(50),) * 3).choose(SeededChooser(""), WIDE)


def test_choices_are_even() -> None:
    """The seeded source gives all numbers, both ends included, about equally often, and others to other names."""
    chooser = SeededChooser("even")
    integers = Counter(chooser.integer(-1, 3) for _ in range(5000))
    assert integers.keys() == {-1, 0, 1, 2, 3}
    assert all(850 < count < 1150 for count in integers.values())
    reals = sorted(chooser.real(1, 3) for _ in range(5000))
    assert 1 < reals[0] < 1.01
    assert 2.99 < reals[-1] <= 3
    assert max(b - a for a, b in pairwise(reals)) < 0.02
    assert 400 < sum(chooser.boolean(0.1) for _ in range(5000)) < 600
    assert sorted(shuffled(chooser, range(9))) == list(range(9))
    assert SeededChooser("even").raw(8) == SeededChooser("even").raw(8) != SeededChooser("odd").raw(8)


def test_golden_results_are_numbers() -> None:
    """An expected value that is no number is a fault of the test, which says so."""
    graph = GraphBuilder()
    source = graph.input(OperandType.TENSOR_FLOAT32, (2,), [1, -1])
    graph.operation(OperationType.LOG, (source,), graph.output(OperandType.TENSOR_FLOAT32, (2,), None))
    with pytest.raises(ValueError, match="no number"):
        with_golden_results(graph.finish("logarithm"))


def test_descriptions() -> None:
    """A model in words: operands with type, size and what they are; values of scalars."""
    graph = GraphBuilder()
    source = graph.input(OperandType.TENSOR_QUANT8_ASYMM, (2,), [1, 2], 0.5, 3)
    zero = graph.scalar(OperandType.INT32, 0)
    output = graph.output(OperandType.TENSOR_QUANT8_ASYMM, (2,), None, 0.25, 0)
    graph.operation(OperationType.ADD, (source, source, zero), output)
    codes = "%0 input TENSOR_QUANT8_ASYMM[2] scale 0.5 zero point 3"
    result = "%2 output TENSOR_QUANT8_ASYMM[2] scale 0.25 zero point 0"
    assert describe_model(graph.finish("sum")) == [f"{result} = ADD({codes}, {codes}, %1 constant INT32[] = [0])"]


DIGEST = """
from nnvet.generators.random_graphs.named import GRAPH_TESTS, single_tests
from tests.generators.test_random_graphs import digest
print(digest([*single_tests()[::9], *GRAPH_TESTS[::5]]))
"""


def digest(tests: Sequence[SingleTest | GraphTest]) -> str:
    """Return a digest of the first seeds of some tests."""
    whole = hashlib.sha256()
    for test in tests:
        for seed in range(2):
            model = build_model(test.make(seed))
            whole.update(repr(model.main).encode() + model.operand_values)
    return whole.hexdigest()


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_equal_names_give_equal_models(hash_seed: str) -> None:
    """In another process, with another order of sets."""
    here = digest([*single_tests()[::9], *GRAPH_TESTS[::5]])
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    there = subprocess.run(
        [sys.executable, "-c", DIGEST], env=environment, check=True, capture_output=True, text=True, cwd=os.curdir
    )
    assert there.stdout.strip() == here


def test_constants_of_the_signature_are_never_inputs() -> None:
    """Operands that a signature fixes, such as axes, are constants in every model; omitted operands have no value."""
    tests = (*single_tests(), *single_tests(in_cts=False))
    for test in (test.make(0, SizeLimits(8, 300)) for test in tests):
        for operand in test.main.inputs:
            assert operand.data is not None
            assert operand.data.size == prod(operand.dimensions)
    assert {role.value for role in DraftRole} == {"input", "constant", "omitted", "output", "subgraph"}


@pytest.mark.parametrize("kind_of_draft", [Draft, FlowDraft])
def test_outputs_have_scales_above_what_their_operation_demands(kind_of_draft: type[Draft]) -> None:
    """However small the numbers are that an output is to hold, as ROI_ALIGN of a tensor of large scale needs it."""
    kind = OperandType.TENSOR_QUANT8_ASYMM
    draft = kind_of_draft(SeededChooser("any"), SizeLimits(10), OperationType.ROI_ALIGN, kind, 4, 3)
    draft.exceed(500.0)
    assert draft.output(reach=1.0).scale > 500
