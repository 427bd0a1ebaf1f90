"""DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND: blocks of cells moved between dimensions.

CHANNEL_SHUFFLE is declared here, too.
Source: their pages in docs/contract/operations. Kernels: ``reference_driver/kernels/movement.py``.
"""

from __future__ import annotations

from collections.abc import Callable

from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.operations.declaration import (
    Call,
    Formal,
    LevelRule,
    OperationDeclaration,
    OutputSpec,
    Rule,
    Signature,
    ZeroSized,
    single,
)
from nnvet.hal.operations.padding import pairs
from nnvet.hal.operations.shapes import (
    LAYOUT,
    axis_rule,
    float_and_quant8,
    from_nhwc,
    is_nchw,
    matrix,
    same_as,
    tensor,
    to_nhwc,
    vector,
    zero_point_level_rule,
)

_INPUT = tensor("input", "T", 4, "four-dimensional tensor")
_OUTPUT = Formal("output", "T", "rearranged tensor")
_BLOCK = Formal("block", OperandType.INT32, "height and width of a block")
_BLOCKS = vector("blocks", "height and width of a block")
_PADDINGS = matrix("paddings", "cells at top and bottom, left and right")


def _nhwc(call: Call) -> tuple[int, int, int, int]:
    return to_nhwc(call["input"].dimensions, nchw=is_nchw(call))


def _spec(call: Call, n: int, h: int, w: int, c: int) -> tuple[OutputSpec, ...]:
    source = call["input"]
    return (OutputSpec(from_nhwc(n, h, w, c, nchw=is_nchw(call)), source.scale, source.zero_point),)


def _declare(
    operation: OperationType,
    level: int,
    summary: str,
    formals: tuple[Formal, ...],
    rules: tuple[Rule, ...],
    infer: Callable[[Call], tuple[OutputSpec, ...]],
    level_rules: tuple[LevelRule, ...] = (),
) -> OperationDeclaration:
    """Declare an operation on blocks; its last input, the layout flag, may be left out."""
    inputs = (_INPUT, *formals, LAYOUT)
    return OperationDeclaration(
        type=operation,
        summary=summary,
        rows=single(float_and_quant8(level)),
        signatures=(Signature("blocks", inputs, (len(inputs) - 1, len(inputs))),),
        outputs=(_OUTPUT,),
        rules=rules,
        level_rules=level_rules,
        infer=infer,
        zero_sized=ZeroSized.INVALID,
        omission_status=ErrorStatus.INVALID_ARGUMENT,
    )


def _block_rule(name: str) -> Rule:
    return Rule(f"{name}/block.value", "The block size is positive.", lambda call: call.scalar("block") > 0)


def _blocks_rules(name: str) -> tuple[Rule, ...]:
    return (
        Rule(
            f"{name}/blocks.length",
            "There are two block sizes.",
            lambda call: call["blocks"].dimensions == (2,),
        ),
        Rule(f"{name}/blocks.values", "Block sizes are positive.", lambda call: min(call.vector("blocks")) > 0),
    )


# Each function infers the output of one operation. The rules are checked first, so that every division is exact.


