"""Operations that work element by element, on numbers or arrays. From their pages in docs/contract/operations."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.oracle.operations import invocation
from nnvet.oracle.operations.activation import activate, code_bounds, wrap
from nnvet.oracle.operations.fixed_point_functions import mbqm, qm, rdbp, round_away, rounded, srdhm


def _in_double(of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function of numbers or arrays that is calculated in float64; poles and NaN are results like others."""

    def calculate(x: Any) -> Any:
        with np.errstate(all="ignore"):
            return of(np.float64(x))

    return calculate


FUNCTIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "FLOOR": _in_double(np.floor),
    "ABS": _in_double(np.abs),
    "EXP": _in_double(np.exp),
    "LOG": _in_double(np.log),
    "NEG": _in_double(np.negative),
    "RSQRT": _in_double(lambda x: 1 / np.sqrt(x)),
    "SIN": _in_double(np.sin),
    "SQRT": _in_double(np.sqrt),
}


def rsqrt_code(q: int, source: tuple[float, int], target: tuple[float, int], low: int, high: int) -> int:
    """Return the code of RSQRT for one code; ``source`` and ``target`` are (scale, zero point)."""
    x = np.float32(q - source[1]) * np.float32(source[0])
    if x <= 0:
        # Plus infinity and NaN both end at the highest code.
        return high
    r = np.float32(1) / np.sqrt(x)
    code = target[1] + round_away(float(r / np.float32(target[0])))
    return min(max(code, low), high)


