"""Limits of element-wise operations by numeric position, which is a published set of error limits.

The tables IEEE, OPENCL, VULKAN and TOSA at the end have the limits as each source states them;
:mod:`nnvet.oracle.positions.grading` grades results by them, and :mod:`nnvet.oracle.positions.sums` has the limits of
sums of products. docs/positions.md has the sources and a table that is generated from here. An operation that a source
does not mention has no limit, unless the source itself composes the operation of others; the words of the limit then
name the composition.

Units: an *ulp* of a number is the distance of neighbours there; a *step* is the ulp of 1, so that a step times a number
is half to all of the number's ulp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.invocation import Array
from nnvet.oracle.positions.samples import SINGLE, Format, Sample

_LN2: Final = float(np.log(2.0))
"""Natural logarithm of 2, for errors of powers of 2."""
_HALF, _TWO = 0.5, 2.0
"""Arguments between which Vulkan's limit of logarithms is absolute: the result is near 0 there."""


@dataclass(frozen=True)
class Allowance:
    """Errors that a position allows: ``of`` returns them for each element of a sample; ``words`` are for the docs.

    An allowed error is infinite where the position demands nothing.
    """

    words: str
    of: Callable[[Sample], Array]


def _allow_ulps(count: float) -> Allowance:
    return Allowance(f"{count:g} ulp", lambda sample: count * sample.ulp)


def _allow_growing(count: float, slope: float, words: str) -> Allowance:
    return Allowance(words, lambda sample: (count + slope * sample.size) * sample.ulp)


def _allow_steps(count: float, words: str) -> Allowance:
    """Allow errors of so many steps times the result."""
    return Allowance(words, lambda sample: count * sample.format.step * np.abs(sample.value))


def _choose_by_format(single: Allowance, half: Allowance) -> Allowance:
    return Allowance(
        f"{single.words}; float16: {half.words}",
        lambda sample: single.of(sample) if sample.format is SINGLE else half.of(sample),
    )


def _limit_to(allowance: Allowance, inside: Callable[[Sample], Array], words: str) -> Allowance:
    return Allowance(
        f"{allowance.words} {words}, nothing elsewhere",
        lambda sample: np.where(inside(sample), allowance.of(sample), np.inf),
    )


def _allow_absolute(single_bits: float, half_bits: float) -> Allowance:
    return Allowance(
        f"absolute 2^-{single_bits:g}; float16: 2^-{half_bits:g}",
        lambda sample: np.full(sample.value.shape, 2.0 ** -(single_bits if sample.format is SINGLE else half_bits)),
    )


def _is_divisor_usual(sample: Sample) -> Array:
    """Return a mask of the divisors for which Vulkan states a limit: zero, and those whose reciprocal is normal.

    The latter are 2^-126 to 2^126, in float16 2^-14 to 2^14.
    """
    size = np.abs(sample.arguments[1])
    least = sample.format.smallest
    usual: Array = (size == 0) | ((size >= least) & (size <= 1 / least))
    return usual


def _bound_vulkan_log(sample: Sample) -> Array:
    return _bound_log_error(sample.size, sample.value, sample.format)


def _bound_log_error(argument: Array, value: Array, form: Format) -> Array:
    """Return the errors that Vulkan allows for a logarithm with this ``value``; log and log2 have the same limits."""
    absolute = 2.0**-21 if form is SINGLE else 2.0**-7
    return np.where((argument >= _HALF) & (argument <= _TWO), absolute, 3 * form.ulp(value))


def _bound_vulkan_tanh(sample: Sample) -> Array:
    """Return the errors of tanh that is computed as (e^x - e^-x) / (e^x + e^-x), as Vulkan says.

    Each exponential is off by 3 + 2 abs(x) steps (float16: 1 + 2 abs(x)), the quotient by 2.5 ulp more. Near 0 the
    difference keeps the absolute errors of its terms; where e^x overflows, nothing is demanded.
    """
    functions = 3.0 + 2 * sample.size if sample.format is SINGLE else 1.0 + 2 * sample.size
    size = np.abs(sample.value)
    error = (functions * (1 + size) + 4.5 * size) * sample.format.step
    return np.where(sample.size < np.log(sample.format.largest), error, np.inf)


def _bound_vulkan_pow(sample: Sample) -> Array:
    """Return the errors of pow that is computed as exp2(y * log2(x)), as Vulkan says; only positive x are limited."""
    base, power = np.where(sample.arguments[0] > 0, sample.arguments[0], 1.0), sample.arguments[1]
    logarithm = np.log2(base)
    off = _bound_log_error(base, logarithm, sample.format)
    exponent = np.abs(power * logarithm)
    off = np.abs(power) * off + exponent * sample.format.step
    functions = 3.0 + 2 * exponent if sample.format is SINGLE else 1.0 + 2 * exponent
    error = (np.expm1(_LN2 * off) + functions * sample.format.step * (1 + _LN2 * off)) * np.abs(sample.value)
    return np.where(sample.arguments[0] > 0, error, np.inf)


def _bound_tosa_pow(sample: Sample) -> Array:
    """Return the errors of pow that is computed as exp(y * log(x)), as TOSA says; only positive x are limited."""
    base, power = np.where(sample.arguments[0] > 0, sample.arguments[0], 1.0), sample.arguments[1]
    logarithm, step = np.abs(np.log(base)), sample.format.step
    exponent = np.abs(power) * logarithm
    off = np.abs(power) * np.maximum(5 * logarithm, 0.5) * step + exponent * step / 2
    functions = 3.0 + 2 * exponent if sample.format is SINGLE else 1.0 + 2 * exponent
    error = (np.expm1(off) + functions * step * (1 + off)) * np.abs(sample.value)
    return np.where(sample.arguments[0] > 0, error, np.inf)


