"""Signatures of EMBEDDING_LOOKUP, HASHTABLE_LOOKUP and GATHER, which look up elements by place or key.

Further signatures are those of LSH_PROJECTION, in which every bit of the input matters, and of RANDOM_MULTINOMIAL,
which is judged by frequencies. ``catalogue.py`` collects the table :data:`SIGNATURES`.
"""

from __future__ import annotations

from functools import partial
from math import prod, sqrt
from typing import Final

import numpy as np

from nnvet.generators.random_graphs.draft import Draft, random_integers
from nnvet.generators.random_graphs.families.values import reals, small, weights
from nnvet.generators.random_graphs.shapes import Axis, Shape
from nnvet.generators.random_graphs.signature import OperationSignature, further, signatures
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.operations.lookup import DENSE, SPARSE, SPARSE_DEPRECATED

_T = OperandType
_O = OperationType
_MOST_RANK: Final = 5
"""Largest rank of the indices of GATHER."""
_MOST_STEP: Final = 2
"""Largest distance of neighbouring keys of HASHTABLE_LOOKUP."""
_HITS: Final = (1.0, 0)
"""Scale and zero point of the output that tells which keys were found, as the contract requires."""
_RANKS: Final = (2, 3, 4)


def _embedding(draft: Draft) -> None:
    values = draft.input()
    rows, *rest = values.dimensions
    places = draft.places(draft.size(prod(rest)), rows - 1)
    draft.numbers(places)
    draft.inputs.reverse()
    draft.same(values)


def _hashtable(draft: Draft) -> None:
    """Build HASHTABLE_LOOKUP with keys in steps of one or two, so that some lookups find nothing."""
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


_OF_CTS: Final = (
    *signatures(_O.EMBEDDING_LOOKUP, _embedding, _RANKS),
    *signatures(_O.HASHTABLE_LOOKUP, _hashtable, _RANKS),
    *signatures(_O.GATHER, _gather, range(1, 6)),
)


_MOST_HASHES: Final = 3
_MOST_BITS: Final = {DENSE: 32, SPARSE: 29, SPARSE_DEPRECATED: 32}
"""Most bits of a hash; a sparse hash has its number before its bits."""
_SHAPES: Final[dict[int, Shape]] = {1: small(12), 2: small(4, 80), 3: small(3, 5, 12), 4: small(3, 3, 4, 5)}
_SEED: Final = 2.0
_HASHED: Final = {
    "float32": _T.TENSOR_FLOAT32,
    "float16": _T.TENSOR_FLOAT16,
    "int32": _T.TENSOR_INT32,
    "quant8": _T.TENSOR_QUANT8_ASYMM,
}
_MOST_ROWS, _MOST_CLASSES = 3, 8
_SAMPLES: Final = (1000, 1250)
_LOGIT: Final = 3.0
_DEVIATIONS: Final = 6.0
"""Limit of the deviation of a frequency, in standard deviations; larger ones are not chance."""


def _projection(draft: Draft, hashed: OperandType) -> None:
    kinds = (SPARSE_DEPRECATED, DENSE, SPARSE) if draft.level >= FeatureLevel.FL3 else (SPARSE_DEPRECATED, DENSE)
    kind = draft.chooser.pick(kinds)
    hashes = draft.chooser.integer(1, _MOST_HASHES), draft.chooser.integer(1, _MOST_BITS[kind])
    weights(draft, hashes, _SEED)
    # Never wired: an input that is rounded differently has another hash.
    source = draft.input(_SHAPES[draft.rank], hashed, takes=lambda _: False)
    if kind == DENSE:
        weights(draft, source.dimensions[:1], 1.0)
    else:
        draft.omitted(draft.kind, (0,))
    draft.number(kind)
    draft.output(_T.TENSOR_INT32, quantization=(0.0, 0), reach=float("inf"), connects=False)


def _multinomial(draft: Draft) -> None:
    rows, classes = draft.chooser.integer(1, _MOST_ROWS), draft.chooser.integer(2, _MOST_CLASSES)
    draft.given(draft.kind, reals(draft.chooser, (rows, classes), _LOGIT), is_constant=False)
    samples = draft.integer(*_SAMPLES)
    draft.numbers(random_integers(draft.chooser, 2, 1, 2**31 - 1))
    draft.output(_T.TENSOR_INT32, quantization=(0.0, 0), reach=float(classes), connects=False)
    draft.distribution_tolerance = _DEVIATIONS * sqrt(0.25 / samples)


_FURTHER: Final[tuple[OperationSignature, ...]] = (
    *(
        signature
        for name, hashed in _HASHED.items()
        for signature in further(
            _O.LSH_PROJECTION, partial(_projection, hashed=hashed), variant=name, where={"T": hashed}
        )
    ),
    *further(_O.RANDOM_MULTINOMIAL, _multinomial, (2,), in_graphs=False),
)

SIGNATURES: Final = (*_OF_CTS, *_FURTHER)
