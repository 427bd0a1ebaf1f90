"""Two pages that compare drivers: the scoreboard of several runs, and the matrix of findings by release.

:func:`render_scoreboard` makes the page of ``nnvet scoreboard`` for :mod:`nnvet.reports.render`: verdicts, operations
by driver with the processors that computed them and their numeric grades, and latency and accuracy by model.
:func:`write_matrix` makes the page of ``nnvet versions``, whose data are defined in :mod:`nnvet.reports.releases`.
Two runs are compared case by case by ``diff.py`` instead.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

from nnvet.reports.accuracy import PositionCount, PositionGrade, position_counts, position_grades
from nnvet.reports.diff import differences
from nnvet.reports.events import DRIVER_FAULTS, Measurement, Verdict
from nnvet.reports.figures import UNDER_LOAD, Accuracy, accuracy_of, baseline_of, by_model, family_of, speed, speed_text
from nnvet.reports.files import replace_file
from nnvet.reports.findings import FindingError
from nnvet.reports.fingerprint import fold
from nnvet.reports.html.environment import environment
from nnvet.reports.html.marks import DASH, milliseconds
from nnvet.reports.html.matrix import SEVERAL, Matrix, MatrixCell, build_matrix, computed_by
from nnvet.reports.html.overview import Standing, build_overview
from nnvet.reports.log import Log
from nnvet.reports.outcome import Judgement, failed_cases, judge
from nnvet.reports.releases import SIGNS, ReleaseMatrix, Showing

_RIGHT: Final = ("pass", "partial")
"""States of cells (:class:`~nnvet.reports.html.matrix.MatrixCell`) of operations that count as right."""
_EMPTY: Final = MatrixCell(Counter())
"""The cell of a driver whose run has no case of the operation."""
_NOT_JUDGED: Final = accuracy_of(None, None)
"""The accuracy of a model that was not measured."""
_DECADES_SHOWN: Final = 4.0
"""Powers of ten between a latency with the longest bar and one with a bar of no length."""


@dataclass(frozen=True)
class Contestant:
    """The run of a driver; ``folder`` has its report, ``title`` names the driver on the page.

    ``right`` and ``faulty`` are numbers of operations; ``causes`` is the number of different faults. ``standing`` has
    the totals over all measured models. ``computers`` are the processors that computed cases, as far as the driver
    reports them, by operation and type (empty: all types). ``grades`` are the numeric positions (docs/positions.md)
    that the answers keep, by operation and type; ``positions`` has the numbers of operations that keep each position.
    """

    log: Log
    folder: str
    title: str
    judgement: Judgement
    right: int
    faulty: int
    standing: Standing | None
    causes: int
    computers: Mapping[tuple[str, str], str]
    grades: Mapping[tuple[str, str], PositionGrade]
    positions: Mapping[str, PositionCount]

    @property
    def computer(self) -> str:
        """Return the names of all processors that computed cases; empty if the driver reports none."""
        return ", ".join(dict.fromkeys(self.computers.values()))

    @property
    def judged(self) -> int:
        """Return the number of cases with a verdict for or against the driver."""
        counts = self.log.counts
        return counts[Verdict.PASS] + sum(counts[verdict] for verdict in DRIVER_FAULTS)


@dataclass(frozen=True)
class KindCells:
    """An operand type of an operation, with a cell for each driver."""

    type: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True)
class OperationRows:
    """An operation: ``cells`` of all types together, then a row for each type."""

    operation: str
    cells: tuple[MatrixCell, ...]
    types: tuple[KindCells, ...]

    @property
    def differs(self) -> bool:
        """Return True if drivers differ: one is right where another is wrong, or claims what another does not."""
        return len({cell.state in _RIGHT for cell in self.cells}) > 1


@dataclass(frozen=True)
class ModelCell:
    """A model on a driver: its median latency as a text, and speed and accuracy relative to the baseline of its run.

    ``share`` is the length of the bar relative to the longest one.
    """

    text: str = DASH
    speed: str = ""
    share: float = 0.0
    accuracy: Accuracy = _NOT_JUDGED
    error: str = ""
    unsupported: bool = False
    is_fastest: bool = False


@dataclass(frozen=True)
class ModelRow:
    """A model, with a cell for each driver; None: the run of the driver lacks the model."""

    model: str
    family: str
    toy: bool
    cells: tuple[ModelCell | None, ...]


def render_scoreboard(runs: Sequence[tuple[str, Log]]) -> str:
    """Return a self-contained page of runs: pairs of a log and, before it, the folder of its report beside the page."""
    matrices = [build_matrix(log.results.values()) for _, log in runs]
    contestants = [
        _build_contestant(folder, log, matrix, title)
        for (folder, log), matrix, title in zip(runs, matrices, _choose_titles([log for _, log in runs]), strict=True)
    ]
    return (
        environment()
        .get_template("scoreboard.html.j2")
        .render(
            contestants=contestants,
            rows=_build_rows(matrices),
            models=_build_models([log.measurements for _, log in runs]),
            positions=list(dict.fromkeys(name for contestant in contestants for name in contestant.positions)),
            differences=differences([log for _, log in runs]),
            shown=[verdict for verdict in Verdict if any(log.counts[verdict] for _, log in runs)],
        )
    )


def _choose_titles(logs: Sequence[Log]) -> list[str]:
    """Return a different title for each run: the driver's name, or its selector if other drivers have that name."""
    names = [log.started.driver.name or log.started.driver.selector for log in logs]
    return [
        name if names.count(name) == 1 else log.started.driver.selector for name, log in zip(names, logs, strict=True)
    ]


