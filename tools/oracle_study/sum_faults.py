"""Faults within sums of products: their number format, their terms, and what makes codes of them."""

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
_HALF_STEPS: Final = frozenset(("BATCH_MATMUL",))
"""Operations that the contract computes in float16 where their operands are float16."""


def _of_floats(arithmetic: Arithmetic, of: Callable[[Sum], Sum] = lambda found: found) -> Plant:
    """Return sums of other terms, in an arithmetic."""

    def plant(_: Meaning, call: Invocation) -> Any:
        found = sum_of(call)
        if found is None or not found.terms:
            return None
        wrong = of(found)
        if not wrong.terms:
            return None
        return found.finish(arithmetic.total(wrong.terms, wrong.start))

    return plant


def _where_wide(plant: Plant) -> Plant:
    """Not where float16 is the arithmetic that the contract asks for."""

    def narrowed(meaning: Meaning, call: Invocation) -> Any:
        is_half = call.inputs[0].type == OperandType.TENSOR_FLOAT16 and call.name in _HALF_STEPS
        return None if is_half else plant(meaning, call)

    return narrowed


def _where_kept(plant: Plant) -> Plant:
    """Not where results are float16: sums that are cut in float32 are within their 2 * KS units of float32.

    Storing them as float16 leaves nothing that the sums over a tensor could show. Source: docs/contract/accuracy.md 2.
    """
    return lambda meaning, call: None if call.output.type == OperandType.TENSOR_FLOAT16 else plant(meaning, call)


def _factors_in(rounding: Callable[[Any], Any]) -> Callable[[Sum], Sum]:
    return lambda found: replace(found, terms=[(rounding(left), rounding(right)) for left, right in found.terms])


def _of_codes(of: Callable[[IntegerSum], IntegerSum], rounding: Callable[[Any], Any] = np.rint) -> Plant:
    """Other integer sums or multipliers."""

    def plant(_: Meaning, call: Invocation) -> Any:
        found = integer_sum(call)
        return None if found is None else of(found).codes(call, rounding)

    return plant


def _cut_multipliers(found: IntegerSum) -> IntegerSum:
    return replace(found, multipliers=found.multipliers.astype(np.float16).astype(np.float64))


def _sums_of_16_bits(found: IntegerSum) -> IntegerSum:
    return replace(found, sums=found.sums.astype(np.int16).astype(np.int64))


def _sums_saturated(found: IntegerSum) -> IntegerSum:
    return replace(found, sums=np.clip(found.sums, -(2**15), 2**15 - 1))


def _one_multiplier(found: IntegerSum) -> IntegerSum:
    return replace(found, multipliers=found.multipliers[:1])


def _biased_sums(found: IntegerSum) -> IntegerSum:
    return replace(found, sums=found.sums * (1 + 10 * _BIAS))


_PLAIN: Final = Arithmetic()
FAULTS: Final = (
    Fault("float16-sums", _where_wide(_of_floats(Arithmetic(to_float16))), in_relaxed=False),
    Fault("float16-sums-pairwise", _where_wide(_of_floats(Arithmetic(to_float16, Order.PAIRWISE))), in_relaxed=False),
    Fault("bfloat16-sums", _of_floats(Arithmetic(to_bfloat16))),
    Fault("sums-cut-off", _where_kept(_of_floats(Arithmetic(cut_to_float32))), in_relaxed=False),
    Fault("partial-sums-grow-by-1e-4", _of_floats(Arithmetic(lambda x: to_float32(x * (1 + _BIAS)))), in_relaxed=False),
    Fault("partial-sums-plus-1e-4", _of_floats(Arithmetic(lambda x: to_float32(x + _BIAS))), in_relaxed=False),
    Fault("factors-in-float16", _where_wide(_of_floats(_PLAIN, _factors_in(to_float16))), in_relaxed=False),
    Fault("factors-in-bfloat16", _of_floats(_PLAIN, _factors_in(to_bfloat16))),
    Fault("last-term-dropped", _of_floats(_PLAIN, lambda found: replace(found, terms=found.terms[:-1]))),
    Fault("first-term-twice", _of_floats(_PLAIN, lambda found: replace(found, terms=[found.terms[0], *found.terms]))),
    Fault(
        "magnitudes-summed",
        _of_floats(_PLAIN, lambda found: replace(found, terms=[(np.abs(x), y) for x, y in found.terms])),
    ),
    Fault("multipliers-in-float16", _of_codes(_cut_multipliers)),
    Fault("sums-of-16-bits", _of_codes(_sums_of_16_bits)),
    Fault("sums-saturate-at-16-bits", _of_codes(_sums_saturated)),
    Fault("one-multiplier-for-all", _of_codes(_one_multiplier)),
    Fault("sums-grow-by-1e-3", _of_codes(_biased_sums)),
    Fault("requantisation-cut-off", _of_codes(lambda found: found, np.trunc)),
    Fault("requantisation-rounded-down", _of_codes(lambda found: found, np.floor)),
)
