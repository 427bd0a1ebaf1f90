"""Loops that numba compiles: products of matrices, depthwise windows and recurrent cells.

Products work on tiles (``tiles.py``); further loops arrange the cells of images for the products.
"""

from __future__ import annotations

import math

import numpy as np

from nnvet.reference_driver.fused import table as t
from nnvet.reference_driver.fused import tiles
from nnvet.reference_driver.fused.compiling import compile_inline
from nnvet.reference_driver.kernels.registry import Array


@compile_inline
def product(arena: Array, row: Array, constants: Array, doubles: Array, words: Array) -> None:
    """Multiply the rows of the source, [rows, taps], with the weights."""
    rows, units, step = row[t.REST], row[t.UNITS], row[t.STEP]
    for channel in range(0, units, t.WIDE):
        used = min(units - channel, t.WIDE)
        source, out = row[t.SOURCE], row[t.OUT] + channel
        done = 0
        while done < rows:
            if rows - done >= tiles.TALL:
                count = tiles.TALL
                if used > t.NARROW:
                    tiles.tall_wide(arena, row, constants, doubles, words, source, out, channel, used)
                else:
                    tiles.tall_narrow(arena, row, constants, doubles, words, source, out, channel, used)
            elif rows - done >= tiles.LOW:
                count = tiles.LOW
                if used > t.NARROW:
                    tiles.low_wide(arena, row, constants, doubles, words, source, out, channel, used)
                else:
                    tiles.low_narrow(arena, row, constants, doubles, words, source, out, channel, used)
            else:
                count = tiles.FLAT
                if used > t.NARROW:
                    tiles.flat_wide(arena, row, constants, doubles, words, source, out, channel, used)
                else:
                    tiles.flat_narrow(arena, row, constants, doubles, words, source, out, channel, used)
            source += count * step
            out += count * units
            done += count


@compile_inline
def depthwise(arena: Array, row: Array, constants: Array, doubles: Array, words: Array) -> None:
    """Multiply windows over [batches, height, width, channels] with the weights of each channel."""
    batches, height, width, image_step, row_step = (
        row[t.REST],
        row[t.REST + 1],
        row[t.REST + 2],
        row[t.REST + 3],
        row[t.REST + 4],
    )
    units, step = row[t.UNITS], row[t.STEP]
    out = row[t.OUT]
    for batch in range(batches):
        for y in range(height):
            line = row[t.SOURCE] + batch * image_step + y * row_step
            for channel in range(0, units, t.WIDE):
                used = min(units - channel, t.WIDE)
                x = 0
                while x < width:
                    source, place = line + x * step + channel, out + x * units + channel
                    if width - x >= tiles.LOW:
                        if used > t.NARROW:
                            tiles.window_wide(arena, row, constants, doubles, words, source, place, channel, used)
                        else:
                            tiles.window_narrow(arena, row, constants, doubles, words, source, place, channel, used)
                        x += tiles.LOW
                    else:
                        if used > t.NARROW:
                            tiles.cell_wide(arena, row, constants, doubles, words, source, place, channel, used)
                        else:
                            tiles.cell_narrow(arena, row, constants, doubles, words, source, place, channel, used)
                        x += 1
            out += width * units


@compile_inline
def fill(arena: Array, start: int, end: int, value: np.float32) -> None:
    """Set cells to one value."""
    for index in range(start, end):
        arena[index] = value


@compile_inline
def copy(arena: Array, source: int, out: int, count: int) -> None:
    """Copy cells."""
    for index in range(count):
        arena[out + index] = arena[source + index]


@compile_inline
def pad(arena: Array, row: Array) -> None:
    """Copy images into larger ones, and fill the rest."""
    batches, height, width, depth, out_height, out_width = row[3], row[4], row[5], row[6], row[7], row[8]
    first_row, from_row, rows, first_column, from_column, columns = row[9], row[10], row[11], row[12], row[13], row[14]
    value = np.float32(row[15])
    line, out_line, length = width * depth, out_width * depth, columns * depth
    for batch in range(batches):
        # The gap up to the next copy is filled.
        filled = row[t.OUT] + batch * out_height * out_line
        end = filled + out_height * out_line
        out = filled + first_row * out_line + first_column * depth
        source = row[t.SOURCE] + (batch * height + from_row) * line + from_column * depth
        for _ in range(rows):
            fill(arena, filled, out, value)
            copy(arena, source, out, length)
            filled = out + length
            source += line
            out += out_line
        fill(arena, filled, end, value)


