"""Bound rules for operations of extensions that bring none: running error analysis that follows the meaning.

:mod:`nnvet.oracle.bounds.execution` uses :data:`BY_MEANING` for each such operation; an extension may declare
:data:`BY_WIDE_MEANING` instead. The meaning of the operation is computed on :class:`Carried`, which behaves like a
NumPy array and carries the largest error of each element. So a meaning written with operators and NumPy's functions has
bounds without a rule of its own. A function of NumPy that is not in the tables below raises NotImplementedError; then
the extension has to bring a rule. :mod:`nnvet.oracle.bounds.running` has the same analysis for rules that are written
by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Final, cast

import msgspec
import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from nnvet.hal.operand_types import ExtensionType
from nnvet.oracle.bounds.precision import Estimate, is_real
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.running import Running, absolute, exactly
from nnvet.oracle.bounds.storing import stored
from nnvet.oracle.operations.functions import ERF
from nnvet.oracle.operations.invocation import Array, Invocation, Tensor


class Decision(msgspec.Struct, frozen=True, eq=False):
    """A comparison of inexact numbers: its truth values, and a mask of those that are *open*.

    An open truth value may be the opposite in a correct driver, because the numbers lie within their errors.
    """

    value: Array
    is_open: Array


class Carried(NDArrayOperatorsMixin):
    """Numbers with their errors; NumPy's protocols let a meaning use them like an array."""

    def __init__(self, running: Running) -> None:
        """Carry the numbers and errors of ``running``."""
        self.running = running

    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions."""
        return self.running.value.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.running.value.ndim

    def astype(self, _dtype: Any) -> Carried:
        """Return the numbers unchanged: all are real."""
        return self

    def __getitem__(self, index: Any) -> Carried:
        """Return some of the elements."""
        return Carried(self.running[index])

    def reshape(self, *shape: Any) -> Carried:
        """Return the same elements with other dimensions."""
        return self._rearrange(lambda part: part.reshape(*shape))

    def swapaxes(self, first: int, second: int) -> Carried:
        """Return the same elements with two dimensions exchanged."""
        return self._rearrange(lambda part: part.swapaxes(first, second))

    def _rearrange(self, of: Callable[[Array], Array]) -> Carried:
        """Apply a function that moves elements to the numbers and to their errors."""
        numbers = self.running
        return Carried(Running(of(numbers.value), of(numbers.error), numbers.unit))

    def sum(self, axis: int = -1, *, keepdims: bool = False) -> Carried:
        """Return sums along a dimension, in any order."""
        numbers = self.running
        moved = Running(np.moveaxis(numbers.value, axis, -1), np.moveaxis(numbers.error, axis, -1), numbers.unit).sum()
        value, error = (_restore_axis(part, axis, keepdims) for part in (moved.value, moved.error))
        return Carried(Running(value, error, numbers.unit))

    def mean(self, axis: int = -1, *, keepdims: bool = False) -> Carried:
        """Return means along a dimension."""
        found: Carried = self.sum(axis, keepdims=keepdims) / float(self.shape[axis])
        return found

    def max(self, axis: int = -1, *, keepdims: bool = False) -> Carried:
        """Return the largest elements along a dimension."""
        numbers = self.running
        value, error = (part.max(axis, keepdims=keepdims) for part in (numbers.value, numbers.error))
        return Carried(Running(value, error, numbers.unit))

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Compute a ufunc of NumPy.

        :raises NotImplementedError: the function's errors are unknown.
        """
        if method == "__call__" and not options:
            unit = self.running.unit
            runnings = [_to_running(given, unit) for given in inputs]
            if function in _COMPARISONS:
                return _compare(function, *runnings)
            if function is np.power:
                return Carried(_raise_to_power(runnings[0], inputs[1]))
            if function in _ELEMENT_FUNCTIONS:
                return Carried(_ELEMENT_FUNCTIONS[function](*runnings))
        raise NotImplementedError(f"errors are not carried through np.{function.__name__}: give a bound rule")

    def __array_function__(
        self, function: Callable[..., Any], _types: Any, inputs: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
        """Compute a function of NumPy that is not a ufunc.

        :raises NotImplementedError: the function's errors are unknown.
        """
        if function not in _ARRAY_FUNCTIONS:
            raise NotImplementedError(f"errors are not carried through np.{function.__name__}: give a bound rule")
        return _ARRAY_FUNCTIONS[function](*inputs, **options)


def _restore_axis(part: Array, axis: int, keepdims: bool) -> Array:  # noqa: FBT001 - as NumPy has it
    """Return a reduced array with the reduced axis as a dimension of size 1, if ``keepdims``."""
    return np.expand_dims(part, axis) if keepdims else part


def _to_running(value: Any, unit: float) -> Running:
    """Return numbers with errors. Parameters and constants of the formula get the error of one rounding."""
    if isinstance(value, Carried):
        return value.running
    numbers = np.asarray(value, np.float64)
    # Powers of two and small integers are exact in every type.
    is_short = np.ldexp(np.frexp(numbers)[0], _SHORT) % 1 == 0
    return Running(numbers, np.where(is_short, 0.0, unit * np.abs(numbers)), unit)


_SHORT: Final = 8
"""Numbers with at most so many significant bits are exact in every type."""


def _raise_to_power(x: Running, exponent: Any) -> Running:
    """Return a power; small whole exponents become products, which are defined for negative numbers too."""
    if isinstance(exponent, int) and 1 <= exponent <= _SHORT:
        return reduce(Running.__mul__, [x] * exponent)
    if isinstance(exponent, float | int):
        return x.power(float(exponent))
    raise NotImplementedError("errors are not carried through powers with such an exponent: give a bound rule")


def _choose_extreme(of: Callable[..., Array], first: Running, second: Running) -> Running:
    """Return the maximum or minimum (``of``) of two numbers: its error is at most the larger of their errors."""
    value = of(first.value, second.value)
    error = np.broadcast_to(np.fmax(first.error, second.error), value.shape)
    return Running(value, error, first.unit)


def _compare(function: np.ufunc, first: Running, second: Running) -> Decision:
    """Compare numbers; the result is open where their intervals of error touch."""
    close = np.abs(first.value - second.value) <= first.error + second.error
    is_inexact = (first.error > 0) | (second.error > 0)
    return Decision(function(first.value, second.value), close & is_inexact)


def _choose(condition: Any, yes: Any, no: Any) -> Carried:
    """Choose between two alternatives; where the decision is open, the error also covers the alternative not chosen."""
    unit = next(side.running.unit for side in (yes, no) if isinstance(side, Carried))
    first, second = _to_running(yes, unit), _to_running(no, unit)
    decision = condition if isinstance(condition, Decision) else Decision(np.asarray(condition), np.array(False))
    value = np.where(decision.value, first.value, second.value)
    error = np.where(decision.value, first.error, second.error)
    other = np.where(decision.value, second.error, first.error)
    apart = np.abs(first.value - second.value) + other
    return Carried(Running(value, np.where(decision.is_open, np.fmax(error, apart), error), unit))


def _multiply_matrices(first: Running, second: Running) -> Running:
    """Return the matrix product, also of batches of matrices; sums are formed in any order."""
    rows = Running(second.value.swapaxes(-1, -2), second.error.swapaxes(-1, -2), second.unit)
    return first.times_matrix(rows)


def _concatenate(parts: Sequence[Any], axis: int = 0) -> Carried:
    unit = next(part.running.unit for part in parts if isinstance(part, Carried))
    several = [_to_running(part, unit) for part in parts]
    value, error = (np.concatenate([getattr(part, name) for part in several], axis) for name in ("value", "error"))
    return Carried(Running(value, error, unit))


def _cumulate(x: Carried, axis: int) -> Carried:
    return Carried(x.running.cumulated(axis))


def _clip(x: Carried, low: Any, high: Any) -> Carried:
    return Carried(x.running.clip(low, high))


_COMPARISONS: Final = frozenset((np.greater, np.greater_equal, np.less, np.less_equal))
"""Ufuncs whose result is a :class:`Decision`."""
_ELEMENT_FUNCTIONS: Final[Mapping[np.ufunc, Callable[..., Running]]] = {
    np.add: Running.__add__,
    np.subtract: Running.__sub__,
    np.multiply: Running.__mul__,
    np.divide: Running.__truediv__,
    np.negative: Running.__neg__,
    np.positive: lambda x: x,
    np.absolute: absolute,
    np.matmul: _multiply_matrices,
    np.square: lambda x: x * x,
    np.reciprocal: lambda x: x.reciprocal(1.0),
    np.exp: Running.exp,
    np.log: Running.log,
    np.log1p: lambda x: (exactly(1.0, x.unit) + x).log(),
    np.sqrt: Running.sqrt,
    np.tanh: Running.tanh,
    np.rint: Running.rint,
    ERF: Running.erf,
    np.maximum: lambda x, y: _choose_extreme(np.maximum, x, y),
    np.minimum: lambda x, y: _choose_extreme(np.minimum, x, y),
}
"""Error analysis of NumPy's ufuncs, which work element by element (and of the matrix product, a ufunc as well)."""
_ARRAY_FUNCTIONS: Final[Mapping[Callable[..., Any], Callable[..., Any]]] = {
    np.where: _choose,
    np.clip: _clip,
    np.concatenate: _concatenate,
    np.cumsum: _cumulate,
    np.sum: Carried.sum,
    np.mean: Carried.mean,
    np.max: Carried.max,
}
"""Error analysis of NumPy's functions of whole arrays."""


class _CarriedInvocation(Invocation, frozen=True, eq=False, kw_only=True):
    """An operation whose real inputs carry their errors."""

    estimated: EstimatedCall
    unit: float

    def real(self, position: int) -> Tensor:
        """Return the numbers of an input with their errors."""
        call = self.estimated
        found = Tensor.of(np.empty(0))
        # The meaning uses the result like an array, through NumPy's protocols.
        found.array = cast("Array", Carried(Running(call.value(position), call.error(position), self.unit)))
        return found

    def exact(self, position: int) -> Tensor:
        """Return the numbers in which sums are formed."""
        return self.real(position)

    @property
    def is_float(self) -> bool:
        """True: all numbers are real."""
        return True


def _estimate(call: EstimatedCall) -> Sequence[Estimate]:
    """Return estimates of the outputs, where each step is rounded to the type of the result.

    Types of extensions say themselves to which type steps are rounded (``ExtensionType.steps``).
    """
    is_declared = isinstance(call.output.type, ExtensionType)
    return _follow_meaning(call, call.precision.sum_unit if is_declared else call.precision.unit)


def _estimate_wide(call: EstimatedCall) -> Sequence[Estimate]:
    """Return estimates of the outputs, where each step is rounded to the type in which sums are formed."""
    return _follow_meaning(call, call.precision.sum_unit)


def _follow_meaning(call: EstimatedCall, unit: float) -> Sequence[Estimate]:
    """Compute the meaning on numbers with errors, and return estimates of the outputs.

    Each step rounds its result by at most the relative error ``unit``.
    """
    given = call.parameters
    invocation = _CarriedInvocation(given.name, given.inputs, given.outputs, given.run, estimated=call, unit=unit)
    found = call.meaning.compute(invocation)
    several = list(found) if isinstance(found, list | tuple) else [found]
    return [_store(call, place, result) for place, result in enumerate(several)]


def _store(call: EstimatedCall, place: int, found: Any) -> Estimate:
    """Round a result to the type of its output; truth values and integers are exact."""
    output = call.outputs[place]
    carried: Any = found.array if isinstance(found, Tensor) else found
    if isinstance(carried, Carried):
        return stored(call, carried.running.value, carried.running.error, output=output)
    if is_real(output):
        raise NotImplementedError(f"{call.parameters.name}: a result carries no errors: give a bound rule")
    exact = np.asarray(carried)
    return stored(call, exact, np.zeros(exact.shape), output=output)


BY_MEANING: Final = BoundRule(
    _estimate,
    "running error analysis of the meaning",
    "each step of the meaning rounded to the type of the result",
    "where a comparison may come out either way and the alternatives are far apart",
)
"""The rule of operations of extensions that bring no rule of their own."""
BY_WIDE_MEANING: Final = BoundRule(
    _estimate_wide,
    "running error analysis of the meaning",
    "each step of the meaning rounded to float32, and the result to its own type",
    BY_MEANING.undecided,
)
"""The same for operations that are computed in float32 if their operands are float16."""
