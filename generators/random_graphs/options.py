"""Options of random models of mixed types.

Variations of a campaign from model to model: size, width of tensors, relaxed arithmetic, single operations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any, Final
from zlib import crc32

from nnvet.generators.random_graphs.shapes import MOST_ELEMENTS
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType

_WIDE: Final[Mapping[str, Any]] = {"dimensions": (1, 100), "elements": 5000}
"""Tensors of more than a vector loop's blocks, on which a drift shows in the mean."""
_ALONE: Final[Mapping[str, Any]] = {"operations": (1, 1), **_WIDE}
_FEW: Final[Mapping[str, Any]] = {"operations": (1, 3), **_WIDE}
_MANY: Final[Mapping[str, Any]] = {"operations": (5, 40)}
_RELAXED: Final[Mapping[str, Any]] = {"relaxed": 1.0}
_TEN: Final[Mapping[str, Any]] = {}
_UNKNOWN: Final[Mapping[str, Any]] = {"unknown": 0.5}
_ROUND: Final = (
    *(_TEN, _ALONE, _FEW, _ALONE, _TEN, _ALONE, _FEW, _ALONE, _MANY, _RELAXED),
    *(_TEN, _ALONE, _FEW, _ALONE, _TEN, _ALONE, _FEW, _ALONE, _UNKNOWN, _RELAXED),
)
"""Differences between successive models. Small faults of a kernel drown behind other operations, so that four of
ten models are of one operation: each operation and type in turn, all of them in a thousand models. Faults in how
operations go together need several."""


def vary(
    wanted: Sequence[GraphOptions],
    alone: Mapping[OperandType, Collection[OperationType]],
    given: Collection[str] = (),
    seed: int = 0,
) -> Iterator[GraphOptions]:
    """Options of one model after the other, without end.

    ``wanted`` take turns, where a model is not of one operation of ``alone``, which go by primary type. Options of the
    names ``given`` stay as they are; no operation is alone in its turn if they are the number of operations or the size
    of tensors. ``seed`` decides on the order of the operations.
    """
    turns = cycle(wanted)
    singles = cycle(_singles(wanted[0], alone, seed))
    for changes in cycle(_ROUND):
        if changes is _ALONE and _ALONE.keys().isdisjoint(given):
            yield next(singles)
        else:
            yield replace(next(turns), **{name: value for name, value in changes.items() if name not in given})


def _singles(
    wanted: GraphOptions, alone: Mapping[OperandType, Collection[OperationType]], seed: int
) -> list[GraphOptions]:
    pairs = [(kind, operation) for kind, operations in alone.items() for operation in operations]
    pairs.sort(key=lambda pair: (crc32(f"{seed}/{pair[0].name}/{pair[1].name}".encode()), pair))
    return [replace(wanted, types=(kind,), only=(operation,), **_ALONE) for kind, operation in pairs]


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
