"""ADD, SUB, MUL, DIV."""

from collections.abc import Callable
from functools import partial
from math import frexp
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.patterns import elementwise
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.spreading import corners, with_pole
from nnvet.oracle.bounds.storing import CORRECTLY_ROUNDED, Local, LocalError, is_varied
from nnvet.oracle.operations.arithmetic import FLOAT, of_integers
from nnvet.oracle.operations.tensor import Array

_SUM_BITS: Final = 20


def _by_reciprocal(call: EstimatedCall, value: Array) -> LocalError:
    """Drivers may multiply by the reciprocal; its error is that of all elements that are divided by one number.

    That of a large divisor is subnormal, and may be flushed to zero.
    """
    error, divisor = call.precision.sum_unit * np.abs(value), call.value(1)
    is_lost = np.abs(divisor) + call.error(1) > 1 / call.precision.smallest_step
    lost = np.where(is_lost, np.abs(value), 0.0)
    if divisor.shape != value.shape or not is_varied(divisor):
        return LocalError(shared=error + lost)
    return LocalError(shared=lost, independent=error, deviation=error)


_DIVISION: Final = Local(
    _by_reciprocal, "1 unit of roundoff of the result, and rounded; all where the reciprocal is subnormal"
)


def fixed_point_grid(multiplier: float) -> float:
    """Return the part of a code to which a fixed-point multiplier rounds first: one below 1/2 shifts to the right then.

    0 where it rounds once. Source: docs/contract/operations/common.md 14, MBQM.
    """
    return float(2.0 ** frexp(multiplier)[1]) if frexp(multiplier)[1] < 0 else 0.0


def _is_of_codes(call: EstimatedCall) -> bool:
    return not call.output.is_float and call.output.scale > 0


def _slack(call: EstimatedCall) -> float:
    """Each side of a sum is rounded 20 bits below the larger scale."""
    if not _is_of_codes(call) or call.operation == O.MUL:
        return 0.0
    return 2 * max(call.parameters.inputs[i].scale for i in range(2)) / 2.0**_SUM_BITS / call.output.scale


def _grid(call: EstimatedCall) -> float:
    """Products are requantised in two roundings."""
    if not _is_of_codes(call) or call.operation != O.MUL:
        return 0.0
    first, second = (call.parameters.inputs[i].scale for i in range(2))
    return fixed_point_grid(first * second / call.output.scale)


def _of(name: str, call: EstimatedCall) -> Callable[[Any, Any], Any]:
    return partial(of_integers, name) if call.output.type == OperandType.TENSOR_INT32 else FLOAT[name]


RULES: Final[dict[O, BoundRule]] = {
    O[name]: elementwise(
        partial(_of, name),
        2,
        _DIVISION if name == "DIV" else CORRECTLY_ROUNDED,
        activation=2,
        slack=_slack,
        grid=_grid,
        spreads=with_pole if name == "DIV" else corners,
    )
    for name in FLOAT
}
