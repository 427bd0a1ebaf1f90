"""Generators of operands for operations that move elements, for random models.

Operations: TRILU, WHERE, GATHER_ND, SCATTER_ND, ONE_HOT, TENSOR_SCATTER. Each generator of :data:`GENERATORS` adds the
operands to a draft in the order of the declaration (``declarations/movement.py``), and the output last. ``reach`` is
the largest magnitude of an operand's elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.generators.random_graphs.chooser import shuffled
from nnvet.generators.random_graphs.draft import Draft, DraftOperand
from nnvet.generators.random_graphs.shapes import ANY, Axis, Shape, fixed
from nnvet.generators.random_graphs.signature import Build
from nnvet.hal.enums import OperandType

_QUARTER: Final = 0.25
"""Probability that a dimension is 1 and broadcast, or that an index counts from the end."""
_MOST_DEPTH: Final = 6
"""Largest size of the axis that ONE_HOT adds."""


def _build_trilu(draft: Draft) -> None:
    source = draft.input()
    draft.integer(-source.dimensions[-2], source.dimensions[-1])
    draft.truth()
    draft.same(source)


def _build_where(draft: Draft) -> None:
    condition = draft.input(kind=OperandType.TENSOR_BOOL8)
    sides = [
        [1 if draft.chooser.boolean(_QUARTER) else size for size in condition.dimensions[place:]]
        for place in (0, draft.chooser.integer(0, draft.rank - 1))
    ]
    yes = draft.input(fixed(sides[0]))
    no = draft.input(fixed(sides[1]), quantization=yes.quantization)
    draft.same(yes, reach=max(yes.reach, no.reach))


def _add_indices(draft: Draft, source: DraftOperand, depth: int, *, unique: bool) -> tuple[int, ...]:
    """Add indices into the first ``depth`` dimensions of an operand; return the dimensions in which they are listed.

    With ``unique`` no element is named twice, as updates require.
    """
    sizes = source.dimensions[:depth]
    part = prod(source.dimensions[depth:])
    count = draft.size(max(part, depth), high=prod(sizes) if unique else None)
    flat = shuffled(draft.chooser, range(prod(sizes)))[:count] if unique else draft.places(count, prod(sizes) - 1)
    places = np.stack(np.unravel_index(np.array(flat), sizes), -1)
    turned = np.array([draft.chooser.boolean(_QUARTER) for _ in range(places.size)]).reshape(places.shape)
    shape = (count,) if draft.chooser.boolean() else (1, count)
    draft.numbers(np.where(turned, places - np.array(sizes), places).reshape(*shape, depth))
    return shape


def _build_gather(draft: Draft) -> None:
    depth = draft.chooser.integer(1, draft.rank)
    source = draft.input()
    _add_indices(draft, source, depth, unique=False)
    draft.same(source)


def _build_scatter(draft: Draft) -> None:
    depth = draft.chooser.integer(1, draft.rank)
    source = draft.input()
    shape = _add_indices(draft, source, depth, unique=True)
    updates = draft.input(fixed((*shape, *source.dimensions[depth:])), quantization=source.quantization)
    draft.same(source, reach=max(source.reach, updates.reach))


def _build_one_hot(draft: Draft) -> None:
    depth = draft.chooser.integer(1, _MOST_DEPTH)
    rank = draft.rank
    dimensions = Shape((ANY,) * rank, depth).choose(draft.chooser, draft.limits)
    # One index below and one above the range: ONE_HOT defines that such indices switch nothing on.
    beyond = [draft.chooser.integer(-depth - 1, depth) for _ in range(prod(dimensions))]
    draft.given(OperandType.TENSOR_INT32, np.array(beyond).reshape(dimensions), is_constant=False)
    draft.number(depth)
    values = draft.input(fixed((2,)))
    draft.integer(-rank - 1, rank)
    draft.same(values)


def _build_tensor_scatter(draft: Draft) -> None:
    cache = draft.input(Shape((ANY, ANY, Axis(), ANY)))
    batches, heads, places, size = cache.dimensions
    count = draft.chooser.integer(1, places)
    draft.input(fixed((batches, heads, count, size)), quantization=cache.quantization)
    is_circular = draft.chooser.boolean()
    draft.numbers(draft.places(batches, places - 1 if is_circular else places - count))
    draft.truth(is_circular)
    draft.same(cache, reach=max(operand.reach for operand in draft.inputs[:2]))


GENERATORS: Final[Mapping[int, Build]] = {
    codes.TRILU: _build_trilu,
    codes.WHERE: _build_where,
    codes.GATHER_ND: _build_gather,
    codes.SCATTER_ND: _build_scatter,
    codes.ONE_HOT: _build_one_hot,
    codes.TENSOR_SCATTER: _build_tensor_scatter,
}
