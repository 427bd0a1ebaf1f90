"""Tables of operations by operand types, with the number of passed cases of each pair.

The module also makes shaded tables of the contents of random models: operations by type and rank, attributes, and pairs
of operations.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from nnvet.hal.enums import OperandType
from nnvet.reports.accuracy import BINS, Coverage
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, ModelSpace, Verdict
from nnvet.reports.html.marks import DASH

SEVERAL: Final = "several operations"
"""The row for cases of several operations, none of which can be blamed alone."""

ALL_TYPES: Final = "all"
"""Name of the column of all types together."""

_ORDER: Final = {kind.name: kind.value for kind in OperandType}


@dataclass(frozen=True)
class MatrixCell:
    """Counts of verdicts of a pair. The colour shows ``state``; ``text`` shows the same with a sign."""

    counts: Counter[Verdict]

    @property
    def total(self) -> int:
        """Return the number of all cases of the operation and type."""
        return self.counts.total()

    @property
    def state(self) -> str:
        """Return the first that applies of ``fault``, ``gap``, ``pass``, ``partial``, ``unsupported`` and ``empty``."""
        counts = self.counts
        states = (
            ("empty", not self.total),
            ("fault", any(counts[verdict] for verdict in DRIVER_FAULTS)),
            ("gap", counts[Verdict.ERROR] + counts[Verdict.NOT_RUN] > 0),
            ("pass", counts[Verdict.PASS] == self.total),
            ("partial", counts[Verdict.PASS] > 0),
        )
        return next((name for name, holds in states if holds), "unsupported")

    @property
    def text(self) -> str:
        """Return the sign, the passed cases and all cases."""
        passed, total = self.counts[Verdict.PASS], self.total
        return {
            "empty": "",
            "fault": f"✕ {passed}/{total}",
            "gap": f"! {passed}/{total}",
            "pass": f"✓ {total}",
            "partial": f"{passed}/{total}",
        }.get(self.state, f"{DASH} {total}")

    @property
    def details(self) -> str:
        """Return the verdicts that occur, with their counts: ``3 PASS, 1 FAIL``."""
        return ", ".join(f"{self.counts[verdict]} {verdict}" for verdict in Verdict if self.counts[verdict])


@dataclass(frozen=True)
class Row:
    """A row: an operation, with ``cells`` in the order of the matrix's types; ``all`` counts each case once."""

    operation: str
    cells: tuple[MatrixCell, ...]
    all: MatrixCell


@dataclass(frozen=True)
class Matrix:
    """Cases by operation and type: a column for each type, a row for each operation."""

    types: tuple[str, ...]
    rows: tuple[Row, ...]


def row_of(result: CaseFinished) -> str:
    """Return the row that a case is counted in; empty for cases that are about no operation."""
    operations = result.operations
    return (operations[0] if len(operations) == 1 else SEVERAL) if operations else ""


def build_matrix(results: Iterable[CaseFinished]) -> Matrix:
    """Count cases; a case with several operand types counts in the column of each."""
    counters: defaultdict[tuple[str, str], Counter[Verdict]] = defaultdict(Counter)
    for result in results:
        if row := row_of(result):
            for column in (ALL_TYPES, *dict.fromkeys(result.operand_types)):
                counters[row, column][result.verdict] += 1
    types = _sorted_types({column for _, column in counters} - {ALL_TYPES})
    operations = sorted({row for row, _ in counters}, key=lambda name: (name == SEVERAL, name))
    return Matrix(types, tuple(_row(operation, types, counters) for operation in operations))


@dataclass(frozen=True)
class Computed:
    """The cases of an operation whose models were computed by the same processor: their number and types."""

    operation: str
    types: tuple[str, ...]
    by: str
    cases: int


