"""Contents of random models as shaded tables: operations by type and rank, attributes, and pairs of operations."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from nnvet.reports.accuracy import BINS, Coverage
from nnvet.reports.events import ModelSpace

SHADES: Final = 5
CELL: Final = 9
"""Pixels of a pair of operations."""
_NOTHING: Final = ModelSpace({})


@dataclass(frozen=True)
class Shaded:
    """A cell: how many models, a shade from 1 to 5 by its logarithm, and what is shown on hovering.

    Without models ``state`` says why: ``never`` might have occurred, ``reason`` has a reason, ``lacking`` the driver
    does not support, ``none`` cannot be.
    """

    count: int
    shade: int
    state: str
    title: str
    ranks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class OperationRow:
    """An operation: cells by type, and cells of its attributes and other alternatives."""

    name: str
    kinds: tuple[Shaded, ...]
    items: tuple[Shaded, ...]


@dataclass(frozen=True)
class Pairs:
    """The matrix of which operation feeds which: SVG paths by shade, 0 for what may be and did not occur.

    ``counts`` are by places in ``names``, as texts.
    """

    names: tuple[str, ...]
    paths: tuple[tuple[int, str], ...]
    counts: dict[str, dict[str, int]]
    seen: int
    possible: int

    @property
    def size(self) -> int:
        """Width and height in pixels."""
        return CELL * len(self.names)


@dataclass(frozen=True)
class CoverageView:
    """All of it; ``missing`` are the items that no model had, with a reason where there is one."""

    types: tuple[str, ...]
    rows: tuple[OperationRow, ...]
    pairs: Pairs
    kinds_seen: int
    kinds_possible: int
    items_seen: int
    items_possible: int
    missing: tuple[tuple[str, str], ...]


def build_coverage(coverage: Coverage, space: ModelSpace | None) -> CoverageView:
    """Lay out what occurred beside what might have; without a ``space`` what occurred alone."""
    known = space or _NOTHING
    names = sorted({*coverage.occurred, *known.kinds, *known.lacking, *known.items})
    types = tuple(sorted({*coverage.types, *(kind for kinds in known.kinds.values() for kind in kinds)}))
    rows = tuple(_row(name, types, coverage, known) for name in names)
    possible = {(name, kind, rank) for name, kinds in known.kinds.items() for kind in kinds for rank in kinds[kind]}
    occurred = coverage.occurred
    seen = {(name, kind, rank) for name, kinds in occurred.items() for kind in kinds for rank in kinds[kind]}
    items = [(name, cell) for row in rows for name, cell in ((row.name, cell) for cell in row.items)]
    missing = [(cell.title, known.never.get(cell.title, "")) for _, cell in items if not cell.count]
    return CoverageView(
        types=types,
        rows=rows,
        pairs=_pairs(names, coverage.edges, known),
        kinds_seen=len(seen),
        kinds_possible=len(possible | seen),
        items_seen=len(items) - len(missing),
        items_possible=len(items),
        missing=tuple(sorted(missing, key=lambda pair: (not pair[1], pair))),
    )


def error_shades(counts: tuple[int, ...]) -> list[tuple[int, str]]:
    """Shades of the tenths of a bound in which largest errors lie, with a text for each."""
    most = max(counts, default=0)
    return [
        (_shade(count, most), f"{place / BINS:.1f} to {(place + 1) / BINS:.1f} of the bound: {count:,} outputs")
        for place, count in enumerate(counts)
    ]


def _row(name: str, types: tuple[str, ...], coverage: Coverage, space: ModelSpace) -> OperationRow:
    most = max((sum(ranks.values()) for kinds in coverage.occurred.values() for ranks in kinds.values()), default=0)
    kinds = tuple(_kind(name, kind, coverage, space, most) for kind in types)
    counted = coverage.items.get(name, {})
    largest = max(counted.values(), default=0)
    items = tuple(
        _item(text, counted.get(number, 0), largest, space) for number, text in enumerate(space.items.get(name, ()))
    )
    return OperationRow(name, kinds, items)


def _kind(name: str, kind: str, coverage: Coverage, space: ModelSpace, most: int) -> Shaded:
    found = coverage.occurred.get(name, {}).get(kind, {})
    wanted = space.kinds.get(name, {}).get(kind, ())
    ranks = tuple((rank, found.get(rank, 0)) for rank in sorted({*found, *wanted}))
    count = sum(found.values())
    by_rank = ", ".join(f"rank {rank}: {number:,}" for rank, number in ranks)
    state = "made" if count else "never" if wanted else "lacking" if kind in space.lacking.get(name, ()) else "none"
    text = {"lacking": "not supported by the driver", "none": ""}.get(state, by_rank)
    return Shaded(count, _shade(count, most), state, f"{name} {kind}: {text}", ranks)


def _item(text: str, count: int, most: int, space: ModelSpace) -> Shaded:
    state = "made" if count else "reason" if text in space.never else "never"
    return Shaded(count, _shade(count, most), state, text)


def _shade(count: int, most: int) -> int:
    """0 for nothing, otherwise from 1 to 5 by the logarithm."""
    return 0 if not count else 1 + min(int(SHADES * math.log1p(count) / math.log1p(most + 1)), SHADES - 1)


def _pairs(names: list[str], edges: Mapping[str, Mapping[str, int]], space: ModelSpace) -> Pairs:
    places = {name: place for place, name in enumerate(names)}
    possible = {
        (first, second)
        for first, given in space.feeds.items()
        for second, taken in space.reads.items()
        if not set(given).isdisjoint(taken)
    }
    seen = {(first, second): count for first, others in edges.items() for second, count in others.items()}
    most = max(seen.values(), default=0)
    paths: dict[int, list[str]] = {}
    for first, second in sorted(possible | seen.keys()):
        x, y = CELL * places[second], CELL * places[first]
        shade = _shade(seen.get((first, second), 0), most)
        paths.setdefault(shade, []).append(f"M{x} {y}h{CELL - 1}v{CELL - 1}h{1 - CELL}z")
    counts: dict[str, dict[str, int]] = {}
    for (first, second), count in seen.items():
        counts.setdefault(str(places[first]), {})[str(places[second])] = count
    drawn = tuple((shade, "".join(parts)) for shade, parts in sorted(paths.items()))
    return Pairs(tuple(names), drawn, counts, len(seen), len(possible | seen.keys()))


def view_of(coverage: Coverage, space: ModelSpace | None) -> dict[str, Any]:
    """The values that the page's template needs."""
    return {"coverage": coverage, "covered": build_coverage(coverage, space) if coverage.made else None}
