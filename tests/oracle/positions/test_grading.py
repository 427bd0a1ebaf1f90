"""Grades: arithmetic that takes a liberty keeps its position and no stricter one; limits are those of the sources."""

from collections.abc import Callable

import numpy as np
import pytest

from nnvet.generators.accuracy.dot_products import INPUT_SETS, KINDS, dot_product, image_convolution
from nnvet.generators.random_graphs.golden import estimates, position_shares
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.hal_model import operand_data
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import FeatureLevel
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.positions.grading import POSITIONS
from tools.oracle_study import naive as liberties
from tools.oracle_study.naive import Array, f32

Product = Callable[[Array, Array], Array]


def graded(test: TestModel, actual: Array) -> dict[str, float]:
    """Shares by position of an answer to a test, of those that say something of it."""
    shares = position_shares(test, estimates(test)[0], actual)
    assert list(shares) in ([], list(POSITIONS))
    return {position: share for position, share in shares.items() if share is not None}


def factors(test: TestModel) -> tuple[Array, Array]:
    """Rows of the two factors of FULLY_CONNECTED."""
    first, second = (test.main.operands[index] for index in test.main.operations[0].inputs[:2])
    return (
        operand_data(first).reshape(first.dimensions).astype(f32),
        operand_data(second).reshape(second.dimensions).astype(f32),
    )


def products(inputs: str, compute: Product) -> dict[str, float]:
    """Shares of a way to form sums, on one of the sets of inputs."""
    test = dot_product(O.FULLY_CONNECTED, KINDS["float32"], INPUT_SETS[inputs])
    with np.errstate(all="ignore"):
        return graded(test, compute(*factors(test)))


@pytest.mark.parametrize("inputs", INPUT_SETS)
@pytest.mark.parametrize(
    ("position", "compute"),
    [
        ("ieee-strict", liberties.plain),
        ("ieee-strict", liberties.backwards),
        ("ftz", liberties.flushing),
        ("opencl-full", liberties.flushing),
        ("vulkan", liberties.toward_zero),
        ("tosa", liberties.plain),
        ("truncating-mma", liberties.aligned),
        ("bf16x3", liberties.bfloat16_in_two_parts),
        ("tf32", liberties.tf32),
        ("fp16-accumulate", liberties.float16_sums),
        ("bf16", liberties.bfloat16),
        ("bf16", liberties.bfloat16_results),
    ],
)
def test_a_liberty_keeps_its_position(position: str, compute: Product, inputs: str) -> None:
    """On all inputs, those of one sign and those that nearly overflow among them."""
    assert products(inputs, compute)[position] <= 1


@pytest.mark.parametrize(
    ("compute", "inputs", "lost", "kept"),
    [
        (liberties.flushing, "subnormal", ("ieee-strict", "truncating-mma"), "ftz"),
        (liberties.toward_zero, "one_product", ("ieee-strict", "ftz", "opencl-full"), "vulkan"),
        (liberties.bfloat16_in_two_parts, "one_product", ("ieee-strict", "vulkan", "truncating-mma"), "bf16x3"),
        (liberties.tf32, "one_sign", ("ieee-strict", "vulkan", "tosa", "truncating-mma", "bf16x3"), "tf32"),
        (liberties.float16_sums, "one_sign", ("ieee-strict", "tosa", "tf32"), "fp16-accumulate"),
        (liberties.bfloat16, "one_product", ("ieee-strict", "tosa", "bf16x3", "tf32"), "bf16"),
    ],
)
def test_a_liberty_loses_stricter_positions(compute: Product, inputs: str, lost: tuple[str, ...], kept: str) -> None:
    """A grade tells one liberty from the next."""
    shares = products(inputs, compute)
    assert shares[kept] <= 1
    assert all(shares[position] > 1 for position in lost), shares


def test_flush_to_zero_is_no_ieee_754() -> None:
    """A product of 2^-130 is kept by one and lost by the other."""
    graph = GraphBuilder()
    operands = (
        graph.input(T.TENSOR_FLOAT32, (1, 1), np.array([2.0**-65])),
        graph.constant(T.TENSOR_FLOAT32, (1, 1), np.array([2.0**-65])),
        graph.constant(T.TENSOR_FLOAT32, (1,), np.zeros(1)),
        graph.scalar(T.INT32, 0),
    )
    graph.operation(O.FULLY_CONNECTED, operands, graph.output(T.TENSOR_FLOAT32, (1, 1), None))
    test = graph.finish("tiny", FeatureLevel.FL1)
    lost = graded(test, np.zeros((1, 1), f32))
    assert lost["ieee-strict"] > 1
    assert max(lost["ftz"], lost["opencl-full"], lost["vulkan"]) <= 1
    assert graded(test, np.array([[2.0**-130]], f32))["ieee-strict"] == 0


