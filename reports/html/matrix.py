"""Operations by operand types: how many cases of each pair passed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.hal.enums import OperandType
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Verdict
from nnvet.reports.html.marks import DASH

SEVERAL: Final = "several operations"
"""Row of cases that exercise more than one operation: none of these can be blamed alone."""

ALL_TYPES: Final = "all"

_ORDER: Final = {kind.name: kind.value for kind in OperandType}


@dataclass(frozen=True)
class MatrixCell:
    """Verdict counts of one pair. ``state`` is what the colour shows, ``text`` says the same with a sign."""

    counts: Counter[Verdict]

    @property
    def total(self) -> int:
        """Cases of the operation and type, whatever their verdict."""
        return self.counts.total()

    @property
    def state(self) -> str:
        """``fault``, ``gap``, ``pass``, ``partial``, ``unsupported`` or ``empty``, whichever comes first."""
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
        """Sign, passed cases and all cases."""
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
        """Verdicts that occur, with their counts: ``3 PASS, 1 FAIL``."""
        return ", ".join(f"{self.counts[verdict]} {verdict}" for verdict in Verdict if self.counts[verdict])


@dataclass(frozen=True)
class Row:
    """One operation; ``cells`` stand in the order of the matrix's types, ``all`` counts each case once."""

    operation: str
    cells: tuple[MatrixCell, ...]
    all: MatrixCell


@dataclass(frozen=True)
class Matrix:
    """Cases by operation and type: a column for each type, a row for each operation."""

    types: tuple[str, ...]
    rows: tuple[Row, ...]


def row_of(result: CaseFinished) -> str:
    """The row that a case is counted in; empty for cases that are about no operation."""
    operations = result.operations
    return (operations[0] if len(operations) == 1 else SEVERAL) if operations else ""


def build_matrix(results: Iterable[CaseFinished]) -> Matrix:
    """Count cases. A case with several operand types stands in the column of each."""
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
    """So many cases of an operation whose models were computed by one and the same, with their types."""

    operation: str
    types: tuple[str, ...]
    by: str
    cases: int


def computed_by(results: Iterable[CaseFinished]) -> tuple[Computed, ...]:
    """Return who computed the cases of each operation, as far as drivers of accelerators say so."""
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
    """The contract's types in its order, then those of extensions by name."""
    return tuple(sorted(names, key=lambda name: (_ORDER.get(name, len(names) + max(_ORDER.values())), name)))
