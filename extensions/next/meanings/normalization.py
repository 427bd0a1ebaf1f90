"""Meanings of LAYER_NORMALIZATION, RMS_NORMALIZATION, GROUP_NORMALIZATION.

Source: ONNX operators LayerNormalization-17, RMSNormalization-23, GroupNormalization-21.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.extensions.next.meanings.reading import reals
from nnvet.oracle.operations.invocation import Invocation, Meaning


def normalized(rows: Any, epsilon: float) -> Any:
    """Return deviations from the mean of the last dimension, over the root of their mean square."""
    deviations = rows - _mean(rows)
    return deviations / np.sqrt(_mean(deviations * deviations) + epsilon)


def _mean(rows: Any) -> Any:
    """Return the mean along the last dimension, 0 of nothing."""
    return rows.sum(-1, keepdims=True) / float(max(1, rows.shape[-1]))


def _from_axis(x: Any, axis: int) -> Any:
    """Return the elements with the dimensions from an axis on as one."""
    first = axis % x.ndim
    # NumPy does not find out a dimension beside one of no elements.
    return x.reshape(*x.shape[:first], prod(x.shape[first:]))


def _layer(call: Invocation) -> Any:
    x, (axis, epsilon) = reals(call), call.numbers(3, 2)
    found = normalized(_from_axis(x, axis), epsilon).reshape(*x.shape) * reals(call, 1)
    return found + reals(call, 2) if call.has(2) else found


def _rms(call: Invocation) -> Any:
    x, (axis, epsilon) = reals(call), call.numbers(2, 2)
    rows = _from_axis(x, axis)
    root = np.sqrt(_mean(rows * rows) + epsilon)
    return (rows / root).reshape(*x.shape) * reals(call, 1)


def _group(call: Invocation) -> Any:
    x, (groups, epsilon) = reals(call), call.numbers(3, 2)
    found = normalized(x.reshape(x.shape[0], groups, prod(x.shape[1:]) // groups), epsilon).reshape(*x.shape)
    scale, bias = (reals(call, place).reshape(-1, *[1] * (x.ndim - 2)) for place in (1, 2))
    return found * scale + bias


MEANINGS: Final[Mapping[int, Meaning]] = {
    codes.LAYER_NORMALIZATION: Meaning(_layer),
    codes.RMS_NORMALIZATION: Meaning(_rms),
    codes.GROUP_NORMALIZATION: Meaning(_group),
}
