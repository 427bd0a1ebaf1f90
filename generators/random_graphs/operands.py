"""Operands of a graph in the making, and the values they get."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import cache, lru_cache
from math import prod
from typing import Any, Final

import numpy as np

from nnvet.generators.graphs.model import Array, element_type
from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.shapes import Dimensions
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import SymmPerChannelQuantParams


class DraftRole(Enum):
    """Roles of an operand for its operation. Inputs become inputs or constants of the model, or are wired."""

    INPUT = "input"
    CONSTANT = "constant"
    OMITTED = "omitted"
    OUTPUT = "output"
    SUBGRAPH = "subgraph"


class Trait(IntEnum):
    """Properties of all values of an operand: bits, which are summed up."""

    NONE = 0
    NON_ZERO = 1
    NON_NEGATIVE = 2
    POSITIVE = 3


UNBOUNDED: Final = float("inf")
_ONE_SIDED: Final = 0.87
"""Mean by root mean square of even values from zero on."""


@dataclass(eq=False, slots=True)
class DraftOperand:
    """One operand. ``data`` is flat; inputs without any get the default values of their type.

    ``reach`` bounds the magnitude of the values, ``spread`` is their root mean square, about. ``connects``: it may take
    part in a connection. ``is_checked``: its values are compared. ``channel_quant`` are the scales of a
    TENSOR_QUANT8_SYMM_PER_CHANNEL. ``is_coarse``: its values lie on a coarse grid, so that many are equal.
    ``distinct``: of how many different values it may be, about. ``place``: its index in a graph that it was added to.
    """

    type: OperandType
    dimensions: Dimensions
    scale: float = 0.0
    zero_point: int = 0
    role: DraftRole = DraftRole.INPUT
    data: Array | None = None
    traits: int = Trait.NONE
    reach: float = 0.0
    connects: bool = True
    is_checked: bool = True
    channel_quant: SymmPerChannelQuantParams | None = None
    spread: float = 0.0
    is_coarse: bool = False
    distinct: int = 1
    place: int = -1

    @property
    def is_new(self) -> bool:
        """True if it is a new tensor of the operation in the making: until another reads it, it may be changed."""
        return self.role is DraftRole.INPUT and self.place < 0

    @property
    def quantization(self) -> tuple[float, int]:
        """Scale and zero point."""
        return self.scale, self.zero_point

    @property
    def lean(self) -> float:
        """Mean of the values as a share of their root mean square, about: 0 unless they lie on one side of zero."""
        if self.traits & Trait.NON_NEGATIVE:
            return _ONE_SIDED
        if not self.scale:
            return 0.0
        low, high = type_info(self.type).zero_point
        return _ONE_SIDED if 8 * min(self.zero_point - low, high - self.zero_point) < high - low else 0.0


Quantization = tuple[float, int]
PLAIN: Final[Quantization] = (0.0, 0)
_FLOAT_LIMIT: Final = 2.0
_INTEGERS: Final = {OperandType.INT32, OperandType.TENSOR_INT32}
_INTEGER_LIMIT: Final = 255
_SCALES: Final = (0.1, 2.0)
# Members of enumerations: finding one takes longer than most of what is done with it.
_CONSTANT: Final = DraftRole.CONSTANT


def float32(value: float) -> float:
    """The value rounded to float32, as the contract keeps scales and scalars."""
    return float(np.float32(value))


def random_scale(chooser: Chooser, low: float = _SCALES[0], high: float = _SCALES[1]) -> float:
    """A scale of the default range, or of another."""
    return float32(chooser.real(low, high))


def random_quantization(chooser: Chooser, kind: OperandType) -> Quantization:
    """A default scale and zero point; nothing for types that are not quantised."""
    info = type_info(kind)
    if info.scale != "positive":
        return PLAIN
    return random_scale(chooser), chooser.integer(*info.zero_point)


def reach_of(kind: OperandType, quantization: Quantization) -> float:
    """Largest magnitude of the default values of a type."""
    if kind in _INTEGERS:
        return _INTEGER_LIMIT
    scale, zero_point = quantization
    if not scale:
        return _FLOAT_LIMIT if type_info(kind).is_float else 1.0
    low, high = _code_range(kind)
    return scale * max(high - zero_point, zero_point - low)


@cache
def _code_range(kind: OperandType) -> tuple[int, int]:
    limits = np.iinfo(element_type(kind))
    return int(limits.min), int(limits.max)


def random_values(chooser: Chooser, operand: DraftOperand) -> Array:
    """Default values of an operand's type that have its traits; flat.

    Floats lie in (-2, 2), integers in 0 to 255, codes anywhere; truth values are true half the time.
    """
    count, dtype = prod(operand.dimensions), element_type(operand.type)
    if type_info(operand.type).is_float:
        return _floats(chooser, count, operand.traits).astype(dtype)
    if operand.type in (OperandType.TENSOR_BOOL8, OperandType.BOOL):
        return random_integers(chooser, count, 0, 1).astype(dtype)
    limits = np.iinfo(dtype)
    low, high = (0, _INTEGER_LIMIT) if operand.type in _INTEGERS else (limits.min, limits.max)
    if operand.traits & Trait.NON_NEGATIVE:
        low = max(low, operand.zero_point)
    if not operand.traits & Trait.NON_ZERO:
        return random_integers(chooser, count, low, high).astype(dtype)
    values = random_integers(chooser, count, low, high - 1)
    return (values + (values >= operand.zero_point)).astype(dtype)


def _floats(chooser: Chooser, count: int, traits: int) -> Array:
    # Odd multiples of 2^-23 in (-2, 2): never zero in float32. In float16 the smallest are subnormal.
    words = np.frombuffer(chooser.raw(4 * count), "<u4") >> 8
    values: Array = (2.0 * words + 1.0) / 2.0**23 - _FLOAT_LIMIT
    if traits & Trait.NON_NEGATIVE:
        return np.abs(values)
    return values


def random_integers(chooser: Chooser, count: int, low: int, high: int) -> Array:
    """So many numbers from ``low`` to ``high``, both included."""
    words: Array = np.frombuffer(chooser.raw(4 * count), "<u4").astype(np.uint64)
    return (words * np.uint64(high - low + 1) >> np.uint64(32)).astype(np.int64) + low


def constant(kind: OperandType, value: Any) -> DraftOperand:
    """A constant with a value: a number for a scalar, an array-like for a tensor."""
    if isinstance(value, int):
        return DraftOperand(kind, (), role=_CONSTANT, data=_whole(kind, value))
    array = np.asarray(value, element_type(kind))
    return DraftOperand(kind, array.shape, role=_CONSTANT, data=array.reshape(-1))


@lru_cache(1 << 12)
def _whole(kind: OperandType, value: int) -> Array:
    """One number; the array is shared by all operands that have it."""
    array: Array = np.array([value], element_type(kind))
    array.flags.writeable = False
    return array
