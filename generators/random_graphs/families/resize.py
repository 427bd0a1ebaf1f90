"""Signatures of RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR, to a size or by a factor.

``catalogue.py`` collects the table :data:`SIGNATURES`. The further signatures have lists of operands that CTS does not
use.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np

from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.shapes import image
from nnvet.generators.random_graphs.signature import OperationSignature, further, signatures
from nnvet.graphs.model import element_type
from nnvet.hal.enums import FeatureLevel, OperationType
from nnvet.hal.operations.shapes import to_nhwc

_O = OperationType
_SMALLEST, _LARGEST = 0.2, 4.0
_MARGIN: Final = 1.01
"""Margin for the rounding of a factor to float16: at least one pixel is left, and no more than the limits allow."""


def resize(draft: Draft, *, by_factor: bool, has_layout: bool = True, flags: int = 0) -> None:
    """Build a resize to a size or by a factor.

    ``flags`` is the number of flags after the layout: 0, 1 (aligned corners) or 2 (half pixel centres, too).
    """
    nchw = has_layout and draft.chooser.boolean()
    source = draft.input(image(nchw=nchw))
    batches, height, width, depth = to_nhwc(source.dimensions, nchw=nchw)
    # Width comes before height.
    used = batches * depth
    if by_factor:
        wide = _factor(draft, width, used * max(1, int(height * _SMALLEST)))
        _factor(draft, height, used * wide)
    else:
        wide = draft.number(draft.size(used))
        draft.number(draft.size(used * wide))
    if has_layout:
        draft.truth(nchw)
    if flags:
        align, half_pixels = (draft.chooser.boolean() for _ in range(2))
        draft.truth(align and not half_pixels)
    if flags > 1:
        draft.truth(half_pixels)
    draft.same(source)


def _factor(draft: Draft, size: int, used: int) -> int:
    """Add a factor, and return the size that it makes of ``size``; the output has ``used`` elements for each index."""
    low = max(_SMALLEST, _MARGIN / size)
    high = max(low * _MARGIN, min(_LARGEST, draft.limits.elements / used / size / _MARGIN))
    factor = draft.real(low, high)
    return int(np.floor(size * np.dtype(element_type(draft.float_scalar)).type(factor)))


def _forms(operation: OperationType) -> Iterator[OperationSignature]:
    for name, by_factor in (("shape", False), ("scale", True)):
        build = partial(resize, by_factor=by_factor)
        yield from signatures(operation, build, (4,), variant=name, since=FeatureLevel.FL3)
        flagged = partial(build, flags=2)
        yield from signatures(operation, flagged, (4,), variant=f"{name}_flags", since=FeatureLevel.FL4)


_OF_CTS: Final = (
    *signatures(_O.RESIZE_BILINEAR, partial(resize, by_factor=False, has_layout=False), (4,)),
    *_forms(_O.RESIZE_BILINEAR),
    *_forms(_O.RESIZE_NEAREST_NEIGHBOR),
)


_FURTHER: Final = (
    *further(
        _O.RESIZE_BILINEAR,
        partial(resize, by_factor=True, has_layout=False),
        (4,),
        variant="scale_without_layout",
        since=FeatureLevel.FL3,
    ),
    *(
        signature
        for operation in (_O.RESIZE_BILINEAR, _O.RESIZE_NEAREST_NEIGHBOR)
        for name, by_factor in (("shape", False), ("scale", True))
        for signature in further(
            operation,
            partial(resize, by_factor=by_factor, flags=1),
            (4,),
            variant=f"{name}_corners",
            since=FeatureLevel.FL4,
        )
    ),
)

SIGNATURES: Final = (*_OF_CTS, *_FURTHER)
