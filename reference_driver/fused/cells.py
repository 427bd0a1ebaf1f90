"""Loops of recurrent cells."""

from __future__ import annotations

import math

import numpy as np

from nnvet.reference_driver.fused import table as t
from nnvet.reference_driver.fused.compiling import jitted
from nnvet.reference_driver.fused.sums import copy, fill
from nnvet.reference_driver.kernels.registry import Array


@jitted
def _activated(value: np.float32, activation: int) -> np.float32:
    if activation == t.TANH:
        return np.float32(math.tanh(value))
    if activation == t.SIGMOID:
        return _sigmoid(value)
    if activation in (t.RELU, t.RELU6):
        value = max(value, np.float32(0))
    return min(value, np.float32(6)) if activation == t.RELU6 else value


@jitted
def _sigmoid(value: np.float32) -> np.float32:
    return np.float32(1) / (np.float32(1) + math.exp(-value))


@jitted
def _beside(arena: Array, row: Array) -> None:
    """Rows of two tensors, one after the other."""
    first, second, out = row[t.SOURCE], row[t.FREE], row[t.OUT]
    batches, one, other = row[t.FREE + 1], row[t.FREE + 2], row[t.FREE + 3]
    for batch in range(batches):
        copy(arena, first + batch * one, out, one)
        copy(arena, second + batch * other, out + one, other)
        out += one + other


@jitted
def _gates(arena: Array, row: Array, constants: Array, doubles: Array) -> None:
    """Output and state of an LSTM from the sums of its gates and the state before."""
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


@jitted
def recurrent(row: Array, arena: Array, constants: Array, doubles: Array) -> None:
    """Do a step of a recurrent cell."""
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