def _build_contestant(folder: str, log: Log, matrix: Matrix, title: str) -> Contestant:
    states = [row.all.state for row in matrix.rows if row.operation != SEVERAL]
    right = sum(state in _RIGHT for state in states)
    overview = build_overview(log.measurements)
    standings = overview.standings if overview else ()
    standing = next((standing for standing in standings if not standing.backend.is_baseline), None)
    grades = position_grades(log)
    return Contestant(
        log,
        folder,
        title,
        judge(log),
        right,
        states.count("fault"),
        standing,
        len(fold(failed_cases(log))),
        _list_computers(log),
        {(grade.operation, grade.type): grade for grade in grades},
        {count.position: count for count in position_counts(grades)},
    )


def _list_computers(log: Log) -> dict[tuple[str, str], str]:
    """Return the names of the processors that computed cases, by operation and type; the empty type stands for all."""
    names: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for entry in computed_by(log.results.values()):
        for kind in ("", *entry.types):
            names[entry.operation, kind].append(entry.by)
    return {key: ", ".join(dict.fromkeys(found)) for key, found in names.items()}


def _build_rows(matrices: Sequence[Matrix]) -> list[OperationRows]:
    """Return the operations of all runs, with a cell for each driver; those of several operations come last."""
    cells: dict[str, dict[str, dict[int, MatrixCell]]] = {}
    for driver, matrix in enumerate(matrices):
        for row in matrix.rows:
            by_type = cells.setdefault(row.operation, {"": {}})
            by_type[""][driver] = row.all
            for kind, cell in zip(matrix.types, row.cells, strict=True):
                if cell.total:
                    by_type.setdefault(kind, {})[driver] = cell
    drivers = range(len(matrices))

    def fill(found: dict[int, MatrixCell]) -> tuple[MatrixCell, ...]:
        return tuple(found.get(driver, _EMPTY) for driver in drivers)

    return [
        OperationRows(
            operation,
            fill(by_type[""]),
            tuple(KindCells(kind, fill(found)) for kind, found in by_type.items() if kind),
        )
        for operation, by_type in sorted(cells.items(), key=lambda item: (item[0] == SEVERAL, item[0]))
    ]


def _build_models(measured: Sequence[Sequence[Measurement]]) -> list[ModelRow]:
    """Return rows by family and model; bars show medians on one logarithmic scale for all models."""
    runs = [{model[0].model: model for model in by_model(measurements)} for measurements in measured]
    models = by_model(
        measurement for measurements in measured for measurement in measurements if not measurement.is_baseline
    )
    medians = [
        measurement.latency.p50_s
        for model in models
        for measurement in model
        if measurement.latency and measurement.latency.p50_s
    ]
    longest = max(medians, default=0.0)
    rows = []
    for model in models:
        name = model[0].model
        cells = [_build_cell(run[name], longest) if name in run else None for run in runs]
        toy = any(measurement.toy for measurement in model)
        rows.append(ModelRow(name, family_of(model[0]), toy, _mark_fastest(cells, [run.get(name, ()) for run in runs])))
    return rows


def _build_cell(model: Sequence[Measurement], longest_s: float) -> ModelCell | None:
    """Return the model on the driver of one run, beside the baseline of that run."""
    own = _find_own(model)
    if own is None:
        return None
    if own.latency is None or not own.latency.iterations:
        return ModelCell(error=own.error or "not measured", unsupported=own.unsupported)
    baseline, median = baseline_of(model), own.latency.p50_s
    # A logarithmic bar: a decade less is a quarter shorter.
    share = 1 + math.log10(median / longest_s) / _DECADES_SHOWN if median and longest_s else 0.0
    text = speed_text(own, baseline)
    beside = f"{text} {baseline.backend}" if baseline and speed(own, baseline) else ""
    if own.is_under_load:
        beside = UNDER_LOAD
    return ModelCell(milliseconds(median), beside, max(share, 0.02), accuracy_of(own, baseline))


def _find_own(model: Sequence[Measurement]) -> Measurement | None:
    return next((measurement for measurement in model if not measurement.is_baseline), None)


def _mark_fastest(
    cells: Sequence[ModelCell | None], runs: Sequence[Sequence[Measurement]]
) -> tuple[ModelCell | None, ...]:
    """Mark the fastest of several drivers."""
    owns = [_find_own(model) for model in runs]
    medians = [own.latency.p50_s if own and own.latency and own.latency.iterations else math.inf for own in owns]
    best = min(medians)
    is_contest = sum(math.isfinite(median) for median in medians) > 1
    return tuple(
        replace(cell, is_fastest=is_contest and median == best) if cell else None
        for cell, median in zip(cells, medians, strict=True)
    )


JSON: Final = "versions.json"
"""Name of the file with the matrix of findings by release."""
PAGE: Final = "versions.html"
"""Name of the page of that matrix."""
_STATES: Final = {
    Showing.SHOWS: "fault",
    Showing.RIGHT: "pass",
    Showing.NOT_HERE: "unsupported",
    Showing.HANGS: "gap",
    Showing.BROKEN: "gap",
    Showing.NOT_RUN: "unsupported",
}
"""CSS class of a cell of that matrix, by what the reproducer of a finding showed; ``report.css`` has the classes."""


def write_matrix(matrix: ReleaseMatrix, out: Path) -> Path:
    """Write the matrix of findings as JSON and as a page into a folder, and return the path of the page.

    :raises FindingError: the files cannot be written.
    """
    page = environment().get_template("releases.html.j2").render(matrix=matrix, letters=SIGNS, states=_STATES)
    try:
        out.mkdir(parents=True, exist_ok=True)
        replace_file(out / JSON, msgspec.json.format(msgspec.json.encode(matrix)) + b"\n")
        replace_file(out / PAGE, page)
    except OSError as error:
        raise FindingError(f"{out}: cannot be written ({error.strerror or error})") from error
    return out / PAGE
