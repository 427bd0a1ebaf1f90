"""Generators of operands for weighted sums and for the quantisation of their inputs, for random models.

Operations: CONV_1D, CONV_3D, CONV_TRANSPOSE, EINSUM, HYBRID_FULLY_CONNECTED, RESIZE_CUBIC, DYNAMIC_QUANTIZE. Each
generator of :data:`GENERATORS` adds the operands to a draft in the order of the declaration (``declarations/sums.py``),
and the output last. ``reach`` is the largest magnitude of an operand's elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Final

from nnvet.extensions.next import codes
from nnvet.generators.random_graphs.chooser import shuffled
from nnvet.generators.random_graphs.draft import Draft, random_scale
from nnvet.generators.random_graphs.families.channels import by_channel
from nnvet.generators.random_graphs.families.values import coded, weights
from nnvet.generators.random_graphs.shapes import ANY, Axis, Shape
from nnvet.generators.random_graphs.signature import Build
from nnvet.hal.enums import OperandType

_LARGEST: Final = 1.0
"""Largest magnitude of weights and biases."""
_MOST_WINDOW: Final = 3
"""Largest size of a window along an axis; larger ones make models slow and show nothing new."""
_MOST_CODE: Final = 127
"""Largest magnitude of the codes of weights."""
_MOST_RANK: Final = 4
"""Largest rank of EINSUM's output."""


def _draw_several(draft: Draft, count: int, low: int, high: int) -> list[int]:
    return [draft.chooser.integer(low, high) for _ in range(count)]


@dataclass(frozen=True)
class _Windows:
    """Parameters of a convolution, an entry for each spatial axis, and the conditions on the image that follow.

    ``windows`` are the sizes of the filter, ``pads`` the paddings before the image and then those behind it, and
    ``results`` the number of output channels of each group.
    """

    windows: list[int]
    strides: list[int]
    dilations: list[int]
    pads: list[int]
    groups: int
    results: int
    axes: tuple[Axis, ...]

    @property
    def least(self) -> int:
        """Elements of the smallest output, and of the smallest input, whichever are more."""
        return (
            self.groups
            * max(self.groups, self.groups * self.results)
            * prod(axis.factor * axis.lowest + axis.margin for axis in self.axes)
        )


def _draw_windows(draft: Draft, largest: int, *, transposed: bool) -> _Windows:
    """Return random parameters, with windows of at most ``largest``, and smaller ones if the model would be too large.

    Windows and padding determine how large the image must be at least.
    """
    places, choose = draft.rank - 2, draft.chooser.integer
    twice = min(largest, 2)
    windows, strides, dilations = (_draw_several(draft, places, 1, high) for high in (largest, twice, twice))
    extents = [(window - 1) * dilation for window, dilation in zip(windows, dilations, strict=True)]
    heads, tails = ([choose(0, extent // 2) for extent in extents] for _ in range(2))
    if transposed:
        pairs = zip(strides, extents, strict=True)
        axes = tuple(Axis(factor=stride, margin=extent) for stride, extent in pairs)
    else:
        padded = zip(extents, heads, tails, strict=True)
        axes = tuple(Axis(least=extent + 1, margin=head + tail) for extent, head, tail in padded)
    found = _Windows(windows, strides, dilations, [*heads, *tails], choose(1, twice), choose(1, twice), axes)
    if largest > 1 and found.least > draft.limits.elements:
        return _draw_windows(draft, largest - 1, transposed=transposed)
    return found


def _build_convolution(draft: Draft, *, transposed: bool) -> None:
    lists = _draw_windows(draft, _MOST_WINDOW, transposed=transposed)
    groups, results = lists.groups, lists.results
    channels = Axis(least=groups, most=groups * draft.chooser.integer(1, 3), step=groups)
    source = draft.input(Shape((ANY, channels, *lists.axes), times=groups * results))
    per_group = source.dimensions[1] // groups
    first = (source.dimensions[1], results) if transposed else (groups * results, per_group)
    weights(draft, (*first, *lists.windows), _LARGEST)
    weights(draft, (groups * results,), _LARGEST)
    for numbers in (lists.strides, lists.dilations, lists.pads):
        draft.numbers(numbers)
    draft.number(groups)
    if transposed:
        draft.numbers([draft.chooser.integer(0, stride - 1) for stride in lists.strides])
    draft.output(reach=per_group * prod(lists.windows) * source.reach * _LARGEST + _LARGEST)


def _build_einsum(draft: Draft) -> None:
    """Add the operands of EINSUM with random labels: some are in both inputs, and some are missing in the output."""
    first = list(range(draft.rank))
    source = draft.input(Shape((Axis(most=int(draft.most_terms ** (1 / draft.rank))),) * draft.rank))
    sizes = dict(enumerate(source.dimensions))
    shared = [label for label in first if draft.chooser.boolean()] or first[-1:]
    new = list(range(draft.rank, draft.rank + draft.chooser.integer(0, max(0, 2 - len(shared)))))
    for label in new:
        sizes[label] = draft.size(prod(sizes.values()))
    second = shuffled(draft.chooser, [*shared, *new])
    kept = [label for label in sizes if draft.chooser.boolean()][:_MOST_RANK] or first[:1]
    factor = weights(draft, tuple(sizes[label] for label in second), _LARGEST)
    output = shuffled(draft.chooser, kept)
    for labels in (first, second, output):
        draft.numbers(labels)
    terms = prod(size for label, size in sizes.items() if label not in output)
    draft.output(reach=terms * source.reach * factor.reach)


def _build_hybrid(draft: Draft) -> None:
    source = draft.input(Shape((ANY, Axis(most=draft.most_terms))))
    terms = source.dimensions[1]
    dimensions = (draft.size(max(source.dimensions)), terms)
    if draft.chooser.boolean():
        by_channel(draft, dimensions, 0, _LARGEST / _MOST_CODE)
    else:
        scale = random_scale(draft.chooser, 0.1 / _MOST_CODE, _LARGEST / _MOST_CODE)
        coded(draft, OperandType.TENSOR_QUANT8_SYMM, dimensions, (scale, 0), _MOST_CODE)
    weights(draft, dimensions[:1], _LARGEST)
    draft.output(reach=terms * source.reach * _LARGEST + _LARGEST)


_GROWTH: Final = 1.9
"""Largest growth of magnitudes by RESIZE_CUBIC: the sum of the magnitudes of all weights of an output element.

It is the square of the sum along one axis, since some weights of the cubic function are negative.
"""


def _build_resize(draft: Draft) -> None:
    source = draft.input()
    batches, channels, *_ = source.dimensions
    height = draft.number(draft.size(batches * channels))
    draft.number(draft.size(batches * channels * height))
    draft.truth()
    draft.output(reach=_GROWTH * source.reach)


def _build_quantize(draft: Draft) -> None:
    source = draft.input()
    draft.output(OperandType.TENSOR_INT32, reach=255.0, connects=False)
    draft.output(reach=source.reach, connects=False)
    draft.output(OperandType.TENSOR_INT32, reach=255.0, connects=False)


GENERATORS: Final[Mapping[int, Build]] = {
    codes.CONV_1D: partial(_build_convolution, transposed=False),
    codes.CONV_3D: partial(_build_convolution, transposed=False),
    codes.CONV_TRANSPOSE: partial(_build_convolution, transposed=True),
    codes.EINSUM: _build_einsum,
    codes.HYBRID_FULLY_CONNECTED: _build_hybrid,
    codes.RESIZE_CUBIC: _build_resize,
    codes.DYNAMIC_QUANTIZE: _build_quantize,
}
