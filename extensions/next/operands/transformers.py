"""Generators of operands for layers of transformers, for random models.

Operations: LAYER_NORMALIZATION, RMS_NORMALIZATION, GROUP_NORMALIZATION, MATMUL, CUMSUM, ATTENTION, ROTARY_EMBEDDING.
Each generator of :data:`GENERATORS` adds the operands to a draft in the order of the declaration
(``declarations/transformers.py``), and the output last. ``reach`` is the largest magnitude of an operand's elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import prod, sqrt
from typing import Final

from nnvet.extensions.next import codes
from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.families.values import weights
from nnvet.generators.random_graphs.shapes import ANY, Axis, Shape, free
from nnvet.generators.random_graphs.signature import Build

_LARGEST: Final = 2.0
"""Largest magnitude of scales and biases."""


def _build_over_last(draft: Draft, *, has_bias: bool) -> None:
    axis = draft.chooser.integer(0, draft.rank - 1)
    together = int(draft.most_terms ** (1 / (draft.rank - axis)))
    source = draft.input(Shape(tuple(Axis(most=together) if place >= axis else ANY for place in range(draft.rank))))
    dimensions = source.dimensions[axis:]
    weights(draft, dimensions, _LARGEST)
    if has_bias and draft.chooser.boolean():
        weights(draft, dimensions, _LARGEST)
    elif has_bias:
        draft.omitted(draft.kind, dimensions)
    draft.number(axis if draft.chooser.boolean() else axis - draft.rank)
    _finish(draft, prod(dimensions))


def _finish(draft: Draft, terms: int) -> None:
    """Add epsilon and the output of a normalisation of so many ``terms``.

    No element is farther from the mean than the standard deviation times the root of the number of terms.
    """
    draft.real(0.01, 1)
    draft.output(reach=sqrt(terms) * _LARGEST + _LARGEST)


def _build_groups(draft: Draft) -> None:
    groups = draft.chooser.integer(1, 3)
    side = int((draft.most_terms / groups) ** (1 / max(1, draft.rank - 1)))
    axes = (ANY, Axis(least=groups, most=max(side, groups), step=groups), *[Axis(most=max(side, 1))] * (draft.rank - 2))
    source = draft.input(Shape(axes))
    channels = source.dimensions[1]
    for _ in range(2):
        weights(draft, (channels,), _LARGEST)
    draft.number(groups)
    _finish(draft, prod(source.dimensions[1:]) // groups)


_QUARTER: Final = 0.25
"""Probability that a dimension is 1 and broadcast, or missing."""
_MOST_HEADS: Final = 3
"""Most heads of ATTENTION that share a group of keys."""
_MOST_MASK: Final = 4.0
"""Largest magnitude of the mask that ATTENTION adds to the scores."""


def _build_matmul(draft: Draft) -> None:
    first = draft.input(Shape((*free(draft.rank).axes[:-1], Axis(most=draft.most_terms))))
    *others, rows, terms = first.dimensions
    columns = draft.size(max(terms, prod(others) * rows), high=draft.limits.most)
    batch = [1 if draft.chooser.boolean(_QUARTER) else size for size in others]
    if draft.chooser.boolean(_QUARTER):
        batch = batch[draft.chooser.integer(0, len(batch)) :]
    while prod(batch) * terms * columns > draft.limits.elements:
        batch = batch[1:] if batch else batch
        columns = columns if batch else max(1, draft.limits.elements // terms)
    second = weights(draft, (*batch, terms, columns), _LARGEST)
    draft.output(reach=terms * first.reach * second.reach)


def _build_cumsum(draft: Draft) -> None:
    axis = draft.chooser.integer(0, draft.rank - 1)
    long = Axis(most=draft.most_terms)
    source = draft.input(Shape(tuple(long if place == axis else ANY for place in range(draft.rank))))
    draft.number(axis if draft.chooser.boolean() else axis - draft.rank)
    for _ in range(2):
        draft.truth()
    draft.output(reach=source.dimensions[axis] * source.reach)


def _build_attention(draft: Draft) -> None:
    per_group = draft.chooser.integer(1, _MOST_HEADS)
    query = draft.input(Shape((ANY, Axis(per_group, step=per_group), ANY, Axis(most=draft.most_terms))))
    batches, heads, places, size = query.dimensions
    groups = heads // per_group
    keys = draft.size(max(batches * groups * size, batches * heads * places))
    weights(draft, (batches, groups, keys, size), _LARGEST)
    value = weights(draft, (batches, groups, keys, draft.size(batches * max(groups * keys, heads * places))), _LARGEST)
    scores = [1 if draft.chooser.boolean(_QUARTER) else size for size in (batches, heads, places, keys)]
    if draft.chooser.boolean():
        weights(draft, tuple(scores), _MOST_MASK)
    else:
        draft.omitted(draft.kind, tuple(scores))
    draft.real(0.1, 1)
    draft.truth()
    draft.integer(0, keys)
    draft.output(reach=value.reach)


def _build_rotary(draft: Draft) -> None:
    source = draft.input(Shape((ANY, ANY, ANY, Axis(least=2))))
    batches, _, places, size = source.dimensions
    pairs = size // 2 if draft.chooser.boolean() else draft.chooser.integer(1, size // 2)
    for _ in range(2):
        weights(draft, (batches, places, pairs), 1.0)
    draft.truth()
    draft.output(reach=2 * source.reach)


GENERATORS: Final[Mapping[int, Build]] = {
    codes.LAYER_NORMALIZATION: partial(_build_over_last, has_bias=True),
    codes.RMS_NORMALIZATION: partial(_build_over_last, has_bias=False),
    codes.GROUP_NORMALIZATION: _build_groups,
    codes.MATMUL: _build_matmul,
    codes.CUMSUM: _build_cumsum,
    codes.ATTENTION: _build_attention,
    codes.ROTARY_EMBEDDING: _build_rotary,
}
