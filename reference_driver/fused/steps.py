"""Translation of operations into steps of the table that :mod:`nnvet.reference_driver.fused.machine` executes.

Every function takes a call with shapes and constants but no inputs, and adds steps with the same results as the
operation's kernel. It raises :class:`Unfit` for a call that it cannot translate; the kernel executes such a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.convolution import image, windows
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.shapes import Window
from nnvet.reference_driver.fused import table as t
from nnvet.reference_driver.kernels.accumulators import FloatFinish, ScaledFinish, finish_for, weight_values
from nnvet.reference_driver.kernels.convolution import overlap, reach
from nnvet.reference_driver.kernels.elementwise import sum_multipliers
from nnvet.reference_driver.kernels.fixed_point import FLOAT_BOUNDS, activation_codes
from nnvet.reference_driver.kernels.normalization import softmax_powers
from nnvet.reference_driver.kernels.registry import Array
from nnvet.reference_driver.limits import check_cells, check_products

TYPES: Final = frozenset(
    (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_QUANT8_ASYMM_SIGNED)
)


class Unfit(Exception):  # noqa: N818 - no error: the kernel does what a step cannot
    """An operation cannot be translated, so its kernel has to execute it."""


@dataclass
class StepTable:
    """Builder of a table of steps. ``sizes`` are those of the arena's blocks, which the steps name by number."""

    rows: list[list[int]] = field(default_factory=list)
    places: list[tuple[int, ...]] = field(default_factory=list)
    """Columns of each row that hold the number of a block."""
    work: list[int] = field(default_factory=list)
    """Approximate number of products or moved values of each row."""
    sizes: list[int] = field(default_factory=list)
    constants: list[Array] = field(default_factory=list)
    doubles: list[Array] = field(default_factory=list)
    words: list[Array] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """First cell of each block, once all blocks are placed."""

    @contextmanager
    def undone_by_errors(self) -> Iterator[None]:
        """Remove everything that the ``with`` block has added if it fails."""
        kept: tuple[list[Any], ...] = (
            self.rows,
            self.places,
            self.work,
            self.sizes,
            self.constants,
            self.doubles,
            self.words,
        )
        counts = [len(rows) for rows in kept]
        try:
            yield
        except BaseException:
            for rows, count in zip(kept, counts, strict=True):
                del rows[count:]
            raise

    def block(self, size: int) -> int:
        """Return the number of a new block of the arena."""
        check_cells(size)
        self.sizes.append(size)
        return len(self.sizes) - 1

    def keep(self, kept: list[Array], values: Any, dtype: type[np.generic]) -> int:
        """Add constants, and return their start among those of their kind."""
        place = sum(array.size for array in kept)
        kept.append(np.ascontiguousarray(values, dtype).reshape(-1))
        return place

    def add(self, kind: int, places: dict[int, int], columns: dict[int, int], work: int) -> None:
        """Add a row: ``places`` are columns with numbers of blocks."""
        row = [0] * t.COLUMNS
        for column, value in ({t.KIND: kind} | places | columns).items():
            row[column] = int(value)
        self.rows.append(row)
        self.places.append(tuple(places))
        self.work.append(work)


Step = Callable[[StepTable, Call, Sequence[int]], tuple[int, ...] | int]
"""Function that adds the steps of a call: gets the blocks of its variable inputs, returns those of its outputs."""


def columns_from(first: int, values: Sequence[int]) -> dict[int, int]:
    """Return consecutive columns."""
    return {first + index: value for index, value in enumerate(values)}


def _convolution(steps: StepTable, call: Call, inputs: Sequence[int]) -> int:
    weights = weight_values(call["filter"])
    vertical, horizontal = _windows(call)
    batches, _, _, depth = image(call)
    units, taps = len(weights), prod(weights.shape[1:])
    if weights.shape[3] != depth:
        raise Unfit("groups")
    matrix = weights.reshape(units, -1).T
    positions = batches * vertical.out * horizontal.out
    source = inputs[0]
    if any((w.filter, w.stride, w.head, w.out) != (1, 1, 0, w.size) for w in (vertical, horizontal)):
        source = _patches(steps, call, source, (vertical, horizontal))
    check_products(positions, taps, units)
    return _product(steps, call, "filter", matrix, source, positions)


