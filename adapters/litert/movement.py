"""Rows of the table of LiteRT for operations that move elements, cut, join and repeat tensors, or look up rows.

A row is a claim (:mod:`nnvet.adapters.runtimes.claims`): the types that LiteRT computes as the contract says, the
conditions, and a function that emits the operators. Building blocks are in :mod:`nnvet.adapters.litert.forms`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy.typing as npt

from nnvet.adapters.litert.emitter import Emitter
from nnvet.adapters.litert.forms import LiteRtClaim, image_input, image_output, rank_up_to, reshape
from nnvet.adapters.runtimes.claims import BOOLEAN, BOTH_BYTES, FLOATS, INTEGER, SIGNED, UNSIGNED, Condition, same_codes
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.padding import pairs
from nnvet.hal.operations.shapes import same_quantization
from nnvet.hal.operations.slicing import slice_ranges

_O = OperationType
_T = OperandType
# Types that are only moved, and the condition that codes keep their meaning.
_MOVED: Final = (*FLOATS, *BOTH_BYTES, INTEGER)
_KEPT: Final = same_codes("input")


def _reshape(emitter: Emitter, call: Call) -> None:
    reshape(emitter, emitter.source(call["input"]), emitter.target(call.output), call.output.dimensions)


def _with_vectors(name: str, compute: Callable[[Call], Sequence[npt.ArrayLike]]) -> Callable[[Emitter, Call], None]:
    """Return the function that emits an operator whose further inputs are constant vectors, computed by ``compute``."""

    def emit(emitter: Emitter, call: Call) -> None:
        vectors = [emitter.constant(vector) for vector in compute(call)]
        emitter.add(name, [emitter.source(call["input"]), *vectors], emitter.target(call.output))

    return emit


def _order(call: Call) -> list[list[int]]:
    return [call.vector("perm") if call.has("perm") else [1, 0]]


def _box(call: Call) -> list[list[int]]:
    ranges = slice_ranges(call)
    return [[begin for begin, _ in ranges], [size for _, size in ranges]]


def _paddings(call: Call) -> list[list[tuple[int, int]]]:
    return [pairs(call)]


def _pad_v2(emitter: Emitter, call: Call) -> None:
    argument = call["input"]
    inputs = [emitter.source(argument), emitter.constant(_paddings(call)[0])]
    inputs.append(emitter.filled(argument, call.scalar("value")))
    emitter.add("PADV2", inputs, emitter.target(call.output))


def _mirror_pad(emitter: Emitter, call: Call) -> None:
    inputs = [emitter.source(call["input"]), emitter.constant(_paddings(call)[0])]
    emitter.add("MIRROR_PAD", inputs, emitter.target(call.output), mode=call.scalar("mode"))


def _strided_slice(emitter: Emitter, call: Call) -> None:
    """Emit STRIDED_SLICE; a RESHAPE drops the dimensions to be dropped."""
    argument = call["input"]
    vectors = [emitter.constant(call.vector(name)) for name in ("begin", "end", "strides")]
    masks = {name: call.scalar(name) for name in ("begin_mask", "end_mask")}
    shrunk = call.scalar("shrink_axis_mask")
    sizes = iter(call.output.dimensions)
    kept = [1 if shrunk >> axis & 1 else next(sizes) for axis in range(argument.rank)]
    result = emitter.between(call.output, kept)
    emitter.add("STRIDED_SLICE", [emitter.source(argument), *vectors], result, **masks)
    reshape(emitter, result, emitter.target(call.output), call.output.dimensions)


def _gather(emitter: Emitter, call: Call) -> None:
    axis = call.scalar("axis") % call["input"].rank
    inputs = [emitter.source(call["input"]), emitter.source(call["indices"])]
    emitter.add("GATHER", inputs, emitter.target(call.output), axis=axis)


_WITHOUT_NUMBERS, _DENSE = 1, 2
"""Types of LSH projections: sparse without hash numbers, and dense. The third adds its number to each hash."""
_LITERT_SPARSE, _LITERT_DENSE = 1, 2
"""LiteRT's numbers of these types."""


def _lsh_projection(emitter: Emitter, call: Call) -> None:
    is_dense = call.scalar("type") == _DENSE
    weight = [] if call["weight"].omitted else [emitter.source(call["weight"])]
    inputs = [emitter.source(call["hash"]), emitter.stored(call["input"]), *weight]
    kind = _LITERT_DENSE if is_dense else _LITERT_SPARSE
    emitter.add("LSH_PROJECTION", inputs, emitter.target(call.output), type=kind)


def _embedding_lookup(emitter: Emitter, call: Call) -> None:
    inputs = [emitter.source(call["lookups"]), emitter.source(call["values"])]
    emitter.add("EMBEDDING_LOOKUP", inputs, emitter.target(call.output))


