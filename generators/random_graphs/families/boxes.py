"""ROI_ALIGN, ROI_POOLING, HEATMAP_MAX_KEYPOINT: regions of images. Boxes in float16 are too coarse to be compared."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.operands import PLAIN, UNBOUNDED
from nnvet.generators.random_graphs.shapes import MOST_ELEMENTS, Axis, Shape, image
from nnvet.generators.random_graphs.signature import signatures
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.shapes import to_nhwc

_T = OperandType
_O = OperationType
_CODED: Final = (0.125, 0)
"""Scale and zero point of coordinates in TENSOR_QUANT16_ASYMM."""
_LARGEST_CODE: Final = 2**16 - 1
_INSIDE: Final = 0.999
"""So that rounding to float32 leaves no coordinate outside of the image, nor an end before its beginning."""
_CELLS_APART: Final = 8
"""Every cell of the output is searched for on its own, so that there are not too many."""
_MOST_SAMPLES: Final = 10
_OVERSHOOT: Final = 10
"""A parabola through the cells around the largest one may be higher."""
_LARGEST_RATIO: Final = 255
"""Rule ROI_ALIGN/multiplier."""


def _regions(draft: Draft) -> None:
    nchw = draft.chooser.boolean()
    source = draft.input(image(nchw=nchw))
    batches, height, width, depth = to_nhwc(source.dimensions, nchw=nchw)
    used = max(depth, _CELLS_APART)
    count = draft.size(used)
    out_height = draft.size(used * count)
    out_width = draft.size(used * count * out_height)
    ratios = [_ratio(draft) for _ in range(2)]
    _boxes(draft, count, height * ratios[0], width * ratios[1])
    draft.numbers(sorted(draft.chooser.integer(0, batches - 1) for _ in range(count)))
    draft.number(out_height)
    draft.number(out_width)
    for ratio in ratios:
        draft.given(draft.float_scalar, ratio)
    if draft.operation == _O.ROI_ALIGN:
        draft.exceed(source.scale / _LARGEST_RATIO)
        # Without a number there is a sample for each cell of the image, which can be very many.
        few = height * width <= _MOST_SAMPLES**2
        for _ in range(2):
            draft.integer(0 if few else 1, _MOST_SAMPLES)
    draft.truth(nchw)
    draft.output(quantization=source.quantization if draft.operation == _O.ROI_POOLING else None)


def _ratio(draft: Draft) -> float:
    return float(np.float32(draft.chooser.real(0.1, 10)))


def _boxes(draft: Draft, count: int, height: float, width: float) -> None:
    """Boxes [x1, y1, x2, y2] inside of an image."""
    boxes = []
    for _ in range(count):
        left, top = (draft.chooser.real(0, _INSIDE**2 * extent) for extent in (width, height))
        right, bottom = (draft.chooser.real(low, _INSIDE * extent) for low, extent in ((left, width), (top, height)))
        boxes.append((left, top, right, bottom))
    if draft.is_quantized:
        codes = np.minimum(np.floor(np.array(boxes) / _CODED[0]), _LARGEST_CODE)
        draft.given(_T.TENSOR_QUANT16_ASYMM, codes.astype(np.uint16), _CODED, is_constant=False)
    else:
        draft.given(draft.kind, boxes, PLAIN, is_constant=False)


def _keypoints(draft: Draft) -> None:
    nchw = draft.chooser.boolean()
    side = draft.chooser.integer(2, min(draft.limits.most, int((draft.limits.elements // 2) ** 0.5)))
    shape = image(Axis(side, side), Axis(side, side), nchw=nchw)
    source = draft.input(Shape(shape.axes, 1), takes=lambda dimensions: _is_square(draft, dimensions, nchw=nchw))
    batches, side, _, _ = to_nhwc(source.dimensions, nchw=nchw)
    _boxes(draft, batches, float(side), float(side))
    draft.truth(nchw)
    draft.same(source, reach=_OVERSHOOT * source.reach)
    boxes = draft.inputs[1]
    draft.same(boxes, connects=False, reach=UNBOUNDED)


def _is_square(draft: Draft, dimensions: tuple[int, ...], *, nchw: bool) -> bool:
    if len(dimensions) != draft.rank:
        return False
    _, height, width, _ = to_nhwc(dimensions, nchw=nchw)
    return height == width > 1 and prod(dimensions) <= min(MOST_ELEMENTS, draft.limits.elements)


_HALF: Final = (_T.TENSOR_FLOAT16,)
SIGNATURES: Final = (
    *signatures(_O.ROI_ALIGN, _regions, (4,), without=_HALF),
    *signatures(_O.ROI_POOLING, _regions, (4,), without=_HALF),
    *signatures(_O.HEATMAP_MAX_KEYPOINT, _keypoints, (4,), without=_HALF),
)