def _function(name: str, call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: tensor."""
    if call.is_float:
        return invocation.Tensor.of(FUNCTIONS[name](call.real(0).array))
    if call.inputs[0].type == OperandType.TENSOR_INT32:
        x = call.whole(0).array
        return invocation.Tensor.of(wrap({"ABS": np.abs, "NEG": np.negative}[name](x)))
    source, target = call.inputs[0].quantization, call.output.quantization
    return invocation.each_code(lambda q: rsqrt_code(q, source, target, *call.output.limits), call.whole(0))


ARITHMETIC: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "DIV": np.divide,
}


def broadcast(x: invocation.Tensor, y: invocation.Tensor, of: Callable[[Any, Any], Any]) -> invocation.Tensor:
    """Return the element-wise result of broadcast operands: aligned at the last dimension, sizes of 1 repeated."""
    return invocation.Tensor.of(np.asarray(of(x.array, y.array)))


def of_floats(name: str, x: Any, y: Any, code: int) -> Any:
    """Return the result of one float32 operation, after the fused activation with this code."""
    with np.errstate(all="ignore"):
        return activate(ARITHMETIC[name](np.float32(x), np.float32(y)), code)


def of_integers(name: str, x: Any, y: Any) -> Any:
    """Return results in int32, which wrap around; a quotient is rounded toward minus infinity, and x / 0 is 0."""
    if name == "DIV":
        return wrap(invocation.choose(y == 0, 0, x // invocation.choose(y == 0, 1, y)))
    return wrap({"ADD": x + y, "SUB": x - y, "MUL": x * y}[name])


def of_codes(
    name: str,
    codes: tuple[Any, Any],
    inputs: Sequence[invocation.Quantization],
    target: invocation.Quantization,
    code: int,
    limits: tuple[int, int],
) -> Any:
    """Return output codes for the codes of two inputs; ``code`` is the fused activation's.

    ``inputs`` and ``target`` are scales and zero points, ``limits`` the lowest and highest code.
    """
    (s0, z0), (s1, z1) = inputs
    s_out, z_out = target
    p, q = codes[0] - z0, codes[1] - z1
    if name == "MUL":
        value = mbqm(p * q, *qm(float(np.float32(s0) * np.float32(s1)) / s_out))
    else:
        twice = 2 * max(s0, s1)
        m0, n0 = qm(s0 / twice)
        m1, n1 = qm(s1 / twice)
        mo, no = qm(twice / float(np.float32(2**20) * np.float32(s_out)))
        t0 = rdbp(srdhm(p * 2**20, m0), -n0)
        t1 = rdbp(srdhm(q * 2**20, m1 if name == "ADD" else -m1), -n1)
        value = mbqm(t0 + t1, mo, no)
    low, high = code_bounds(code, s_out, z_out, *limits)
    return np.clip(z_out + value, low, high)


def _arithmetic(name: str, call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: two tensors, activation."""
    if call.is_float:
        return broadcast(call.real(0), call.real(1), lambda x, y: of_floats(name, x, y, call.number(2)))
    x, y = call.whole(0), call.whole(1)
    if call.inputs[0].type == OperandType.TENSOR_INT32:
        return broadcast(x, y, partial(of_integers, name))
    quantizations = [value.quantization for value in call.inputs[:2]]
    target, limits = call.output.quantization, call.output.limits
    return broadcast(x, y, lambda p, q: of_codes(name, (p, q), quantizations, target, call.number(2), limits))


def extremum(name: str, x: Any, y: Any) -> Any:
    """Return the extremum as C++ does: the second operand only if it is beyond the first, so beside a NaN the first."""
    return invocation.choose(x < y if name == "MAXIMUM" else y < x, y, x)


def requantize(q: Any, source: tuple[float, int], target: tuple[float, int], low: int, high: int) -> Any:
    """Return codes with (scale, zero point) ``source`` as codes with ``target``."""
    real = np.float64(np.float32(q - source[1]) * np.float32(source[0]))
    code = real / float(np.float32(target[0])) + target[1]
    return rounded(np.clip(code, low, high))


def power(x: Any, y: Any) -> Any:
    """Return C's pow in double precision."""
    with np.errstate(all="ignore"):
        return np.power(np.float64(x), np.float64(y))


def prelu(x: Any, alpha: Any) -> Any:
    """Return x if x >= 0, otherwise x * alpha in float32."""
    with np.errstate(all="ignore"):
        return invocation.choose(x >= 0, x, np.float32(x) * np.float32(alpha))


def prelu_code(
    codes: tuple[Any, Any],
    x: tuple[float, int],
    alpha: tuple[float, int],
    target: tuple[float, int],
    bounds: tuple[int, int],
) -> Any:
    """Return codes of PRELU for codes of x and of alpha, each with its (scale, zero point)."""
    centred = codes[0] - x[1]
    straight = mbqm(centred, *qm(float(np.float32(x[0]) / np.float32(target[0]))))
    product = float(np.float32(x[0]) * np.float32(alpha[0]))
    sloped = mbqm(centred * (codes[1] - alpha[1]), *qm(product / float(np.float32(target[0]))))
    return np.clip(target[1] + invocation.choose(centred >= 0, straight, sloped), *bounds)


def _in_output_codes(call: invocation.Invocation, position: int) -> invocation.Tensor:
    """Return codes of an input as codes of the output."""
    source, output = call.inputs[position].quantization, call.output
    return invocation.Tensor.of(requantize(call.whole(position).array, source, output.quantization, *output.limits))


def _has_codes(value: invocation.OperandValue) -> bool:
    return value.scale > 0 and not value.is_float


def _extremum(name: str, call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: two tensors. Codes are brought to the output's scale before they are compared."""
    if _has_codes(call.output):
        return broadcast(_in_output_codes(call, 0), _in_output_codes(call, 1), partial(extremum, name))
    return broadcast(call.raw(0), call.raw(1), partial(extremum, name))


def _prelu(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: tensor, slopes."""
    if call.is_float:
        return broadcast(call.real(0), call.real(1), prelu)
    x, alpha = (value.quantization for value in call.inputs)
    target, limits = call.output.quantization, call.output.limits
    return broadcast(call.whole(0), call.whole(1), lambda p, q: prelu_code((p, q), x, alpha, target, limits))


def _select(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: truth values, tensor where true, tensor where false."""
    of = _in_output_codes if _has_codes(call.output) else invocation.Invocation.raw
    return invocation.Tensor.of(invocation.choose(call.array(0) != 0, of(call, 1).array, of(call, 2).array))


_BEYOND_ALL_CODES: Final = 2.0**24
"""A number larger than any code, and still exact in float32."""


def quantize(x: Any, target: tuple[float, int], low: int, high: int) -> Any:
    """Return codes of real values for (scale, zero point) ``target``; NaN gives the highest code."""
    with np.errstate(all="ignore"):
        quotient = np.float64(np.float32(x) / np.float32(target[0]))
    finite = np.clip(invocation.choose(np.isnan(quotient), np.inf, quotient), -_BEYOND_ALL_CODES, _BEYOND_ALL_CODES)
    return np.clip(target[1] + rounded(finite), low, high)


def dequantize(q: Any, scale: Any, zero_point: int) -> Any:
    """Return real values of codes, float32."""
    return np.float32(scale) * np.float32(q - zero_point)


def cast(x: Any, target: str) -> Any:
    """Return numbers as ``float32``, ``float16``, ``int32`` or ``uint8``.

    NaN and what int32 cannot hold are undefined.
    """
    with np.errstate(all="ignore"):
        if target in ("float32", "float16"):
            return np.dtype(target).type(x)
        return np.trunc(np.clip(x, 0, 255) if target == "uint8" else x).astype(np.int64)


def _quantize(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: tensor of real numbers."""
    return invocation.Tensor.of(quantize(call.real(0).array, call.output.quantization, *call.output.limits))


def _dequantize(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: tensor of codes."""
    source = call.inputs[0]
    scale: Any = source.scale
    if source.channel_quant is not None:
        shape = [1] * call.array(0).ndim
        shape[source.channel_quant.channel_dim] = -1
        scale = np.array(source.channel_quant.scales).reshape(shape)
    return invocation.Tensor.of(dequantize(call.whole(0).array, scale, source.zero_point))


def _cast(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: tensor. Scales and zero points count for nothing."""
    if call.inputs[0].type == call.output.type:
        return call.raw(0)
    return invocation.Tensor.of(cast(call.array(0), type_info(call.output.type).dtype))


RELATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "EQUAL": lambda x, y: x == y,
    "NOT_EQUAL": lambda x, y: x != y,
    "LESS": lambda x, y: x < y,
    "LESS_EQUAL": lambda x, y: x <= y,
    "GREATER": lambda x, y: x > y,
    "GREATER_EQUAL": lambda x, y: x >= y,
    "LOGICAL_AND": lambda x, y: (x != 0) & (y != 0),
    "LOGICAL_OR": lambda x, y: (x != 0) | (y != 0),
}


def relation(name: str, x: Any, y: Any) -> Any:
    """Return 1 where the relation holds for two numbers (or bytes of booleans), otherwise 0."""
    return invocation.choose(RELATIONS[name](x, y), 1, 0)


def relation_of_codes(name: str, x: tuple[Any, float, int], y: tuple[Any, float, int]) -> Any:
    """Return 1 where the relation holds for two sides (code, scale, zero point), compared in float32, otherwise 0."""
    return relation(name, dequantize(*x), dequantize(*y))


def _compare(name: str, call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: two tensors."""
    sides = [value.quantization for value in call.inputs]
    if call.is_float or call.inputs[0].type in (OperandType.TENSOR_INT32, OperandType.TENSOR_BOOL8):
        return broadcast(call.raw(0), call.raw(1), partial(relation, name))
    return broadcast(call.whole(0), call.whole(1), lambda x, y: relation_of_codes(name, (x, *sides[0]), (y, *sides[1])))


MEANINGS: Final = {
    **{O[name]: invocation.Meaning(partial(_function, name)) for name in FUNCTIONS},
    # Inputs: tensor of truth values, each a byte.
    O.LOGICAL_NOT: invocation.Meaning(lambda call: invocation.Tensor.of(invocation.choose(call.array(0) == 0, 1, 0))),
    **{O[name]: invocation.Meaning(partial(_arithmetic, name)) for name in ARITHMETIC},
    **{O[name]: invocation.Meaning(partial(_extremum, name)) for name in ("MAXIMUM", "MINIMUM")},
    O.POW: invocation.Meaning(lambda call: broadcast(call.real(0), call.real(1), power)),
    O.PRELU: invocation.Meaning(_prelu),
    O.SELECT: invocation.Meaning(_select),
    O.QUANTIZE: invocation.Meaning(_quantize),
    O.DEQUANTIZE: invocation.Meaning(_dequantize),
    O.CAST: invocation.Meaning(_cast),
    **{O[name]: invocation.Meaning(partial(_compare, name)) for name in RELATIONS},
}
