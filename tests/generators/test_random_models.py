"""Random models of mixed types: valid whoever decides, as the options want them, connected, and full of information."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod

import numpy as np
import pytest

from nnvet.generators.random_graphs.catalogue import whole_pool
from nnvet.generators.random_graphs.chooser import BytesChooser, Chooser, SeededChooser
from nnvet.generators.random_graphs.draft import DraftOperand
from nnvet.generators.random_graphs.flow import FlowDraft, reads_outputs
from nnvet.generators.random_graphs.golden import compute_outputs, information
from nnvet.generators.random_graphs.models import _beginning, random_model
from nnvet.generators.random_graphs.options import MOST_OPERATIONS, PRIMARY_TYPES, GraphOptions
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.generators.reducer.search import content_digest
from nnvet.graphs.hal_model import build_model
from nnvet.graphs.model import TestModel, TestOperation
from nnvet.hal.enums import FeatureLevel, OperandLifeTime, OperandType, OperationType
from nnvet.hal.operand_types import type_info
from nnvet.hal.validation import required_level

T = OperandType
OT = OperationType
SEEDS = range(20)


def seeded(seed: int, **options: object) -> TestModel:
    """The model of a seed."""
    return random_model(SeededChooser(f"models/{seed}"), GraphOptions(**options))  # type: ignore[arg-type]


def noise(seed: int, size: int) -> bytes:
    """Any bytes."""
    return random.Random(seed).randbytes(size)


SOURCES: dict[str, Callable[[int], Chooser]] = {
    "seeded": lambda seed: SeededChooser(f"sources/{seed}"),
    "bytes": lambda seed: BytesChooser(noise(seed, 10_000)),
    "few bytes": lambda seed: BytesChooser(noise(seed, seed)),
}


@pytest.mark.parametrize("source", SOURCES)
def test_models_are_valid(source: str) -> None:
    """From any source: at the level that they name, and the oracle computes them."""
    for seed in SEEDS:
        test = random_model(SOURCES[source](seed), GraphOptions(boundaries=0.3))
        assert test.min_supported_version is not None
        assert required_level(build_model(test)) <= test.min_supported_version
        assert len(test.main.operations) == 10
        assert test.main.inputs
        with np.errstate(all="ignore"):
            assert len(compute_outputs(test)) == len(test.main.outputs)


@pytest.mark.parametrize(
    ("seed", "number"), [("0-StressTest-RandomModels-Load-Narrow", 1555), ("7", 18630)], ids=["REVERSE", "MIRROR_PAD"]
)
def test_an_operation_does_not_change_what_another_has_read(seed: str, number: int) -> None:
    """A root that reads the input of an earlier operation leaves it its zero point, which that one's output has."""
    test = random_model(SeededChooser(f"stress/{seed}/{number}"), GraphOptions(dimensions=(1, 10)))
    assert required_level(build_model(test))


def taken(operand: DraftOperand) -> tuple[object, ...]:
    """All that other operations may have relied on."""
    return (
        *operand.quantization,
        operand.reach,
        operand.spread,
        operand.traits,
        operand.dimensions,
        operand.role,
        operand.data,
        operand.channel_quant,
    )


@pytest.mark.parametrize("kind", PRIMARY_TYPES, ids=lambda kind: kind.name)
def test_no_signature_changes_an_operand_of_another(kind: OperandType) -> None:
    """Each signature that is given an input of an earlier operation reads it as it is."""
    read = 0
    for signature in whole_pool(kind, 2, FeatureLevel.FL8):
        if not reads_outputs(signature, kind):
            continue
        info = type_info(kind)
        known = DraftOperand(kind, (4, 4), *((0.25, info.zero_point[0]) if info.is_quantized else (0.0, 0)), place=0)
        known.reach, known.spread, known.distinct = 2.0, 1.0, 16
        before, chooser = taken(known), SeededChooser(signature.name)
        draft = FlowDraft(chooser, SizeLimits(10, 1000, 2), signature.operation, kind, 2, signature.level)
        draft.focus = known
        signature.build(draft)
        read += known in draft.inputs
        assert taken(known) == before, signature.name
    assert read or kind == T.TENSOR_QUANT8_SYMM_PER_CHANNEL


def test_constants_alone_feed_some_operations() -> None:
    """Of a hundred graphs some have an operation all of whose operands are constants, and all have an input."""
    fed = 0
    for seed in range(100):
        main = seeded(seed).main
        assert main.input_indexes
        kinds = [{main.operands[index].lifetime for index in operation.inputs} for operation in main.operations]
        fed += {OperandLifeTime.CONSTANT_COPY} in kinds
    assert fed


def test_nothing_left_to_decide_gives_the_least() -> None:
    """Without any bytes there is one small model."""
    test = random_model(BytesChooser(b""), GraphOptions(operations=(1, 10)))
    assert len(test.main.operations) == 1
    assert max(prod(operand.dimensions) for operand in test.main.operands) <= 2**5


