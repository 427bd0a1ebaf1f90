"""PAD, PAD_V2, MIRROR_PAD. Declared in ``hal/operations/padding.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.padding import REFLECT, pairs
from nnvet.reference_driver.kernels.registry import Array, kernel


@kernel(OperationType.PAD, native_float16=True)
def pad(call: Call) -> Array:
    """Borders of zeros: for quantised types the zero point."""
    return np.pad(call["input"].array, pairs(call), constant_values=call["input"].zero_point)


@kernel(OperationType.PAD_V2, native_float16=True)
def pad_v2(call: Call) -> Array:
    """Borders of the given value; of an INT32 value only the low byte counts."""
    source = call["input"].array
    value: Any = call["value"].array.astype(source.dtype).reshape(-1)[0]
    return np.pad(source, pairs(call), constant_values=value)


@kernel(OperationType.MIRROR_PAD, native_float16=True)
def mirror_pad(call: Call) -> Array:
    """Borders that mirror the tensor, each dimension by itself."""
    mode = call.scalar("mode")
    return np.pad(call["input"].array, pairs(call), mode="reflect" if mode == REFLECT else "symmetric")
