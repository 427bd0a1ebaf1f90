"""Schedule of a campaign of random models: the options of each model, and the operations that some of them must have.

Random graphs reach common operations soon and rare ones late. So some models of a campaign take their operations from a
schedule instead, and a short campaign covers nearly as much as a long one. In these models no operation reads the
result of another one, so that no error is hidden by a later operation.

A *cell* is an operation with a type and rank. A *round* has every cell at least once, beginning with the cells that
random graphs rarely contain. Signatures and attributes with few alternatives are taken in turn by the cells of their
operation. Everything follows from the number of a cell in the schedule, so that a model can be made again from its
name.

:func:`vary` yields the options of the models of a campaign; :func:`scheduled` returns the cells of one model.
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
_CELLS_PER_MODEL: Final = 10
"""Number of independent operations in a model. The errors of each are as visible as in a model of its own."""
_SELDOM_TYPES: Final = (
    *(_T.TENSOR_QUANT16_SYMM, _T.TENSOR_QUANT16_ASYMM),
    *(_T.TENSOR_QUANT8_SYMM, _T.TENSOR_QUANT8_SYMM_PER_CHANNEL),
)
"""Types that few operations produce. Random graphs therefore rarely have an operation that reads them."""
_FREQUENT_TYPES: Final = (_T.TENSOR_INT32, _T.TENSOR_BOOL8)
"""Types with few operations. Each of these is about twice as frequent in random graphs as those of other types."""


_ITEMS_PER_CELL: Final = 3
_MOST_CELLS: Final = 8
"""An operation whose declaration has many alternatives gets more cells in a round: one for each ``_ITEMS_PER_CELL``
alternatives, but no more than ``_MOST_CELLS`` by this rule."""


class Cell(NamedTuple):
    """A signature with a type and rank of its first operand.

    ``turn`` counts the earlier cells of the same operation in the schedule.
    """

    signature: OperationSignature
    kind: OperandType
    rank: int
    turn: int


class _Bounds(NamedTuple):
    """The options that decide which cells exist, as a key for caches."""

    types: tuple[OperandType, ...]
    ranks: tuple[int, ...]
    level: int
    only: tuple[OperationType, ...]


def scheduled(options: GraphOptions) -> list[Cell]:
    """Return the cells of a model, whose numbers are in its options."""
    if options.scheduled is None:
        return []
    bounds, (first, last) = _bounds(options), options.scheduled
    size = len(_round(bounds, 0))
    return [_round(bounds, number // size)[number % size] for number in range(first, last + 1)]


def _bounds(options: GraphOptions) -> _Bounds:
    return _Bounds(options.types, options.ranks, options.level, options.only)


_Key = tuple[OperationType, OperandType, int]
"""Operation, type and rank of a cell."""


@cache
def _rarity(bounds: _Bounds) -> Mapping[_Key, int]:
    """Map every cell to 0 if random graphs rarely contain it, 2 if they contain it often, and otherwise 1.

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
    """Return the cells of a round in order.

    First comes each operation with each type, in one of its ranks. The operations with many alternatives follow once
    more, and then all other ranks.
    """
    rarity = _rarity(bounds)

    def place(cell: _Key) -> tuple[int, int]:
        operation, kind, rank = cell
        return rarity[cell], crc32(f"{number}/{operation.name}/{kind.name}/{rank}".encode())

    ordered = sorted(rarity, key=place)
    firsts = list({cell[:2]: cell for cell in reversed(ordered)}.values())
    known = set(firsts)
    others = [cell for cell in ordered if cell not in known]
    repeated = _repeated_cells(ordered)
    cells: list[Cell] = []
    counts = Counter(operation for operation, _, _ in (*ordered, *repeated))
    # Turns go on from round to round, so that all alternatives of an operation are used in time.
    turns = {operation: number * count for operation, count in counts.items()}
    for operation, kind, rank in (*firsts, *repeated, *others):
        forms = [form for form in whole_pool(kind, rank, bounds.level) if form.operation == operation]
        turn = turns[operation]
        turns[operation] = turn + 1
        # The hash has operations begin at different forms, so that no form is first everywhere.
        cells.append(Cell(forms[(turn + crc32(operation.name.encode())) % len(forms)], kind, rank, turn))
    return cells


