"""Claims of operations that move elements, cut, join and repeat tensors, look up rows, or resize images.

The calls are those of :mod:`nnvet.adapters.runtimes.arrays`, so all libraries of arrays share this table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from nnvet.adapters.runtimes import claims
from nnvet.adapters.runtimes.arrays import ArrayCalls, ArrayEmitter, computing_by, moving_by, of_images
from nnvet.adapters.runtimes.functions import Function, claimed, image_shape, moving
from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.padding import pairs
from nnvet.hal.operations.resize import new_sizes
from nnvet.hal.operations.slicing import slice_ranges, strides

_T = OperandType
_CODES: Final = (*claims.FLOATS, *claims.BOTH_BYTES)
"""Types of operations on floats and 8-bit codes."""
_MOVED: Final = (*_CODES, claims.INTEGER)
"""Types of operations that move elements without computing."""
_KEPT: Final = claims.same_codes("input")
"""Condition of operations that move codes unchanged."""
_REFLECT: Final = 0
"""Mode of MIRROR_PAD in which the border cell is not repeated."""


def _reshape(call: Call) -> Function:
    return lambda value: value.reshape(call.output.dimensions)


def _transpose(calls: ArrayCalls, call: Call) -> Function:
    order = call.vector("perm") if call.has("perm") else [1, 0]
    return lambda value: calls.permute_dims(value, order)


def _rank(calls: ArrayCalls, call: Call) -> Function:
    del call
    return lambda value: calls.asarray(value.ndim, dtype=calls.int32)


def _pad(calls: ArrayCalls, call: Call) -> Function:
    cells = pairs(call)
    fill = call.scalar("value") if "value" in call.inputs else call["input"].zero_point
    return lambda value: calls.padded(value, cells, fill)


def _mirror_pad(calls: ArrayCalls, call: Call) -> Function:
    """Return the function of MIRROR_PAD by indexing: libraries' own lack ranks or types, or do not repeat the edge."""
    edge = 1 if call.scalar("mode") == _REFLECT else 0
    places = [
        [*range(head - 1 + edge, edge - 1, -1), *range(size), *range(size - 1 - edge, size - 1 - edge - tail, -1)]
        for size, (head, tail) in zip(call["input"].dimensions, pairs(call), strict=True)
    ]
    return lambda value: _take(calls, value, places)


def _take(calls: ArrayCalls, value: Any, places: Sequence[Sequence[int]]) -> Any:
    """Return the elements at the given positions of each dimension."""
    for axis, indices in enumerate(places):
        value = calls.taken(value, list(indices), axis)
    return value


def _slice(call: Call) -> Function:
    cut = tuple([slice(begin, begin + size) for begin, size in slice_ranges(call)])
    return lambda value: value[cut]


def _strided_slice(calls: ArrayCalls, call: Call) -> Function:
    """Return the function of STRIDED_SLICE by indexing, because not all libraries have slices of negative steps."""
    places = [
        [stride.begin] if stride.shrink else range(stride.begin, stride.end, stride.step) for stride in strides(call)
    ]
    return lambda value: _take(calls, value, places).reshape(call.output.dimensions)


def _reverse(calls: ArrayCalls, call: Call) -> Function:
    axes = tuple(call.vector("axis"))
    return lambda value: calls.flip(value, axes)


def _make_lookup(table: str, indices: str) -> Any:
    """Return the emitter of a lookup of rows in a table, with a check of the indices.

    Compiled code cannot stop at an index beyond the table, and such an index could crash a GPU.
    """

    def emit(emitter: ArrayEmitter, call: Call) -> None:
        axis = call.scalar("axis") % call[table].rank if "axis" in call.inputs else 0
        size, given = call[table].dimensions[axis], [call[table], call[indices]]

        def looked_up(rows: Any, places: Any) -> Any:
            return emitter.calls.taken(rows, places.reshape(-1), axis).reshape(call.output.dimensions)

        emitter.demand(
            lambda places: ((places >= 0) & (places < size)).all(), given[1:], "an index is beyond the table"
        )
        emitter.move(looked_up, given, call.outputs)

    return emit


def _look_up_in_hashtable(calls: ArrayCalls, call: Call) -> Function:
    """Return the function that looks up rows of a table by keys; those that are not found are zero bytes."""
    rows, shape = call["values"].dimensions[0], call.output.dimensions

    def looked_up(lookups: Any, keys: Any, values: Any) -> tuple[Any, Any]:
        matches = lookups[:, None] == keys[None, :rows]
        found = matches.any(1)
        taken = calls.taken(values, calls.cast(matches, "int32").argmax(1), 0)
        output = calls.where(found.reshape(-1, *[1] * (len(shape) - 1)), taken, calls.zeros_like(taken))
        return output, calls.cast(found, "uint8")

    return looked_up


