"""Kernels of TO_FIXED64 and ADD_FIXED64, of the extension ``nnvet.example``.

They are declared in ``reference_driver/example_extension.py``.
"""

from __future__ import annotations

import numpy as np

from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.example_extension import ADD_FIXED64, TO_FIXED64, fraction_bits
from nnvet.reference_driver.kernels.registry import Array, kernel

_INT64 = np.iinfo(np.int64)
"""Range of the codes of TENSOR_FIXED64."""


@kernel(TO_FIXED64)
def to_fixed64(call: Call) -> Array:
    """Return numbers times 2^bits, rounded half to even; the product is exact, since 2^bits moves only the exponent."""
    codes = np.rint(np.ldexp(call["input"].array.astype(np.float64), fraction_bits(call.output)))
    if not ((codes >= -(2.0**63)) & (codes < 2.0**63)).all():
        call.fail(f"{TO_FIXED64.name}/input.values")
    return codes.astype(np.int64)


@kernel(ADD_FIXED64)
def add_fixed64(call: Call) -> Array:
    """Return sums, clamped to 64 bits."""
    first, second = call["input0"].array, call["input1"].array
    total = first + second
    # A sum that has wrapped around has neither operand's sign.
    wrapped = ((first ^ total) & (second ^ total)) < 0
    return np.where(wrapped, np.where(first < 0, _INT64.min, _INT64.max), total)