def _repeated_cells(cells: Sequence[_Key]) -> list[_Key]:
    """Return the cells that a round repeats, because their operations have many alternatives and few cells."""
    found: list[_Key] = []
    of_operations: dict[OperationType, list[_Key]] = {}
    for cell in cells:
        of_operations.setdefault(cell[0], []).append(cell)
    for operation, own in of_operations.items():
        wanted = min(_MOST_CELLS, len(numbered_items(operation)) // _ITEMS_PER_CELL)
        found += [own[i % len(own)] for i in range(wanted - len(own))]
    return found


_WIDE: Final[Mapping[str, Any]] = {"dimensions": (1, 100), "elements": 5000}
"""Large tensors: they exceed the blocks of vectorised loops, and a systematic error shows in their mean."""
_INDEPENDENT: Final[Mapping[str, Any]] = {"operations": (1, 1), **_WIDE}
_FEW: Final[Mapping[str, Any]] = {"operations": (1, 3), **_WIDE}
_MANY: Final[Mapping[str, Any]] = {"operations": (5, 40)}
_RELAXED: Final[Mapping[str, Any]] = {"relaxed": 1.0}
_DEFAULT: Final[Mapping[str, Any]] = {}
_UNKNOWN: Final[Mapping[str, Any]] = {"unknown": 0.5}
_VARIATIONS: Final = (
    *(_DEFAULT, _INDEPENDENT, _FEW, _INDEPENDENT, _DEFAULT, _INDEPENDENT, _FEW, _INDEPENDENT, _MANY, _RELAXED),
    *(_DEFAULT, _INDEPENDENT, _FEW, _INDEPENDENT, _DEFAULT, _INDEPENDENT, _FEW, _INDEPENDENT, _UNKNOWN, _RELAXED),
)
"""Variations of successive models, over and over. Small errors of a kernel are hidden by the operations behind it, so
four models of ten have independent operations, in the order of the schedule. Errors in the way operations are combined
show only in graphs, so the others are graphs of several sizes."""


def vary(
    wanted: Sequence[GraphOptions],
    claimed: Mapping[OperandType, Collection[OperationType]],
    given: Collection[str] = (),
    seed: int = 0,
) -> Iterator[GraphOptions]:
    """Yield the options of the models of a campaign, without end.

    Models of independent operations take these from ``claimed``, the operations that the driver supports by primary
    type, in an order that depends on ``seed``. All other models take the options in ``wanted`` in turn. ``given`` names
    the options that the user has set: they are never varied, and if the number of operations or the size of tensors is
    among them, there are no models of independent operations.
    """
    turns = cycle(wanted)
    independent = _independent_models(wanted[0], claimed, seed)
    for changes in cycle(_VARIATIONS):
        if changes is _INDEPENDENT and _INDEPENDENT.keys().isdisjoint(given):
            yield next(independent)
        else:
            yield replace(next(turns), **{name: value for name, value in changes.items() if name not in given})


_ROUNDS_PER_SEED: Final = 1000
"""Distance of the first rounds of successive seeds, so that their campaigns have different models."""


def _independent_models(
    wanted: GraphOptions, claimed: Mapping[OperandType, Collection[OperationType]], seed: int
) -> Iterator[GraphOptions]:
    """Yield the options of models of independent operations: in each turn one round of the schedule for every type."""
    of_types = [
        replace(wanted, types=(kind,), only=_restriction(wanted, kind, operations), **_WIDE)
        for kind, operations in claimed.items()
        if _has_cells(wanted, kind, operations)
    ]
    for turn in count(seed * _ROUNDS_PER_SEED):
        blocks = [block for options in of_types for block in _models_of_round(options, turn)]
        blocks.sort(key=lambda block: block[:2])
        yield from (options for _, _, options in blocks)


def _has_cells(wanted: GraphOptions, kind: OperandType, operations: Collection[OperationType]) -> bool:
    return any(form.operation in operations for rank in wanted.ranks for form in whole_pool(kind, rank, wanted.level))


def _restriction(
    wanted: GraphOptions, kind: OperandType, operations: Collection[OperationType]
) -> tuple[OperationType, ...]:
    """Return the operations to which a type has to be restricted; () if all of its operations are claimed."""
    every = {form.operation for rank in wanted.ranks for form in whole_pool(kind, rank, wanted.level)}
    return () if every <= set(operations) else tuple(sorted(every & set(operations)))


def _models_of_round(options: GraphOptions, turn: int) -> Iterator[tuple[int, int, GraphOptions]]:
    """Yield the models of a round of a type, each as two sort keys and the options.

    The first key is 0 for a model in which an operation has a type for the first time; otherwise it grows with the
    frequency of its first cell in random graphs. The second key is a hash, which mixes the types.
    """
    bounds = _bounds(options)
    cells, rarities = _round(bounds, turn), _rarity(bounds)
    size, pairs = len(cells), len({cell[:2] for cell in rarities})
    for first in range(0, size, _CELLS_PER_MODEL):
        signature, kind, rank, _ = cells[first]
        last = min(first + _CELLS_PER_MODEL, size) - 1
        rarity = 0 if first < pairs else 1 + rarities[signature.operation, kind, rank]
        mixing = crc32(f"{turn}/{kind.name}/{first}".encode())
        numbers = turn * size + first, turn * size + last
        yield rarity, mixing, replace(options, operations=(last - first + 1,) * 2, scheduled=numbers)
