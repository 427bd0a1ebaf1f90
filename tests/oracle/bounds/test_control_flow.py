"""IF and WHILE: the bounds of what their subgraphs compute."""

import numpy as np
import pytest

from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.hal_model import build_model
from nnvet.graphs.model import TestModel, TestSubgraph
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.execution import estimate
from nnvet.oracle.bounds.precision import Estimate


def on_two(operation: O) -> TestSubgraph:
    """A subgraph of one operation on two numbers, without activation."""
    graph = GraphBuilder()
    x, y = (graph.input(T.TENSOR_FLOAT32, (1,), [0]) for _ in range(2))
    graph.operation(operation, (x, y, graph.scalar(T.INT32, 0)), graph.output(T.TENSOR_FLOAT32, (1,), None))
    return graph.finish_subgraph()


SUM, PRODUCT = on_two(O.ADD), on_two(O.MUL)


def branch(x: float, limit: float) -> Estimate:
    """The estimate of ``x + 0.1 < limit ? x + limit : x * limit``."""
    graph = GraphBuilder()
    given = graph.input(T.TENSOR_FLOAT32, (1,), [x])
    bound = graph.constant(T.TENSOR_FLOAT32, (1,), [limit])
    total, truth = graph.temporary(T.TENSOR_FLOAT32, (1,)), graph.temporary(T.TENSOR_BOOL8, (1,))
    tenth = graph.constant(T.TENSOR_FLOAT32, (1,), [0.1])
    graph.operation(O.ADD, (given, tenth, graph.scalar(T.INT32, 0)), total)
    graph.operation(O.LESS, (total, bound), truth)
    result = graph.output(T.TENSOR_FLOAT32, (1,), None)
    graph.operation(O.IF, (truth, graph.subgraph(0), graph.subgraph(1), given, bound), result)
    model = build_model(TestModel("branch", graph.finish_subgraph(), (SUM, PRODUCT)))
    return estimate(model, [np.array([x], np.float32)])[0]


@pytest.mark.parametrize(("x", "expected"), [(0.5, 3.5), (5.0, 15.0)])
def test_a_certain_condition_chooses_one_subgraph(x: float, expected: float) -> None:
    """The bound is that of its result."""
    found = branch(x, 3.0)
    assert found.decided is None
    assert compare_estimate(np.array([expected], np.float32), found) is None
    assert compare_estimate(np.array([expected * (1 + 2**-22)], np.float32), found) is not None


def test_an_uncertain_condition_leaves_everything_open() -> None:
    """0.5 + 0.1 may be stored on either side of 0.6."""
    assert branch(0.5, 0.6).undecided_share == 1.0


def test_a_loop_adds_up_its_errors() -> None:
    """Adding 0.1 until 1 takes nine rounds from 0.125 on, each of them rounded; a tenth would be one too many."""
    graph = GraphBuilder()
    given = graph.input(T.TENSOR_FLOAT32, (1,), [0.125])
    step = graph.constant(T.TENSOR_FLOAT32, (1,), [0.1])
    result = graph.output(T.TENSOR_FLOAT32, (1,), None)
    graph.operation(O.WHILE, (graph.subgraph(0), graph.subgraph(1), given, step), result)
    condition = GraphBuilder()
    x, _ = (condition.input(T.TENSOR_FLOAT32, (1,), [0]) for _ in range(2))
    end = condition.constant(T.TENSOR_FLOAT32, (1,), [1])
    condition.operation(O.LESS, (x, end), condition.output(T.TENSOR_BOOL8, (1,), None))
    model = build_model(TestModel("loop", graph.finish_subgraph(), (condition.finish_subgraph(), SUM)))
    (found,) = estimate(model, [np.array([0.125], np.float32)])
    stored = np.float32(0.125)
    for _ in range(9):
        stored = np.float32(stored + np.float32(0.1))
    assert found.decided is None
    assert abs(float(found.value[0]) - (0.125 + 9 * float(np.float32(0.1)))) < 1e-15
    assert 4 * 2.0**-25 < float(found.error[0]) < 9 * 2.0**-24
    assert compare_estimate(np.array([stored], np.float32), found) is None
    assert compare_estimate(np.array([stored + np.float32(0.1)], np.float32), found) is not None
