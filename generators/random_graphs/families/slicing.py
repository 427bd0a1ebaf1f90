"""SLICE and STRIDED_SLICE: boxes cut out."""

from __future__ import annotations

from typing import Final, NamedTuple

from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.signature import signatures
from nnvet.hal.enums import OperationType

_O = OperationType
_RARELY: Final = 0.2
_MOST_STRIDE: Final = 3


def _slice(draft: Draft) -> None:
    source = draft.input()
    sizes = [draft.chooser.integer(1, size) for size in source.dimensions]
    begins = [draft.chooser.integer(0, size - taken) for size, taken in zip(source.dimensions, sizes, strict=True)]
    draft.numbers(begins)
    draft.numbers(sizes)
    draft.same(source)


class _Cut(NamedTuple):
    """One dimension of a strided slice; masked ends stand for the ends of the dimension."""

    begin: int
    end: int
    stride: int
    begin_masked: bool = False
    end_masked: bool = False
    shrinks: bool = False


def _cut(chooser: Chooser, size: int) -> _Cut:
    """A random cut that takes at least one element."""
    if chooser.boolean(_RARELY):
        place = chooser.integer(0, size - 1)
        return _Cut(place, place + 1, chooser.integer(1, _MOST_STRIDE), shrinks=True)
    stride = chooser.integer(1, _MOST_STRIDE)
    count = chooser.integer(1, -(-size // stride))
    begin = chooser.integer(0, size - (count - 1) * stride - 1)
    end = chooser.integer(begin + (count - 1) * stride + 1, min(begin + count * stride, size))
    masked = begin == 0 and chooser.boolean(_RARELY), end == size and chooser.boolean(_RARELY)
    if chooser.boolean(_RARELY):
        # The same elements in the same steps, from the last one that is reached.
        last = begin + (count - 1) * stride
        return _masked(chooser, size, _Cut(last, begin - 1, -stride, last == size - 1 and masked[1], begin == 0))
    return _masked(chooser, size, _Cut(begin, end, stride, *masked))


def _masked(chooser: Chooser, size: int, cut: _Cut) -> _Cut:
    """The cut with any numbers where they are not looked at."""
    if cut.begin_masked:
        cut = cut._replace(begin=chooser.integer(-size, size - 1))
    return cut._replace(end=chooser.integer(-size, size - 1)) if cut.end_masked else cut


def _strided(draft: Draft) -> None:
    source = draft.input()
    cuts = [_cut(draft.chooser, size) for size in source.dimensions]
    draft.numbers([cut.begin for cut in cuts])
    draft.numbers([cut.end for cut in cuts])
    draft.numbers([cut.stride for cut in cuts])
    for marks in zip(*((cut.begin_masked, cut.end_masked, cut.shrinks) for cut in cuts), strict=True):
        draft.number(sum(1 << place for place, mark in enumerate(marks) if mark))
    draft.same(source)


SIGNATURES: Final = (
    *signatures(_O.SLICE, _slice),
    *signatures(_O.STRIDED_SLICE, _strided),
)