def image_of(channels: int) -> tuple[TestModel, Array, Array]:
    """A depthwise convolution of an image, the image and its filters."""
    test = image_convolution(O.DEPTHWISE_CONV_2D, KINDS["float32"], channels)
    image, filters = (test.main.operands[index] for index in test.main.operations[0].inputs[:2])
    return test, *(operand_data(operand).reshape(operand.dimensions[1:]).astype(f32) for operand in (image, filters))


@pytest.mark.parametrize(
    ("position", "convolve"),
    [
        ("winograd-2", liberties.winograd(2)),
        ("winograd-4", liberties.winograd(4)),
        ("winograd-6", liberties.winograd(6)),
        ("fft", liberties.fourier),
    ],
)
def test_fast_convolution(position: str, convolve: Product) -> None:
    """Transforms keep their positions; one of a wrong filter keeps none."""
    test, image, filters = image_of(64)
    shares = graded(test, convolve(image, filters))
    assert 0 < shares[position] <= 1
    wrong = filters.copy()
    wrong[0, 0] *= f32(1.02)
    assert min(graded(test, convolve(image, wrong)).values()) > 1


def test_larger_tiles_lose_the_position_of_sums() -> None:
    """F(4, 3) is not a sum in any order, and is far inside of what can be proved of it."""
    test, image, filters = image_of(64)
    shares = graded(test, liberties.winograd(4)(image, filters))
    assert shares["ieee-strict"] > 1
    assert shares["winograd-4"] < 0.1


def test_fast_convolution_says_nothing_of_other_windows() -> None:
    """Neither of windows of 5 by 5 cells, nor of sums that are no convolution."""
    window = dot_product(O.CONV_2D, KINDS["float32"], INPUT_SETS["uniform"])
    assert "winograd-2" not in graded(window, np.zeros((16, 1, 1, 16), f32))
    assert "fft" not in products("uniform", liberties.plain)


def test_the_mean_square_of_tosa() -> None:
    """Errors of half of the limit are within it one by one, and all together are not."""
    test = dot_product(O.FULLY_CONNECTED, KINDS["float32"], INPUT_SETS["one_sign"])
    first, second = factors(test)
    exact, size = first.astype(float) @ second.astype(float).T, np.abs(first) @ np.abs(second).T
    # 101 terms with the bias: an element may be off by 6 * 101 u S, the root of the mean square by sqrt(1.6 * 101) u S.
    unit = 2.0**-24 * size
    once = exact.copy()
    once[0, 0] += 300 * unit[0, 0]
    assert graded(test, once.astype(f32))["tosa"] == pytest.approx(max(300 / 606, 300 / 16 / np.sqrt(1.6 * 101)), 0.02)
    assert graded(test, (exact + 300 * unit).astype(f32))["tosa"] == pytest.approx(300 / np.sqrt(1.6 * 101), 0.02)


def single(operation: O, *arguments: float, kind: T = T.TENSOR_FLOAT32) -> TestModel:
    """An operation on one element."""
    graph = GraphBuilder()
    operands = [graph.input(kind, (1,), np.array([argument])) for argument in arguments]
    if operation in (O.ADD, O.SUB, O.MUL, O.DIV):
        operands.append(graph.scalar(T.INT32, 0))
    graph.operation(operation, tuple(operands), graph.output(kind, (1,), None))
    return graph.finish(operation.name, FeatureLevel.FL7)


@pytest.mark.parametrize(
    ("operation", "arguments", "value", "limits"),
    [
        # Limits in units of the last place of the value, from the tables of docs/positions.md by hand.
        (O.ADD, (1.0, 0.25), 1.25, {"ieee-strict": 0.5, "vulkan": 1, "tosa": 0.5, "opencl-full": 0.5}),
        (O.DIV, (3.0, 2.0), 1.5, {"ieee-strict": 0.5, "vulkan": 2.5, "tosa": 2.25, "opencl-full": 2.5}),
        (O.SQRT, (2.25,), 1.5, {"ieee-strict": 0.5, "vulkan": 6.75, "tosa": 4.5, "opencl-full": 3}),
        (O.RSQRT, (0.25,), 2.0, {"ieee-strict": 1, "vulkan": 2, "tosa": 2, "opencl-full": 2}),
        (O.EXP, (2.0,), np.exp(2.0), {"ieee-strict": 1, "vulkan": 7, "tosa": 7, "opencl-full": 3}),
        (O.LOG, (8.0,), np.log(8.0), {"ieee-strict": 1, "vulkan": 3, "opencl-full": 3, "tosa": 5 * np.log(8.0) / 2}),
        # Between 1/2 and 2 absolute: 2^-21, which are 16 units of a number between 1/2 and 1.
        (O.LOG, (1.75,), np.log(1.75), {"vulkan": 8, "opencl-full": 3}),
        (O.SIN, (2.0,), np.sin(2.0), {"ieee-strict": 1, "opencl-full": 4, "vulkan": 2.0**-11 * 2.0**24}),
        (O.TANH, (1.0,), np.tanh(1.0), {"ieee-strict": 1, "opencl-full": 5, "tosa": 20}),
        (O.LOGISTIC, (2.0,), 1 / (1 + np.exp(-2.0)), {"ieee-strict": 1, "tosa": 6}),
        (O.POW, (3.0, 2.0), 9.0, {"ieee-strict": 1, "opencl-full": 16}),
    ],
)
def test_limits_of_functions(
    operation: O, arguments: tuple[float, ...], value: float, limits: dict[str, float]
) -> None:
    """An answer that is off by some places uses so much of each limit."""
    test, last = single(operation, *arguments), np.ldexp(1.0, np.frexp(value)[1] - 24)
    answer = np.array([value + 2 * last]).astype(f32)
    off = abs(float(answer[0]) - value) / last
    shares = graded(test, answer)
    for position, limit in limits.items():
        assert shares[position] == pytest.approx(off / limit, rel=1e-6), position


