"""A pass that makes tensors smaller: what is given is cut, and all that follows gets the dimensions that result."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.graphs.editor import with_operand, with_operands
from nnvet.generators.graphs.model import TestModel, TestOperand
from nnvet.generators.reducer.search import Search
from nnvet.hal.enums import OperandLifeTime, OperandType
from nnvet.hal.types import SymmPerChannelQuantParams
from nnvet.hal.validation.operands import CONSTANTS

_L: Final = OperandLifeTime
_GIVEN: Final = (_L.SUBGRAPH_INPUT, *CONSTANTS)
_INTEGERS: Final = (OperandType.INT32, OperandType.TENSOR_INT32)


def shrink_dimensions(search: Search) -> None:
    """Cut every size that occurs, wherever it does, then each axis of each tensor alone."""
    for size in sorted(_sizes(search.best), reverse=True):
        _bisect(size, partial(_cut_everywhere, search))
    for index, operand in enumerate(search.best.main.operands):
        for axis in range(len(operand.dimensions) if _is_given(operand) else 0):
            _bisect(search.best.main.operands[index].dimensions[axis], partial(_cut_axis, search, index, axis))


def _bisect(size: int, attempt: Callable[[int, int], bool]) -> None:
    """Look for the least size with which the test fails; ``attempt`` is given the least known one and another."""
    if size <= 1 or attempt(size, 1):
        return
    low, high = 1, size
    while high - low > 1:
        middle = (low + high) // 2
        if attempt(high, middle):
            high = middle
        else:
            low = middle


def _cut_everywhere(search: Search, size: int, target: int) -> bool:
    return any(search.attempt(_everywhere, search.best, size, target, numbers=numbers) for numbers in (False, True))


def _cut_axis(search: Search, index: int, axis: int, _size: int, target: int) -> bool:
    test = search.best
    return search.attempt(_with_main_operand, test, index, _cut(test.main.operands[index], axis, target))


def _is_given(operand: TestOperand) -> bool:
    return operand.lifetime in _GIVEN and operand.data is not None and operand.data.size > 0


def _sizes(test: TestModel) -> set[int]:
    return {size for operand in test.main.operands if _is_given(operand) for size in operand.dimensions if size > 1}


def _with_main_operand(test: TestModel, index: int, operand: TestOperand) -> TestModel:
    return replace(test, main=with_operand(test.main, index, operand))


def _everywhere(test: TestModel, size: int, target: int, *, numbers: bool) -> TestModel:
    """The test with all axes of a size cut; if it ``numbers``, integers of that value too, which may be sizes."""
    cut = {
        index: _cut_all(operand, size, target) for index, operand in enumerate(test.main.operands) if _is_given(operand)
    }
    if numbers:
        cut = {index: _renamed(operand, size, target) for index, operand in cut.items()}
    return replace(test, main=with_operands(test.main, cut))


def _cut_all(operand: TestOperand, size: int, target: int) -> TestOperand:
    for axis, found in enumerate(operand.dimensions):
        if found == size:
            operand = _cut(operand, axis, target)
    return operand


def _cut(operand: TestOperand, axis: int, target: int) -> TestOperand:
    """The first elements along an axis, with their scales."""
    assert operand.data is not None  # noqa: S101 - _is_given
    shaped = operand.data.reshape(operand.dimensions)
    kept = np.take(shaped, range(target), axis=axis)
    scales = operand.channel_quant
    if scales is not None and scales.channel_dim == axis:
        scales = SymmPerChannelQuantParams(tuple(scales.scales[:target]), scales.channel_dim)
    return replace(operand, dimensions=kept.shape, data=kept.reshape(-1), channel_quant=scales)


def _renamed(operand: TestOperand, size: int, target: int) -> TestOperand:
    """A constant of integers in which a number stands for another; the operand itself if it is not there."""
    data = operand.data
    if data is None or operand.type not in _INTEGERS or operand.lifetime == _L.SUBGRAPH_INPUT:
        return operand
    return replace(operand, data=np.where(data == size, data.dtype.type(target), data)) if size in data else operand
