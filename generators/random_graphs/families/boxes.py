"""Signatures of ROI_ALIGN, ROI_POOLING, HEATMAP_MAX_KEYPOINT, AXIS_ALIGNED_BBOX_TRANSFORM: regions of images.

``catalogue.py`` collects the table :data:`SIGNATURES`; ``detection.py`` has the operations that select boxes. Random
boxes in float16 are too coarse to be compared, so CTS has none. Boxes of the further signatures lie on the pixels of
the image, and ratios are powers of two, so that coordinates are exact.
"""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.draft import PLAIN, UNBOUNDED, Draft
from nnvet.generators.random_graphs.families.values import reals
from nnvet.generators.random_graphs.shapes import MOST_ELEMENTS, Axis, Shape, image
from nnvet.generators.random_graphs.signature import further, signatures
from nnvet.graphs.model import Array
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.detection import BOX_QUANTIZATION
from nnvet.hal.operations.shapes import to_nhwc

_T = OperandType
_O = OperationType
_CODED: Final = (0.125, 0)
"""Scale and zero point of coordinates in TENSOR_QUANT16_ASYMM."""
_LARGEST_CODE: Final = 2**16 - 1
"""Largest code of TENSOR_QUANT16_ASYMM."""
_INSIDE: Final = 0.999
"""Margin with which rounding to float32 leaves all coordinates inside the image, and every end after its beginning."""
_CELLS_APART: Final = 8
"""Least number of elements for which each pixel of the output is counted in the limit of elements.

Each pixel is computed separately, which takes time, so there must not be too many.
"""
_MOST_SAMPLES: Final = 10
"""Most samples of ROI_ALIGN along an axis of an output pixel."""
_OVERSHOOT: Final = 10
"""Factor by which a parabola through the pixels around the largest one may exceed that one."""
_LARGEST_RATIO: Final = 255
"""Largest ratio of the input's scale to the output's, by the rule ROI_ALIGN/multiplier."""


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
    """Add boxes [x1, y1, x2, y2] inside an image."""
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
_OF_CTS: Final = (
    *signatures(_O.ROI_ALIGN, _regions, (4,), without=_HALF),
    *signatures(_O.ROI_POOLING, _regions, (4,), without=_HALF),
    *signatures(_O.HEATMAP_MAX_KEYPOINT, _keypoints, (4,), without=_HALF),
)


_FLOAT16: Final = {"T": _T.TENSOR_FLOAT16}
_MOST_SIDE: Final = 12
_MOST_CHANNELS: Final = 6
_MOST_BOXES: Final = 6
_RATIOS: Final = (0.5, 1.0, 2.0, 4.0)
_CELLS: Final = (1, 2, 4)
"""Cells of an output along an axis: their sizes are exact binary numbers."""
_SAMPLES: Final = (1, 2)
_MOST_CLASSES: Final = 4
_LARGEST_IMAGE: Final = 64
_DELTA: Final = 1.0
_DELTA_QUANTIZATION: Final = 1 / 64
_BESIDE: Final = 1.25
"""Height of the cells next to the top of a ridge, before it is tilted."""
_ACROSS: Final = (-0.5, -0.75, -0.9375)
"""Heights of the corners next to a ridge; the lower they are, the farther away its top is searched."""
_TILTS: Final = (0.125, 0.25, 0.375)
_GROUND: Final = 0.5
_HEIGHTS: Final = {_T.TENSOR_QUANT8_ASYMM: (1 / 64, 100), _T.TENSOR_QUANT8_ASYMM_SIGNED: (1 / 64, -28)}


def _side(draft: Draft) -> Axis:
    return Axis(most=min(_MOST_SIDE, draft.limits.most))


