"""AVERAGE_POOL_2D, L2_POOL_2D, MAX_POOL_2D."""

from __future__ import annotations

from functools import partial
from typing import Final

from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.shapes import image
from nnvet.generators.random_graphs.signature import signatures
from nnvet.generators.random_graphs.windows import window
from nnvet.hal.enums import FeatureLevel, OperationType
from nnvet.hal.operations.shapes import to_nhwc

_MOST_CELLS: Final = 4


def _pool(draft: Draft, *, explicit: bool, has_layout: bool) -> None:
    nchw = has_layout and draft.chooser.boolean()
    frame = window(draft, explicit=explicit)
    source = draft.input(image(frame.height.axis, frame.width.axis, nchw=nchw))
    _, height, width, _ = to_nhwc(source.dimensions, nchw=nchw)
    frame.parameters(draft)
    draft.number(frame.width.cells(draft.chooser, width, _MOST_CELLS))
    draft.number(frame.height.cells(draft.chooser, height, _MOST_CELLS))
    draft.activation()
    if has_layout:
        draft.truth(nchw)
    draft.same(source)


SIGNATURES: Final = tuple(
    signature
    for operation in (OperationType.AVERAGE_POOL_2D, OperationType.L2_POOL_2D, OperationType.MAX_POOL_2D)
    for has_layout, since in ((False, FeatureLevel.FL1), (True, FeatureLevel.FL3))
    for explicit in (True, False)
    for signature in signatures(
        operation,
        partial(_pool, explicit=explicit, has_layout=has_layout),
        (4,),
        variant=("explicit" if explicit else "implicit") + ("_layout" if has_layout else ""),
        since=since,
    )
)
