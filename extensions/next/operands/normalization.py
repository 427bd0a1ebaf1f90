"""Operands of LAYER_NORMALIZATION, RMS_NORMALIZATION, GROUP_NORMALIZATION for random models."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import prod, sqrt
from typing import Final

from nnvet.extensions.next import codes
from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.families.values import weights
from nnvet.generators.random_graphs.shapes import ANY, Axis, Shape
from nnvet.generators.random_graphs.signature import Build
from nnvet.hal.enums import OperandType

_LARGEST: Final = 2.0
"""Largest magnitude of scales and biases."""


def _over_last(draft: Draft, *, has_bias: bool) -> None:
    axis = draft.chooser.integer(0, draft.rank - 1)
    together = int(draft.most_terms ** (1 / (draft.rank - axis)))
    source = draft.input(Shape(tuple(Axis(most=together) if place >= axis else ANY for place in range(draft.rank))))
    dimensions = source.dimensions[axis:]
    weights(draft, dimensions, _LARGEST)
    if has_bias and draft.chooser.boolean():
        weights(draft, dimensions, _LARGEST)
    elif has_bias:
        draft.omitted(OperandType(draft.kind), dimensions)
    draft.number(axis if draft.chooser.boolean() else axis - draft.rank)
    _finish(draft, prod(dimensions))


def _finish(draft: Draft, terms: int) -> None:
    """Add epsilon and the output: no element is farther from the mean than the deviation times the root of all."""
    draft.real(0.01, 1)
    draft.output(reach=sqrt(terms) * _LARGEST + _LARGEST)


def _group(draft: Draft) -> None:
    groups = draft.chooser.integer(1, 3)
    side = int((draft.most_terms / groups) ** (1 / max(1, draft.rank - 1)))
    axes = (ANY, Axis(least=groups, most=max(side, groups), step=groups), *[Axis(most=max(side, 1))] * (draft.rank - 2))
    source = draft.input(Shape(axes))
    channels = source.dimensions[1]
    for _ in range(2):
        weights(draft, (channels,), _LARGEST)
    draft.number(groups)
    _finish(draft, prod(source.dimensions[1:]) // groups)


GENERATORS: Final[Mapping[int, Build]] = {
    codes.LAYER_NORMALIZATION: partial(_over_last, has_bias=True),
    codes.RMS_NORMALIZATION: partial(_over_last, has_bias=False),
    codes.GROUP_NORMALIZATION: _group,
}
