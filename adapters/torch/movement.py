"""Operations that move elements, cut, join and repeat tensors, or look up rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import functional

from nnvet.adapters.runtimes.claims import BOOLEAN, BOTH_BYTES, FLOATS, INTEGER, UNSIGNED, element_name, same_codes
from nnvet.adapters.runtimes.functions import Function, claimed, computing, image_shape, moving
from nnvet.adapters.torch.forms import TorchClaim, of_images
from nnvet.hal.enums import OperandType
from nnvet.hal.errors import failure
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.padding import pairs
from nnvet.hal.operations.slicing import slice_ranges, strides

_T = OperandType
_CODES: Final = (*FLOATS, *BOTH_BYTES)
_MOVED: Final = (*_CODES, INTEGER)
_KEPT: Final = same_codes("input")
_REFLECT: Final = 0


def _reshape(call: Call) -> Function:
    return lambda value: value.reshape(call.output.dimensions)


def _transpose(call: Call) -> Function:
    order = call.vector("perm") if call.has("perm") else [1, 0]
    return lambda value: value.permute(order)


def _rank(call: Call) -> Function:
    del call
    return lambda value: torch.tensor(value.dim(), dtype=torch.int32)


def _around(cells: Sequence[tuple[int, int]]) -> list[int]:
    """PyTorch's order of paddings: those of the last dimension first."""
    return [cell for pair in reversed(cells) for cell in pair]


def _pad(call: Call) -> Function:
    cells = _around(pairs(call))
    fill = call.scalar("value") if "value" in call.inputs else call["input"].zero_point
    return lambda value: functional.pad(value, cells, value=fill)


def _mirror_pad(call: Call) -> Function:
    """PyTorch's own reflection has neither all ranks nor all types, and does not repeat the edge."""
    edge = 1 if call.scalar("mode") == _REFLECT else 0
    places = [
        [*range(head - 1 + edge, edge - 1, -1), *range(size), *range(size - 1 - edge, size - 1 - edge - tail, -1)]
        for size, (head, tail) in zip(call["input"].dimensions, pairs(call), strict=True)
    ]
    return lambda value: _taken(value, places)


def _taken(value: Tensor, places: Sequence[Sequence[int]]) -> Any:
    """Return the elements at some places of each dimension."""
    for axis, indices in enumerate(places):
        value = value.index_select(axis, torch.tensor(list(indices), dtype=torch.int64, device=value.device))
    return value


def _slice(call: Call) -> Function:
    cut = tuple([slice(begin, begin + size) for begin, size in slice_ranges(call)])
    return lambda value: value[cut]


def _strided_slice(call: Call) -> Function:
    """PyTorch's slices have no negative steps."""
    places = [
        [stride.begin] if stride.shrink else range(stride.begin, stride.end, stride.step) for stride in strides(call)
    ]
    return lambda value: _taken(value, places).reshape(call.output.dimensions)


def _reverse(call: Call) -> Function:
    axes = call.vector("axis")
    return lambda value: torch.flip(value, axes)


def _looked_up(table: Tensor, indices: Tensor, axis: int, shape: Sequence[int]) -> Any:
    """Return elements of ``table``; a GPU would not survive an index beyond it.

    :raises HalError: GENERAL_FAILURE for such an index.
    """
    if bool(((indices < 0) | (indices >= table.shape[axis])).any()):
        raise failure("an index is beyond the table", "execution/status")
    return table.index_select(axis, indices.reshape(-1)).reshape(tuple(shape))


def _gather(call: Call) -> Function:
    axis = call.scalar("axis") % call["input"].rank
    return lambda value, indices: _looked_up(value, indices, axis, call.output.dimensions)


def _embedding_lookup(call: Call) -> Function:
    return lambda lookups, values: _looked_up(values, lookups, 0, call.output.dimensions)


def _hashtable_lookup(call: Call) -> Function:
    """Return rows that are not found are zero bytes."""
    rows = call["values"].dimensions[0]
    shape = call.output.dimensions

    def looked_up(lookups: Tensor, keys: Tensor, values: Tensor) -> tuple[Any, Any]:
        matches = lookups[:, None] == keys[None, :rows]
        found = matches.any(1)
        taken = values.index_select(0, matches.to(torch.int32).argmax(1))
        output = torch.where(found.reshape(-1, *[1] * (len(shape) - 1)), taken, torch.zeros_like(taken))
        return output, found.to(torch.uint8)

    return looked_up


def _topk(call: Call) -> Function:
    """Of equal elements the contract has the last first; a stable sort of the reversed row puts them so."""
    count, last = call.scalar("k"), call["input"].dimensions[-1] - 1

    def top(value: Tensor) -> tuple[Any, Any]:
        values, indices = torch.sort(torch.flip(value, [-1]), dim=-1, descending=True, stable=True)
        return values[..., :count], (last - indices[..., :count]).to(torch.int32)

    return top


def _depth_to_space(call: Call) -> Function:
    """PyTorch's pixel_shuffle has the channels in another order."""
    block, (n, c, h, w) = call.scalar("block"), image_shape(call, call["input"])
    depth = c // block**2

    def moved(value: Tensor) -> Any:
        apart = value.reshape(n, block, block, depth, h, w)
        mixed = apart.permute(0, 3, 4, 1, 5, 2)
        return mixed.reshape(n, depth, h * block, w * block)

    return moved


