"""Between codes and real values, as the reference rounds (docs/contract/operations/common.md 15)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnvet.hal.operations.declaration import Argument, Call
from nnvet.reference_driver.kernels.registry import Array


def round_half_away(values: Any) -> Any:
    """Nearest integers, exact halves away from zero, in the floating type given."""
    whole = np.trunc(values)
    return whole + np.where(np.abs(values - whole) >= 0.5, np.copysign(1, values), 0).astype(whole.dtype)


def dequantize(argument: Argument) -> Array:
    """Real values (q - zero point) * scale in float32."""
    return centred(argument).astype(np.float32) * np.float32(argument.scale)


def centred(argument: Argument) -> Array:
    """Codes less the zero point, int64."""
    return argument.array.astype(np.int64) - argument.zero_point


def quantize(values: Array, output: Argument) -> Array:
    """Codes of float32 values for ``output``: zero point + round(x / scale), saturated; NaN gives the highest."""
    low, high = output.quantized_range
    codes = round_half_away(values / np.float32(output.scale)) + np.float32(output.zero_point)
    return np.where(codes <= high, np.maximum(codes, low), high).astype(output.dtype)


def requantize(argument: Argument, output: Argument) -> Array:
    """Codes of ``argument`` brought to scale and zero point of ``output``, saturated."""
    low, high = output.quantized_range
    real = dequantize(argument).astype(np.float64)
    codes = round_half_away(real / float(np.float32(output.scale)) + output.zero_point)
    return np.asarray(np.clip(codes, low, high), dtype=output.dtype)


def through_table(call: Call, name: str, compute: Callable[[Argument], Array]) -> Array:
    """An 8-bit operation on single codes, looked up in the table of its results for all 256 codes.

    ``compute`` maps an argument to output codes; it sees the operand ``name`` with every code once. The table is
    kept for as long as the scales and zero points do not change.
    """
    argument, output = call[name], call.output

    def build() -> Array:
        codes = np.arange(256, dtype=np.uint8).view(argument.dtype)
        return compute(Argument(argument.type, codes.shape, argument.scale, argument.zero_point, None, codes))

    key = f"table {argument.scale} {argument.zero_point} {output.scale} {output.zero_point}"
    return call.memo(key, (), build)[argument.array.view(np.uint8)]
