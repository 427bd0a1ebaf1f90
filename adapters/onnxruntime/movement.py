"""Rows of the table of ONNX for operations that move elements, cut, join and repeat tensors, or look up rows.

Rows are claims (:mod:`nnvet.adapters.runtimes.claims`); building blocks are in :mod:`nnvet.adapters.onnxruntime.forms`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from nnvet.adapters.onnxruntime import forms
from nnvet.adapters.onnxruntime.emitter import OnnxEmitter
from nnvet.adapters.runtimes.claims import BOOLEAN, BOTH_BYTES, FLOATS, INTEGER, Condition, element_name, same_codes
from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.padding import pairs
from nnvet.hal.operations.slicing import slice_ranges, strides

_T = OperandType
_CODES: Final = (*FLOATS, *BOTH_BYTES)
_MOVED: Final = (*_CODES, INTEGER)
_KEPT: Final = same_codes("input")
_REFLECT: Final = 0
"""The mode of MIRROR_PAD that does not repeat the edge."""
_SLICE_END: Final = -(2**31)
"""An end before the first element, for steps that run backwards."""


def _reshape(emitter: OnnxEmitter, call: Call) -> None:
    emitter.put(call.output, emitter.reshaped(emitter.source(call["input"]), call.output.dimensions))


def _transpose(emitter: OnnxEmitter, call: Call) -> None:
    order = call.vector("perm") if call.has("perm") else [1, 0]
    emitter.put(call.output, emitter.add("Transpose", emitter.source(call["input"]), perm=order))


def _rank(emitter: OnnxEmitter, call: Call) -> None:
    rank = emitter.add("Size", emitter.add("Shape", emitter.stored(call["input"])))
    emitter.put(call.output, emitter.cast(rank, "int32"))


def _padded(fill: Callable[[Call], float]) -> forms.Emit:
    def emit(emitter: OnnxEmitter, call: Call) -> None:
        argument = call["input"]
        inputs = [emitter.source(argument), _sides(emitter, pairs(call)), emitter.element(argument, fill(call))]
        emitter.put(call.output, emitter.add("Pad", *inputs))

    return emit


def _sides(emitter: OnnxEmitter, cells: Sequence[tuple[int, int]]) -> str:
    """Return paddings in ONNX's order: all heads, then all tails."""
    return emitter.constant([head for head, _ in cells] + [tail for _, tail in cells])


def _mirror_pad(emitter: OnnxEmitter, call: Call) -> None:
    inputs = [emitter.source(call["input"]), _sides(emitter, pairs(call))]
    emitter.put(call.output, emitter.add("Pad", *inputs, mode="reflect"))


def _cut(
    emitter: OnnxEmitter,
    value: str,
    begins: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int],
    steps: Sequence[int],
) -> str:
    return emitter.add("Slice", value, *(emitter.constant(list(values)) for values in (begins, ends, axes, steps)))


def _slice(emitter: OnnxEmitter, call: Call) -> None:
    begins, sizes = zip(*slice_ranges(call), strict=True)
    ends = [begin + size for begin, size in zip(begins, sizes, strict=True)]
    axes = range(len(ends))
    emitter.put(call.output, _cut(emitter, emitter.source(call["input"]), begins, ends, axes, [1] * len(ends)))


def _strided_slice(emitter: OnnxEmitter, call: Call) -> None:
    """Emit Slice, and a Reshape that drops the dimensions to be dropped."""
    taken = strides(call)
    ends = [span.begin + 1 if span.shrink else span.end if span.end >= 0 else _SLICE_END for span in taken]
    steps = [1 if span.shrink else span.step for span in taken]
    box = _cut(emitter, emitter.source(call["input"]), [span.begin for span in taken], ends, range(len(taken)), steps)
    emitter.put(call.output, emitter.reshaped(box, call.output.dimensions))


def _reverse(emitter: OnnxEmitter, call: Call) -> None:
    (axis,) = call.vector("axis")
    emitter.put(call.output, _reversed(emitter, emitter.source(call["input"]), axis))


def _reversed(emitter: OnnxEmitter, value: str, axis: int) -> str:
    return _cut(emitter, value, [-1], [_SLICE_END], [axis], [-1])


