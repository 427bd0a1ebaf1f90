"""Faults in how results are stored: rounding, saturation, places."""

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
"""A wrong array for a right one and the operand that holds it, or None."""

_BIAS: Final = 1e-4
_SMALL: Final = 2.0**-6
_EVERY: Final = 8
_ROUNDED_ONCE: Final = frozenset((*SUMS, O.ADD, O.SUB, O.MUL, O.DIV, O.ABS, O.NEG, O.PRELU, O.MEAN))
"""In float32; sums are rounded at every step, but there may be few."""
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


def _first(of: OfArray) -> Plant:
    """Plant a wrong first result."""

    def plant(meaning: Meaning, call: Invocation) -> Any:
        found = results(meaning, call)
        if isinstance(found[0], OperandValue) or not np.size(found[0]):
            return None
        wrong = of(np.asarray(found[0]), call.output)
        return None if wrong is None else [wrong, *found[1:]]

    return plant


def _on_floats(of: OfArray) -> Plant:
    return _first(lambda array, output: of(array, output) if type_info(output.type).is_float else None)


def _where_rounded_once(of: OfArray) -> Plant:
    """Plant a fault where the result is rounded only when it is stored: elsewhere half a unit more is no error."""
    plant = _on_floats(of)

    def narrowed(meaning: Meaning, call: Invocation) -> Any:
        is_half = call.output.type == OperandType.TENSOR_FLOAT16
        operation = O.__members__.get(call.name)
        if operation is None:
            # Bounds of operations of extensions let each step be rounded.
            return None
        is_once = operation not in _HALF_STEPS if is_half else operation in _ROUNDED_ONCE
        return plant(meaning, call) if is_once else None

    return narrowed


def _on_codes(of: OfArray) -> Plant:
    return _first(lambda array, output: of(array, output) if type_info(output.type).is_quantized else None)


def _dtype(output: OperandValue) -> Any:
    return np.dtype(type_info(output.type).dtype).type


def _stored_truncated(array: Array, output: OperandValue) -> Any:
    return truncated(array, _dtype(output)) if array.dtype == np.float64 else None


def _half_ulp_up(array: Array, output: OperandValue) -> Any:
    dtype = _dtype(output)
    return array.astype(np.float64) + np.spacing(np.abs(array.astype(dtype))).astype(np.float64) / 2


def _as_float16(array: Array, output: OperandValue) -> Any:
    return to_float16(array) if _dtype(output) is np.float32 else None


def _small_flushed(array: Array, _: OperandValue) -> Any:
    return np.where(np.abs(array) < _SMALL, 0, array)


def _last_zero(array: Array, output: OperandValue) -> Any:
    wrong = np.array(array)
    wrong.reshape(-1)[-1] = output.zero_point
    return wrong


def _last_repeated(array: Array, _: OperandValue) -> Any:
    flat = np.array(array).reshape(-1)
    flat[-1:] = flat[-2:-1] if flat.size > 1 else flat
    return flat.reshape(array.shape)


def _axes_swapped(array: Array, _: OperandValue) -> Any:
    return np.swapaxes(array, -1, -2).reshape(array.shape) if array.ndim > 1 else None


def _batches_repeated(array: Array, _: OperandValue) -> Any:
    return np.broadcast_to(array[:1], array.shape) if array.ndim > 1 else None


def _up_by(step: int) -> OfArray:
    """Plant codes that are one too large, at every ``step`` places."""

    def of(array: Array, output: OperandValue) -> Any:
        wrong = array.astype(np.int64).reshape(-1)
        wrong[::step] += 1
        return np.clip(wrong, *output.limits).reshape(array.shape)

    return of


def _lowest_bit_cleared(array: Array, _: OperandValue) -> Any:
    return array.astype(np.int64) & ~1


def _from_reals(of: OfArray) -> Plant:
    """Return codes from the real results, not yet rounded nor saturated."""

    def plant(meaning: Meaning, call: Invocation) -> Any:
        codes = real_codes(meaning, call)
        return None if codes is None else of(codes, call.output)

    return plant


def _wrapped(codes: Array, output: OperandValue) -> Any:
    return np.rint(codes).astype(np.int64).astype(_dtype(output))


def _cut(codes: Array, output: OperandValue) -> Any:
    return saturated(np.trunc(codes), output)


def _rounded_up(codes: Array, output: OperandValue) -> Any:
    return saturated(np.ceil(codes), output)


def _range_one_short(codes: Array, output: OperandValue) -> Any:
    low, high = output.limits
    return np.clip(np.rint(codes), low, high - 1)


FAULTS: Final = (
    Fault("results-truncated", _where_rounded_once(_stored_truncated), in_relaxed=False),
    Fault("results-half-a-unit-up", _where_rounded_once(_half_ulp_up), in_relaxed=False),
    Fault("results-in-float16", _on_floats(_as_float16), in_relaxed=False),
    Fault("results-in-bfloat16", _on_floats(lambda array, _: to_bfloat16(array))),
    Fault("results-larger-by-1e-4", _on_floats(lambda array, _: array * (1 + _BIAS)), in_relaxed=False),
    Fault("results-plus-1e-4", _on_floats(lambda array, _: array + _BIAS), in_relaxed=False),
    Fault("small-results-flushed", _on_floats(_small_flushed)),
    Fault("signs-lost", _on_floats(lambda array, _: np.abs(array))),
    Fault("last-element-dropped", _first(_last_zero)),
    Fault("last-element-repeated", _first(_last_repeated)),
    Fault("elements-shifted", _first(lambda array, _: np.roll(array.reshape(-1), 1).reshape(array.shape))),
    Fault("axes-swapped", _first(_axes_swapped)),
    Fault("batches-repeated", _first(_batches_repeated)),
    Fault("codes-one-up", _on_codes(_up_by(1))),
    Fault("some-codes-one-up", _on_codes(_up_by(_EVERY))),
    Fault("lowest-bit-cleared", _on_codes(_lowest_bit_cleared)),
    Fault("saturation-wraps", _from_reals(_wrapped)),
    Fault("codes-truncated", _from_reals(_cut)),
    Fault("codes-rounded-up", _from_reals(_rounded_up)),
    Fault("highest-code-missing", _from_reals(_range_one_short)),
)
