"""Signatures of operations that select boxes, on boxes for which the selection is certain.

Comparisons decide which boxes are suppressed and in which order they come. So random boxes are kept only if the oracle
selects the same ones from slightly different numbers; otherwise boxes that lie apart are taken. Scores are distinct
multiples of a step, and thresholds lie half a step beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from nnvet.generators.random_graphs.chooser import Chooser, SeededChooser, shuffled
from nnvet.generators.random_graphs.draft import Draft, DraftOperand
from nnvet.generators.random_graphs.families.values import reals
from nnvet.generators.random_graphs.signature import OperationSignature, further
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.hal_model import build_model
from nnvet.graphs.model import Array
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.detection import BOX_QUANTIZATION, GAUSSIAN, HARD, LINEAR
from nnvet.oracle.execution import evaluate

_T = OperandType
_ATTEMPTS: Final = 3
_OFF: Final = (0.004, -0.004)
"""Relative errors, larger than those of float16 and of quantisation."""
_SAME: Final = 0.05
"""Results that differ by less, relative to the largest one, come from the same selection of boxes."""

Operands = Sequence[tuple[OperandType, Any]]
"""Types and values of the inputs of an operation, floats as float32."""


def chosen(operation: int, operands: Operands, outputs: Sequence[OperandType]) -> list[Array] | None:
    """Return the oracle's choices, or None if slightly different numbers may give other choices."""
    results = _evaluated(operation, operands, outputs)
    if any(not result.size for result in results):
        return None
    for number, error in enumerate(_OFF):
        others = _evaluated(
            operation, [(kind, _moved(kind, value, error, number)) for kind, value in operands], outputs
        )
        if not all(map(_alike, results, others)):
            return None
    return results


def first_decided(
    make: Callable[[bool], Operands], operation: int, outputs: Sequence[OperandType]
) -> tuple[Operands, list[Array]]:
    """Return operands for which the selection is certain, and the results; ``make(True)`` has to return such operands.

    :raises ValueError: the selection is not certain for the operands of ``make(True)`` either.
    """
    for attempt in range(_ATTEMPTS + 1):
        operands = make(attempt == _ATTEMPTS)
        results = chosen(operation, operands, outputs)
        if results is not None:
            return operands, results
    raise ValueError(f"boxes that lie apart leave open what operation {operation} chooses")


def _moved(kind: OperandType, value: Any, error: float, number: int) -> Any:
    """Return slightly changed floats; neighbouring elements are changed in opposite directions."""
    if kind == _T.FLOAT32:
        return value * (1 + error)
    if kind != _T.TENSOR_FLOAT32:
        return value
    array = np.asarray(value, np.float64)
    signs = np.where((np.arange(array.size) + number) % 2, 1.0, -1.0).reshape(array.shape)
    return array * (1 + error * signs)


def _alike(result: Array, other: Array) -> bool:
    if result.shape != other.shape:
        return False
    if result.dtype.kind != "f":
        return bool(np.array_equal(result, other))
    largest = float(np.abs(result).max(initial=0.0))
    return bool(np.abs(result - other).max(initial=0.0) <= _SAME * largest)


def _evaluated(operation: int, operands: Operands, outputs: Sequence[OperandType]) -> list[Array]:
    graph = GraphBuilder()
    inputs = [graph.constant(kind, np.shape(value), value) for kind, value in operands]
    results = [graph.output(kind, (0,), None) for kind in outputs]
    graph.operation(operation, tuple(inputs), *results)
    return evaluate(build_model(graph.finish("chosen")), [])


_O = OperationType
_STEP: Final = 1 / 128
"""Step between scores, which are below 1."""
_STEPS: Final = 127
_CELL: Final = 16.0
"""Boxes in one cell of the image overlap; boxes in different cells do not."""
_SIDE: Final = 8.0
_SHIFTS: Final = 4
_SCORE_QUANTIZATION: Final = {_T.TENSOR_QUANT8_ASYMM: (_STEP, 0), _T.TENSOR_QUANT8_ASYMM_SIGNED: (_STEP, -128)}
_DELTA_STEP: Final = 1 / 64
_ANCHORS, _IMAGES = 2, 3
"""Places of the coordinates of GENERATE_PROPOSALS."""
_OVERLAPS: Final = (0.3, 0.45, 0.6)
_CHOICES: Final = 40
"""Number of prepared selections for each operation."""


