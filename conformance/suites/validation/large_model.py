"""Suite ``TestValidateModel`` and checks of huge sizes.

``TestValidateModel``: a large valid model is accepted, a quantised detection network for pictures of any size, with
backbone, proposals, boxes and key points (:func:`detection_model`). It is only validated and prepared, so all weights
are zero. Source: docs/contract/cts-tests.md 2.20.

Models and requests whose sizes overflow 32 bits must fail with an error, never with a crash or a wrong result. Source:
docs/contract/cts-tests.md 2.2 (convTooLarge) and 4.3 (DimensionProductOverflow, DimensionProductOverflow2). Other wrong
models are in :mod:`nnvet.conformance.suites.validation.models`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.executing import EXECUTORS, Answer, Executor, TestConfig, basic_config, execute
from nnvet.conformance.kit.handmade import check_exactly, prepare_test
from nnvet.conformance.kit.invalid_requests import REFUSED, check_every_executor, try_requests
from nnvet.conformance.kit.outcome import Outcome, fail, passed
from nnvet.conformance.kit.preparing import built_model, open_request, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.mutations.requests import RequestMutant
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel
from nnvet.hal.types import ErrorStatus, FeatureLevel, OperandType, OperationType, Request

_T, _O = OperandType, OperationType
_QUANT8, _BOXES, _INT32, _FLOAT = _T.TENSOR_QUANT8_ASYMM, _T.TENSOR_QUANT16_ASYMM, _T.INT32, _T.FLOAT32
_SCALE, _ZERO = 0.0625, 128
_WEIGHT_SCALE = 0.0078125
"""Scale of all weights."""
_BOX_SCALE = 0.125
"""Scale of boxes, in pixels; the contract prescribes 1/8."""
_SAME = 1
"""Padding scheme with which the output of stride 1 is as large as the image."""
_RELU6 = 3
"""Code of the fused activation."""
_BLOCKS = ((16, 1), (24, 2), (24, 1), (32, 2), (32, 1), (32, 1), (64, 2), (64, 1), (64, 1), (64, 1))
"""Channels and stride of each block of the backbone."""
_ANCHORS, _CLASSES, _KEY_POINTS = 15, 81, 17
_DOWN = 16.0
"""Pixels of the picture for each cell of the features: the first layer and three blocks each halve the picture."""


class _Network:
    """Builds the graph; tensors are operand indexes, and their channels are given beside them."""

    def __init__(self) -> None:
        self.graph = GraphBuilder()

    def ints(self, *values: int) -> tuple[int, ...]:
        """Add constant INT32 scalars."""
        return tuple(self.graph.scalar(_INT32, value) for value in values)

    def floats(self, *values: float) -> tuple[int, ...]:
        """Add constant FLOAT32 scalars."""
        return tuple(self.graph.scalar(_FLOAT, value) for value in values)

    def nhwc(self) -> tuple[int, ...]:
        """Return the operand of the layout NHWC."""
        return (self.graph.scalar(_T.BOOL, 0),)

    def tensor(self, *dimensions: int, scale: float = _SCALE, zero: int = _ZERO) -> int:
        """Add a quantised temporary."""
        return self.graph.temporary(_QUANT8, dimensions, scale, zero)

    def weights(self, *dimensions: int) -> tuple[int, int]:
        """Add weights, with a bias for each index of the first dimension, or of the last if the first is 1."""
        channels = dimensions[0] if dimensions[0] > 1 else dimensions[-1]
        weights = self.graph.constant(_QUANT8, dimensions, np.full(dimensions, _ZERO), _WEIGHT_SCALE, _ZERO)
        bias = self.graph.constant(_T.TENSOR_INT32, (channels,), np.zeros(channels), _SCALE * _WEIGHT_SCALE)
        return weights, bias

    def convolution(
        self, given: int, shape: tuple[int, int, int, int], stride: int = 1, act: int = 0, n: int = 1
    ) -> int:
        """Add CONV_2D with filters of ``shape``, of ``n`` pictures (0: any number)."""
        output = self.tensor(n, 0, 0, shape[0])
        inputs = (given, *self.weights(*shape), *self.ints(_SAME, stride, stride, act))
        return self.graph.operation(_O.CONV_2D, inputs, output)

    def depthwise(self, given: int, channels: int, stride: int) -> int:
        """Add DEPTHWISE_CONV_2D of 3 by 3."""
        inputs = (given, *self.weights(1, 3, 3, channels), *self.ints(_SAME, stride, stride, 1, _RELU6))
        return self.graph.operation(_O.DEPTHWISE_CONV_2D, inputs, self.tensor(1, 0, 0, channels))

    def connected(self, given: int, units: int, size: int) -> int:
        """Add FULLY_CONNECTED."""
        inputs = (given, *self.weights(units, size), *self.ints(_RELU6))
        return self.graph.operation(_O.FULLY_CONNECTED, inputs, self.tensor(0, units))

    def aligned(self, features: int, boxes: int, batch: int, size: int, channels: int) -> int:
        """Add ROI_ALIGN to ``size`` by ``size``."""
        inputs = (
            features,
            boxes,
            batch,
            *self.ints(size, size),
            *self.floats(_DOWN, _DOWN),
            *self.ints(2, 2),
            *self.nhwc(),
        )
        return self.graph.operation(_O.ROI_ALIGN, inputs, self.tensor(0, size, size, channels))


def detection_model() -> TestModel:
    """Return the network; height, width and the number of detections are unknown."""
    net = _Network()
    image = net.graph.input(_QUANT8, (1, 0, 0, 3), None, _SCALE, _ZERO)
    info = net.graph.input(_BOXES, (1, 2), None, _BOX_SCALE)
    features, channels = _add_backbone(net, image)
    rois, batch = _add_proposals(net, features, channels, info)
    boxes, box_batch = _add_detections(net, features, channels, rois, batch, info)
    _add_key_points(net, features, channels, boxes, box_batch)
    return net.graph.finish("detection", FeatureLevel.FL3)


def _add_backbone(net: _Network, image: int) -> tuple[int, int]:
    """Add the layers that compute features of the picture; return the features and their channels."""
    known = 16
    features = net.convolution(image, (known, 3, 3, 3), stride=2, act=_RELU6)
    for channels, stride in _BLOCKS:
        wide = net.convolution(features, (6 * known, 1, 1, known), act=_RELU6)
        thin = net.convolution(net.depthwise(wide, 6 * known, stride), (channels, 1, 1, 6 * known))
        if stride == 1 and channels == known:
            thin = net.graph.operation(_O.ADD, (features, thin, *net.ints(0)), net.tensor(1, 0, 0, channels))
        features, known = thin, channels
    return features, known


def _add_proposals(net: _Network, features: int, channels: int, info: int) -> tuple[int, int]:
    """Add proposals: boxes that may contain an object, and the picture of each."""
    hidden = net.convolution(features, (channels, 3, 3, channels), act=_RELU6)
    logits = net.convolution(hidden, (_ANCHORS, 1, 1, channels))
    scores = net.graph.operation(_O.LOGISTIC, (logits,), net.tensor(1, 0, 0, _ANCHORS, scale=1 / 256, zero=0))
    deltas = net.convolution(hidden, (4 * _ANCHORS, 1, 1, channels))
    anchors = net.graph.constant(_T.TENSOR_QUANT16_SYMM, (_ANCHORS, 4), np.zeros((_ANCHORS, 4)), _BOX_SCALE)
    rois = net.graph.temporary(_BOXES, (0, 4), _BOX_SCALE)
    batch = net.graph.temporary(_T.TENSOR_INT32, (0,))
    strides, counts, limits = net.floats(_DOWN, _DOWN), net.ints(1000, 100), net.floats(0.7, 0.0)
    inputs = (scores, deltas, anchors, info, *strides, *counts, *limits, *net.nhwc())
    net.graph.operation(_O.GENERATE_PROPOSALS, inputs, net.tensor(0, scale=1 / 256, zero=0), rois, batch)
    return rois, batch


def _add_detections(net: _Network, features: int, channels: int, rois: int, batch: int, info: int) -> tuple[int, int]:
    """Add detections: boxes that contain an object, and the picture of each; both are outputs, too."""
    pooled = net.aligned(features, rois, batch, 6, channels)
    hidden = net.connected(net.connected(pooled, 128, 36 * channels), 128, 128)
    logits = net.connected(hidden, _CLASSES, 128)
    softmax = (logits, *net.floats(1.0))
    scores = net.graph.operation(_O.SOFTMAX, softmax, net.tensor(0, _CLASSES, scale=1 / 256, zero=0))
    deltas = net.connected(hidden, 4 * _CLASSES, 128)
    moved = net.graph.temporary(_BOXES, (0, 4 * _CLASSES), _BOX_SCALE)
    net.graph.operation(_O.AXIS_ALIGNED_BBOX_TRANSFORM, (rois, deltas, batch, info), moved)
    best = net.graph.output(_QUANT8, (0,), None, 1 / 256)
    boxes = net.graph.output(_BOXES, (0, 4), None, _BOX_SCALE)
    classes, where = (net.graph.output(_T.TENSOR_INT32, (0,), None) for _ in range(2))
    limits = (*net.floats(0.05), *net.ints(100, 0), *net.floats(0.5, 1.0, 0.05))
    net.graph.operation(_O.BOX_WITH_NMS_LIMIT, (scores, moved, batch, *limits), best, boxes, classes, where)
    return boxes, where


def _add_key_points(net: _Network, features: int, channels: int, boxes: int, batch: int) -> None:
    """Add the layers that find the key points of each detected box; scores and positions are outputs."""
    heatmap = net.aligned(features, boxes, batch, 14, channels)
    for _ in range(4):
        heatmap = net.convolution(heatmap, (channels, 3, 3, channels), act=_RELU6, n=0)
    heatmap = net.convolution(heatmap, (_KEY_POINTS, 1, 1, channels), n=0)
    scores = net.graph.output(_QUANT8, (0, _KEY_POINTS), None, _SCALE, _ZERO)
    points = net.graph.output(_BOXES, (0, _KEY_POINTS, 2), None, _BOX_SCALE)
    net.graph.operation(_O.HEATMAP_MAX_KEYPOINT, (heatmap, boxes, *net.nhwc()), scores, points)


@check("TestValidateModel", "MaskRCNN2Go", rules=("prepare/valid", "prepare/supported"), level=3)
def detection(subject: Subject, _: None) -> None:
    """A quantised detection network for pictures of unknown size is valid; a driver that supports it prepares it."""
    with built_model(detection_model(), subject.feature_level) as model:
        prepare_valid(subject, model)


_RULE: Final = "execution/oversized"
"""Rule of a driver that answers a request that is too large with a wrong status or a wrong result."""
_TOO_LARGE: Final = (
    ErrorStatus.GENERAL_FAILURE,
    ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT,
    ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT,
)
"""Statuses of a request that is too large for the driver."""

_VALID_PADDING: Final = 2
"""Padding scheme without padding."""
_NOTHING: Final = 128
"""Zero point of the convolution: the code of the number 0."""
_RESULT: Final = 10
"""Zero point, and so expected code, of its output."""
_WIDE: Final = 1 << 16
"""Rows of both factors of the product: 2^16, so that the output has 2^32 elements."""


def _build_large_convolution() -> TestModel:
    """Return a convolution whose patches have more than 2^31 bytes together; its input is all zero."""
    graph, kind = GraphBuilder(), OperandType.TENSOR_QUANT8_ASYMM
    picture, filters, output = (12, 104, 104, 128), (128, 13, 13, 128), (12, 92, 92, 128)
    weights = (np.arange(np.prod(filters)) % 251).astype(np.uint8)
    inputs = (
        graph.input(kind, picture, np.full(picture, _NOTHING), 0.5, _NOTHING),
        graph.shared(kind, filters, weights, 0.5, _NOTHING),
        graph.shared(OperandType.TENSOR_INT32, (filters[0],), np.zeros(filters[0]), 0.25),
        *(graph.scalar(OperandType.INT32, value) for value in (_VALID_PADDING, 1, 1, 0)),
    )
    graph.operation(OperationType.CONV_2D, inputs, graph.output(kind, output, np.full(output, _RESULT), 1.0, _RESULT))
    return graph.finish("large_convolution")


def _build_wide_product() -> TestModel:
    """Return a column of 2^16 numbers times 2^16 weights: 2^32 products, whose dimensions the model omits."""
    graph, kind = GraphBuilder(), OperandType.TENSOR_FLOAT32
    ones = np.ones((_WIDE, 1), np.float32)
    inputs = (
        graph.input(kind, (_WIDE, 1), ones),
        graph.input(kind, (_WIDE, 1), ones),
        graph.input(kind, (_WIDE,), ones),
        graph.scalar(OperandType.INT32, 0),
    )
    graph.operation(OperationType.FULLY_CONNECTED, inputs, graph.output(kind, (0, 0), ones))
    return graph.finish("wide_product")


def _build_nine_dimensions() -> TestModel:
    """Return a model of rank 9 in which only two dimensions will be unknown."""
    graph, kind, ones = GraphBuilder(), OperandType.TENSOR_FLOAT32, np.ones(_SMALL)
    graph.operation(OperationType.ABS, (graph.input(kind, _SMALL, ones),), graph.output(kind, _SMALL, ones))
    return graph.finish("nine_dimensions", FeatureLevel.FL3)


_DYNAMIC: Final = {name: executor for name, executor in EXECUTORS.items() if executor is not Executor.FENCED}
"""Configurations for outputs of unknown size, which fenced executions do not accept."""

_HUGE: Final = (5, 4, 4, 786433, 5, 3, 16777216, 4, 5)
"""Dimensions whose product exceeds 32 bits, and with the size of an element 64 bits."""
_OPEN: Final = (5, 4, 4, 0, 5, 3, 0, 4, 5)
"""The dimensions in the model, two of them unknown."""
_SMALL: Final = (5, 4, 4, 1, 5, 3, 1, 4, 5)
"""Valid dimensions of a request."""


@check("MemoryLeakTest", "convTooLarge", rules=(_RULE, "execution/output.value"))
def large_convolution(subject: Subject, _: None) -> Outcome:
    """A convolution with more than 2^31 intermediate bytes is right, or ends with an error."""
    test = _build_large_convolution()
    config = basic_config(subject)
    prepared = prepare_test(subject, test, config)
    with open_request(test) as packed:
        (answer,) = execute(prepared, packed.request, config, subject.timeout_s)
        if answer.status is ErrorStatus.NONE:
            check_exactly(packed.output_arrays(test.main.outputs), test)
        else:
            _check_failure(answer, _TOO_LARGE)
    return passed(status=answer.status.name, driver_message=answer.message)


@check(
    "TestValidation",
    "DimensionProductOverflow2/DynamicOutputShapeOverflow",
    rules=(_RULE,),
    level=3,
    parameters=lambda: _DYNAMIC,
)
def wide_product(subject: Subject, executor: Executor) -> None:
    """An output whose size is found in the execution, and exceeds 32 bits, ends with an error."""
    test = _build_wide_product()
    config = TestConfig(executor)
    prepared = prepare_test(subject, test, config)
    with open_request(test) as packed:
        for answer in execute(prepared, packed.request, config, subject.timeout_s):
            _check_failure(answer, (*_TOO_LARGE, ErrorStatus.OUTPUT_INSUFFICIENT_SIZE))


def _check_failure(answer: Answer, statuses: tuple[ErrorStatus, ...]) -> None:
    """Check that an execution ends with one of the statuses."""
    if answer.status not in statuses:
        expected = ", ".join(status.name for status in statuses)
        reason = f"status {answer.status.name} for a result that does not fit, expected one of {expected}"
        raise fail(_RULE, reason, status=answer.status.name, driver_message=answer.message)


@check(
    "TestValidation",
    "DimensionProductOverflow/SetInputOrOutput",
    rules=REFUSED,
    level=3,
)
def huge_dimensions(subject: Subject, _: None) -> None:
    """A request whose dimensions have a product of more than 32 bits is refused."""
    test = _build_nine_dimensions()
    with built_model(test, subject.feature_level) as model:
        operands = tuple(replace(operand, dimensions=_OPEN) for operand in model.main.operands)
        prepared = prepare_valid(subject, replace(model, main=replace(model.main, operands=operands)))
    with open_request(test) as packed:
        inputs, outputs = packed.request.inputs, packed.request.outputs
        request = Request(
            tuple(replace(argument, dimensions=_SMALL) for argument in inputs),
            tuple(replace(argument, dimensions=_SMALL) for argument in outputs),
            packed.request.pools,
        )
        check_every_executor(subject, prepared, test, request)
        mutants = [
            (
                f"DimensionProductOverflow of {side}",
                RequestMutant(
                    f"dimensions of the {side} are {_HUGE}",
                    replace(request, **{side: (replace(getattr(request, side)[0], dimensions=_HUGE),)}),
                ),
            )
            for side in ("inputs", "outputs")
        ]
        try_requests(subject, prepared, mutants)
