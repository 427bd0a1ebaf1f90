"""FLOOR, ABS, EXP, LOG, NEG, RSQRT, SIN, SQRT, LOGICAL_NOT. From their pages in docs/contract/operations."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.fixed_point_functions import round_away
from nnvet.oracle.operations.fused_activation import wrap
from nnvet.oracle.operations.invocation import Invocation, Meaning, each_code
from nnvet.oracle.operations.tensor import Tensor, choose


def _in_double(of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of numbers or arrays that is calculated in float64; poles and NaN are results like others."""

    def calculate(x: Any) -> Any:
        with np.errstate(all="ignore"):
            return of(np.float64(x))

    return calculate


FLOAT: Final[dict[str, Callable[[Any], Any]]] = {
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
    """Quantised RSQRT; ``source`` and ``target`` are (scale, zero point)."""
    x = np.float32(q - source[1]) * np.float32(source[0])
    if x <= 0:
        # Plus infinity and NaN both end at the highest code.
        return high
    r = np.float32(1) / np.sqrt(x)
    code = target[1] + round_away(float(r / np.float32(target[0])))
    return min(max(code, low), high)


def _function(name: str, call: Invocation) -> Tensor:
    """Inputs: tensor."""
    if call.is_float:
        return Tensor.of(FLOAT[name](call.real(0).array))
    if call.inputs[0].type == OperandType.TENSOR_INT32:
        x = call.whole(0).array
        return Tensor.of(wrap({"ABS": np.abs, "NEG": np.negative}[name](x)))
    source, target = call.inputs[0].quantization, call.output.quantization
    return each_code(lambda q: rsqrt_code(q, source, target, *call.output.limits), call.whole(0))


MEANINGS: Final = {
    **{O[name]: Meaning(partial(_function, name)) for name in FLOAT},
    # Inputs: tensor of truth values, each a byte.
    O.LOGICAL_NOT: Meaning(lambda call: Tensor.of(choose(call.array(0) == 0, 1, 0))),
}