def _depth_to_space(call: Call) -> tuple[OutputSpec, ...]:
    (n, h, w, c), block = _nhwc(call), call.scalar("block")
    return _spec(call, n, h * block, w * block, c // block**2)


def _space_to_depth(call: Call) -> tuple[OutputSpec, ...]:
    (n, h, w, c), block = _nhwc(call), call.scalar("block")
    return _spec(call, n, h // block, w // block, c * block**2)


def _batch_to_space(call: Call) -> tuple[OutputSpec, ...]:
    (n, h, w, c), (height, width) = _nhwc(call), call.vector("blocks")
    return _spec(call, n // (height * width), h * height, w * width, c)


def _padded(call: Call) -> tuple[int, int]:
    """Return the height and width of SPACE_TO_BATCH_ND's input with its padding."""
    _, h, w, _ = _nhwc(call)
    vertical, horizontal = pairs(call)
    return h + sum(vertical), w + sum(horizontal)


def _space_to_batch(call: Call) -> tuple[OutputSpec, ...]:
    (n, _, _, c), (height, width) = _nhwc(call), call.vector("blocks")
    padded_height, padded_width = _padded(call)
    return _spec(call, n * height * width, padded_height // height, padded_width // width, c)


DEPTH_TO_SPACE = _declare(
    OperationType.DEPTH_TO_SPACE,
    1,
    "channels become blocks of cells",
    (_BLOCK,),
    (
        _block_rule("DEPTH_TO_SPACE"),
        Rule(
            "DEPTH_TO_SPACE/block.divides",
            "The square of the block size divides the number of channels.",
            lambda call: _nhwc(call)[3] % call.scalar("block") ** 2 == 0,
        ),
    ),
    _depth_to_space,
)
SPACE_TO_DEPTH = _declare(
    OperationType.SPACE_TO_DEPTH,
    1,
    "blocks of cells become channels",
    (_BLOCK,),
    (
        _block_rule("SPACE_TO_DEPTH"),
        Rule(
            "SPACE_TO_DEPTH/block.divides",
            "The block size divides height and width.",
            lambda call: all(size % call.scalar("block") == 0 for size in _nhwc(call)[1:3]),
        ),
    ),
    _space_to_depth,
)
BATCH_TO_SPACE_ND = _declare(
    OperationType.BATCH_TO_SPACE_ND,
    2,
    "batches become blocks of cells",
    (_BLOCKS,),
    (
        *_blocks_rules("BATCH_TO_SPACE_ND"),
        Rule(
            "BATCH_TO_SPACE_ND/blocks.divide",
            "The product of the block sizes divides the number of batches.",
            lambda call: _nhwc(call)[0] % (call.vector("blocks")[0] * call.vector("blocks")[1]) == 0,
        ),
    ),
    _batch_to_space,
)
SPACE_TO_BATCH_ND = _declare(
    OperationType.SPACE_TO_BATCH_ND,
    2,
    "blocks of cells, after padding, become batches",
    (_BLOCKS, _PADDINGS),
    (
        *_blocks_rules("SPACE_TO_BATCH_ND"),
        Rule(
            "SPACE_TO_BATCH_ND/paddings.dimensions",
            "The paddings have shape [2, 2].",
            lambda call: call["paddings"].dimensions == (2, 2),
        ),
        Rule(
            "SPACE_TO_BATCH_ND/paddings.values",
            "Paddings are not negative.",
            lambda call: min(call.vector("paddings")) >= 0,
        ),
        Rule(
            "SPACE_TO_BATCH_ND/blocks.divide",
            "The block sizes divide padded height and width.",
            lambda call: all(s % b == 0 for s, b in zip(_padded(call), call.vector("blocks"), strict=True)),
        ),
    ),
    _space_to_batch,
    (zero_point_level_rule("SPACE_TO_BATCH_ND"),),
)

CHANNEL_SHUFFLE = OperationDeclaration(
    type=OperationType.CHANNEL_SHUFFLE,
    summary="channels of several groups interleaved",
    rows=single(float_and_quant8(3)),
    signatures=(
        Signature(
            "shuffle",
            (
                Formal("input", "T", "tensor to shuffle", rank=(1, 4)),
                Formal("groups", OperandType.INT32, "number of groups"),
                Formal("axis", OperandType.INT32, "axis of the channels; negative counts from the end"),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "shuffled tensor"),),
    rules=(
        axis_rule("CHANNEL_SHUFFLE"),
        Rule("CHANNEL_SHUFFLE/groups.value", "There is at least one group.", lambda call: call.scalar("groups") > 0),
        Rule(
            "CHANNEL_SHUFFLE/groups.divide",
            "The number of groups divides the number of channels.",
            lambda call: call["input"].dimensions[call.scalar("axis")] % call.scalar("groups") == 0,
        ),
    ),
    infer=same_as("input"),
    zero_sized=ZeroSized.FAILS,
)