@pytest.mark.parametrize(
    ("operation", "arguments", "position"),
    [
        (O.DIV, (1.0, 2.0**127), "vulkan"),
        (O.SIN, (4.0,), "vulkan"),
        (O.TANH, (100.0,), "vulkan"),
        (O.POW, (-2.0, 3.0), "vulkan"),
        (O.POW, (-2.0, 3.0), "tosa"),
        (O.RSQRT, (2.0**-130,), "ftz"),
    ],
)
def test_a_position_may_demand_nothing_of_an_argument(
    operation: O, arguments: tuple[float, ...], position: str
) -> None:
    """Anything is within it; IEEE 754 demands something everywhere."""
    shares = graded(single(operation, *arguments), np.array([7.0], f32))
    assert shares[position] == 0
    assert shares["ieee-strict"] > 1


@pytest.mark.parametrize("operation", [O.EXP, O.LOGISTIC])
def test_results_that_are_flushed(operation: O) -> None:
    """e^-100 is subnormal; half of it is neither that nor zero."""
    test, value = single(operation, -100.0), np.exp(-100.0)
    assert graded(test, np.zeros(1, f32))["ieee-strict"] > 1
    assert graded(test, np.zeros(1, f32))["ftz"] <= 1
    assert graded(test, np.array([value], f32))["ieee-strict"] <= 1
    assert graded(test, np.array([3 * value], f32))["ftz"] > 1


def test_functions_composed_as_vulkan_has_them() -> None:
    """In float32 step by step; near 0 the difference of exponentials is not what OpenCL wants of tanh."""
    for x in (2.0**-9, 0.1, 0.7, 3.0, 20.0):
        up, down = np.exp(f32(x)), np.exp(f32(-x))
        shares = graded(single(O.TANH, x), np.array([(up - down) / (up + down)]))
        assert shares["vulkan"] <= 1
        assert (shares["opencl-full"] > 1) is (x < 0.01)
    for base, exponent in ((1.1, 30.0), (2.5, -7.5), (0.3, 9.0), (7.0, 0.5)):
        power = np.exp2(f32(exponent) * np.log2(f32(base)))
        shares = graded(single(O.POW, base, exponent), np.array([power], f32))
        assert max(shares["vulkan"], shares["tosa"]) <= 1


def test_float16_has_limits_of_its_own() -> None:
    """OpenCL allows 2 units of the last place of e^x there, Vulkan 1 + 2 abs(x)."""
    test, value = single(O.EXP, 2.0, kind=T.TENSOR_FLOAT16), np.exp(2.0)
    answer = np.float16(value) + np.float16(2.0**-7)
    off = abs(float(answer) - value) / 2.0**-8
    shares = graded(test, np.array([answer]))
    assert shares["opencl-full"] == pytest.approx(off / 2)
    assert shares["vulkan"] == pytest.approx(off / 5)


def test_what_is_not_graded() -> None:
    """Codes, operations that no position states, graphs of several operations; an answer of NaN keeps nothing."""
    assert graded(single(O.FLOOR, 1.5), np.ones(1, f32)) == {}
    graph = GraphBuilder()
    codes = (T.TENSOR_QUANT8_ASYMM, (1,), np.ones(1, np.uint8), 0.5, 0)
    operands = (graph.input(*codes), graph.input(*codes), graph.scalar(T.INT32, 0))
    graph.operation(O.ADD, operands, graph.output(T.TENSOR_QUANT8_ASYMM, (1,), None, 0.5, 0))
    assert graded(graph.finish("codes", FeatureLevel.FL1), np.ones(1, np.uint8)) == {}
    shares = graded(single(O.EXP, 1.0), np.array([np.nan], f32))
    assert set(shares.values()) == {np.inf}


def test_each_position_says_something_of_sums() -> None:
    """Of an image convolution all but those that are for other types, from the strictest on."""
    test, image, filters = image_of(4)
    assert list(graded(test, liberties.winograd(2)(image, filters))) == list(POSITIONS)
