"""DEPTHWISE_CONV_2D. Declared in ``hal/operations/convolution.py``."""

from __future__ import annotations

import math

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.windows import image, windows
from nnvet.reference_driver.kernels.accumulators import finish_for, weight_values
from nnvet.reference_driver.kernels.convolution import in_layout
from nnvet.reference_driver.kernels.patches import blocks, overlap, reach
from nnvet.reference_driver.kernels.plans import planned
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.limits import check_cells, check_products


@kernel(OperationType.DEPTHWISE_CONV_2D)
def depthwise_convolution(call: Call) -> Array:
    """Sums over windows of one channel; quantised results to the bit."""
    return planned(call, lambda call: in_layout(call, Depthwise(call)))


class Depthwise:
    """Plan that multiplies whole rows of the image with rows of repeated taps.

    Columns of the padded image are sorted by their remainder modulo the horizontal stride ("phase"), so that the
    cells that a tap meets in successive windows lie side by side, for every stride.
    """

    def __init__(self, call: Call) -> None:
        """Decide what can be decided."""
        self.batches, _, _, self.depth = image(call)
        self.vertical, self.horizontal = windows(call)
        taps = weight_values(call["filter"])[0]
        self.channels = taps.shape[2]
        self.multiplier = self.channels // self.depth
        self.fill, self.dtype = call["input"].zero_point, call.output.dtype
        self.line = self.horizontal.out * self.channels
        check_cells(*taps.shape[:2], self.line)
        check_products(self.batches, self.vertical.out, *taps.shape[:2], self.line)
        self.finish = finish_for(call, "filter", taps.reshape(-1, self.channels), self.horizontal.out, raw=True)
        self.blocks = blocks(self.batches, self.vertical.out, self.line)
        stride, dilation = self.horizontal.stride, self.horizontal.dilation
        step = stride // math.gcd(stride, dilation)
        repeated = np.tile(taps.astype(self.finish.sum_type, copy=False), (1, 1, self.horizontal.out))
        # Taps whose cells have the same phase: the phase, the first one's column in it, taps.
        self.parts = [
            (*divmod(first * dilation, stride)[::-1], np.ascontiguousarray(repeated[:, first::step]))
            for first in range(min(step, self.horizontal.filter))
        ]
        self.column_step = step * dilation // stride
        phases = 1 + max(phase for phase, _, _ in self.parts)
        columns = -(-reach(self.horizontal) // stride)
        self.shape = (self.batches, phases, reach(self.vertical), columns, self.depth, self.multiplier)

    def __call__(self, images: Array) -> Array:
        """Output [N, out height, out width, channels]."""
        finish, sum_type = self.finish, self.finish.sum_type
        source = self._sorted(images)
        views = [self._rows(source, *part) for part in self.parts]
        out = np.empty((self.batches, self.vertical.out, self.line), self.dtype)
        in_place = out.dtype == sum_type
        for some, rows in self.blocks:
            target = out[some, rows]
            sums = target if in_place else np.empty(target.shape, sum_type)
            for index, (view, (_, _, taps)) in enumerate(zip(views, self.parts, strict=True)):
                if index == 0:
                    np.einsum("ijnhk,ijk->nhk", view[:, :, some, rows], taps, out=sums)
                else:
                    sums += np.einsum("ijnhk,ijk->nhk", view[:, :, some, rows], taps)
            finish(sums, target)
        return out.reshape(self.batches, self.vertical.out, self.horizontal.out, self.channels)

    def _sorted(self, images: Array) -> Array:
        """The padded images, columns sorted by phase, channels repeated."""
        check_cells(*self.shape)
        shape, sum_type = self.shape, self.finish.sum_type
        source = np.full(shape, self.fill, sum_type) if self.fill else np.zeros(shape, sum_type)
        rows, source_rows = overlap(self.vertical.head, self.vertical.size, shape[2])
        stride = self.horizontal.stride
        for phase in {phase for phase, _, _ in self.parts}:
            head, first = divmod(self.horizontal.head - phase, stride)
            if first:
                head, first = head + 1, stride - first
            cells = images[:, source_rows, first::stride, :, None]
            columns, source_columns = overlap(head, cells.shape[2], shape[3])
            source[:, phase, rows, columns] = cells[:, :, source_columns]
        return source

    def _rows(self, source: Array, phase: int, column: int, taps: Array) -> Array:
        """View [filter rows, taps, N, out rows, cells of a row] of the sorted images."""
        image_step, phase_step, row_step, cell_step = source.strides[:4]
        shape = (*taps.shape[:2], self.batches, self.vertical.out, self.line)
        strides = (
            row_step * self.vertical.dilation,
            cell_step * self.column_step,
            image_step,
            row_step * self.vertical.stride,
            source.itemsize,
        )
        return np.ndarray(shape, source.dtype, source, phase * phase_step + column * cell_step, strides)