def _looked_up(emitter: OnnxEmitter, table: Argument, indices: Argument, axis: int) -> str:
    """Return elements of ``table``; negative indices, which count from the end in ONNX, have to fail."""
    given = emitter.source(indices)
    negative = emitter.add("Less", given, emitter.number(indices, 0))
    wanted = emitter.add("Where", negative, emitter.number(indices, table.dimensions[axis]), given)
    return emitter.add("Gather", emitter.source(table), wanted, axis=axis)


def _gather(emitter: OnnxEmitter, call: Call) -> None:
    axis = call.scalar("axis") % call["input"].rank
    emitter.put(call.output, _looked_up(emitter, call["input"], call["indices"], axis))


def _embedding_lookup(emitter: OnnxEmitter, call: Call) -> None:
    emitter.put(call.output, _looked_up(emitter, call["values"], call["lookups"], 0))


def _topk(emitter: OnnxEmitter, call: Call) -> None:
    """Emit a search in reverse order, since ONNX prefers the first of equal elements, and the contract the last."""
    argument, (values, indices) = call["input"], call.outputs
    turned = _reversed(emitter, emitter.source(argument), -1)
    are_codes = emitter.computed_type(argument) in BOTH_BYTES
    if are_codes:
        turned = emitter.cast(turned, "int32")
    highest, found = emitter.add_all("TopK", [turned, emitter.constant([call.scalar("k")])], 2)
    emitter.put(values, emitter.cast(highest, argument.dtype) if are_codes else highest)
    last = emitter.constant(argument.dimensions[-1] - 1)
    emitter.put(indices, emitter.cast(emitter.add("Sub", last, found), "int32"))


def _blocks(operator: str) -> forms.Emit:
    """Return the function that emits an operator with a block size among its attributes."""

    def emit(emitter: OnnxEmitter, call: Call) -> None:
        value = emitter.add(operator, forms.image_input(emitter, call), blocksize=call.scalar("block"))
        emitter.put(call.output, forms.in_layout(emitter, call, value))

    return emit


def _batch_to_space(emitter: OnnxEmitter, call: Call) -> None:
    height, width = call.vector("blocks")
    n, c, h, w = forms.image_shape(call, call["input"])
    n //= height * width
    apart = emitter.reshaped(forms.image_input(emitter, call), (height, width, n, c, h, w))
    mixed = emitter.add("Transpose", apart, perm=[2, 3, 4, 0, 5, 1])
    emitter.put(call.output, forms.in_layout(emitter, call, emitter.reshaped(mixed, (n, c, h * height, w * width))))


def _space_to_batch(emitter: OnnxEmitter, call: Call) -> None:
    height, width = call.vector("blocks")
    argument = call["input"]
    padding = _sides(emitter, [(0, 0), (0, 0), *pairs(call)])
    value = emitter.add(
        "Pad", forms.image_input(emitter, call), padding, emitter.element(argument, argument.zero_point)
    )
    n, c, _, _ = forms.image_shape(call, argument)
    batches, _, h, w = forms.image_shape(call, call.output)
    apart = emitter.reshaped(value, (n, c, h, height, w, width))
    mixed = emitter.add("Transpose", apart, perm=[3, 5, 0, 1, 2, 4])
    emitter.put(call.output, forms.in_layout(emitter, call, emitter.reshaped(mixed, (batches, c, h, w))))


