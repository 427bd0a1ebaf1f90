"""Mutations of models: they change something, keep to the size, and reach the extreme values that drivers forget."""

import random

import pytest

from nnvet.fuzz.extremes import INT32_MAX, INT32_MIN
from nnvet.fuzz.model.form import (
    FuzzedModel,
    NotApplicableError,
    decode_model,
    element,
    encode_model,
    hal_model,
    model_of_test,
)
from nnvet.fuzz.model.growing import join_models, lengthen
from nnvet.fuzz.model.mutating import STEPS, Step, cross_models, mutate_model
from nnvet.fuzz.steps import raw_crossover, raw_mutation
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.graphs.builder import counting_loop, sum_of_two
from nnvet.hal.types import OperandType
from nnvet.hal.validation import validate_model

SUM = model_of_test(sum_of_two("sum", [[1.0, 2.0]], [[3.0, 4.0]], [[4.0, 6.0]]))
LOOP = model_of_test(counting_loop(3))
GRAPH = model_of_test(random_model(SeededChooser("fuzz/mutating"), GraphOptions(operations=(4, 4))))
SOURCE = random.Random
"""Chance, no secret."""
MODELS = (SUM, LOOP, GRAPH)


@pytest.mark.parametrize("step", [step for _, step in STEPS], ids=lambda step: step.__name__)
def test_every_step_changes_a_model(step: Step) -> None:
    """Each of them applies to some model, and what it makes can be an input."""
    found = []
    for seed in range(60):
        try:
            found.append(step(SOURCE(seed), MODELS[seed % 3]))
        except NotApplicableError:
            continue
    assert any(model not in MODELS for model in found)
    for model in found:
        assert decode_model(encode_model(model)) is not None


def test_mutations_keep_to_the_size_and_depend_on_the_seed_alone() -> None:
    """Equal seeds give equal inputs, no longer than allowed."""
    data = encode_model(GRAPH)
    for seed in range(200):
        new = mutate_model(data, len(data) + 50, seed)
        assert new == mutate_model(data, len(data) + 50, seed)
        assert new is None or len(new) <= len(data) + 50


def test_scalar_parameters_become_extreme() -> None:
    """The activation of a sum, a constant, takes the ends of its range, and 0 and -1."""
    values = set()
    for seed in range(3000):
        model = decode_model(mutate_model(encode_model(SUM), 4096, seed) or b"")
        if model is not None and len(model.operand_values) == 4:
            values.add(int.from_bytes(model.operand_values, "little", signed=True))
    assert {0, -1, INT32_MAX, INT32_MIN} <= values


def test_a_chain_of_operations_stays_valid() -> None:
    """Repeating an operation on its own output makes a longer valid model."""
    lengths = set()
    for seed in range(20):
        model = lengthen(SOURCE(seed), SUM)
        with hal_model(model) as built:
            validate_model(built)
        lengths.add(len(model.main.operations))
    assert {2, 65} <= lengths


@pytest.mark.parametrize(("one", "other"), [(SUM, GRAPH), (LOOP, LOOP), (GRAPH, LOOP)])
def test_two_valid_models_side_by_side_are_valid(one: FuzzedModel, other: FuzzedModel) -> None:
    """Operands, values, subgraphs and pools of both are kept apart."""
    model = join_models(SOURCE(0), one, other)
    with hal_model(model) as built:
        validate_model(built)
    assert len(model.main.operations) == len(one.main.operations) + len(other.main.operations)


def test_crossing_makes_something_of_both() -> None:
    """Some children are neither parent."""
    one, other = encode_model(SUM), encode_model(GRAPH)
    children = {cross_models(one, other, 1 << 16, seed) for seed in range(50)} - {None, one, other}
    assert len(children) > 5


def test_bytes_keep_to_the_size() -> None:
    """Changes and joints of plain bytes, empty ones among them."""
    for seed in range(300):
        for data in (b"", b"a", bytes(range(64))):
            assert len(raw_mutation(data, 70, seed)) <= 70
            assert len(raw_crossover(data, data, 70, seed)) <= 70


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (OperandType.INT32, -1, b"\xff\xff\xff\xff"),
        (OperandType.TENSOR_QUANT8_ASYMM, 256, b"\0"),
        (OperandType.FLOAT16, 1.0, b"\x00\x3c"),
    ],
)
def test_numbers_become_elements(kind: OperandType, value: float, expected: bytes) -> None:
    """Little endian, cut to the range of the type."""
    assert element(kind, value) == expected
