"""Jumps of an outcome: nothing is demanded that is right either way, and nothing more is given away."""

from typing import Any

import numpy as np
import pytest

from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.hal_model import build_model
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.execution import estimate
from nnvet.oracle.bounds.precision import Estimate

ROUGH = np.array([[1.0, 3.0, 1.0, -2.0], [0.5, 0.25, 0.25, 7.0]], np.float32)
"""Each row has two equal elements, which a sum may set apart."""


def after_sum(operation: O, further: list[Any], *outputs: tuple[T, tuple[int, ...]]) -> list[Estimate]:
    """Estimates of an operation on ROUGH + 1e-9, a sum that is inexact, and further inputs: arrays or scalars."""
    graph = GraphBuilder()
    x = graph.input(T.TENSOR_FLOAT32, ROUGH.shape, ROUGH)
    y = graph.constant(T.TENSOR_FLOAT32, (1,), [1e-9])
    total = graph.temporary(T.TENSOR_FLOAT32, ROUGH.shape)
    graph.operation(O.ADD, (x, y, graph.scalar(T.INT32, 0)), total)
    inputs = [
        graph.scalar(T.INT32, argument)
        if isinstance(argument, int)
        else graph.constant(
            T.TENSOR_FLOAT32 if argument.dtype == np.float32 else T.TENSOR_INT32, argument.shape, argument
        )
        for argument in further
    ]
    found = [graph.output(kind, dimensions, None) for kind, dimensions in outputs]
    graph.operation(operation, (total, *inputs), *found)
    return estimate(build_model(TestModel("after a sum", graph.finish_subgraph())), [ROUGH])


@pytest.mark.parametrize("operation", [O.EQUAL, O.NOT_EQUAL, O.LESS, O.LESS_EQUAL, O.GREATER, O.GREATER_EQUAL])
def test_comparisons_are_open_where_the_intervals_meet(operation: O) -> None:
    """Only the number next to the other side is not decided; the others are as they are."""
    other = np.full((2, 4), 0.25, np.float32)
    (found,) = after_sum(operation, [other], (T.TENSOR_BOOL8, (2, 4)))
    assert found.decided is not None
    assert np.argwhere(~found.decided).tolist() == [[1, 1], [1, 2]]
    of = {O.EQUAL: np.equal, O.NOT_EQUAL: np.not_equal, O.LESS: np.less, O.LESS_EQUAL: np.less_equal}
    truth = {**of, O.GREATER: np.greater, O.GREATER_EQUAL: np.greater_equal}[operation](ROUGH, other)
    either = truth.copy()
    either[1, 1:3] = ~either[1, 1:3]
    assert compare_estimate(truth.astype(np.uint8), found) is None
    assert compare_estimate(either.astype(np.uint8), found) is None
    either[0, 3] = not either[0, 3]
    assert compare_estimate(either.astype(np.uint8), found) is not None


def test_a_comparison_is_open_where_an_interval_ends_at_the_other_side() -> None:
    """PRELU of these codes is 22.44, so that 22 and 23 are right; the latter is exactly what it is compared with."""
    graph, step = GraphBuilder(), 2.0**-14
    x = graph.input(T.TENSOR_QUANT8_ASYMM_SIGNED, (1,), [77], 141 * step, -30)
    alpha = graph.constant(T.TENSOR_QUANT8_ASYMM_SIGNED, (1,), [81], 186 * step, 22)
    sloped = graph.temporary(T.TENSOR_QUANT8_ASYMM_SIGNED, (1,), 318 * step, -25)
    graph.operation(O.PRELU, (x, alpha), sloped)
    other = graph.constant(T.TENSOR_QUANT8_ASYMM_SIGNED, (1,), [85], 144 * step, -21)
    graph.operation(O.LESS_EQUAL, (other, sloped), graph.output(T.TENSOR_BOOL8, (1,), None))
    (found,) = estimate(build_model(TestModel("ends", graph.finish_subgraph())), [np.array([77], np.int8)])
    assert [compare_estimate(np.array([truth], np.uint8), found) for truth in (0, 1)] == [None, None]


ENDS = (-np.inf, np.inf, np.nan)


