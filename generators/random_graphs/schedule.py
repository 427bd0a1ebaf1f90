"""Schedule of the operations that campaigns have apart from others, so that a short one reaches what a long one does.

A cell is an operation with a type and rank. A round has all cells once: first those that graphs hardly ever have, last
those that they have most. Where a form or an attribute has few alternatives, the cells of an operation take them in
turn. All of it follows from a cell's number in the schedule, so that a model is made again from its name.

Variations of campaigns from model to model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import count, cycle, product
from typing import Any, Final, NamedTuple
from zlib import crc32

from nnvet.generators.random_graphs.catalogue import whole_pool
from nnvet.generators.random_graphs.coverage import numbered_items
from nnvet.generators.random_graphs.flow import is_seldom
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.hal.enums import OperandType, OperationType

_T = OperandType
_TOGETHER: Final = 10
"""So many operations that do not read each other are in one model: faults of each are seen as well as in its own."""
_SELDOM_TYPES: Final = (
    *(_T.TENSOR_QUANT16_SYMM, _T.TENSOR_QUANT16_ASYMM),
    *(_T.TENSOR_QUANT8_SYMM, _T.TENSOR_QUANT8_SYMM_PER_CHANNEL),
)
"""Types that few operations make, so that graphs hardly have any that read them."""
_FREQUENT_TYPES: Final = (_T.TENSOR_INT32, _T.TENSOR_BOOL8)
"""Types of few operations, each of which graphs have twice as often as one of other types."""


_ITEMS_A_TURN: Final = 3
_MOST_TURNS: Final = 8
"""An operation has a turn for so many alternatives of its declaration, up to that many, or as many as it has cells."""


class Cell(NamedTuple):
    """A signature in a type and rank, and how many cells of its operation come before it in the schedule."""

    signature: OperationSignature
    kind: OperandType
    rank: int
    turn: int


class _Bounds(NamedTuple):
    """Those of the options that say which cells there are."""

    types: tuple[OperandType, ...]
    ranks: tuple[int, ...]
    level: int
    only: tuple[OperationType, ...]


def scheduled(options: GraphOptions) -> list[Cell]:
    """The cells of a model, those of the numbers that its options say."""
    if options.scheduled is None:
        return []
    bounds, (first, last) = _bounds(options), options.scheduled
    size = len(_round(bounds, 0))
    return [_round(bounds, number // size)[number % size] for number in range(first, last + 1)]


def _bounds(options: GraphOptions) -> _Bounds:
    return _Bounds(options.types, options.ranks, options.level, options.only)


_Key = tuple[OperationType, OperandType, int]


@cache
def _rarity(bounds: _Bounds) -> Mapping[_Key, int]:
    """All cells: 0 if graphs hardly have them, 1, or 2 if they have them more often than most.

    :raises ValueError: no operation has a type and rank that the options allow.
    """
    found: dict[_Key, int] = {}
    for kind, rank in product(bounds.types, bounds.ranks):
        for signature in whole_pool(kind, rank, bounds.level):
            if not bounds.only or signature.operation in bounds.only:
                is_rare = kind in _SELDOM_TYPES or is_seldom(signature, kind)
                found[signature.operation, kind, rank] = 0 if is_rare else 1 + (kind in _FREQUENT_TYPES)
    if not found:
        raise ValueError("no operation has a type and rank that the options allow")
    return found


@lru_cache(1 << 6)
def _round(bounds: _Bounds, number: int) -> Sequence[Cell]:
    """All cells in order: each operation and type once, then what has many alternatives again, then other ranks."""
    rarity = _rarity(bounds)

    def place(cell: _Key) -> tuple[int, int]:
        operation, kind, rank = cell
        return rarity[cell], crc32(f"{number}/{operation.name}/{kind.name}/{rank}".encode())

    ordered = sorted(rarity, key=place)
    firsts = list({cell[:2]: cell for cell in reversed(ordered)}.values())
    known = set(firsts)
    others = [cell for cell in ordered if cell not in known]
    again = _again(ordered)
    cells: list[Cell] = []
    counts = Counter(operation for operation, _, _ in (*ordered, *again))
    turns = {operation: number * count for operation, count in counts.items()}
    for operation, kind, rank in (*firsts, *again, *others):
        forms = [form for form in whole_pool(kind, rank, bounds.level) if form.operation == operation]
        turn = turns[operation]
        turns[operation] = turn + 1
        cells.append(Cell(forms[(turn + crc32(operation.name.encode())) % len(forms)], kind, rank, turn))
    return cells


def _again(cells: Sequence[_Key]) -> list[_Key]:
    """Cells that come more than once in a round: those of operations that have more alternatives than cells."""
    found: list[_Key] = []
    of_operations: dict[OperationType, list[_Key]] = {}
    for cell in cells:
        of_operations.setdefault(cell[0], []).append(cell)
    for operation, own in of_operations.items():
        wanted = min(_MOST_TURNS, len(numbered_items(operation)) // _ITEMS_A_TURN)
        found += [own[i % len(own)] for i in range(wanted - len(own))]
    return found


_WIDE: Final[Mapping[str, Any]] = {"dimensions": (1, 100), "elements": 5000}
"""Tensors of more than a vector loop's blocks, on which a drift shows in the mean."""
_APART: Final[Mapping[str, Any]] = {"operations": (1, 1), **_WIDE}
_FEW: Final[Mapping[str, Any]] = {"operations": (1, 3), **_WIDE}
_MANY: Final[Mapping[str, Any]] = {"operations": (5, 40)}
_RELAXED: Final[Mapping[str, Any]] = {"relaxed": 1.0}
_TEN: Final[Mapping[str, Any]] = {}
_UNKNOWN: Final[Mapping[str, Any]] = {"unknown": 0.5}
_ROUND: Final = (
    *(_TEN, _APART, _FEW, _APART, _TEN, _APART, _FEW, _APART, _MANY, _RELAXED),
    *(_TEN, _APART, _FEW, _APART, _TEN, _APART, _FEW, _APART, _UNKNOWN, _RELAXED),
)
"""Differences between successive models. Small faults of a kernel drown behind other operations, so that four of
ten models are of operations of which none reads another, in the order of the schedule. Faults in how operations go
together need several that do."""