def _hashtable_lookup(emitter: Emitter, call: Call) -> None:
    inputs = [emitter.source(call[name]) for name in ("lookups", "keys", "values")]
    emitter.add("HASHTABLE_LOOKUP", inputs, [emitter.target(output) for output in call.outputs])


def _topk(emitter: Emitter, call: Call) -> None:
    """Emit a search in reverse order, since LiteRT prefers the first of equal elements, and the contract the last."""
    argument, (values, indices) = call["input"], call.outputs
    last, k = argument.rank - 1, call.scalar("k")
    turned, found = emitter.between(argument, argument.dimensions), emitter.between(indices, indices.dimensions)
    emitter.add("REVERSE_V2", [emitter.source(argument), emitter.constant([last])], turned)
    emitter.add("TOPK_V2", [turned, emitter.constant(k)], [emitter.target(values), found])
    highest = emitter.constant([argument.dimensions[-1] - 1])
    emitter.add("SUB", [highest, found], emitter.target(indices))


def _blocks(name: str) -> Callable[[Emitter, Call], None]:
    """Return the function that emits an operator with a block size among its options."""

    def emit(emitter: Emitter, call: Call) -> None:
        source, block = image_input(emitter, call), call.scalar("block")
        image_output(emitter, call, lambda target: emitter.add(name, [source], target, block_size=block))

    return emit


def _batch_to_space(emitter: Emitter, call: Call) -> None:
    inputs = [image_input(emitter, call), emitter.constant(call.vector("blocks")), emitter.constant([[0, 0], [0, 0]])]
    image_output(emitter, call, lambda target: emitter.add("BATCH_TO_SPACE_ND", inputs, target))


def _space_to_batch(emitter: Emitter, call: Call) -> None:
    inputs = [image_input(emitter, call), *(emitter.constant(value) for value in (call.vector("blocks"), pairs(call)))]
    image_output(emitter, call, lambda target: emitter.add("SPACE_TO_BATCH_ND", inputs, target))


