"""Planted errors in how results are stored: rounding, saturation, positions of elements.

:data:`FAULTS` lists them for ``faults.py``. Functions such as :func:`_clear_last` change a right array; functions
``_plant_…`` make of them the function that computes wrong results. Errors in inputs are in ``call_faults.py``, those
within sums in ``sum_faults.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.oracle.arithmetic.codes import real_codes, results, saturated
from nnvet.oracle.arithmetic.sums import SUMS, Array, to_bfloat16, to_float16, truncated
from nnvet.oracle.operations.invocation import Invocation, Meaning, OperandValue
from tools.oracle_study.fault import Fault, Plant

OfArray: TypeAlias = Callable[[Array, OperandValue], Any]
"""Function that makes a wrong array of a right one and of its operand; None: the error does not apply."""

_BIAS: Final = 1e-4
"""Relative or absolute error of floats."""
_SMALL: Final = 2.0**-6
"""Magnitude below which results are flushed to zero."""
_EVERY: Final = 8
"""One of so many codes is wrong."""
_ROUNDED_ONCE: Final = frozenset((*SUMS, O.ADD, O.SUB, O.MUL, O.DIV, O.ABS, O.NEG, O.PRELU, O.MEAN))
"""Operations in float32 for which half a unit is an error; sums are rounded at each step, but may have few steps."""
_HALF_STEPS: Final = frozenset(
    (
        O.BATCH_MATMUL,
        O.BIDIRECTIONAL_SEQUENCE_RNN,
        O.INSTANCE_NORMALIZATION,
        O.LOG_SOFTMAX,
        O.PRELU,
        O.REDUCE_PROD,
        O.REDUCE_SUM,
        O.RNN,
        O.ROI_ALIGN,
        O.UNIDIRECTIONAL_SEQUENCE_RNN,
    )
)
"""Operations that the contract rounds to float16 at every step. Source: docs/contract/operations/common.md 12."""


def _plant_first(of: OfArray) -> Plant:
    """Return the error that changes the first result of an operation."""

    def plant(meaning: Meaning, call: Invocation) -> Any:
        found = results(meaning, call)
        if isinstance(found[0], OperandValue) or not np.size(found[0]):
            return None
        wrong = of(np.asarray(found[0]), call.output)
        return None if wrong is None else [wrong, *found[1:]]

    return plant


def _plant_floats(of: OfArray) -> Plant:
    return _plant_first(lambda array, output: of(array, output) if type_info(output.type).is_float else None)


def _plant_where_rounded_once(of: OfArray) -> Plant:
    """Return the error for operations that round results once, when they are stored.

    Elsewhere half a unit more is no error.
    """
    plant = _plant_floats(of)

    def plant_narrowed(meaning: Meaning, call: Invocation) -> Any:
        is_half = call.output.type == OperandType.TENSOR_FLOAT16
        operation = O.__members__.get(call.name)
        if operation is None:
            # The bounds of operations of extensions allow a rounding at each step.
            return None
        is_once = operation not in _HALF_STEPS if is_half else operation in _ROUNDED_ONCE
        return plant(meaning, call) if is_once else None

    return plant_narrowed


def _plant_codes(of: OfArray) -> Plant:
    return _plant_first(lambda array, output: of(array, output) if type_info(output.type).is_quantized else None)


def _read_dtype(output: OperandValue) -> Any:
    return np.dtype(type_info(output.type).dtype).type


def _truncate(array: Array, output: OperandValue) -> Any:
    return truncated(array, _read_dtype(output)) if array.dtype == np.float64 else None


def _add_half_ulp(array: Array, output: OperandValue) -> Any:
    dtype = _read_dtype(output)
    return array.astype(np.float64) + np.spacing(np.abs(array.astype(dtype))).astype(np.float64) / 2


def _round_to_float16(array: Array, output: OperandValue) -> Any:
    return to_float16(array) if _read_dtype(output) is np.float32 else None


def _flush_small(array: Array, _: OperandValue) -> Any:
    return np.where(np.abs(array) < _SMALL, 0, array)


def _clear_last(array: Array, output: OperandValue) -> Any:
    wrong = np.array(array)
    wrong.reshape(-1)[-1] = output.zero_point
    return wrong


def _repeat_last(array: Array, _: OperandValue) -> Any:
    flat = np.array(array).reshape(-1)
    flat[-1:] = flat[-2:-1] if flat.size > 1 else flat
    return flat.reshape(array.shape)


def _swap_axes(array: Array, _: OperandValue) -> Any:
    return np.swapaxes(array, -1, -2).reshape(array.shape) if array.ndim > 1 else None


def _repeat_batches(array: Array, _: OperandValue) -> Any:
    return np.broadcast_to(array[:1], array.shape) if array.ndim > 1 else None


def _raise_codes(step: int) -> OfArray:
    """Return a function that makes one of every ``step`` codes too large by one."""

    def of(array: Array, output: OperandValue) -> Any:
        wrong = array.astype(np.int64).reshape(-1)
        wrong[::step] += 1
        return np.clip(wrong, *output.limits).reshape(array.shape)

    return of


def _clear_lowest_bit(array: Array, _: OperandValue) -> Any:
    return array.astype(np.int64) & ~1


def _plant_real_codes(of: OfArray) -> Plant:
    """Return the error that makes codes of the real results, which are neither rounded nor saturated yet."""

    def plant(meaning: Meaning, call: Invocation) -> Any:
        codes = real_codes(meaning, call)
        return None if codes is None else of(codes, call.output)

    return plant


def _wrap(codes: Array, output: OperandValue) -> Any:
    return np.rint(codes).astype(np.int64).astype(_read_dtype(output))


def _cut_codes(codes: Array, output: OperandValue) -> Any:
    return saturated(np.trunc(codes), output)


def _round_up(codes: Array, output: OperandValue) -> Any:
    return saturated(np.ceil(codes), output)


def _omit_highest(codes: Array, output: OperandValue) -> Any:
    low, high = output.limits
    return np.clip(np.rint(codes), low, high - 1)


FAULTS: Final = (
    Fault("results-truncated", _plant_where_rounded_once(_truncate), in_relaxed=False),
    Fault("results-half-a-unit-up", _plant_where_rounded_once(_add_half_ulp), in_relaxed=False),
    Fault("results-in-float16", _plant_floats(_round_to_float16), in_relaxed=False),
    Fault("results-in-bfloat16", _plant_floats(lambda array, _: to_bfloat16(array))),
    Fault("results-larger-by-1e-4", _plant_floats(lambda array, _: array * (1 + _BIAS)), in_relaxed=False),
    Fault("results-plus-1e-4", _plant_floats(lambda array, _: array + _BIAS), in_relaxed=False),
    Fault("small-results-flushed", _plant_floats(_flush_small)),
    Fault("signs-lost", _plant_floats(lambda array, _: np.abs(array))),
    Fault("last-element-dropped", _plant_first(_clear_last)),
    Fault("last-element-repeated", _plant_first(_repeat_last)),
    Fault("elements-shifted", _plant_first(lambda array, _: np.roll(array.reshape(-1), 1).reshape(array.shape))),
    Fault("axes-swapped", _plant_first(_swap_axes)),
    Fault("batches-repeated", _plant_first(_repeat_batches)),
    Fault("codes-one-up", _plant_codes(_raise_codes(1))),
    Fault("some-codes-one-up", _plant_codes(_raise_codes(_EVERY))),
    Fault("lowest-bit-cleared", _plant_codes(_clear_lowest_bit)),
    Fault("saturation-wraps", _plant_real_codes(_wrap)),
    Fault("codes-truncated", _plant_real_codes(_cut_codes)),
    Fault("codes-rounded-up", _plant_real_codes(_round_up)),
    Fault("highest-code-missing", _plant_real_codes(_omit_highest)),
)
