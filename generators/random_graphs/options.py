"""Options of random models of mixed types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nnvet.generators.random_graphs.shapes import MOST_ELEMENTS
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType

_T = OperandType
PRIMARY_TYPES: Final = (
    _T.TENSOR_FLOAT32,
    _T.TENSOR_FLOAT16,
    _T.TENSOR_QUANT8_ASYMM,
    _T.TENSOR_QUANT8_ASYMM_SIGNED,
    _T.TENSOR_INT32,
    _T.TENSOR_BOOL8,
    _T.TENSOR_QUANT16_SYMM,
    _T.TENSOR_QUANT16_ASYMM,
    _T.TENSOR_QUANT8_SYMM,
    _T.TENSOR_QUANT8_SYMM_PER_CHANNEL,
)
"""Types that operations of random graphs have first; most operations take the first four."""
MOST_OPERATIONS: Final = 1000


@dataclass(frozen=True)
class GraphOptions:
    """Bounds are pairs of the least and the most, both included.

    ``types`` are the primary types of operations: what they compare or convert into may have another. ``level`` is the
    highest feature level of an operation. ``only`` these operations occur, all if it is empty. There are no more
    ``inputs`` of the model than that, for every ten operations: the other tensors that nothing computes are constants.
    More than so many ``outputs`` are avoided, not excluded: what nobody reads is one. The rest are probabilities: of
    ``constants`` among the tensors that nothing computes, of a ``relaxed`` model, and of ``boundaries``: an operation
    with ties, values at the ends of ranges, and halves to round. ``unknown`` is the share of dimensions that the model
    does not say, those of its inputs, outputs and what is between them; :func:`unspecified.declared` leaves them out.

    Of a seeded source most graphs have their first operations in common with others, up to ``remembered``: these are
    made once for all.

    :raises ValueError: a bound that cannot be kept.
    """

    operations: tuple[int, int] = (10, 10)
    dimensions: tuple[int, int] = (1, 10)
    elements: int = 1000
    ranks: tuple[int, ...] = (1, 2, 3, 4, 5)
    types: tuple[OperandType, ...] = PRIMARY_TYPES
    level: int = max(FeatureLevel)
    only: tuple[OperationType, ...] = ()
    inputs: int = 8
    outputs: int = 8
    constants: float = 0.5
    relaxed: float = 0.0
    boundaries: float = 0.1
    unknown: float = 0.0
    remembered: int = 9

    def __post_init__(self) -> None:
        """Refuse what no model can be like."""
        for name, (low, high), most in (
            ("operations", self.operations, MOST_OPERATIONS),
            ("dimensions", self.dimensions, MOST_ELEMENTS),
        ):
            if not 1 <= low <= high <= most:
                raise ValueError(f"{name} have to be from 1 to {most}, not from {low} to {high}")
        if not LEAST_ELEMENTS <= self.elements <= MOST_ELEMENTS:
            raise ValueError(f"elements have to be from {LEAST_ELEMENTS} to {MOST_ELEMENTS}, not {self.elements}")
        if not (self.types and self.ranks and self.inputs > 0 and self.outputs > 0):
            raise ValueError("there has to be a type, a rank, an input and an output")


LEAST_ELEMENTS: Final = 300
"""Every signature finds shapes within so many."""
