"""Formulas of several steps, each step rounded: means, norms, variances, softmax, functions made of others.

A :class:`Machine` is the arithmetic: a format, flushing, the quality of its functions. Numbers are float64 arrays
whose elements are numbers of the format; one more rounding changes no sum, product, quotient or root of float32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.oracle.arithmetic.sums import Array
from nnvet.oracle.operations.activation import activate
from nnvet.oracle.operations.convolution import activation_and_layout, pooled
from nnvet.oracle.operations.indexing import reduced_shape
from nnvet.oracle.operations.invocation import Invocation, Tensor, in_layout, in_nhwc
from nnvet.oracle.operations.reduction import members
from tools.oracle_study.driver import FLOATS, HonestDriver, OwnRule, own

_TINY: Final = 2.0**-126
_HALF_ULP: Final = 0.5
_SMALLEST_NORM: Final = 1e-6


@dataclass(frozen=True)
class Machine:
    """Arithmetic in float32. ``ulps``: functions are off by so much, up, down or by chance (``side`` 1, -1, 0)."""

    flushes: bool = False
    ulps: float = _HALF_ULP
    side: int = 0

    def near(self, exact: Any) -> Array:
        """Return the nearest number, or zero in place of a subnormal one."""
        found = np.asarray(exact, np.float64).astype(np.float32).astype(np.float64)
        return np.where(np.abs(found) < _TINY, 0.0, found) if self.flushes else found

    def of(self, function: Callable[..., Any], *arguments: Any) -> Array:
        """Return a function with its error."""
        exact = np.asarray(function(*arguments), np.float64)
        if self.ulps <= _HALF_ULP:
            return self.near(exact)
        spacing = np.ldexp(1.0, np.frexp(np.where(np.isfinite(exact), np.abs(exact), 1.0))[1] - 24)
        chance = np.random.default_rng(exact.size).uniform(-1, 1, exact.shape) if self.side == 0 else self.side
        is_ordinary = np.isfinite(exact) & (np.abs(exact) >= _TINY)
        # Functions are exact where everybody's are: e^0, log 1, whole powers.
        is_exact = exact == np.rint(exact)
        off = np.where(is_ordinary & ~is_exact, (self.ulps - _HALF_ULP) * chance * spacing, 0.0)
        return self.near(exact + off)

    def total(self, terms: Array) -> Array:
        """Return sums along the last dimension, one term after the other."""
        found = np.zeros(terms.shape[:-1])
        for place in range(terms.shape[-1]):
            found = self.near(found + terms[..., place])
        return found


Formula: TypeAlias = Callable[[Machine, Invocation], Array]


def _reals(machine: Machine, call: Invocation, position: int = 0) -> Array:
    return machine.near(call.array(position))


def _along(call: Invocation, position: int, of: Callable[[Array], Array], x: Array) -> Array:
    axis = int(call.number(position)) if len(call) > position else -1
    return np.moveaxis(of(np.moveaxis(x, axis, -1)), -1, axis)


def softmax(machine: Machine, call: Invocation) -> Array:
    """Shifted by the largest, summed, multiplied by the reciprocal."""

    def rows(x: Array) -> Array:
        near = machine.near
        shifted = near(near(x - x.max(-1, keepdims=True)) * near(call.number(1)))
        powers = machine.of(np.exp, shifted)
        return near(powers * near(1 / machine.total(powers)[..., None]))

    return _along(call, 2, rows, _reals(machine, call))


def online_softmax(machine: Machine, call: Invocation) -> Array:
    """One pass: the sum is brought down whenever a larger number comes."""
    near = machine.near

    def rows(x: Array) -> Array:
        beta = near(call.number(1))
        largest, total = x[..., 0], np.ones(x.shape[:-1])
        for place in range(1, x.shape[-1]):
            new = np.maximum(largest, x[..., place])
            kept = near(total * machine.of(np.exp, near(near(largest - new) * beta)))
            total = near(kept + machine.of(np.exp, near(near(x[..., place] - new) * beta)))
            largest = new
        powers = machine.of(np.exp, near(near(x - largest[..., None]) * beta))
        return near(powers / total[..., None])

    return _along(call, 2, rows, _reals(machine, call))


def log_softmax(machine: Machine, call: Invocation) -> Array:
    """Return the difference from the largest, less the logarithm of the sum."""
    near = machine.near

    def rows(x: Array) -> Array:
        shifted = near(near(x - x.max(-1, keepdims=True)) * near(call.number(1)))
        return near(shifted - machine.of(np.log, machine.total(machine.of(np.exp, shifted)))[..., None])

    return _along(call, 2, rows, _reals(machine, call))


def mean(machine: Machine, call: Invocation) -> Array:
    """Return the sum, times the reciprocal of the count."""
    x, axes = _reals(machine, call), call.list(1)
    rows = members(x, axes)
    found = machine.near(machine.total(rows) * machine.near(1 / rows.shape[-1]))
    return found.reshape(reduced_shape(x.shape, axes, keep=call.number(2) > 0))


def reduce_sum(machine: Machine, call: Invocation) -> Array:
    """Return one term after the other."""
    x, axes = _reals(machine, call), call.list(1)
    return machine.total(members(x, axes)).reshape(reduced_shape(x.shape, axes, keep=call.flag(2)))


def average_pool(machine: Machine, call: Invocation) -> Array:
    """Return sums of windows times the reciprocals of their sizes."""

    def of(seen: Array, inside: Array) -> Array:
        total = machine.total(np.moveaxis(seen, 0, -1))
        return machine.near(total * machine.near(1 / inside.sum(0)))

    return _pooled(call, of, _reals(machine, call))


def l2_pool(machine: Machine, call: Invocation) -> Array:
    """Roots of the mean squares."""

    def of(seen: Array, inside: Array) -> Array:
        total = machine.total(np.moveaxis(machine.near(seen * seen), 0, -1))
        return machine.of(np.sqrt, machine.near(total / inside.sum(0)))

    return _pooled(call, of, _reals(machine, call))


def _pooled(call: Invocation, of: Callable[[Array, Array], Array], x: Array) -> Array:
    code, nchw = activation_and_layout(call)
    found = activate(pooled(call, x, of).array, code)
    return in_layout(Tensor.of(found), nchw=nchw).array


def l2_normalization(machine: Machine, call: Invocation) -> Array:
    """Times the reciprocal of the root of the sum of squares."""

    def rows(x: Array) -> Array:
        norm = np.maximum(machine.of(np.sqrt, machine.total(machine.near(x * x))), machine.near(_SMALLEST_NORM))
        return machine.near(x * machine.near(1 / norm)[..., None])

    return _along(call, 1, rows, _reals(machine, call))


def local_response(machine: Machine, call: Invocation) -> Array:
    """Return the sum of squares of each window by itself, and its power by logarithm and exponential of the library."""
    radius, *scalars = call.numbers(1, 4)
    bias, alpha, beta = (machine.near(scalar) for scalar in scalars)
    near = machine.near

    def rows(x: Array) -> Array:
        squares, size = near(x * x), x.shape[-1]
        totals = [
            machine.total(squares[..., max(place - radius, 0) : min(place + radius + 1, size)]) for place in range(size)
        ]
        base = near(bias + near(alpha * np.stack(totals, -1)))
        return near(x * machine.of(np.power, base, -beta))

    return _along(call, 5, rows, _reals(machine, call))


def instance_normalization(machine: Machine, call: Invocation, *, one_pass: bool = False) -> Array:
    """Mean, variance in two passes or one, and the product with the reciprocal root."""
    near, nchw = machine.near, call.flag(4)
    image = in_nhwc(Tensor.of(_reals(machine, call)), nchw=nchw).array
    gamma, beta, epsilon = (near(scalar) for scalar in call.numbers(1, 3))
    cells = image.reshape(len(image), -1, image.shape[-1]).swapaxes(1, 2)
    count = cells.shape[-1]
    average = near(machine.total(cells) / count)[..., None]
    deviation = near(cells - average)
    if one_pass:
        variance = near(near(machine.total(near(cells * cells)) / count)[..., None] - near(average * average))
    else:
        variance = near(machine.total(near(deviation * deviation)) / count)[..., None]
    factor = near(1 / machine.of(np.sqrt, near(variance + epsilon)))
    found = near(near(near(deviation * gamma) * factor) + beta).swapaxes(1, 2).reshape(image.shape)
    return in_layout(Tensor.of(found), nchw=nchw).array


def divide(machine: Machine, call: Invocation) -> Array:
    """By way of the reciprocal."""
    first, second = (_reals(machine, call, position) for position in (0, 1))
    found = machine.near(first * machine.near(1 / second))
    return np.asarray(activate(found, call.number(2)))


def _unary(function: Callable[[Any], Any]) -> Formula:
    return lambda machine, call: machine.of(function, _reals(machine, call))


def logistic(machine: Machine, call: Invocation) -> Array:
    """1 / (1 + e^-x)."""
    near = machine.near
    return near(1 / near(1 + machine.of(np.exp, -_reals(machine, call))))


def power(machine: Machine, call: Invocation) -> Array:
    """By the function of the library."""
    return machine.of(np.power, _reals(machine, call), _reals(machine, call, 1))


FUNCTIONS: Final[dict[str, Formula]] = {
    "EXP": _unary(np.exp),
    "LOG": _unary(np.log),
    "SIN": _unary(np.sin),
    "TANH": _unary(np.tanh),
    "SQRT": _unary(np.sqrt),
    "POW": power,
}
STEPS: Final[dict[str, Formula]] = {
    "SOFTMAX": softmax,
    "LOG_SOFTMAX": log_softmax,
    "MEAN": mean,
    "REDUCE_SUM": reduce_sum,
    "AVERAGE_POOL_2D": average_pool,
    "L2_POOL_2D": l2_pool,
    "L2_NORMALIZATION": l2_normalization,
    "LOCAL_RESPONSE_NORMALIZATION": local_response,
    "INSTANCE_NORMALIZATION": instance_normalization,
    "DIV": divide,
    "LOGISTIC": logistic,
}
_QUANTISED: Final = (OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_QUANT8_ASYMM_SIGNED)


def computing(formulas: dict[str, Formula], machine: Machine) -> OwnRule:
    """Float operations by formulas."""

    def compute(call: Invocation) -> Any:
        formula = formulas.get(call.name)
        if formula is None or not call.is_float or not call.array(0).size:
            return None
        with np.errstate(all="ignore"):
            return formula(machine, call)

    return compute


_FLUSHING: Final = Machine(flushes=True)
_U10: Final = 1.0
_U35: Final = 3.5
_ONE_PASS: Final[dict[str, Formula]] = {
    "INSTANCE_NORMALIZATION": lambda machine, call: instance_normalization(machine, call, one_pass=True)
}
_COARSE: Final = {name: FUNCTIONS[name] for name in ("LOG", "SIN", "TANH", "SQRT")}
"""Functions that SLEEF has with 3.5 units in the last place; EXP and POW have one."""
DRIVERS: Final = (
    HonestDriver("steps-float32", FLOATS, own(computing(STEPS, Machine())), "formulas, each step rounded to float32"),
    HonestDriver("steps-flushed", FLOATS, own(computing(STEPS, _FLUSHING)), "the same, subnormal steps are zero"),
    HonestDriver(
        "softmax-online", FLOATS, own(computing({"SOFTMAX": online_softmax}, Machine())), "softmax in one pass"
    ),
    HonestDriver(
        "variance-one-pass",
        FLOATS,
        own(computing(_ONE_PASS, Machine())),
        "the mean square less the squared mean",
        ("one-pass-variance",),
    ),
    *(
        HonestDriver(
            f"sleef-u10{name}",
            FLOATS,
            own(computing(FUNCTIONS, Machine(ulps=_U10, side=side))),
            f"functions that are off by 1 unit in the last place, {words}",
            ("opencl-functions",),
        )
        for name, side, words in (("", 0, "by chance"), ("-above", 1, "all above"), ("-below", -1, "all below"))
    ),
    *(
        HonestDriver(
            f"sleef-u35{name}",
            FLOATS,
            own(computing(_COARSE, Machine(ulps=_U35, side=side))),
            f"functions that are off by 3.5 units in the last place, {words}",
            ("sleef-functions",),
        )
        for name, side, words in (("", 0, "by chance"), ("-above", 1, "all above"), ("-below", -1, "all below"))
    ),
)
