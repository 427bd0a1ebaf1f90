"""Meanings of LAYER_NORMALIZATION, RMS_NORMALIZATION, GROUP_NORMALIZATION.

Source: ONNX operators LayerNormalization-17, RMSNormalization-23, GroupNormalization-21.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.extensions.next.meanings.reading import reals
from nnvet.oracle.operations.invocation import Invocation, Meaning


def normalized(rows: Any, epsilon: float) -> Any:
    """Return deviations from the mean of the last dimension, over the root of their mean square."""
    deviations = rows - rows.mean(-1, keepdims=True)
    return deviations / np.sqrt(np.mean(deviations * deviations, -1, keepdims=True) + epsilon)


def _from_axis(x: Any, axis: int) -> Any:
    """Return the elements with the dimensions from an axis on as one."""
    return x.reshape(*x.shape[: axis % x.ndim], -1)


def _layer(call: Invocation) -> Any:
    x, (axis, epsilon) = reals(call), call.numbers(3, 2)
    found = normalized(_from_axis(x, axis), epsilon).reshape(*x.shape) * reals(call, 1)
    return found + reals(call, 2) if call.has(2) else found


def _rms(call: Invocation) -> Any:
    x, (axis, epsilon) = reals(call), call.numbers(2, 2)
    rows = _from_axis(x, axis)
    root = np.sqrt(np.mean(rows * rows, -1, keepdims=True) + epsilon)
    return (rows / root).reshape(*x.shape) * reals(call, 1)


def _group(call: Invocation) -> Any:
    x, (groups, epsilon) = reals(call), call.numbers(3, 2)
    found = normalized(x.reshape(x.shape[0], groups, -1), epsilon).reshape(*x.shape)
    scale, bias = (reals(call, place).reshape(-1, *[1] * (x.ndim - 2)) for place in (1, 2))
    return found * scale + bias


MEANINGS: Final[Mapping[int, Meaning]] = {
    codes.LAYER_NORMALIZATION: Meaning(_layer),
    codes.RMS_NORMALIZATION: Meaning(_rms),
    codes.GROUP_NORMALIZATION: Meaning(_group),
}
