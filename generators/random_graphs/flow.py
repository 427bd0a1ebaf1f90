"""Choice of the operations of mixed-type graphs, and of the tensors that each operation reads.

``models.py`` draws an operation from the pools of :func:`pools_of`, in which useful operations are frequent, and builds
it with a :class:`FlowDraft`. This draft chooses the inputs, values and scales so that different results stay
distinguishable: they neither saturate nor overflow. ``growth.py`` keeps the graph so far. Its words hold here, too: a
*new* tensor is one that no operation computes. *Reach* and *spread* are defined in ``draft.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from math import ceil, frexp, inf, ldexp, prod, sqrt
from typing import Any, ClassVar, Final, NamedTuple

from nnvet.generators.random_graphs.catalogue import whole_pool
from nnvet.generators.random_graphs.chooser import Chooser, SeededChooser
from nnvet.generators.random_graphs.draft import (
    PLAIN,
    Draft,
    DraftOperand,
    DraftRole,
    Quantization,
    Trait,
    random_integers,
    reach_of,
)
from nnvet.generators.random_graphs.growth import FEW, Flow
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.random_graphs.shapes import Dimensions, Shape, SizeLimits
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import OPERAND_TYPES, type_info

_T = OperandType
_O = OperationType
# Constants, because looking up a member of an enumeration takes longer than most work on it.
_BOOLEANS: Final = _T.TENSOR_BOOL8
_NON_NEGATIVE: Final = Trait.NON_NEGATIVE
_OUTPUT: Final = DraftRole.OUTPUT
_EVEN: Final = 0.577
"""Root mean square of uniformly distributed values, relative to the largest."""
_JOINS: Final = 0.6
"""Probability that a further input of an operation is taken from the existing tensors, if one fits."""
_SHARES: Final = 0.5
"""Probability that such an input may be a tensor that another operation already reads."""
_LOOKS: Final = 4
"""Number of existing tensors tried for an input, among the unread ones and among all readable ones."""
_COVERED: Final = (2.0, 4.0)
"""The codes of an output cover a range of this many times its root mean square."""
_MANTISSA: Final = 256
"""Scales have eight binary digits: the mantissa is a multiple of 1/256."""
_WIDEST_SCALE: Final = 2.0**50
"""Largest scale of an input: the scale of a product must exceed the product of both scales, and be finite."""
_MOST_SPREAD: Final[dict[int, float]] = {
    _O.TANH: 1.5,
    _O.LOGISTIC: 3.0,
    _O.SOFTMAX: 2.0,
    _O.LOG_SOFTMAX: 4.0,
    _O.EXP: 2.0,
    _O.POW: 2.0,
    _O.RELU1: 1.5,
    _O.RELU6: 6.0,
}
"""Largest spread of the inputs of these operations; wider inputs would mostly saturate."""
_LEAST_SPREAD: Final[dict[int, float]] = {_O.CAST: 4.0, _O.FLOOR: 1.0}
"""Smallest spread of the inputs of operations that round; smaller inputs would mostly become 0."""
_SPREADS: Final = {_T.TENSOR_FLOAT32: 256.0, _T.TENSOR_FLOAT16: 16.0}
"""Largest root mean square of float tensors that further operations may read."""
_REACHES: Final = {_T.TENSOR_FLOAT32: 1e30, _T.TENSOR_FLOAT16: 6e4, _T.TENSOR_INT32: 2.0**15}
"""Largest possible magnitude of tensors that further operations may read; more would overflow."""
_CLAMPS: Final = ((0.0, inf), (1.0, inf), (0.0, 1.5), (1.0, 6.0))
"""Range of the spread of inputs with which each fused activation is used, by its number; RELU1 saturates soonest.

