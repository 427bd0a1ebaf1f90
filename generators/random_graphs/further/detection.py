"""BOX_WITH_NMS_LIMIT, DETECTION_POSTPROCESSING, GENERATE_PROPOSALS: boxes chosen by score and overlap.

Scores are distinct multiples of a step, and thresholds lie half a step beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from nnvet.generators.graphs.model import Array
from nnvet.generators.random_graphs.chooser import shuffled
from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.further.decided import Operands, first_decided
from nnvet.generators.random_graphs.further.values import reals
from nnvet.generators.random_graphs.operands import DraftOperand
from nnvet.generators.random_graphs.signature import OperationSignature, further
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.boxes import BOX_QUANTIZATION

_T = OperandType
_O = OperationType
_STEP: Final = 1 / 128
"""Of scores, which are below 1."""
_STEPS: Final = 127
_CELL: Final = 16.0
"""Boxes of one cell of the image overlap, those of different ones do not."""
_SIDE: Final = 8.0
_SHIFTS: Final = 4
_SCORE_QUANTIZATION: Final = {_T.TENSOR_QUANT8_ASYMM: (_STEP, 0), _T.TENSOR_QUANT8_ASYMM_SIGNED: (_STEP, -128)}
_DELTA_STEP: Final = 1 / 64
_ANCHORS, _IMAGES = 2, 3
"""Places of the coordinates of GENERATE_PROPOSALS."""
_HARD, _LINEAR, _GAUSSIAN = range(3)


def scores(draft: Draft, dimensions: tuple[int, ...]) -> Array:
    """Distinct scores."""
    count = int(np.prod(dimensions))
    steps = shuffled(draft.chooser, range(1, _STEPS))[:count]
    return np.array(steps, np.float64).reshape(dimensions) * _STEP


def beside(draft: Draft, low: float, high: float) -> float:
    """A threshold between two possible scores."""
    return (draft.chooser.integer(int(low / _STEP), int(high / _STEP)) + 0.5) * _STEP


def _deltas(draft: Draft, dimensions: tuple[int, ...], limit: float) -> Array:
    """Numbers that codes and float16 hold exactly."""
    steps: Array = np.round(reals(draft.chooser, dimensions, limit) / _DELTA_STEP)
    return steps * _DELTA_STEP


def _boxes(draft: Draft, count: int, *, apart: bool) -> Array:
    """Boxes [x1, y1, x2, y2], some of them in one cell of the image, or each in its own."""
    chooser, boxes = draft.chooser, []
    for number in range(count):
        cell = number if apart else chooser.integer(0, max(0, count // 2))
        left, top = _CELL * (cell % 8), _CELL * (cell // 8)
        if not apart:
            left += chooser.integer(0, _SHIFTS)
            top += chooser.integer(0, _SHIFTS)
        boxes.append((left, top, left + _SIDE, top + _SIDE))
    return np.array(boxes)


def _limited(draft: Draft) -> None:
    """Boxes for each class; without any that overlap the kernel makes no difference."""
    chooser = draft.chooser
    rois, classes, images = chooser.integer(2, 8), chooser.integer(2, 4), chooser.integer(1, 3)
    batches = sorted(chooser.integer(0, images - 1) for _ in range(rois))
    kernel = chooser.pick((_HARD, _LINEAR, _GAUSSIAN))
    most = chooser.pick((-1, chooser.integer(1, rois)))

    def make(apart: bool) -> Operands:  # noqa: FBT001 - asked for by the caller
        boxes = np.concatenate([_boxes(draft, rois, apart=apart) for _ in range(classes)], axis=1)
        return (
            (_T.TENSOR_FLOAT32, scores(draft, (rois, classes))),
            (_T.TENSOR_FLOAT32, boxes),
            (_T.TENSOR_INT32, batches),
            (_T.FLOAT32, 0.5 * _STEP if apart else beside(draft, 0.0, 0.4)),
            (_T.INT32, -1 if apart else most),
            (_T.INT32, kernel),
            (_T.FLOAT32, 0.5 if apart else chooser.pick((0.3, 0.45, 0.6))),
            (_T.FLOAT32, chooser.pick((0.5, 1.0))),
            # Above 0: otherwise what is suppressed comes last, with a score of 0, in no order.
            (_T.FLOAT32, 0.5 * _STEP if apart else beside(draft, 0.0, 0.2)),
        )

    integers = (_T.TENSOR_INT32, _T.TENSOR_INT32)
    _add(draft, first_decided(make, draft.operation, (_T.TENSOR_FLOAT32, _T.TENSOR_FLOAT32, *integers)), (1,))


def _detections(draft: Draft) -> None:
    chooser = draft.chooser
    batches, count, classes = chooser.integer(1, 3), chooser.integer(2, 8), chooser.integer(2, 4)
    regular, length = chooser.boolean(), chooser.integer(4, 6)
    limits = chooser.integer(1, 6), chooser.integer(1, classes), chooser.integer(1, 4)

    def make(apart: bool) -> Operands:  # noqa: FBT001 - asked for by the caller
        anchors = _boxes(draft, count, apart=apart)
        centred = np.concatenate([(anchors[:, :2] + anchors[:, 2:]) / 2, anchors[:, 2:] - anchors[:, :2]], axis=1)
        return (
            (_T.TENSOR_FLOAT32, np.stack([scores(draft, (count, classes)) for _ in range(batches)])),
            (_T.TENSOR_FLOAT32, _deltas(draft, (batches, count, length), 0.5)),
            (_T.TENSOR_FLOAT32, centred),
            *((_T.FLOAT32, chooser.pick((4.0, 5.0, 10.0))) for _ in range(4)),
            (_T.BOOL, regular),
            *((_T.INT32, limit) for limit in limits),
            (_T.FLOAT32, 0.5 * _STEP if apart else beside(draft, 0.0, 0.4)),
            (_T.FLOAT32, 0.5 if apart else chooser.pick((0.3, 0.45, 0.6))),
            (_T.BOOL, chooser.boolean()),
        )

    outputs = (_T.TENSOR_FLOAT32, _T.TENSOR_FLOAT32, _T.TENSOR_INT32, _T.TENSOR_INT32)
    _add(draft, first_decided(make, draft.operation, outputs), ())


def _proposals(draft: Draft) -> None:
    """Anchors at every place of a small map; the largest image that codes of 16 bits reach has 8191 cells."""
    chooser = draft.chooser
    batches, height, width, kinds = (chooser.integer(1, most) for most in (2, 3, 3, 3))
    nchw, stride = chooser.boolean(), float(chooser.pick((4, 8)))
    limits = chooser.integer(0, height * width * kinds), chooser.pick((-1, chooser.integer(1, 6)))

    def make(apart: bool) -> Operands:  # noqa: FBT001 - asked for by the caller
        distance = _CELL if apart else stride
        sizes = [[_SIDE + chooser.integer(0, 4) for _ in range(2)] for _ in range(kinds)]
        shift = _CELL * 4 if apart else 1.0
        anchors = np.array([[shift * n, 0.0, shift * n + w, h] for n, (w, h) in enumerate(sizes)])
        deltas = _deltas(draft, (batches, height, width, 4 * kinds), 0.01 if apart else 0.4)
        values = np.stack([scores(draft, (height, width, kinds)) for _ in range(batches)])
        extent = [
            [shift * kinds + distance * max(height, width) + 4 * _CELL + n for _ in range(2)] for n in range(batches)
        ]
        return (
            (_T.TENSOR_FLOAT32, _laid_out(values, nchw=nchw)),
            (_T.TENSOR_FLOAT32, _laid_out(deltas, nchw=nchw)),
            (_T.TENSOR_FLOAT32, anchors),
            (_T.TENSOR_FLOAT32, extent),
            (_T.FLOAT32, distance),
            (_T.FLOAT32, distance),
            (_T.INT32, 0 if apart else limits[0]),
            (_T.INT32, limits[1]),
            (_T.FLOAT32, 0.5 if apart else chooser.pick((0.3, 0.45, 0.6))),
            (_T.FLOAT32, 1.0),
            (_T.BOOL, nchw),
        )

    outputs = (_T.TENSOR_FLOAT32, _T.TENSOR_FLOAT32, _T.TENSOR_INT32)
    _add(draft, first_decided(make, draft.operation, outputs), (_ANCHORS, _IMAGES))


def _laid_out(values: Array, *, nchw: bool) -> Array:
    return values.transpose(0, 3, 1, 2) if nchw else values


def _add(draft: Draft, decided: tuple[Operands, Sequence[Array]], coordinates: Sequence[int]) -> None:
    """Add operands in the primary type, those at ``coordinates`` as boxes, and outputs of the sizes decided."""
    operands, results = decided
    for place, (kind, value) in enumerate(operands):
        if kind == _T.TENSOR_FLOAT32:
            _real(draft, place, value, is_box=place in coordinates)
        elif kind == _T.FLOAT32:
            draft.given(draft.float_scalar, value)
        else:
            draft.given(kind, value)
    first = draft.inputs[0]
    for place, result in enumerate(results):
        if result.dtype.kind != "f":
            output = draft.output(_T.TENSOR_INT32, quantization=(0.0, 0), reach=float("inf"), connects=False)
        elif place == 0:
            output = draft.same(first, connects=False)
        else:
            kind = _T.TENSOR_QUANT16_ASYMM if draft.is_quantized else draft.kind
            quantization = BOX_QUANTIZATION if draft.is_quantized else None
            output = draft.output(kind, quantization=quantization, reach=float("inf"), connects=False)
        output.dimensions = result.shape


def _real(draft: Draft, place: int, value: Any, *, is_box: bool) -> DraftOperand:
    """Numbers in the primary type; codes of scores are exact."""
    if not draft.is_quantized:
        return draft.given(draft.kind, value, is_constant=False)
    array = np.asarray(value)
    if is_box:
        kind, scale, zero_point = _T.TENSOR_QUANT16_ASYMM, *BOX_QUANTIZATION
        if draft.operation == _O.GENERATE_PROPOSALS and place == _ANCHORS:
            kind = _T.TENSOR_QUANT16_SYMM
    elif place == 0:
        kind, (scale, zero_point) = draft.kind, _SCORE_QUANTIZATION[draft.kind]
    else:
        kind, scale, zero_point = draft.kind, _DELTA_STEP, _SCORE_QUANTIZATION[draft.kind][1] + 128
    codes = np.round(array / scale).astype(np.int64) + zero_point
    return draft.given(kind, codes, (scale, zero_point), is_constant=False)


SIGNATURES: Final[tuple[OperationSignature, ...]] = (
    *further(_O.BOX_WITH_NMS_LIMIT, _limited, (2,)),
    *further(_O.DETECTION_POSTPROCESSING, _detections, (3,)),
    *further(_O.GENERATE_PROPOSALS, _proposals, (4,)),
)
