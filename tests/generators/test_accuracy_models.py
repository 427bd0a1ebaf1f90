"""Models of the suite Accuracy: shapes are those that the oracle finds, and every one of them is decided."""

import numpy as np
import pytest

from nnvet.generators.accuracy.dot_products import KINDS
from nnvet.generators.accuracy.shaped_sums import SEEDS, SHAPES, shaped_sum
from nnvet.generators.accuracy.values import FORMULAS, formula_test
from nnvet.generators.random_graphs.golden import estimates
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.hal.validation.model import required_level


def check_test(test: TestModel) -> None:
    """The declared result has the dimensions that the oracle finds; nearly all of it is compared.

    In float16 squares of large numbers overflow, and those of small ones vanish.
    """
    (found,) = estimates(test)
    assert found.value.shape == test.main.outputs[0].dimensions
    if test.main.outputs[0].type == OperandType.TENSOR_FLOAT32 and not test.is_relaxed:
        assert found.undecided_share < 0.05
        assert np.isfinite(found.value).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SHAPES)
def test_shaped_sums(name: str, kind: str) -> None:
    """By seed, at a level that has them."""
    tests = [shaped_sum(name, KINDS[kind], seed) for seed in range(SEEDS)]
    for test in tests[:2]:
        check_test(test)
    first = [test.main.inputs[0].data for test in tests]
    assert len({values.tobytes() for values in first if values is not None}) == SEEDS
    assert_level(tests[0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FORMULAS)
def test_formulas(name: str, kind: str) -> None:
    """On each set of numbers."""
    for values in FORMULAS[name].sets:
        check_test(formula_test(name, KINDS[kind], values))
    assert_level(formula_test(name, KINDS[kind], "even"))


def assert_level(test: TestModel) -> None:
    """The level of a test is that of its model."""
    model = build_model(test)
    try:
        assert required_level(model) <= test.min_supported_version
    finally:
        close_pools(model)


def test_what_the_shapes_reach() -> None:
    """Sums of more than 1,000 products, single columns, paddings beyond SAME, all kinds of convolution."""
    operations = {shape.operation for shape in SHAPES.values()}
    assert operations >= {O.CONV_2D, O.DEPTHWISE_CONV_2D, O.GROUPED_CONV_2D, O.TRANSPOSE_CONV_2D, O.BATCH_MATMUL}
    lengths = [shape.image[-1] for shape in SHAPES.values() if shape.operation is O.FULLY_CONNECTED]
    assert max(lengths) >= 4096
    outputs = [shaped_sum(name, KINDS["float32"], 0).main.outputs[0].dimensions for name in SHAPES]
    assert any(len(output) == 4 and output[2] == 1 < output[1] for output in outputs)
