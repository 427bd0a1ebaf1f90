"""Planted errors within sums of products: their number format, their terms, and the conversion of sums to codes.

:data:`FAULTS` lists them for ``faults.py``. Functions such as :func:`_wrap_sums` change a sum; functions ``_plant_…``
make of them the function that computes wrong results. Errors in inputs are in ``call_faults.py``, those in results in
``result_faults.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.oracle.arithmetic.codes import IntegerSum, integer_sum
from nnvet.oracle.arithmetic.sums import (
    Arithmetic,
    Order,
    Sum,
    cut_to_float32,
    sum_of,
    to_bfloat16,
    to_float16,
    to_float32,
)
from nnvet.oracle.operations.invocation import Invocation, Meaning
from tools.oracle_study.fault import Fault, Plant

_BIAS: Final = 1e-4
"""Relative or absolute error of partial sums."""
_HALF_STEPS: Final = frozenset(("BATCH_MATMUL",))
"""Operations for which the contract allows float16 arithmetic if the operands are float16."""


def _plant_float_sums(arithmetic: Arithmetic, of: Callable[[Sum], Sum] = lambda found: found) -> Plant:
    """Return the error that computes changed sums of floats in an arithmetic."""

    def plant(_: Meaning, call: Invocation) -> Any:
        found = sum_of(call)
        if found is None or not found.terms:
            return None
        wrong = of(found)
        if not wrong.terms:
            return None
        return found.finish(arithmetic.total(wrong.terms, wrong.start))

    return plant


def _plant_where_wide(plant: Plant) -> Plant:
    """Return the error for operations for which the contract does not allow float16 arithmetic."""

    def plant_narrowed(meaning: Meaning, call: Invocation) -> Any:
        is_half = call.inputs[0].type == OperandType.TENSOR_FLOAT16 and call.name in _HALF_STEPS
        return None if is_half else plant(meaning, call)

    return plant_narrowed


def _plant_where_kept(plant: Plant) -> Plant:
    """Return the error for results that are not float16.

    Sums that are cut in float32 are within the limit of 2 * KS units of float32, and rounding to float16 then hides
    what the mean error over a tensor could show. Source: docs/contract/accuracy.md 2.
    """
    return lambda meaning, call: None if call.output.type == OperandType.TENSOR_FLOAT16 else plant(meaning, call)


def _round_factors(rounding: Callable[[Any], Any]) -> Callable[[Sum], Sum]:
    return lambda found: replace(found, terms=[(rounding(left), rounding(right)) for left, right in found.terms])


def _plant_integer_sums(of: Callable[[IntegerSum], IntegerSum], rounding: Callable[[Any], Any] = np.rint) -> Plant:
    """Return the error that computes codes from changed integer sums or multipliers."""

    def plant(_: Meaning, call: Invocation) -> Any:
        found = integer_sum(call)
        return None if found is None else of(found).codes(call, rounding)

    return plant


def _round_multipliers(found: IntegerSum) -> IntegerSum:
    return replace(found, multipliers=found.multipliers.astype(np.float16).astype(np.float64))


def _wrap_sums(found: IntegerSum) -> IntegerSum:
    return replace(found, sums=found.sums.astype(np.int16).astype(np.int64))


def _saturate_sums(found: IntegerSum) -> IntegerSum:
    return replace(found, sums=np.clip(found.sums, -(2**15), 2**15 - 1))


def _use_one_multiplier(found: IntegerSum) -> IntegerSum:
    return replace(found, multipliers=found.multipliers[:1])


def _grow_sums(found: IntegerSum) -> IntegerSum:
    return replace(found, sums=found.sums * (1 + 10 * _BIAS))


_PLAIN: Final = Arithmetic()
FAULTS: Final = (
    Fault("float16-sums", _plant_where_wide(_plant_float_sums(Arithmetic(to_float16))), in_relaxed=False),
    Fault(
        "float16-sums-pairwise",
        _plant_where_wide(_plant_float_sums(Arithmetic(to_float16, Order.PAIRWISE))),
        in_relaxed=False,
    ),
    Fault("bfloat16-sums", _plant_float_sums(Arithmetic(to_bfloat16))),
    Fault("sums-cut-off", _plant_where_kept(_plant_float_sums(Arithmetic(cut_to_float32))), in_relaxed=False),
    Fault(
        "partial-sums-grow-by-1e-4",
        _plant_float_sums(Arithmetic(lambda x: to_float32(x * (1 + _BIAS)))),
        in_relaxed=False,
    ),
    Fault("partial-sums-plus-1e-4", _plant_float_sums(Arithmetic(lambda x: to_float32(x + _BIAS))), in_relaxed=False),
    Fault(
        "factors-in-float16", _plant_where_wide(_plant_float_sums(_PLAIN, _round_factors(to_float16))), in_relaxed=False
    ),
    Fault("factors-in-bfloat16", _plant_float_sums(_PLAIN, _round_factors(to_bfloat16))),
    Fault("last-term-dropped", _plant_float_sums(_PLAIN, lambda found: replace(found, terms=found.terms[:-1]))),
    Fault(
        "first-term-twice",
        _plant_float_sums(_PLAIN, lambda found: replace(found, terms=[found.terms[0], *found.terms])),
    ),
    Fault(
        "magnitudes-summed",
        _plant_float_sums(_PLAIN, lambda found: replace(found, terms=[(np.abs(x), y) for x, y in found.terms])),
    ),
    Fault("multipliers-in-float16", _plant_integer_sums(_round_multipliers)),
    Fault("sums-of-16-bits", _plant_integer_sums(_wrap_sums)),
    Fault("sums-saturate-at-16-bits", _plant_integer_sums(_saturate_sums)),
    Fault("one-multiplier-for-all", _plant_integer_sums(_use_one_multiplier)),
    Fault("sums-grow-by-1e-3", _plant_integer_sums(_grow_sums)),
    Fault("requantisation-cut-off", _plant_integer_sums(lambda found: found, np.trunc)),
    Fault("requantisation-rounded-down", _plant_integer_sums(lambda found: found, np.floor)),
)
