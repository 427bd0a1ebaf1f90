"""Common kinds of bound rules, from which the modules of ``families`` make most of theirs.

Three functions return the :class:`~nnvet.oracle.bounds.rule.BoundRule` of an operation: :func:`elementwise` for
computed elements, :func:`selecting` for chosen ones, :func:`moving` for moved ones. The other functions help rules that
are written by hand. An element is *open*, or undecided, if correct drivers may return anything there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperandType
from nnvet.oracle.bounds.precision import Estimate, Interval, corners, estimate_of, is_real
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.storing import CORRECTLY_ROUNDED, SELECTED, Local, is_varied, stored, within
from nnvet.oracle.operations.invocation import Array, OperandValue

# Words of rules for the table of docs/oracle.md.
ENDS: Final = "largest change over the ends of the inputs' intervals"
MOVED: Final = "moves along with its element"
EXACT: Final = "none"
UNDECIDED_NAN: Final = "what becomes of a NaN"

Slack = Callable[[EstimatedCall], Array | float]
"""The number of codes that another recipe of requantisation may add, as a function of the call."""


Limits = Callable[[EstimatedCall], tuple[Array | float, Array | float]]
"""The lowest and the highest value of a function's range."""


def no_slack(_call: EstimatedCall) -> float:
    """Return 0, the slack of codes that are rounded once."""
    return 0.0


def interval(call: EstimatedCall, position: int) -> Interval:
    """Return the ideal real numbers of an input, and their largest errors."""
    return call.value(position), call.error(position)


def elementwise(
    of: Callable[[EstimatedCall], Callable[..., Array]],
    operands: int = 1,
    local: Local = CORRECTLY_ROUNDED,
    *,
    activation: int | None = None,
    slack: Slack = no_slack,
    grid: Callable[[EstimatedCall], Array | float] = no_slack,
    spreads: Callable[..., Array] = corners,
    limits: Limits | None = None,
    propagation: str = ENDS,
    open_nan: bool = False,
) -> BoundRule:
    """Make the rule of a function of the first ``operands`` inputs, element by element, with broadcasting.

    ``of`` returns the function of real numbers (float64) for a call; ``activation`` is the position of the fused
    activation. ``spreads`` returns the effect of the inputs' errors (:mod:`nnvet.oracle.bounds.precision`), ``limits``
    the ends of the function's range. With ``open_nan`` the result of a NaN is undecided.
    """

    def estimate(call: EstimatedCall) -> list[Estimate]:
        function = of(call)
        inputs = [interval(call, position) for position in range(operands)]
        value = np.asarray(function(*(array for array, _ in inputs)))
        spread = spreads(function, *inputs, middle=value)
        if open_nan:
            spread = np.where(_no_number(inputs), np.inf, spread)
        code = None if activation is None else call.parameters.number(activation)
        found = stored(call, value, spread, local.of(call, value), activation=code, slack=slack(call), grid=grid(call))
        if found.deviation is not None and not all(_is_varied(array, value.size) for array, _ in inputs):
            # In x + c, with the same c for many x, the part of c below the last digit of x is always lost; these errors
            # are shared, not independent.
            found = replace(found, shared=None, deviation=None)
        return [found if limits is None or not call.output.is_float else within(found, *limits(call))]

    return BoundRule(estimate, propagation, local.words, UNDECIDED_NAN if open_nan else "")


def _is_varied(operand: Array, size: int) -> bool:
    """Return True if an operand is not the same for many of the result's ``size`` elements."""
    return 2 * operand.size > size and is_varied(operand)


def selecting(of: Callable[..., Array], *positions: int, open_nan: bool = False, contracts: bool = True) -> BoundRule:
    """Make the rule for choosing one of the inputs, element by element; only codes of another scale are requantised.

    ``contracts`` is True if results never differ more from each other than the inputs do, as with a maximum.
    """

    def estimate(call: EstimatedCall) -> list[Estimate]:
        sources = [call.estimate(position) for position in positions]
        output = call.output
        if not alike(output, sources):
            inputs = [interval(call, position) for position in positions]
            value = of(*(array for array, _ in inputs))
            return [stored(call, value, corners(of, *inputs, middle=value))]
        inputs = [(source.value, source.error) for source in sources]
        value = of(*(array for array, _ in inputs))
        error = corners(of, *inputs, middle=value)
        if open_nan:
            error = np.where(_no_number(inputs), np.inf, error)
        found = unrounded(output, value, error)
        if not contracts or found.is_exact:
            return [found]
        shared = sum((_shared_of(source) for source in sources), np.zeros(()))
        deviation = np.sqrt(sum((_deviation_of(source) ** 2 for source in sources), np.zeros(())))
        return [replace(found, shared=np.minimum(shared, error), deviation=np.minimum(deviation, error))]

    return BoundRule(estimate, ENDS, SELECTED.words, UNDECIDED_NAN if open_nan else "")