_HALF_ULP: Final = _allow_ulps(0.5)
"""Correct rounding: the nearest number."""
_ONE_ULP: Final = _allow_ulps(1)
"""Either neighbour of the ideal result."""
_EXACT_OPERATIONS: Final = (O.ADD, O.SUB, O.MUL, O.PRELU)
"""Operations with a single addition or multiplication; PRELU multiplies negative numbers by a factor."""
_FUNCTIONS: Final = (O.EXP, O.LOG, O.RSQRT, O.SIN, O.TANH, O.LOGISTIC, O.POW)
"""Functions of which the position IEEE demands that they are off by no more than 1 ulp."""

IEEE: Final[Mapping[O, Allowance]] = {
    **dict.fromkeys((*_EXACT_OPERATIONS, O.DIV, O.SQRT), _HALF_ULP),
    **dict.fromkeys(_FUNCTIONS, _ONE_ULP),
}
"""IEEE 754: basic operations are rounded correctly."""
OPENCL: Final[Mapping[O, Allowance]] = {
    **dict.fromkeys(_EXACT_OPERATIONS, _HALF_ULP),
    O.DIV: _choose_by_format(_allow_ulps(2.5), _allow_ulps(1)),
    O.SQRT: _choose_by_format(_allow_ulps(3), _allow_ulps(1.5)),
    O.RSQRT: _choose_by_format(_allow_ulps(2), _allow_ulps(1)),
    O.EXP: _choose_by_format(_allow_ulps(3), _allow_ulps(2)),
    O.LOG: _choose_by_format(_allow_ulps(3), _allow_ulps(2)),
    O.SIN: _choose_by_format(_allow_ulps(4), _allow_ulps(2)),
    O.TANH: _choose_by_format(_allow_ulps(5), _allow_ulps(2)),
    O.POW: _choose_by_format(_allow_ulps(16), _allow_ulps(4)),
}
"""OpenCL C, full profile: the table of relative errors as ulp values."""
VULKAN: Final[Mapping[O, Allowance]] = {
    **dict.fromkeys(_EXACT_OPERATIONS, _ONE_ULP),
    O.DIV: _limit_to(
        _allow_ulps(2.5), _is_divisor_usual, "for divisors of 0, and of 2^-126 to 2^126 (float16 2^-14 to 2^14)"
    ),
    # The reciprocal of a number that is off by 2 ulp (at most 2 steps), with 2.5 ulp of its own.
    O.SQRT: _allow_steps(4.5, "as 1 / inversesqrt: 4.5 * 2^-23 of the result (float16 2^-10)"),
    O.RSQRT: _allow_ulps(2),
    O.EXP: _choose_by_format(_allow_growing(3, 2, "3 + 2 abs(x) ulp"), _allow_growing(1, 2, "1 + 2 abs(x) ulp")),
    O.LOG: Allowance("3 ulp; for x in 0.5 to 2 absolute 2^-21 (float16 2^-7)", _bound_vulkan_log),
    O.SIN: _limit_to(_allow_absolute(11, 7), lambda sample: sample.size <= np.pi, "for x in -pi to pi"),
    O.TANH: Allowance("as (e^x - e^-x) / (e^x + e^-x)", _bound_vulkan_tanh),
    O.POW: Allowance("as exp2(y log2(x)), for positive x", _bound_vulkan_pow),
}
"""Vulkan: precision and operation of SPIR-V instructions."""
TOSA: Final[Mapping[O, Allowance]] = {
    **dict.fromkeys(_EXACT_OPERATIONS, _HALF_ULP),
    O.DIV: _allow_steps(1.5, "as x * (1 / y): 1.5 * 2^-23 of the result (float16 2^-10)"),
    O.SQRT: _allow_steps(3, "as 1 / rsqrt(x): 3 * 2^-23 of the result (float16 2^-10)"),
    O.RSQRT: _allow_ulps(2),
    O.EXP: _choose_by_format(_allow_growing(3, 2, "3 + 2 abs(x) ulp"), _allow_growing(1, 2, "1 + 2 abs(x) ulp")),
    O.LOG: Allowance(
        "absolute max(5 abs(result), 0.5) * 2^-23 (float16 2^-10)",
        lambda sample: np.maximum(5 * np.abs(sample.value), 0.5) * sample.format.step,
    ),
    O.SIN: Allowance(
        "absolute 2 abs(x) * 2^-11.5 (float16 2^-5)",
        lambda sample: 2 * sample.size * 2.0 ** (-sample.format.fraction / 2),
    ),
    O.TANH: Allowance(
        "4 (3 + 2 abs(x)) ulp, at least 2^-24 (float16 2^-11)",
        lambda sample: np.maximum(4 * (3 + 2 * sample.size) * sample.ulp, sample.format.unit),
    ),
    O.LOGISTIC: _allow_growing(2, 2, "2 (1 + abs(x)) ulp"),
    O.POW: Allowance("as exp(y log(x)), for positive x", _bound_tosa_pow),
}
"""TOSA: the error bounds of its floating-point operators."""