OPTIONS = GraphOptions(
    operations=(3, 7), dimensions=(2, 5), elements=400, ranks=(2, 4), types=(T.TENSOR_FLOAT32, T.TENSOR_QUANT8_ASYMM)
)


def test_options_are_kept() -> None:
    """Numbers of operations, inputs and elements; operations of the types and ranks and up to the level."""
    counts = Counter()
    for seed in range(60):
        test = random_model(SeededChooser(f"options/{seed}"), OPTIONS)
        counts[len(test.main.operations)] += 1
        assert len(test.main.inputs) <= OPTIONS.inputs
        assert all(prod(operand.dimensions) <= OPTIONS.elements for operand in test.main.operands)
    assert counts.keys() == set(range(3, 8))
    for level in (1, 2, 3):
        assert all(required_level(build_model(seeded(seed, level=level))) <= level for seed in range(10))
    only = (OT.ADD, OT.RELU)
    assert {operation.type for seed in range(10) for operation in seeded(seed, only=only).main.operations} == set(only)
    assert seeded(1, relaxed=1.0).is_relaxed
    assert not seeded(1).is_relaxed
    assert max(len(seeded(seed, inputs=1).main.inputs) for seed in range(10)) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"operations": (0, 5)},
        {"operations": (5, 4)},
        {"operations": (1, MOST_OPERATIONS + 1)},
        {"dimensions": (0, 5)},
        {"elements": 10},
        {"types": ()},
        {"inputs": 0},
    ],
)
def test_options_that_nothing_can_keep(wrong: dict[str, object]) -> None:
    """Are refused where they are stated."""
    with pytest.raises(ValueError, match=r"have to be|has to be"):
        GraphOptions(**wrong)  # type: ignore[arg-type]


def test_no_operation_is_left() -> None:
    """Options may exclude everything."""
    with pytest.raises(ValueError, match="no operation"):
        seeded(0, only=(OT.CONV_2D,), ranks=(1,))


def writers(test: TestModel) -> dict[int, int]:
    """Return the operation that writes each operand."""
    return {index: place for place, operation in enumerate(test.main.operations) for index in operation.outputs}


def sources(operation: TestOperation, written: dict[int, int]) -> set[int]:
    """The operations whose outputs an operation reads."""
    return {written[index] for index in operation.inputs if index in written}


def test_graphs_are_connected() -> None:
    """Nearly every operation reads an earlier one; outputs are shared, paths part and meet again, and few are left."""
    reading = shared = diamonds = outputs = 0
    seeds = range(60)
    for seed in seeds:
        test = seeded(seed)
        written, above = writers(test), []
        for place, operation in enumerate(test.main.operations):
            direct = sources(operation, written)
            assert all(source < place for source in direct)
            above.append(direct | {far for source in direct for far in above[source]})
            reading += bool(direct)
            diamonds += any(above[a] & above[b] or a in above[b] for a, b in pairwise(sorted(direct)))
        reads = Counter(
            index for operation in test.main.operations for index in set(operation.inputs) if index in written
        )
        shared += sum(count > 1 for count in reads.values())
        outputs += len(test.main.outputs) > GraphOptions().outputs
        unread = set(written) - set(reads)
        assert unread == set(test.main.output_indexes)
    assert reading >= 0.93 * (len(seeds) * 9)
    assert shared >= len(seeds)
    assert diamonds >= 5
    assert outputs <= 3


def test_all_types_and_most_operations_occur() -> None:
    """Within a few hundred graphs; types of few operations are one in a hundred graphs or fewer."""
    tests = [seeded(seed) for seed in range(200)]
    operands = {operand.type for test in tests for operand in test.main.operands}
    assert operands >= set(PRIMARY_TYPES[:6])
    assert len({operation.type for test in tests for operation in test.main.operations}) >= 75


def test_a_thousand_operations() -> None:
    """Large graphs are valid and connected, too."""
    test = seeded(0, operations=(MOST_OPERATIONS, MOST_OPERATIONS), outputs=400)
    assert len(test.main.operations) == MOST_OPERATIONS
    assert test.min_supported_version == required_level(build_model(test))
    written = writers(test)
    assert sum(bool(sources(operation, written)) for operation in test.main.operations) > 0.97 * MOST_OPERATIONS


@pytest.mark.parametrize("kind", PRIMARY_TYPES[:-1], ids=lambda kind: kind.name)
def test_outputs_carry_information(kind: OperandType) -> None:
    """They neither saturate nor collapse; ``benchmarks/random_graphs.py`` prints the figures of more graphs."""
    shares = [information(seeded(seed, types=(kind,))) for seed in range(8)]
    assert np.mean(shares) > 0.6


