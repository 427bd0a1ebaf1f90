"""Strategies for property-based tests: what they draw is valid, and shrinks to the smallest model that fails."""

from math import prod
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

from nnvet.generators.random_graphs.golden import compute_outputs
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.strategies import HypothesisChooser, models, operand_values, requests
from nnvet.graphs.hal_model import build_model
from nnvet.graphs.model import TestModel, TestOperand, element_type
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.validation import required_level

FEW = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
WANTED = (OperationType.ABS, OperationType.NEG, OperationType.SIN)
SMALL = GraphOptions(
    operations=(1, 4),
    dimensions=(1, 4),
    ranks=(1, 2),
    types=(OperandType.TENSOR_FLOAT32,),
    only=(*WANTED, OperationType.RESHAPE),
)


@FEW
@given(models())
def test_models_are_valid(test: TestModel) -> None:
    """At the level that they name."""
    assert test.min_supported_version is not None
    assert required_level(build_model(test)) <= test.min_supported_version
    assert 1 <= len(test.main.operations) <= 10


def test_failing_models_shrink() -> None:
    """A driver that fails where two operations are one after the other: two of them are left, with small tensors."""

    def is_wrong(test: TestModel) -> bool:
        written = {index: operation for operation in test.main.operations for index in operation.outputs}
        return any(
            operation.type in WANTED and written[index].type in WANTED
            for operation in test.main.operations
            for index in operation.inputs
            if index in written
        )

    always = Random(1)
    found = find(models(SMALL), is_wrong, settings=settings(max_examples=200, database=None), random=always)
    assert len(found.main.operations) == 2
    assert all(prod(operand.dimensions) <= 4 for operand in found.main.operands)
    (source,) = found.main.inputs
    assert source.data is not None
    assert len(set(source.data.tolist())) == 1


@FEW
@given(st.data())
def test_requests_stay_valid(data: st.DataObject) -> None:
    """Other values have the signs of the model's own, and the oracle computes them."""
    test = data.draw(models())
    other = data.draw(requests(test))
    assert build_model(other).main == build_model(test).main
    for mine, theirs in zip(test.main.inputs, other.main.inputs, strict=True):
        assert mine.data is not None
        assert theirs.data is not None
        assert theirs.data.dtype == mine.data.dtype
        if mine.type not in (OperandType.TENSOR_BOOL8, OperandType.BOOL):
            signs = [
                np.sort(np.sign(operand.data.astype(np.float64) - operand.zero_point)) for operand in (mine, theirs)
            ]
            assert np.array_equal(*signs)
    with np.errstate(all="ignore"):
        compute_outputs(other)


KINDS = (
    (OperandType.TENSOR_FLOAT32, 0.0, 0),
    (OperandType.TENSOR_FLOAT16, 0.0, 0),
    (OperandType.TENSOR_INT32, 0.0, 0),
    (OperandType.TENSOR_BOOL8, 0.0, 0),
    (OperandType.TENSOR_QUANT8_ASYMM, 0.5, 100),
    (OperandType.TENSOR_QUANT16_SYMM, 0.5, 0),
    (OperandType.FLOAT32, 0.0, 0),
)


@pytest.mark.parametrize(("kind", "scale", "zero_point"), KINDS)
def test_values_of_operands(kind: OperandType, scale: float, zero_point: int) -> None:
    """As many as the operand has, finite, of its element type; the simplest are ones."""
    dimensions = (3, 4) if kind.name.startswith("TENSOR") else ()
    operand = TestOperand(kind, dimensions, scale, zero_point)

    @FEW
    @given(operand_values(operand))
    def check(values: np.ndarray) -> None:
        assert values.shape == (12 if dimensions else 1,)
        assert values.dtype == element_type(kind)
        assert np.isfinite(values).all()
        if kind == OperandType.TENSOR_BOOL8:
            assert set(values.tolist()) <= {0, 1}

    check()
    simplest = find(operand_values(operand), lambda _: True, settings=settings(database=None, max_examples=5))
    one = zero_point + round(1 / scale) if scale else 1
    assert simplest.tolist() == [one] * simplest.size


@FEW
@given(st.data())
def test_decisions_are_within_bounds(data: st.DataObject) -> None:
    """Of every kind."""
    chooser = HypothesisChooser(data.draw)
    assert 3 <= chooser.integer(3, 9) <= 9
    assert 1 < chooser.real(1, 3) <= 3
    assert chooser.pick("abc") in "abc"
    assert len(chooser.raw(7)) == 7
    assert chooser.boolean(1.0)
    assert not chooser.boolean(0.0)
    assert chooser.together(lambda: 5) == 5