@compile_inline
def patch(arena: Array, row: Array, words: Array) -> None:
    """Copy windows side by side, [positions, taps], from parts of equal length."""
    batches, height, width, image_step, row_step, step = row[3], row[4], row[5], row[6], row[7], row[8]
    parts, offsets, length = row[9], row[10], row[11]
    out = row[t.OUT]
    for batch in range(batches):
        for y in range(height):
            for x in range(width):
                source = row[t.SOURCE] + batch * image_step + y * row_step + x * step
                for part in range(parts):
                    copy(arena, source + words[offsets + part], out, length)
                    out += length


@compile_inline
def _activated(value: np.float32, activation: int) -> np.float32:
    if activation == t.TANH:
        return np.float32(math.tanh(value))
    if activation == t.SIGMOID:
        return _sigmoid(value)
    if activation in (t.RELU, t.RELU6):
        value = max(value, np.float32(0))
    return min(value, np.float32(6)) if activation == t.RELU6 else value


@compile_inline
def _sigmoid(value: np.float32) -> np.float32:
    return np.float32(1) / (np.float32(1) + math.exp(-value))


@compile_inline
def _beside(arena: Array, row: Array) -> None:
    """Join the rows of two tensors."""
    first, second, out = row[t.SOURCE], row[t.FREE], row[t.OUT]
    batches, one, other = row[t.FREE + 1], row[t.FREE + 2], row[t.FREE + 3]
    for batch in range(batches):
        copy(arena, first + batch * one, out, one)
        copy(arena, second + batch * other, out + one, other)
        out += one + other


@compile_inline
def _gates(arena: Array, row: Array, constants: Array, doubles: Array) -> None:
    """Compute output and state of an LSTM from the sums of its gates and the previous state."""
    sums, out, before, after = row[t.SOURCE], row[t.OUT], row[t.FREE], row[t.FREE + 1]
    batches, units, line = row[t.FREE + 2], row[t.FREE + 3], row[t.FREE + 4]
    clip = np.float32(doubles[row[t.FREE + 5]])
    first, forget, cell, output = row[t.FREE + 6], row[t.FREE + 7], row[t.FREE + 8], row[t.FREE + 9]
    activation, peepholes = row[t.FREE + 10], row[t.FREE + 11]
    for batch in range(batches):
        for unit in range(units):
            at, place = sums + batch * line + unit, batch * units + unit
            state = arena[before + place]
            if peepholes >= 0:
                arena[at + forget] += constants[peepholes + units + unit] * state
                if first >= 0:
                    arena[at + first] += constants[peepholes + unit] * state
            kept = _sigmoid(arena[at + forget])
            update = _sigmoid(arena[at + first]) if first >= 0 else np.float32(1) - kept
            value = kept * state + update * _activated(arena[at + cell], activation)
            value = max(value, -clip)
            value = min(value, clip)
            arena[after + place] = value
            if peepholes >= 0:
                arena[at + output] += constants[peepholes + 2 * units + unit] * value
            arena[out + place] = _sigmoid(arena[at + output]) * _activated(value, activation)


@compile_inline
def recurrent(row: Array, arena: Array, constants: Array, doubles: Array) -> None:
    """Execute a step of a recurrent cell."""
    kind = row[t.KIND]
    if kind == t.BESIDE:
        _beside(arena, row)
    elif kind == t.ZEROS:
        fill(arena, row[t.OUT], row[t.OUT] + row[t.FREE], np.float32(0))
    elif kind == t.ACTIVATE:
        for index in range(row[t.FREE]):
            arena[row[t.OUT] + index] = _activated(arena[row[t.SOURCE] + index], row[t.FREE + 1])
    else:
        _gates(arena, row, constants, doubles)
