"""Windows of convolutions and pooling: paddings, strides and dilations that leave every window a cell of the image."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.shapes import Axis, sized

_SAME: Final = 1
_SCHEMES: Final = (1, 2)
_MOST_PADDING = _MOST_STRIDE = _MOST_DILATION = 3
_BEYOND: Final = 2


@dataclass(frozen=True, slots=True)
class Side:
    """One spatial axis. ``is_same``: as much padding as the output needs to be as large as the input."""

    head: int
    tail: int
    stride: int
    dilation: int
    is_same: bool

    @property
    def smallest(self) -> int:
        """Cells of the smallest filter: no window may lie in the padding alone."""
        return -(-max(self.head, self.tail) // self.dilation) + 1

    def largest(self, size: int) -> int:
        """Cells of the largest filter that fits into the padded image."""
        if self.is_same:
            return size + _BEYOND
        return (size + self.head + self.tail - 1) // self.dilation + 1

    @property
    def axis(self) -> Axis:
        """Conditions on the image, so that the output fits the budget."""
        extent = (self.smallest - 1) * self.dilation + 1
        return Axis(max(1, extent - self.head - self.tail), margin=min(self.head, self.tail))

    def cells(self, chooser: Chooser, size: int, most: int) -> int:
        """Cells of a filter for an image, ``most`` of them."""
        return sized(chooser, self.smallest, max(self.smallest, min(self.largest(size), most)))


@dataclass(frozen=True, slots=True)
class RandomWindow:
    """Both axes, and the padding scheme, 0 for explicit paddings."""

    scheme: int
    height: Side
    width: Side

    def parameters(self, draft: Draft) -> None:
        """Add paddings or scheme, and the strides."""
        if self.scheme:
            draft.number(self.scheme)
        else:
            for padding in (self.width.head, self.width.tail, self.height.head, self.height.tail):
                draft.number(padding)
        draft.number(self.width.stride)
        draft.number(self.height.stride)


def window(draft: Draft, *, explicit: bool, dilated: bool = False) -> RandomWindow:
    """A random window."""
    chooser = draft.chooser
    scheme = 0 if explicit else chooser.pick(_SCHEMES)

    def sides() -> Iterator[Side]:
        for _ in range(2):
            head, tail = (chooser.integer(1, _MOST_PADDING) if explicit else 0 for _ in range(2))
            dilation = chooser.integer(1, _MOST_DILATION) if dilated else 1
            yield Side(head, tail, chooser.integer(1, _MOST_STRIDE), dilation, scheme == _SAME)

    return RandomWindow(scheme, *sides())
