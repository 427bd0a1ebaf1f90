"""Whole graphs: whoever computes honestly is within the bounds, composed operation by operation."""

from functools import cache

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.generators.random_graphs.catalogue import pool
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.generate import random_graph
from nnvet.generators.random_graphs.golden import estimates
from nnvet.generators.random_graphs.named import SingleTest, single_tests
from nnvet.generators.random_graphs.shapes import NARROW, SizeLimits
from nnvet.generators.random_graphs.signature import LAST_LEVEL
from nnvet.graphs.model import Array, TestModel
from nnvet.hal.enums import OperandType, OperationType
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.execution import RULES
from nnvet.oracle.bounds.precision import Estimate
from nnvet.oracle.execution import by_meaning
from tests.on_kernels import both
from tests.oracle.bounds.honest import DRIVERS, executed, in_float16

T = OperandType
KINDS = (T.TENSOR_FLOAT32, T.TENSOR_FLOAT16, T.TENSOR_INT32, T.TENSOR_BOOL8, T.TENSOR_QUANT8_ASYMM)
SEEDS = 6
SMALL = SizeLimits(16, 2000)


@cache
def graph(kind: OperandType, rank: int, seed: int, operations: int = 12) -> TestModel:
    """A random graph."""
    signatures = pool(kind, rank, LAST_LEVEL)
    name = f"{kind.name}/{rank}/{seed}"
    return random_graph(SeededChooser(name), name, signatures, kind, rank, operations, NARROW)


def assert_right(test: TestModel, results: list[Array], bounds: list[Estimate]) -> None:
    """No output is blamed."""
    for position, (result, bound) in enumerate(zip(results, bounds, strict=True)):
        assert result.shape == bound.value.shape
        assert (bound.error >= 0).all()
        assert compare_estimate(result, bound) is None, (test.name, position)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("name", DRIVERS)
def test_no_honest_driver_is_blamed(kind: OperandType, name: str) -> None:
    """Graphs of one type, of all ranks, by drivers with other arithmetics."""
    for seed in range(SEEDS):
        test = graph(kind, 1 + seed % 4, seed)
        assert_right(test, executed(test, DRIVERS[name]), estimates(test))


def test_relaxed_graphs_may_be_stored_in_float16() -> None:
    """Storage in float16 is right where the model is relaxed, as is all that is right without; else it is found."""
    found = 0
    for seed in range(SEEDS):
        test = graph(T.TENSOR_FLOAT32, 1 + seed % 4, seed)
        relaxed = replace(test, is_relaxed=True)
        coarse = executed(test, in_float16)
        assert_right(relaxed, coarse, estimates(relaxed))
        assert_right(relaxed, executed(test, by_meaning), estimates(relaxed))
        found += any(map(compare_estimate, coarse, estimates(test)))
    assert found >= SEEDS / 2


@pytest.mark.parametrize("single", single_tests(), ids=lambda single: single.operation)
def test_kernels_and_oracle_are_within_the_bounds_of_single_operations(single: SingleTest) -> None:
    """Two models of each operation."""
    for seed in range(2):
        test = single.make(seed, SMALL)
        if all(OperationType(operation.type) in RULES for operation in test.main.operations):
            for results in both(test):
                assert_right(test, results, estimates(test))


def test_most_elements_of_graphs_are_decided() -> None:
    """The share of elements that are not compared stays small."""
    shares = [
        estimate.undecided_share
        for kind in KINDS
        for seed in range(SEEDS)
        for estimate in estimates(graph(kind, 1 + seed % 4, seed))
    ]
    assert float(np.mean(shares)) < 0.15