def _fully_connected(steps: StepTable, call: Call, inputs: Sequence[int]) -> int:
    matrix = weight_values(call["weights"]).T
    positions = call.output.dimensions[0]
    check_products(positions, matrix.size)
    return _product(steps, call, "weights", matrix, inputs[0], positions)


def _product(steps: StepTable, call: Call, name: str, matrix: Array, source: int, positions: int) -> int:
    return product(steps, _sums(steps, call, name, matrix), source, positions)


def product(steps: StepTable, columns: dict[int, int], source: int, positions: int) -> int:
    """Return the block of the products of ``source``'s rows with a ``weighted`` matrix."""
    units, taps = columns[t.UNITS], columns[t.TAPS]
    out = steps.block(positions * units)
    columns = columns | {t.STEP: taps, t.REST: positions}
    steps.add(t.PRODUCT, {t.SOURCE: source, t.OUT: out}, columns, positions * units * taps)
    return out


def _depthwise(steps: StepTable, call: Call, inputs: Sequence[int]) -> int:
    weights = weight_values(call["filter"])[0]
    vertical, horizontal = _windows(call)
    batches, _, _, depth = image(call)
    units = weights.shape[2]
    if units != depth:
        raise Unfit("a multiplier of channels")
    source, (row, cell) = _padded(steps, call, inputs[0], (vertical, horizontal))
    offsets = np.add.outer(
        np.arange(vertical.filter) * vertical.dilation * row, np.arange(horizontal.filter) * horizontal.dilation * cell
    )
    out = steps.block(prod(call.output.dimensions))
    columns = _sums(steps, call, "filter", weights.reshape(-1, units)) | {
        t.STEP: horizontal.stride * cell,
        t.OFFSETS: steps.keep(steps.words, offsets, np.int64),
    }
    lines = batches, vertical.out, horizontal.out, _image_size(call, vertical, horizontal), vertical.stride * row
    work = prod(call.output.dimensions) * offsets.size
    check_products(work)
    steps.add(t.DEPTHWISE, {t.SOURCE: source, t.OUT: out}, columns | columns_from(t.REST, lines), work)
    return out


def _windows(call: Call) -> tuple[Window, Window]:
    vertical, horizontal = windows(call)
    if call.scalar("layout", False):
        raise Unfit("channels first")
    if min(vertical.head, horizontal.head, vertical.tail, horizontal.tail) < 0:
        raise Unfit("a negative padding")
    return vertical, horizontal


def _is_inside(vertical: Window, horizontal: Window) -> bool:
    """Return True if no window touches the padding."""
    return all(window.head == 0 and reach(window) <= window.size for window in (vertical, horizontal))


def _image_size(call: Call, vertical: Window, horizontal: Window) -> int:
    """Return the number of cells of an image as windows see it."""
    _, height, width, depth = image(call)
    if _is_inside(vertical, horizontal):
        return height * width * depth
    return reach(vertical) * reach(horizontal) * depth


def _padded(steps: StepTable, call: Call, source: int, axes: tuple[Window, Window]) -> tuple[int, tuple[int, int]]:
    """Return the block of padded images, and the distances of rows and of cells in it."""
    batches, height, width, depth = image(call)
    if _is_inside(*axes):
        return source, (width * depth, depth)
    shape = tuple(reach(window) for window in axes)
    block = steps.block(batches * prod(shape) * depth)
    columns = [batches, height, width, depth, *shape]
    for window, size in zip(axes, shape, strict=True):
        inside, cells = overlap(window.head, window.size, size)
        columns += [inside.start, cells.start, inside.stop - inside.start]
    places = {t.SOURCE: source, t.OUT: block}
    steps.add(t.PAD, places, columns_from(t.FREE, [*columns, call["input"].zero_point]), batches * prod(shape) * depth)
    return block, (shape[1] * depth, depth)


