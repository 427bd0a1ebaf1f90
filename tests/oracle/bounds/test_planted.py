"""Errors that careless drivers make are found, and what they would be without is not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.comparison import Mismatch
from nnvet.oracle.random_graphs import Drift
from tests.oracle.bounds.calls import Operand, codes, estimated, floats, integers, number

RANDOM = np.random.default_rng(20)
ROWS = RANDOM.uniform(-2, 2, (64, 200)).astype(np.float32)
POSITIVE = RANDOM.uniform(1, 2, (64, 200)).astype(np.float32)
CODES = RANDOM.integers(0, 256, (20, 30)).astype(np.uint8)
NONE = number(0)


def toward_zero(exact: Any, kind: type) -> np.ndarray:
    """Numbers of a type whose surplus bits are cut."""
    nearest = np.asarray(exact).astype(kind)
    return np.where(np.abs(nearest.astype(np.float64)) > np.abs(exact), np.nextafter(nearest, kind(0)), nearest)


def wide(array: np.ndarray) -> np.ndarray:
    """In float64."""
    return array.astype(np.float64)


@pytest.mark.parametrize("kind", [np.float32, np.float16], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    ("operation", "further", "of"),
    [
        (O.MUL, [POSITIVE, NONE], np.multiply),
        (O.DIV, [POSITIVE, NONE], np.divide),
        (O.PRELU, [POSITIVE], lambda x, alpha: np.where(x < 0, x * alpha, x)),
    ],
    ids=lambda value: value.name if isinstance(value, O) else "",
)
def test_truncation_in_place_of_rounding(operation: O, further: list[Any], of: Callable[..., Any], kind: type) -> None:
    """Some of the elements show it, or all of them together."""
    types = {np.float32: T.TENSOR_FLOAT32, np.float16: T.TENSOR_FLOAT16}
    arrays = [ROWS.astype(kind), *(argument.astype(kind) for argument in further if isinstance(argument, np.ndarray))]
    operands = [floats(array, types[kind]) for array in arrays] + [
        argument for argument in further if not isinstance(argument, np.ndarray)
    ]
    (found,) = estimated(operation, operands)
    exact = of(*map(wide, arrays))
    assert compare_estimate(exact.astype(kind), found) is None
    assert compare_estimate(toward_zero(exact, kind), found) is not None


def in_order(rows: np.ndarray, round_sum: Callable[[Any], Any]) -> np.ndarray:
    """Sums along the last axis, each partial one rounded."""
    total = np.zeros(rows.shape[0])
    for column in rows.T:
        total = wide(round_sum(total + wide(column)))
    return total


def sums(operation: O, rows: np.ndarray, kind: T = T.TENSOR_FLOAT32) -> Any:
    """The estimate of a reduction along the last axis."""
    flag = number(0, T.INT32 if operation == O.MEAN else T.BOOL)
    return estimated(operation, [floats(rows, kind), integers([1]), flag])[0]


@pytest.mark.parametrize("rows", [ROWS, POSITIVE], ids=["both signs", "positive"])
def test_accumulators(rows: np.ndarray) -> None:
    """float32 is right in any order; float16 and biased accumulators are wrong."""
    found = sums(O.REDUCE_SUM, rows)
    single = lambda total: total.astype(np.float32)  # noqa: E731 - a rounding like the others
    assert compare_estimate(in_order(rows, single).astype(np.float32), found) is None
    assert compare_estimate(in_order(rows[:, ::-1], single).astype(np.float32), found) is None
    assert compare_estimate(rows.sum(-1), found) is None
    assert (
        compare_estimate(in_order(rows, lambda total: total.astype(np.float16)).astype(np.float32), found) is not None
    )
    assert compare_estimate((wide(rows).sum(-1) * (1 + 1e-4)).astype(np.float32), found) is not None


def test_truncating_accumulators_of_positive_terms() -> None:
    """The mean square shows what no single sum does; where terms cancel, sums are smaller than their bounds."""
    found = sums(O.REDUCE_SUM, POSITIVE)
    cut = in_order(POSITIVE, lambda total: toward_zero(total, np.float32)).astype(np.float32)
    assert isinstance(compare_estimate(cut, found), Drift)


def test_means_of_float16_need_float32_sums() -> None:
    """A float16 accumulator is found."""
    rows = POSITIVE.astype(np.float16)
    found = sums(O.MEAN, rows, T.TENSOR_FLOAT16)
    assert compare_estimate(wide(rows).mean(-1).astype(np.float16), found) is None
    coarse = in_order(rows, lambda total: total.astype(np.float16)) / rows.shape[-1]
    assert compare_estimate(coarse.astype(np.float16), found) is not None


@pytest.mark.parametrize("operation", [O.FULLY_CONNECTED, O.BATCH_MATMUL, O.REDUCE_SUM, O.AVERAGE_POOL_2D])
def test_zeros_are_no_terms(operation: O) -> None:
    """A sum of one product and many zeros is rounded once, so that each element shows what is cut off."""
    x = np.where(np.arange(200) == 7, ROWS, 0).astype(np.float32)
    weights = np.where(np.arange(200) == 7, POSITIVE, 1).astype(np.float32)
    exact, operands = {
        O.FULLY_CONNECTED: (
            wide(x) @ wide(weights).T,
            [floats(x), floats(weights), floats(np.zeros(len(weights))), NONE],
        ),
        O.BATCH_MATMUL: (
            wide(x) @ wide(weights).T,
            [floats(x), floats(weights), number(0, T.BOOL), number(1, T.BOOL)],
        ),
        O.REDUCE_SUM: (wide(x).sum(-1), [floats(x), integers([1]), number(0, T.BOOL)]),
        O.AVERAGE_POOL_2D: (
            wide(x).mean(-1),
            [floats(x[:, None, :, None]), *map(number, (0, 0, 0, 0, 1, 1, 200, 1, 0))],
        ),
    }[operation]
    (found,) = estimated(operation, operands)
    assert compare_estimate(exact.astype(np.float32), found) is None
    beyond = np.nextafter(exact.astype(np.float32), np.float32(np.inf))
    if operation is O.AVERAGE_POOL_2D:
        beyond = np.nextafter(beyond, np.float32(np.inf))
    assert isinstance(compare_estimate(np.nextafter(beyond, np.float32(np.inf)), found), Mismatch)


@pytest.mark.parametrize(("count", "units"), [(1, 1), (2, 2), (3, 3)])
def test_products_of_few_factors_are_rounded_once_less_than_there_are(count: int, units: int) -> None:
    """In relaxed models: what is off by more roundings of float16 is wrong."""
    factors = RANDOM.uniform(1, 1.2, (50, count)).astype(np.float16)
    operands = [floats(factors), integers([1]), number(0, T.BOOL)]
    (found,) = estimated(O.REDUCE_PROD, operands, relaxed=True)
    exact = wide(factors).prod(-1)
    assert compare_estimate(exact.astype(np.float16).astype(np.float32), found) is None
    assert isinstance(compare_estimate((exact * (1 + (units + 0.2) * 2.0**-11)).astype(np.float32), found), Mismatch)


def test_pixels_that_stay_where_they_are_are_not_mixed() -> None:
    """In relaxed models every other pixel of an image of twice the size is an old one, to the bit."""
    image = RANDOM.uniform(1, 2, (1, 5, 5, 30)).astype(np.float16)
    operands = [floats(image), number(10), number(10)]
    (found,) = estimated(O.RESIZE_BILINEAR, operands, relaxed=True)
    wrong = np.array(found.value)
    wrong[:, 1, 1] *= 1 + 2.0**-10
    assert compare_estimate(wrong.astype(np.float32), found) is None
    wrong[:, 2, 4] *= 1 + 2.0**-9
    assert isinstance(compare_estimate(wrong.astype(np.float32), found), Mismatch)


def test_the_last_element_of_a_sum_is_not_dropped() -> None:
    """Nor is one counted twice."""
    found = sums(O.REDUCE_SUM, ROWS)
    assert isinstance(compare_estimate(ROWS[:, :-1].sum(-1), found), Mismatch)
    assert isinstance(compare_estimate(ROWS.sum(-1) + ROWS[:, 0], found), Mismatch)


QUANTISED: list[tuple[O, list[Operand], Operand, Any]] = [
    (O.ADD, [codes(CODES, 0.5, 100), codes(CODES[::-1], 0.25, 7), NONE], codes([], 1.0, 90), None),
    (O.MUL, [codes(CODES, 0.05, 100), codes(CODES[::-1], 0.04, 7), NONE], codes([], 0.1, 90), None),
    (O.LOGISTIC, [codes(CODES, 0.02, 100)], codes([], 1 / 256, 0), None),
    (O.MAXIMUM, [codes(CODES, 0.5, 100), codes(CODES[::-1], 0.25, 7)], codes([], 0.4, 60), None),
    (O.QUANTIZE, [floats(ROWS)], codes([], 0.03, 128), None),
    (O.CONCATENATION, [codes(CODES, 0.5, 100), codes(CODES, 0.3, 90), NONE], codes([], 0.6, 80), None),
]


@pytest.mark.parametrize(("operation", "inputs", "output", "_"), QUANTISED, ids=[row[0].name for row in QUANTISED])
def test_codes(operation: O, inputs: list[Operand], output: Operand, _: Any) -> None:
    """Nearest codes of the real result are right; a zero point or a rounding that is off is not."""
    _, _, scale, zero_point = output
    scale = float(np.float32(scale))
    reals = [wide(array) if not s else (wide(array) - z) * float(np.float32(s)) for _, array, s, z in inputs]
    exact = {
        O.ADD: lambda x, y, _: x + y,
        O.MUL: lambda x, y, _: x * y,
        O.LOGISTIC: lambda x: 1 / (1 + np.exp(-x)),
        O.MAXIMUM: np.maximum,
        O.QUANTIZE: lambda x: x,
        O.CONCATENATION: lambda x, y, _: np.concatenate([x, y]),
    }[operation](*reals) / scale + zero_point
    (found,) = estimated(operation, inputs, output)

    def as_codes(real: np.ndarray) -> np.ndarray:
        return np.clip(real, 0, 255).astype(np.uint8)

    assert compare_estimate(as_codes(np.rint(exact)), found) is None
    for wrong in (np.rint(exact) + 1, np.rint(exact) - 1, np.floor(exact), np.ceil(exact)):
        assert compare_estimate(as_codes(wrong), found) is not None


def test_errors_of_one_sign_drift() -> None:
    """Each element is allowed its error, but not all of them the same."""
    rows = RANDOM.uniform(-1, 1, (4000, 8)).astype(np.float32)
    found = sums(O.REDUCE_SUM, rows)
    exact = wide(rows).sum(-1)
    assert compare_estimate(exact.astype(np.float32), found) is None
    shifted = exact + 0.25 * found.error
    assert isinstance(compare_estimate(shifted.astype(np.float32), found), Drift)


def test_one_number_that_is_added_to_many_may_be_rounded_alike_each_time() -> None:
    """Sums of x from 1 to 2 and 2^-12 are rounded down in float16, honestly; those of 3 * 2^-12 may not be."""
    x = (1 + np.arange(0, 500) / 1024).astype(np.float16)
    for step, wrong in ((2.0**-12, False), (3 * 2.0**-12, True)):
        (found,) = estimated(O.ADD, [floats(x, T.TENSOR_FLOAT16), floats([step], T.TENSOR_FLOAT16), NONE])
        assert (compare_estimate(x, found) is not None) is wrong


@pytest.mark.parametrize("kind", [T.TENSOR_FLOAT32, T.TENSOR_FLOAT16], ids=lambda kind: kind.name)
def test_moved_elements_are_exact(kind: T) -> None:
    """A last element that is not written, and neighbours that change places, are found in a transposition."""
    (found,) = estimated(O.TRANSPOSE, [floats(ROWS, kind), integers([1, 0])])
    right = floats(ROWS, kind)[1].T.copy()
    assert compare_estimate(right, found) is None
    dropped, swapped = right.copy(), right.copy()
    dropped[-1, -1] = 0
    swapped[0, [0, 1]] = right[0, [1, 0]]
    assert compare_estimate(dropped, found) is not None
    assert compare_estimate(swapped, found) is not None
    assert compare_estimate(np.nextafter(right, right.dtype.type(9)), found) is not None
