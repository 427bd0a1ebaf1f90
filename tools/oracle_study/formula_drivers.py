"""Honest drivers that compute operations by formulas of several steps, each rounded to float32.

:data:`DRIVERS` lists them for ``honest.py``: means, norms, variances, softmax, and functions of limited quality. A
:class:`Machine` is the arithmetic in which a formula is computed. Arrays are float64, but all elements are float32
numbers: computing a sum, product, quotient or root of such numbers in float64 and rounding it to float32 gives the same
as computing it in float32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.oracle.arithmetic.sums import Array
from nnvet.oracle.operations.activation import activate
from nnvet.oracle.operations.convolution import activation_and_layout, pooled
from nnvet.oracle.operations.indexing import reduced_shape
from nnvet.oracle.operations.invocation import Invocation, Tensor, in_layout, in_nhwc
from nnvet.oracle.operations.reduction import members
from tools.oracle_study.driver import FLOATS, HonestDriver, OwnRule, make_run

_TINY: Final = 2.0**-126
"""Smallest normal number of float32."""
_HALF_ULP: Final = 0.5
"""Error of functions that are rounded correctly, in units in the last place."""
_SMALLEST_NORM: Final = 1e-6
"""Norm below which L2_NORMALIZATION divides by this constant instead (docs/contract/operations)."""


@dataclass(frozen=True)
class Machine:
    """Arithmetic in float32.

    ``flushes``: subnormal results become zero. Functions such as exp are off by up to ``ulps`` units in the last place:
    always upwards, always downwards, or by chance (``side`` 1, -1, 0).
    """

    flushes: bool = False
    ulps: float = _HALF_ULP
    side: int = 0

    def near(self, exact: Any) -> Array:
        """Return the nearest float32 number, or zero instead of a subnormal one if the machine flushes."""
        found = np.asarray(exact, np.float64).astype(np.float32).astype(np.float64)
        return np.where(np.abs(found) < _TINY, 0.0, found) if self.flushes else found

    def of(self, function: Callable[..., Any], *arguments: Any) -> Array:
        """Return the value of a function with the error of this machine."""
        exact = np.asarray(function(*arguments), np.float64)
        if self.ulps <= _HALF_ULP:
            return self.near(exact)
        spacing = np.ldexp(1.0, np.frexp(np.where(np.isfinite(exact), np.abs(exact), 1.0))[1] - 24)
        chance = np.random.default_rng(exact.size).uniform(-1, 1, exact.shape) if self.side == 0 else self.side
        is_ordinary = np.isfinite(exact) & (np.abs(exact) >= _TINY)
        # Libraries return exact results for e^0, log 1 and integer powers, so that these get no error.
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
"""Function that computes a call of an operation in an arithmetic."""


def _read_reals(machine: Machine, call: Invocation, position: int = 0) -> Array:
    return machine.near(call.array(position))


def _apply_along(call: Invocation, position: int, of: Callable[[Array], Array], x: Array) -> Array:
    axis = int(call.number(position)) if len(call) > position else -1
    return np.moveaxis(of(np.moveaxis(x, axis, -1)), -1, axis)


def softmax(machine: Machine, call: Invocation) -> Array:
    """Compute SOFTMAX: exponentials of differences from the largest number, times the reciprocal of their sum."""

    def rows(x: Array) -> Array:
        near = machine.near
        shifted = near(near(x - x.max(-1, keepdims=True)) * near(call.number(1)))
        powers = machine.of(np.exp, shifted)
        return near(powers * near(1 / machine.total(powers)[..., None]))

    return _apply_along(call, 2, rows, _read_reals(machine, call))


def online_softmax(machine: Machine, call: Invocation) -> Array:
    """Compute SOFTMAX in one pass: the sum so far is rescaled whenever a larger number comes."""
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

    return _apply_along(call, 2, rows, _read_reals(machine, call))


def log_softmax(machine: Machine, call: Invocation) -> Array:
    """Compute LOG_SOFTMAX: the difference from the largest number, less the logarithm of the sum of exponentials."""
    near = machine.near

    def rows(x: Array) -> Array:
        shifted = near(near(x - x.max(-1, keepdims=True)) * near(call.number(1)))
        return near(shifted - machine.of(np.log, machine.total(machine.of(np.exp, shifted)))[..., None])

    return _apply_along(call, 2, rows, _read_reals(machine, call))


def mean(machine: Machine, call: Invocation) -> Array:
    """Compute MEAN: the sum times the reciprocal of the count."""
    x, axes = _read_reals(machine, call), call.list(1)
    rows = members(x, axes)
    found = machine.near(machine.total(rows) * machine.near(1 / rows.shape[-1]))
    return found.reshape(reduced_shape(x.shape, axes, keep=call.number(2) > 0))


def reduce_sum(machine: Machine, call: Invocation) -> Array:
    """Compute REDUCE_SUM, one term after the other."""
    x, axes = _read_reals(machine, call), call.list(1)
    return machine.total(members(x, axes)).reshape(reduced_shape(x.shape, axes, keep=call.flag(2)))


def average_pool(machine: Machine, call: Invocation) -> Array:
    """Compute AVERAGE_POOL_2D: sums of windows times the reciprocals of their sizes."""

    def of(seen: Array, inside: Array) -> Array:
        total = machine.total(np.moveaxis(seen, 0, -1))
        return machine.near(total * machine.near(1 / inside.sum(0)))

    return _pool(call, of, _read_reals(machine, call))


def l2_pool(machine: Machine, call: Invocation) -> Array:
    """Compute L2_POOL_2D: roots of the mean squares."""

    def of(seen: Array, inside: Array) -> Array:
        total = machine.total(np.moveaxis(machine.near(seen * seen), 0, -1))
        return machine.of(np.sqrt, machine.near(total / inside.sum(0)))

    return _pool(call, of, _read_reals(machine, call))


def _pool(call: Invocation, of: Callable[[Array, Array], Array], x: Array) -> Array:
    code, nchw = activation_and_layout(call)
    found = activate(pooled(call, x, of).array, code)
    return in_layout(Tensor.of(found), nchw=nchw).array


def l2_normalization(machine: Machine, call: Invocation) -> Array:
    """Compute L2_NORMALIZATION: the product with the reciprocal of the root of the sum of squares."""

    def rows(x: Array) -> Array:
        norm = np.maximum(machine.of(np.sqrt, machine.total(machine.near(x * x))), machine.near(_SMALLEST_NORM))
        return machine.near(x * machine.near(1 / norm)[..., None])

    return _apply_along(call, 1, rows, _read_reals(machine, call))


def local_response(machine: Machine, call: Invocation) -> Array:
    """Compute LOCAL_RESPONSE_NORMALIZATION: a sum of squares for each window, and its power by the power function."""
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

    return _apply_along(call, 5, rows, _read_reals(machine, call))


def instance_normalization(machine: Machine, call: Invocation, *, one_pass: bool = False) -> Array:
    """Compute INSTANCE_NORMALIZATION: the product with the reciprocal root of the variance, in two passes or in one."""
    near, nchw = machine.near, call.flag(4)
    image = in_nhwc(Tensor.of(_read_reals(machine, call)), nchw=nchw).array
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
    """Compute DIV: the product with the reciprocal of the divisor."""
    first, second = (_read_reals(machine, call, position) for position in (0, 1))
    found = machine.near(first * machine.near(1 / second))
    return np.asarray(activate(found, call.number(2)))


def _make_unary(function: Callable[[Any], Any]) -> Formula:
    return lambda machine, call: machine.of(function, _read_reals(machine, call))


def logistic(machine: Machine, call: Invocation) -> Array:
    """Compute LOGISTIC as 1 / (1 + e^-x)."""
    near = machine.near
    return near(1 / near(1 + machine.of(np.exp, -_read_reals(machine, call))))


def power(machine: Machine, call: Invocation) -> Array:
    """Compute POW by the power function of the machine."""
    return machine.of(np.power, _read_reals(machine, call), _read_reals(machine, call, 1))


FUNCTIONS: Final[dict[str, Formula]] = {
    "EXP": _make_unary(np.exp),
    "LOG": _make_unary(np.log),
    "SIN": _make_unary(np.sin),
    "TANH": _make_unary(np.tanh),
    "SQRT": _make_unary(np.sqrt),
    "POW": power,
}
"""Operations that are one function of the machine."""
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
"""Operations that are formulas of several steps."""


def make_formula_rule(formulas: dict[str, Formula], machine: Machine) -> OwnRule:
    """Return the rule that computes operations on floats by formulas in an arithmetic."""

    def compute(call: Invocation) -> Any:
        formula = formulas.get(call.name)
        if formula is None or not call.is_float or not call.array(0).size:
            return None
        with np.errstate(all="ignore"):
            return formula(machine, call)

    return compute


_FLUSHING: Final = Machine(flushes=True)
"""Float32 without subnormal numbers."""
_U10: Final = 1.0
"""Error in units in the last place of functions of the library SLEEF whose names end in ``_u10``."""
_U35: Final = 3.5
"""Error of those whose names end in ``_u35``."""
_ONE_PASS: Final[dict[str, Formula]] = {
    "INSTANCE_NORMALIZATION": lambda machine, call: instance_normalization(machine, call, one_pass=True)
}
_COARSE: Final = {name: FUNCTIONS[name] for name in ("LOG", "SIN", "TANH", "SQRT")}
"""Functions that SLEEF also has with an error of 3.5 units; its EXP and POW have one unit only."""
DRIVERS: Final = (
    HonestDriver(
        "steps-float32", FLOATS, make_run(make_formula_rule(STEPS, Machine())), "formulas, each step rounded to float32"
    ),
    HonestDriver(
        "steps-flushed", FLOATS, make_run(make_formula_rule(STEPS, _FLUSHING)), "the same, subnormal steps are zero"
    ),
    HonestDriver(
        "softmax-online",
        FLOATS,
        make_run(make_formula_rule({"SOFTMAX": online_softmax}, Machine())),
        "softmax in one pass",
    ),
    HonestDriver(
        "variance-one-pass",
        FLOATS,
        make_run(make_formula_rule(_ONE_PASS, Machine())),
        "the mean square less the squared mean",
        ("one-pass-variance",),
    ),
    *(
        HonestDriver(
            f"sleef-u10{name}",
            FLOATS,
            make_run(make_formula_rule(FUNCTIONS, Machine(ulps=_U10, side=side))),
            f"functions that are off by 1 unit in the last place, {words}",
            ("opencl-functions",),
        )
        for name, side, words in (("", 0, "by chance"), ("-above", 1, "all above"), ("-below", -1, "all below"))
    ),
    *(
        HonestDriver(
            f"sleef-u35{name}",
            FLOATS,
            make_run(make_formula_rule(_COARSE, Machine(ulps=_U35, side=side))),
            f"functions that are off by 3.5 units in the last place, {words}",
            ("sleef-functions",),
        )
        for name, side, words in (("", 0, "by chance"), ("-above", 1, "all above"), ("-below", -1, "all below"))
    ),
)
