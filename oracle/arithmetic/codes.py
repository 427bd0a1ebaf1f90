"""Simulated drivers (:data:`Run`): whole models computed in an arithmetic that a driver may have.

Tests of error bounds run models by :func:`in_arithmetic`, :func:`running` and :func:`stored_in_float16`. 8-bit codes
may be computed by integer or real sums, and float32 may be stored as float16. :mod:`nnvet.oracle.arithmetic.sums` has
the orders in which sums are formed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import Model
from nnvet.oracle.arithmetic.sums import Arithmetic, Array, summed, to_float16
from nnvet.oracle.execution import Compute, evaluate
from nnvet.oracle.operations.activation import code_bounds
from nnvet.oracle.operations.convolution import batch_matmul, channel_scales, fully_connected, read_inputs, sums_of
from nnvet.oracle.operations.invocation import Invocation, Meaning, OperandValue, Tensor, in_layout

_CODES: Final = (
    OperandType.TENSOR_QUANT8_ASYMM,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
    OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL,
)
# Operations that slide a filter over an image, and those with a bias, which is input 2.
_WINDOWED: Final = (O.CONV_2D, O.DEPTHWISE_CONV_2D, O.GROUPED_CONV_2D, O.TRANSPOSE_CONV_2D)
_BIASED: Final = (*_WINDOWED, O.FULLY_CONNECTED)
_BIAS: Final = 2


def is_quantized(call: Invocation) -> bool:
    """Return True if the first input and the first output hold 8-bit codes."""
    return call.inputs[0].type in _CODES and call.output.type in _CODES


@dataclass(frozen=True)
class IntegerSum:
    """Integer sums of an operation, channels last, with the multipliers that turn them into codes."""

    sums: Array
    multipliers: Array
    activation: int
    nchw: bool

    def codes(self, call: Invocation, rounding: Callable[[Any], Any] = np.rint) -> Array:
        """Return codes of the sums times the multipliers, saturated."""
        low, high = code_bounds(self.activation, *call.output.quantization, *call.output.limits)
        codes = np.clip(rounding(self.sums * self.multipliers) + call.output.zero_point, low, high).astype(np.int64)
        return in_layout(Tensor.of(codes), nchw=True).array if self.nchw else codes


def integer_sum(call: Invocation) -> IntegerSum | None:
    """Return the integer sums of an operation on 8-bit codes; None where it is no sum of products."""
    operation = O.__members__.get(call.name)
    if not is_quantized(call) or operation not in (*_BIASED, O.BATCH_MATMUL):
        return None
    scales = np.array(channel_scales(call.inputs[1]), np.float32) * np.float32(call.inputs[0].scale)
    multipliers = scales.astype(np.float64) / call.output.scale
    if operation in _WINDOWED:
        given = read_inputs(call)
        return IntegerSum(sums_of(call.name, given).array, multipliers, given.activation, given.nchw)
    if operation == O.FULLY_CONNECTED:
        sums = fully_connected(call.centred(0), call.centred(1), call.whole(2).array)
        return IntegerSum(sums.array, multipliers, call.number(3), nchw=False)
    sums = batch_matmul(call.centred(0), call.centred(1), adj_x=call.flag(2), adj_y=call.flag(3))
    return IntegerSum(sums.array, multipliers, 0, nchw=False)


REAL: Final = frozenset(
    (
        *_BIASED,
        O.ADD,
        O.AVERAGE_POOL_2D,
        O.BATCH_MATMUL,
        O.HARD_SWISH,
        O.ELU,
        O.L2_NORMALIZATION,
        O.LOGISTIC,
        O.MUL,
        O.PRELU,
        O.SOFTMAX,
        O.SUB,
        O.TANH,
    )
)
"""Operations whose codes a driver may compute from real results on dequantised inputs."""


def real_form(call: Invocation) -> Invocation | None:
    """Return an operation on 8-bit codes as an operation on float32; None if the operation differs between the two."""
    operation = O.__members__.get(call.name)
    if not is_quantized(call) or operation not in REAL:
        return None
    inputs = [_real(operand) for operand in call.inputs]
    if operation in _BIASED:
        scales = np.array(channel_scales(call.inputs[1]), np.float32) * np.float32(call.inputs[0].scale)
        inputs[_BIAS] = _float32(call.whole(_BIAS).array * scales)
    return call.with_inputs(inputs).with_outputs([OperandValue(OperandType.TENSOR_FLOAT32)])


def _float32(values: Any) -> OperandValue:
    return OperandValue(OperandType.TENSOR_FLOAT32, np.asarray(values, np.float32))


def _real(value: OperandValue) -> OperandValue:
    if value.type not in _CODES or value.array is None:
        return value
    centred = value.array.astype(np.float32) - np.float32(value.zero_point)
    if value.channel_quant is None:
        return _float32(centred * np.float32(value.scale))
    shape = [1] * centred.ndim
    shape[value.channel_quant.channel_dim] = -1
    return _float32(centred * np.array(value.channel_quant.scales, np.float32).reshape(shape))


def real_codes(meaning: Meaning, call: Invocation) -> Array | None:
    """Return codes of the real results, before they are rounded and saturated; in float64."""
    form = real_form(call)
    if form is None:
        return None
    found = meaning.compute(form)
    reals = (found.array if isinstance(found, Tensor) else np.asarray(found)).astype(np.float64)
    shifted: Array = reals / call.output.scale + call.output.zero_point
    return shifted


def saturated(codes: Any, output: OperandValue) -> Array:
    """Return whole codes of an output's type."""
    kept: Array = np.clip(codes, *output.limits).astype(type_info(output.type).dtype)
    return kept


