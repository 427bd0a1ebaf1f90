"""Values of the operands of random models of mixed types, cut from a table of noise: quickly, and the same everywhere.

A tensor takes consecutive elements of the table from a random place on. Place 0 stands for plain ones, so that tests
that shrink their decisions end there.
"""

from __future__ import annotations

import random
from functools import cache
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from nnvet.generators.graphs.model import Array, element_type
from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.operands import DraftOperand, Trait
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info

_T = OperandType
# Members of enumerations: finding one takes longer than most of what is done with it.
_TRUTHS: Final = (_T.TENSOR_BOOL8, _T.BOOL)
_NON_ZERO: Final = Trait.NON_ZERO
_NON_NEGATIVE: Final = Trait.NON_NEGATIVE
_SIZE: Final = 1 << 18
_SEED: Final = 11
_INTEGERS: Final = 256
_INTEGER_TYPES: Final = (_T.TENSOR_INT32, _T.INT32)
_GRID: Final = 4
"""Steps of coarse floats from 0 to the largest."""
_INTEGER_STEP: Final = 16
_CODE_STEPS: Final = 32
_BEYOND: Final = 5
"""Steps of coarse codes over the range, and how many more would lie beyond its ends, which are taken instead."""


def values_of(chooser: Chooser, operand: DraftOperand) -> Array:
    """Values for a new tensor or scalar: within its reach, with its traits, on its grid; flat.

    Floats lie within ``reach``, integers too, codes anywhere; truth values are true half the time.
    """
    count = prod(operand.dimensions)
    place = chooser.integer(0, _SIZE - count)
    form = _form(operand.type)
    if form.is_float:
        return _floats(operand, form, count, place)
    if operand.type in _TRUTHS:
        return form.table[place : place + count] & 1 if place else np.ones(count, np.uint8)
    return _codes(operand, form, count, place)


@cache
def _table(name: str) -> Array:
    """The noise, as elements of a type: floats in (-1, 1) that are never 0, integers in -255 to 255, codes in full."""
    source = random.Random(_SEED)  # noqa: S311 - no secret
    words: Array = np.frombuffer(source.randbytes(4 * _SIZE), "<u4")
    if name.startswith("float"):
        # Odd multiples of 2^-12 are exact in float16 as well.
        floats = ((words >> 20).astype(np.float64) * 2 + 1) / 2.0**12 - 1
        table = floats.astype(name)
    elif name == "int32":
        table = (words % (2 * _INTEGERS - 1)).astype(np.int32) - (_INTEGERS - 1)
    else:
        table = words.astype(f"uint{8 * np.dtype(name).itemsize}").view(name)
    table.flags.writeable = False
    return table


class _Form(NamedTuple):
    """Properties of the values of a type: the noise as its elements, their NumPy type, and bounds of integers."""

    table: Array
    kind: Any
    is_float: bool
    low: int
    high: int


@cache
def _form(kind: OperandType) -> _Form:
    name, is_float = element_type(kind), type_info(kind).is_float
    limits = (0, 0) if is_float else (int(np.iinfo(name).min), int(np.iinfo(name).max))
    return _Form(_table(name), np.dtype(name).type, is_float, *limits)


def _floats(operand: DraftOperand, form: _Form, count: int, place: int) -> Array:
    kind = form.kind
    if not place:
        return np.full(count, operand.reach, kind)
    values = form.table[place : place + count]
    if operand.is_coarse:
        values = np.rint(values * kind(_GRID)) / kind(_GRID)
        if operand.traits & _NON_ZERO:
            values[values == 0] = kind(1 / _GRID)
    if operand.reach != 1:
        values = values * kind(operand.reach)
    if operand.traits & _NON_NEGATIVE:
        values = np.abs(values)
    return values


def _codes(operand: DraftOperand, form: _Form, count: int, place: int) -> Array:
    if not place:
        one = operand.zero_point + round(1 / operand.scale) if operand.scale else 1
        return np.full(count, min(max(one, form.low), form.high), form.kind)
    values, traits = form.table[place : place + count], operand.traits
    is_integer = operand.type in _INTEGER_TYPES
    if is_integer and operand.scale:
        # A bias: real numbers in (-1, 1), whatever its scale.
        return np.minimum(np.maximum(np.rint(values / (_INTEGERS * operand.scale)), -(2**30)), 2**30).astype(form.kind)
    if is_integer:
        values = values * np.int32(operand.reach) // np.int32(_INTEGERS - 1)
    if operand.is_coarse:
        values = _coarse(values, operand, form)
    if traits & _NON_NEGATIVE:
        values = np.maximum(np.abs(values) if is_integer else values, form.kind(operand.zero_point))
    if traits & _NON_ZERO:
        # The next code up, or down from the end.
        other = operand.zero_point + 1 if operand.zero_point < form.high else operand.zero_point - 1
        values = np.where(values == operand.zero_point, form.kind(other), values)
    return values


def _coarse(values: Array, operand: DraftOperand, form: _Form) -> Array:
    """Few values around the zero point, both ends among them, that are multiples of a power of two away from it.

    Their sums and products by scales that are powers of two are half-way between two codes, time and again.
    """
    if operand.type in _INTEGER_TYPES:
        return values // _INTEGER_STEP
    low, high = form.low, form.high
    step = (high - low + 1) // _CODE_STEPS
    steps = values.astype(np.int64) % (_CODE_STEPS + _BEYOND) - (_CODE_STEPS + _BEYOND) // 2
    if operand.lean:
        steps = 2 * np.abs(steps) * (1 if operand.zero_point < (low + high) / 2 else -1)
    return np.minimum(np.maximum(operand.zero_point + step * steps, low), high).astype(values.dtype)
