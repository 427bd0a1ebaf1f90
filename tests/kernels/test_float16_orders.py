"""Order of roundings in TENSOR_FLOAT16: the corpus has only values with which no order shows."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.generators.specs import load_spec
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType
from nnvet.oracle import compare, tolerance_for


def cases(name: str) -> Iterator[TestModel]:
    """Every float16 test of a spec file that has one operation."""
    for case in load_spec(BUNDLED_SPECS / "V1_2" / f"{name}.mod.py"):
        test = case.build()
        if len(test.main.operations) == 1 and test.main.outputs[0].type == OperandType.TENSOR_FLOAT16:
            yield test


def instance_normalization(x: Any, gamma: float, beta: float, epsilon: float, nchw: bool) -> Any:
    """In double, as documented."""
    axes = (2, 3) if nchw else (1, 2)
    mean, variance = x.mean(axis=axes, keepdims=True), x.var(axis=axes, keepdims=True)
    return (x - mean) * gamma / np.sqrt(variance + epsilon) + beta


def log_softmax(x: Any, beta: float, axis: int) -> Any:
    """In double, as documented."""
    scaled = x * beta
    return scaled - np.log(np.exp(scaled).sum(axis=axis, keepdims=True))


@pytest.mark.parametrize(
    ("name", "function"),
    [("instance_normalization_float", instance_normalization), ("log_softmax_float", log_softmax)],
)
def test_one_rounding_at_the_end_passes(name: str, function: Callable[..., Any]) -> None:
    """A driver that computes in double and rounds once is within the tolerance of every case."""
    found = 0
    for test in cases(name):
        first, *scalars = (test.main.operands[index] for index in test.main.operations[0].inputs)
        values = [operand.data[0] for operand in scalars if operand.data is not None]
        assert first.data is not None
        (output,) = test.main.outputs
        assert output.data is not None
        exact = function(first.data.reshape(first.dimensions).astype(np.float64), *map(float, values[:-1]), values[-1])
        tolerance = tolerance_for(OperandType.TENSOR_FLOAT16, relaxed=True)
        assert tolerance is not None
        rounded = exact.astype(np.float16)
        assert compare(rounded, output.data.reshape(output.dimensions), tolerance) is None
        found += 1
    assert found