def _topk(calls: ArrayCalls, call: Call) -> Function:
    """Put the last of equal elements first, as the contract does, by a stable sort of the reversed row."""
    count, last = call.scalar("k"), call["input"].dimensions[-1] - 1

    def top(value: Any) -> tuple[Any, Any]:
        values, places = calls.sorted_down(calls.flip(value, (-1,)))
        return values[..., :count], calls.cast(last - places[..., :count], "int32")

    return top


def _depth_to_space(calls: ArrayCalls, call: Call) -> Function:
    block, (n, c, h, w) = call.scalar("block"), image_shape(call, call["input"])
    depth = c // block**2
    apart, turned = (n, block, block, depth, h, w), (0, 3, 4, 1, 5, 2)
    return lambda value: calls.permute_dims(value.reshape(apart), turned).reshape(n, depth, h * block, w * block)


def _space_to_depth(calls: ArrayCalls, call: Call) -> Function:
    block, (n, c, h, w) = call.scalar("block"), image_shape(call, call["input"])
    apart, turned = (n, c, h // block, block, w // block, block), (0, 3, 5, 1, 2, 4)
    together = (n, c * block**2, h // block, w // block)
    return lambda value: calls.permute_dims(value.reshape(apart), turned).reshape(together)


def _batch_to_space(calls: ArrayCalls, call: Call) -> Function:
    height, width = call.vector("blocks")
    n, c, h, w = image_shape(call, call["input"])
    n //= height * width
    apart, turned = (height, width, n, c, h, w), (2, 3, 4, 0, 5, 1)
    return lambda value: calls.permute_dims(value.reshape(apart), turned).reshape(n, c, h * height, w * width)


def _space_to_batch(calls: ArrayCalls, call: Call) -> Function:
    height, width = call.vector("blocks")
    n, c, _, _ = image_shape(call, call["input"])
    batches, _, h, w = image_shape(call, call.output)
    cells, zero = ((0, 0), (0, 0), *pairs(call)), call["input"].zero_point

    def moved(value: Any) -> Any:
        padded = calls.padded(value, cells, zero)
        apart = padded.reshape(n, c, h, height, w, width)
        return calls.permute_dims(apart, (3, 5, 0, 1, 2, 4)).reshape(batches, c, h, w)

    return moved


def _channel_shuffle(calls: ArrayCalls, call: Call) -> Function:
    argument, groups = call["input"], call.scalar("groups")
    axis, sizes = call.scalar("axis") % argument.rank, argument.dimensions
    split = (math.prod(sizes[:axis]), groups, sizes[axis] // groups, math.prod(sizes[axis + 1 :]))
    return lambda value: calls.permute_dims(value.reshape(split), (0, 2, 1, 3)).reshape(sizes)


def _concatenation(calls: ArrayCalls, call: Call) -> Function:
    axis = call.scalar("axis")
    return lambda *values: calls.concatenate(values, axis)


def _pack(calls: ArrayCalls, call: Call) -> Function:
    axis = call.scalar("axis")
    return lambda *values: calls.stack(values, axis)


def _split(calls: ArrayCalls, call: Call) -> Function:
    axis, parts = call.scalar("axis"), len(call.outputs)
    return (lambda value: value) if parts == 1 else (lambda value: calls.divided(value, parts, axis))


def _tile(calls: ArrayCalls, call: Call) -> Function:
    multiples = tuple(call.vector("multiples"))
    return lambda value: calls.tile(value, multiples)


def _fill(calls: ArrayCalls, call: Call) -> Function:
    shape, dtype = tuple(call.vector("dims")), claims.element_name(call.output.type)
    return lambda value: calls.broadcast_to(calls.cast(value, dtype), shape)


def _compute_sampling(call: Call, *, nearest: bool) -> list[Any]:
    """Return the positions of the output's rows and columns among those of the input, in cells, as float32 arrays."""
    aligned, centred = call.scalar("align_corners", False), call.scalar("half_pixel_centers", False)
    places = []
    for size, new in zip(image_shape(call, call["input"])[2:], new_sizes(call), strict=True):
        ends = (size - 1, new - 1) if aligned and new > 1 else (size, new)
        ratio, steps = np.float32(ends[0]) / np.float32(ends[1]), np.arange(new, dtype=np.float32)
        place = (steps + np.float32(0.5)) * ratio - np.float32(0 if nearest else 0.5) if centred else steps * ratio
        places.append(np.floor(place + np.float32(0.5)) if nearest and aligned else place)
    return places


def _resize_nearest(calls: ArrayCalls, call: Call) -> Function:
    sizes = image_shape(call, call["input"])[2:]
    places: list[Sequence[int]] = [
        np.clip(np.floor(place), 0, size - 1).astype(np.int64).tolist()
        for place, size in zip(_compute_sampling(call, nearest=True), sizes, strict=True)
    ]

    def resized(images: Any) -> Any:
        return calls.taken(calls.taken(images, places[0], 2), places[1], 3)

    return resized


def resize_bilinear(calls: ArrayCalls, call: Call) -> Function:
    """Interpolate along each axis in turn: add both neighbours of every position, times their weights."""
    places = _compute_sampling(call, nearest=False)

    def resized(images: Any) -> Any:
        for axis, place in enumerate(places, 2):
            lower, upper = (
                np.clip(end, 0, images.shape[axis] - 1).astype(np.int64) for end in (np.floor(place), np.ceil(place))
            )
            shape = [-1 if at == axis else 1 for at in range(len(images.shape))]
            share = calls.like((place - lower).astype(np.float32).reshape(shape), images)
            below, above = (calls.taken(images, ends.tolist(), axis) for ends in (lower, upper))
            images = below * (1 - share) + above * share
        return images

    return resized


_OTHERS: Final = (
    claims.BOOLEAN,
    _T.TENSOR_QUANT8_SYMM,
    _T.TENSOR_QUANT8_SYMM_PER_CHANNEL,
    _T.TENSOR_QUANT16_SYMM,
    _T.TENSOR_QUANT16_ASYMM,
)
_REARRANGED: Final = "reshape, permute_dims, reshape"
"""Names of the library's calls for operations on blocks, for the page of claims."""

CLAIMS: Final[tuple[claims.Claim[ArrayEmitter], ...]] = (
    claimed("RESHAPE", "reshape", _MOVED, moving(_reshape, "input")),
    claimed("SQUEEZE", "reshape", _CODES, moving(_reshape, "input")),
    claimed("EXPAND_DIMS", "reshape", _MOVED, moving(_reshape, "input")),
    claimed("TRANSPOSE", "permute_dims", _CODES, moving_by(_transpose, "input")),
    claimed("RANK", "ndim", (*_MOVED, *_OTHERS), moving_by(_rank, "input")),
    claimed("PAD", "pad", _CODES, moving_by(_pad, "input")),
    claimed("PAD_V2", "pad", _CODES, moving_by(_pad, "input")),
    claimed("MIRROR_PAD", "take", _MOVED, moving_by(_mirror_pad, "input"), _KEPT),
    claimed("SLICE", "slice", _MOVED, moving(_slice, "input"), _KEPT),
    claimed("STRIDED_SLICE", "take, reshape", _CODES, moving_by(_strided_slice, "input"), _KEPT),
    claimed("REVERSE", "flip", _MOVED, moving_by(_reverse, "input"), _KEPT),
    claimed("GATHER", "take, reshape", _MOVED, _make_lookup("input", "indices"), _KEPT),
    claimed(
        "EMBEDDING_LOOKUP", "take, reshape", _MOVED, _make_lookup("values", "lookups"), claims.same_codes("values")
    ),
    claimed(
        "HASHTABLE_LOOKUP",
        "equal, any, argmax, take, where",
        (_T.TENSOR_FLOAT32, claims.INTEGER, claims.UNSIGNED),
        moving_by(_look_up_in_hashtable, "lookups", "keys", "values"),
    ),
    claimed("TOPK_V2", "flip, sorted_down", _MOVED, moving_by(_topk, "input")),
    claimed("DEPTH_TO_SPACE", _REARRANGED, _CODES, moving_by(of_images(_depth_to_space), "input")),
    claimed("SPACE_TO_DEPTH", _REARRANGED, _CODES, moving_by(of_images(_space_to_depth), "input")),
    claimed("BATCH_TO_SPACE_ND", _REARRANGED, _CODES, moving_by(of_images(_batch_to_space), "input")),
    claimed("SPACE_TO_BATCH_ND", f"pad, {_REARRANGED}", _CODES, moving_by(of_images(_space_to_batch), "input")),
    claimed("CHANNEL_SHUFFLE", _REARRANGED, _CODES, moving_by(_channel_shuffle, "input")),
    claimed("CONCATENATION", "concatenate", _CODES, computing_by(_concatenation)),
    claimed("PACK", "stack", _MOVED, moving_by(_pack), claims.same_codes()),
    claimed("SPLIT", "split", _MOVED, moving_by(_split, "input")),
    claimed("TILE", "tile", _MOVED, moving_by(_tile, "input")),
    claimed("FILL", "broadcast_to", (*claims.FLOATS, claims.INTEGER), moving_by(_fill, "value")),
    claimed("RESIZE_NEAREST_NEIGHBOR", "take", _CODES, moving_by(of_images(_resize_nearest), "input"), _KEPT),
    claimed("RESIZE_BILINEAR", "take, multiply, add", _CODES, computing_by(of_images(resize_bilinear), "input")),
)
