"""Kernels of RESIZE_CUBIC and DYNAMIC_QUANTIZE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels.registry import Array, Kernel

_A: Final = -0.75
_MOST_CODE: Final = 255


def _taps(fraction: Array) -> list[Array]:
    """Return the parts of four neighbours, from the fraction of the way between the middle two."""
    t, rest = fraction, 1 - fraction
    first, last = _A * t * rest * rest, _A * t * t * rest
    second = 1 - (_A + 3) * t * t + (_A + 2) * t * t * t
    return [first, second, 1 - first - second - last, last]


def _along(x: Array, axis: int, target: int, *, aligned: bool) -> Array:
    size = x.shape[axis]
    cells = np.arange(target)
    if aligned:
        places = cells * ((size - 1) / (target - 1)) if target > 1 else cells * 0.0
    else:
        places = (cells + 0.5) * (size / target) - 0.5
    below = np.floor(places).astype(np.int64)
    shape = [1] * x.ndim
    shape[axis] = target
    found: Any = 0.0
    for offset, part in enumerate(_taps(places - below)):
        found = found + x.take(np.clip(below + offset - 1, 0, size - 1), axis) * part.reshape(shape)
    return np.asarray(found)


def _resize(call: Call) -> Array:
    """Interpolate columns first, then rows."""
    is_aligned = call.scalar("align_corners", False)
    wide = _along(call["input"].array, 3, call.scalar("width"), aligned=is_aligned)
    return np.asarray(_along(wide, 2, call.scalar("height"), aligned=is_aligned), np.float32)


def _quantize(call: Call) -> tuple[Array, ...]:
    x = call["input"].array
    low, high = min(np.float32(0), x.min()), max(np.float32(0), x.max())
    scale = np.float32((high - low) / np.float32(_MOST_CODE)) if high > low else np.float32(1)
    zero_point = np.int32(np.clip(np.rint(-low / scale), 0, _MOST_CODE))
    found = np.clip(np.rint(x / scale).astype(np.int64) + zero_point, 0, _MOST_CODE)
    return found.astype(np.int32), np.array([scale], np.float32), np.array([zero_point], np.int32)


KERNELS: Final[Mapping[int, Kernel]] = {codes.RESIZE_CUBIC: _resize, codes.DYNAMIC_QUANTIZE: _quantize}
