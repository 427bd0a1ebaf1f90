"""Claims of elementwise operations, comparisons, reductions, softmax, and changes of type.

The calls are those of :mod:`nnvet.adapters.runtimes.arrays`, so all libraries of arrays share this table.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from nnvet.adapters.runtimes import claims
from nnvet.adapters.runtimes.arrays import ArrayCalls, ArrayEmitter, MakeArrays, activating, computing_by, moving_by
from nnvet.adapters.runtimes.functions import Function, claimed, plain
from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.reduction import reduced_axes

_T = OperandType
_PAIR: Final = ("input0", "input1")
"""Names of the inputs of operations on two tensors."""
_CODES: Final = (*claims.FLOATS, *claims.BOTH_BYTES)
"""Types of operations on floats and 8-bit codes."""
_COMPARED: Final = (*_CODES, claims.INTEGER, claims.BOOLEAN)
"""Types of comparisons."""
_RANGES: Final = {claims.INTEGER: (-(2**31), 2**31 - 1), claims.UNSIGNED: (0, 255)}
"""Ranges to which CAST limits numbers, by its output's type."""


def _make_arithmetic(name: str) -> MakeArrays:
    def make(calls: ArrayCalls, call: Call) -> Function:
        function, activate = getattr(calls, name), activating(calls, call)
        return lambda first, second: activate(function(first, second))

    return make


def _divide(calls: ArrayCalls, call: Call) -> Function:
    """Divide integers in 64 bits, where no quotient overflows; quotients are rounded down, and x / 0 is 0."""
    if call.output.type != claims.INTEGER:
        return _make_arithmetic("divide")(calls, call)

    def divided(first: Any, second: Any) -> Any:
        divisor = calls.where(second == 0, 1, calls.cast(second, "int64"))
        return calls.where(second == 0, 0, calls.floor_divide(calls.cast(first, "int64"), divisor))

    return divided


def _make_extreme(is_beyond: Callable[[Any, Any], Any]) -> MakeArrays:
    """Return MAXIMUM or MINIMUM by a selection: beside a NaN the contract has the first operand, libraries have NaN."""
    return lambda calls, _: lambda first, second: calls.where(is_beyond(second, first), second, first)


def _prelu(calls: ArrayCalls, call: Call) -> Function:
    """Return the function of PRELU with slopes that are broadcast.

    A library's own prelu may take only one slope for each channel.
    """
    del call
    return lambda value, slope: calls.where(value < 0, value * slope, value)


def _elu(calls: ArrayCalls, call: Call) -> Function:
    alpha = call.scalar("alpha")
    return lambda value: calls.elu(value, alpha)


def _make_call(name: str) -> MakeArrays:
    return lambda calls, _: getattr(calls, name)


def _make_clip(low: int, high: int) -> MakeArrays:
    return lambda calls, _: lambda value: calls.clip(value, low, high)


def _make_reduction(name: str) -> MakeArrays:
    """Return a reduction; an empty list of axes reduces nothing, though some libraries then reduce all axes."""

    def make(calls: ArrayCalls, call: Call) -> Function:
        axes, shape, function = tuple(reduced_axes(call)), call.output.dimensions, getattr(calls, name)
        return lambda value: (function(value, axes) if axes else value).reshape(shape)

    return make


def _product(calls: ArrayCalls, call: Call) -> Function:
    """Return the product, one axis at a time, since all libraries can do that.

    Computed in 64 bits, no partial product overflows that a later factor of zero would make zero.
    """
    axes, shape = sorted(reduced_axes(call), reverse=True), call.output.dimensions

    def product(value: Any) -> Any:
        wide = calls.cast(value, "float64")
        for axis in axes:
            wide = calls.prod(wide, axis)
        return wide.reshape(shape)

    return product


def _make_index(name: str) -> MakeArrays:
    def make(calls: ArrayCalls, call: Call) -> Function:
        axis, function, shape = call.scalar("axis"), getattr(calls, name), call.output.dimensions
        return lambda value: calls.cast(function(value, axis), "int32").reshape(shape)

    return make


def _make_softmax(name: str) -> MakeArrays:
    """Subtract the largest element before multiplying by beta, as in the contract: smaller numbers, smaller errors."""

    def make(calls: ArrayCalls, call: Call) -> Function:
        beta, axis, function = call.scalar("beta"), call.scalar("axis", -1), getattr(calls, name)
        return lambda value: function((value - calls.amax(value, axis, keepdims=True)) * beta, axis)

    return make


def _cast(calls: ArrayCalls, call: Call) -> Function:
    """Return the function of CAST: numbers beyond the range of integers or codes become the nearest one in the range.

    NaN becomes 0.
    """
    dtype, bounds = claims.element_name(call.output.type), _RANGES.get(OperandType(call.output.type))
    if bounds is None or call["input"].type == call.output.type:
        return lambda value: calls.cast(value, dtype)
    return lambda value: calls.cast(calls.clip(calls.nan_to_num(calls.cast(value, "float64")), *bounds), dtype)


def _same(value: Any) -> Any:
    return value


