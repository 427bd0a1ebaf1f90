"""Conversion of rank-4 arrays between the data layouts NHWC and NCHW.

Kernels of images compute in NHWC. They call :func:`channels_last` for inputs and :func:`as_laid_out` for outputs.
"""

from __future__ import annotations

from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.shapes import is_nchw
from nnvet.reference_driver.kernels.registry import Array


def channels_last(call: Call, array: Array) -> Array:
    """Return ``array``, which has the layout of the call, as NHWC (a view)."""
    return array.transpose(0, 2, 3, 1) if is_nchw(call) else array


def as_laid_out(call: Call, array: Array) -> Array:
    """Return ``array``, which is NHWC, in the layout of the call (a view)."""
    return array.transpose(0, 3, 1, 2) if is_nchw(call) else array