@pytest.mark.parametrize(
    ("base", "exponent", "added", "right"),
    [
        (-2.0, 16777215.0, 0.0, ENDS[:1]),
        (-2.0, 16777213.0, 2.0, ENDS),
        (-0.0, -1.0, 0.0, ENDS),
        (0.0, -1.0, 0.0, ENDS[1:2]),
    ],
    ids=["odd", "odd or even", "negative zero", "zero"],
)
def test_signs_of_infinite_powers(base: float, exponent: float, added: float, right: tuple[float, ...]) -> None:
    """A zero may have either sign, and a sum of 16777215 may be 16777216, which is even; all else is decided."""
    graph = GraphBuilder()
    x = graph.input(T.TENSOR_FLOAT32, (1,), [base])
    y = graph.constant(T.TENSOR_FLOAT32, (1,), [exponent])
    if added:
        total, more = graph.temporary(T.TENSOR_FLOAT32, (1,)), graph.constant(T.TENSOR_FLOAT32, (1,), [added])
        graph.operation(O.ADD, (y, more, graph.scalar(T.INT32, 0)), total)
        y = total
    graph.operation(O.POW, (x, y), graph.output(T.TENSOR_FLOAT32, (1,), None))
    (found,) = estimate(build_model(TestModel("power", graph.finish_subgraph())), [np.array([base], np.float32)])
    accepted = [answer for answer in ENDS if compare_estimate(np.array([answer], np.float32), found) is None]
    np.testing.assert_array_equal(accepted, right)


def test_indices_of_extremes_are_open_where_another_is_as_near() -> None:
    """The largest of either row is certain, the smallest of the second is not."""
    (largest,) = after_sum(O.ARGMAX, [1], (T.TENSOR_INT32, (2,)))
    (smallest,) = after_sum(O.ARGMIN, [1], (T.TENSOR_INT32, (2,)))
    assert (largest.value.tolist(), largest.decided) == ([1, 3], None)
    assert smallest.decided is not None
    assert (smallest.value[0], smallest.decided.tolist()) == (3, [True, False])


def test_the_largest_are_bounded_and_their_positions_open() -> None:
    """Values keep their errors, positions of two that may be exchanged are not compared; nor those of equal ones."""
    values, positions = after_sum(O.TOPK_V2, [3], (T.TENSOR_FLOAT32, (2, 3)), (T.TENSOR_INT32, (2, 3)))
    np.testing.assert_allclose(values.value, [[3, 1, 1], [7, 0.5, 0.25]], rtol=1e-8)
    assert (values.error < 1e-6).all()
    assert positions.decided is not None
    assert positions.decided.tolist() == [[True, False, False], [True, True, False]]


def test_floor_may_be_off_by_one_at_whole_numbers_alone() -> None:
    """The sum may be stored as the whole number above or below which it lies."""
    (found,) = after_sum(O.FLOOR, [], (T.TENSOR_FLOAT32, (2, 4)))
    assert found.error.tolist() == [[1, 1, 1, 1], [0, 0, 0, 1]]
    assert compare_estimate(np.array([[0, 2, 1, -3], [0, 0, 0, 7]], np.float32), found) is None
    assert compare_estimate(np.array([[0, 2, 1, -3], [0, 0, 1, 7]], np.float32), found) is not None


def conditional(operation: O, truth: np.ndarray, rough: bool) -> Estimate:
    """SELECT or LOGICAL_OR whose condition is whether [0.25, 9] + 1e-9 is greater than 0.25."""
    graph = GraphBuilder()
    given = np.array([0.25, 9], np.float32)
    x = graph.input(T.TENSOR_FLOAT32, (2,), given)
    y = graph.constant(T.TENSOR_FLOAT32, (1,), [1e-9 if rough else 0.0])
    total, condition = graph.temporary(T.TENSOR_FLOAT32, (2,)), graph.temporary(T.TENSOR_BOOL8, (2,))
    graph.operation(O.ADD, (x, y, graph.scalar(T.INT32, 0)), total)
    graph.operation(O.GREATER, (total, graph.constant(T.TENSOR_FLOAT32, (1,), [0.25])), condition)
    if operation == O.SELECT:
        sides = [graph.constant(T.TENSOR_FLOAT32, (2,), [value] * 2) for value in (5.0, 6.0)]
        graph.operation(O.SELECT, (condition, *sides), graph.output(T.TENSOR_FLOAT32, (2,), None))
    else:
        side = graph.constant(T.TENSOR_BOOL8, (2,), truth)
        graph.operation(O.LOGICAL_OR, (condition, side), graph.output(T.TENSOR_BOOL8, (2,), None))
    (found,) = estimate(build_model(TestModel("condition", graph.finish_subgraph())), [given])
    return found


