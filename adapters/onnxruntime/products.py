"""Rows of the table of ONNX for convolutions, pooling and products of matrices.

Rows are claims (:mod:`nnvet.adapters.runtimes.claims`); building blocks are in :mod:`nnvet.adapters.onnxruntime.forms`.
:data:`CLAIMS` at the end has the rows; in front of it are the functions that emit operations, then the conditions.
"""

from __future__ import annotations

import math
from typing import Any, Final

from nnvet.adapters.onnxruntime import forms
from nnvet.adapters.onnxruntime.emitter import Encoding, OnnxEmitter
from nnvet.adapters.runtimes.claims import BOTH_BYTES, FLOATS, INTEGER, SIGNED, Condition
from nnvet.hal.operations.convolution import image, transposed_geometry, windows
from nnvet.hal.operations.declaration import Argument, Call

_TO_OIHW: Final = (0, 3, 1, 2)
_CHANNELS_FIRST: Final = (3, 0, 1, 2)
"""Permutations of [1, height, width, out] (depthwise) and [out, height, width, in] filters for ONNX's layouts."""


def _window(call: Call) -> dict[str, Any]:
    """Return strides and paddings as attributes."""
    axes = windows(call)
    return {
        "strides": [axis.stride for axis in axes],
        "pads": [*(axis.head for axis in axes), *(axis.tail for axis in axes)],
    }


def _put_images(emitter: OnnxEmitter, call: Call, value: str) -> None:
    emitter.put(call.output, forms.in_layout(emitter, call, forms.activated(emitter, call, value)))


def _groups(call: Call) -> int:
    """Return the number of groups of channels; a depthwise convolution has one for each channel of the input."""
    if "depth_multiplier" in call.inputs:
        return image(call)[3]
    return int(call.scalar("groups", 1))


def _bias(emitter: OnnxEmitter, call: Call) -> str:
    """Return the bias; for codes its scale is the input's scale times the weights' scale or scales."""
    bias = call["bias"]
    if not emitter.computes_real_numbers:
        return emitter.source(bias)
    weights = _weights(call)
    scales = Encoding.of(weights, call["input"].scale).scales
    encoding = Encoding(scales, axis=0 if weights.channel_quant else None)
    return emitter.decoded(emitter.stored(bias), bias.dtype, encoding)


def _convolution(emitter: OnnxEmitter, call: Call) -> None:
    order = _CHANNELS_FIRST if "depth_multiplier" in call.inputs else _TO_OIHW
    inputs = [forms.image_input(emitter, call), emitter.permuted(call["filter"], order), _bias(emitter, call)]
    dilations = [window.dilation for window in windows(call)]
    _put_images(emitter, call, emitter.add("Conv", *inputs, group=_groups(call), dilations=dilations, **_window(call)))


def _tails(call: Call) -> list[int]:
    """Return the number of cells that TRANSPOSE_CONV_2D cuts off at the end of each axis; it adds cells if negative."""
    _, height, width, _ = image(call)
    steps = (call.scalar("stride_height"), call.scalar("stride_width"))
    axes = zip((height, width), steps, call["filter"].dimensions[1:3], transposed_geometry(call), strict=True)
    return [(size - 1) * step + cells - head - out for size, step, cells, (head, out) in axes]


def _transpose_conv(emitter: OnnxEmitter, call: Call) -> None:
    tails, heads = _tails(call), [head for head, _ in transposed_geometry(call)]
    inputs = [forms.image_input(emitter, call), emitter.permuted(call["filter"], _CHANNELS_FIRST)]
    value = emitter.add(
        "ConvTranspose",
        *inputs,
        _bias(emitter, call),
        strides=[call.scalar("stride_height"), call.scalar("stride_width")],
        pads=[*heads, *(max(tail, 0) for tail in tails)],
        output_padding=[max(-tail, 0) for tail in tails],
    )
    _put_images(emitter, call, value)


def _transposed_fits(call: Call) -> bool:
    if 0 in (*call["input"].dimensions, *call["filter"].dimensions):
        return False
    steps = (call.scalar("stride_height"), call.scalar("stride_width"))
    heads = [head for head, _ in transposed_geometry(call)]
    return min(heads) >= 0 and all(-tail < step for tail, step in zip(_tails(call), steps, strict=True))


def _pooled(emitter: OnnxEmitter, call: Call, operator: str, value: str) -> str:
    shape = [call.scalar("filter_height"), call.scalar("filter_width")]
    return emitter.add(operator, value, kernel_shape=shape, **_window(call))


def _pool(operator: str) -> forms.Emit:
    def emit(emitter: OnnxEmitter, call: Call) -> None:
        _put_images(emitter, call, _pooled(emitter, call, operator, forms.image_input(emitter, call)))

    return emit