def computed_by(results: Iterable[CaseFinished]) -> tuple[Computed, ...]:
    """Return the processors that computed the cases of each operation, as drivers of accelerators report them."""
    cases: Counter[tuple[str, str]] = Counter()
    kinds: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for result in results:
        if result.computed_by and (row := row_of(result)):
            cases[row, result.computed_by] += 1
            kinds[row, result.computed_by].update(result.operand_types)
    keys = sorted(cases, key=lambda key: (key[0] == SEVERAL, key))
    return tuple(Computed(row, _sorted_types(kinds[row, by]), by, cases[row, by]) for row, by in keys)


def _row(operation: str, types: Sequence[str], counters: dict[tuple[str, str], Counter[Verdict]]) -> Row:
    cells = tuple(MatrixCell(counters.get((operation, kind), Counter())) for kind in types)
    return Row(operation, cells, MatrixCell(counters[operation, ALL_TYPES]))


def _sorted_types(names: set[str]) -> tuple[str, ...]:
    """Return the contract's types in its order, then those of extensions by name."""
    return tuple(sorted(names, key=lambda name: (_ORDER.get(name, len(names) + max(_ORDER.values())), name)))


SHADES: Final = 5
"""Number of shades of a table."""
CELL: Final = 9
"""Size of a pair of operations in pixels."""
_NOTHING: Final = ModelSpace({})


@dataclass(frozen=True)
class Shaded:
    """A cell: the number of models, a shade from 1 to 5 by its logarithm, and a text for hovering.

    Without models, ``state`` says why: ``never``: it could have occurred; ``reason``: the reason is known; ``lacking``:
    the driver does not support it; ``none``: it cannot occur.
    """

    count: int
    shade: int
    state: str
    title: str
    ranks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class OperationRow:
    """A row of an operation: cells by type, and cells of its attributes and other alternatives."""

    name: str
    kinds: tuple[Shaded, ...]
    items: tuple[Shaded, ...]


@dataclass(frozen=True)
class Pairs:
    """The matrix of operations that feed others: SVG paths by shade; shade 0 is a possible pair that did not occur.

    ``counts`` are by places in ``names``, as texts.
    """

    names: tuple[str, ...]
    paths: tuple[tuple[int, str], ...]
    counts: dict[str, dict[str, int]]
    seen: int
    possible: int

    @property
    def size(self) -> int:
        """Return width and height in pixels."""
        return CELL * len(self.names)


@dataclass(frozen=True)
class CoverageView:
    """All tables of coverage; ``missing`` are the items that no model had, with a reason if there is one."""

    types: tuple[str, ...]
    rows: tuple[OperationRow, ...]
    pairs: Pairs
    kinds_seen: int
    kinds_possible: int
    items_seen: int
    items_possible: int
    missing: tuple[tuple[str, str], ...]


def build_coverage(coverage: Coverage, space: ModelSpace | None) -> CoverageView:
    """Lay out what occurred beside what could have occurred; without a ``space`` only what occurred."""
    known = space or _NOTHING
    linked = {*coverage.edges, *known.feeds, *known.reads}
    names = sorted({*coverage.occurred, *known.kinds, *known.lacking, *known.items, *linked})
    types = tuple(sorted({*coverage.types, *(kind for kinds in known.kinds.values() for kind in kinds)}))
    rows = tuple(_coverage_row(name, types, coverage, known) for name in names)
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
    """Return a shade and a text for each tenth of a bound, by the number of largest errors that lie in it."""
    most = max(counts, default=0)
    return [
        (_shade(count, most), f"{place / BINS:.1f} to {(place + 1) / BINS:.1f} of the bound: {count:,} outputs")
        for place, count in enumerate(counts)
    ]


def _coverage_row(name: str, types: tuple[str, ...], coverage: Coverage, space: ModelSpace) -> OperationRow:
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
    """Return 0 for nothing, otherwise 1 to 5 by the logarithm."""
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
    """Return the values that the page's template needs."""
    return {"coverage": coverage, "covered": build_coverage(coverage, space) if coverage.made else None}
