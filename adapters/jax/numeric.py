"""Elementwise operations, comparisons, reductions, normalisations, and changes of type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import lax

from nnvet.adapters.jax.emitter import JaxClaim, activating, of_images
from nnvet.adapters.runtimes.claims import BOOLEAN, BOTH_BYTES, FLOATS, INTEGER, UNSIGNED, Condition, element_name
from nnvet.adapters.runtimes.functions import Function, Make, claimed, computing, moving, plain
from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.reduction import reduced_axes

_T = OperandType
_PAIR: Final = ("input0", "input1")
_CODES: Final = (*FLOATS, *BOTH_BYTES)
_COMPARED: Final = (*_CODES, INTEGER, BOOLEAN)
_SMALLEST_NORM: Final = 1e-6
"""Divisor of the contract for elements that are smaller."""
_RANGES: Final = {INTEGER: (-(2**31), 2**31 - 1), UNSIGNED: (0, 255)}


def _arithmetic(function: Function) -> Make:
    def make(call: Call) -> Function:
        activate = activating(call)
        return lambda first, second: activate(function(first, second))

    return make


def _divide(call: Call) -> Function:
    return _divide_integers if call.output.type == INTEGER else _arithmetic(jnp.divide)(call)


def _divide_integers(first: Any, second: Any) -> Any:
    """Divide in 64 bits, where no quotient overflows; quotients are rounded down, and x / 0 is 0."""
    divisor = jnp.where(second == 0, 1, second.astype(jnp.int64))
    return jnp.where(second == 0, 0, jnp.floor_divide(first.astype(jnp.int64), divisor))


def _maximum(first: Any, second: Any) -> Any:
    """Return the first operand if one of the two is NaN, as the contract wants; jnp.maximum would return NaN."""
    return jnp.where(second > first, second, first)


def _minimum(first: Any, second: Any) -> Any:
    """Like :func:`_maximum`."""
    return jnp.where(second < first, second, first)


def _prelu(value: Any, slope: Any) -> Any:
    return jnp.where(value < 0, value * slope, value)


def _elu(call: Call) -> Function:
    alpha = call.scalar("alpha")
    return lambda value: jax.nn.elu(value, alpha)


def _reduction(function: Function) -> Make:
    """JAX takes no axes for none, as the contract does."""

    def make(call: Call) -> Function:
        axes, shape = tuple(reduced_axes(call)), call.output.dimensions
        return lambda value: function(value, axis=axes).reshape(shape)

    return make


def _product(value: Any, axis: tuple[int, ...]) -> Any:
    """In 64 bits no part overflows that another one brings to zero."""
    return jnp.prod(value.astype(jnp.float64), axis=axis)


def _index(function: Function) -> Make:
    def make(call: Call) -> Function:
        axis = call.scalar("axis")
        return lambda value: function(value, axis).astype(jnp.int32).reshape(call.output.dimensions)

    return make


def _softmax(function: Callable[..., Any]) -> Make:
    """Beta multiplies what is left of the largest element, as in the contract."""

    def make(call: Call) -> Function:
        beta, axis = call.scalar("beta"), call.scalar("axis", -1)
        return lambda value: function((value - value.max(axis, keepdims=True)) * beta, axis)

    return make


def _l2_normalization(call: Call) -> Function:
    axis = call.scalar("axis", -1)
    return lambda value: value / jnp.maximum(jnp.linalg.norm(value, axis=axis, keepdims=True), _SMALLEST_NORM)


def _local_response(call: Call) -> Function:
    """Sums of squares over a window along one axis."""
    axis, rank = call.scalar("axis", -1) % call["input"].rank, call["input"].rank
    radius = min(call.scalar("radius"), call["input"].dimensions[axis])
    alpha, beta, bias = (call.scalar(name) for name in ("alpha", "beta", "bias"))
    window = [2 * radius + 1 if place == axis else 1 for place in range(rank)]
    cells = [(radius, radius) if place == axis else (0, 0) for place in range(rank)]

    def normalized(value: Any) -> Any:
        sums = lax.reduce_window(value * value, value.dtype.type(0), lax.add, window, [1] * rank, cells)
        return value / jnp.power(bias + alpha * sums, beta)

    return normalized


def _instance_normalization(call: Call) -> Function:
    gamma, beta, epsilon = (call.scalar(name) for name in ("gamma", "beta", "epsilon"))

    def normalized(images: Any) -> Any:
        mean, variance = (function(images, axis=(2, 3), keepdims=True) for function in (jnp.mean, jnp.var))
        return (images - mean) / jnp.sqrt(variance + epsilon) * gamma + beta

    return normalized


def _cast(call: Call) -> Function:
    """Numbers that integers and codes cannot hold become the nearest that they can; NaN becomes 0."""
    dtype, bounds = element_name(call.output.type), _RANGES.get(OperandType(call.output.type))
    if bounds is None or call["input"].type == call.output.type:
        return lambda value: value.astype(dtype)
    return lambda value: jnp.clip(jnp.nan_to_num(value.astype(jnp.float64)), *bounds).astype(dtype)


def _same(value: Any) -> Any:
    return value


_NOT_NEGATIVE: Final = Condition(
    "alpha is not negative: beside a negative one the contract has another result for positive numbers",
    lambda call: call.scalar("alpha") >= 0,
)
_COMPARISONS: Final = ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
_UNARY: Final = (
    ("ABS", "abs", (*FLOATS, INTEGER), jnp.abs),
    ("EXP", "exp", FLOATS, jnp.exp),
    ("FLOOR", "floor", FLOATS, jnp.floor),
    ("HARD_SWISH", "hard_swish", _CODES, jax.nn.hard_swish),
    ("LOG", "log", FLOATS, jnp.log),
    ("LOGICAL_NOT", "logical_not", (BOOLEAN,), jnp.logical_not),
    ("LOGISTIC", "sigmoid", _CODES, jax.nn.sigmoid),
    ("NEG", "negative", (*FLOATS, INTEGER), jnp.negative),
    ("RELU", "relu", _CODES, jax.nn.relu),
    ("RELU1", "clip", _CODES, lambda value: jnp.clip(value, -1, 1)),
    ("RELU6", "relu6", _CODES, jax.nn.relu6),
    ("RSQRT", "rsqrt", _CODES, lax.rsqrt),
    ("SIN", "sin", FLOATS, jnp.sin),
    ("SQRT", "sqrt", FLOATS, jnp.sqrt),
    ("TANH", "tanh", _CODES, jnp.tanh),
)
_CAST: Final = (*_CODES, INTEGER, _T.TENSOR_QUANT8_SYMM, _T.TENSOR_QUANT16_ASYMM, _T.TENSOR_QUANT16_SYMM)
_READ: Final = (*BOTH_BYTES, _T.TENSOR_QUANT8_SYMM, _T.TENSOR_QUANT8_SYMM_PER_CHANNEL)

CLAIMS: Final[tuple[JaxClaim, ...]] = (
    claimed("ADD", "add, clip", (*_CODES, INTEGER), computing(_arithmetic(jnp.add), *_PAIR)),
    claimed("SUB", "subtract, clip", (*_CODES, INTEGER), computing(_arithmetic(jnp.subtract), *_PAIR)),
    claimed("MUL", "multiply, clip", (*_CODES, INTEGER), computing(_arithmetic(jnp.multiply), *_PAIR)),
    claimed(
        "DIV",
        "divide, clip; floor_divide and where in 64 bits for integers",
        (*FLOATS, INTEGER),
        computing(_divide, *_PAIR),
        otherwise="the contract lets the model pass and every execution fail",
    ),
    claimed("MAXIMUM", "greater, where", (*_CODES, INTEGER), plain(_maximum, *_PAIR)),
    claimed("MINIMUM", "less, where", (*_CODES, INTEGER), plain(_minimum, *_PAIR)),
    claimed("POW", "power", FLOATS, plain(jnp.power, "base", "exponent")),
    claimed("PRELU", "less, multiply, where", _CODES, plain(_prelu, "input", "alpha")),
    claimed("SELECT", "where", (*_CODES, INTEGER), plain(jnp.where, "condition", *_PAIR)),
    *(claimed(name, name.lower(), _COMPARED, plain(getattr(jnp, name.lower()), *_PAIR)) for name in _COMPARISONS),
    claimed("LOGICAL_AND", "logical_and", (BOOLEAN,), plain(jnp.logical_and, *_PAIR)),
    claimed("LOGICAL_OR", "logical_or", (BOOLEAN,), plain(jnp.logical_or, *_PAIR)),
    *(claimed(name, target, types, plain(function, "input")) for name, target, types, function in _UNARY),
    claimed("ELU", "elu", FLOATS, computing(_elu, "input"), _NOT_NEGATIVE),
    claimed("MEAN", "mean, reshape", _CODES, computing(_reduction(jnp.mean), "input")),
    claimed("REDUCE_PROD", "prod, reshape", FLOATS, computing(_reduction(_product), "input")),
    claimed("REDUCE_SUM", "sum, reshape", FLOATS, computing(_reduction(jnp.sum), "input")),
    claimed("REDUCE_MAX", "max, reshape", _CODES, moving(_reduction(jnp.max), "input")),
    claimed("REDUCE_MIN", "min, reshape", _CODES, moving(_reduction(jnp.min), "input")),
    claimed("REDUCE_ALL", "all, reshape", (BOOLEAN,), moving(_reduction(jnp.all), "input")),
    claimed("REDUCE_ANY", "any, reshape", (BOOLEAN,), moving(_reduction(jnp.any), "input")),
    claimed("ARGMAX", "argmax", (*_CODES, INTEGER), moving(_index(jnp.argmax), "input")),
    claimed("ARGMIN", "argmin", (*_CODES, INTEGER), moving(_index(jnp.argmin), "input")),
    claimed("SOFTMAX", "max, sub, mul, softmax", _CODES, computing(_softmax(jax.nn.softmax), "input")),
    claimed("LOG_SOFTMAX", "max, sub, mul, log_softmax", FLOATS, computing(_softmax(jax.nn.log_softmax), "input")),
    claimed("L2_NORMALIZATION", "norm, maximum, divide", _CODES, computing(_l2_normalization, "input")),
    claimed("LOCAL_RESPONSE_NORMALIZATION", "reduce_window, power", FLOATS, computing(_local_response, "input")),
    claimed(
        "INSTANCE_NORMALIZATION",
        "mean, var, sqrt, divide, multiply, add",
        FLOATS,
        computing(of_images(_instance_normalization), "input"),
    ),
    claimed("CAST", "nan_to_num, clip", _CAST, moving(_cast, "input"), otherwise="booleans lose their other bits"),
    claimed("QUANTIZE", "divide, floor, clip, astype", FLOATS, plain(_same, "input")),
    claimed("DEQUANTIZE", "subtract, multiply", _READ, plain(_same, "input")),
)
