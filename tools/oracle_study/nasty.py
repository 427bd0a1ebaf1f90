"""Ten nasty kinds of numbers, such as infinities, subnormal numbers or sums that cancel, for the inputs of models.

:func:`make_nasty_models` yields models with them for ``comparisons.py``; ``models.py`` makes the models. :data:`FLOATS`
changes floats and :data:`CODES` changes 8-bit codes, by the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace as with_fields
from typing import Any, Final, TypeAlias
from zlib import crc32

import numpy as np
from msgspec.structs import replace

from nnvet.generators.accuracy.dot_products import KINDS as PRODUCTS
from nnvet.generators.accuracy.shaped_sums import SHAPES, shaped_sum
from nnvet.graphs.model import TestModel, TestOperand
from nnvet.hal.operand_types import type_info
from nnvet.oracle.arithmetic.sums import Array
from tools.oracle_study.models import FIRST_ALONE, KEPT, KINDS, StudyModel, is_codes, make_singles

Nasty: TypeAlias = Callable[[Array, int, np.random.Generator], Array]
"""Function that returns other numbers in the shape of random ones.

Its second argument is 0 for the first input and 1 for the others; the third is a generator of random numbers.
"""

_BETWEEN: Final = 20
"""Range of magnitudes: factors lie between 2^-20 and 2^20."""
_CLOSE: Final = 1e-3
"""Share of a sum's terms that remains when the others cancel."""
_RARE: Final = 16
"""One of so many numbers is infinite or NaN."""


def _make_cancelling(x: Array, side: int, chance: np.random.Generator) -> Array:
    del chance
    found, half = x.copy(), x.shape[-1] // 2 if x.ndim else 0
    if half:
        found[..., half : 2 * half] = found[..., :half] * (-(1 - _CLOSE) if side else 1)
    return np.abs(found) * np.where(np.arange(x.shape[-1]) < half, 1, -1 if side else 1) if half else found


def _sprinkle(x: Array, side: int, chance: np.random.Generator) -> Array:
    del side
    odd = chance.choice([np.inf, -np.inf, np.nan], x.shape)
    return np.where(chance.integers(_RARE, size=x.shape) == 0, odd, x)


FLOATS: Final[dict[str, Nasty]] = {
    "one sign": lambda x, _side, _chance: np.abs(x),
    "cancelling": _make_cancelling,
    "magnitudes": lambda x, _side, chance: x * np.exp2(_BETWEEN * chance.uniform(-1, 1, x.shape)),
    "half zeros": lambda x, _side, chance: np.where(chance.integers(2, size=x.shape) == 0, x, 0.0),
    "subnormal": lambda x, side, _chance: x * (2.0**-66 if side else 2.0**-68),
    "near overflow": lambda x, side, _chance: x * (2.0**58 if side else 2.0**64),
    "constant": lambda x, side, _chance: np.full(x.shape, 0.7 if side else 0.1),
    "powers of two": lambda x, _side, chance: np.copysign(np.exp2(chance.integers(-8, 9, x.shape)), x),
    "integers": lambda x, _side, chance: np.rint(x) + chance.integers(-100, 101, x.shape),
    "infinities and NaN": _sprinkle,
}
"""Nasty floats by name, for float32; rounding to float16 keeps most of them nasty."""
_HALF_SCALES: Final = {"subnormal": 2.0**-10, "near overflow": 2.0**10}
"""Factors that take their place in float16, whose range is smaller."""
CODES: Final[dict[str, Nasty]] = {
    "one sign": lambda c, _side, _chance: np.abs(c),
    "cancelling": _make_cancelling,
    "magnitudes": lambda c, _side, chance: np.sign(c) * 2 ** chance.integers(0, 8, c.shape),
    "half zeros": lambda c, _side, chance: np.where(chance.integers(2, size=c.shape) == 0, c, 0),
    "subnormal": lambda c, _side, _chance: np.sign(c),
    "near overflow": lambda c, _side, _chance: np.where(c < 0, -255, 255),
    "constant": lambda c, side, _chance: np.full(c.shape, 7 if side else 101),
    "powers of two": lambda c, _side, chance: 2 ** chance.integers(0, 8, c.shape),
    "integers": lambda c, _side, _chance: np.arange(c.size).reshape(c.shape) % 256 - 128,
    "infinities and NaN": lambda c, _side, chance: np.where(chance.integers(3, size=c.shape) == 0, 255, -255),
}
"""Nasty codes by the same names: functions of distances from the zero point; results saturate."""
NAMES: Final = tuple(FLOATS)
"""Names of the kinds, in the order in which pieces take turns with them."""


def apply_nasty(test: TestModel, name: str, seed: int) -> TestModel:
    """Return a model of one operation whose tensors have numbers of a nasty kind."""
    (operation,) = test.main.operations
    if operation.type in KEPT:
        return test
    changed = list(test.main.operands)
    for side, index in enumerate(operation.inputs):
        if side and operation.type in FIRST_ALONE:
            break
        chance = np.random.default_rng([seed, side, crc32(test.name.encode())])
        changed[index] = _change_operand(changed[index], name, min(side, 1), chance, is_half=test.is_relaxed)
    return replace(test, main=replace(test.main, operands=tuple(changed)))


def _change_operand(operand: TestOperand, name: str, side: int, chance: Any, *, is_half: bool) -> TestOperand:
    info = type_info(operand.type)
    if operand.data is None or not operand.data.size or not info.is_tensor:
        return operand
    shape = operand.dimensions if np.prod(operand.dimensions) == operand.data.size else operand.data.shape
    with np.errstate(all="ignore"):
        if info.is_float:
            drawn, is_half = operand.data.astype(np.float64).reshape(shape), is_half or info.dtype == "float16"
            wide = drawn * _HALF_SCALES[name] if is_half and name in _HALF_SCALES else FLOATS[name](drawn, side, chance)
            made = wide.astype(np.float16 if is_half else np.float32).astype(operand.data.dtype)
        elif is_codes(operand):
            low, high = (int(end) for end in (np.iinfo(info.dtype).min, np.iinfo(info.dtype).max))
            centred = operand.data.astype(np.int64).reshape(shape) - operand.zero_point
            wide = np.rint(CODES[name](centred, side, chance)) + operand.zero_point
            made = np.clip(wide, low, high).astype(operand.data.dtype)
        else:
            return operand
    return replace(operand, data=made.reshape(operand.data.shape))


def make_nasty_models(seed: int, piece: int) -> Iterator[StudyModel]:
    """Yield models of all operations and kinds of arithmetic with nasty numbers, whose kind depends on the piece.

    Sums follow in shapes for which matrix libraries choose different algorithms.
    """
    name, number = NAMES[piece % len(NAMES)], seed + piece
    for kind in KINDS:
        for sample in make_singles(number, kind):
            yield with_fields(sample, test=apply_nasty(sample.test, name, number))
    for shape, summed in SHAPES.items():
        for kind, product in PRODUCTS.items():
            test = shaped_sum(shape, product, number)
            yield StudyModel(apply_nasty(test, name, number), kind, summed.operation.name)
