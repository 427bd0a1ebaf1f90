"""Values that builders choose themselves where the default values would not do.

With the default values (:func:`nnvet.generators.random_graphs.draft.random_values`) some operations would saturate, and
others would decide by tiny differences, so that drivers could not be compared. The other modules of ``families/`` and
the generators of ``nnvet.extensions.next.operands`` call these functions with their draft or its chooser.
"""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.draft import Draft, DraftOperand, Quantization, random_integers
from nnvet.generators.random_graphs.shapes import Axis, Dimensions, Shape
from nnvet.graphs.model import Array, element_type
from nnvet.hal.enums import OperandType

_STEPS: Final = 2**16
"""Number of different reals in the whole range."""


def reals(chooser: Chooser, dimensions: Dimensions, limit: float) -> Array:
    """Return numbers between ``-limit`` and ``limit``, none of them zero."""
    steps = random_integers(chooser, prod(dimensions), 0, _STEPS - 1)
    values: Array = limit * ((2 * steps + 1) / _STEPS - 1)
    return values.reshape(dimensions)


def codes(chooser: Chooser, kind: OperandType, dimensions: Dimensions, most: int | None = None) -> Array:
    """Return codes from the whole range of a type, or from ``-most`` to ``most``."""
    limits = np.iinfo(element_type(kind))
    low, high = (int(limits.min), int(limits.max)) if most is None else (-most, most)
    return random_integers(chooser, prod(dimensions), low, high).reshape(dimensions)


def weights(draft: Draft, dimensions: Dimensions, limit: float) -> DraftOperand:
    """Add an input of the primary type with numbers of a magnitude below ``limit``, and return it."""
    operand = draft.given(draft.kind, reals(draft.chooser, dimensions, limit), is_constant=False)
    operand.reach = limit
    return operand


def coded(
    draft: Draft, kind: OperandType, dimensions: Dimensions, quantization: Quantization, most: int | None = None
) -> DraftOperand:
    """Add an input of codes, as :func:`codes` chooses them, and return it."""
    return draft.given(kind, codes(draft.chooser, kind, dimensions, most), quantization, is_constant=False)


def small(*most: int) -> Shape:
    """Return the shape of an operand whose dimensions are at most these sizes."""
    return Shape(tuple(Axis(most=size) for size in most))