def _space_to_depth(call: Call) -> Function:
    block, (n, c, h, w) = call.scalar("block"), image_shape(call, call["input"])

    def moved(value: Tensor) -> Any:
        apart = value.reshape(n, c, h // block, block, w // block, block)
        mixed = apart.permute(0, 3, 5, 1, 2, 4)
        return mixed.reshape(n, c * block**2, h // block, w // block)

    return moved


def _batch_to_space(call: Call) -> Function:
    height, width = call.vector("blocks")
    n, c, h, w = image_shape(call, call["input"])
    n //= height * width

    def moved(value: Tensor) -> Any:
        mixed = value.reshape(height, width, n, c, h, w).permute(2, 3, 4, 0, 5, 1)
        return mixed.reshape(n, c, h * height, w * width)

    return moved


def _space_to_batch(call: Call) -> Function:
    height, width = call.vector("blocks")
    n, c, _, _ = image_shape(call, call["input"])
    batches, _, h, w = image_shape(call, call.output)
    cells, zero = _around(pairs(call)), call["input"].zero_point

    def moved(value: Tensor) -> Any:
        padded = functional.pad(value, cells, value=zero)
        mixed = padded.reshape(n, c, h, height, w, width).permute(3, 5, 0, 1, 2, 4)
        return mixed.reshape(batches, c, h, w)

    return moved


def _channel_shuffle(call: Call) -> Function:
    argument, groups = call["input"], call.scalar("groups")
    axis, sizes = call.scalar("axis") % argument.rank, argument.dimensions
    split = (math.prod(sizes[:axis]), groups, sizes[axis] // groups, math.prod(sizes[axis + 1 :]))
    return lambda value: value.reshape(split).permute(0, 2, 1, 3).reshape(sizes)


def _concatenation(call: Call) -> Function:
    axis = call.scalar("axis")
    return lambda *values: torch.cat(values, axis)


def _pack(call: Call) -> Function:
    axis = call.scalar("axis")
    return lambda *values: torch.stack(values, axis)


def _split(call: Call) -> Function:
    axis, parts = call.scalar("axis"), len(call.outputs)
    if parts == 1:
        return lambda value: value
    return lambda value: torch.tensor_split(value, parts, axis)


def _tile(call: Call) -> Function:
    multiples = call.vector("multiples")
    return lambda value: value.repeat(multiples)


def _fill(call: Call) -> Function:
    shape, dtype = call.vector("dims"), getattr(torch, element_name(call.output.type))
    return lambda value: value.to(dtype).expand(shape)


_OTHERS: Final = (
    BOOLEAN,
    _T.TENSOR_QUANT8_SYMM,
    _T.TENSOR_QUANT8_SYMM_PER_CHANNEL,
    _T.TENSOR_QUANT16_SYMM,
    _T.TENSOR_QUANT16_ASYMM,
)

CLAIMS: Final[tuple[TorchClaim, ...]] = (
    claimed("RESHAPE", "reshape", _MOVED, moving(_reshape, "input")),
    claimed("SQUEEZE", "reshape", _CODES, moving(_reshape, "input")),
    claimed("EXPAND_DIMS", "reshape", _MOVED, moving(_reshape, "input")),
    claimed("TRANSPOSE", "permute", _CODES, moving(_transpose, "input")),
    claimed("RANK", "dim", (*_MOVED, *_OTHERS), moving(_rank, "input")),
    claimed("PAD", "pad", _CODES, moving(_pad, "input")),
    claimed("PAD_V2", "pad", _CODES, moving(_pad, "input")),
    claimed("MIRROR_PAD", "index_select", _MOVED, moving(_mirror_pad, "input"), _KEPT),
    claimed("SLICE", "slice", _MOVED, moving(_slice, "input"), _KEPT),
    claimed("STRIDED_SLICE", "index_select, reshape", _CODES, moving(_strided_slice, "input"), _KEPT),
    claimed("REVERSE", "flip", _MOVED, moving(_reverse, "input"), _KEPT),
    claimed("GATHER", "index_select, reshape", _MOVED, moving(_gather, "input", "indices"), _KEPT),
    claimed(
        "EMBEDDING_LOOKUP",
        "index_select, reshape",
        _MOVED,
        moving(_embedding_lookup, "lookups", "values"),
        same_codes("values"),
    ),
    claimed(
        "HASHTABLE_LOOKUP",
        "eq, any, argmax, index_select, where",
        (_T.TENSOR_FLOAT32, INTEGER, UNSIGNED),
        moving(_hashtable_lookup, "lookups", "keys", "values"),
    ),
    claimed("TOPK_V2", "flip, sort, sub", _MOVED, moving(_topk, "input")),
    claimed("DEPTH_TO_SPACE", "reshape, permute, reshape", _CODES, moving(of_images(_depth_to_space), "input")),
    claimed("SPACE_TO_DEPTH", "reshape, permute, reshape", _CODES, moving(of_images(_space_to_depth), "input")),
    claimed("BATCH_TO_SPACE_ND", "reshape, permute, reshape", _CODES, moving(of_images(_batch_to_space), "input")),
    claimed("SPACE_TO_BATCH_ND", "pad, reshape, permute, reshape", _CODES, moving(of_images(_space_to_batch), "input")),
    claimed("CHANNEL_SHUFFLE", "reshape, permute, reshape", _CODES, moving(_channel_shuffle, "input")),
    claimed("CONCATENATION", "cat", _CODES, computing(_concatenation)),
    claimed("PACK", "stack", _MOVED, moving(_pack), same_codes()),
    claimed("SPLIT", "tensor_split", _MOVED, moving(_split, "input")),
    claimed("TILE", "repeat", _MOVED, moving(_tile, "input")),
    claimed("FILL", "expand", (*FLOATS, INTEGER), moving(_fill, "value")),
)