_NOT_NEGATIVE: Final = claims.Condition(
    "alpha is not negative: with a negative one the contract has another result for positive numbers",
    lambda call: call.scalar("alpha") >= 0,
)
_COMPARISONS: Final = (
    ("EQUAL", operator.eq),
    ("NOT_EQUAL", operator.ne),
    ("LESS", operator.lt),
    ("LESS_EQUAL", operator.le),
    ("GREATER", operator.gt),
    ("GREATER_EQUAL", operator.ge),
)
_UNARY: Final = (
    ("ABS", "abs", (*claims.FLOATS, claims.INTEGER)),
    ("EXP", "exp", claims.FLOATS),
    ("FLOOR", "floor", claims.FLOATS),
    ("HARD_SWISH", "hard_swish", _CODES),
    ("LOG", "log", claims.FLOATS),
    ("LOGICAL_NOT", "logical_not", (claims.BOOLEAN,)),
    ("LOGISTIC", "sigmoid", _CODES),
    ("NEG", "negative", (*claims.FLOATS, claims.INTEGER)),
    ("RELU", "relu", _CODES),
    ("RELU6", "relu6", _CODES),
    ("RSQRT", "rsqrt", _CODES),
    ("SIN", "sin", claims.FLOATS),
    ("SQRT", "sqrt", claims.FLOATS),
    ("TANH", "tanh", _CODES),
)
_REDUCTIONS: Final = (
    ("REDUCE_MAX", "amax", _CODES),
    ("REDUCE_MIN", "amin", _CODES),
    ("REDUCE_ALL", "all", (claims.BOOLEAN,)),
    ("REDUCE_ANY", "any", (claims.BOOLEAN,)),
)
_CAST: Final = (*_CODES, claims.INTEGER, _T.TENSOR_QUANT8_SYMM, _T.TENSOR_QUANT16_ASYMM, _T.TENSOR_QUANT16_SYMM)
"""Types between which CAST converts or copies."""
_READ: Final = (*claims.BOTH_BYTES, _T.TENSOR_QUANT8_SYMM, _T.TENSOR_QUANT8_SYMM_PER_CHANNEL)
"""Types of codes that DEQUANTIZE takes."""

CLAIMS: Final[tuple[claims.Claim[ArrayEmitter], ...]] = (
    *(
        claimed(name, f"{target}, clip", (*_CODES, claims.INTEGER), computing_by(_make_arithmetic(target), *_PAIR))
        for name, target in (("ADD", "add"), ("SUB", "subtract"), ("MUL", "multiply"))
    ),
    claimed(
        "DIV",
        "divide, clip; floor_divide and where in 64 bits for integers",
        (*claims.FLOATS, claims.INTEGER),
        computing_by(_divide, *_PAIR),
        otherwise="such a model is valid, but every execution of it fails",
    ),
    claimed("MAXIMUM", "greater, where", (*_CODES, claims.INTEGER), computing_by(_make_extreme(operator.gt), *_PAIR)),
    claimed("MINIMUM", "less, where", (*_CODES, claims.INTEGER), computing_by(_make_extreme(operator.lt), *_PAIR)),
    claimed("POW", "pow", claims.FLOATS, computing_by(_make_call("pow"), "base", "exponent")),
    claimed("PRELU", "less, multiply, where", _CODES, computing_by(_prelu, "input", "alpha")),
    claimed("SELECT", "where", (*_CODES, claims.INTEGER), computing_by(_make_call("where"), "condition", *_PAIR)),
    *(claimed(name, name.lower(), _COMPARED, plain(function, *_PAIR)) for name, function in _COMPARISONS),
    claimed("LOGICAL_AND", "logical_and", (claims.BOOLEAN,), computing_by(_make_call("logical_and"), *_PAIR)),
    claimed("LOGICAL_OR", "logical_or", (claims.BOOLEAN,), computing_by(_make_call("logical_or"), *_PAIR)),
    *(claimed(name, target, types, computing_by(_make_call(target), "input")) for name, target, types in _UNARY),
    claimed("RELU1", "clip", _CODES, computing_by(_make_clip(-1, 1), "input")),
    claimed("ELU", "elu", claims.FLOATS, computing_by(_elu, "input"), _NOT_NEGATIVE),
    claimed("MEAN", "mean, reshape", _CODES, computing_by(_make_reduction("mean"), "input")),
    claimed("REDUCE_PROD", "prod, reshape", claims.FLOATS, computing_by(_product, "input")),
    claimed("REDUCE_SUM", "sum, reshape", claims.FLOATS, computing_by(_make_reduction("sum"), "input")),
    *(
        claimed(name, f"{target}, reshape", types, moving_by(_make_reduction(target), "input"))
        for name, target, types in _REDUCTIONS
    ),
    claimed("ARGMAX", "argmax", (*_CODES, claims.INTEGER), moving_by(_make_index("argmax"), "input")),
    claimed("ARGMIN", "argmin", (*_CODES, claims.INTEGER), moving_by(_make_index("argmin"), "input")),
    claimed("SOFTMAX", "amax, subtract, multiply, softmax", _CODES, computing_by(_make_softmax("softmax"), "input")),
    claimed(
        "LOG_SOFTMAX",
        "amax, subtract, multiply, log_softmax",
        claims.FLOATS,
        computing_by(_make_softmax("log_softmax"), "input"),
    ),
    claimed(
        "CAST", "nan_to_num, clip, cast", _CAST, moving_by(_cast, "input"), otherwise="booleans lose their other bits"
    ),
    claimed("QUANTIZE", "divide, floor, clip, cast", claims.FLOATS, plain(_same, "input")),
    claimed("DEQUANTIZE", "subtract, multiply", _READ, plain(_same, "input")),
)
