"""RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR with lists of operands that CTS does not have."""

from __future__ import annotations

from functools import partial
from typing import Final

from nnvet.generators.random_graphs.families.resize import resize
from nnvet.generators.random_graphs.signature import further
from nnvet.hal.enums import FeatureLevel, OperationType

_O = OperationType
SIGNATURES: Final = (
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
