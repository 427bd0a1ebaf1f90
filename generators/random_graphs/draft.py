"""Builder of one operation of a random graph: :class:`Draft`, to which a signature adds the operands.

The builders of ``families/`` call the methods of a draft in the order of the operation's operands. An input is *wired*,
which means that it is the output of an earlier operation, if one fits; other operands get random values. Terms of this
module: the *reach* of an operand bounds the magnitude of its values, its *spread* is approximately their root mean
square. ``generate.py`` uses :class:`Draft` itself, for graphs of one type; ``flow.py`` has the subclass for graphs of
mixed types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from functools import cache, lru_cache
from math import prod, sqrt
from typing import Any, ClassVar, Final

import numpy as np

from nnvet.generators.random_graphs import shapes
from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.graphs.model import Array, TestSubgraph, element_type
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.operations.shapes import broadcast
from nnvet.hal.types import FeatureLevel, OperandType, SymmPerChannelQuantParams


class DraftRole(Enum):
    """Roles of an operand. An operand with the role INPUT becomes an input or a constant of the model."""

    INPUT = "input"
    CONSTANT = "constant"
    OMITTED = "omitted"
    OUTPUT = "output"
    SUBGRAPH = "subgraph"


class Trait(IntEnum):
    """Properties that all values of an operand have, as bits that can be combined."""

    NONE = 0
    NON_ZERO = 1
    NON_NEGATIVE = 2
    POSITIVE = 3


UNBOUNDED: Final = float("inf")
"""Reach of outputs that may be infinite."""
_ONE_SIDED: Final = 0.87
"""Ratio of mean and root mean square for values evenly distributed from zero on."""


@dataclass(eq=False, slots=True)
class DraftOperand:
    """An operand of a drafted operation.

    ``data`` are its flat values; an input without data gets the default values of its type. All values have the
    ``traits``. ``reach`` bounds their magnitude, ``spread`` is approximately their root mean square, ``distinct`` the
    approximate number of different ones. With ``is_coarse`` they lie on a coarse grid, so that many are equal.

    With ``connects`` a later operation may read the operand; with ``is_checked`` a driver's results are compared.
    ``channel_quant`` are the scales of a TENSOR_QUANT8_SYMM_PER_CHANNEL. ``place`` is the operand's index in a graph of
    mixed types, -1 until it is added.
    """

    type: OperandType
    dimensions: shapes.Dimensions
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
        """Return True for a new tensor of the current operation, which may change until another operation reads it."""
        return self.role is DraftRole.INPUT and self.place < 0

    @property
    def quantization(self) -> tuple[float, int]:
        """Return scale and zero point."""
        return self.scale, self.zero_point

    @property
    def lean(self) -> float:
        """Return the approximate ratio of mean and root mean square; it is 0 unless all values have one sign."""
        if self.traits & Trait.NON_NEGATIVE:
            return _ONE_SIDED
        if not self.scale:
            return 0.0
        low, high = type_info(self.type).zero_point
        return _ONE_SIDED if 8 * min(self.zero_point - low, high - self.zero_point) < high - low else 0.0


Quantization = tuple[float, int]
"""Scale and zero point."""
PLAIN: Final[Quantization] = (0.0, 0)
"""Scale and zero point of types that are not quantised."""
_FLOAT_LIMIT: Final = 2.0
"""Default floats have magnitudes below this."""
_INTEGERS: Final = {OperandType.INT32, OperandType.TENSOR_INT32}
_INTEGER_LIMIT: Final = 255
"""Largest default integer; the smallest is 0."""
_SCALES: Final = (0.1, 2.0)
"""Range of default scales."""
# Constants, because looking up a member of an enumeration takes longer than most work on it.
_CONSTANT: Final = DraftRole.CONSTANT


def float32(value: float) -> float:
    """Return the value rounded to float32, as the contract keeps scales and scalars."""
    return float(np.float32(value))


def random_scale(chooser: Chooser, low: float = _SCALES[0], high: float = _SCALES[1]) -> float:
    """Return a random scale above ``low`` and at most ``high``, by default from the default range."""
    return float32(chooser.real(low, high))


def random_quantization(chooser: Chooser, kind: OperandType) -> Quantization:
    """Return a default scale and zero point; zeros for types that are not quantised."""
    info = type_info(kind)
    if info.scale != "positive":
        return PLAIN
    return random_scale(chooser), chooser.integer(*info.zero_point)


def reach_of(kind: OperandType, quantization: Quantization) -> float:
    """Return the reach of a type: the largest magnitude of its default values."""
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
    """Return flat default values of an operand's type with its traits.

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
    """Return ``count`` numbers from ``low`` to ``high``, both included."""
    words: Array = np.frombuffer(chooser.raw(4 * count), "<u4").astype(np.uint64)
    return (words * np.uint64(high - low + 1) >> np.uint64(32)).astype(np.int64) + low


