"""One operation in the making: what signatures build with. Inputs are wired to earlier outputs where these fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod, sqrt
from typing import Any, ClassVar, Final

from nnvet.generators.graphs.model import TestSubgraph
from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.inference import infer_dimensions, shaping_inputs
from nnvet.generators.random_graphs.operands import (
    PLAIN,
    UNBOUNDED,
    DraftOperand,
    DraftRole,
    Quantization,
    Trait,
    constant,
    float32,
    random_quantization,
    random_scale,
    reach_of,
)
from nnvet.generators.random_graphs.shapes import Dimensions, Shape, SizeLimits, free, sized
from nnvet.hal.enums import FeatureLevel, OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.operations.shapes import broadcast

_T = OperandType
# Members of enumerations: finding one takes longer than most of what is done with it.
_INPUT: Final = DraftRole.INPUT
_CONSTANT: Final = DraftRole.CONSTANT
_OMITTED: Final = DraftRole.OMITTED
_OUTPUT: Final = DraftRole.OUTPUT
_WIRED: Final = 0.8
"""Probability that an input that fits an earlier output is wired to one."""
_REACHES: Final = {_T.TENSOR_FLOAT16: 1e2, _T.TENSOR_INT32: 2.0**15}
_REACH: Final = 1e3
"""Values that may become larger are not passed on: they would overflow, or not be compared."""
_ACTIVATIONS: Final = 4
_MOST_HALVES: Final = 256
_ABOVE: Final = 1.001
"""By this factor a scale is surely above another one, rounded to float32."""


@dataclass(eq=False, slots=True)
class Draft:
    """An operation of a primary type ``kind``, of a signature of feature level ``level``.

    ``earlier`` are the outputs of the operations before it. Signatures fill ``inputs`` and ``outputs`` in order;
    ``subgraphs`` are those that the operation runs, with the operands that refer to them. With a
    ``distribution_tolerance`` the frequencies of the results are judged, not the results.
    """

    most_padding: ClassVar[int] = 5
    """Cells that are added at an end of a dimension."""

    chooser: Chooser
    limits: SizeLimits
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
        """True if the primary type is quantised."""
        return type_info(self.kind).is_quantized

    @property
    def most_terms(self) -> int:
        """Limit of the numbers that may be summed up: few where the contract rounds every partial sum to float16."""
        return _MOST_HALVES if self.kind == _T.TENSOR_FLOAT16 else self.limits.elements

    @property
    def is_first_level(self) -> bool:
        """True if the signature is of HAL 1.0, which asks more of quantised operands."""
        return self.level == FeatureLevel.FL1

    # Operands that carry values.

    def input(
        self,
        shape: Shape | None = None,
        kind: OperandType | None = None,
        *,
        needs: int = Trait.NONE,
        quantization: Quantization | None = None,
        takes: Callable[[Dimensions], bool] | None = None,
    ) -> DraftOperand:
        """An earlier output that fits, or a new tensor; of the primary type and rank unless given.

        ``quantization`` is demanded, ``takes`` decides on the dimensions of an earlier output in place of ``shape``.
        """
        kind = self.kind if kind is None else kind
        shape = shape or free(self.rank)
        fits = takes or (lambda dimensions: shape.takes(dimensions, self.limits))
        operand = self.wired(kind, needs, quantization, fits)
        if operand is None:
            operand = self.fresh(kind, shape, needs, quantization)
        self.inputs.append(operand)
        return operand

    def fresh(self, kind: OperandType, shape: Shape, needs: int, quantization: Quantization | None) -> DraftOperand:
        """A new tensor, which becomes an input or a constant of the model."""
        chosen = random_quantization(self.chooser, kind) if quantization is None else quantization
        operand = DraftOperand(kind, shape.choose(self.chooser, self.limits), *chosen, traits=needs)
        operand.reach = reach_of(kind, chosen)
        return operand

    def input_padded_with_zero(self, shape: Shape) -> DraftOperand:
        """An input of an operation that pads.

        Before HAL 1.2 codes are padded with 0, whatever number that stands for, so that the zero point has to be 0.
        """
        has_old_codes = self.is_quantized and self.level < FeatureLevel.FL3
        return self.input(shape, quantization=(random_scale(self.chooser), 0) if has_old_codes else None)

    def wired(
        self, kind: OperandType, needs: int, quantization: Quantization | None, fits: Callable[[Dimensions], bool]
    ) -> DraftOperand | None:
        """An earlier output that fits, if one is to be read."""
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
        """An operand of a type, whose values the signature decides; never wired."""
        operand = constant(kind, value)
        operand.role = _CONSTANT if is_constant else _INPUT
        operand.scale, operand.zero_point = quantization
        self.inputs.append(operand)
        return operand

    def omitted(self, kind: OperandType, dimensions: Dimensions) -> None:
        """An operand without a value."""
        self.inputs.append(DraftOperand(kind, dimensions, role=_OMITTED))

    def subgraph(self, graph: TestSubgraph) -> None:
        """A subgraph that the operation runs."""
        operand = DraftOperand(_T.SUBGRAPH, (), role=DraftRole.SUBGRAPH)
        self.inputs.append(operand)
        self.subgraphs.append((operand, graph))

    # Parameters, which are constant.

    def number(self, value: int) -> int:
        """An INT32 parameter."""
        self.given(_T.INT32, value)
        return value

    def integer(self, low: int, high: int) -> int:
        """A random INT32 parameter from ``low`` to ``high``, both included."""
        return self.number(self.chooser.integer(low, high))

    def numbers(self, values: Any) -> None:
        """A TENSOR_INT32 parameter."""
        self.given(_T.TENSOR_INT32, values)

    def places(self, count: int, last: int) -> list[int]:
        """So many numbers from 0 to ``last``."""
        return [self.chooser.integer(0, last) for _ in range(count)]

    def truth(self, value: bool | None = None) -> bool:  # noqa: FBT001 - the parameter is a truth value
        """A BOOL parameter, random unless given."""
        chosen = self.chooser.boolean() if value is None else value
        self.given(_T.BOOL, chosen)
        return chosen

    def real(self, low: float, high: float) -> float:
        """A random scalar above ``low``, FLOAT16 beside TENSOR_FLOAT16 and FLOAT32 beside all others."""
        operand = self.given(self.float_scalar, self.chooser.real(low, high))
        return float(operand.data[0]) if operand.data is not None else 0.0

    @property
    def float_scalar(self) -> OperandType:
        """Type of scalar parameters that are no integers."""
        return _T.FLOAT16 if self.kind == _T.TENSOR_FLOAT16 else _T.FLOAT32

    def activation(self) -> None:
        """A fused activation; TENSOR_INT32 has none."""
        self.integer(0, 0 if self.kind == _T.TENSOR_INT32 else _ACTIVATIONS - 1)

    def axis(self, rank: int, *, negative: bool = True) -> int:
        """An axis parameter; returns it as a number from 0 on."""
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
        """An output of the primary type, its scale and zero point random, unless given.

        ``reach`` bounds its values; None: they are not larger than those of the inputs. ``spread`` is what their root
        mean square is about, where it grows otherwise than ``reach``; nothing here depends on it.
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
        """An output of the type and with the scale and zero point of an input."""
        return self.output(source.type, quantization=source.quantization, **changes)

    def finish(self) -> None:
        """Work out the dimensions of the outputs; the declaration of the operation says how they follow.

        Where it does not, since values or subgraphs decide, the signature has set them.

        :raises HalError: the operands do not go together, which is a fault of the signature.
        """
        places = shaping_inputs(self.operation)
        if places:
            first, *others = [self.inputs[place].dimensions for place in places]
            (output,) = self.outputs
            output.dimensions = broadcast(first, others[0]) or () if others else first
            return
        inputs, outputs = (
            [_argument(operand) for operand in self.inputs],
            [_argument(output) for output in self.outputs],
        )
        for operand, spec in zip(self.outputs, infer_dimensions(self.operation, inputs, outputs), strict=True):
            if spec.dimensions is not None:
                operand.dimensions = spec.dimensions

    # Sizes.

    def size(self, used: int, low: int = 1, high: int | None = None) -> int:
        """A size that fits beside ``used`` elements for each."""
        return sized(self.chooser, low, max(low, min(high or self.limits.most, self.limits.elements // used)))

    def exceed(self, scale: float) -> None:
        """The output's scale has to be above another one, which seldom matters."""
        self.least_scale = scale * _ABOVE

    def scale_above(self, scale: float) -> Quantization:
        """A quantisation of the primary type with a scale above another, up to five times as large."""
        if not self.is_quantized:
            return PLAIN
        _, zero_point = random_quantization(self.chooser, self.kind)
        return random_scale(self.chooser, _ABOVE * scale, 5 * scale), zero_point


def product_scale(*operands: DraftOperand) -> float:
    """Scale of the products of codes."""
    return float32(prod(operand.scale for operand in operands))


def spread_of_sum(terms: int, *factors: DraftOperand) -> float:
    """Spread of sums of so many products: values on both sides of zero cancel out for the most part."""
    lean = prod(operand.lean for operand in factors)
    return prod(operand.spread for operand in factors) * sqrt(terms + (terms * lean) ** 2)


def unbounded() -> dict[str, Any]:
    """Return the fields of an output whose values may be infinite or no numbers: nothing is made of it."""
    return {"reach": UNBOUNDED, "connects": False}


def _argument(operand: DraftOperand) -> Argument:
    value, dimensions = operand.data, operand.dimensions
    if value is not None and len(dimensions) != 1:
        value = value.reshape(dimensions)
    is_omitted = operand.role is _OMITTED
    scale, zero_point = operand.scale, operand.zero_point
    return Argument(operand.type, dimensions, scale, zero_point, operand.channel_quant, value, omitted=is_omitted)
