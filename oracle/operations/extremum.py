"""MAXIMUM, MINIMUM, POW, PRELU, SELECT and requantisation, of numbers or arrays.

Written from their pages in docs/contract/operations.
"""

from functools import partial
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.arithmetic import broadcast
from nnvet.oracle.operations.fixed_point_functions import mbqm, qm, rounded
from nnvet.oracle.operations.invocation import Invocation, Meaning, OperandValue
from nnvet.oracle.operations.tensor import Tensor, choose


def extremum(name: str, x: Any, y: Any) -> Any:
    """C++ max and min: the second only if it is really larger or smaller, so the first where either is NaN."""
    return choose(x < y if name == "MAXIMUM" else y < x, y, x)


def requantize(q: Any, source: tuple[float, int], target: tuple[float, int], low: int, high: int) -> Any:
    """Codes with (scale, zero point) ``source`` as codes with ``target``."""
    real = np.float64(np.float32(q - source[1]) * np.float32(source[0]))
    code = real / float(np.float32(target[0])) + target[1]
    return rounded(np.clip(code, low, high))


def power(x: Any, y: Any) -> Any:
    """C's pow, in double."""
    with np.errstate(all="ignore"):
        return np.power(np.float64(x), np.float64(y))


def prelu(x: Any, alpha: Any) -> Any:
    """X if x >= 0, else x * alpha in float32."""
    with np.errstate(all="ignore"):
        return choose(x >= 0, x, np.float32(x) * np.float32(alpha))


def prelu_code(
    codes: tuple[Any, Any],
    x: tuple[float, int],
    alpha: tuple[float, int],
    target: tuple[float, int],
    bounds: tuple[int, int],
) -> Any:
    """Quantised PRELU of codes of x and of alpha, each with its (scale, zero point)."""
    centred = codes[0] - x[1]
    straight = mbqm(centred, *qm(float(np.float32(x[0]) / np.float32(target[0]))))
    product = float(np.float32(x[0]) * np.float32(alpha[0]))
    sloped = mbqm(centred * (codes[1] - alpha[1]), *qm(product / float(np.float32(target[0]))))
    return np.clip(target[1] + choose(centred >= 0, straight, sloped), *bounds)


def _in_output_codes(call: Invocation, position: int) -> Tensor:
    """Codes of an input as codes of the output."""
    source, output = call.inputs[position].quantization, call.output
    return Tensor.of(requantize(call.whole(position).array, source, output.quantization, *output.limits))


def _has_codes(value: OperandValue) -> bool:
    return value.scale > 0 and not value.is_float


def _extremum(name: str, call: Invocation) -> Tensor:
    """Inputs: two tensors. Codes are brought to the output's scale before they are compared."""
    if _has_codes(call.output):
        return broadcast(_in_output_codes(call, 0), _in_output_codes(call, 1), partial(extremum, name))
    return broadcast(call.raw(0), call.raw(1), partial(extremum, name))


def _prelu(call: Invocation) -> Tensor:
    """Inputs: tensor, slopes."""
    if call.is_float:
        return broadcast(call.real(0), call.real(1), prelu)
    x, alpha = (value.quantization for value in call.inputs)
    target, limits = call.output.quantization, call.output.limits
    return broadcast(call.whole(0), call.whole(1), lambda p, q: prelu_code((p, q), x, alpha, target, limits))


def _select(call: Invocation) -> Tensor:
    """Inputs: truth values, tensor where true, tensor where false."""
    of = _in_output_codes if _has_codes(call.output) else Invocation.raw
    return Tensor.of(choose(call.array(0) != 0, of(call, 1).array, of(call, 2).array))


MEANINGS: Final = {
    **{O[name]: Meaning(partial(_extremum, name)) for name in ("MAXIMUM", "MINIMUM")},
    O.POW: Meaning(lambda call: broadcast(call.real(0), call.real(1), power)),
    O.PRELU: Meaning(_prelu),
    O.SELECT: Meaning(_select),
}