def vary(
    wanted: Sequence[GraphOptions],
    claimed: Mapping[OperandType, Collection[OperationType]],
    given: Collection[str] = (),
    seed: int = 0,
) -> Iterator[GraphOptions]:
    """Options of one model after the other, without end.

    ``wanted`` take turns, where a model is not of operations apart, which are those ``claimed`` by primary type.
    Options of the names ``given`` stay as they are; no operations are apart if they are the number of operations or the
    size of tensors. ``seed`` decides on the order of the operations.
    """
    turns = cycle(wanted)
    apart = _apart(wanted[0], claimed, seed)
    for changes in cycle(_ROUND):
        if changes is _APART and _APART.keys().isdisjoint(given):
            yield next(apart)
        else:
            yield replace(next(turns), **{name: value for name, value in changes.items() if name not in given})


_ROUNDS_PER_SEED: Final = 1000


def _apart(
    wanted: GraphOptions, claimed: Mapping[OperandType, Collection[OperationType]], seed: int
) -> Iterator[GraphOptions]:
    """Models of operations apart, a round of the schedule of each type after the other."""
    of_types = [
        replace(wanted, types=(kind,), only=_least(wanted, kind, operations), **_WIDE)
        for kind, operations in claimed.items()
        if _has_cells(wanted, kind, operations)
    ]
    for turn in count(seed * _ROUNDS_PER_SEED):
        blocks = [block for options in of_types for block in _blocks(options, turn)]
        blocks.sort(key=lambda block: block[:2])
        yield from (options for _, _, options in blocks)


def _has_cells(wanted: GraphOptions, kind: OperandType, operations: Collection[OperationType]) -> bool:
    return any(form.operation in operations for rank in wanted.ranks for form in whole_pool(kind, rank, wanted.level))


def _least(wanted: GraphOptions, kind: OperandType, operations: Collection[OperationType]) -> tuple[OperationType, ...]:
    """The operations that have to be named, none if they are all of the type."""
    every = {form.operation for rank in wanted.ranks for form in whole_pool(kind, rank, wanted.level)}
    return () if every <= set(operations) else tuple(sorted(every & set(operations)))


def _blocks(options: GraphOptions, turn: int) -> Iterator[tuple[int, int, GraphOptions]]:
    """A round of a type, in models: 0 where operations are there for the first time, rarity, and the options."""
    bounds = _bounds(options)
    cells, rarities = _round(bounds, turn), _rarity(bounds)
    size, pairs = len(cells), len({cell[:2] for cell in rarities})
    for first in range(0, size, _TOGETHER):
        signature, kind, rank, _ = cells[first]
        last = min(first + _TOGETHER, size) - 1
        rarity = 0 if first < pairs else 1 + rarities[signature.operation, kind, rank]
        mixed = crc32(f"{turn}/{kind.name}/{first}".encode())
        numbers = turn * size + first, turn * size + last
        yield rarity, mixed, replace(options, operations=(last - first + 1,) * 2, scheduled=numbers)
