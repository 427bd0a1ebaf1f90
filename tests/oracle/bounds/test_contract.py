"""The contract's errors: NNAPI's tolerance of each operation, carried by hand through graphs of two operations."""

from __future__ import annotations

import numpy as np
import pytest

from nnvet.generators.random_graphs.golden import estimates
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_contract, compare_estimate, off_by_tolerance
from nnvet.oracle.bounds.precision import Estimate
from nnvet.oracle.comparison import tolerance_for

F32, F16, CODES, INT, TRUTH = (
    OperandType.TENSOR_FLOAT32,
    OperandType.TENSOR_FLOAT16,
    OperandType.TENSOR_QUANT8_ASYMM,
    OperandType.TENSOR_INT32,
    OperandType.TENSOR_BOOL8,
)

ABSOLUTE = float(np.float32(1e-5))
RELATIVE = 5 * 2.0**-23
HALF = 5 * 2.0**-10


def binary(graph: GraphBuilder, operation: O, first: int, second: int, output: int) -> None:
    """ADD or MUL without activation."""
    graph.operation(operation, (first, second, graph.scalar(OperandType.INT32, 0)), output)


def single(operation: O, kind: int, first: float, second: float, scale: float = 0.0) -> TestModel:
    """One ADD or MUL of two numbers."""
    graph = GraphBuilder()
    inputs = [graph.input(kind, (1,), [value], scale) for value in (first, second)]
    output = graph.output(kind, (1,), [0], scale)
    binary(graph, operation, *inputs, output)
    return graph.finish("single")


def sum_times_four(after: O | None = None) -> TestModel:
    """(1 + 2) * 4 in float32, or another operation of one operand on 1 + 2."""
    graph = GraphBuilder()
    first, second = (graph.input(F32, (1,), [value]) for value in (1.0, 2.0))
    middle = graph.temporary(F32, (1,))
    binary(graph, O.ADD, first, second, middle)
    if after is None:
        binary(graph, O.MUL, middle, graph.input(F32, (1,), [4.0]), graph.output(F32, (1,), [0]))
    else:
        graph.operation(after, (middle,), graph.output(F32, (1,), [0]))
    return graph.finish("two")


def both(test: TestModel) -> tuple[Estimate, Estimate]:
    """The tight estimate of the first output, and that of the contract."""
    return estimates(test)[0], estimates(test, contract=True)[0]


def verdict(test: TestModel, actual: float, dtype: type) -> str:
    """Return the judgement of an answer: right, quality, or broken."""
    tight, wide = both(test)
    result = np.array([actual], dtype)
    if compare_estimate(result, tight) is None:
        return "right"
    return "quality" if compare_contract(result, tight, wide) is None else "broken"


def test_the_tolerance_of_a_single_operation() -> None:
    """1e-5 and five units of 2^-23 of 3; the tight bound is half a unit in the last place."""
    tight, wide = both(single(O.ADD, F32, 1.0, 2.0))
    assert tight.error == pytest.approx(2.0**-23)
    assert wide.error == pytest.approx(ABSOLUTE + 3 * RELATIVE)


@pytest.mark.parametrize(
    ("second", "actual", "expected"),
    [
        # 1 + 2^-24 is half-way between two numbers: either is right, the next one below is not.
        (2.0**-24, 1.0, "right"),
        (2.0**-24, 1 + 2.0**-23, "right"),
        (2.0**-24, 1 - 2.0**-24, "quality"),
        (2.0, 3 + 2.0**-22, "quality"),
        (2.0, 3 + 1.17e-5, "quality"),
        (2.0, 3 - 1.17e-5, "quality"),
        (2.0, 3 + 1.21e-5, "broken"),
        (2.0, 3 - 1.21e-5, "broken"),
        (2.0, np.nan, "broken"),
        (2.0, np.inf, "broken"),
    ],
)
def test_edges_of_float32(second: float, actual: float, expected: str) -> None:
    """Inside of the bound, between bound and tolerance, outside of the tolerance."""
    assert verdict(single(O.ADD, F32, 1.0, second), actual, np.float32) == expected


@pytest.mark.parametrize(
    ("code", "expected"), [(7, "right"), (6, "quality"), (8, "quality"), (5, "broken"), (9, "broken")]
)
def test_edges_of_codes(code: int, expected: str) -> None:
    """3 + 4 of one scale is 7; one code beside it is within the tolerance."""
    assert verdict(single(O.ADD, CODES, 3, 4, scale=0.5), code, np.uint8) == expected


@pytest.mark.parametrize(
    ("code", "expected"), [(1, "quality"), (2, "right"), (3, "right"), (4, "quality"), (0, "broken"), (5, "broken")]
)
def test_codes_half_way(code: int, expected: str) -> None:
    """5 * 0.5 is 2.5: honest drivers say 2 or 3, the contract allows one code beside either."""
    assert verdict(single(O.MUL, CODES, 5, 1, scale=0.5), code, np.uint8) == expected


