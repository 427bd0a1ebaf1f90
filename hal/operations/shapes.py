"""Common parts of declarations: shape rules, rules of several families, and the commonest formal operands.

Source: docs/contract/operations/common.md 11 (data layout), 16 (bias of convolutions and fully connected layers).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import QUANT8_ASYMM
from nnvet.hal.operations.declaration import Argument, Call, Formal, LevelRule, OutputSpec, Phase, Rule


def broadcast(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...] | None:
    """Return the broadcast shape (docs/contract/operations/common.md 8), or None for incompatible shapes."""
    if first == second:
        return tuple(first)
    rank = max(len(first), len(second))
    left = (1,) * (rank - len(first)) + tuple(first)
    right = (1,) * (rank - len(second)) + tuple(second)
    sizes = []
    for a, b in zip(left, right, strict=True):
        if a != b and a != 1 and b != 1:  # noqa: PLR1714 - a membership test is slower
            return None
        sizes.append(b if a == 1 else a)
    return tuple(sizes)


def axis_in_range(axis: int, rank: int) -> bool:
    """Return True if -rank <= axis < rank."""
    return -rank <= axis < rank


def like_input(name: str, call: Call) -> tuple[OutputSpec, ...]:
    """Return one output with shape, scale and zero point of input ``name``."""
    argument = call[name]
    return (OutputSpec(argument.dimensions, argument.scale, argument.zero_point),)


def shaped_like_input(name: str, call: Call) -> tuple[OutputSpec, ...]:
    """Return one output with the shape of input ``name``."""
    return (OutputSpec(call[name].dimensions),)


def same_as(name: str) -> Callable[[Call], tuple[OutputSpec, ...]]:
    """Return the inference of an operation whose output has shape, scale and zero point of input ``name``."""
    return partial(like_input, name)


def shape_of(name: str) -> Callable[[Call], tuple[OutputSpec, ...]]:
    """Return the inference of an operation whose output has the shape of input ``name``, and its own quantisation."""
    return partial(shaped_like_input, name)


def to_nhwc(dimensions: Sequence[int], *, nchw: bool) -> tuple[int, int, int, int]:
    """Return batch, height, width and channels of a rank-4 shape in either layout."""
    n, a, b, c = dimensions
    return (n, b, c, a) if nchw else (n, a, b, c)


def from_nhwc(n: int, h: int, w: int, c: int, *, nchw: bool) -> tuple[int, int, int, int]:
    """Return the shape in the wanted layout from batch, height, width, channels."""
    return (n, c, h, w) if nchw else (n, h, w, c)


@dataclass(frozen=True, slots=True)
class Window:
    """One spatial axis of a sliding window (docs/contract/operations/common.md 9).

    ``head`` and ``tail`` are the padding cells before and after, ``out`` the number of positions (negative or
    zero if the window does not fit).
    """

    size: int
    filter: int
    stride: int
    dilation: int
    head: int
    tail: int

    @property
    def extent(self) -> int:
        """Number of cells from the first to the last tap of the window."""
        return (self.filter - 1) * self.dilation + 1

    @property
    def out(self) -> int:
        """Output size, computed with C's division, which truncates toward zero."""
        numerator = self.size - self.extent + self.stride + self.head + self.tail
        return numerator // self.stride if numerator >= 0 else -(-numerator // self.stride)

    @property
    def fits(self) -> bool:
        """True if the padded input holds the window at least once."""
        return self.size + self.head + self.tail >= self.extent


SAME_PADDING = 1