def constant(kind: OperandType, value: Any) -> DraftOperand:
    """Return a constant with a value: a number for a scalar, an array-like for a tensor."""
    if isinstance(value, int):
        return DraftOperand(kind, (), role=_CONSTANT, data=_whole(kind, value))
    array = np.asarray(value, element_type(kind))
    return DraftOperand(kind, array.shape, role=_CONSTANT, data=array.reshape(-1))


@lru_cache(1 << 12)
def _whole(kind: OperandType, value: int) -> Array:
    """Return an array of one number, which is shared by all operands with this value."""
    array: Array = np.array([value], element_type(kind))
    array.flags.writeable = False
    return array


_T = OperandType
# Constants, because looking up a member of an enumeration takes longer than most work on it.
_INPUT: Final = DraftRole.INPUT
_OMITTED: Final = DraftRole.OMITTED
_OUTPUT: Final = DraftRole.OUTPUT
_WIRED: Final = 0.8
"""Probability that an input is wired to an earlier output if one fits."""
_REACHES: Final = {_T.TENSOR_FLOAT16: 1e2, _T.TENSOR_INT32: 2.0**15}
_REACH: Final = 1e3
"""Largest reach of outputs that are read further; larger values would overflow, or not be compared.

``_REACHES`` has that of types with smaller limits, ``_REACH`` that of all others.
"""
_ACTIVATIONS: Final = 4
"""Number of fused activations: NONE, RELU, RELU1 and RELU6."""
_MOST_HALVES: Final = 256
"""Largest number of terms in a sum of float16."""
_ABOVE: Final = 1.001
"""Factor by which a scale is certain to exceed another one after rounding to float32."""