A tenth of the lower end is enough.
"""
_LIMITS: Final = (inf, inf, 1.0, 6.0)
"""Largest result of each fused activation, by its number: NONE, RELU, RELU1, RELU6."""
_FACTORS: Final = (_O.MUL, _O.DIV, _O.POW, _O.PRELU)
"""Operations whose second input is a factor or an exponent."""
_COMPARING: Final = (
    *(_O.EQUAL, _O.NOT_EQUAL, _O.GREATER, _O.GREATER_EQUAL, _O.LESS, _O.LESS_EQUAL),
    *(_O.MAXIMUM, _O.MINIMUM, _O.LOGICAL_AND, _O.LOGICAL_OR),
)
"""Operations that compare: if one input followed from the other, all elements would give the same answer."""
_INDICES: Final = (_O.ARGMAX, _O.ARGMIN)
"""Operations whose results are indexes, which are not negative."""
_KEEPING: Final = (
    *(_O.RESHAPE, _O.TRANSPOSE, _O.SQUEEZE, _O.EXPAND_DIMS, _O.GATHER, _O.EMBEDDING_LOOKUP, _O.SLICE, _O.STRIDED_SLICE),
    *(_O.SPLIT, _O.TILE, _O.REVERSE, _O.TOPK_V2, _O.MAX_POOL_2D, _O.AVERAGE_POOL_2D, _O.REDUCE_MAX, _O.REDUCE_MIN),
    *(_O.MEAN, _O.CHANNEL_SHUFFLE, _O.SPACE_TO_DEPTH, _O.DEPTH_TO_SPACE, _O.BATCH_TO_SPACE_ND, _O.FLOOR),
)
"""Operations whose results are not negative if their first input is not."""
_ROOTS: Final = (_O.SQRT, _O.RSQRT, _O.LOG)
"""Operations whose results for negative codes are unspecified."""
_FEW_ELEMENTS: Final = 4
"""With at most this many elements, the tensor to compare them with must not be at an end of the range."""
_AXES: Final[dict[int, int]] = {_O.SOFTMAX: 2, _O.LOG_SOFTMAX: 2, _O.L2_NORMALIZATION: 1, _O.ARGMAX: 1, _O.ARGMIN: 1}
"""Operations that give a constant for an axis of one element, with the position of the input that names the axis."""
_MOST_INTEGER: Final = 4095.0
"""Largest magnitude of integers in a new tensor whose values follow those of the first input."""
_WEIGHTED: Final = (_O.CONV_2D, _O.GROUPED_CONV_2D, _O.TRANSPOSE_CONV_2D, _O.FULLY_CONNECTED, _O.DEPTHWISE_CONV_2D)
"""Operations whose second input is a filter."""
_CODES: Final = {
    info.type: (0, 256**info.size - 1)
    if info.dtype.startswith("u")
    else (-(256**info.size) // 2, 256**info.size // 2 - 1)
    for info in OPERAND_TYPES.values()
    if info.scale == "positive"
}
"""Smallest and largest code of the quantised types."""


@dataclass(eq=False, slots=True)
class FlowDraft(Draft):
    """A draft that reads the tensor ``focus`` if it can, and chooses values and scales that suit its operation.

    With ``is_coarse``, values are chosen so that some are equal, at an end of the range, or half-way between two codes.
    ``made`` collects the new tensors, ``flow`` is the graph so far, ``fused`` the fused activation's number.
    """

    most_padding: ClassVar[int] = 2

    flow: Flow = field(default_factory=Flow)
    focus: DraftOperand | None = None
    is_coarse: bool = False
    made: list[DraftOperand] = field(default_factory=list)
    fused: int = 0

    @property
    def reads(self) -> bool:
        """Return True if an input is the output of an earlier operation."""
        for operand in self.inputs:  # noqa: SIM110 - generators are slower here
            if operand.role is _OUTPUT:
                return True
        return False

    @property
    def most_terms(self) -> int:
        """Return the most terms of a reduction: few for booleans, rarely all equal, and factors, which overflow."""
        if self.kind == _BOOLEANS:
            return _FEW_BOOLEANS
        return _FEW_FACTORS if self.operation == _O.REDUCE_PROD else super(FlowDraft, self).most_terms

    @property
    def goes_on(self) -> bool:
        """Return True if an operation can start from an output; not if it has few different values."""
        place = _AXES.get(self.operation)
        if place is not None:
            axis = self.inputs[place].data if place < len(self.inputs) else None
            if self.inputs[0].dimensions[-1 if axis is None else int(axis[0])] == 1:
                return False
        return any(output.connects and output.distinct >= FEW for output in self.outputs)

    # Inputs.

    def wired(
        self, kind: OperandType, needs: int, quantization: Quantization | None, fits: Callable[[Dimensions], bool]
    ) -> DraftOperand | None:
        """Return the focus if it fits, otherwise a tensor that nothing reads yet, otherwise any; None if none fits."""
        operation = self.operation
        least, most = _LEAST_SPREAD.get(operation, 0.0), _MOST_SPREAD.get(operation, inf)
        if kind in _CODES or kind == _BOOLEANS:
            least = 0.0
        is_one_sided = operation in _ROOTS and not type_info(kind).is_float
        inputs = self.inputs

        def will_do(operand: DraftOperand) -> bool:
            return (
                operand.type == kind
                and not needs & ~operand.traits
                and (quantization is None or quantization == (operand.scale, operand.zero_point))
                and least <= operand.spread <= most
                and not (is_one_sided and operand.lean == 0)
                and operand not in inputs
                and fits(operand.dimensions)
            )

        chooser, focus = self.chooser, self.focus
        if focus is not None and will_do(focus):
            self.focus = None
            return focus
        if (inputs and operation in _COMPARING) or not chooser.boolean(_JOINS):
            return None
        for candidate in self.flow.unread[-_LOOKS:]:
            if candidate.type == kind and will_do(candidate):
                return candidate
        readable = self.flow.readable.get(kind)
        if readable and chooser.boolean(_SHARES):
            for _ in range(min(_LOOKS, len(readable))):
                candidate = chooser.pick(readable)
                if will_do(candidate):
                    return candidate
        return None

    def fresh(self, kind: OperandType, shape: Shape, needs: int, quantization: Quantization | None) -> DraftOperand:
        """Make a new tensor with values in (-2, 2), or for a filter in a range that keeps sums within (-2, 2)."""
        dimensions = shape.choose(self.chooser, self.limits)
        info = type_info(kind)
        is_compared = self.operation in _COMPARING and bool(self.inputs)
        is_one_sided = bool(is_compared and self.inputs[0].lean) or self.operation in _ROOTS
        is_coded = kind in _CODES
        if is_one_sided and not is_coded and kind != _BOOLEANS:
            needs |= _NON_NEGATIVE
        operand = DraftOperand(kind, dimensions, traits=needs, is_coarse=self.is_coarse)
        if is_coded:
            spread = _EVEN * self._choose_amplitude(dimensions)
            chosen = quantization
            if chosen is None:
                chosen = self._cover(kind, spread, (1.5, 2.0), is_one_sided=is_one_sided)
            if self.is_coarse and quantization is None and self.chooser.boolean():
                chosen = chosen[0], self.chooser.pick(info.zero_point)
            operand.scale, operand.zero_point = chosen
            operand.reach = reach_of(kind, chosen)
            low, high = _CODES[kind]
            centre = (low + high) / 2 - operand.zero_point
            operand.spread = operand.scale * sqrt(centre * centre + (high - low) ** 2 / 12)
        elif quantization is not None and quantization[0]:
            # A bias.
            operand.scale, operand.zero_point = quantization
            operand.reach, operand.spread = 1.0, _EVEN
        else:
            amplitude = self._choose_amplitude(dimensions)
            if not info.is_float:
                amplitude = min(amplitude, _MOST_INTEGER) if self._is_beside() else reach_of(kind, PLAIN)
            operand.reach = amplitude
            operand.spread = _EVEN * operand.reach
        operand.distinct = prod(dimensions)
        self.made.append(operand)
        return operand

    def _is_beside(self) -> bool:
        """Return True if a new tensor gets numbers as large as those of the first input, beside which it stands."""
        return bool(self.inputs and self.inputs[0].spread) and self.operation not in _FACTORS

    def _choose_amplitude(self, dimensions: Dimensions) -> float:
        """Return the largest real number of a new tensor, a power of two; in a filter less, if sums have many terms."""
        if self.operation not in _WEIGHTED or len(self.inputs) != 1:
            if self._is_beside():
                is_middle = self.operation in _COMPARING and prod(dimensions) <= _FEW_ELEMENTS
                return ldexp(1.0, frexp(self.inputs[0].spread / _EVEN)[1] - (3 if is_middle else 1))
            most = _MOST_SPREAD.get(self.operation, inf)
            if self.flow.amplitude > most:
                return ldexp(1.0, frexp(most)[1])
            least = _LEAST_SPREAD.get(self.operation, 0.0)
            return max(self.flow.amplitude, 16 * least)
        terms = prod(dimensions[1:3] if self.operation == _O.DEPTHWISE_CONV_2D else dimensions[1:])
        return ldexp(1.0, -(frexp(sqrt(terms))[1] - 1))

    def given(
        self, kind: OperandType, value: Any, quantization: Quantization = PLAIN, *, is_constant: bool = True
    ) -> DraftOperand:
        """Add an input with this value; see :class:`Draft`."""
        operand = super(FlowDraft, self).given(kind, value, quantization, is_constant=is_constant)
        if not is_constant:
            operand.distinct = prod(operand.dimensions)
        return operand

    # Parameters.

    def real(self, low: float, high: float) -> float:
        """Add a random scalar parameter and return its value; in a coarse draft it is a multiple of 1/4 if possible."""
        if self.is_coarse:
            steps = int(low * 4) + 1, int(high * 4)
            if steps[0] <= steps[1]:
                value = self.chooser.integer(*steps) / 4
                self.given(self.float_scalar, value)
                return value
        return super(FlowDraft, self).real(low, high)

    def places(self, count: int, last: int) -> list[int]:
        """Return ``count`` random indexes from 0 to ``last``; faster than the method of :class:`Draft`."""
        return [int(integer) for integer in random_integers(self.chooser, count, 0, last)]

    def activation(self) -> None:
        """Add a fused activation that keeps most values distinguishable."""
        chosen = 0 if self.kind == _T.TENSOR_INT32 else self.chooser.integer(-2, 3)
        spread = max(operand.spread for operand in self.inputs)
        least, most = _CLAMPS[max(chosen, 0)]
        self.fused = chosen if chosen > 0 and (spread <= most) and (least * 0.1 <= spread) else 0
        self.number(self.fused)

    def size(self, used: int, low: int = 1, high: int | None = None) -> int:
        """Return a size that fits, and is at least the smallest dimension of the limits where possible."""
        most = min(high or self.limits.most, self.limits.elements // used)
        return super(FlowDraft, self).size(used, max(low, min(self.limits.least, most)), high)

    # Outputs.

    def scale_above(self, scale: float) -> Quantization:
        """Set the scale that the output's scale has to exceed; its values determine the rest."""
        self.exceed(scale)
        return PLAIN

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
        """Add an output and return it; unless a ``quantization`` is given, its codes cover the expected values."""
        kind = self.kind if kind is None else kind
        most, widest, distinct = 0.0, 0.0, 1
        for source in self.inputs:
            if source.reach > most:  # noqa: PLR1730 - calls take longer than all of this
                most = source.reach
            if source.spread > widest:  # noqa: PLR1730 - same
                widest = source.spread
            distinct *= source.distinct
        reach = most if reach is None else reach
        if spread is None:
            # A result that depends on parameters alone may have any value up to its bound.
            spread = widest or _EVEN * most
            if 0 < most < inf and reach < inf:
                spread *= reach / most
        limit = _LIMITS[self.fused]
        reach = min(reach, limit)
        spread = min(spread, reach) or 1.0
        is_kept = self.operation in _KEEPING and self.inputs[0].traits & _NON_NEGATIVE
        if self.fused in {1, 3} or is_kept or self.operation in _INDICES:
            traits |= _NON_NEGATIVE
        if kind in _CODES and (quantization is None or self.least_scale):
            quantization = self._cover(kind, spread, _COVERED, is_one_sided=bool(traits & _NON_NEGATIVE))
        chosen = PLAIN if quantization is None else quantization
        if chosen[0]:
            reach = reach_of(kind, chosen)
            spread = min(spread, reach)
            connects &= chosen[0] <= _WIDEST_SCALE
        else:
            connects &= reach <= _REACHES.get(kind, inf) and spread <= _SPREADS.get(kind, inf)
        operand = DraftOperand(kind, (), *chosen, _OUTPUT, None, traits, reach, connects, is_checked)
        operand.spread = spread
        operand.distinct = distinct
        self.outputs.append(operand)
        return operand

    def finish(self) -> None:
        """Infer the dimensions of the outputs, and limit the number of different values to that of elements."""
        super(FlowDraft, self).finish()
        for output in self.outputs:
            output.distinct = min(output.distinct, prod(output.dimensions))

    def _cover(
        self, kind: OperandType, spread: float, times: tuple[float, float], *, is_one_sided: bool = False
    ) -> Quantization:
        """Return a scale and zero point whose codes cover the spread, multiplied by a factor drawn from ``times``.

        A one-sided range begins near the lowest code. The scale is a power of two in a coarse draft.
        """
        low, high = _CODES[kind]
        wanted = spread * self.chooser.real(*times) / (high - low) * (1 if is_one_sided else 2)
        mantissa, exponent = frexp(max(wanted, self.least_scale))
        mantissa = 1.0 if self.is_coarse else ceil(mantissa * _MANTISSA) / _MANTISSA
        scale = ldexp(mantissa, exponent)
        least, most = type_info(kind).zero_point
        if least == most:
            return scale, least
        eighth = (high - low) // 8
        if is_one_sided:
            return scale, low + (0 if self.is_coarse else self.chooser.integer(0, eighth // 4))
        return scale, (low + high) // 2 + self.chooser.integer(-eighth, eighth)


_FEW_BOOLEANS: Final = 4
"""Most booleans that a reduction combines."""
_FEW_FACTORS: Final = 8
"""Most factors of a product."""


_PROBE: Final = SizeLimits(10, 1000, 2)
"""Limits for an operation that is built only to see whether it can read outputs."""
TIES: Final = (_O.EQUAL, _O.NOT_EQUAL)
"""Operations that test for equality. Unless values are often equal, they show little."""
_SELDOM: Final = (*TIES, _O.RANK, _O.FILL, _O.HASHTABLE_LOOKUP)
"""Operations with an output that never or rarely depends on the values of the inputs."""
_SELDOM_BOOLEANS: Final = (
    *(_O.RANK, _O.HASHTABLE_LOOKUP, _O.GREATER, _O.GREATER_EQUAL, _O.LESS, _O.LESS_EQUAL),
    *(_O.REDUCE_ALL, _O.REDUCE_ANY),
)
"""The same for booleans: EQUAL and NOT_EQUAL keep them varied, but comparisons of order make them all alike."""
_KEPT: Final = (
    *(OperandType.TENSOR_BOOL8, OperandType.TENSOR_QUANT8_ASYMM_SIGNED, OperandType.TENSOR_QUANT8_SYMM),
    *(OperandType.TENSOR_QUANT16_SYMM, OperandType.TENSOR_QUANT16_ASYMM),
)
"""Types that CAST only copies; such casts are also chosen rarely."""
_RARELY: Final = 20
"""The share of rarely chosen operations, per thousand."""
_APART: Final = 10
"""The share of operations that cannot read another one's output, per thousand."""
_COSTLY: Final = 1
"""The share of costly operations, per thousand: a single one may take as long as hundreds of others."""
_COSTLY_OPERATIONS: Final = (_O.GENERATE_PROPOSALS, _O.BOX_WITH_NMS_LIMIT, _O.DETECTION_POSTPROCESSING)
"""The costly operations: they decide which boxes to keep, one after the other."""
_ALL: Final = 1000
"""The whole, of which the shares above are parts."""
_APART_FROM: Final = 2
"""Index, in :class:`Choices`, of the first group that cannot read outputs of other operations."""

_Forms = Sequence[Sequence[OperationSignature]]
"""Signatures, by operation."""


class Choices(NamedTuple):
    """Signatures of a type and rank, in groups: usual, rare, unable to read other outputs, and costly."""

    usual: _Forms
    seldom: _Forms
    apart: _Forms
    costly: _Forms

    def drawn(self, chooser: Chooser) -> _Forms:
        """Draw the group from which the next operation is taken, and return it."""
        # The lowest number is the simplest, and stands for a usual operation.
        left = _ALL - chooser.integer(1, _ALL)
        for share, forms in ((_RARELY, self.seldom), (_APART, self.apart), (_COSTLY, self.costly)):
            if left < share and forms:
                return forms
            left -= share
        return self.usual


class Pools(NamedTuple):
    """Choices by type and rank.

    ``usual`` are the pairs of type and rank that have usual operations. ``beginnings`` has each of them once for every
    usual operation, so that a random element is a fair choice of the type and rank of a graph's first operation.
    """

    choices: Mapping[tuple[OperandType, int], Choices]
    beginnings: Sequence[tuple[OperandType, int]]
    usual: frozenset[tuple[OperandType, int]]


@cache
def pools_of(options: GraphOptions) -> Pools:
    """Return the pools from which the operations of models are drawn.

    In models of one operation, those that cannot read other outputs count as usual, since there is nothing to read.

    :raises ValueError: no operation has a type and rank that the options allow.
    """
    found: dict[tuple[OperandType, int], Choices] = {}
    beginnings: list[tuple[OperandType, int]] = []
    for kind, rank in product(options.types, options.ranks):
        forms: tuple[dict[OperationType, list[OperationSignature]], ...] = ({}, {}, {}, {})
        for signature in whole_pool(kind, rank, options.level):
            if not options.only or signature.operation in options.only:
                place = _group_index(signature, kind)
                is_alone = place == _APART_FROM and options.operations[1] == 1
                forms[0 if is_alone else place].setdefault(signature.operation, []).append(signature)
        usual, *others = (list(group.values()) for group in forms)
        if usual or any(others):
            found[kind, rank] = Choices(usual or next(filter(None, others)), *others)
            beginnings += [(kind, rank)] * len(usual)
    if not found:
        raise ValueError("no operation has a type and rank that the options allow")
    beginnings = beginnings or list(found)
    return Pools(found, beginnings, frozenset(beginnings))


def reads_outputs(signature: OperationSignature, kind: OperandType) -> bool:
    """Return True if an operation of a random model may read what another one has computed."""
    return _group_index(signature, kind) < _APART_FROM


def is_seldom(signature: OperationSignature, kind: OperandType) -> bool:
    """Return True if graphs have an operation of this signature and type less often than most others, or never."""
    return _group_index(signature, kind) > 0


def _group_index(signature: OperationSignature, kind: OperandType) -> int:
    """Return the index, in :class:`Choices`, of the group that a signature belongs to."""
    seldom = _SELDOM_BOOLEANS if kind == OperandType.TENSOR_BOOL8 else _SELDOM
    if signature.operation in seldom or (signature.operation == _O.CAST and kind in _KEPT):
        return 1
    if signature.operation in _COSTLY_OPERATIONS:
        return 3
    return 0 if _can_read(signature) else 2


@cache
def _can_read(signature: OperationSignature) -> bool:
    """Return True if a tensor of a signature may be another operation's output.

    An operation is built for this: such tensors are those that the draft has made with :meth:`FlowDraft.fresh`.
    """
    kind, rank = signature.types[0], signature.ranks[0]
    draft = FlowDraft(SeededChooser(signature.name), _PROBE, signature.operation, kind, rank, signature.level)
    signature.build(draft)
    return bool(draft.made)
