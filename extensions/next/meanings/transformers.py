"""Meanings of layers of transformers: ideal results, for the oracle.

Operations: LAYER_NORMALIZATION, RMS_NORMALIZATION, GROUP_NORMALIZATION, MATMUL, CUMSUM, ATTENTION, ROTARY_EMBEDDING.

Source: ONNX operators LayerNormalization-17, RMSNormalization-23, GroupNormalization-21, MatMul-13, CumSum-14,
Attention-24, RotaryEmbedding-23. Attention has no cache of its own: keys and values come whole, and ``past`` says how
many of them precede the first query; TENSOR_SCATTER (``movement.py``) fills a cache. ``kernels/transformers.py``
computes the same for the bundled driver, by other algorithms.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.extensions.next.meanings.reading import reals
from nnvet.oracle.operations.invocation import Invocation, Meaning


def normalize(rows: Any, epsilon: float) -> Any:
    """Return deviations from the mean along the last dimension, divided by the root of (mean square + epsilon)."""
    deviations = rows - _average(rows)
    return deviations / np.sqrt(_average(deviations * deviations) + epsilon)


def _average(rows: Any) -> Any:
    """Return the mean along the last dimension; 0 if that dimension has no elements."""
    return rows.sum(-1, keepdims=True) / float(max(1, rows.shape[-1]))


def _merge_from_axis(x: Any, axis: int) -> Any:
    """Return the elements with all dimensions from an axis on merged into one."""
    first = axis % x.ndim
    # reshape(-1) cannot infer the merged dimension if another one is 0.
    return x.reshape(*x.shape[:first], prod(x.shape[first:]))


def _compute_layer(call: Invocation) -> Any:
    x, (axis, epsilon) = reals(call), call.numbers(3, 2)
    found = normalize(_merge_from_axis(x, axis), epsilon).reshape(*x.shape) * reals(call, 1)
    return found + reals(call, 2) if call.has(2) else found


def _compute_rms(call: Invocation) -> Any:
    x, (axis, epsilon) = reals(call), call.numbers(2, 2)
    rows = _merge_from_axis(x, axis)
    root = np.sqrt(_average(rows * rows) + epsilon)
    return (rows / root).reshape(*x.shape) * reals(call, 1)


def _compute_group(call: Invocation) -> Any:
    x, (groups, epsilon) = reals(call), call.numbers(3, 2)
    found = normalize(x.reshape(x.shape[0], groups, prod(x.shape[1:]) // groups), epsilon).reshape(*x.shape)
    scale, bias = (reals(call, place).reshape(-1, *[1] * (x.ndim - 2)) for place in (1, 2))
    return found * scale + bias


_LOWEST: Final = -(2.0**100)
"""Score of a key that a query must not see: below all others.

It is finite, because the analysis of errors computes with it; a power of two is exact.
"""


def _compute_matmul(call: Invocation) -> Any:
    return np.matmul(reals(call), reals(call, 1))


def _compute_cumsum(call: Invocation) -> Any:
    x, axis = reals(call).swapaxes(call.number(1), -1), call.number(1)
    is_exclusive, is_reverse = call.flag(2), call.flag(3)
    if is_reverse:
        x = x[..., ::-1]
    total = np.cumsum(x, -1)
    if is_exclusive:
        total = np.concatenate([np.zeros((*x.shape[:-1], 1)), total[..., :-1]], -1)
    if is_reverse:
        total = total[..., ::-1]
    return total.swapaxes(axis, -1)


def _compute_attention(call: Invocation) -> Any:
    query, key, value = (reals(call, place) for place in range(3))
    group = np.arange(query.shape[1]) // (query.shape[1] // key.shape[1])
    scores = np.matmul(query, key[:, group].swapaxes(-1, -2)) * call.number(4)
    if call.has(3):
        scores = scores + reals(call, 3)
    seen = np.ones((query.shape[2], key.shape[2]), np.bool_)
    if call.flag(5):
        seen = np.arange(key.shape[2]) <= np.arange(query.shape[2])[:, None] + call.number(6)
    highest = np.where(seen, scores, _LOWEST).max(-1, keepdims=True)
    powers = np.where(seen, np.exp(scores - highest), 0.0)
    return np.matmul(powers / powers.sum(-1, keepdims=True), value[:, group])


def _compute_rotary(call: Invocation) -> Any:
    x, cosines, sines = reals(call), reals(call, 1)[:, None], reals(call, 2)[:, None]
    half = cosines.shape[-1]
    turned, rest = x[..., : 2 * half], x[..., 2 * half :]
    is_interleaved = call.flag(3)
    first, second = (
        (turned[..., ::2], turned[..., 1::2]) if is_interleaved else (turned[..., :half], turned[..., half:])
    )
    real, imaginary = first * cosines - second * sines, first * sines + second * cosines
    if is_interleaved:
        pairs = np.concatenate([real[..., None], imaginary[..., None]], -1).reshape(*turned.shape)
        return np.concatenate([pairs, rest], -1)
    return np.concatenate([real, imaginary, rest], -1)


MEANINGS: Final[Mapping[int, Meaning]] = {
    codes.LAYER_NORMALIZATION: Meaning(_compute_layer),
    codes.RMS_NORMALIZATION: Meaning(_compute_rms),
    codes.GROUP_NORMALIZATION: Meaning(_compute_group),
    codes.MATMUL: Meaning(_compute_matmul),
    codes.CUMSUM: Meaning(_compute_cumsum),
    codes.ATTENTION: Meaning(_compute_attention),
    codes.ROTARY_EMBEDDING: Meaning(_compute_rotary),
}
