"""The kernels of LiteRT, its reference and XNNPACK, are honest: none of their results is blamed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from nnvet.formats.tflite.writer import ModelWriter
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.oracle.bounds.compare import compare_estimate
from tests.formats.runtimes import run_on_litert
from tests.oracle.bounds.calls import Operand, codes, estimated, floats, integers, number

pytest.importorskip("ai_edge_litert.interpreter", reason="needs the litert extra")
pytest.importorskip("flatbuffers", reason="needs the models extra")

KERNELS = ("BUILTIN_REF", "AUTO")
"""AUTO takes XNNPACK where it has the operation."""
SHAPE = (3, 7, 11)
FLOATS, UNSIGNED, SIGNED = T.TENSOR_FLOAT32, T.TENSOR_QUANT8_ASYMM, T.TENSOR_QUANT8_ASYMM_SIGNED
LOWEST = {UNSIGNED: 0, SIGNED: -128}
SUM_AXIS = [integers([1])]
KEPT, KEPT_NUMBER = number(0, T.BOOL), number(0)


def lite(name: str, inputs: Sequence[Operand], output: Operand, options: dict[str, Any], kernels: str) -> np.ndarray:
    """The result of one operation; tensors of int32 are constants of the model."""
    writer = ModelWriter()
    places, fed, values = [], [], []
    for position, (kind, array, scale, zero_point) in enumerate(inputs):
        quantization = {"scale": scale, "zero_point": zero_point} if scale else {}
        is_constant = kind == T.TENSOR_INT32
        place = writer.tensor(
            f"input{position}", array.shape, array.dtype.name, data=array if is_constant else None, **quantization
        )
        places.append(place)
        if not is_constant:
            fed.append(place)
            values.append(array)
    kind, shape, scale, zero_point = output
    quantization = {"scale": scale, "zero_point": zero_point} if scale else {}
    dtype = "bool" if kind == T.TENSOR_BOOL8 else type_info(kind).dtype
    result = writer.tensor("output", shape, dtype, **quantization)
    # int8 kernels came with the second version of most operators.
    is_signed = inputs[0][0] == SIGNED and name not in ("HARD_SWISH", "PRELU", "RELU_N1_TO_1")
    writer.operator(name, places, [result], version=2 if is_signed else 1, **options)
    ((found,),) = run_on_litert(writer.finish(fed, [result]), [values], kernels)
    return found.astype(np.uint8) if kind == T.TENSOR_BOOL8 else found


def operand(random: np.random.Generator, kind: T, low: float = -4, high: float = 4) -> Operand:
    """A tensor; scales are below 1, where LiteRT compares codes."""
    if kind == FLOATS:
        return floats(random.uniform(low, high, SHAPE))
    lowest = LOWEST[kind]
    zero_point = int(random.integers(lowest, lowest + 256))
    return codes(random.integers(lowest, lowest + 256, SHAPE), float(random.uniform(0.01, 1)), zero_point, kind)


def target(like: Operand, scale: float, zero_point: int = 0, shape: Sequence[int] = SHAPE) -> Operand:
    """An output: codes of a scale and a zero point (counted from the lowest code), or floats."""
    kind = like[0]
    return (kind, shape, 0.0, 0) if kind == FLOATS else (kind, shape, float(scale), LOWEST[kind] + zero_point)


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("kind", [FLOATS, UNSIGNED, SIGNED], ids=lambda kind: kind.name)
@pytest.mark.parametrize("seed", range(3))
def test_operations_of_floats_and_codes(kernels: str, kind: T, seed: int) -> None:
    """Arithmetic with activations, activations, extremes, comparisons, means."""
    random = np.random.default_rng(seed)
    x, y = operand(random, kind), operand(random, kind)
    twin = (kind, y[1], *x[2:])
    same, reduced = (kind, SHAPE, *x[2:]), (kind, (SHAPE[0], SHAPE[2]), *x[2:])
    truth = (T.TENSOR_BOOL8, SHAPE, 0.0, 0)
    wide, activation = max(x[2], y[2]) * random.uniform(0.3, 4), int(random.integers(4))
    cases: list[tuple[O, str, list[Operand], Operand, list[Operand], dict[str, Any]]] = [
        (O.ADD, "ADD", [x, y], target(x, wide, 90), [number(activation)], {"activation": activation}),
        (O.SUB, "SUB", [x, y], target(x, wide, 130), [number(activation)], {"activation": activation}),
        (O.MUL, "MUL", [x, y], target(x, x[2] * y[2] * random.uniform(1.1, 40), 50), [number(0)], {}),
        (O.LOGISTIC, "LOGISTIC", [x], target(x, 1 / 256), [], {}),
        (O.TANH, "TANH", [x], target(x, 1 / 128, 128), [], {}),
        (O.HARD_SWISH, "HARD_SWISH", [x], target(x, x[2] * random.uniform(0.05, 3), 70), [], {}),
        (O.RELU6, "RELU6", [x], same, [], {}),
        (O.PRELU, "PRELU", [x, y], target(x, wide, 120), [], {}),
        (O.MAXIMUM, "MAXIMUM", [x, twin], same, [], {}),
        (O.EQUAL, "EQUAL", [x, y], truth, [], {}),
        (O.LESS, "LESS", [x, y], truth, [], {}),
        (O.MEAN, "MEAN", [x, *SUM_AXIS], reduced, [KEPT_NUMBER], {"keep_dims": False}),
        (O.REDUCE_MAX, "REDUCE_MAX", [x, *SUM_AXIS], reduced, [KEPT], {"keep_dims": False}),
    ]
    for operation, name, inputs, output, further, options in cases:
        (found,) = estimated(operation, inputs + further, output)
        assert compare_estimate(lite(name, inputs, output, options, kernels), found) is None, name


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("seed", range(3))
def test_operations_of_floats_alone(kernels: str, seed: int) -> None:
    """Functions, quotients, powers, sums and products."""
    random = np.random.default_rng(seed)
    x, y, positive = operand(random, FLOATS), operand(random, FLOATS), operand(random, FLOATS, 1e-3, 30)
    reduced = (FLOATS, (SHAPE[0], SHAPE[2]), 0.0, 0)
    cases: list[tuple[O, str, list[Operand], Operand, list[Operand], dict[str, Any]]] = [
        *((O[name], name, [x], target(x, 0), [], {}) for name in ("EXP", "ABS", "NEG", "FLOOR", "SIN")),
        *((O[name], name, [positive], target(x, 0), [], {}) for name in ("LOG", "SQRT", "RSQRT")),
        (O.POW, "POW", [positive, y], target(x, 0), [], {}),
        (O.DIV, "DIV", [x, y], target(x, 0), [number(3)], {"activation": 3}),
        (O.REDUCE_SUM, "SUM", [x, *SUM_AXIS], reduced, [KEPT], {"keep_dims": False}),
        (O.REDUCE_PROD, "REDUCE_PROD", [x, *SUM_AXIS], reduced, [KEPT], {"keep_dims": False}),
    ]
    for operation, name, inputs, output, further, options in cases:
        (found,) = estimated(operation, inputs + further, output)
        assert compare_estimate(lite(name, inputs, output, options, kernels), found) is None, name