def test_information() -> None:
    """Outputs that saturate, stay the same or are equal everywhere carry no information."""
    fill, absolute = (seeded(0, only=(operation,), operations=(1, 1)) for operation in (OT.FILL, OT.ABS))
    assert information(fill) == 0
    assert information(absolute) == information(absolute, by_element=True) == 1


def test_boundaries() -> None:
    """On request: equal values, zeros of both signs, zero points at ends, products half-way between two codes."""
    equal = halves = ends = 0
    zeros = Counter()
    for seed in range(60):
        for operand in seeded(seed, only=(OT.GREATER,), operations=(1, 1), boundaries=1.0).main.inputs:
            assert operand.data is not None
            equal += len(np.unique(operand.data)) < operand.data.size
            if operand.type == T.TENSOR_FLOAT32:
                zeros.update(np.signbit(operand.data[operand.data == 0]).tolist())
        codes = (T.TENSOR_QUANT8_ASYMM,)
        main = seeded(seed, only=(OT.MUL,), operations=(1, 1), boundaries=1.0, types=codes, ranks=(1,)).main
        first, second, _ = (main.operands[index] for index in main.operations[0].inputs)
        assert first.data is not None
        assert second.data is not None
        ends += {0, 255}.isdisjoint((first.zero_point, second.zero_point)) is False
        factors = [(operand.data.astype(np.int64) - operand.zero_point) * operand.scale for operand in (first, second)]
        halves += bool(np.any(np.abs(np.multiply.outer(*factors) / main.outputs[0].scale % 1 - 0.5) == 0))
    assert equal > 30
    assert ends > 20
    assert halves > 20
    assert zeros.keys() == {True, False}


def test_models_depend_on_their_seed_alone() -> None:
    """Not on which models were made before, whose first operations are remembered."""
    options = GraphOptions()
    before = {seed: content_digest(seeded(seed)) for seed in range(40)}
    assert len(set(before.values())) == 40
    _beginning.cache_clear()
    assert {seed: content_digest(seeded(seed)) for seed in reversed(range(40))} == before
    assert _beginning.cache_info().misses > 20
    flow = _beginning(options, 7)
    operands, outputs = list(flow.operands), [operand.dimensions for operand in flow.operands]
    for seed in range(40):
        random_model(Recalling(seed), options)
    assert flow.operands == operands
    assert [operand.dimensions for operand in flow.operands] == outputs
    assert len(flow.operations) == options.remembered


class Recalling(SeededChooser):
    """A source whose graphs all have one beginning."""

    def __init__(self, seed: int) -> None:
        """Begin the stream of a seed."""
        super().__init__(f"recalling/{seed}")

    def beginning(self, count: int) -> int:
        """Always the same one."""
        assert count > 7
        return 7


def test_beginnings() -> None:
    """Graphs that have one in common go on differently, with other values; without any all is drawn."""
    tests = [random_model(Recalling(seed)) for seed in range(10)]
    first = tests[0].main.operations[:9]
    assert all(_same(test.main.operations[:9], first) for test in tests)
    assert len({test.main.operations[9].type for test in tests}) > 2
    assert len({content_digest(test) for test in tests}) == 10
    alone = [random_model(Recalling(seed), GraphOptions(remembered=0)) for seed in range(10)]
    assert len({test.main.operations[0].type for test in alone}) > 3


def _same(first: Sequence[TestOperation], second: Sequence[TestOperation]) -> bool:
    pairs = zip(first, second, strict=True)
    return all((a.type, a.inputs, a.outputs) == (b.type, b.inputs, b.outputs) for a, b in pairs)


def test_lifetimes() -> None:
    """Half of the tensors that nothing computes are constants, unless another share is wanted."""
    shares = []
    for wanted in (0.5, 1.0):
        kinds = Counter(
            operand.lifetime
            for seed in SEEDS
            for operand in seeded(seed, constants=wanted, inputs=100).main.operands
            if operand.type == T.TENSOR_FLOAT32
        )
        inputs, constants = kinds[OperandLifeTime.SUBGRAPH_INPUT], kinds[OperandLifeTime.CONSTANT_COPY]
        shares.append(constants / (inputs + constants))
    assert shares[0] < 0.6
    assert shares[1] > 0.7


@pytest.mark.parametrize("seed", [368, 3708])
def test_scales_of_products_stay_finite(seed: int) -> None:
    """Each product of codes has a larger scale than its factors together: long chains of them need an end."""
    only = (OperationType.ADD, OperationType.DEQUANTIZE, OperationType.MUL, OperationType.SUB)
    options = GraphOptions(operations=(5, 40), types=(OperandType.TENSOR_QUANT8_ASYMM,), only=only)
    test = random_model(
        SeededChooser(f"RandomModels/operations=5-40,types=quant8_asymm,only=1000040041/{seed}"), options
    )
    assert max(operand.scale for operand in test.main.operands) > 2.0**50
    assert required_level(build_model(test))
