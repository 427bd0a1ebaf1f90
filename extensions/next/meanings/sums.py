"""Meanings of weighted sums and of the quantisation of their inputs: ideal results, for the oracle.

Operations: CONV_1D, CONV_3D, CONV_TRANSPOSE, EINSUM, HYBRID_FULLY_CONNECTED, RESIZE_CUBIC, DYNAMIC_QUANTIZE.

Source: ONNX operators Conv-22, ConvTranspose-22, Einsum-12, Resize-19, DynamicQuantizeLinear-11. Convolutions and
EINSUM are functions of two factors and a bias, linear in each of them; :data:`SUMS` makes the function for a call, and
the error bounds in :mod:`nnvet.extensions.next.bounds` use it, too. A resized image is the image times a matrix for the
rows and a matrix for the columns (:func:`weights_of`), which the bounds use as well. ``kernels/sums.py`` computes the
same for the bundled driver, by other algorithms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.extensions.next.meanings.reading import reals
from nnvet.oracle.operations.convolution import channel_scales
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning

OfFactors = Callable[..., Array]
"""Function that computes an operation's sums from two factors, and from a bias if the operation has one."""


def _slice_steps(start: int, count: int, step: int) -> slice:
    """Return the slice of ``count`` elements with this first index and step."""
    return slice(start, start + (count - 1) * step + 1, step)


def _apply_to_groups(count: int, convolve: Callable[[Array, Array], Array], image: Array, filters: Array) -> Array:
    """Convolve each of ``count`` groups of channels with its filters, and join the resulting channels."""
    parts = zip(np.split(image, count, 1), np.split(filters, count, 0), strict=True)
    return np.concatenate([convolve(*part) for part in parts], 1)


def _add_bias(result: Array, bias: Array) -> Array:
    found: Array = result + bias.reshape(-1, *[1] * (result.ndim - 2))
    return found