class _Choice(NamedTuple):
    """Inputs of an operation as real numbers, the indexes of those that are coordinates, and the boxes selected."""

    operands: Operands
    results: Sequence[Array]
    coordinates: Sequence[int] = ()


def _scores(chooser: Chooser, dimensions: tuple[int, ...]) -> Array:
    """Return distinct scores."""
    count = int(np.prod(dimensions))
    steps = shuffled(chooser, range(1, _STEPS))[:count]
    return np.array(steps, np.float64).reshape(dimensions) * _STEP


def _beside(chooser: Chooser, low: float, high: float) -> float:
    """Return a threshold between two possible scores."""
    return (chooser.integer(int(low / _STEP), int(high / _STEP)) + 0.5) * _STEP


def _deltas(chooser: Chooser, dimensions: tuple[int, ...], limit: float) -> Array:
    """Return numbers that codes and float16 hold exactly."""
    steps: Array = np.round(reals(chooser, dimensions, limit) / _DELTA_STEP)
    return steps * _DELTA_STEP


def _boxes(chooser: Chooser, count: int, *, apart: bool) -> Array:
    """Return boxes [x1, y1, x2, y2], some of them in one cell of the image, or each in its own."""
    boxes = []
    for number in range(count):
        cell = number if apart else chooser.integer(0, max(0, count // 2))
        left, top = _CELL * (cell % 8), _CELL * (cell // 8)
        if not apart:
            left += chooser.integer(0, _SHIFTS)
            top += chooser.integer(0, _SHIFTS)
        boxes.append((left, top, left + _SIDE, top + _SIDE))
    return np.array(boxes)


def _limited(chooser: Chooser) -> _Choice:
    """Return boxes for each class; without any that overlap the kernel makes no difference."""
    rois, classes, images = chooser.integer(2, 8), chooser.integer(2, 4), chooser.integer(1, 3)
    batches = sorted(chooser.integer(0, images - 1) for _ in range(rois))
    kernel = chooser.pick((HARD, LINEAR, GAUSSIAN))
    most = chooser.pick((-1, chooser.integer(1, rois)))

    def make(apart: bool) -> Operands:  # noqa: FBT001 - asked for by the caller
        boxes = np.concatenate([_boxes(chooser, rois, apart=apart) for _ in range(classes)], axis=1)
        return (
            (_T.TENSOR_FLOAT32, _scores(chooser, (rois, classes))),
            (_T.TENSOR_FLOAT32, boxes),
            (_T.TENSOR_INT32, batches),
            (_T.FLOAT32, 0.5 * _STEP if apart else _beside(chooser, 0.0, 0.4)),
            (_T.INT32, -1 if apart else most),
            (_T.INT32, kernel),
            (_T.FLOAT32, 0.5 if apart else chooser.pick(_OVERLAPS)),
            (_T.FLOAT32, chooser.pick((0.5, 1.0))),
            # Above 0: with 0, suppressed boxes would come last in no particular order.
            (_T.FLOAT32, 0.5 * _STEP if apart else _beside(chooser, 0.0, 0.2)),
        )

    outputs = (_T.TENSOR_FLOAT32, _T.TENSOR_FLOAT32, _T.TENSOR_INT32, _T.TENSOR_INT32)
    return _Choice(*first_decided(make, _O.BOX_WITH_NMS_LIMIT, outputs), (1,))


def _detections(chooser: Chooser) -> _Choice:
    """Return anchors, moved a little; some of them overlap."""
    batches, count, classes = chooser.integer(1, 3), chooser.integer(2, 8), chooser.integer(2, 4)
    regular, length = chooser.boolean(), chooser.integer(4, 6)
    limits = chooser.integer(1, 6), chooser.integer(1, classes), chooser.integer(1, 4)

    def make(apart: bool) -> Operands:  # noqa: FBT001 - asked for by the caller
        anchors = _boxes(chooser, count, apart=apart)
        centred = np.concatenate([(anchors[:, :2] + anchors[:, 2:]) / 2, anchors[:, 2:] - anchors[:, :2]], axis=1)
        return (
            (_T.TENSOR_FLOAT32, np.stack([_scores(chooser, (count, classes)) for _ in range(batches)])),
            (_T.TENSOR_FLOAT32, _deltas(chooser, (batches, count, length), 0.5)),
            (_T.TENSOR_FLOAT32, centred),
            *((_T.FLOAT32, chooser.pick((4.0, 5.0, 10.0))) for _ in range(4)),
            (_T.BOOL, regular),
            *((_T.INT32, limit) for limit in limits),
            (_T.FLOAT32, 0.5 * _STEP if apart else _beside(chooser, 0.0, 0.4)),
            (_T.FLOAT32, 0.5 if apart else chooser.pick(_OVERLAPS)),
            (_T.BOOL, chooser.boolean()),
        )

    outputs = (_T.TENSOR_FLOAT32, _T.TENSOR_FLOAT32, _T.TENSOR_INT32, _T.TENSOR_INT32)
    return _Choice(*first_decided(make, _O.DETECTION_POSTPROCESSING, outputs))


def _proposals(chooser: Chooser) -> _Choice:
    """Return anchors at every place of a small map."""
    batches, height, width, kinds = (chooser.integer(1, most) for most in (2, 3, 3, 3))
    nchw, stride = chooser.boolean(), float(chooser.pick((4, 8)))
    limits = chooser.integer(0, height * width * kinds), chooser.pick((-1, chooser.integer(1, 6)))

    def make(apart: bool) -> Operands:  # noqa: FBT001 - asked for by the caller
        distance, shift = (_CELL, 4 * _CELL) if apart else (stride, 1.0)
        sizes = [[_SIDE + chooser.integer(0, 4) for _ in range(2)] for _ in range(kinds)]
        anchors = np.array([[shift * n, 0.0, shift * n + w, h] for n, (w, h) in enumerate(sizes)])
        deltas = _deltas(chooser, (batches, height, width, 4 * kinds), 0.01 if apart else 0.4)
        values = np.stack([_scores(chooser, (height, width, kinds)) for _ in range(batches)])
        extent = shift * kinds + distance * max(height, width) + 4 * _CELL
        return (
            (_T.TENSOR_FLOAT32, _laid_out(values, nchw=nchw)),
            (_T.TENSOR_FLOAT32, _laid_out(deltas, nchw=nchw)),
            (_T.TENSOR_FLOAT32, anchors),
            (_T.TENSOR_FLOAT32, [[extent + n, extent + n] for n in range(batches)]),
            (_T.FLOAT32, distance),
            (_T.FLOAT32, distance),
            (_T.INT32, 0 if apart else limits[0]),
            (_T.INT32, limits[1]),
            (_T.FLOAT32, 0.5 if apart else chooser.pick(_OVERLAPS)),
            (_T.FLOAT32, 1.0),
            (_T.BOOL, nchw),
        )

    outputs = (_T.TENSOR_FLOAT32, _T.TENSOR_FLOAT32, _T.TENSOR_INT32)
    return _Choice(*first_decided(make, _O.GENERATE_PROPOSALS, outputs), (_ANCHORS, _IMAGES))


def _laid_out(values: Array, *, nchw: bool) -> Array:
    return values.transpose(0, 3, 1, 2) if nchw else values


_MAKERS: Final[dict[OperationType, Callable[[Chooser], _Choice]]] = {
    _O.BOX_WITH_NMS_LIMIT: _limited,
    _O.DETECTION_POSTPROCESSING: _detections,
    _O.GENERATE_PROPOSALS: _proposals,
}


@lru_cache(len(_MAKERS) * _CHOICES)
def _choice(operation: OperationType, number: int) -> _Choice:
    """Return one of the prepared choices, which models share, as finding one takes as long as a hundred operations."""
    return _MAKERS[operation](SeededChooser(f"{operation.name}/{number}"))


def _add(draft: Draft) -> None:
    """Add operands in the primary type, and outputs of the sizes that are decided."""
    operation = OperationType(draft.operation)
    operands, results, coordinates = _choice(operation, draft.chooser.integer(0, _CHOICES - 1))
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
    """Return numbers in the primary type; codes of scores are exact."""
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
    *further(_O.BOX_WITH_NMS_LIMIT, _add, (2,)),
    *further(_O.DETECTION_POSTPROCESSING, _add, (3,)),
    *further(_O.GENERATE_PROPOSALS, _add, (4,)),
)
