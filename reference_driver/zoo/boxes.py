"""Planted bugs of operations on boxes and heat maps that only special data show: saddles, limits of 0, no classes.

Each decorated function makes one wrong driver; :mod:`nnvet.reference_driver.zoo.registry` explains the decorator.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

import numpy as np
from msgspec.structs import replace

from nnvet.driver_kit.arrays import Array
from nnvet.hal.interfaces import Device
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import Model, OperationType, PrepareModelConfig
from nnvet.reference_driver.compiled import CompiledOperation
from nnvet.reference_driver.kernels.detection import empty_outputs
from nnvet.reference_driver.kernels.registry import Kernel
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, WrongKernels
from nnvet.reference_driver.zoo.registry import bug

_O = OperationType
_VALUE = ("execution/output.value",)
"""The rule that results must be right."""


def _keypoints(least: float, most: float) -> Device:
    """Make a driver that does not refine maxima whose determinant lies between ``least`` and ``most``."""

    def wrong(kernel: Kernel, call: Call) -> Array | tuple[Array, ...]:
        results = kernel(call)
        cells, boxes = call["heatmap"].array, call["boxes"].array
        if cells.shape != (1, 3, 3, 1) or not isinstance(results, tuple):
            return results
        g = cells[0, :, :, 0]
        xx, yy = g[1, 0] - 2 * g[1, 1] + g[1, 2], g[0, 1] - 2 * g[1, 1] + g[2, 1]
        xy = (g[2, 2] - g[2, 0] - g[0, 2] + g[0, 0]) / 4
        determinant = xx * yy - xy * xy
        if least < determinant < most:
            return np.full_like(results[0], g[1, 1]), (boxes[:, None, :2] + boxes[:, None, 2:]) / 2
        if abs(determinant) < 1e-5 * (1 + xx * yy):
            # The wrong kernel takes the longest step that is allowed, in the direction of the ridge.
            return results[0], results[1] + 1.5 * (boxes[:, None, 2:] - boxes[:, None, :2]) / 3
        return results

    return WrongKernels({_O.HEATMAP_MAX_KEYPOINT}, wrong)


@bug(
    "keypoint-saddle",
    "Maxima that are saddles of the surface through their neighbours are not refined.",
    rules=_VALUE,
    breaks=("*/boxes_saddle",),
    spares=("DynamicOutputShapeTest/*_insufficient*", "DynamicOutputShapeTest/fenced*", "TestCompliance/*"),
)
def keypoint_saddle() -> Device:
    """Compare the determinant itself instead of its magnitude."""
    return _keypoints(-np.inf, 1.5e-4)


@bug(
    "keypoint-ridge",
    "A determinant is small if it is below 1e-5, however curved the surface is.",
    rules=_VALUE,
    breaks=("*/boxes_ridge",),
    spares=("DynamicOutputShapeTest/*_insufficient*", "DynamicOutputShapeTest/fenced*", "TestCompliance/*"),
)
def keypoint_ridge() -> Device:
    """Compare the determinant alone, without the product of the second derivatives."""
    return _keypoints(-1e-5, 1e-5)


@bug(
    "proposals-zero-is-all",
    "A limit of 0 after suppression is none.",
    rules=("execution/status",),
    breaks=("*/boxes_no_proposals",),
    spares=("*/fenced*", "TestCompliance/*"),
)
def proposals_zero_is_all() -> Device:
    """Treat the limit after suppression like that before it, where 0 means no limit."""

    def unlimited(kernel: Kernel, call: Call) -> Array | tuple[Array, ...]:
        limit = call["post_nms_max"]
        if not limit.array.item():
            call.inputs["post_nms_max"] = replace(limit, value=np.array(-1, np.int32))
        return kernel(call)

    return WrongKernels({_O.GENERATE_PROPOSALS}, unlimited)


@bug(
    "boxes-no-classes",
    "Scores of no class are taken, and nothing is found.",
    rules=("execution/expected_failure",),
    breaks=("*/boxes_no_classes",),
)
def boxes_no_classes() -> Device:
    """Accept scores without a class, which have to be refused."""

    def empty(kernel: Kernel, call: Call) -> Array | tuple[Array, ...]:
        return kernel(call) if call["scores"].dimensions[1] else empty_outputs(call)

    class Unchecked(FullDevice):
        def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
            """Skip the check of the number of classes."""
            prepared = super().build(model, config)
            for step in prepared.compiled.main.operations:
                if isinstance(step, CompiledOperation) and step.operation.type == _O.BOX_WITH_NMS_LIMIT:
                    step.template = replace(step.template, declaration=_without_classes(step.declaration))
                    step.kernel = partial(empty, step.kernel)
            return prepared

    return Unchecked()


def _without_classes(declaration: Any) -> Any:
    def checked(call: Call) -> bool:
        return bool(call["scores"].dimensions[1] != 1)

    rules = [
        dataclasses.replace(rule, check=checked) if rule.id.endswith("/scores.classes") else rule
        for rule in declaration.rules
    ]
    return dataclasses.replace(declaration, rules=tuple(rules))
