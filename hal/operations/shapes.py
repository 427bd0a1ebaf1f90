"""Shape rules shared by several families: broadcasting, axes, window arithmetic, layouts, level helpers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from nnvet.hal.operations.declaration import Argument, Call, OutputSpec


def broadcast(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...] | None:
    """Broadcast shape (docs/contract/operations/common.md 8), aligned at the last dimension; None if incompatible."""
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
    """One output of the shape, scale and zero point of input ``name``."""
    argument = call[name]
    return (OutputSpec(argument.dimensions, argument.scale, argument.zero_point),)


def shaped_like_input(name: str, call: Call) -> tuple[OutputSpec, ...]:
    """One output of the shape of input ``name``."""
    return (OutputSpec(call[name].dimensions),)


def same_as(name: str) -> Callable[[Call], tuple[OutputSpec, ...]]:
    """Inference of an operation whose output has shape, scale and zero point of input ``name``."""
    return partial(like_input, name)


def shape_of(name: str) -> Callable[[Call], tuple[OutputSpec, ...]]:
    """Inference of an operation whose output has the shape of input ``name`` and its own quantisation."""
    return partial(shaped_like_input, name)


def to_nhwc(dimensions: Sequence[int], *, nchw: bool) -> tuple[int, int, int, int]:
    """Batch, height, width, channels of a rank-4 shape in either layout."""
    n, a, b, c = dimensions
    return (n, b, c, a) if nchw else (n, a, b, c)


def from_nhwc(n: int, h: int, w: int, c: int, *, nchw: bool) -> tuple[int, int, int, int]:
    """Shape in the wanted layout from batch, height, width, channels."""
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
        """Cells from the first to the last tap of the window."""
        return (self.filter - 1) * self.dilation + 1

    @property
    def out(self) -> int:
        """Output size: C division, truncating toward zero."""
        numerator = self.size - self.extent + self.stride + self.head + self.tail
        return numerator // self.stride if numerator >= 0 else -(-numerator // self.stride)

    @property
    def fits(self) -> bool:
        """True if the padded input holds the window at least once."""
        return self.size + self.head + self.tail >= self.extent


SAME_PADDING = 1


def implicit_window(size: int, filter_size: int, stride: int, dilation: int, padding_code: int) -> Window:
    """Window of an axis with implicit padding: code 1 is SAME, every other one means no padding."""
    if padding_code != SAME_PADDING:
        return Window(size, filter_size, stride, dilation, 0, 0)
    extent = (filter_size - 1) * dilation + 1
    out = (size + stride - 1) // stride
    total = max((out - 1) * stride + extent - size, 0)
    return Window(size, filter_size, stride, dilation, total // 2, total - total // 2)


def known_rank(argument: Argument, *ranks: int) -> bool:
    """Return True if the rank is one of ``ranks``; an unknown rank is none of them."""
    return argument.rank in ranks
