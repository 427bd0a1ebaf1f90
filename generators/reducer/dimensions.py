"""Passes of the reducer that make tensors smaller or simpler and leave the graph as it is.

One pass cuts inputs and constants, and all other tensors get the dimensions that follow. Others simplify operands, or
turn a float16 or quantised graph into a float32 one. Each pass proposes candidates with :meth:`Search.attempt`, which
keeps a candidate if it still fails in the same way. ``reducing.py`` runs the passes after those of ``operations.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.reducer.evaluation import compact
from nnvet.generators.reducer.search import Search
from nnvet.graphs.editor import map_operands, with_operand, with_operands, with_operation
from nnvet.graphs.model import Array, TestModel, TestOperand
from nnvet.hal.enums import CONSTANTS
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import OperandLifeTime, OperandType, SymmPerChannelQuantParams

_L: Final = OperandLifeTime
_GIVEN: Final = (_L.SUBGRAPH_INPUT, *CONSTANTS)
_INTEGERS: Final = (OperandType.INT32, OperandType.TENSOR_INT32)


def shrink_dimensions(search: Search) -> None:
    """Reduce every size that occurs, in all places at once, then each axis of each tensor alone."""
    for size in sorted(_find_sizes(search.best), reverse=True):
        _bisect(size, partial(_cut_everywhere, search))
    for index, operand in enumerate(search.best.main.operands):
        for axis in range(len(operand.dimensions) if _is_given(operand) else 0):
            _bisect(search.best.main.operands[index].dimensions[axis], partial(_cut_axis, search, index, axis))


def _bisect(size: int, attempt: Callable[[int, int], bool]) -> None:
    """Find the least size with which the test fails; ``attempt`` gets the least known size and a smaller one."""
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
    return any(
        search.attempt(_cut_size_everywhere, search.best, size, target, numbers=numbers) for numbers in (False, True)
    )


def _cut_axis(search: Search, index: int, axis: int, _size: int, target: int) -> bool:
    test = search.best
    return search.attempt(_with_main_operand, test, index, _cut(test.main.operands[index], axis, target))


def _is_given(operand: TestOperand) -> bool:
    return operand.lifetime in _GIVEN and operand.data is not None and operand.data.size > 0


def _find_sizes(test: TestModel) -> set[int]:
    return {size for operand in test.main.operands if _is_given(operand) for size in operand.dimensions if size > 1}


def _with_main_operand(test: TestModel, index: int, operand: TestOperand) -> TestModel:
    return replace(test, main=with_operand(test.main, index, operand))


def _cut_size_everywhere(test: TestModel, size: int, target: int, *, numbers: bool) -> TestModel:
    """Return the test with every axis of a ``size`` cut to ``target``.

    With ``numbers``, integer constants of that value are replaced, too, because they may be sizes.
    """
    cut = {
        index: _cut_all(operand, size, target) for index, operand in enumerate(test.main.operands) if _is_given(operand)
    }
    if numbers:
        cut = {index: _replace_number(operand, size, target) for index, operand in cut.items()}
    return replace(test, main=with_operands(test.main, cut))


def _cut_all(operand: TestOperand, size: int, target: int) -> TestOperand:
    for axis, found in enumerate(operand.dimensions):
        if found == size:
            operand = _cut(operand, axis, target)
    return operand


def _cut(operand: TestOperand, axis: int, target: int) -> TestOperand:
    """Return the first elements along an axis, with their scales."""
    assert operand.data is not None  # noqa: S101 - _is_given
    shaped = operand.data.reshape(operand.dimensions)
    kept = np.take(shaped, range(target), axis=axis)
    scales = operand.channel_quant
    if scales is not None and scales.channel_dim == axis:
        scales = SymmPerChannelQuantParams(tuple(scales.scales[:target]), scales.channel_dim)
    return replace(operand, dimensions=kept.shape, data=kept.reshape(-1), channel_quant=scales)


def _replace_number(operand: TestOperand, size: int, target: int) -> TestOperand:
    """Return a constant of integers with one number replaced by another."""
    data = operand.data
    if data is None or operand.type not in _INTEGERS or operand.lifetime == _L.SUBGRAPH_INPUT:
        return operand
    return replace(operand, data=np.where(data == size, data.dtype.type(target), data)) if size in data else operand


_T: Final = OperandType
_FLOAT16_TYPES: Final = {_T.TENSOR_FLOAT16: _T.TENSOR_FLOAT32, _T.FLOAT16: _T.FLOAT32}


def widen_types(search: Search) -> None:
    """Turn codes, then float16 into float32, for all operands of the model at once."""
    for change in (_dequantise, _widen):
        search.attempt(map_operands, search.best, change)


def _widen(operand: TestOperand) -> TestOperand:
    if operand.type not in _FLOAT16_TYPES:
        return operand
    data = None if operand.data is None else operand.data.astype(np.float32)
    return replace(operand, type=_FLOAT16_TYPES[_T(operand.type)], data=data)


def _dequantise(operand: TestOperand) -> TestOperand:
    """Return codes as the numbers that they represent; biases are recognised by their scale."""
    is_bias = operand.type == _T.TENSOR_INT32 and operand.scale > 0
    if not type_info(operand.type).is_quantized and not is_bias:
        return operand
    data = None if operand.data is None else _to_numbers(operand, operand.data)
    return replace(operand, type=_T.TENSOR_FLOAT32, scale=0.0, zero_point=0, channel_quant=None, data=data)


def _to_numbers(operand: TestOperand, data: Array) -> Array:
    scales = operand.channel_quant
    codes = data.astype(np.float64)
    if scales is None or not data.size:
        return ((codes - operand.zero_point) * operand.scale).astype(np.float32)
    shape = [-1 if axis == scales.channel_dim else 1 for axis in range(len(operand.dimensions))]
    factors = np.array(scales.scales, np.float64).reshape(shape)
    return (codes.reshape(operand.dimensions) * factors).astype(np.float32).reshape(-1)


def omit_operands(search: Search) -> None:
    """Leave out optional inputs at the end of operations, and optional values of other inputs."""
    for position in range(len(search.best.main.operations)):
        while search.attempt(_without_last_input, search.best, position):
            pass
    index = 0
    while index < len(search.best.main.operands):
        search.attempt(_omit, search.best, index)
        index += 1


def _without_last_input(test: TestModel, position: int) -> TestModel | None:
    operation = test.main.operations[position]
    if len(operation.inputs) <= 1 or test.main.operands[operation.inputs[-1]].lifetime not in (*_GIVEN, _L.NO_VALUE):
        return None
    shorter = with_operation(test.main, position, replace(operation, inputs=operation.inputs[:-1]))
    return compact(test, shorter.operands, shorter.operations)[0]


def _omit(test: TestModel, index: int) -> TestModel | None:
    operand = test.main.operands[index]
    if operand.lifetime not in _GIVEN:
        return None
    nothing = replace(operand, lifetime=_L.NO_VALUE, data=None)
    changed = with_operand(test.main, index, nothing)
    return compact(test, changed.operands, changed.operations)[0]


def neutral_scalars(search: Search) -> None:
    """Set scalar constants to 0 or 1, so that there is no activation, stride, dilation or padding."""
    for index, operand in enumerate(search.best.main.operands):
        if operand.lifetime in CONSTANTS and operand.data is not None and not type_info(operand.type).is_tensor:
            neutral = (np.array([value], operand.data.dtype) for value in (0, 1))
            _try_values(search, index, neutral)


def plain_values(search: Search) -> None:
    """Replace values by zeros, ones, or at least whole numbers."""
    for index, operand in enumerate(search.best.main.operands):
        if operand.lifetime in _GIVEN and operand.data is not None and type_info(operand.type).is_tensor:
            _try_values(search, index, _propose_plainer(operand, operand.data))


def _propose_plainer(operand: TestOperand, data: Array) -> Iterator[Array]:
    zero = data.dtype.type(operand.zero_point) if type_info(operand.type).is_quantized else data.dtype.type(0)
    yield np.full_like(data, zero)
    yield np.full_like(data, min(int(zero) + 1, 127))
    if data.dtype.kind == "f" and np.isfinite(data).all():
        yield np.round(data)
        yield np.round(data, 1)


def _try_values(search: Search, index: int, plainer: Iterator[Array]) -> None:
    """Try values in turn until one fails in the same way, or equals the current value."""
    test = search.best
    operand = test.main.operands[index]
    for data in plainer:
        if operand.data is None or np.array_equal(data, operand.data):
            return
        if search.attempt(_with_value, test, index, data):
            return


def _with_value(test: TestModel, index: int, data: Array) -> TestModel:
    operand = replace(test.main.operands[index], data=data)
    return replace(test, main=with_operand(test.main, index, operand))


def demand_full_precision(search: Search) -> None:
    """Clear the flag that allows float16 precision for float32."""
    test = search.best
    if test.is_relaxed:
        search.attempt(_clear_relaxed, test)


def _clear_relaxed(test: TestModel) -> TestModel:
    return replace(test, is_relaxed=False)


def copy_constants(search: Search) -> None:
    """Copy constants from pools into the model."""
    test = search.best
    if any(operand.lifetime == _L.CONSTANT_REFERENCE for graph in test.subgraphs for operand in graph.operands):
        search.attempt(map_operands, test, _copy_constant)


def _copy_constant(operand: TestOperand) -> TestOperand:
    is_shared = operand.lifetime == _L.CONSTANT_REFERENCE
    return replace(operand, lifetime=_L.CONSTANT_COPY) if is_shared else operand
