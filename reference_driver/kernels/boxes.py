"""Arithmetic on boxes shared by the detection kernels, all in float32.

Source: docs/contract/operations/common.md 15 and 18, and docs/contract/operations/AXIS_ALIGNED_BBOX_TRANSFORM.md.
"""

from __future__ import annotations

import numpy as np

from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.declaration import Argument
from nnvet.reference_driver.kernels.registry import Array
from nnvet.reference_driver.kernels.requantization import dequantize, round_half_away


def real(argument: Argument) -> Array:
    """Values of a float tensor, or real values of codes."""
    return argument.array if OPERAND_TYPES[argument.type].is_float else dequantize(argument)


def stored(values: Array, output: Argument) -> Array:
    """Float32 values as ``output`` holds them: codes are round(x / scale + zero point), saturated."""
    if OPERAND_TYPES[output.type].is_float:
        return values
    low, high = output.quantized_range
    codes = round_half_away(values / np.float32(output.scale) + np.float32(output.zero_point))
    # NaN, whose code the contract leaves open, gives the lowest.
    return np.where(codes >= low, np.minimum(codes, high), low).astype(output.dtype)


def ordered(boxes: Array) -> bool:
    """Return True where the last two of the four coordinates of a box are nowhere below the first two, nor NaN."""
    return bool((boxes[..., :2] <= boxes[..., 2:]).all())


def overlap(box: Array, others: Array) -> Array:
    """Intersection over union of a box with each of ``others`` [n, 4]; NaN for two boxes without area."""
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    common = np.maximum(sides, 0).prod(axis=1)
    areas = (others[:, 2] - others[:, 0]) * (others[:, 3] - others[:, 1])
    ratios: Array = common / ((box[2] - box[0]) * (box[3] - box[1]) + areas - common)
    return ratios


def transform(regions: Array, deltas: Array, sizes: Array) -> Array:
    """Regions [n, 4] moved by deltas [n, classes, 4] and clipped to images of height and width ``sizes`` [n, 2]."""
    two = np.float32(2)
    corners = regions[:, None, :]
    sides = corners[..., 2:] - corners[..., :2]
    centres = (corners[..., :2] + corners[..., 2:]) / two
    half = np.exp(deltas[..., 2:]) * sides / two
    centres = centres + deltas[..., :2] * sides
    moved = np.concatenate([centres - half, centres + half], axis=-1)
    ends = np.tile(sizes[:, ::-1], 2)[:, None, :]
    moved = np.maximum(moved, np.float32(0))
    # Not np.minimum: where the image has no number for a size, the reference keeps the coordinate.
    clipped: Array = np.where(ends < moved, ends, moved)
    return clipped
