"""Arithmetic on the values of spec operands. Source: docs/contract/spec-format.md 4 and 7.

Values are flat and row-major: what the spec gave (a list or tuple) or what an earlier step made (an array). Steps
run when a case is built, not when it is collected.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from nnvet.generators.graphs.model import Array
from nnvet.generators.specs.operand_type import Type

Values = Sequence[Any] | Array
Step = Callable[[Values], Values]

_CLAMPED: Final = {
    "TENSOR_QUANT8_ASYMM": (0, 255),
    "TENSOR_QUANT16_ASYMM": (0, 65535),
    "TENSOR_QUANT8_SYMM_PER_CHANNEL": (-127, 127),
    "TENSOR_QUANT8_ASYMM_SIGNED": (-128, 127),
    "UINT32": (0, None),
}
"""Limits applied when a value is converted; the other integer types are not clamped."""


def numbers(values: Values) -> Array:
    """Values as a flat array of whatever number type they are."""
    if isinstance(values, np.ndarray):
        return values
    try:
        array = np.asarray(values)
    except ValueError:  # nested lists of different lengths
        array = np.empty((0, 0))
    if array.ndim == 1 and array.dtype.kind in "biuf":
        return array
    return np.array([_number(value) for value in values])


@cache
def limits(dtype: str) -> tuple[int, int]:
    """Smallest and largest integer of an element type."""
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def _number(value: Any) -> float | int:
    """One value that is not a plain number: a string or an array of one element.

    :raises ValueError: it cannot stand for one number.
    """
    try:
        if isinstance(value, (np.ndarray, np.generic)):
            value = value.item()
        return value if isinstance(value, (bool, int)) else float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{value!r} is not a number") from None


def emit(values: Values, kind: Type) -> Array:
    """Values as elements of ``kind``: floats rounded, booleans as truth, everything else truncated.

    :raises ValueError: a value is no number or does not fit.
    """
    array = numbers(values)
    if kind.is_float:
        with np.errstate(all="ignore"):
            single = array if kind.dtype == "float64" else array.astype(np.float32)
            return single.astype(kind.dtype)
    if kind.type in {"BOOL", "TENSOR_BOOL8"}:
        return array.astype(np.bool_).astype(kind.dtype)
    if array.dtype.kind == "f":
        array = np.trunc(array)
    low, high = limits(kind.dtype)
    if array.size and not (array.min() >= low and array.max() <= high):
        raise ValueError(f"values from {array.min()} to {array.max()} do not fit {kind.type}")
    return array.astype(kind.dtype)


def convert(values: Values, old: Type, new: Type) -> Values:
    """Values of type ``old`` as values of ``new``, in float32; integers are rounded half to even and clamped."""
    with np.errstate(all="ignore"):
        real = numbers(values).astype(np.float32) - np.float32(old.zero_point)
        if old.scale:
            real *= np.float32(old.scale)
        real = _per_channel(real, old, np.multiply)
        if new.scale:
            real /= np.float32(new.scale)
        real = _per_channel(real, new, np.divide) + np.float32(new.zero_point)
        if new.is_float:
            return real
        codes: Array = np.rint(real).astype(np.int64)
    return clamp(codes, *_CLAMPED[new.type]) if new.type in _CLAMPED else codes


def _per_channel(values: Array, kind: Type, apply: Callable[[Array, Array], Array]) -> Array:
    if kind.channel_quant is None:
        return values
    scales = np.array(kind.channel_quant.scales, np.float32)
    scales = scales.reshape(kind.channel_quant.broadcast_shape(kind.rank))
    return apply(values.reshape(kind.dimensions), scales).reshape(-1)


def transpose(
    values: Values, dimensions: Sequence[int], permutation: Sequence[int], drop: Collection[int] = ()
) -> Values:
    """Values with their axes permuted; of axes ``drop`` (after the permutation) only index 0 is kept."""
    kept = tuple(0 if axis in drop else slice(None) for axis in range(len(dimensions)))
    return numbers(values).reshape(dimensions).transpose(permutation)[kept].reshape(-1)


def take(values: Values, indexes: Sequence[int]) -> Values:
    """The values at ``indexes``."""
    return [values[index] for index in indexes]


def clamp(values: Values, low: float | None, high: float | None) -> Values:
    """Values limited from one or both sides."""
    clamped: Array = np.clip(numbers(values), low, high)
    return clamped
