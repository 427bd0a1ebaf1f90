"""Operations that slide a window over an image: convolutions and pooling.

Source: their pages in docs/contract/operations, and docs/contract/operations/common.md 9, 10, 11, 16 and 17; kernels in
``reference_driver/kernels/convolution.py`` and ``pooling.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.arithmetic import ACTIVATION, activation_rule
from nnvet.hal.operations.declaration import (
    Call,
    Formal,
    LevelRule,
    OperationDeclaration,
    OutputSpec,
    Phase,
    Rule,
    Signature,
    ZeroSized,
    rows,
    single,
)
from nnvet.hal.operations.shapes import (
    SAME_PADDING,
    Window,
    bias_length_rule,
    bias_scale_rule,
    float_and_quant8,
    from_nhwc,
    implicit_window,
    integer,
    tensor,
    to_nhwc,
    vector,
)

EXPLICIT_PADDING = tuple(
    integer(f"padding_{side}", f"padding cells at the {side}") for side in ("left", "right", "top", "bottom")
)
IMPLICIT_PADDING = integer("padding", "padding scheme: 1 SAME, 2 VALID", values=(1, 2))
STRIDES = tuple(integer(f"stride_{axis}", f"step along the {axis}") for axis in ("width", "height"))
FILTER_SIZES = tuple(integer(f"filter_{axis}", f"{axis} of the window") for axis in ("width", "height"))
DILATIONS = tuple(
    integer(f"dilation_{axis}", f"distance of taps along the {axis}", level=3) for axis in ("width", "height")
)
LAYOUT = Formal("layout", OperandType.BOOL, "true: NCHW", level=3, parameter=True)


def image(call: Call) -> tuple[int, int, int, int]:
    """Return batches, height, width and channels of the input."""
    return to_nhwc(call["input"].dimensions, nchw=call.scalar("layout", False))


def in_layout(call: Call, n: int, h: int, w: int, c: int) -> tuple[int, int, int, int]:
    """Return output dimensions in the layout that the call asks for."""
    return from_nhwc(n, h, w, c, nchw=call.scalar("layout", False))


def filter_size(call: Call) -> tuple[int, int]:
    """Return the height and width of the window: those of the filter tensor, or scalars."""
    if "filter" in call.inputs:
        height, width = call["filter"].dimensions[1:3]
        return height, width
    return call.scalar("filter_height"), call.scalar("filter_width")


def windows(call: Call) -> tuple[Window, Window]:
    """Return the geometry of the vertical and the horizontal axis."""
    _, height, width, _ = image(call)
    filter_height, filter_width = filter_size(call)
    return (
        _window(call, "height", height, filter_height, ("top", "bottom")),
        _window(call, "width", width, filter_width, ("left", "right")),
    )


def _window(call: Call, axis: str, size: int, filter_cells: int, sides: tuple[str, str]) -> Window:
    stride, dilation = call.scalar(f"stride_{axis}"), call.scalar(f"dilation_{axis}", 1)
    if "padding" in call.inputs:
        return implicit_window(size, filter_cells, stride, dilation, call.scalar("padding"))
    head, tail = (call.scalar(f"padding_{side}") for side in sides)
    return Window(size, filter_cells, stride, dilation, head, tail)


def _scalars(call: Call, formals: tuple[Formal, ...]) -> list[int]:
    return [call.scalar(formal.name) for formal in formals if formal.name in call.inputs]


def positive_rule(name: str, formals: tuple[Formal, ...], subject: str) -> Rule:
    """Return the rule that scalar attributes are greater than 0."""
    return Rule(
        f"{name}/{subject}",
        f"Values of {' and '.join(formal.name for formal in formals)} are greater than 0.",
        lambda call: all(value > 0 for value in _scalars(call, formals)),
    )


def padding_sign_rule(name: str, formals: tuple[Formal, ...] = EXPLICIT_PADDING) -> Rule:
    """Return the rule that explicit paddings are not negative."""
    return Rule(
        f"{name}/padding.negative",
        f"Values of {', '.join(formal.name for formal in formals)} are not negative.",
        lambda call: all(value >= 0 for value in _scalars(call, formals)),
    )


def window_rules(name: str) -> tuple[Rule, ...]:
    """Return rules on paddings and output size, for calls whose strides and dilations are greater than 0."""
    return (
        Rule(
            f"{name}/padding.size",
            "Every padding is smaller than the (dilated) window on its axis, so that no window lies in padding alone.",
            lambda call: all(max(w.head, w.tail) < w.extent for w in windows(call)),
        ),
        Rule(
            f"{name}/output.size",
            "The padded input holds the (dilated) window at least once on each axis.",
            lambda call: all(w.fits for w in windows(call)),
        ),
    )


def sized_rule(name: str, operand: str, subject: str, sizes: Callable[[Call], tuple[int, ...]]) -> Rule:
    """Return the rule that ``sizes`` (``subject`` in words) of an operand are greater than 0 at execution."""
    return Rule(f"{name}/{operand}.empty", f"{subject} are greater than 0.", lambda call: 0 not in sizes(call))


_T = OperandType
_PER_CHANNEL = _T.TENSOR_QUANT8_SYMM_PER_CHANNEL
_IM2COL_LIMIT = 0x7FFFFFFF
"""Largest size of the patch matrix in bytes; the contract's reference refuses larger ones."""


