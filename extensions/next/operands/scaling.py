"""Operands of RESIZE_CUBIC and DYNAMIC_QUANTIZE for random models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.extensions.next import codes
from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.signature import Build
from nnvet.hal.enums import OperandType

_GROWTH: Final = 1.9
"""Largest sum of the magnitudes of the parts in two dimensions."""


def _resize(draft: Draft) -> None:
    source = draft.input()
    batches, channels, *_ = source.dimensions
    height = draft.number(draft.size(batches * channels))
    draft.number(draft.size(batches * channels * height))
    draft.truth()
    draft.output(reach=_GROWTH * source.reach)


def _quantize(draft: Draft) -> None:
    source = draft.input()
    draft.output(OperandType.TENSOR_INT32, reach=255.0, connects=False)
    draft.output(reach=source.reach, connects=False)
    draft.output(OperandType.TENSOR_INT32, reach=255.0, connects=False)


GENERATORS: Final[Mapping[int, Build]] = {codes.RESIZE_CUBIC: _resize, codes.DYNAMIC_QUANTIZE: _quantize}