def _patches(steps: StepTable, call: Call, source: int, axes: tuple[Window, Window]) -> int:
    """Return the block that has all windows' cells side by side."""
    vertical, horizontal = axes
    batches, _, _, depth = image(call)
    source, (row, cell) = _padded(steps, call, source, axes)
    downwards = np.arange(vertical.filter) * vertical.dilation * row
    # Cells of a row that follow each other are moved together.
    parts, length = (1, horizontal.filter * depth) if horizontal.dilation == 1 else (horizontal.filter, depth)
    offsets = np.add.outer(downwards, np.arange(parts) * horizontal.dilation * cell)
    cells = batches * vertical.out * horizontal.out * offsets.size * length
    block = steps.block(cells)
    lines = batches, vertical.out, horizontal.out, _image_size(call, *axes), vertical.stride * row
    moved = horizontal.stride * cell, offsets.size, steps.keep(steps.words, offsets, np.int64), length
    steps.add(t.PATCH, {t.SOURCE: source, t.OUT: block}, columns_from(t.FREE, (*lines, *moved)), cells)
    return block


def _sums(steps: StepTable, call: Call, name: str, matrix: Array) -> dict[int, int]:
    """Return the columns of a step that adds up products with ``matrix`` [taps, units]."""
    units = matrix.shape[1]
    finish = finish_for(call, name, matrix, 1, raw=True)
    if finish.sum_type is not np.float32:
        raise Unfit("sums that need double precision")
    padding = -units % t.NARROW
    if isinstance(finish, FloatFinish):
        mode, limits = t.CLAMP, np.array([finish.low, finish.high])
    elif isinstance(finish, ScaledFinish):
        mode = t.ONCE if finish.second_scale is None else t.TWICE
        scales = (finish.scale, 1.0 if finish.second_scale is None else finish.second_scale, finish.shift)
        lines = [np.pad(np.broadcast_to(np.asarray(scale, np.float64), units), (0, padding)) for scale in scales]
        limits = np.concatenate(([finish.low, finish.high], *lines))
    else:
        raise Unfit("sums that leave 32 bits")
    return weighted(steps, matrix, finish.bias, limits, mode)


def weighted(steps: StepTable, matrix: Array, bias: Array, limits: Any, mode: int = t.CLAMP) -> dict[int, int]:
    """Return the columns of a step that adds up products with ``matrix`` [taps, units] and finishes the sums."""
    taps, units = matrix.shape
    padding = -units % t.NARROW
    padded = np.pad(matrix.astype(np.float32), ((0, 0), (0, padding)))
    tiles = [padded[:, first : first + t.WIDE].reshape(-1) for first in range(0, units, t.WIDE)]
    return {
        t.UNITS: units,
        t.TAPS: taps,
        t.WEIGHTS: steps.keep(steps.constants, np.concatenate(tiles), np.float32),
        t.BIAS: steps.keep(steps.constants, np.pad(bias, (0, padding)), np.float32),
        t.LIMITS: steps.keep(steps.doubles, limits, np.float64),
        t.MODE: mode,
    }


def _limits(call: Call) -> tuple[float, float]:
    """Return the lowest and the highest value after the activation."""
    code = call.scalar("activation")
    if call.output.type == OperandType.TENSOR_FLOAT32:
        low, high = FLOAT_BOUNDS[code]
        return float(low), float(high)
    return activation_codes(code, call.output)


