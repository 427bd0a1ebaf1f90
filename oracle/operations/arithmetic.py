"""ADD, SUB, MUL, DIV. Written from their pages in docs/contract/operations.

The functions take numbers or arrays.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.fixed_point_functions import mbqm, qm, rdbp, srdhm
from nnvet.oracle.operations.fused_activation import activate, code_bounds, wrap
from nnvet.oracle.operations.invocation import Invocation, Meaning, Quantization
from nnvet.oracle.operations.tensor import Tensor, choose

FLOAT: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "DIV": np.divide,
}


def broadcast(x: Tensor, y: Tensor, of: Callable[[Any, Any], Any]) -> Tensor:
    """Element-wise result of broadcast operands: sizes are aligned at the last dimension, those of 1 are stretched."""
    return Tensor.of(np.asarray(of(x.array, y.array)))


def of_floats(name: str, x: Any, y: Any, code: int) -> Any:
    """One float32 operation, then the activation."""
    with np.errstate(all="ignore"):
        return activate(FLOAT[name](np.float32(x), np.float32(y)), code)


def of_integers(name: str, x: Any, y: Any) -> Any:
    """Integers wrap around; division rounds toward minus infinity, by zero gives zero."""
    if name == "DIV":
        return wrap(choose(y == 0, 0, x // choose(y == 0, 1, y)))
    return wrap({"ADD": x + y, "SUB": x - y, "MUL": x * y}[name])


def of_codes(
    name: str,
    codes: tuple[Any, Any],
    inputs: Sequence[Quantization],
    target: Quantization,
    code: int,
    limits: tuple[int, int],
) -> Any:
    """Output codes of the codes of two inputs with scales and zero points ``inputs``."""
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


def _arithmetic(name: str, call: Invocation) -> Tensor:
    """Inputs: two tensors, activation."""
    if call.is_float:
        return broadcast(call.real(0), call.real(1), lambda x, y: of_floats(name, x, y, call.number(2)))
    x, y = call.whole(0), call.whole(1)
    if call.inputs[0].type == OperandType.TENSOR_INT32:
        return broadcast(x, y, partial(of_integers, name))
    quantizations = [value.quantization for value in call.inputs[:2]]
    target, limits = call.output.quantization, call.output.limits
    return broadcast(x, y, lambda p, q: of_codes(name, (p, q), quantizations, target, call.number(2), limits))


MEANINGS: Final = {O[name]: Meaning(partial(_arithmetic, name)) for name in FLOAT}