def test_a_selection_that_is_not_decided_is_one_of_both_sides() -> None:
    """Either side is right, what lies beyond is not; a certain condition chooses one."""
    found = conditional(O.SELECT, np.zeros(2), rough=True)
    for value in (5.0, 6.0):
        assert compare_estimate(np.array([value, 5], np.float32), found) is None
    assert compare_estimate(np.array([7.5, 5], np.float32), found) is not None
    assert compare_estimate(np.array([5, 6], np.float32), found) is not None


def test_truth_that_does_not_count_decides_nothing_away() -> None:
    """A logical OR with true is true, whatever the other side is."""
    assert conditional(O.LOGICAL_OR, np.array([1, 0]), rough=True).decided is None
    beside = conditional(O.LOGICAL_OR, np.array([0, 0]), rough=True).decided
    assert beside is not None
    assert beside.tolist() == [False, True]


def test_what_an_open_index_chooses_is_open() -> None:
    """GATHER at the smallest of either row of a sum: certain in the first, any of two in the second."""
    graph = GraphBuilder()
    x = graph.input(T.TENSOR_FLOAT32, ROUGH.shape, ROUGH)
    y = graph.constant(T.TENSOR_FLOAT32, (1,), [1e-9])
    total, place = graph.temporary(T.TENSOR_FLOAT32, ROUGH.shape), graph.temporary(T.TENSOR_INT32, (2,))
    graph.operation(O.ADD, (x, y, graph.scalar(T.INT32, 0)), total)
    graph.operation(O.ARGMIN, (total, graph.scalar(T.INT32, 1)), place)
    table = graph.constant(T.TENSOR_FLOAT32, (4, 2), [[1, 2], [3, 4], [5, 6], [7, 8]])
    graph.operation(O.GATHER, (table, graph.scalar(T.INT32, 0), place), graph.output(T.TENSOR_FLOAT32, (2, 2), None))
    (found,) = estimate(build_model(TestModel("gathered", graph.finish_subgraph())), [ROUGH])
    assert found.decided is not None
    assert found.decided.tolist() == [[True, True], [False, False]]
    assert found.value[0].tolist() == [7, 8]
    assert found.undecided_share == 0.5


@pytest.mark.parametrize("is_rough", [False, True], ids=["exact", "computed"])
def test_hashes_of_what_is_not_exact_are_open(is_rough: bool) -> None:
    """LSH_PROJECTION reads every bit."""
    graph = GraphBuilder()
    given = np.array([[1.5], [2.5]], np.float32)
    x = graph.input(T.TENSOR_FLOAT32, (2, 1), given)
    if is_rough:
        total = graph.temporary(T.TENSOR_FLOAT32, (2, 1))
        graph.operation(O.ADD, (x, graph.constant(T.TENSOR_FLOAT32, (1,), [0.1]), graph.scalar(T.INT32, 0)), total)
        x = total
    seeds = graph.constant(T.TENSOR_FLOAT32, (1, 4), [0.1, 0.2, 0.3, 0.4])
    weights = graph.constant(T.TENSOR_FLOAT32, (2,), [1, 2])
    result = graph.output(T.TENSOR_INT32, (4,), None)
    graph.operation(O.LSH_PROJECTION, (seeds, x, weights, graph.scalar(T.INT32, 2)), result)
    (found,) = estimate(build_model(TestModel("hashed", graph.finish_subgraph())), [given])
    assert found.undecided_share == (1.0 if is_rough else 0.0)
    assert set(found.value.tolist()) <= {0, 1}
