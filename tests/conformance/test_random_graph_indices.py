"""Indices of computed values: nearly equal values leave the index open, others do not; arrays by hand."""

from functools import partial

import numpy as np
import pytest

from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.conformance.suites.random_graphs.checks import _compare
from nnvet.generators.random_graphs.golden import with_golden_results
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.random_graphs import SMALL_GRAPH, CriteriaLimits, compare_indices, near_extreme

compared = partial(_compare, SMALL_GRAPH)
NEARLY = [[5.0, 1.0, 5.001, 2.0]]
CLEARLY = [[5.0, 1.0, 3.0, 2.0]]


def graph(values: list[list[float]], operation: O = O.ARGMAX) -> TestModel:
    """``RELU(x)``, the index of its extreme along the last axis, and that index as a float."""
    build, shape = GraphBuilder(), (1, 4)
    middle = build.temporary(T.TENSOR_FLOAT32, shape)
    build.operation(O.RELU, (build.input(T.TENSOR_FLOAT32, shape, values),), middle)
    index = build.output(T.TENSOR_INT32, (1,), [0])
    build.operation(operation, (middle, build.scalar(T.INT32, 1)), index)
    build.operation(O.CAST, (index,), build.output(T.TENSOR_FLOAT32, (1,), [0.0]))
    return with_golden_results(build.finish("indices"))


def answer(index: int) -> list[np.ndarray]:
    """Return the answer of a driver that found the extreme at ``index``."""
    return [np.array([index], np.int32), np.array([index], np.float32)]


def test_either_of_nearly_equal_values_is_right() -> None:
    """5 and 5.001 lie within the tolerance of a small graph; what is computed from the index follows the driver."""
    compared(graph(NEARLY), answer(0))
    compared(graph(NEARLY), answer(2))


@pytest.mark.parametrize("index", [1, 3, 4, -1])
def test_any_other_index_is_wrong(index: int) -> None:
    """Beside the extreme, and outside of the axis, is not "off by one"."""
    for values in (NEARLY, CLEARLY):
        with pytest.raises(CaseFailed):
            compared(graph(values), answer(index))


def test_what_follows_from_a_decided_index_is_compared() -> None:
    """One value is clearly the largest: its index as a float is wrong by two."""
    compared(graph(CLEARLY), answer(0))
    with pytest.raises(CaseFailed):
        compared(graph(CLEARLY), [answer(0)[0], answer(2)[1]])


def test_the_smallest() -> None:
    """ARGMIN looks at the other end."""
    compared(graph([[5.0, 1.0, 1.001, 2.0]], O.ARGMIN), answer(2))
    with pytest.raises(CaseFailed):
        compared(graph([[5.0, 1.0, 1.001, 2.0]], O.ARGMIN), answer(0))


@pytest.mark.parametrize(("second", "is_right"), [(7, True), (6, False)])
def test_whole_numbers_are_exact(second: int, is_right: bool) -> None:
    """The contract says nothing of ties, so either of two equal sums may be named; of 7 and 6 only the larger."""
    build, kind = GraphBuilder(), T.TENSOR_INT32
    terms = (build.input(kind, (1, 2), [3, second]), build.input(kind, (1, 2), [4, 0]))
    middle = build.temporary(kind, (1, 2))
    build.operation(O.ADD, (*terms, build.scalar(T.INT32, 0)), middle)
    build.operation(O.ARGMAX, (middle, build.scalar(T.INT32, 1)), build.output(kind, (1,), [0]))
    golden = with_golden_results(build.finish("sums"))
    compared(golden, [np.int32([0])])
    if is_right:
        compared(golden, [np.int32([1])])
    else:
        with pytest.raises(CaseFailed):
            compared(golden, [np.int32([1])])


def test_near_extremes() -> None:
    """Twice the tolerance decides, along the axis; an infinite extreme leaves everything open."""
    limits = CriteriaLimits(1.0, 1.0, 0.25)
    values = np.array([[1.0, 4.0], [1.5, 3.0], [0.0, np.inf]], np.float32)
    assert near_extreme(values, 0, limits, is_largest=True).tolist() == [[True, True], [True, True], [False, True]]
    assert near_extreme(values, 1, limits, is_largest=False).tolist() == [[True, False], [True, False], [True, False]]
    right = np.array([[True, False, True], [False, True, False]])
    assert compare_indices(np.array([2, 1]), np.array([0, 1]), right, 1) is None
    wrong = compare_indices(np.array([1, 3]), np.array([0, 1]), right, 1)
    assert wrong is not None
    assert (wrong.count, wrong.index, wrong.expected, wrong.actual) == (2, (0,), 0.0, 1.0)


def floored(value: float) -> TestModel:
    """``RELU(x)``, its floor, and the negated floor."""
    build = GraphBuilder()
    middle = build.temporary(T.TENSOR_FLOAT32, (2,))
    build.operation(O.RELU, (build.input(T.TENSOR_FLOAT32, (2,), [value, 2.5]),), middle)
    floor = build.output(T.TENSOR_FLOAT32, (2,), [0.0, 0.0])
    build.operation(O.FLOOR, (middle,), floor)
    build.operation(O.NEG, (floor,), build.output(T.TENSOR_FLOAT32, (2,), [0.0, 0.0]))
    return with_golden_results(build.finish("floor"))


def test_either_side_of_a_whole_number_is_right() -> None:
    """0.99999 may have been rounded to 1, the other element may not have; what follows is not compared."""
    near = floored(0.99999)
    for floor in (0.0, 1.0):
        compared(near, [np.float32([floor, 2.0]), np.float32([-floor, -2.0])])
    for wrong in ([2.0, 2.0], [0.0, 3.0]):
        with pytest.raises(CaseFailed):
            compared(near, [np.float32(wrong), np.float32([0.0, -2.0])])


@pytest.mark.parametrize("value", [0.99, 1.0, 1.01])
def test_floors_of_other_values_are_compared(value: float) -> None:
    """If no rounding reaches the next whole number, or the value is one, there is one floor."""
    floor = float(np.floor(value))
    compared(floored(value), [np.float32([floor, 2.0]), np.float32([-floor, -2.0])])
    with pytest.raises(CaseFailed):
        compared(floored(value), [np.float32([floor - 1, 2.0]), np.float32([-floor, -2.0])])
