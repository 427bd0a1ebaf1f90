"""SPACE_TO_DEPTH, DEPTH_TO_SPACE, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND, CHANNEL_SHUFFLE: blocks of elements moved."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.shapes import Axis, Shape, image
from nnvet.generators.random_graphs.signature import OperationSignature, signatures
from nnvet.hal.enums import FeatureLevel, OperationType

_O = OperationType
_MOST_EDGE: Final = 6
"""Of the padding before it is made up to a multiple of a block of up to five cells; ten cells at most then."""


def _space_to_depth(draft: Draft, *, has_layout: bool) -> None:
    nchw = has_layout and draft.chooser.boolean()
    block = draft.chooser.integer(1, 5)
    source = draft.input(image(Axis(step=block), Axis(step=block), nchw=nchw))
    draft.number(block)
    _finish(draft, has_layout=has_layout, nchw=nchw)
    draft.same(source)


def _depth_to_space(draft: Draft, *, has_layout: bool) -> None:
    nchw = has_layout and draft.chooser.boolean()
    block = draft.chooser.integer(1, 3)
    source = draft.input(image(channels=Axis(step=block**2), nchw=nchw))
    draft.number(block)
    _finish(draft, has_layout=has_layout, nchw=nchw)
    draft.same(source)


def _batch_to_space(draft: Draft, *, has_layout: bool) -> None:
    nchw = has_layout and draft.chooser.boolean()
    blocks = [draft.chooser.integer(1, 3) for _ in range(2)]
    source = draft.input(image(batches=Axis(step=blocks[0] * blocks[1]), nchw=nchw))
    draft.numbers(blocks)
    _finish(draft, has_layout=has_layout, nchw=nchw)
    draft.same(source)


def _space_to_batch(draft: Draft, *, has_layout: bool) -> None:
    nchw = has_layout and draft.chooser.boolean()
    blocks = [draft.chooser.integer(1, 5) for _ in range(2)]
    edges = [[draft.chooser.integer(0, _MOST_EDGE) for _ in range(2)] for _ in blocks]
    axes = [Axis(margin=sum(edge) + block - 1) for edge, block in zip(edges, blocks, strict=True)]
    source = draft.input_padded_with_zero(image(*axes, nchw=nchw))
    spatial = source.dimensions[2:] if nchw else source.dimensions[1:3]
    for size, edge, block in zip(spatial, edges, blocks, strict=True):
        edge[1] += -(size + sum(edge)) % block
    draft.numbers(blocks)
    draft.numbers(edges)
    _finish(draft, has_layout=has_layout, nchw=nchw)
    draft.same(source)


def _finish(draft: Draft, *, has_layout: bool, nchw: bool) -> None:
    if has_layout:
        draft.truth(nchw)


def _shuffle(draft: Draft) -> None:
    axis, groups = draft.chooser.integer(0, draft.rank - 1), draft.chooser.integer(1, 5)
    source = draft.input(Shape(tuple(Axis(step=groups if i == axis else 1) for i in range(draft.rank))))
    draft.number(groups)
    draft.number(axis if draft.chooser.boolean() else axis - draft.rank)
    draft.same(source)


def _both(operation: OperationType, build: Callable[..., None]) -> tuple[OperationSignature, ...]:
    """Without a layout, and with one."""
    return (
        *signatures(operation, partial(build, has_layout=False), (4,)),
        *signatures(operation, partial(build, has_layout=True), (4,), variant="layout", since=FeatureLevel.FL3),
    )


SIGNATURES: Final = (
    *_both(_O.SPACE_TO_DEPTH, _space_to_depth),
    *_both(_O.DEPTH_TO_SPACE, _depth_to_space),
    *_both(_O.BATCH_TO_SPACE_ND, _batch_to_space),
    *_both(_O.SPACE_TO_BATCH_ND, _space_to_batch),
    *signatures(_O.CHANNEL_SHUFFLE, _shuffle),
)
