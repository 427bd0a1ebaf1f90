"""TRANSPOSE_CONV_2D. Declared in ``hal/operations/convolution.py``."""

from __future__ import annotations

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.convolution import transposed_geometry
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.windows import image
from nnvet.reference_driver.kernels.accumulators import finish_for, weight_values
from nnvet.reference_driver.kernels.convolution import in_layout
from nnvet.reference_driver.kernels.patches import blocks
from nnvet.reference_driver.kernels.plans import planned
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.limits import check_cells, check_products, check_rounds


@kernel(OperationType.TRANSPOSE_CONV_2D)
def transposed_convolution(call: Call) -> Array:
    """Every input cell adds its multiple of the filter to the output; quantised results to the bit."""
    return planned(call, lambda call: in_layout(call, Transposed(call)))


class Transposed:
    """Plan that forms all multiples of the filter at once and adds them tap by tap."""

    def __init__(self, call: Call) -> None:
        """Decide what can be decided."""
        self.zero_point, self.dtype = call["input"].zero_point, call.output.dtype
        self.shape = image(call)
        (self.top, self.height), (self.left, self.width) = transposed_geometry(call)
        self.strides = call.scalar("stride_height"), call.scalar("stride_width")
        weights = weight_values(call["filter"])
        self.depth, *self.filter, channels = weights.shape
        check_cells(*self.shape[:3], *self.filter, self.depth)
        check_products(*self.shape, *self.filter, self.depth)
        check_rounds(*self.filter)
        by_output = weights.reshape(self.depth, -1).T
        self.finish = finish_for(call, "filter", by_output, self.width, raw=False)
        self.blocks = blocks(self.shape[0], self.height, self.width * self.depth)
        self.weights = weights.transpose(3, 1, 2, 0).reshape(channels, -1).astype(self.finish.sum_type)

    def __call__(self, images: Array) -> Array:
        """Output [N, height, width, channels]."""
        batches, height, width, channels = self.shape
        cells = images.reshape(-1, channels).astype(self.finish.sum_type)
        if self.zero_point:
            cells -= self.zero_point
        multiples = (cells @ self.weights).reshape(batches, height, width, *self.filter, self.depth)
        sums = self._added(multiples)[:, self.top : self.top + self.height, self.left : self.left + self.width]
        out = np.empty((batches, self.height, self.width * self.depth), self.dtype)
        for some, rows in self.blocks:
            target = out[some, rows]
            self.finish(sums[some, rows].reshape(target.shape), target)
        return out.reshape(batches, self.height, self.width, self.depth)

    def _added(self, multiples: Array) -> Array:
        batches, height, width, filter_height, filter_width, depth = multiples.shape
        step_down, step_right = self.strides
        spans = (height - 1) * step_down + 1, (width - 1) * step_right + 1
        # Negative paddings at the end ask for more than the multiples reach.
        rows = max(spans[0] + filter_height - 1, self.top + self.height)
        columns = max(spans[1] + filter_width - 1, self.left + self.width)
        check_cells(batches, rows, columns, depth)
        sums = np.zeros((batches, rows, columns, depth), multiples.dtype)
        for i in range(filter_height):
            for j in range(filter_width):
                sums[:, i : i + spans[0] : step_down, j : j + spans[1] : step_right] += multiples[:, :, :, i, j]
        return sums