Run: TypeAlias = Callable[[Model, Sequence[Array | None]], list[Array]]
"""Function that returns the outputs of a model for inputs, like :func:`nnvet.oracle.execution.evaluate`."""


def results(meaning: Meaning, call: Invocation) -> list[Any]:
    """Return the results of the meaning of an operation, output by output, each as an array."""
    found = meaning.compute(call)
    return [
        result.array if isinstance(result, Tensor) else result
        for result in (found if isinstance(found, list | tuple) else [found])
    ]


def in_arithmetic(arithmetic: Arithmetic) -> Run:
    """Return a driver that forms sums in an arithmetic, and codes of real results from results in it."""

    def compute(meaning: Meaning, call: Invocation) -> Any:
        found = summed(call, arithmetic)
        return meaning.compute(call) if found is None else found

    return running(compute)


def running(compute: Compute) -> Run:
    """Return a driver that computes every operation by ``compute``."""
    return lambda model, inputs: evaluate(model, inputs, compute)


_RESIZES: Final = frozenset(("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"))
_SIZES: Final = frozenset((OperandType.FLOAT32,))


def _narrow(value: OperandValue) -> OperandValue:
    """Return a float32 operand with the nearest float16 values."""
    if value.array is None or value.array.dtype != np.float32:
        return value
    return value.with_array(to_float16(value.array).astype(np.float32))


def stored_in_float16(arithmetic: Arithmetic) -> Run:
    """Return a driver that stores all float32 operands as float16, and forms their sums in an arithmetic.

    Operands that are float16 or codes in the model are not relaxed, nor are scalars beside codes. Source:
    docs/contract/operations/common.md 12.
    """

    def compute(meaning: Meaning, call: Invocation) -> Any:
        kinds = {operand.type for operand in (*call.inputs, *call.outputs)}
        if OperandType.TENSOR_FLOAT16 in kinds or OperandType.TENSOR_FLOAT32 not in kinds:
            return meaning.compute(call)
        # Sizes follow from scales before anything is computed, so these scales are not rounded.
        scales = _SIZES if call.name in _RESIZES else frozenset()
        narrow = call.with_inputs([operand if operand.type in scales else _narrow(operand) for operand in call.inputs])
        found = summed(narrow, arithmetic)
        made = results(meaning, narrow) if found is None else [found]
        return [
            to_float16(result)
            if not isinstance(result, OperandValue) and type_info(output.type).dtype == "float32"
            else result
            for result, output in zip(made, call.outputs, strict=False)
        ]

    return running(compute)