def _l2_pool(emitter: OnnxEmitter, call: Call) -> None:
    """Emit the root of an average of squares; LpPool does not fit, because it adds the squares up."""
    value = forms.image_input(emitter, call)
    mean = _pooled(emitter, call, "AveragePool", emitter.add("Mul", value, value))
    _put_images(emitter, call, emitter.add("Sqrt", mean))


def _fully_connected(emitter: OnnxEmitter, call: Call) -> None:
    argument, size = call["input"], call["weights"].dimensions[1]
    rows = emitter.reshaped(emitter.source(argument), (math.prod(argument.dimensions) // size, size))
    forms.put_activated(
        emitter,
        call,
        emitter.add("Gemm", rows, emitter.source(call["weights"]), _bias(emitter, call), transB=1),
    )


def _batch_matmul(emitter: OnnxEmitter, call: Call) -> None:
    sides = []
    for name in ("x", "y"):
        argument = call[name]
        *before, rows, columns = range(argument.rank)
        swapped = call.scalar(f"adj_{name}")
        sides.append(emitter.permuted(argument, [*before, columns, rows]) if swapped else emitter.source(argument))
    emitter.put(call.output, emitter.add("MatMul", *sides))


_REACH: Final = Condition(
    "shapes are known, the output begins within the products and ends less than a stride behind them",
    _transposed_fits,
)


_LARGEST_PRODUCT: Final = 255 * 255
"""Largest product of two 8-bit codes less their zero points."""
_FLOAT_STEP: Final = 2**-24
"""Unit roundoff of 32-bit floats."""
_PART_OF_A_CODE: Final = 0.25
"""Part of an output code by which the rounding of a sum may change it."""


def _weights(call: Call) -> Argument:
    return call["weights"] if "weights" in call.inputs else call["filter"]


def _weights_are_constant(call: Call) -> bool:
    return call["input"].type not in BOTH_BYTES or _weights(call).constant


_WHOLE_SUMS: Final = Condition(
    "weights of codes are constants: on processors without VNNI the kernels for signed weights saturate sums of two "
    "products, and ONNX Runtime can avoid them for constants alone",
    _weights_are_constant,
)


def _floats_hold_sums(call: Call) -> bool:
    """Return True if the largest sum of a call, rounded to a 32-bit float, is off by less than a part of a code."""
    argument = call["input"]
    if argument.type not in BOTH_BYTES:
        return True
    weights = _weights(call)
    products = math.prod(weights.dimensions[1:])
    step = max(Encoding.of(weights, argument.scale).scales) / call.output.scale
    return products * _LARGEST_PRODUCT * _FLOAT_STEP * step < _PART_OF_A_CODE


_EXACT_SUMS: Final = Condition(
    "sums of codes are so small that 32-bit floats hold them to a quarter of an output's code: signed codes have "
    "no kernel whose sums do not saturate and are computed as floats, and unsigned ones are claimed where those are",
    _floats_hold_sums,
)
_SUMS: Final = (_WHOLE_SUMS, _EXACT_SUMS)

CLAIMS: Final[tuple[forms.OnnxClaim, ...]] = (
    *(
        forms.claimed(name, "Conv, and Relu or Clip; Transpose for NHWC", FLOATS, _convolution, *_SUMS, qdq=BOTH_BYTES)
        for name in ("CONV_2D", "DEPTHWISE_CONV_2D", "GROUPED_CONV_2D")
    ),
    forms.claimed(
        "TRANSPOSE_CONV_2D",
        "ConvTranspose, and Relu or Clip; Transpose for NHWC",
        FLOATS,
        _transpose_conv,
        _REACH,
        *_SUMS,
        qdq=BOTH_BYTES,
    ),
    *(
        forms.claimed(
            name, f"{operator}, and Relu or Clip; Transpose for NHWC", FLOATS, _pool(operator), qdq=BOTH_BYTES
        )
        for name, operator in (("AVERAGE_POOL_2D", "AveragePool"), ("MAX_POOL_2D", "MaxPool"))
    ),
    forms.claimed("L2_POOL_2D", "Mul, AveragePool, Sqrt; Transpose for NHWC", FLOATS, _l2_pool),
    forms.claimed(
        "FULLY_CONNECTED", "Reshape, Gemm, and Relu or Clip", FLOATS, _fully_connected, *_SUMS, qdq=BOTH_BYTES
    ),
    forms.claimed(
        "BATCH_MATMUL", "MatMul; Transpose of adjoined operands", (*FLOATS, INTEGER), _batch_matmul, qdq=(SIGNED,)
    ),
)