def _rows(level: int) -> tuple[tuple[int, dict[str, OperandType]], ...]:
    """Return rows for input and output T, filter F and bias B; float32 and uint8 from ``level`` on."""
    float32, float16 = _T.TENSOR_FLOAT32, _T.TENSOR_FLOAT16
    unsigned, signed, int32 = _T.TENSOR_QUANT8_ASYMM, _T.TENSOR_QUANT8_ASYMM_SIGNED, _T.TENSOR_INT32
    return (
        (level, {"T": float32, "F": float32, "B": float32}),
        (level, {"T": unsigned, "F": unsigned, "B": int32}),
        (3, {"T": float16, "F": float16, "B": float16}),
        (3, {"T": unsigned, "F": _PER_CHANNEL, "B": int32}),
        (4, {"T": signed, "F": signed, "B": int32}),
        (4, {"T": signed, "F": _PER_CHANNEL, "B": int32}),
    )


def _tensors(filter_shape: str, rank_phase: Phase) -> tuple[Formal, ...]:
    return (
        Formal("input", "T", "images", rank=(4, 4), rank_phase=rank_phase),
        Formal("filter", "F", f"weights {filter_shape}", rank=(4, 4), rank_phase=rank_phase),
        tensor("bias", "B", 1, "one value for each output channel"),
    )


def _channel_rule(name: str, dimension: int) -> Rule:
    def fits(call: Call) -> bool:
        quant = call["filter"].channel_quant
        return call["filter"].type != _PER_CHANNEL or (quant is not None and quant.channel_dim == dimension)

    return Rule(
        f"{name}/filter.channel_dim",
        f"Per-channel scales of the filter run along dimension {dimension}.",
        fits,
        phase=Phase.MODEL,
    )


def _image_rules(name: str) -> tuple[Rule, ...]:
    return (
        sized_rule(name, "input", "Height, width and channels of the input", lambda call: image(call)[1:]),
        sized_rule(name, "filter", "Dimensions of the filter", lambda call: call["filter"].dimensions),
    )


def _filter_scale_level(name: str) -> LevelRule:
    def applies(call: Call) -> bool:
        source, weights = call["input"], call["filter"]
        if weights.type != _T.TENSOR_QUANT8_ASYMM:
            return False
        return bool(np.float32(source.scale) <= np.float32(source.scale) * np.float32(weights.scale))

    return LevelRule(
        f"{name}/filter.scale.level",
        "A TENSOR_QUANT8_ASYMM filter of scale 1 or more needs feature level 3.",
        3,
        applies,
    )


