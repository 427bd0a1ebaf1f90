"""Kernels of layers of transformers for the bundled driver, in float32.

Operations: LAYER_NORMALIZATION, RMS_NORMALIZATION, GROUP_NORMALIZATION, MATMUL, CUMSUM, ATTENTION, ROTARY_EMBEDDING.

:data:`KERNELS` has them by operation. Normalisations form sums in float64, which is precise enough to compute the
variance as the mean square less the squared mean. ``meanings/transformers.py`` computes the ideal results for the
oracle, by other formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels.registry import Array, Kernel


def _compute_factors(x: Array, axes: tuple[int, ...], epsilon: float, *, centred: bool) -> tuple[Any, Any]:
    """Return the mean along axes (0 unless ``centred``), and the reciprocal root of the variance."""
    wide = x.astype(np.float64)
    # NumPy would warn of the mean of no elements, hence the quotients.
    count = max(1, prod(x.shape[axis] for axis in axes))
    mean: Any = wide.sum(axis=axes, keepdims=True) / count if centred else 0.0
    square = np.square(wide).sum(axis=axes, keepdims=True) / count
    return mean, 1 / np.sqrt(np.maximum(square - mean * mean, 0) + epsilon)


def _normalize_last(call: Call, *, centred: bool) -> Array:
    x = call["input"].array
    axes = tuple(range(call.scalar("axis", 0) % x.ndim, x.ndim))
    mean, factor = _compute_factors(x, axes, call.scalar("epsilon"), centred=centred)
    found = (x - mean) * factor * call["scale"].array
    if call.has("bias"):
        found = found + call["bias"].array
    return np.asarray(found, np.float32)


def _normalize_groups(call: Call) -> Array:
    x = call["input"].array
    parts = np.split(x, call.scalar("groups"), axis=1)
    axes = tuple(range(1, x.ndim))
    epsilon = call.scalar("epsilon")
    rows = []
    for part in parts:
        mean, factor = _compute_factors(part, axes, epsilon, centred=True)
        rows.append((part - mean) * factor)
    shape = (1, -1, *[1] * (x.ndim - 2))
    scale, bias = call["scale"].array.reshape(shape), call["bias"].array.reshape(shape)
    return np.asarray(np.concatenate(rows, axis=1) * scale + bias, np.float32)


def _compute_matmul(call: Call) -> Array:
    return np.asarray(np.einsum("...mk,...kn->...mn", call["first"].array, call["second"].array), np.float32)


def _compute_cumsum(call: Call) -> Array:
    """Carry a total along the axis, element by element."""
    source, axis = call["input"].array, call.scalar("axis", 0)
    x = np.moveaxis(source, axis, 0)
    found, total = np.empty_like(x), np.zeros(x.shape[1:], np.float32)
    places = range(len(x))
    for place in reversed(places) if call.scalar("reverse", False) else places:
        before, total = total, total + x[place]
        found[place] = before if call.scalar("exclusive", False) else total
    return np.moveaxis(found, 0, axis)


def _compute_attention(call: Call) -> Array:
    """Compute head by head; the division by the sum of the powers comes last, after the product with the values."""
    query, key, value = (call[name].array for name in ("query", "key", "value"))
    batches, heads, places, _ = query.shape
    found = np.empty((batches, heads, places, value.shape[3]), np.float32)
    scale, per_group = np.float32(call.scalar("scale")), heads // key.shape[1]
    mask = np.zeros((1, 1, 1, 1), np.float32)
    if call.has("mask"):
        mask = call["mask"].array
    added = np.broadcast_to(mask, (batches, heads, places, key.shape[2]))
    hidden = np.triu(np.ones(added.shape[2:], np.bool_), 1 + call.scalar("past", 0))
    for batch, head in np.ndindex(batches, heads):
        group = head // per_group
        scores = (query[batch, head] * scale) @ key[batch, group].T + added[batch, head]
        if call.scalar("causal", False):
            scores[hidden] = -np.inf
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        found[batch, head] = powers @ value[batch, group] / powers.sum(axis=1, keepdims=True)
    return found


def _compute_rotary(call: Call) -> Array:
    """Turn pairs of elements by multiplying them, as complex numbers, by cosine + i sine."""
    source = call["input"].array
    angles = call["cosines"].array + np.complex64(1j) * call["sines"].array
    half = angles.shape[-1]
    shape = (*source.shape[:-1], half, 2) if call.scalar("interleaved") else (*source.shape[:-1], 2, half)
    part = source[..., : 2 * half].reshape(shape)
    axis = -1 if call.scalar("interleaved") else -2
    pairs = part.take(0, axis) + np.complex64(1j) * part.take(1, axis)
    turned = pairs * angles[:, np.newaxis]
    found = source.copy()
    found[..., : 2 * half] = np.stack([turned.real, turned.imag], axis).reshape(*source.shape[:-1], 2 * half)
    return found


KERNELS: Final[Mapping[int, Kernel]] = {
    codes.LAYER_NORMALIZATION: lambda call: _normalize_last(call, centred=True),
    codes.RMS_NORMALIZATION: lambda call: _normalize_last(call, centred=False),
    codes.GROUP_NORMALIZATION: _normalize_groups,
    codes.MATMUL: _compute_matmul,
    codes.CUMSUM: _compute_cumsum,
    codes.ATTENTION: _compute_attention,
    codes.ROTARY_EMBEDDING: _compute_rotary,
}