def _make_convolution(call: Invocation) -> OfFactors:
    strides, dilations, pads, groups = (*(call.list(place) for place in (3, 4, 5)), call.number(6))
    half = len(strides)
    around = [(0, 0), (0, 0), *zip(pads[:half], pads[half:], strict=True)]

    def convolve_group(image: Array, filters: Array) -> Array:
        padded = np.pad(image, around)
        sizes = zip(padded.shape[2:], filters.shape[2:], dilations, strides, strict=True)
        counts = [(size - (window - 1) * dilation - 1) // stride + 1 for size, window, dilation, stride in sizes]
        found = np.zeros((image.shape[0], filters.shape[0], *counts))
        for tap in np.ndindex(*filters.shape[2:]):
            places = [
                _slice_steps(at * dilation, count, stride)
                for at, dilation, count, stride in zip(tap, dilations, counts, strides, strict=True)
            ]
            found += np.einsum("nc...,oc->no...", padded[:, :, *places], filters[:, :, *tap])
        return found

    return lambda image, filters, bias: _add_bias(_apply_to_groups(groups, convolve_group, image, filters), bias)


def _make_transposed(call: Invocation) -> OfFactors:
    strides, dilations, pads, groups, added = (
        *(call.list(place) for place in (3, 4, 5)),
        call.number(6),
        call.list(7),
    )
    half = len(strides)

    def convolve_group(image: Array, filters: Array) -> Array:
        parts = list(zip(image.shape[2:], strides, filters.shape[2:], dilations, added, strict=True))
        sizes = [
            (size - 1) * stride + (window - 1) * dilation + 1 + more for size, stride, window, dilation, more in parts
        ]
        found = np.zeros((image.shape[0], filters.shape[1], *sizes))
        for tap in np.ndindex(*filters.shape[2:]):
            places = [
                _slice_steps(at * dilation, size, stride)
                for at, (size, stride, _, dilation, _) in zip(tap, parts, strict=True)
            ]
            found[:, :, *places] += np.einsum("nc...,co->no...", image, filters[:, :, *tap])
        ends = zip(pads[:half], sizes, pads[half:], strict=True)
        return found[:, :, *(slice(head, size - tail) for head, size, tail in ends)]

    return lambda image, filters, bias: _add_bias(_apply_to_groups(groups, convolve_group, image, filters), bias)


def _make_einsum(call: Invocation) -> OfFactors:
    first, second, output = (call.list(place) for place in (2, 3, 4))
    # Labels may be any numbers, but NumPy knows only 52: they are numbered anew.
    short = {label: number for number, label in enumerate(dict.fromkeys([*first, *second]))}
    labels = [[short[label] for label in part] for part in (first, second, output)]
    return lambda x, y: np.asarray(np.einsum(x, labels[0], y, labels[1], labels[2]))


def _make_fully_connected(_: Invocation) -> OfFactors:
    return lambda x, weights, bias: np.asarray(x @ weights.T + bias)


SUMS: Final[Mapping[int, Callable[[Invocation], OfFactors]]] = {
    codes.CONV_1D: _make_convolution,
    codes.CONV_3D: _make_convolution,
    codes.CONV_TRANSPOSE: _make_transposed,
    codes.EINSUM: _make_einsum,
    codes.HYBRID_FULLY_CONNECTED: _make_fully_connected,
}
"""By operation, a function that reads the parameters of a call and returns the sums as a function of the factors.

MATMUL is in the family of transformers, and not here.
"""


def _build_meaning(code: int, factors: int) -> Meaning:
    """Return the meaning of an operation in :data:`SUMS` that has this number of factors, a bias included."""
    return Meaning(lambda call: SUMS[code](call)(*(reals(call, place) for place in range(factors))))


def _compute_hybrid(call: Invocation) -> Any:
    scales = np.array(channel_scales(call.inputs[1]), np.float64).reshape(-1, 1)
    weights = call.array(1).astype(np.float64) * scales
    return _make_fully_connected(call)(reals(call), weights, reals(call, 2))


_A: Final = -0.75
"""Coefficient of the cubic function that gives weights, the default of ONNX Resize (``cubic_coeff_a``)."""
_MOST_CODE: Final = 255.0
"""Largest code of DYNAMIC_QUANTIZE; the smallest is 0."""


def _weigh_cubic(distance: Array) -> Array:
    """Return the weight of an input element at this distance: the piecewise cubic function of Keys."""
    t = np.abs(distance)
    near = ((_A + 2) * t - (_A + 3)) * t * t + 1
    far = _A * (((t - 5) * t + 8) * t - 4)
    return np.where(t <= 1, near, np.where(t < 2, far, 0.0))


def coordinates(size: int, target: int, *, aligned: bool) -> Array:
    """Return the coordinate of each of ``target`` output elements on an input axis of ``size`` elements.

    With ``aligned`` the centres of the first and last elements of both coincide (ONNX ``align_corners``).
    """
    cells = np.arange(target, dtype=np.float64)
    if aligned:
        return cells * (size - 1) / max(1, target - 1)
    return (cells + 0.5) * size / target - 0.5


def weights_of(size: int, target: int, *, aligned: bool) -> Array:
    """Return the weight of each input element in each output element along an axis: ``[target, size]``.

    Beyond an edge, the element at the edge is repeated.
    """
    places = coordinates(size, target, aligned=aligned)
    found = np.zeros((target, size))
    for tap in range(-1, 3):
        cell = np.floor(places) + tap
        inside = np.clip(cell, 0, size - 1).astype(np.int64)
        np.add.at(found, (np.arange(target), inside), _weigh_cubic(places - cell))
    return found


def _compute_resize(call: Invocation) -> Any:
    x, is_aligned = reals(call), call.flag(3)
    rows, columns = (
        weights_of(size, call.number(place), aligned=is_aligned)
        for size, place in zip(x.shape[2:], (1, 2), strict=True)
    )
    return np.matmul(np.matmul(rows, x), columns.T)


def _compute_quantize(call: Invocation) -> list[Any]:
    x = reals(call)
    flat = x.reshape(-1)
    high, low = np.maximum(flat.max(0, keepdims=True), 0.0), -np.maximum((-flat).max(0, keepdims=True), 0.0)
    span = high - low
    scale = np.where(span > 0, span / _MOST_CODE, 1.0)
    zero_point = np.clip(np.rint(-low / scale), 0.0, _MOST_CODE)
    shifted = np.rint(flat / scale) + zero_point
    return [np.clip(shifted, 0.0, _MOST_CODE).reshape(*x.shape), scale, zero_point]


MEANINGS: Final[Mapping[int, Meaning]] = {
    **{code: _build_meaning(code, 3) for code in (codes.CONV_1D, codes.CONV_3D, codes.CONV_TRANSPOSE)},
    codes.EINSUM: _build_meaning(codes.EINSUM, 2),
    codes.HYBRID_FULLY_CONNECTED: Meaning(_compute_hybrid),
    codes.RESIZE_CUBIC: Meaning(_compute_resize),
    codes.DYNAMIC_QUANTIZE: Meaning(_compute_quantize),
}