def alike(output: OperandValue, sources: Sequence[Estimate]) -> bool:
    """Return True if the output can hold elements of the inputs unchanged: no codes, or codes of the same scale."""
    has_codes = is_real(output) and not output.is_float
    return not has_codes or all(source.as_operand.quantization == output.quantization for source in sources)


def unrounded(output: OperandValue, value: Array, error: Array) -> Estimate:
    """Return a result that the output's type holds without rounding."""
    found = np.asarray(value).astype(np.float64 if is_real(output) else np.int64)
    return estimate_of(output, found, error)


def opened(output: OperandValue, value: Array, is_open: Array) -> Estimate:
    """Return an exact result with undecided elements."""
    return unrounded(output, value, np.where(is_open, np.inf, 0.0))


def all_open(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return the estimates with every element undecided."""
    return [
        replace(
            estimate,
            # Even an undecided infinity would demand an infinity, so it becomes NaN.
            value=np.where(np.isinf(estimate.value), np.nan, estimate.value)
            if estimate.as_operand.is_float
            else estimate.value,
            error=np.full(estimate.value.shape, np.inf),
            shared=None,
            deviation=None,
        )
        for estimate in estimates
    ]


def _no_number(inputs: Sequence[Interval]) -> Array:
    found: Array = np.zeros((), np.bool_)
    for value, _ in inputs:
        found = found | np.isnan(value)
    return found


def moving(*positions: int, last: int | None = None) -> BoundRule:
    """Make the rule of an operation that moves, repeats or drops elements of the inputs at ``positions``.

    With ``last``, the operation moves all inputs from the first position on, except this many at the end. Padding has
    no error.
    """

    def estimate(call: EstimatedCall) -> list[Estimate]:
        several = positions if last is None else tuple(range(positions[0], len(call.inputs) - last))
        return moved(call, several)

    return BoundRule(estimate, MOVED, EXACT)


def reshaped(call: EstimatedCall) -> list[Estimate]:
    """Return all elements of the first input, in their order, with the output's shape."""
    (value,), source = call.on_stored({}), call.estimate(0)
    found = unrounded(call.output, value, source.error.reshape(value.shape))
    if source.shared is None or source.deviation is None:
        return [found]
    return [replace(found, shared=source.shared.reshape(value.shape), deviation=source.deviation.reshape(value.shape))]


def moved(call: EstimatedCall, positions: Sequence[int], values: Sequence[Array] | None = None) -> list[Estimate]:
    """Return estimates of outputs whose elements are those of the inputs at ``positions``, moved elsewhere.

    ``values`` are the ideal outputs, for an operation that cannot compute on codes that are not whole numbers.
    """
    values = call.on_stored({}) if values is None else values
    sources = [call.estimate(position) for position in positions]
    if all(source.is_exact for source in sources):
        return [unrounded(output, value, np.zeros(())) for output, value in zip(call.outputs, values, strict=False)]
    origins = _origins(call, positions)
    found = [
        unrounded(output, value, _side_by_side([source.error for source in sources])[origin])
        for output, value, origin in zip(call.outputs, values, origins, strict=False)
    ]
    if all(source.shared is None or source.deviation is None for source in sources):
        return found
    shared, deviation = (_side_by_side([of(source) for source in sources]) for of in (_shared_of, _deviation_of))
    return [
        replace(estimate, shared=shared[origin], deviation=deviation[origin])
        for estimate, origin in zip(found, origins, strict=True)
    ]


def _origins(call: EstimatedCall, positions: Sequence[int]) -> list[Array]:
    """Return the origin of each output element: the number of an input element, counted from 1; 0 for padding.

    The operation itself is executed on those numbers, so it moves them as it moves elements.
    """
    replaced, first = {}, 1
    for position in positions:
        source = call.estimate(position)
        numbers = np.arange(first, first + source.value.size).reshape(source.value.shape)
        # An exact input is not followed: it may be a parameter, whose elements are not moved to the output. The numbers
        # are floats, so nothing requantises them, and padding is not a zero point.
        followed = np.zeros_like(numbers) if source.is_exact else numbers
        replaced[position] = OperandValue(OperandType.TENSOR_FLOAT32, followed)
        first += source.value.size
    return [found.astype(np.intp) for found in call.on_stored(replaced)]


def _side_by_side(arrays: Sequence[Array]) -> Array:
    return np.concatenate([np.zeros(1), *(array.reshape(-1) for array in arrays)])


def _shared_of(estimate: Estimate) -> Array:
    return estimate.error if estimate.shared is None or estimate.deviation is None else estimate.shared


def _deviation_of(estimate: Estimate) -> Array:
    return (
        np.zeros(estimate.value.shape) if estimate.shared is None or estimate.deviation is None else estimate.deviation
    )