def _patches_fit(call: Call) -> bool:
    n, _, _, channels = image(call)
    cells = math.prod(filter_size(call)) * channels
    size = n * math.prod(w.out for w in windows(call)) * cells * OPERAND_TYPES[call["input"].type].size
    return size < _IM2COL_LIMIT


def _infer_convolution(call: Call) -> tuple[OutputSpec, ...]:
    vertical, horizontal = windows(call)
    channels = call["bias"].dimensions[0]
    return (OutputSpec(in_layout(call, image(call)[0], vertical.out, horizontal.out, channels)),)


def _sliding(tensors: tuple[Formal, ...], extra: tuple[Formal, ...]) -> tuple[Signature, ...]:
    tail = (*STRIDES, *extra, ACTIVATION, LAYOUT, *DILATIONS)
    signatures = []
    for name, padding in (("explicit padding", EXPLICIT_PADDING), ("implicit padding", (IMPLICIT_PADDING,))):
        formals = (*tensors, *padding, *tail)
        full = len(formals)
        signatures.append(Signature(name, formals, (full - 3, full - 2, full)))
    return tuple(signatures)


def _geometry_rules(name: str) -> tuple[Rule, ...]:
    return (
        positive_rule(name, STRIDES, "stride"),
        positive_rule(name, DILATIONS, "dilation"),
        padding_sign_rule(name),
        *window_rules(name),
    )


CONV_2D = OperationDeclaration(
    type=OperationType.CONV_2D,
    free_quantization=True,
    summary="two-dimensional convolution",
    rows=rows(*_rows(1)),
    signatures=_sliding(_tensors("[depth_out, filter_height, filter_width, depth_in]", Phase.MODEL), ()),
    outputs=(Formal("output", "T", "result"),),
    infer=_infer_convolution,
    rules=(
        _channel_rule("CONV_2D", 0),
        activation_rule("CONV_2D"),
        *_image_rules("CONV_2D"),
        Rule(
            "CONV_2D/filter.depth_in",
            "The last dimension of the filter is the number of input channels.",
            lambda call: call["filter"].dimensions[3] == image(call)[3],
        ),
        bias_length_rule("CONV_2D", 0),
        *_geometry_rules("CONV_2D"),
        bias_scale_rule("CONV_2D", "filter"),
        Rule(
            "CONV_2D/patches.size",
            "All windows side by side (batches x output positions x filter cells) take less than 2^31 - 1 bytes.",
            _patches_fit,
        ),
    ),
    level_rules=(_filter_scale_level("CONV_2D"),),
)

DEPTHWISE_CONV_2D = OperationDeclaration(
    type=OperationType.DEPTHWISE_CONV_2D,
    free_quantization=True,
    summary="two-dimensional convolution of each channel with filters of its own",
    rows=rows(*_rows(1)),
    signatures=_sliding(
        _tensors("[1, filter_height, filter_width, depth_out]", Phase.EXECUTION),
        (integer("depth_multiplier", "output channels for each input channel"),),
    ),
    outputs=(Formal("output", "T", "result"),),
    infer=_infer_convolution,
    rules=(
        _channel_rule("DEPTHWISE_CONV_2D", 3),
        activation_rule("DEPTHWISE_CONV_2D"),
        sized_rule(
            "DEPTHWISE_CONV_2D",
            "filter",
            "Height and width of the filter",
            lambda call: call["filter"].dimensions[1:3],
        ),
        Rule(
            "DEPTHWISE_CONV_2D/filter.first_dimension",
            "The first dimension of the filter is 1.",
            lambda call: call["filter"].dimensions[0] == 1,
        ),
        bias_length_rule("DEPTHWISE_CONV_2D", 3),
        positive_rule("DEPTHWISE_CONV_2D", (integer("depth_multiplier", ""),), "depth_multiplier"),
        Rule(
            "DEPTHWISE_CONV_2D/filter.depth_out",
            "The last dimension of the filter is the number of input channels times the depth multiplier.",
            lambda call: call["filter"].dimensions[3] == image(call)[3] * call.scalar("depth_multiplier"),
        ),
        *_geometry_rules("DEPTHWISE_CONV_2D"),
        bias_scale_rule("DEPTHWISE_CONV_2D", "filter"),
    ),
    level_rules=(_filter_scale_level("DEPTHWISE_CONV_2D"),),
)

