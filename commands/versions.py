"""``nnvet versions``: run the reproducers of known faults (findings) in the releases of a runtime such as LiteRT.

:mod:`nnvet.adapters.releases` installs releases and runs reproducers; :mod:`nnvet.reports.releases` defines the matrix
of results, whose page is made by ``reports/html/scoreboard.py``.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from nnvet.commands.options import table_console, user_errors

if TYPE_CHECKING:
    from nnvet.adapters.releases import RuntimePackage
    from nnvet.reports.findings import RuntimeFinding
    from nnvet.reports.releases import Column, ReleaseMatrix

_INTERRUPTED: Final = 130
"""Exit code after Ctrl-C, as shells have it."""
_CHECKOUT: Final = Path(__file__).resolve().parents[1] / "docs" / "findings"
"""The findings of a source checkout; an installed package has none."""


def versions(
    driver: Annotated[str, typer.Option("-d", "--driver", help="Runtime: litert, onnxruntime, torch, qnn or webgpu.")],
    package: Annotated[str, typer.Option("--package", help="Package of the runtime; default: its usual one.")] = "",
    last: Annotated[
        int, typer.Option("--last", min=1, max=100, help="Number of stable releases to try, the newest first.")
    ] = 5,
    findings: Annotated[
        Path | None, typer.Option("--findings", help="Folder of findings; default: docs/findings of the checkout.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Folder for environments; default: nnvet in the user's cache folder.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for versions.json and versions.html.")] = None,
    timeout: Annotated[float, typer.Option("--timeout", min=1.0, help="Seconds for one reproducer.")] = 120.0,
    install_timeout: Annotated[
        float, typer.Option("--install-timeout", min=1.0, help="Seconds for installing one release.")
    ] = 1800.0,
) -> None:
    """Try all findings on the last releases of a runtime.

    Each release is installed in an environment of its own, in which the reproducers run.
    Releases come from the package index of pip. The result names releases that cannot be installed, with the reason.
    """
    from nnvet.adapters.releases import releases_of, runtime_of
    from nnvet.reports.findings import read_findings
    from nnvet.reports.html.scoreboard import write_matrix
    from nnvet.reports.releases import Column

    with user_errors():
        runtime = runtime_of(driver)
        known = read_findings(findings or _CHECKOUT, driver)
        name = package or runtime.package
        matrix = _make_empty_matrix(driver, name, known)
        matrix.columns = [Column(version) for version in releases_of(name, last)]
        try:
            for column in matrix.columns:
                _fill(column, matrix.package, runtime, known, cache or _locate_cache(), (timeout, install_timeout))
        except KeyboardInterrupt:
            matrix.is_interrupted = True
        _print(matrix)
        if out is not None:
            typer.echo(f"page: {write_matrix(matrix, out)}")
    if matrix.is_interrupted:
        typer.echo("nnvet: interrupted; what was run before is kept", err=True)
        raise typer.Exit(_INTERRUPTED)


def _make_empty_matrix(driver: str, package: str, known: list[RuntimeFinding]) -> ReleaseMatrix:
    from nnvet.reports.facts import machine_facts
    from nnvet.reports.releases import ReleaseMatrix, row_of

    today = dt.datetime.now(dt.UTC).date().isoformat()
    return ReleaseMatrix(driver, package, today, machine_facts().cpu, [row_of(finding) for finding in known])


def _locate_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "nnvet" / "releases"


def _fill(
    column: Column,
    package: str,
    runtime: RuntimePackage,
    known: list[RuntimeFinding],
    cache: Path,
    limits: tuple[float, float],
) -> None:
    """Install a release, and run every reproducer in it.

    Cells are added one by one, so that an interruption keeps them.
    """
    from nnvet.adapters.releases import InstallError, python_of, reproduce

    limit_s, install_limit_s = limits
    typer.echo(f"{package} {column.version}", err=True)
    try:
        python = python_of(package, column.version, runtime.needs, cache, install_limit_s)
    except InstallError as error:
        column.failure = str(error)
        typer.echo(f"  not installed: {error}", err=True)
        return
    for finding in known:
        column.cells[finding.name] = reproduce(finding, python, limit_s)


def _print(matrix: ReleaseMatrix) -> None:
    from rich.table import Table

    from nnvet.reports.releases import SIGNS

    table = Table("finding", "status", *(column.version for column in matrix.columns), "change", box=None)
    for row in matrix.rows:
        cells = (SIGNS[matrix.cell(row, column).outcome] for column in matrix.columns)
        table.add_row(row.name, row.status, *cells, matrix.change(row))
    console = table_console(highlight=False, markup=False)
    console.print(table)
    for line in _list_remarks(matrix):
        console.print(line)


def _list_remarks(matrix: ReleaseMatrix) -> Iterator[str]:
    """Yield the signs in use with their meanings, and the releases that could not be installed."""
    from nnvet.reports.releases import SIGNS

    yield "  ".join(f"{SIGNS[outcome]} {outcome}" for outcome in matrix.outcomes)
    yield from (f"{column.version}: not installed, {column.failure}" for column in matrix.columns if column.failure)
