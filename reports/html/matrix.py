"""Tables of operations: passed cases by operand type, and the contents of random models.

:func:`build_matrix` counts the cases of a run by operation and type, for the page of a run, the scoreboard and the
tables of terminals (``reports/tables.py``). :func:`build_coverage` makes shaded tables of the contents of random
models, which :mod:`nnvet.reports.accuracy` counts: operations by type and rank, attributes, and pairs of operations.
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
"""Name of the row for cases of several operations, because none of these operations can be blamed alone."""

ALL_TYPES: Final = "all"
"""Name of the column of all types together."""

_ORDER: Final = {kind.name: kind.value for kind in OperandType}
"""Order of the columns: that of the codes of operand types in the contract."""


@dataclass(frozen=True)
class MatrixCell:
    """Verdicts of the cases of an operation with a type. The colour shows ``state``, the sign in ``text`` the same."""

    counts: Counter[Verdict]

    @property
    def total(self) -> int:
        """Return the number of all cases of the operation and type."""
        return self.counts.total()

    @property
    def state(self) -> str:
        """Return the state of the cell, which is also its CSS class.

        The first that applies: ``empty``: no cases; ``fault``: the driver failed; ``gap``: cases without a verdict on
        the driver; ``pass``: all passed; ``partial``: some passed, the others are unsupported or waived;
        ``unsupported``: none passed.
        """
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
        """Return the text of the cell: a sign, and the numbers of passed cases and of all cases."""
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
    """Return the name of the row in which a case is counted; empty for cases that are about no operation."""
    operations = result.operations
    return (operations[0] if len(operations) == 1 else SEVERAL) if operations else ""


def build_matrix(results: Iterable[CaseFinished]) -> Matrix:
    """Count cases by operation and type; a case with several operand types counts in the column of each."""
    counters: defaultdict[tuple[str, str], Counter[Verdict]] = defaultdict(Counter)
    for result in results:
        if row := row_of(result):
            for column in (ALL_TYPES, *dict.fromkeys(result.operand_types)):
                counters[row, column][result.verdict] += 1
    types = _sort_types({column for _, column in counters} - {ALL_TYPES})
    operations = sorted({row for row, _ in counters}, key=lambda name: (name == SEVERAL, name))
    return Matrix(types, tuple(_build_row(operation, types, counters) for operation in operations))


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
    return tuple(Computed(row, _sort_types(kinds[row, by]), by, cases[row, by]) for row, by in keys)


def _build_row(operation: str, types: Sequence[str], counters: dict[tuple[str, str], Counter[Verdict]]) -> Row:
    cells = tuple(MatrixCell(counters.get((operation, kind), Counter())) for kind in types)
    return Row(operation, cells, MatrixCell(counters[operation, ALL_TYPES]))


def _sort_types(names: set[str]) -> tuple[str, ...]:
    """Return the contract's types in its order, then those of extensions by name."""
    return tuple(sorted(names, key=lambda name: (_ORDER.get(name, len(names) + max(_ORDER.values())), name)))


SHADES: Final = 5
"""Number of shades of a table; ``report.css`` has a class for each, ``h1`` to ``h5``."""
CELL: Final = 9
"""Size in pixels of the square of a pair of operations."""
_NOTHING: Final = ModelSpace({})
"""The space of models of a log that does not describe what its random models could have contained."""


@dataclass(frozen=True)
class Shaded:
    """A cell: the number of models with a property, a shade from 1 to 5 by its logarithm, and a text for hovering.

    If no model has the property, ``state`` says why: ``never``: chance, for it could have occurred; ``reason``: the
    generator never makes it, for a known reason; ``lacking``: the driver does not support it; ``none``: the operation
    does not exist with the type. ``ranks`` are the ranks with their numbers of models.
    """

    count: int
    shade: int
    state: str
    title: str
    ranks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class OperationRow:
    """The row of an operation: ``kinds`` are cells by type, ``items`` those of attributes and other alternatives."""

    name: str
    kinds: tuple[Shaded, ...]
    items: tuple[Shaded, ...]