def _sum(steps: StepTable, call: Call, inputs: Sequence[int]) -> int:
    first, second = call["input0"], call["input1"]
    if first.dimensions != second.dimensions:
        raise Unfit("broadcasting")
    size = prod(first.dimensions)
    out = steps.block(size)
    places = {t.SOURCE: inputs[0], t.FREE: inputs[1], t.OUT: out}
    low, high = _limits(call)
    if first.type == OperandType.TENSOR_FLOAT32:
        limits = steps.keep(steps.doubles, (low, high), np.float64)
        steps.add(t.ADD_FLOAT, places, columns_from(t.FREE + 1, (size, limits)), size)
        return out
    scales = sum_multipliers(call)
    if any(exponent > 0 for _, exponent in scales):
        raise Unfit("sums that are scaled up")
    zeros = first.zero_point, second.zero_point
    columns = [
        size,
        zeros[0],
        *scales[0],
        zeros[1],
        *scales[1],
        *scales[2],
        call.output.zero_point,
        int(low),
        int(high),
    ]
    steps.add(t.ADD_CODES, places, columns_from(t.FREE + 1, columns), 8 * size)
    return out


def _pool(steps: StepTable, call: Call, inputs: Sequence[int]) -> int:
    vertical, horizontal = _windows(call)
    batches, _, _, depth = image(call)
    out = steps.block(prod(call.output.dimensions))
    is_mean = call.declaration.type == OperationType.AVERAGE_POOL_2D
    cells = vertical.filter * horizontal.filter
    if call.output.type == OperandType.TENSOR_FLOAT32:
        mode = t.MEAN_FLOAT if is_mean else t.MAXIMUM
    else:
        mode = t.MEAN_CODES if is_mean else t.MAXIMUM
        if cells * 256 > 2**24:
            raise Unfit("sums that float32 does not hold")
    columns = [batches, vertical.out, horizontal.out, depth, mode]
    for window in (vertical, horizontal):
        columns += [window.filter, window.stride, window.head]
    columns += [vertical.size, horizontal.size, steps.keep(steps.doubles, _limits(call), np.float64)]
    steps.add(t.POOL, {t.SOURCE: inputs[0], t.OUT: out}, columns_from(t.FREE, columns), steps.sizes[out] * cells)
    return out


def _softmax(steps: StepTable, call: Call, inputs: Sequence[int]) -> int:
    argument = call["input"]
    if call.scalar("axis", -1) % argument.rank != argument.rank - 1:
        raise Unfit("not the last axis")
    size, count = prod(argument.dimensions), argument.dimensions[-1]
    out = steps.block(size)
    places = {t.SOURCE: inputs[0], t.OUT: out}
    columns = [size // count, count]
    if argument.type == OperandType.TENSOR_FLOAT32:
        columns.append(steps.keep(steps.doubles, (call.scalar("beta"),), np.float64))
        steps.add(t.SOFTMAX_FLOAT, places, columns_from(t.FREE, columns), 32 * size)
        return out
    powers = steps.keep(steps.words, softmax_powers(call), np.int64)
    steps.add(
        t.SOFTMAX_CODES, places, columns_from(t.FREE, [*columns, powers, *call.output.quantized_range]), 32 * size
    )
    return out


def _reshape(steps: StepTable, call: Call, inputs: Sequence[int]) -> int:
    del steps, call
    return inputs[0]


STEPS: dict[int, tuple[Step, tuple[str, ...]]] = {
    OperationType.CONV_2D: (_convolution, ("input",)),
    OperationType.DEPTHWISE_CONV_2D: (_depthwise, ("input",)),
    OperationType.FULLY_CONNECTED: (_fully_connected, ("input",)),
    OperationType.ADD: (_sum, ("input0", "input1")),
    OperationType.AVERAGE_POOL_2D: (_pool, ("input",)),
    OperationType.MAX_POOL_2D: (_pool, ("input",)),
    OperationType.SOFTMAX: (_softmax, ("input",)),
    OperationType.RESHAPE: (_reshape, ("input",)),
}
"""By operation: the function that adds its steps, and the names of inputs that may be variable."""


def is_known(argument: Argument) -> bool:
    """Return True if steps support the type and dimensions of a tensor; no dimension may be unknown or zero."""
    return argument.type in TYPES and all(argument.dimensions) and not argument.omitted
