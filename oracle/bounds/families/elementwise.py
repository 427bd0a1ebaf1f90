"""FLOOR, ABS, EXP, LOG, NEG, RSQRT, SIN, SQRT, LOGICAL_NOT."""

from collections.abc import Callable
from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.patterns import EXACT, elementwise, opened, selecting
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.spreading import Interval, corners, is_negative_zero, lipschitz
from nnvet.oracle.bounds.storing import growing, of_magnitude, roundings
from nnvet.oracle.operations.tensor import Array

# Source of the local errors: docs/contract/accuracy.md 2, absolute error.
_EXPONENTIAL: Final = growing(
    2, 2, lambda call: np.abs(call.value(0)), "2 units of roundoff of |result| * (1 + |x|), most of it independent"
)
_LOGARITHM: Final = of_magnitude(2, lambda _call, value: 1 + np.abs(value), "1 + |result|")
_SINE: Final = of_magnitude(2, lambda call, _value: np.abs(call.value(0)), "|x|")


_ABOVE: Final = 8.0
"""Units of roundoff by which a sine may be beyond 1, as a polynomial is: OpenCL's 4 ulp."""


def _pole(of: Callable[..., Array], x: Interval, middle: Array | None = None) -> Array:
    """As the ends of the interval; a zero may have either sign."""
    return np.where(is_negative_zero(x[0]), np.inf, corners(of, x, middle=middle))


def _not(call: EstimatedCall) -> list[Estimate]:
    source = call.estimate(0)
    return [opened(call.output, source.value == 0, source.error > 0)]


RULES: Final[dict[O, BoundRule]] = {
    O.FLOOR: selecting(np.floor, 0, contracts=False),
    O.ABS: selecting(np.abs, 0),
    O.NEG: selecting(np.negative, 0),
    O.EXP: elementwise(lambda _: np.exp, local=_EXPONENTIAL),
    O.LOG: elementwise(lambda _: np.log, local=_LOGARITHM),
    O.RSQRT: elementwise(lambda _: lambda x: 1 / np.sqrt(x), local=roundings(3), spreads=_pole),
    O.SIN: elementwise(
        lambda _: np.sin,
        local=_SINE,
        spreads=lipschitz(np.ones_like),
        limits=lambda call: (-1 - _ABOVE * call.precision.unit, 1 + _ABOVE * call.precision.unit),
        propagation="error of the input, in the range of the function",
    ),
    O.SQRT: elementwise(lambda _: np.sqrt, local=roundings(2)),
    O.LOGICAL_NOT: BoundRule(_not, EXACT, EXACT, "where the input is not decided"),
}
