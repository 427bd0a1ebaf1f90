"""EMBEDDING_LOOKUP, HASHTABLE_LOOKUP, GATHER: elements by their place."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.shapes import Axis, Shape
from nnvet.generators.random_graphs.signature import signatures
from nnvet.hal.enums import OperandType, OperationType

_T = OperandType
_O = OperationType
_MOST_RANK: Final = 5
_MOST_STEP: Final = 2
_HITS: Final = (1.0, 0)
_RANKS: Final = (2, 3, 4)


def _embedding(draft: Draft) -> None:
    values = draft.input()
    rows, *rest = values.dimensions
    places = draft.places(draft.size(prod(rest)), rows - 1)
    draft.numbers(places)
    draft.inputs.reverse()
    draft.same(values)


def _hashtable(draft: Draft) -> None:
    """Keys ascend from 0 in steps of one or two, so that some lookups find nothing."""
    values = draft.input()
    rows, *rest = values.dimensions
    keys, step = [0], 1
    while len(keys) < rows:
        step = draft.chooser.integer(1, _MOST_STEP)
        keys.append(keys[-1] + step)
    lookups = draft.places(draft.size(prod(rest)), keys[-1] + step)
    draft.numbers(keys)
    draft.numbers(lookups)
    draft.inputs.reverse()
    draft.same(values)
    draft.output(_T.TENSOR_QUANT8_ASYMM, quantization=_HITS)


def _gather(draft: Draft) -> None:
    source = draft.input()
    axis = draft.axis(draft.rank)
    others = prod(source.dimensions) // source.dimensions[axis]
    shape = Shape((Axis(),) * draft.chooser.integer(1, _MOST_RANK), others)
    dimensions = shape.choose(draft.chooser, draft.limits)
    places = draft.places(prod(dimensions), source.dimensions[axis] - 1)
    draft.numbers(np.reshape(places, dimensions))
    draft.same(source)


SIGNATURES: Final = (
    *signatures(_O.EMBEDDING_LOOKUP, _embedding, _RANKS),
    *signatures(_O.HASHTABLE_LOOKUP, _hashtable, _RANKS),
    *signatures(_O.GATHER, _gather, range(1, 6)),
)
