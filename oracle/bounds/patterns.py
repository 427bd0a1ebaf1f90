"""Common forms of rules: each function here makes the rule of an operation from its particular parts."""

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

ENDS: Final = "largest change over the ends of the inputs' intervals"
MOVED: Final = "moves along with its element"
EXACT: Final = "none"
UNDECIDED_NAN: Final = "what becomes of a NaN"

Slack = Callable[[EstimatedCall], Array | float]
"""Function that returns the number of codes that another recipe of requantisation may add."""


Limits = Callable[[EstimatedCall], tuple[Array | float, Array | float]]
"""Lowest and highest number of a function's range."""


def no_slack(_call: EstimatedCall) -> float:
    """Codes are rounded once."""
    return 0.0


def interval(call: EstimatedCall, position: int) -> Interval:
    """Return ideal real numbers of an input, and how far they may be off."""
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
    """Return a function of the first ``operands`` inputs, element by element, with broadcasting.

    ``of`` returns the function of real numbers (float64) for a call, ``activation`` is the position of the fused one,
    ``spreads`` returns the effect of the inputs' errors (:mod:`nnvet.oracle.bounds.precision`), and ``limits`` are the
    ends of the function's range. With ``open_nan`` the result of a NaN is undecided.
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
            # In x + c, with one c for many x, the part of c below the last digit of x is lost each time.
            found = replace(found, shared=None, deviation=None)
        return [found if limits is None or not call.output.is_float else within(found, *limits(call))]

    return BoundRule(estimate, propagation, local.words, UNDECIDED_NAN if open_nan else "")


def _is_varied(operand: Array, size: int) -> bool:
    """Return True if an operand of a result of so many elements is not the same for many of them."""
    return 2 * operand.size > size and is_varied(operand)


def selecting(of: Callable[..., Array], *positions: int, open_nan: bool = False, contracts: bool = True) -> BoundRule:
    """One of the inputs, element by element: nothing is rounded, but codes of another scale are requantised.

    ``contracts``: results differ by no more than inputs do.
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
    """Return True if the output can hold elements of the inputs as they are stored: no codes, or codes of one scale."""
    has_codes = is_real(output) and not output.is_float
    return not has_codes or all(source.as_operand.quantization == output.quantization for source in sources)


def unrounded(output: OperandValue, value: Array, error: Array) -> Estimate:
    """Return a result that the output's type holds as it is."""
    found = np.asarray(value).astype(np.float64 if is_real(output) else np.int64)
    return estimate_of(output, found, error)


def opened(output: OperandValue, value: Array, is_open: Array) -> Estimate:
    """Return an exact result, which is not decided at some places."""
    return unrounded(output, value, np.where(is_open, np.inf, 0.0))


def all_open(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return the same, of which nothing is demanded."""
    return [
        replace(
            estimate,
            # An infinite value would still demand its class.
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
    """Elements of the inputs at ``positions`` are moved, repeated or left out; what is put beside them has no error.

    ``last``: all inputs from the position on, but for so many at the end of the list.
    """

    def estimate(call: EstimatedCall) -> list[Estimate]:
        several = positions if last is None else tuple(range(positions[0], len(call.inputs) - last))
        return moved(call, several)

    return BoundRule(estimate, MOVED, EXACT)


def reshaped(call: EstimatedCall) -> list[Estimate]:
    """Return all elements of the first input, in their order."""
    (value,), one = call.on_stored({}), call.estimate(0)
    found = unrounded(call.output, value, one.error.reshape(value.shape))
    if one.shared is None or one.deviation is None:
        return [found]
    return [replace(found, shared=one.shared.reshape(value.shape), deviation=one.deviation.reshape(value.shape))]


def moved(call: EstimatedCall, positions: Sequence[int], values: Sequence[Array] | None = None) -> list[Estimate]:
    """Return estimates of outputs whose elements are those of the inputs at ``positions``, in other places.

    ``values`` are the ideal ones, if the operation cannot be had on codes that are not whole numbers.
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
    """Return the origins of the outputs' elements: numbers of the inputs' elements, counted from 1; 0 of none."""
    replaced, first = {}, 1
    for position in positions:
        one = call.estimate(position)
        numbers = np.arange(first, first + one.value.size).reshape(one.value.shape)
        # What has no error need not be followed: it may be a parameter that is more than moved. Floats have no codes
        # that would be requantised, and no zero point that would be put beside them.
        followed = np.zeros_like(numbers) if one.is_exact else numbers
        replaced[position] = OperandValue(OperandType.TENSOR_FLOAT32, followed)
        first += one.value.size
    return [found.astype(np.intp) for found in call.on_stored(replaced)]


def _side_by_side(arrays: Sequence[Array]) -> Array:
    return np.concatenate([np.zeros(1), *(array.reshape(-1) for array in arrays)])


def _shared_of(estimate: Estimate) -> Array:
    return estimate.error if estimate.shared is None or estimate.deviation is None else estimate.shared


def _deviation_of(estimate: Estimate) -> Array:
    return (
        np.zeros(estimate.value.shape) if estimate.shared is None or estimate.deviation is None else estimate.deviation
    )
