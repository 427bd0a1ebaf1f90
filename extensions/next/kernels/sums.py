"""Kernels of weighted sums and of the quantisation of their inputs for the bundled driver, in float32.

Operations: CONV_1D, CONV_3D, CONV_TRANSPOSE, EINSUM, HYBRID_FULLY_CONNECTED, RESIZE_CUBIC, DYNAMIC_QUANTIZE.

:data:`KERNELS` has them by operation. They build on products of matrices, while the oracle's meanings
(``meanings/sums.py``) add up shifted tensors, so that each checks the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from nnvet.extensions.next import codes
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels.registry import Array, Kernel


def _correlate(padded: Array, filters: Array, strides: list[int], dilations: list[int], groups: int) -> Array:
    """Return the sums of all windows times the filters, as a product of matrices for each group of channels."""
    extents = [(size - 1) * dilation + 1 for size, dilation in zip(filters.shape[2:], dilations, strict=True)]
    windows = sliding_window_view(padded, extents, tuple(range(2, padded.ndim)))
    windows = windows[:, :, *(slice(None, None, step) for step in (*strides, *dilations))]
    places = len(strides)
    inner = tuple(range(2 + places, 2 + 2 * places))
    results = [
        np.tensordot(part, weights, axes=((1, *inner), tuple(range(1, 2 + places))))
        for part, weights in zip(np.split(windows, groups, 1), np.split(filters, groups, 0), strict=True)
    ]
    return np.moveaxis(np.concatenate(results, -1), -1, 1)


def _add_bias(call: Call, result: Array) -> Array:
    return np.asarray(result + call["bias"].array.reshape(-1, *[1] * (result.ndim - 2)), np.float32)


def _read_lists(call: Call) -> tuple[list[int], list[int], list[int], int]:
    """Return strides, dilations, pads and the number of groups of a convolution."""
    strides, dilations, pads = (call.vector(name) for name in ("strides", "dilations", "pads"))
    return strides, dilations, pads, call.scalar("groups")


def _compute_convolution(call: Call) -> Array:
    strides, dilations, pads, groups = _read_lists(call)
    around = list(zip(pads[: len(strides)], pads[len(strides) :], strict=True))
    padded = np.pad(call["input"].array, [(0, 0), (0, 0), *around])
    return _add_bias(call, _correlate(padded, call["filter"].array, strides, dilations, groups))


def _compute_transposed(call: Call) -> Array:
    """Multiply all elements of the image by all filters at once, and add up the products where windows overlap.

    Zeros between the elements, as many libraries put there, would make NaN of infinite weights.
    """
    strides, dilations, pads, groups = _read_lists(call)
    image, filters, places = call["input"].array, call["filter"].array, len(strides)
    parts = zip(np.split(image, groups, 1), np.split(filters, groups, 0), strict=True)
    products = np.concatenate([np.tensordot(part, weights, axes=(1, 0)) for part, weights in parts], 1 + places)
    windows = list(zip(strides, dilations, image.shape[2:], filters.shape[2:], strict=True))
    sizes = [
        (count - 1) * stride + (size - 1) * dilation + 1 + more
        for (stride, dilation, count, size), more in zip(windows, call.vector("output_padding"), strict=True)
    ]
    full = np.zeros((image.shape[0], products.shape[1 + places], *sizes), np.float32)
    for tap in np.ndindex(*filters.shape[2:]):
        places_of = [
            slice(at * dilation, at * dilation + (count - 1) * stride + 1, stride)
            for at, (stride, dilation, count, _) in zip(tap, windows, strict=True)
        ]
        full[:, :, *places_of] += np.moveaxis(products[..., *tap], -1, 1)
    ends = zip(pads[:places], full.shape[2:], pads[places:], strict=True)
    return _add_bias(call, full[:, :, *(slice(head, size - tail) for head, size, tail in ends)])


def _arrange(array: Array, labels: list[int], *groups: list[int]) -> Any:
    """Return an operand of EINSUM as a tensor with one dimension for each group of labels, and the sizes by label.

    Dimensions whose labels are in no group are summed.
    """
    wanted = [label for group in groups for label in group]
    lost = tuple(place for place, label in enumerate(labels) if label not in wanted)
    left = [label for label in labels if label in wanted]
    summed = array.sum(axis=lost) if lost else array
    ordered = summed.transpose([left.index(label) for label in wanted])
    sizes = dict(zip(wanted, ordered.shape, strict=True))
    return ordered.reshape([int(np.prod([sizes[label] for label in group])) for group in groups]), sizes


def _compute_einsum(call: Call) -> Array:
    """Compute one product of matrices for each batch.

    A label that is in both inputs counts batches if the output has it, and terms otherwise; a label of one input
    counts rows or columns.
    """
    first, second, output = (call.vector(f"{name}_labels") for name in ("first", "second", "output"))
    batches = [label for label in first if label in second and label in output]
    terms = [label for label in first if label in second and label not in output]
    rows = [label for label in first if label not in second and label in output]
    columns = [label for label in second if label not in first and label in output]
    left, sizes = _arrange(call["first"].array, first, batches, rows, terms)
    right, more = _arrange(call["second"].array, second, batches, terms, columns)
    sizes |= more
    made = [*batches, *rows, *columns]
    product = np.matmul(left, right).reshape([sizes[label] for label in made])
    return np.asarray(product.transpose([made.index(label) for label in output]), np.float32)


def _compute_hybrid(call: Call) -> Array:
    """Compute with the codes of the weights as numbers, and multiply the sums by the scale of each unit."""
    weights = call["weights"]
    scales = weights.scale if weights.channel_quant is None else np.array(weights.channel_quant.scales)
    sums = call["input"].array @ weights.array.astype(np.float32).T
    return np.asarray(sums * np.asarray(scales, np.float32) + call["bias"].array, np.float32)


_A: Final = -0.75
"""Coefficient of the cubic function that gives weights, the default of ONNX Resize (``cubic_coeff_a``)."""
_MOST_CODE: Final = 255
"""Largest code of DYNAMIC_QUANTIZE."""


def _weigh_neighbours(fraction: Array) -> list[Array]:
    """Return the weights of four neighbours, for a point at a fraction of the way between the middle two."""
    t, rest = fraction, 1 - fraction
    first, last = _A * t * rest * rest, _A * t * t * rest
    second = 1 - (_A + 3) * t * t + (_A + 2) * t * t * t
    return [first, second, 1 - first - second - last, last]


def _interpolate(x: Array, axis: int, target: int, *, aligned: bool) -> Array:
    """Resize one axis to ``target`` elements; ``aligned``: the centres of the outer elements stay at the ends."""
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
    for offset, part in enumerate(_weigh_neighbours(places - below)):
        found = found + x.take(np.clip(below + offset - 1, 0, size - 1), axis) * part.reshape(shape)
    return np.asarray(found)


def _compute_resize(call: Call) -> Array:
    """Interpolate along the columns first, and then along the rows; the oracle begins with the rows."""
    is_aligned = call.scalar("align_corners", False)
    wide = _interpolate(call["input"].array, 3, call.scalar("width"), aligned=is_aligned)
    return np.asarray(_interpolate(wide, 2, call.scalar("height"), aligned=is_aligned), np.float32)


def _compute_quantize(call: Call) -> tuple[Array, ...]:
    x = call["input"].array
    low, high = min(np.float32(0), x.min()), max(np.float32(0), x.max())
    scale = np.float32((high - low) / np.float32(_MOST_CODE)) if high > low else np.float32(1)
    zero_point = np.int32(np.clip(np.rint(-low / scale), 0, _MOST_CODE))
    found = np.clip(np.rint(x / scale).astype(np.int64) + zero_point, 0, _MOST_CODE)
    return found.astype(np.int32), np.array([scale], np.float32), np.array([zero_point], np.int32)


KERNELS: Final[Mapping[int, Kernel]] = {
    codes.CONV_1D: _compute_convolution,
    codes.CONV_3D: _compute_convolution,
    codes.CONV_TRANSPOSE: _compute_transposed,
    codes.EINSUM: _compute_einsum,
    codes.HYBRID_FULLY_CONNECTED: _compute_hybrid,
    codes.RESIZE_CUBIC: _compute_resize,
    codes.DYNAMIC_QUANTIZE: _compute_quantize,
}