_GROUPED = _tensors("[depth_out, filter_height, filter_width, depth_group]", Phase.EXECUTION)
_GROUPS = integer("groups", "number of groups of channels")

GROUPED_CONV_2D = OperationDeclaration(
    type=OperationType.GROUPED_CONV_2D,
    free_quantization=True,
    summary="two-dimensional convolution within groups of channels",
    rows=rows(*_rows(3)),
    signatures=tuple(
        Signature(name, (*_GROUPED, *padding, *STRIDES, _GROUPS, ACTIVATION, LAYOUT))
        for name, padding in (("explicit padding", EXPLICIT_PADDING), ("implicit padding", (IMPLICIT_PADDING,)))
    ),
    outputs=(Formal("output", "T", "result"),),
    infer=_infer_convolution,
    zero_sized=ZeroSized.INVALID,
    omission_status=ErrorStatus.INVALID_ARGUMENT,
    rules=(
        _channel_rule("GROUPED_CONV_2D", 0),
        activation_rule("GROUPED_CONV_2D"),
        bias_length_rule("GROUPED_CONV_2D", 0),
        positive_rule("GROUPED_CONV_2D", (_GROUPS,), "groups"),
        Rule(
            "GROUPED_CONV_2D/filter.depth_group",
            "The last dimension of the filter times the number of groups is the number of input channels.",
            lambda call: call["filter"].dimensions[3] * call.scalar("groups") == image(call)[3],
        ),
        Rule(
            "GROUPED_CONV_2D/filter.depth_out",
            "The number of output channels is a multiple of the number of groups.",
            lambda call: call["filter"].dimensions[0] % call.scalar("groups") == 0,
        ),
        positive_rule("GROUPED_CONV_2D", STRIDES, "stride"),
        *window_rules("GROUPED_CONV_2D"),
        bias_scale_rule("GROUPED_CONV_2D", "filter"),
    ),
)


def _transposed_axis(call: Call, axis: str, position: int, sides: tuple[str, str]) -> tuple[int, int]:
    """Return the head padding and output size of an axis (docs/contract/operations/TRANSPOSE_CONV_2D.md)."""
    size, cells = image(call)[position], call["filter"].dimensions[position]
    stride = call.scalar(f"stride_{axis}")
    full = (size - 1) * stride + cells
    if "padding" not in call.inputs:
        head, tail = (call.scalar(f"padding_{side}") for side in sides)
    elif call.scalar("padding") == SAME_PADDING:
        dimensions = call.vector("output_shape")
        wanted = dimensions[position + 1 if call.scalar("layout", False) else position]
        steps = math.trunc((wanted + stride - 1) / stride)
        needed = (steps - 1) * stride + cells
        head = max(needed - wanted, 0) // 2
        tail = needed - wanted - head
    else:
        head = tail = 0
    return head, full - head - tail