def test_float16() -> None:
    """Five units of 2^-10, absolute and relative."""
    test = single(O.ADD, F16, 1.0, 2.0)
    assert both(test)[1].error == pytest.approx(HALF + 3 * HALF)
    assert verdict(test, 3 + 2.0**-6, np.float16) == "quality"
    assert verdict(test, 3 + 2.0**-5, np.float16) == "broken"


def test_integers_have_no_slack() -> None:
    """Sums of integers are exact."""
    assert verdict(single(O.ADD, INT, 3, 4), 7, np.int32) == "right"
    assert verdict(single(O.ADD, INT, 3, 4), 8, np.int32) == "broken"


@pytest.mark.parametrize("operation", [O.RELU, O.FLOOR, O.ABS])
def test_what_is_selected_has_no_slack(operation: O) -> None:
    """Nothing is computed: the next number is wrong."""
    graph = GraphBuilder()
    graph.operation(operation, (graph.input(F32, (1,), [3.0]),), graph.output(F32, (1,), [0]))
    test = graph.finish("selected")
    assert verdict(test, 3.0, np.float32) == "right"
    assert verdict(test, 3 + 2.0**-22, np.float32) == "broken"


def test_comparisons_and_places_have_no_slack() -> None:
    """A truth value and an index of exact inputs are right or wrong."""
    graph = GraphBuilder()
    values = graph.input(F32, (2,), [1.0, 1.0 + 2.0**-23])
    other = graph.input(F32, (2,), [1.0, 1.0])
    graph.operation(O.EQUAL, (values, other), graph.output(TRUTH, (2,), [0, 0]))
    graph.operation(O.ARGMAX, (values, graph.scalar(OperandType.INT32, 0)), graph.output(INT, (1,), [0]))
    test = graph.finish("choices")
    equal, place = estimates(test, contract=True)
    assert equal.value.tolist() == [1, 0]
    assert not equal.error.any()
    assert place.value.tolist() == [1]
    assert not place.error.any()


def test_two_operations() -> None:
    """Four times the tolerance of the sum, half a unit of 12, and the tolerance of the product."""
    tight, wide = both(sum_times_four())
    of_sum, of_product = ABSOLUTE + 3 * RELATIVE, ABSOLUTE + 12 * RELATIVE
    assert wide.error == pytest.approx(4 * of_sum + 2.0**-21 + of_product, rel=1e-9)
    assert tight.error == pytest.approx(4 * 2.0**-23 + 2.0**-21, rel=1e-9)
    assert [verdict(sum_times_four(), 12 + off, np.float32) for off in (2.0**-21, 6.4e-5, 6.6e-5)] == [
        "right",
        "quality",
        "broken",
    ]


def test_what_is_moved_carries_its_tolerance() -> None:
    """ABS of a sum may be off as the sum is, and by nothing more."""
    assert both(sum_times_four(O.ABS))[1].error == pytest.approx(ABSOLUTE + 3 * RELATIVE, rel=1e-9)


def test_a_place_beside_inexact_values_is_open() -> None:
    """Of two sums that are nearer than their tolerances either may be the larger one; of others only one."""
    graph = GraphBuilder()
    first = graph.input(F32, (1, 2), [1.0, 1.0])
    second = graph.input(F32, (1, 2), [2.0, 2.0 + 2.0**-20])
    sums = graph.temporary(F32, (1, 2))
    binary(graph, O.ADD, first, second, sums)
    graph.operation(O.ARGMAX, (sums, graph.scalar(OperandType.INT32, 1)), graph.output(INT, (1,), [0]))
    tight, wide = both(graph.finish("place"))
    assert tight.is_exact
    assert wide.undecided_share == 1


def test_shares_of_the_tolerance() -> None:
    """A quarter of what is allowed; codes are off from the nearest one; exact types have no share."""
    tight, _ = both(single(O.ADD, F32, 1.0, 2.0))
    tolerance = tolerance_for(F32, relaxed=False)
    assert tolerance is not None
    off = 3 + (ABSOLUTE + 3 * RELATIVE) / 4
    assert off_by_tolerance(np.array([off]), tight, tolerance) == pytest.approx(0.25)
    half_way, _ = both(single(O.MUL, CODES, 5, 1, scale=0.5))
    of_codes = tolerance_for(CODES, relaxed=False)
    assert of_codes is not None
    assert off_by_tolerance(np.array([2], np.uint8), half_way, of_codes) == 0.0
    whole, _ = both(single(O.ADD, INT, 3, 4))
    of_integers = tolerance_for(INT, relaxed=False)
    assert of_integers is not None
    assert off_by_tolerance(np.array([7], np.int32), whole, of_integers) is None
