"""CONV_2D and GROUPED_CONV_2D as products of matrices. Declared in ``hal/operations/convolution.py``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.shapes import Window
from nnvet.hal.operations.windows import image, windows
from nnvet.reference_driver.kernels.accumulators import Finish, finish_for, weight_values
from nnvet.reference_driver.kernels.patches import blocks, padded, patches
from nnvet.reference_driver.kernels.plans import Plan, planned
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.limits import check_cells, check_products


@dataclass
class PatchProduct:
    """Patches of [N, H, W, C] images times ``weights`` [groups, taps, channels of a group], finished."""

    shape: tuple[int, int, int, int]
    vertical: Window
    horizontal: Window
    weights: Array
    finish: Finish
    fill: float
    dtype: str

    def __post_init__(self) -> None:
        """Decide what can be decided."""
        self.groups, taps, self.depth = self.weights.shape
        self.weights = self.weights.astype(self.finish.sum_type, copy=False)
        self.line = self.horizontal.out * self.groups * self.depth
        cells = max(self.line, self.horizontal.out * self.groups * taps)
        check_cells(cells)
        check_products(self.shape[0], self.vertical.out, self.line, taps)
        self.blocks = blocks(self.shape[0], self.vertical.out, cells)
        # With windows of one cell at every place the patches are the images.
        self.plain = all(
            (w.filter, w.stride, w.head, w.out) == (1, 1, 0, w.size) for w in (self.vertical, self.horizontal)
        )

    def __call__(self, images: Array) -> Array:
        """Output [N, out height, out width, channels]."""
        batches = self.shape[0]
        finish, sum_type = self.finish, self.finish.sum_type
        if self.plain:
            view = images.reshape(*self.shape[:3], 1, 1, -1)
        else:
            source = padded(images, self.vertical, self.horizontal, self.fill, sum_type)
            view = patches(source, self.vertical, self.horizontal)
        view = view.reshape(*view.shape[:5], self.groups, -1).transpose(5, 0, 1, 2, 3, 4, 6)
        out = np.empty((batches, self.vertical.out, self.line), self.dtype)
        in_place = out.dtype == sum_type
        for some, rows in self.blocks:
            target = out[some, rows]
            matrix = view[:, some, rows].astype(sum_type, order="C", copy=False)
            matrix = matrix.reshape(self.groups, -1, self.weights.shape[1])
            sums = target if in_place else np.empty(target.shape, sum_type)
            np.matmul(matrix, self.weights, out=sums.reshape(-1, self.groups, self.depth).transpose(1, 0, 2))
            finish(sums, target)
        return out.reshape(batches, self.vertical.out, self.horizontal.out, -1)


def in_layout(call: Call, plan: Plan) -> Plan:
    """A plan for NHWC images as one for images in the layout of the call."""
    if not call.scalar("layout", False):
        return plan
    return lambda images: np.ascontiguousarray(plan(images.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2))


@kernel(OperationType.CONV_2D, OperationType.GROUPED_CONV_2D)
def convolution(call: Call) -> Array:
    """Sums over windows and the channels of a group; quantised results to the bit."""
    return planned(call, _prepare)


def _prepare(call: Call) -> Plan:
    weights = weight_values(call["filter"])
    vertical, horizontal = windows(call)
    groups = call.scalar("groups") if "groups" in call.inputs else 1
    matrix = weights.reshape(len(weights), -1)
    finish = finish_for(call, "filter", matrix.T, horizontal.out, raw=True)
    packed = np.ascontiguousarray(matrix.reshape(groups, len(weights) // groups, -1).transpose(0, 2, 1))
    fill = call["input"].zero_point
    product = PatchProduct(image(call), vertical, horizontal, packed, finish, fill, call.output.dtype)
    return in_layout(call, product)
