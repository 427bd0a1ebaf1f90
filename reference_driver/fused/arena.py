"""Positions of the blocks of a run in its arena: blocks that are not needed at the same time share cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnvet.reference_driver.fused import table as t
from nnvet.reference_driver.fused.steps import StepTable
from nnvet.reference_driver.kernels.registry import Array

_ALIGNMENT = 16
"""Values: lines of a cache."""


def place(steps: StepTable, inputs: Sequence[int], outputs: Sequence[int]) -> tuple[Array, int]:
    """Give every block its place: the table with cells for blocks, and how many cells there are.

    Inputs are there before the first step, outputs until after the last one.
    """
    last = len(steps.rows)
    lives = [[last, -1] for _ in steps.sizes]
    for number, (row, columns) in enumerate(zip(steps.rows, steps.places, strict=True)):
        for column in columns:
            life = lives[row[column]]
            life[0], life[1] = min(life[0], number), max(life[1], number)
    for block in inputs:
        lives[block] = [-1, last]
    for block in outputs:
        lives[block][1] = last
    starts, cells = _fit(steps.sizes, lives)
    steps.starts = starts
    rows = np.array(steps.rows, np.int64).reshape(-1, t.COLUMNS)
    for line, columns in zip(rows, steps.places, strict=True):
        for column in columns:
            line[column] = starts[line[column]]
    return rows, cells


def _fit(sizes: Sequence[int], lives: Sequence[Sequence[int]]) -> tuple[list[int], int]:
    """Starts of blocks, each in the first gap that is large enough while it lives, large blocks first."""
    starts, placed = [0] * len(sizes), list[int]()
    for block in sorted(range(len(sizes)), key=lambda block: -sizes[block]):
        first, last = lives[block]
        beside = [other for other in placed if lives[other][0] <= last and first <= lives[other][1]]
        start = 0
        for neighbour in sorted(beside, key=lambda other: starts[other]):
            if start + sizes[block] <= starts[neighbour]:
                break
            start = max(start, starts[neighbour] + -(-sizes[neighbour] // _ALIGNMENT) * _ALIGNMENT)
        starts[block] = start
        placed.append(block)
    return starts, max((start + size for start, size in zip(starts, sizes, strict=True)), default=0)


def joined(parts: Sequence[Array], dtype: type[np.generic]) -> Array:
    """All constants of a kind, one after the other; never none, for there is no place in nothing."""
    return np.concatenate([*parts, np.zeros(t.WIDE, dtype)])
