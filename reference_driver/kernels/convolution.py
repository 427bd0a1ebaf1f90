"""Kernels of convolutions, fully connected layers and products of matrices.

Declarations: ``hal/operations/convolution.py`` and ``dense.py``. A convolution is computed as a matrix product:
each row is a patch, the pixels of the input that a window covers. The sums are finished (bias, activation,
requantisation) in :mod:`nnvet.reference_driver.kernels.accumulators`.

Most kernels have a plan. Making the plan does all work that depends only on shapes, weights and quantisation; the plan
is then called with the images of each execution. :func:`nnvet.reference_driver.kernels.registry.run_planned` keeps it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.convolution import image, transposed_geometry, windows
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.shapes import Window
from nnvet.reference_driver.kernels.accumulators import Finish, finish_for, weight_values
from nnvet.reference_driver.kernels.fixed_point import mbqm, quantize_multiplier, saturate
from nnvet.reference_driver.kernels.registry import Array, Plan, kernel, run_planned
from nnvet.reference_driver.limits import check_cells, check_products, check_rounds

_BLOCK_CELLS = 2**17
"""Number of output values to compute at a time, which limits memory; a row of the output is never divided."""


def overlap(head: int, size: int, padded_size: int) -> tuple[slice, slice]:
    """Return where the image and the padded axis overlap: as a slice of the axis, and as a slice of the image.

    The image has ``size`` pixels along the axis, after ``head`` pixels of padding; a negative ``head`` crops it.
    """
    start, skipped = max(head, 0), max(-head, 0)
    count = max(min(size - skipped, padded_size - start), 0)
    return slice(start, start + count), slice(skipped, skipped + count)


def reach(window: Window) -> int:
    """Return the length of the padded axis up to the end of the last window."""
    return (window.out - 1) * window.stride + window.extent


def padded(images: Array, vertical: Window, horizontal: Window, fill: float, dtype: npt.DTypeLike) -> Array:
    """Return [N, H, W, C] images padded with ``fill``, as contiguous ``dtype``, without what no window reaches.

    Images that need no change are returned themselves, not a copy.

    :raises HalError: RESOURCE_EXHAUSTED_PERSISTENT if the padding makes them absurdly large.
    """
    batches, height, width, channels = images.shape
    shape = (batches, reach(vertical), reach(horizontal), channels)
    if vertical.head == 0 == horizontal.head and shape[1] <= height and shape[2] <= width:
        return np.ascontiguousarray(images, dtype=dtype)
    check_cells(*shape)
    (rows, source_rows), (columns, source_columns) = (
        overlap(window.head, window.size, size) for window, size in ((vertical, shape[1]), (horizontal, shape[2]))
    )
    result = np.full(shape, fill, dtype=dtype) if fill else np.zeros(shape, dtype=dtype)
    result[:, rows, columns] = images[:, source_rows, source_columns]
    return result


def patches(source: Array, vertical: Window, horizontal: Window) -> Array:
    """Return a view [N, out height, out width, filter height, filter width, C] of contiguous padded images."""
    image, row, cell, channel = source.strides
    shape = (len(source), vertical.out, horizontal.out, vertical.filter, horizontal.filter, source.shape[3])
    strides = (
        image,
        row * vertical.stride,
        cell * horizontal.stride,
        row * vertical.dilation,
        cell * horizontal.dilation,
        channel,
    )
    return np.ndarray(shape, source.dtype, source, 0, strides)


def blocks(images: int, rows: int, cells: int) -> list[tuple[slice, slice]]:
    """Return the images and rows to process at a time: whole images, or rows if an image has too many ``cells``."""
    if rows * cells <= _BLOCK_CELLS:
        step = _BLOCK_CELLS // max(rows * cells, 1)
        return [(slice(n, n + step), slice(0, rows)) for n in range(0, images, step)]
    step = max(_BLOCK_CELLS // cells, 1)
    return [(slice(n, n + 1), slice(r, r + step)) for n in range(images) for r in range(0, rows, step)]


@dataclass
class PatchProduct:
    """Patches of [N, H, W, C] images times ``weights`` [groups, taps, channels of a group], finished.

    ``shape`` is that of the images, ``fill`` the value of the padding (the zero point), ``dtype`` the output's type.
    """

    shape: tuple[int, int, int, int]
    vertical: Window
    horizontal: Window
    weights: Array
    finish: Finish
    fill: float
    dtype: str

    def __post_init__(self) -> None:
        """Check the sizes, convert the weights, and divide the work into blocks; ``line`` is a row of the output."""
        self.groups, taps, self.depth = self.weights.shape
        self.weights = self.weights.astype(self.finish.sum_type, copy=False)
        self.line = self.horizontal.out * self.groups * self.depth
        cells = max(self.line, self.horizontal.out * self.groups * taps)
        check_cells(cells)
        check_products(self.shape[0], self.vertical.out, self.line, taps)
        self.blocks = blocks(self.shape[0], self.vertical.out, cells)
        # Windows of one pixel at every position: the patches are the images.
        self.plain = all(
            (w.filter, w.stride, w.head, w.out) == (1, 1, 0, w.size) for w in (self.vertical, self.horizontal)
        )

    def __call__(self, images: Array) -> Array:
        """Return the output [N, out height, out width, channels]."""
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
    """Turn a plan for NHWC images into one for images in the layout of the call."""
    if not call.scalar("layout", False):
        return plan
    return lambda images: np.ascontiguousarray(plan(images.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2))


@kernel(OperationType.CONV_2D, OperationType.GROUPED_CONV_2D)
def convolution(call: Call) -> Array:
    """Return sums over windows and the channels of a group; quantised results are exact in every bit."""
    return run_planned(call, _prepare)


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


@kernel(OperationType.DEPTHWISE_CONV_2D)
def depthwise_convolution(call: Call) -> Array:
    """Return sums over windows of one channel; quantised results are exact in every bit."""
    return run_planned(call, lambda call: in_layout(call, Depthwise(call)))


class Depthwise:
    """Plan that multiplies whole rows of the image with rows of repeated taps.

    Columns of the padded image are sorted by their remainder modulo the horizontal stride ("phase"), so that the
    pixels that a tap (a position within the window) meets in successive windows lie side by side, for every stride.
    """

    def __init__(self, call: Call) -> None:
        """Check the sizes, and repeat the taps for a row of the output, sorted by phase."""
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
        # Groups of taps with the same phase: the phase, the column of the first tap among its columns, the taps.
        self.parts = [
            (*divmod(first * dilation, stride)[::-1], np.ascontiguousarray(repeated[:, first::step]))
            for first in range(min(step, self.horizontal.filter))
        ]
        self.column_step = step * dilation // stride
        phases = 1 + max(phase for phase, _, _ in self.parts)
        columns = -(-reach(self.horizontal) // stride)
        self.shape = (self.batches, phases, reach(self.vertical), columns, self.depth, self.multiplier)

    def __call__(self, images: Array) -> Array:
        """Return the output [N, out height, out width, channels]."""
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
        """Return the padded images with columns sorted by phase and channels repeated."""
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
        """Return a view [filter rows, taps, N, out rows, cells of a row] of the sorted images."""
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


@kernel(OperationType.TRANSPOSE_CONV_2D)
def transposed_convolution(call: Call) -> Array:
    """Add the filter times each input pixel to the output; quantised results are exact in every bit."""
    return run_planned(call, lambda call: in_layout(call, Transposed(call)))


class Transposed:
    """Plan that forms all multiples of the filter at once and adds them tap by tap."""

    def __init__(self, call: Call) -> None:
        """Check the sizes, and arrange the weights as one matrix [input channels, taps and output channels]."""
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
        """Return the output [N, height, width, channels]."""
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
        """Return the sums of overlapping multiples, before the paddings are cut off."""
        batches, height, width, filter_height, filter_width, depth = multiples.shape
        step_down, step_right = self.strides
        spans = (height - 1) * step_down + 1, (width - 1) * step_right + 1
        # With a negative padding at the end the output is longer than the multiples reach.
        rows = max(spans[0] + filter_height - 1, self.top + self.height)
        columns = max(spans[1] + filter_width - 1, self.left + self.width)
        check_cells(batches, rows, columns, depth)
        sums = np.zeros((batches, rows, columns, depth), multiples.dtype)
        for i in range(filter_height):
            for j in range(filter_width):
                sums[:, i : i + spans[0] : step_down, j : j + spans[1] : step_right] += multiples[:, :, :, i, j]
        return sums


_POINT = Window(1, 1, 1, 1, 0, 0)
"""Window of one pixel in an image of one pixel, with which a fully connected layer is a convolution."""


@kernel(OperationType.FULLY_CONNECTED)
def fully_connected(call: Call) -> Array:
    """Return the flattened input times the weights; quantised results are exact in every bit."""
    return run_planned(call, _prepare_dense)


def _prepare_dense(call: Call) -> Plan:
    weights = weight_values(call["weights"]).T
    size, units = weights.shape
    batches = call.output.dimensions[0]
    finish = finish_for(call, "weights", weights, 1, raw=True)
    # This is a convolution of images of one pixel.
    product = PatchProduct(
        (batches, 1, 1, size), _POINT, _POINT, np.ascontiguousarray(weights)[None], finish, 0, call.output.dtype
    )
    return lambda vectors: product(vectors).reshape(batches, units)


@kernel(OperationType.BATCH_MATMUL, native_float16=True)
def batch_matmul(call: Call) -> Array:
    """Return products of matrices, float16 in half precision at each step, int32 wrapping around."""
    x, y = _factor(call, "x"), _factor(call, "y")
    check_products(*call.output.dimensions, x.shape[-1])
    if x.dtype == np.float16:
        return _multiply_halves(x, y)
    if x.dtype != np.int8:
        return np.asarray(np.matmul(x, y))
    return _multiply_codes(call, x, y)


def _factor(call: Call, name: str) -> Array:
    """Return a factor, transposed if its ``adj`` flag is set."""
    array = call[name].array
    return array.swapaxes(-1, -2) if call.scalar(f"adj_{name}") else array


def _multiply_halves(x: Array, y: Array) -> Array:
    """Return the product with each step rounded to float16."""
    check_rounds(x.shape[-1])
    sums = np.zeros((*x.shape[:-1], y.shape[-1]), np.float16)
    for k in range(x.shape[-1]):
        sums += x[..., :, k, None] * y[..., None, k, :]
    return sums


def _multiply_codes(call: Call, x: Array, y: Array) -> Array:
    sums = np.matmul(_centre(call["x"], x), _centre(call["y"], y)).astype(np.int64).astype(np.int32)
    scale = float(np.float32(call["x"].scale) * np.float32(call["y"].scale))
    codes = mbqm(sums, *quantize_multiplier(scale / call.output.scale)) + call.output.zero_point
    return saturate(codes, *call.output.quantized_range, call.output.dtype)


def _centre(argument: Argument, codes: Array) -> Array:
    # Doubles hold every sum of products of codes exactly.
    return codes.astype(np.float64) - argument.zero_point