def implicit_window(size: int, filter_size: int, stride: int, dilation: int, padding_code: int) -> Window:
    """Return the window of an axis with implicit padding: code 1 is SAME, every other code means no padding."""
    if padding_code != SAME_PADDING:
        return Window(size, filter_size, stride, dilation, 0, 0)
    extent = (filter_size - 1) * dilation + 1
    out = (size + stride - 1) // stride
    total = max((out - 1) * stride + extent - size, 0)
    return Window(size, filter_size, stride, dilation, total // 2, total - total // 2)


def known_rank(argument: Argument, *ranks: int) -> bool:
    """Return True if the rank is known and one of ``ranks``."""
    return argument.rank in ranks


def same_quantization(first: Argument, second: Argument) -> bool:
    """Return True if scale and zero point are equal."""
    return (first.scale, first.zero_point) == (second.scale, second.zero_point)


def quant8_kept(call: Call, *inputs: Argument) -> bool:
    """Return True unless an 8-bit input has another scale or zero point than the output."""
    return call.output.type not in QUANT8_ASYMM or all(same_quantization(a, call.output) for a in inputs)


def declared_like_input(name: str) -> tuple[Rule, ...]:
    """Return rules of an operation whose output has rank and 8-bit quantisation of its ``input``."""
    return (
        Rule(
            f"{name}/output.rank",
            "The output has the rank of the input.",
            lambda call: 0 in (call["input"].rank, call.output.rank) or call["input"].rank == call.output.rank,
            phase=Phase.MODEL,
        ),
        Rule(
            f"{name}/quantization",
            "8-bit input and output have the same scale and zero point.",
            lambda call: quant8_kept(call, call["input"]),
            phase=Phase.MODEL,
        ),
    )


_TOLERANCE = 1e-6


def product_scale(call: Call, weights: str) -> np.float32:
    """Return the scale of the accumulator: the float32 product of input scale and per-tensor weight scale."""
    return np.float32(call["input"].scale) * np.float32(call[weights].scale)


def bias_length_rule(name: str, dimension: int) -> Rule:
    """Return the rule that the bias has one value for each index along ``dimension`` of the filter."""
    return Rule(
        f"{name}/bias.length",
        f"The bias is as long as dimension {dimension} of the filter.",
        lambda call: call["bias"].dimensions[0] == call["filter"].dimensions[dimension],
    )


def bias_scale_rule(name: str, weights: str) -> Rule:
    """Return the rule about the scale of a quantised bias; it does not apply if there is nothing to compute."""

    def fits(call: Call) -> bool:
        per_tensor = call[weights].type in QUANT8_ASYMM
        if not per_tensor or 0 in call["input"].dimensions:
            return True
        product, scale = float(product_scale(call, weights)), call["bias"].scale
        return abs(product - scale) <= _TOLERANCE * min(product, scale)

    return Rule(
        f"{name}/bias.scale",
        f"With per-tensor weights the bias has scale input scale x {weights} scale, to one part in a million.",
        fits,
    )


LAYOUT = Formal("layout", OperandType.BOOL, "whether first input and first output are NCHW, not NHWC", level=3)


def is_nchw(call: Call) -> bool:
    """Return True if the layout flag is given and set."""
    return bool(call.scalar("layout", False))


def axis_rule(operation: str, operand: str = "input", *, default: int | None = None) -> Rule:
    """Return the rule ``OPERATION/axis.range``: scalar ``axis``, or ``default``, names a dimension of ``operand``."""
    return Rule(
        f"{operation}/axis.range",
        "The axis lies between -rank and rank - 1.",
        lambda call: axis_in_range(call.scalar("axis", default), call[operand].rank),
    )


def zero_point_level_rule(operation: str) -> LevelRule:
    """Return the rule ``OPERATION/zero_point.level``: at first, unsigned codes had to have the zero point 0."""
    return LevelRule(
        f"{operation}/zero_point.level",
        "A TENSOR_QUANT8_ASYMM input whose zero point is not 0 needs feature level 3.",
        3,
        lambda call: call["input"].type == OperandType.TENSOR_QUANT8_ASYMM and call["input"].zero_point != 0,
    )


def broadcast_rule(operation: str, first: str, second: str) -> Rule:
    """Return the rule ``OPERATION/broadcast``: two shapes are compatible (docs/contract/operations/common.md 8)."""
    return Rule(
        f"{operation}/broadcast",
        "Sizes of the two inputs, aligned at the last dimension, are equal or one of them is 1.",
        lambda call: broadcast(call[first].dimensions, call[second].dimensions) is not None,
    )


def broadcast_of(first: str, second: str) -> Callable[[Call], tuple[OutputSpec, ...]]:
    """Return the inference of an operation whose output has two inputs' broadcast shape, and its own quantisation."""
    return partial(shaped_by_both, first, second)


def shaped_by_both(first: str, second: str, call: Call) -> tuple[OutputSpec, ...]:
    """Return one output of the shape that two inputs are broadcast to."""
    return (OutputSpec(broadcast(call[first].dimensions, call[second].dimensions)),)


def float_and_quant8(level: int) -> dict[OperandType, int]:
    """Return rows of float32 and unsigned 8-bit codes from ``level`` on, float16 from 3, signed 8-bit codes from 4."""
    return {
        OperandType.TENSOR_FLOAT32: level,
        OperandType.TENSOR_QUANT8_ASYMM: level,
        OperandType.TENSOR_FLOAT16: max(level, 3),
        OperandType.TENSOR_QUANT8_ASYMM_SIGNED: max(level, 4),
    }


def tensor(
    name: str, type_: str | OperandType, rank: int | tuple[int, int | None], meaning: str, *, omissible: bool = False
) -> Formal:
    """Return a tensor of one rank or of a range of ranks (None: no maximum), which is checked at execution."""
    bounds = (rank, rank) if isinstance(rank, int) else rank
    return Formal(name, type_, meaning, rank=bounds, rank_phase=Phase.EXECUTION, omissible=omissible)


def integer(name: str, meaning: str, *, level: int = 1, values: tuple[int, ...] = ()) -> Formal:
    """Return an INT32 scalar whose value decides shapes or rules; one of ``values``, where given."""
    return Formal(name, OperandType.INT32, meaning, level=level, parameter=True, values=values)


def vector(name: str, meaning: str, *, omissible: bool = False) -> Formal:
    """Return an INT32 tensor of rank 1 whose values decide shapes or rules: sizes, axes, an order."""
    return _parameters(name, 1, meaning, omissible=omissible)


def matrix(name: str, meaning: str) -> Formal:
    """Return an INT32 tensor of rank 2 whose values decide shapes or rules: a pair for each dimension."""
    return _parameters(name, 2, meaning)


def _parameters(name: str, rank: int, meaning: str, *, omissible: bool = False) -> Formal:
    bounds, int32 = (rank, rank), OperandType.TENSOR_INT32
    return Formal(name, int32, meaning, rank=bounds, rank_phase=Phase.EXECUTION, omissible=omissible, parameter=True)