def transposed_geometry(call: Call) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return head padding and output size of the vertical and the horizontal axis of TRANSPOSE_CONV_2D."""
    return _transposed_axis(call, "height", 1, ("top", "bottom")), _transposed_axis(call, "width", 2, ("left", "right"))


def _infer_transposed(call: Call) -> tuple[OutputSpec, ...]:
    (_, height), (_, width) = transposed_geometry(call)
    return (OutputSpec(in_layout(call, image(call)[0], height, width, call["filter"].dimensions[0])),)


_TRANSPOSED = _tensors("[depth_out, filter_height, filter_width, depth_in]", Phase.EXECUTION)
_OUTPUT_SHAPE = vector("output_shape", "shape of the output, in its layout")

TRANSPOSE_CONV_2D = OperationDeclaration(
    type=OperationType.TRANSPOSE_CONV_2D,
    free_quantization=True,
    summary="gradient of a two-dimensional convolution",
    rows=rows(*_rows(3)),
    signatures=(
        Signature("explicit padding", (*_TRANSPOSED, *EXPLICIT_PADDING, *STRIDES, ACTIVATION, LAYOUT)),
        Signature("implicit padding", (*_TRANSPOSED, _OUTPUT_SHAPE, IMPLICIT_PADDING, *STRIDES, ACTIVATION, LAYOUT)),
    ),
    outputs=(Formal("output", "T", "result"),),
    infer=_infer_transposed,
    rules=(
        _channel_rule("TRANSPOSE_CONV_2D", 0),
        activation_rule("TRANSPOSE_CONV_2D"),
        *_image_rules("TRANSPOSE_CONV_2D"),
        Rule(
            "TRANSPOSE_CONV_2D/filter.depth_in",
            "The last dimension of the filter is the number of input channels.",
            lambda call: call["filter"].dimensions[3] == image(call)[3],
        ),
        bias_length_rule("TRANSPOSE_CONV_2D", 0),
        positive_rule("TRANSPOSE_CONV_2D", STRIDES, "stride"),
        padding_sign_rule("TRANSPOSE_CONV_2D", (EXPLICIT_PADDING[0], EXPLICIT_PADDING[2])),
        Rule(
            "TRANSPOSE_CONV_2D/output_shape.length",
            "The requested output shape has four elements.",
            lambda call: "output_shape" not in call.inputs or call["output_shape"].dimensions == (4,),
        ),
        Rule(
            "TRANSPOSE_CONV_2D/output.size",
            "Height and width of the output are greater than 0.",
            lambda call: all(size > 0 for _, size in transposed_geometry(call)),
        ),
        bias_scale_rule("TRANSPOSE_CONV_2D", "filter"),
    ),
)


_INPUT = tensor("input", "T", 4, "images")
_TAIL = (*STRIDES, *FILTER_SIZES, ACTIVATION, LAYOUT)


def _infer(call: Call) -> tuple[OutputSpec, ...]:
    n, _, _, channels = image(call)
    vertical, horizontal = windows(call)
    dimensions = in_layout(call, n, vertical.out, horizontal.out, channels)
    return (OutputSpec(dimensions, call["input"].scale, call["input"].zero_point),)


def _declare(operation: OperationType, summary: str, levels: Mapping[OperandType, int]) -> OperationDeclaration:
    name = operation.name
    return OperationDeclaration(
        type=operation,
        summary=summary,
        rows=single(levels),
        signatures=(
            Signature("explicit padding", (_INPUT, *EXPLICIT_PADDING, *_TAIL), (10, 11)),
            Signature("implicit padding", (_INPUT, IMPLICIT_PADDING, *_TAIL), (7, 8)),
        ),
        outputs=(Formal("output", "T", "result, with scale and zero point of the input"),),
        infer=_infer,
        rules=(
            activation_rule(name),
            sized_rule(name, "input", "Height, width and channels of the input", lambda call: image(call)[1:]),
            positive_rule(name, STRIDES, "stride"),
            positive_rule(name, FILTER_SIZES, "filter"),
            padding_sign_rule(name),
            *window_rules(name),
        ),
    )


AVERAGE_POOL_2D = _declare(
    OperationType.AVERAGE_POOL_2D, "mean of the cells of a window that lie in the image", float_and_quant8(1)
)
MAX_POOL_2D = _declare(
    OperationType.MAX_POOL_2D, "largest of the cells of a window that lie in the image", float_and_quant8(1)
)
L2_POOL_2D = _declare(
    OperationType.L2_POOL_2D,
    "root of the mean square of the cells of a window that lie in the image",
    {OperandType.TENSOR_FLOAT32: 1, OperandType.TENSOR_FLOAT16: 3},
)
