"""How much the driver lets one model ask for. What needs more is refused before it is begun.

They are far above what models of phones need, and low enough that no model, however absurd, takes the machine's
memory or a processor for minutes. Read as attributes of this module at the time of use, so that tests can lower them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

ELEMENTS = 2**26
"""Elements of all outputs of one operation, and of one array that a kernel works with."""

HELD_BYTES = 2**30
"""Bytes of the values that an execution has computed and still needs, inputs and constants aside."""

WORK = 2**38
"""Products to be added up by one operation: seconds to a minute."""

STEPS = 10**6
"""Operations that an execution runs if every loop goes round once."""

NESTING = 100
"""Subgraphs within subgraphs."""

RANK = 32
"""Dimensions that every NumPy can handle."""


def check_cells(shape: Sequence[int]) -> None:
    """Refuse a working array of absurd size.

    :raises MemoryError: ``shape`` has more than ELEMENTS elements.
    """
    if math.prod(shape) > ELEMENTS:
        raise MemoryError(f"working memory of shape {tuple(shape)}")


def check_work(*factors: int) -> None:
    """Refuse to begin what would not end in reasonable time.

    :raises MemoryError: the product of ``factors`` is more than WORK.
    """
    if math.prod(factors) > WORK:
        raise MemoryError(f"{' x '.join(map(str, factors))} products")


def elements(shapes: Iterable[Sequence[int]]) -> int:
    """Elements of arrays of these shapes, together."""
    return sum(math.prod(shape) for shape in shapes)
