"""RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR: images in another size.

Source: their pages in docs/contract/operations; kernels in ``reference_driver/kernels/resize.py``.
"""

from __future__ import annotations

import math

import numpy as np

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.declaration import Call, Formal, OperationDeclaration, OutputSpec, Rule, Signature, rows
from nnvet.hal.operations.shapes import LAYOUT, float_and_quant8, from_nhwc, is_nchw, tensor, to_nhwc

_INPUT = tensor("input", "T", 4, "images")
_FLAGS = (
    LAYOUT,
    Formal("align_corners", OperandType.BOOL, "centres of the corner pixels coincide", level=4),
    Formal("half_pixel_centers", OperandType.BOOL, "pixels are sampled at their centres", level=4),
)


def _image(call: Call) -> tuple[int, int, int, int]:
    return to_nhwc(call["input"].dimensions, nchw=is_nchw(call))


def _new_size(call: Call, name: str, size: int) -> int:
    """Return the output size: the given one, or the input size times a scale in float32; 0 if it is not finite."""
    if call.signature.name == "shape":
        return int(call.scalar(f"output_{name}"))
    scaled = float(np.float32(size) * np.float32(call.scalar(f"{name}_scale")))
    return math.floor(scaled) if math.isfinite(scaled) else 0


def new_sizes(call: Call) -> tuple[int, int]:
    """Return the height and width of the output."""
    _, height, width, _ = _image(call)
    return _new_size(call, "height", height), _new_size(call, "width", width)


def _infer(call: Call) -> tuple[OutputSpec, ...]:
    source = call["input"]
    batches, _, _, channels = _image(call)
    dimensions = from_nhwc(batches, *new_sizes(call), channels, nchw=is_nchw(call))
    return (OutputSpec(dimensions, source.scale, source.zero_point),)


def _rules(name: str) -> tuple[Rule, ...]:
    return (
        Rule(
            f"{name}/half_pixel_centers.exclusive",
            "Corners are not aligned when pixels are sampled at their centres.",
            lambda call: not (call.scalar("align_corners", False) and call.scalar("half_pixel_centers", False)),
        ),
        Rule(
            f"{name}/input.dimensions",
            "Height, width and channels are positive; only the number of batches may be 0.",
            lambda call: 0 not in _image(call)[1:],
        ),
        Rule(
            f"{name}/output.size",
            "Height and width of the output are positive.",
            lambda call: min(new_sizes(call)) > 0,
        ),
    )


def _declare(
    operation: OperationType, summary: str, levels: dict[OperandType, int], shortest: int
) -> OperationDeclaration:
    half = {"S": OperandType.FLOAT16}
    single = {"S": OperandType.FLOAT32}
    lengths = tuple(range(shortest, 7))
    by_shape = (
        Formal("output_width", OperandType.INT32, "width of the output"),
        Formal("output_height", OperandType.INT32, "height of the output"),
    )
    by_scale = (
        Formal("width_scale", "S", "output width in input widths", level=3),
        Formal("height_scale", "S", "output height in input heights", level=3),
    )
    return OperationDeclaration(
        type=operation,
        summary=summary,
        rows=rows(
            *(
                (level, {"T": type_} | (half if type_ == OperandType.TENSOR_FLOAT16 else single))
                for type_, level in levels.items()
            )
        ),
        signatures=(
            Signature("shape", (_INPUT, *by_shape, *_FLAGS), lengths),
            Signature("scale", (_INPUT, *by_scale, *_FLAGS), lengths),
        ),
        outputs=(Formal("output", "T", "resized images"),),
        rules=_rules(operation.name),
        infer=_infer,
    )


RESIZE_BILINEAR = _declare(
    OperationType.RESIZE_BILINEAR,
    "images in another size, linearly interpolated",
    float_and_quant8(3) | {OperandType.TENSOR_FLOAT32: 1},
    3,
)
RESIZE_NEAREST_NEIGHBOR = _declare(
    OperationType.RESIZE_NEAREST_NEIGHBOR,
    "images in another size, each pixel a copy of the nearest",
    float_and_quant8(3),
    4,
)
