"""Variations of a campaign from model to model: size, width of tensors, relaxed arithmetic, single operations."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any, Final
from zlib import crc32

from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.hal.enums import OperandType, OperationType

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


def varied(
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