def _channel_shuffle(emitter: OnnxEmitter, call: Call) -> None:
    argument, groups = call["input"], call.scalar("groups")
    axis, sizes = call.scalar("axis") % argument.rank, argument.dimensions
    split = (math.prod(sizes[:axis]), groups, sizes[axis] // groups, math.prod(sizes[axis + 1 :]))
    parts = emitter.reshaped(emitter.source(argument), split)
    shuffled = emitter.add("Transpose", parts, perm=[0, 2, 1, 3])
    emitter.put(call.output, emitter.reshaped(shuffled, sizes))


def _concatenation(emitter: OnnxEmitter, call: Call) -> None:
    """Emit Concat without empty tensors."""
    values = [emitter.source(part) for part in call.variadic if 0 not in part.dimensions]
    emitter.put(call.output, emitter.add("Concat", *values, axis=call.scalar("axis")))


def _pack(emitter: OnnxEmitter, call: Call) -> None:
    axis = call.scalar("axis") % call.output.rank
    place = emitter.constant([axis])
    parts = [emitter.add("Unsqueeze", emitter.source(part), place) for part in call.variadic]
    emitter.put(call.output, emitter.add("Concat", *parts, axis=axis))


def _split(emitter: OnnxEmitter, call: Call) -> None:
    argument = call["input"]
    axis, count = call.scalar("axis") % argument.rank, len(call.outputs)
    parts = emitter.add_all("Split", [emitter.source(argument)], count, axis=axis, num_outputs=count)
    for output, part in zip(call.outputs, parts, strict=True):
        emitter.put(output, part)


def _tile(emitter: OnnxEmitter, call: Call) -> None:
    multiples = emitter.constant(call.vector("multiples"))
    emitter.put(call.output, emitter.add("Tile", emitter.source(call["input"]), multiples))


def _fill(emitter: OnnxEmitter, call: Call) -> None:
    value: Any = call.scalar("value")
    dtype = element_name(emitter.computed_type(call.output))
    shape = emitter.constant(call.vector("dims"))
    emitter.put(call.output, emitter.add("Expand", emitter.constant(value, dtype), shape))


_OTHERS: Final = (
    BOOLEAN,
    _T.TENSOR_QUANT8_SYMM,
    _T.TENSOR_QUANT8_SYMM_PER_CHANNEL,
    _T.TENSOR_QUANT16_SYMM,
    _T.TENSOR_QUANT16_ASYMM,
)
_REFLECTED: Final = Condition(
    "the mode is REFLECT; ONNX's Pad cannot repeat the edge", lambda call: call.scalar("mode") == _REFLECT
)

CLAIMS: Final[tuple[forms.OnnxClaim, ...]] = (
    forms.claimed("RESHAPE", "Reshape", _MOVED, _reshape),
    forms.claimed("SQUEEZE", "Reshape", _CODES, _reshape),
    forms.claimed("EXPAND_DIMS", "Reshape", _MOVED, _reshape),
    forms.claimed("TRANSPOSE", "Transpose", _CODES, _transpose),
    forms.claimed("RANK", "Shape, Size, Cast", (*_MOVED, *_OTHERS), _rank, about_codes=True),
    forms.claimed("PAD", "Pad", _CODES, _padded(lambda call: call["input"].zero_point)),
    forms.claimed("PAD_V2", "Pad", _CODES, _padded(lambda call: call.scalar("value"))),
    forms.claimed("MIRROR_PAD", "Pad", _MOVED, _mirror_pad, _KEPT, _REFLECTED),
    forms.claimed("SLICE", "Slice", _MOVED, _slice, _KEPT),
    forms.claimed("STRIDED_SLICE", "Slice, Reshape", _CODES, _strided_slice, _KEPT),
    forms.claimed("REVERSE", "Slice", _MOVED, _reverse, _KEPT),
    forms.claimed("GATHER", "Gather; Less and Where around negative indices", _MOVED, _gather, _KEPT),
    forms.claimed(
        "EMBEDDING_LOOKUP",
        "Gather; Less and Where around negative indices",
        _MOVED,
        _embedding_lookup,
        same_codes("values"),
    ),
    forms.claimed("TOPK_V2", "Slice, TopK, Sub, Cast", _MOVED, _topk),
    forms.claimed(
        "DEPTH_TO_SPACE", "DepthToSpace; Transpose for NHWC", FLOATS, _blocks("DepthToSpace"), qdq=BOTH_BYTES
    ),
    forms.claimed(
        "SPACE_TO_DEPTH", "SpaceToDepth; Transpose for NHWC", FLOATS, _blocks("SpaceToDepth"), qdq=BOTH_BYTES
    ),
    forms.claimed("BATCH_TO_SPACE_ND", "Reshape, Transpose, Reshape", _CODES, _batch_to_space),
    forms.claimed("SPACE_TO_BATCH_ND", "Pad, Reshape, Transpose, Reshape", _CODES, _space_to_batch),
    forms.claimed("CHANNEL_SHUFFLE", "Reshape, Transpose, Reshape", _CODES, _channel_shuffle),
    forms.claimed("CONCATENATION", "Concat", FLOATS, _concatenation, qdq=BOTH_BYTES),
    forms.claimed("PACK", "Unsqueeze, Concat", _MOVED, _pack, same_codes()),
    forms.claimed("SPLIT", "Split", _MOVED, _split),
    forms.claimed("TILE", "Tile", _MOVED, _tile),
    forms.claimed("FILL", "Expand", (*FLOATS, INTEGER), _fill),
)
