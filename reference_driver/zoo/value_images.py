"""Rows of drivers with wrong values of operations on images: padding, strides, layouts, blocks, channels.

:mod:`nnvet.reference_driver.zoo.values` defines the columns of a row.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from nnvet.hal.types import OperationType
from nnvet.reference_driver.zoo.values import ValueBug, always, moved, of_rank, part, scalars

_O: Final = OperationType
_SAME: Final = scalars(padding=1)
"""Condition that the implicit padding is SAME."""
_FIRST: Final = scalars(layout=1)
"""Condition that the layout is NCHW."""
_ALL: Final = slice(None)
"""All elements of an axis, in an index."""
_STEP_1: Final = (r"shifted by [+-]1 along axis 1", "two places along axis 1 are exchanged")
"""Descriptions of an error by one row."""
_STEP_2: Final = (r"shifted by [+-]1 along axis 2", "two places along axis 2 are exchanged")
"""Descriptions of an error by one column."""

_IMAGES: Final = (
    ValueBug(
        "max-pool-same",
        "Windows of MAX_POOL_2D with padding SAME are a row off.",
        _O.MAX_POOL_2D,
        _SAME,
        moved(lambda x: np.roll(x, 1, 1)),
        "max_pool_2d",
        ("padding SAME",),
        _STEP_1,
    ),
    ValueBug(
        "average-pool-same",
        "Averages at the edges of padding SAME count what is padded.",
        _O.AVERAGE_POOL_2D,
        _SAME,
        part((_ALL, -1), lambda x: x * 0.5),
        "average_pool_2d",
        ("padding SAME",),
        ("0.5 times", "only at .* along axis 1, the last", "too near to zero", "edges of axis 1", "expected value is"),
    ),
    ValueBug(
        "depthwise-same-stride",
        "DEPTHWISE_CONV_2D with SAME and stride 2 begins a column too late.",
        _O.DEPTHWISE_CONV_2D,
        scalars(padding=1, stride_width=2),
        moved(lambda x: np.roll(x, 1, 2)),
        "depthwise_conv2d",
        ("padding SAME", "stride_width 2"),
        _STEP_2,
    ),
    ValueBug(
        "conv-same",
        "CONV_2D with padding SAME swaps rows and columns of its padding.",
        _O.CONV_2D,
        _SAME,
        moved(lambda x: np.swapaxes(x, 1, 2)),
        "conv2d",
        ("padding SAME",),
        ("axes 1 and 2 are exchanged",),
    ),
    ValueBug(
        "conv-dilation",
        "CONV_2D with dilation writes 0 in the last row.",
        _O.CONV_2D,
        scalars(dilation_width=2),
        part((_ALL, -1), np.zeros_like),
        "conv2d",
        ("dilation_width 2",),
        ("every wrong element is 0", "the last of"),
    ),
    ValueBug(
        "l2-pool-nchw",
        "L2_POOL_2D with layout NCHW exchanges rows and columns.",
        _O.L2_POOL_2D,
        _FIRST,
        moved(lambda x: np.swapaxes(x, 2, 3)),
        "l2_pool_2d",
        ("layout NCHW",),
        ("axes 2 and 3 are exchanged",),
    ),
    ValueBug(
        "transpose-conv-same",
        "TRANSPOSE_CONV_2D with padding SAME is a column off.",
        _O.TRANSPOSE_CONV_2D,
        _SAME,
        moved(lambda x: np.roll(x, 1, 2)),
        "transpose_conv2d",
        ("padding SAME",),
        _STEP_2,
    ),
    ValueBug(
        "grouped-conv-last",
        "The last channel of GROUPED_CONV_2D is never written.",
        _O.GROUPED_CONV_2D,
        always,
        part((..., -1), np.zeros_like),
        "grouped_conv2d",
        (),
        ("every wrong element is 0", "only at .* along axis [13], the last"),
    ),
    ValueBug(
        "bilinear-aligned",
        "RESIZE_BILINEAR with aligned corners mirrors its columns.",
        _O.RESIZE_BILINEAR,
        scalars(align_corners=True),
        moved(lambda x: np.flip(x, 2)),
        "resize_bilinear",
        ("align_corners 1",),
        ("axis 2 is reversed", "two places along axis 2 are exchanged"),
    ),
    ValueBug(
        "nearest-half-pixel",
        "RESIZE_NEAREST_NEIGHBOR with half pixels is one row off.",
        _O.RESIZE_NEAREST_NEIGHBOR,
        scalars(half_pixel_centers=True),
        moved(lambda x: np.roll(x, -1, 1)),
        "resize_nearest_neighbor",
        ("half_pixel_centers 1",),
        _STEP_1,
    ),
    ValueBug(
        "depth-to-space-nchw",
        "DEPTH_TO_SPACE with layout NCHW exchanges rows and columns.",
        _O.DEPTH_TO_SPACE,
        _FIRST,
        moved(lambda x: np.swapaxes(x, 2, 3)),
        "depth_to_space",
        ("layout NCHW",),
        ("axes 2 and 3 are exchanged",),
    ),
    ValueBug(
        "space-to-depth-block",
        "SPACE_TO_DEPTH with blocks of 2 reverses the channels.",
        _O.SPACE_TO_DEPTH,
        scalars(block=2),
        moved(lambda x: np.flip(x, 3)),
        "space_to_depth",
        ("block 2",),
        ("axis 3 is reversed", "two places along axis 3 are exchanged"),
    ),
    ValueBug(
        "batch-to-space-nchw",
        "BATCH_TO_SPACE_ND with layout NCHW repeats its first row.",
        _O.BATCH_TO_SPACE_ND,
        _FIRST,
        moved(lambda x: np.broadcast_to(x[:, :, :1], x.shape)),
        "batch_to_space_nd",
        ("layout NCHW",),
        ("first place along axis 2 is repeated",),
    ),
    ValueBug(
        "instance-norm-channel",
        "The first channel of INSTANCE_NORMALIZATION is too large by 2.",
        _O.INSTANCE_NORMALIZATION,
        scalars(layout=0),
        part((..., 0), lambda x: x + 2),
        "instance_normalization",
        ("layout NHWC",),
        ("2 too large", "only at 0 along axis 3"),
    ),
    ValueBug(
        "channel-shuffle-axis",
        "CHANNEL_SHUFFLE of one axis reverses it.",
        _O.CHANNEL_SHUFFLE,
        of_rank(4),
        moved(lambda x: np.flip(x, 0)),
        "channel_shuffle",
        ("rank 4",),
        ("axis 0 is reversed", "two places along axis 0 are exchanged"),
    ),
)
"""All rows of this module."""


for _bug in _IMAGES:
    _bug.register()