@dataclass(eq=False, slots=True)
class Draft:
    """Draft of an operation of the primary type ``kind``, for a signature of feature level ``level``.

    ``earlier`` are the outputs of the operations before it. A signature's builder fills ``inputs`` and ``outputs`` in
    order, and ``subgraphs`` with those that the operation runs, each with the operand that refers to it. With a
    ``distribution_tolerance`` above 0 the results are random, and a driver's frequencies are judged instead of single
    values. The scale of the output has to exceed ``least_scale``.
    """

    most_padding: ClassVar[int] = 5
    """Most elements that padding adds at one end of a dimension."""

    chooser: Chooser
    limits: shapes.SizeLimits
    operation: int
    kind: OperandType
    rank: int
    level: int
    earlier: Sequence[DraftOperand] = ()
    inputs: list[DraftOperand] = field(default_factory=list)
    outputs: list[DraftOperand] = field(default_factory=list)
    subgraphs: list[tuple[DraftOperand, TestSubgraph]] = field(default_factory=list)
    distribution_tolerance: float = 0.0
    least_scale: float = 0.0

    @property
    def is_quantized(self) -> bool:
        """Return True if the primary type is quantised."""
        return type_info(self.kind).is_quantized

    @property
    def most_terms(self) -> int:
        """Return the most terms of a sum; they are few if the contract rounds every partial sum to float16."""
        return _MOST_HALVES if self.kind == _T.TENSOR_FLOAT16 else self.limits.elements

    @property
    def is_first_level(self) -> bool:
        """Return True for signatures of HAL 1.0, which has stricter rules for quantised operands."""
        return self.level == FeatureLevel.FL1

    # Operands that carry values.

    def input(
        self,
        shape: shapes.Shape | None = None,
        kind: OperandType | None = None,
        *,
        needs: int = Trait.NONE,
        quantization: Quantization | None = None,
        takes: Callable[[shapes.Dimensions], bool] | None = None,
    ) -> DraftOperand:
        """Add an input and return it: an earlier output that fits, or else a new tensor.

        By default it has the primary type and rank. ``needs`` are traits that its values must have. With a
        ``quantization`` it has that scale and zero point. ``takes`` decides about the dimensions of an earlier output
        instead of ``shape``.
        """
        kind = self.kind if kind is None else kind
        shape = shape or shapes.free(self.rank)
        fits = takes or (lambda dimensions: shape.takes(dimensions, self.limits))
        operand = self.wired(kind, needs, quantization, fits)
        if operand is None:
            operand = self.fresh(kind, shape, needs, quantization)
        self.inputs.append(operand)
        return operand

    def fresh(
        self, kind: OperandType, shape: shapes.Shape, needs: int, quantization: Quantization | None
    ) -> DraftOperand:
        """Return a new tensor, which becomes an input or a constant of the model."""
        chosen = random_quantization(self.chooser, kind) if quantization is None else quantization
        operand = DraftOperand(kind, shape.choose(self.chooser, self.limits), *chosen, traits=needs)
        operand.reach = reach_of(kind, chosen)
        return operand

    def input_padded_with_zero(self, shape: shapes.Shape) -> DraftOperand:
        """Add the input of an operation that pads, and return it.

        Before HAL 1.2 codes are padded with 0, whatever number that stands for, so that the zero point has to be 0.
        """
        has_old_codes = self.is_quantized and self.level < FeatureLevel.FL3
        return self.input(shape, quantization=(random_scale(self.chooser), 0) if has_old_codes else None)

    def wired(
        self,
        kind: OperandType,
        needs: int,
        quantization: Quantization | None,
        fits: Callable[[shapes.Dimensions], bool],
    ) -> DraftOperand | None:
        """Return an earlier output that fits the conditions; None if there is none, or by chance."""
        candidates = [
            operand
            for operand in self.earlier
            if operand.type == kind
            and operand.connects
            and not needs & ~operand.traits
            and quantization in (None, operand.quantization)
            and fits(operand.dimensions)
        ]
        if not candidates or not self.chooser.boolean(_WIRED):
            return None
        return candidates[-1] if self.chooser.boolean() else self.chooser.pick(candidates)

    def given(
        self, kind: OperandType, value: Any, quantization: Quantization = PLAIN, *, is_constant: bool = True
    ) -> DraftOperand:
        """Add an input with this value, which the signature's builder has chosen, and return it."""
        operand = constant(kind, value)
        operand.role = _CONSTANT if is_constant else _INPUT
        operand.scale, operand.zero_point = quantization
        self.inputs.append(operand)
        return operand

    def omitted(self, kind: OperandType, dimensions: shapes.Dimensions) -> None:
        """Add an operand of a type and these dimensions that has no value."""
        self.inputs.append(DraftOperand(kind, dimensions, role=_OMITTED))

    def subgraph(self, graph: TestSubgraph) -> None:
        """Add an operand for a subgraph that the operation runs."""
        operand = DraftOperand(_T.SUBGRAPH, (), role=DraftRole.SUBGRAPH)
        self.inputs.append(operand)
        self.subgraphs.append((operand, graph))

    # Parameters, which are constant.

    def number(self, value: int) -> int:
        """Add an INT32 parameter and return its value."""
        self.given(_T.INT32, value)
        return value

    def integer(self, low: int, high: int) -> int:
        """Add a random INT32 parameter from ``low`` to ``high``, both included, and return its value."""
        return self.number(self.chooser.integer(low, high))

    def numbers(self, values: Any) -> None:
        """Add a TENSOR_INT32 parameter."""
        self.given(_T.TENSOR_INT32, values)

    def places(self, count: int, last: int) -> list[int]:
        """Return ``count`` random indexes from 0 to ``last``, both included; add no operand."""
        return [self.chooser.integer(0, last) for _ in range(count)]

    def truth(self, value: bool | None = None) -> bool:  # noqa: FBT001 - the parameter is a truth value
        """Add a BOOL parameter, random unless ``value`` is given, and return its value."""
        chosen = self.chooser.boolean() if value is None else value
        self.given(_T.BOOL, chosen)
        return chosen

    def real(self, low: float, high: float) -> float:
        """Add a random scalar parameter above ``low`` and at most ``high``, and return its value.

        Its type is FLOAT16 if the primary type is TENSOR_FLOAT16, otherwise FLOAT32.
        """
        operand = self.given(self.float_scalar, self.chooser.real(low, high))
        return float(operand.data[0]) if operand.data is not None else 0.0

    @property
    def float_scalar(self) -> OperandType:
        """Return the type of real scalar parameters."""
        return _T.FLOAT16 if self.kind == _T.TENSOR_FLOAT16 else _T.FLOAT32

    def activation(self) -> None:
        """Add a random fused activation; with the primary type TENSOR_INT32 it is always NONE."""
        self.integer(0, 0 if self.kind == _T.TENSOR_INT32 else _ACTIVATIONS - 1)

    def axis(self, rank: int, *, negative: bool = True) -> int:
        """Add an axis parameter, and return it as a number from 0 on."""
        return self.integer(-rank if negative else 0, rank - 1) % rank

    # Outputs.

    def output(
        self,
        kind: OperandType | None = None,
        *,
        quantization: Quantization | None = None,
        traits: int = Trait.NONE,
        reach: float | None = None,
        connects: bool = True,
        is_checked: bool = True,
        spread: float | None = None,
    ) -> DraftOperand:
        """Add an output and return it; by default it has the primary type, and a random scale and zero point.

        ``reach`` bounds its values; None means that they are not larger than those of the inputs. ``spread`` is their
        approximate root mean square, if it grows in another proportion than ``reach``; only subclasses use it.
        """
        del spread
        kind = self.kind if kind is None else kind
        chosen = random_quantization(self.chooser, kind) if quantization is None else quantization
        if reach is None:
            reach = max(source.reach for source in self.inputs)
        if 0 < chosen[0] <= self.least_scale:
            chosen = float32(self.least_scale), chosen[1]
        if chosen[0]:
            reach = reach_of(kind, chosen)
        operand = DraftOperand(kind, (), *chosen, _OUTPUT, None, traits, reach, is_checked=is_checked)
        operand.connects = connects and (bool(chosen[0]) or reach <= _REACHES.get(kind, _REACH))
        self.outputs.append(operand)
        return operand

    def same(self, source: DraftOperand, **changes: Any) -> DraftOperand:
        """Add an output of the type and with the scale and zero point of an input, and return it."""
        return self.output(source.type, quantization=source.quantization, **changes)

    def finish(self) -> None:
        """Infer the dimensions of the outputs by the declaration of the operation.

        If they depend on values or subgraphs, the signature's builder has set them already.

        :raises HalError: the operands do not fit, which is a fault of the builder.
        """
        places = shapes.shaping_inputs(self.operation)
        if places:
            first, *others = [self.inputs[place].dimensions for place in places]
            (output,) = self.outputs
            output.dimensions = broadcast(first, others[0]) or () if others else first
            return
        inputs, outputs = (
            [_argument(operand) for operand in self.inputs],
            [_argument(output) for output in self.outputs],
        )
        for operand, spec in zip(self.outputs, shapes.infer_dimensions(self.operation, inputs, outputs), strict=True):
            if spec.dimensions is not None:
                operand.dimensions = spec.dimensions

    # Sizes.

    def size(self, used: int, low: int = 1, high: int | None = None) -> int:
        """Return a random dimension of a tensor whose other dimensions have the product ``used``."""
        return shapes.sized(self.chooser, low, max(low, min(high or self.limits.most, self.limits.elements // used)))

    def exceed(self, scale: float) -> None:
        """Note that the output's scale has to be above another one."""
        self.least_scale = scale * _ABOVE

    def scale_above(self, scale: float) -> Quantization:
        """Return a quantisation of the primary type with a scale above another, up to five times as large."""
        if not self.is_quantized:
            return PLAIN
        _, zero_point = random_quantization(self.chooser, self.kind)
        return random_scale(self.chooser, _ABOVE * scale, 5 * scale), zero_point


def product_scale(*operands: DraftOperand) -> float:
    """Return the product of the operands' scales, which is the scale of products of their codes."""
    return float32(prod(operand.scale for operand in operands))


def spread_of_sum(terms: int, *factors: DraftOperand) -> float:
    """Return the spread of sums of ``terms`` products; values of both signs mostly cancel each other."""
    lean = prod(operand.lean for operand in factors)
    return prod(operand.spread for operand in factors) * sqrt(terms + (terms * lean) ** 2)


def unbounded() -> dict[str, Any]:
    """Return arguments of :meth:`Draft.output` for an output that is not read, since it may be infinite or NaN."""
    return {"reach": UNBOUNDED, "connects": False}


def _argument(operand: DraftOperand) -> Argument:
    value, dimensions = operand.data, operand.dimensions
    if value is not None and len(dimensions) != 1:
        value = value.reshape(dimensions)
    is_omitted = operand.role is _OMITTED
    scale, zero_point = operand.scale, operand.zero_point
    return Argument(operand.type, dimensions, scale, zero_point, operand.channel_quant, value, omitted=is_omitted)
