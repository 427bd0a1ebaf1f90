"""BATCH_MATMUL: matrices of equal inner sizes, either of them transposed."""

from __future__ import annotations

from math import prod
from typing import Final

from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.shapes import Axis, Shape, fixed
from nnvet.generators.random_graphs.signature import further
from nnvet.hal.enums import OperationType

_MOST_FACTOR: Final = 64


def _products(draft: Draft) -> None:
    adjoint = [draft.chooser.boolean() for _ in range(2)]
    most = min(_MOST_FACTOR, draft.most_terms)
    first = draft.input(Shape((*((Axis(),) * (draft.rank - 2)), Axis(most=most), Axis(most=most))))
    *batches, height, inner = first.dimensions
    if adjoint[0]:
        height, inner = inner, height
    width = draft.size(prod(batches) * max(height, inner))
    matrix = (width, inner) if adjoint[1] else (inner, width)
    second = draft.input(fixed((*batches, *matrix)))
    for flag in adjoint:
        draft.truth(flag)
    draft.output(reach=inner * first.reach * second.reach)


SIGNATURES: Final = tuple(further(OperationType.BATCH_MATMUL, _products, range(2, 5)))