def _halves(draft: Draft) -> None:
    """Build ROI_ALIGN or ROI_POOLING of float16."""
    chooser, nchw = draft.chooser, draft.chooser.boolean()
    source = draft.input(image(_side(draft), _side(draft), Axis(most=_MOST_CHANNELS), nchw=nchw))
    batches, height, width, depth = to_nhwc(source.dimensions, nchw=nchw)
    cells = [chooser.pick(_CELLS) for _ in range(2)]
    count = chooser.integer(1, max(1, min(_MOST_BOXES, draft.limits.elements // (depth * cells[0] * cells[1]))))
    ratios = [chooser.pick(_RATIOS) for _ in range(2)]
    draft.given(draft.kind, _grid(draft, count, height, width) * (ratios[::-1] * 2), is_constant=False)
    draft.numbers(sorted(chooser.integer(0, batches - 1) for _ in range(count)))
    for size in cells:
        draft.number(size)
    for ratio in ratios:
        draft.given(draft.float_scalar, ratio)
    if draft.operation == _O.ROI_ALIGN:
        for _ in range(2):
            draft.number(chooser.pick(_SAMPLES))
    draft.truth(nchw)
    draft.output()


def _grid(draft: Draft, count: int, height: int, width: int) -> Array:
    """Return boxes [x1, y1, x2, y2] from cell to cell."""
    boxes = []
    for _ in range(count):
        ends = [sorted(draft.chooser.integer(0, size) for _ in range(2)) for size in (width, height)]
        boxes.append([end[place] for place in range(2) for end in ends])
    return np.array(boxes, np.float64)


def _half_keypoints(draft: Draft) -> None:
    """Build maps in which one cell is so much larger that no rounding moves the maximum."""
    chooser, nchw = draft.chooser, draft.chooser.boolean()
    batches, depth = chooser.integer(1, 2), chooser.integer(1, 4)
    side = chooser.integer(2, min(_MOST_SIDE, int((draft.limits.elements // (batches * depth)) ** 0.5)))
    maps = reals(chooser, (batches, depth, side * side), 1.0)
    for place in np.ndindex(batches, depth):
        maps[place][chooser.integer(0, side * side - 1)] = 2.0
    _found(draft, maps.reshape(batches, depth, side, side), nchw=nchw)


def _ridges(draft: Draft) -> None:
    """Build maps whose largest cell lies on a ridge through two corners: the parabola's top may be cells away."""
    chooser, nchw = draft.chooser, draft.chooser.boolean()
    batches, depth = chooser.integer(1, 2), chooser.integer(1, 4)
    side = chooser.integer(3, max(3, min(_MOST_SIDE, int((draft.limits.elements // (batches * depth)) ** 0.5))))
    maps = _on_grid(reals(chooser, (batches, depth, side, side), _GROUND))
    for place in np.ndindex(batches, depth):
        row, column = (chooser.integer(1, side - 2) for _ in range(2))
        maps[place][row - 1 : row + 2, column - 1 : column + 2] = _ridge(chooser)
    _found(draft, maps, nchw=nchw)


def _ridge(chooser: Chooser) -> Array:
    """Return the cells around the largest one."""
    (x, y), low = (chooser.pick(_TILTS) * chooser.pick((-1, 1)) for _ in range(2)), chooser.pick(_ACROSS)
    cells = np.array([[1.875, _BESIDE - y, low], [_BESIDE - x, 2.0, _BESIDE + x], [low, _BESIDE + y, 1.875]])
    return cells if chooser.boolean() else cells[:, ::-1]


def _found(draft: Draft, maps: Array, *, nchw: bool) -> None:
    """Add the given maps, [batches, keypoints, side, side], and all further operands of HEATMAP_MAX_KEYPOINT."""
    batches, _, side, _ = maps.shape
    shaped = maps if nchw else maps.transpose(0, 2, 3, 1)
    if draft.is_quantized:
        scale, zero_point = _HEIGHTS[draft.kind]
        draft.given(draft.kind, (shaped / scale).astype(np.int64) + zero_point, (scale, zero_point), is_constant=False)
    else:
        draft.given(draft.kind, shaped, is_constant=False)
    boxes(draft, _grid(draft, batches, side, side))
    draft.truth(nchw)
    draft.same(draft.inputs[0], reach=UNBOUNDED, connects=False)
    draft.same(draft.inputs[1], reach=UNBOUNDED, connects=False)


def _on_grid(values: Array) -> Array:
    """Return numbers that codes and float16 hold exactly."""
    steps: Array = np.round(values * 64)
    return steps / 64


def _transform(draft: Draft) -> None:
    """Build regions in images of different sizes; some boxes are clipped."""
    chooser = draft.chooser
    count, classes, images = chooser.integer(1, _MOST_BOXES), chooser.integer(1, _MOST_CLASSES), chooser.integer(1, 3)
    sizes = np.array([[chooser.integer(8, _LARGEST_IMAGE) for _ in range(2)] for _ in range(images)], np.float64)
    places = sorted(chooser.integer(0, images - 1) for _ in range(count))
    regions = np.concatenate([_grid(draft, 1, int(sizes[place][0]), int(sizes[place][1])) for place in places])
    deltas = reals(chooser, (count, 4 * classes), _DELTA)
    kind = _T.TENSOR_QUANT16_ASYMM if draft.is_quantized else draft.kind
    boxes(draft, regions)
    if draft.is_quantized:
        zero_point = 0 if draft.kind == _T.TENSOR_QUANT8_ASYMM_SIGNED else 128
        codes = np.round(deltas / _DELTA_QUANTIZATION).astype(np.int64) + zero_point
        draft.given(draft.kind, codes, (_DELTA_QUANTIZATION, zero_point), is_constant=False)
    else:
        draft.given(draft.kind, deltas, is_constant=False)
    draft.numbers(places)
    boxes(draft, sizes)
    quantization = BOX_QUANTIZATION if draft.is_quantized else None
    draft.output(kind, quantization=quantization, reach=float(_LARGEST_IMAGE), connects=False)


def boxes(draft: Draft, values: Array) -> None:
    """Return an input of coordinates; it has 16-bit codes if the tensor has 8-bit codes."""
    if draft.is_quantized:
        codes = np.round(values / BOX_QUANTIZATION[0]).astype(np.int64)
        draft.given(_T.TENSOR_QUANT16_ASYMM, codes, BOX_QUANTIZATION, is_constant=False)
    else:
        draft.given(draft.kind, values, is_constant=False)


_FURTHER: Final = (
    *(
        signature
        for operation in (_O.ROI_ALIGN, _O.ROI_POOLING)
        for signature in further(operation, _halves, (4,), variant="float16", where=_FLOAT16)
    ),
    *further(_O.HEATMAP_MAX_KEYPOINT, _half_keypoints, (4,), variant="float16", where=_FLOAT16),
    *further(_O.HEATMAP_MAX_KEYPOINT, _ridges, (4,), variant="ridge"),
    *further(_O.AXIS_ALIGNED_BBOX_TRANSFORM, _transform, (2,)),
)

SIGNATURES: Final = (*_OF_CTS, *_FURTHER)
