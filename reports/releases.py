"""Matrix of findings by release, written by ``nnvet versions``: releases of a runtime in which each fault shows.

:mod:`nnvet.reports.findings` reads the findings, ``adapters/releases.py`` tries them on releases, and documentation and
scoreboard show the matrix.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from nnvet.reports.files import MALFORMED, read_file
from nnvet.reports.findings import FindingError, RuntimeFinding


class Showing(StrEnum):
    """Results of a reproducer in a release."""

    SHOWS = "shows"
    RIGHT = "right"
    NOT_HERE = "not here"
    HANGS = "hangs"
    BROKEN = "broken"
    NOT_RUN = "not run"


SIGNS: Final = {
    Showing.SHOWS: "✕",
    Showing.RIGHT: "✓",
    Showing.NOT_HERE: "-",
    Showing.HANGS: "⧗",
    Showing.BROKEN: "?",
    Showing.NOT_RUN: "·",
}
"""A character for each result; the legend has the words."""


class ReleaseResult(msgspec.Struct, frozen=True):
    """A finding in a release, with the output of its reproducer."""

    outcome: Showing
    detail: str = ""


_NOT_RUN: Final = ReleaseResult(Showing.NOT_RUN)
"""Result of a finding that was not tried on a release."""


class Column(msgspec.Struct):
    """A release; ``failure`` is the reason why it could not be installed."""

    version: str
    failure: str = ""
    cells: dict[str, ReleaseResult] = {}


class FindingRow(msgspec.Struct, frozen=True):
    """A finding: its place in the documentation, its title and its status."""

    name: str
    title: str
    status: str
    weight: str


class ReleaseMatrix(msgspec.Struct):
    """A run of the reproducers over releases, the oldest first."""

    runtime: str
    package: str
    date: str
    processor: str
    rows: list[FindingRow]
    columns: list[Column] = []
    is_interrupted: bool = False

    def cell(self, row: FindingRow, column: Column) -> ReleaseResult:
        """Return the result of a finding in a release."""
        return column.cells.get(row.name, _NOT_RUN)

    @property
    def outcomes(self) -> list[Showing]:
        """Return the results that occur, in the order of the legend."""
        used = {self.cell(row, column).outcome for row in self.rows for column in self.columns}
        return [outcome for outcome in SIGNS if outcome in used]

    def change(self, row: FindingRow) -> str:
        """Return in words the releases in which a fault appeared and went away."""
        seen = [
            (column.version, cell.outcome is Showing.SHOWS)
            for column in self.columns
            if (cell := self.cell(row, column)).outcome in (Showing.SHOWS, Showing.RIGHT)
        ]
        if not seen:
            return ""
        changes = [
            f"{'came' if shows else 'went'} in {version}"
            for (version, shows), (_, before) in zip(seen[1:], seen, strict=False)
            if shows != before
        ]
        return ", ".join(changes) or ("in all" if seen[0][1] else "in none")


def row_of(finding: RuntimeFinding) -> FindingRow:
    """Return the row of a finding."""
    return FindingRow(finding.name, finding.title, finding.standing, finding.weight.value)


def read_matrix(path: Path) -> ReleaseMatrix:
    """Read the JSON of a matrix.

    :raises FindingError: it is none.
    """
    try:
        return msgspec.json.decode(read_file(path), type=ReleaseMatrix)
    except (OSError, *MALFORMED) as error:
        raise FindingError(f"{path}: {error}") from error


def disagreement(finding: RuntimeFinding, version: str, cell: ReleaseResult) -> str:
    """Return words if a result contradicts the status of a finding; empty if they agree or the status says nothing."""
    if cell.outcome is Showing.NOT_HERE or not finding.is_covered(version):
        return ""
    due = Showing.SHOWS if finding.is_due(version) else Showing.RIGHT
    if cell.outcome is due:
        return ""
    return f"{finding.name} is {finding.standing}, so that {version} should be {due}: {cell.outcome}, {cell.detail}"
