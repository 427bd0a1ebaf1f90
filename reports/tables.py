"""Tables of a report for other programs: a CSV file for each table, and one JSON file with all of them.

``nnvet report --tables`` writes them. :mod:`nnvet.reports.html.page` shows the same tables to people.
"""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from nnvet.reports.accuracy import PositionGrade, position_grades
from nnvet.reports.events import CaseFinished, Latency, Measurement, Verdict
from nnvet.reports.figures import family_of
from nnvet.reports.html.matrix import Row, build_matrix
from nnvet.reports.log import Log, LogError
from nnvet.reports.values import json_safe

JSON_NAME: Final = "tables.json"
"""Name of the file with all tables."""
ALL_TYPES: Final = "all"
"""Type of the row that sums up an operation."""
_LATENCY: Final = ("iterations", "mean_s", "std_dev_s", "min_s", "max_s", "p10_s", "p50_s", "p90_s", "p99_s")
"""Columns of a latency, in the names of the log."""
_COMPARED: Final = ("value", "baseline", "difference", "low", "high", "p_value", "margin", "examples")
"""Columns of a comparison with the baseline, in the names of the log."""
_RATIO: Final = ("value", "low", "high", "rounds")
"""Columns of the ratio of latencies, in the names of the log."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Characters with which formulas of spreadsheets begin; a driver's text must not become a formula."""

Table = list[dict[str, Any]]
"""Rows of a table: values by the names of columns."""


def write_tables(log: Log, folder: str | Path) -> tuple[Path, ...]:
    """Write ``operations.csv``, ``cases.csv``, ``performance.csv``, ``positions.csv`` and ``tables.json`` to a folder.

    :raises LogError: a file cannot be written.
    """
    folder, tables = Path(folder), tables_of(log)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths = [_write_csv(folder / f"{name}.csv", rows) for name, rows in tables.items()]
        whole = folder / JSON_NAME
        whole.write_bytes(msgspec.json.format(msgspec.json.encode(json_safe(tables)), indent=1) + b"\n")
    except OSError as error:
        raise LogError(f"{folder}: cannot write the tables ({error.strerror or error}); the log is whole") from error
    return (*paths, whole)


def tables_of(log: Log) -> dict[str, Table]:
    """Return all tables by name; the rows of one have the same keys. Durations and latencies are in seconds."""
    matrix = build_matrix(log.results.values())
    return {
        "operations": [line for row in matrix.rows for line in _operation(row, matrix.types)],
        "cases": [_case(result) for result in log.results.values()],
        "performance": _performance(log.measurements),
        "positions": [line for grade in position_grades(log) for line in _positions(grade)],
    }


def _operation(row: Row, types: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the cell of all types, then those of single types that have cases."""
    for kind, cell in ((ALL_TYPES, row.all), *zip(types, row.cells, strict=True)):
        if cell.total:
            counts = {verdict.lower(): cell.counts[verdict] for verdict in Verdict}
            yield {"operation": row.operation, "type": kind, "state": cell.state, "cases": cell.total, **counts}


def _case(result: CaseFinished) -> dict[str, Any]:
    return {
        "case": result.case,
        "verdict": str(result.verdict),
        "suite": result.suite,
        "check": str(result.labels.get("check", "")),
        "operations": " ".join(result.operations),
        "operand_types": " ".join(result.operand_types),
        "rule": result.rule,
        "reason": result.reason,
        "fingerprint": result.fingerprint,
        "digest": result.numbers.digest if result.numbers else "",
        "tolerance_used": result.numbers.tolerance_used if result.numbers else None,
        "bound_used": result.numbers.bound_used if result.numbers else None,
        "quality": result.numbers.quality if result.numbers else "",
        "duration_s": result.duration_s,
    }


def _positions(grade: PositionGrade) -> Iterator[dict[str, Any]]:
    """Yield a row for each numeric position (docs/positions.md) that limits the error of an operation in a type."""
    for position, share in grade.shares.items():
        yield {
            "operation": grade.operation,
            "type": grade.type,
            "position": position,
            "kept": share <= 1,
            "share": share,
            "case": grade.worst[position],
            "cases": grade.cases,
        }


def _performance(measurements: tuple[Measurement, ...]) -> Table:
    """Return a row for each model on each backend; a figure that only other rows have is None."""
    rows = [_measurement(measurement) for measurement in measurements]
    columns = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in columns} for row in rows]


def _measurement(measurement: Measurement) -> dict[str, Any]:
    return {
        "model": measurement.model,
        "family": family_of(measurement),
        "toy": measurement.toy,
        "backend": measurement.backend,
        **_latency("latency", measurement.latency),
        **{
            name: value
            for kind, latency in measurement.compilation.items()
            for name, value in _latency(kind, latency).items()
        },
        "first_inference_s": measurement.first_inference_s,
        "harness_overhead_s": measurement.harness_overhead_s,
        "energy_j": measurement.energy_j,
        **{f"latency_ratio.{name}": getattr(measurement.latency_ratio, name, None) for name in _RATIO},
        "compilation_cache_size_bytes": measurement.compilation_cache_size_bytes,
        "test_set_size": measurement.test_set_size,
        "mean_square_error": measurement.mean_square_error,
        "max_single_error": measurement.max_single_error,
        **{f"accuracy.{name}": value for name, value in measurement.accuracy.items()},
        **{
            f"{beside.metric}.{name}": getattr(beside, name) for beside in measurement.comparisons for name in _COMPARED
        },
        "validation_errors": "; ".join(measurement.validation_errors),
        "error": measurement.error,
    }


def _latency(kind: str, latency: Latency | None) -> dict[str, Any]:
    return {f"{kind}.{name}": getattr(latency, name, None) for name in _LATENCY}


def _write_csv(path: Path, rows: Table) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if rows:
            writer.writerow(rows[0])
        writer.writerows([_cell(value) for value in row.values()] for row in rows)
    return path


def _cell(value: object) -> object:
    """Return a value as spreadsheets read it: no formula, nothing for None, and numbers that are not finite by name."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return json_safe(value)