def _channel_shuffle(emitter: Emitter, call: Call) -> None:
    argument, groups = call["input"], call.scalar("groups")
    axis = call.scalar("axis") % argument.rank
    sizes = argument.dimensions
    before, after = math.prod(sizes[:axis]), math.prod(sizes[axis + 1 :])
    split = (before, groups, sizes[axis] // groups, after)
    parts = emitter.between(argument, split)
    shuffled = emitter.between(argument, (split[0], split[2], split[1], split[3]))
    reshape(emitter, emitter.source(argument), parts, split)
    emitter.add("TRANSPOSE", [parts, emitter.constant([0, 2, 1, 3])], shuffled)
    reshape(emitter, shuffled, emitter.target(call.output), sizes)


def _concatenation(emitter: Emitter, call: Call) -> None:
    """Emit CONCATENATION without empty tensors; LiteRT itself converts unsigned codes to those of the output."""
    inputs = []
    for part in call.variadic:
        if 0 not in part.dimensions:
            inputs.append(emitter.source(part))
            if part.type == SIGNED and not same_quantization(part, call.output):
                requantised = emitter.between(call.output, part.dimensions)
                emitter.add("QUANTIZE", inputs[-1:], requantised)
                inputs[-1] = requantised
    emitter.add("CONCATENATION", inputs, emitter.target(call.output), axis=call.scalar("axis"))


def _pack(emitter: Emitter, call: Call) -> None:
    inputs = [emitter.source(part) for part in call.variadic]
    emitter.add("PACK", inputs, emitter.target(call.output), axis=call.scalar("axis"), values_count=len(inputs))


def _split(emitter: Emitter, call: Call) -> None:
    inputs = [emitter.constant(call.scalar("axis") % call["input"].rank), emitter.source(call["input"])]
    outputs = [emitter.target(output) for output in call.outputs]
    emitter.add("SPLIT", inputs, outputs, num_splits=len(outputs))


def _fill(emitter: Emitter, call: Call) -> None:
    dtype = "int32" if call.output.type == INTEGER else "float32"
    inputs = [emitter.constant(call.vector("dims")), emitter.constant(call.scalar("value"), dtype)]
    emitter.add("FILL", inputs, emitter.target(call.output))


def _rank(emitter: Emitter, call: Call) -> None:
    emitter.add("RANK", [emitter.stored(call["input"])], emitter.target(call.output))


CLAIMS: Final[tuple[LiteRtClaim, ...]] = (
    LiteRtClaim(_O.RESHAPE, "RESHAPE", _MOVED, _reshape),
    LiteRtClaim(_O.SQUEEZE, "RESHAPE", (*FLOATS, *BOTH_BYTES), _reshape),
    LiteRtClaim(_O.EXPAND_DIMS, "RESHAPE", _MOVED, _reshape),
    LiteRtClaim(_O.TRANSPOSE, "TRANSPOSE", (*FLOATS, *BOTH_BYTES), _with_vectors("TRANSPOSE", _order)),
    LiteRtClaim(
        _O.RANK,
        "RANK",
        (*FLOATS, *BOTH_BYTES, INTEGER, BOOLEAN, _T.TENSOR_QUANT16_SYMM),
        _rank,
        (),
        {
            _T.TENSOR_QUANT8_SYMM: "not tried: no model has a use for it",
            _T.TENSOR_QUANT8_SYMM_PER_CHANNEL: "not tried: no model has a use for it",
            _T.TENSOR_QUANT16_ASYMM: "LiteRT has no quantised unsigned 16-bit tensors",
        },
    ),
    LiteRtClaim(_O.PAD, "PAD", (*FLOATS, *BOTH_BYTES), _with_vectors("PAD", _paddings)),
    LiteRtClaim(_O.PAD_V2, "PADV2", (*FLOATS, *BOTH_BYTES), _pad_v2),
    LiteRtClaim(_O.MIRROR_PAD, "MIRROR_PAD", _MOVED, _mirror_pad, (_KEPT,)),
    LiteRtClaim(_O.SLICE, "SLICE", _MOVED, _with_vectors("SLICE", _box), (_KEPT, rank_up_to(5))),
    LiteRtClaim(
        _O.STRIDED_SLICE, "STRIDED_SLICE, RESHAPE", (*FLOATS, *BOTH_BYTES), _strided_slice, (_KEPT, rank_up_to(5))
    ),
    LiteRtClaim(_O.GATHER, "GATHER", _MOVED, _gather, (_KEPT,)),
    LiteRtClaim(_O.EMBEDDING_LOOKUP, "EMBEDDING_LOOKUP", _MOVED, _embedding_lookup, (same_codes("values"),)),
    LiteRtClaim(
        _O.HASHTABLE_LOOKUP,
        "HASHTABLE_LOOKUP",
        (_T.TENSOR_FLOAT32, INTEGER, UNSIGNED),
        _hashtable_lookup,
        (
            Condition(
                "codes of the table and of the result mean the same",
                lambda call: (
                    (call["values"].scale, call["values"].zero_point) == (call.output.scale, call.output.zero_point)
                ),
            ),
        ),
    ),
    LiteRtClaim(
        _O.LSH_PROJECTION,
        "LSH_PROJECTION",
        (_T.TENSOR_FLOAT32, INTEGER, UNSIGNED),
        _lsh_projection,
        (
            Condition(
                "the projection is dense, sparse, or of one hash: LiteRT always counts the hashes of sparse ones",
                lambda call: call.scalar("type") != _WITHOUT_NUMBERS or call["hash"].dimensions[0] == 1,
            ),
        ),
        {_T.TENSOR_FLOAT16: "the bytes are hashed, and LiteRT would get those of 32-bit floats"},
    ),
    LiteRtClaim(_O.TOPK_V2, "REVERSE_V2, TOPK_V2, SUB", _MOVED, _topk, (rank_up_to(8),)),
    *(
        LiteRtClaim(OperationType[name], f"{name}; TRANSPOSE for NCHW", (*FLOATS, *BOTH_BYTES), _blocks(name))
        for name in ("DEPTH_TO_SPACE", "SPACE_TO_DEPTH")
    ),
    LiteRtClaim(_O.BATCH_TO_SPACE_ND, "BATCH_TO_SPACE_ND; TRANSPOSE for NCHW", (*FLOATS, *BOTH_BYTES), _batch_to_space),
    LiteRtClaim(_O.SPACE_TO_BATCH_ND, "SPACE_TO_BATCH_ND; TRANSPOSE for NCHW", (*FLOATS, *BOTH_BYTES), _space_to_batch),
    LiteRtClaim(_O.CHANNEL_SHUFFLE, "RESHAPE, TRANSPOSE", (*FLOATS, *BOTH_BYTES), _channel_shuffle),
    LiteRtClaim(
        _O.CONCATENATION,
        "CONCATENATION; QUANTIZE of signed codes to those of the output",
        (*FLOATS, *BOTH_BYTES),
        _concatenation,
    ),
    LiteRtClaim(_O.PACK, "PACK", _MOVED, _pack, (same_codes(),)),
    LiteRtClaim(_O.SPLIT, "SPLIT", _MOVED, _split),
    LiteRtClaim(_O.TILE, "TILE", _MOVED, _with_vectors("TILE", lambda call: [call.vector("multiples")])),
    LiteRtClaim(_O.FILL, "FILL", (*FLOATS, INTEGER), _fill),
    LiteRtClaim(
        _O.REVERSE, "REVERSE_V2", _MOVED, _with_vectors("REVERSE_V2", lambda call: [call.vector("axis")]), (_KEPT,)
    ),
)