@dataclass(frozen=True)
class Pairs:
    """The square matrix of operations whose outputs other operations read, drawn as an SVG path for each shade.

    Shade 0 marks pairs that are possible and did not occur. ``counts`` has the number of models by the positions of
    both operations in ``names``, as texts, because JSON has no other keys.
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
    """All tables of coverage, with the numbers of what occurred (``seen``) and of what could occur (``possible``).

    ``missing`` are the items that no model had, each with the reason, if one is known.
    """

    types: tuple[str, ...]
    rows: tuple[OperationRow, ...]
    pairs: Pairs
    kinds_seen: int
    kinds_possible: int
    items_seen: int
    items_possible: int
    missing: tuple[tuple[str, str], ...]


def build_coverage(coverage: Coverage, space: ModelSpace | None) -> CoverageView:
    """Return tables of what occurred in random models, and of what could have occurred, if ``space`` is given."""
    known = space or _NOTHING
    linked = {*coverage.edges, *known.feeds, *known.reads}
    names = sorted({*coverage.occurred, *known.kinds, *known.lacking, *known.items, *linked})
    types = tuple(sorted({*coverage.types, *(kind for kinds in known.kinds.values() for kind in kinds)}))
    rows = tuple(_build_coverage_row(name, types, coverage, known) for name in names)
    possible = {(name, kind, rank) for name, kinds in known.kinds.items() for kind in kinds for rank in kinds[kind]}
    occurred = coverage.occurred
    seen = {(name, kind, rank) for name, kinds in occurred.items() for kind in kinds for rank in kinds[kind]}
    items = [(name, cell) for row in rows for name, cell in ((row.name, cell) for cell in row.items)]
    missing = [(cell.title, known.never.get(cell.title, "")) for _, cell in items if not cell.count]
    return CoverageView(
        types=types,
        rows=rows,
        pairs=_draw_pairs(names, coverage.edges, known),
        kinds_seen=len(seen),
        kinds_possible=len(possible | seen),
        items_seen=len(items) - len(missing),
        items_possible=len(items),
        missing=tuple(sorted(missing, key=lambda pair: (not pair[1], pair))),
    )


def error_shades(counts: tuple[int, ...]) -> list[tuple[int, str]]:
    """Return a shade and a text for each bin of errors relative to their bound, by the number of outputs in the bin."""
    most = max(counts, default=0)
    return [
        (_choose_shade(count, most), f"{place / BINS:.1f} to {(place + 1) / BINS:.1f} of the bound: {count:,} outputs")
        for place, count in enumerate(counts)
    ]


def _build_coverage_row(name: str, types: tuple[str, ...], coverage: Coverage, space: ModelSpace) -> OperationRow:
    most = max((sum(ranks.values()) for kinds in coverage.occurred.values() for ranks in kinds.values()), default=0)
    kinds = tuple(_shade_kind(name, kind, coverage, space, most) for kind in types)
    counted = coverage.items.get(name, {})
    largest = max(counted.values(), default=0)
    items = tuple(
        _shade_item(text, counted.get(number, 0), largest, space)
        for number, text in enumerate(space.items.get(name, ()))
    )
    return OperationRow(name, kinds, items)


def _shade_kind(name: str, kind: str, coverage: Coverage, space: ModelSpace, most: int) -> Shaded:
    found = coverage.occurred.get(name, {}).get(kind, {})
    wanted = space.kinds.get(name, {}).get(kind, ())
    ranks = tuple((rank, found.get(rank, 0)) for rank in sorted({*found, *wanted}))
    count = sum(found.values())
    by_rank = ", ".join(f"rank {rank}: {number:,}" for rank, number in ranks)
    state = "made" if count else "never" if wanted else "lacking" if kind in space.lacking.get(name, ()) else "none"
    text = {"lacking": "not supported by the driver", "none": ""}.get(state, by_rank)
    return Shaded(count, _choose_shade(count, most), state, f"{name} {kind}: {text}", ranks)


def _shade_item(text: str, count: int, most: int, space: ModelSpace) -> Shaded:
    state = "made" if count else "reason" if text in space.never else "never"
    return Shaded(count, _choose_shade(count, most), state, text)


def _choose_shade(count: int, most: int) -> int:
    """Return 0 if nothing was counted, otherwise a shade from 1 to 5 by the logarithm of the count."""
    return 0 if not count else 1 + min(int(SHADES * math.log1p(count) / math.log1p(most + 1)), SHADES - 1)


def _draw_pairs(names: list[str], edges: Mapping[str, Mapping[str, int]], space: ModelSpace) -> Pairs:
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
        shade = _choose_shade(seen.get((first, second), 0), most)
        paths.setdefault(shade, []).append(f"M{x} {y}h{CELL - 1}v{CELL - 1}h{1 - CELL}z")
    counts: dict[str, dict[str, int]] = {}
    for (first, second), count in seen.items():
        counts.setdefault(str(places[first]), {})[str(places[second])] = count
    drawn = tuple((shade, "".join(parts)) for shade, parts in sorted(paths.items()))
    return Pairs(tuple(names), drawn, counts, len(seen), len(possible | seen.keys()))


def view_of(coverage: Coverage, space: ModelSpace | None) -> dict[str, Any]:
    """Return the variables of the page's template that describe random models."""
    return {"coverage": coverage, "covered": build_coverage(coverage, space) if coverage.made else None}
