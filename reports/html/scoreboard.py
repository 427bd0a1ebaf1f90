"""Several runs side by side: verdicts, operations by driver, latency by model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.reports.diff import differences
from nnvet.reports.events import DRIVER_FAULTS, Measurement, Verdict
from nnvet.reports.html.environment import environment
from nnvet.reports.html.marks import DASH, TIMES, milliseconds
from nnvet.reports.html.matrix import SEVERAL, Matrix, MatrixCell, build_matrix
from nnvet.reports.log import Log
from nnvet.reports.outcome import Judgement, judge

_RIGHT: Final = ("pass", "partial")
_EMPTY: Final = MatrixCell(Counter())
_DECADES_SHOWN: Final = 4.0
_WHOLE: Final = 10


@dataclass(frozen=True)
class Contestant:
    """One run: ``folder`` holds its report, ``faulty`` and ``right`` operations are those that it claims."""

    log: Log
    folder: str
    title: str
    judgement: Judgement
    right: int
    faulty: int

    @property
    def judged(self) -> int:
        """Cases with a verdict for or against the driver."""
        counts = self.log.counts
        return counts[Verdict.PASS] + sum(counts[verdict] for verdict in DRIVER_FAULTS)


@dataclass(frozen=True)
class KindCells:
    """One operand type of an operation; a cell for each driver."""

    type: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True)
class OperationRows:
    """One operation: ``cells`` of all types, then one row for each type. ``differs``: in state between drivers."""

    operation: str
    cells: tuple[MatrixCell, ...]
    types: tuple[KindCells, ...]

    @property
    def differs(self) -> bool:
        """Whether some driver is right where another is not, or claims what another does not."""
        return len({cell.state in _RIGHT for cell in self.cells}) > 1


@dataclass(frozen=True)
class Time:
    """Median latency of a model: a text, its factor to LiteRT's in the same run, and a share of the longest bar."""

    text: str
    factor: str = ""
    share: float = 0.0
    error: str = ""


@dataclass(frozen=True)
class ModelRow:
    """One model; a time for each driver."""

    model: str
    times: tuple[Time, ...]


def render_scoreboard(runs: Sequence[tuple[str, Log]]) -> str:
    """One self-contained page of runs and the folders, beside the page, of their reports."""
    matrices = [build_matrix(log.results.values()) for _, log in runs]
    contestants = [
        _contestant(folder, log, matrix, title)
        for (folder, log), matrix, title in zip(runs, matrices, _titles([log for _, log in runs]), strict=True)
    ]
    return (
        environment()
        .get_template("scoreboard.html.j2")
        .render(
            contestants=contestants,
            rows=_rows(matrices),
            models=_models([log.measurements for _, log in runs]),
            differences=differences([log for _, log in runs]),
            shown=[verdict for verdict in Verdict if any(log.counts[verdict] for _, log in runs)],
        )
    )


def _titles(logs: Sequence[Log]) -> list[str]:
    """Names of drivers; where two have one name, their selectors."""
    names = [log.started.driver.name or log.started.driver.selector for log in logs]
    return [
        name if names.count(name) == 1 else log.started.driver.selector for name, log in zip(names, logs, strict=True)
    ]


def _contestant(folder: str, log: Log, matrix: Matrix, title: str) -> Contestant:
    states = [row.all.state for row in matrix.rows if row.operation != SEVERAL]
    right = sum(state in _RIGHT for state in states)
    return Contestant(log, folder, title, judge(log), right, states.count("fault"))


def _rows(matrices: Sequence[Matrix]) -> list[OperationRows]:
    cells: dict[str, dict[str, dict[int, MatrixCell]]] = {}
    for driver, matrix in enumerate(matrices):
        for row in matrix.rows:
            of = cells.setdefault(row.operation, {"": {}})
            of[""][driver] = row.all
            for kind, cell in zip(matrix.types, row.cells, strict=True):
                if cell.total:
                    of.setdefault(kind, {})[driver] = cell
    drivers = range(len(matrices))

    def across(found: dict[int, MatrixCell]) -> tuple[MatrixCell, ...]:
        return tuple(found.get(driver, _EMPTY) for driver in drivers)

    return [
        OperationRows(
            operation,
            across(of[""]),
            tuple(KindCells(kind, across(found)) for kind, found in of.items() if kind),
        )
        for operation, of in sorted(cells.items(), key=lambda item: (item[0] == SEVERAL, item[0]))
    ]


def _models(measured: Sequence[Iterable[Measurement]]) -> list[ModelRow]:
    own: dict[str, dict[int, Measurement]] = {}
    baseline: dict[tuple[str, int], float] = {}
    for driver, measurements in enumerate(measured):
        for one in measurements:
            if not one.is_baseline:
                own.setdefault(one.model, {})[driver] = one
            elif one.latency is not None:
                baseline.setdefault((one.model, driver), one.latency.p50_s)
    medians = [one.latency.p50_s for found in own.values() for one in found.values() if one.latency is not None]
    longest = max(medians, default=0.0)
    return [
        ModelRow(
            model,
            tuple(_time(found.get(driver), baseline.get((model, driver)), longest) for driver in range(len(measured))),
        )
        for model, found in sorted(own.items())
    ]


def _time(one: Measurement | None, baseline_s: float | None, longest_s: float) -> Time:
    if one is None:
        return Time(DASH)
    if one.latency is None:
        return Time(DASH, error=one.error)
    median = one.latency.p50_s
    factor = f"{_two_digits(median / baseline_s)} {TIMES} LiteRT" if baseline_s else ""
    # A logarithmic bar: a decade less is a quarter shorter.
    share = 1 + math.log10(median / longest_s) / _DECADES_SHOWN if median and longest_s else 0.0
    return Time(milliseconds(median), factor, max(share, 0.02))


def _two_digits(number: float) -> str:
    return f"{number:,.0f}" if number >= _WHOLE else f"{number:.2g}"
