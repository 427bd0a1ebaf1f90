"""``nnvet history``, and the option ``--history``, with which other commands add their runs to a history.

Commands that run something wrap it in :func:`add_to_history`. :mod:`nnvet.reports.history` reads and writes the file of
a history, and ``reports/html/history.py`` makes the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from nnvet.commands.options import table_console, user_errors

if TYPE_CHECKING:
    from rich.table import Table

    from nnvet.reports.log import Log
    from nnvet.reports.series import RunSeries, RunStep

HistoryFolder = Annotated[
    Path | None, typer.Option("--history", help="Add the run to the history in this folder, see nnvet history.")
]
_LAST: Final = 20
"""Default number of runs to print."""


def history(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of a history, as given to --history of other commands.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for history.html; default: that of the runs.")
    ] = None,
    last: Annotated[int, typer.Option(min=1, help="Number of runs to print for each driver and selection.")] = _LAST,
) -> None:
    """Show the last runs of a history, and what became worse.

    Also write a page of all runs.
    """
    from nnvet.reports.history import read_history
    from nnvet.reports.html.history import write_history
    from nnvet.reports.series import series_of

    console = table_console(highlight=False)
    with user_errors():
        found = read_history(folder)
        _report(found.damaged)
        for series in series_of(found.runs):
            console.print(series.title, style="bold", markup=False, soft_wrap=True)
            console.print(_make_table(series, last))
            if len(series.runs) > last:
                console.print(f"  before these: {len(series.runs) - last:,}; --last shows more", style="dim")
        typer.echo(f"page: {write_history(found, out or folder)}")


def _make_table(series: RunSeries, last: int) -> Table:
    from rich.table import Table

    from nnvet.reports.events import Verdict

    shown = series.steps[-last:]
    verdicts = [verdict for verdict in Verdict if any(step.run.counts.get(verdict) for step in shown)]
    table = Table("date (UTC)", "version", "outcome", box=None)
    for name in (*verdicts, "new", "fixed"):
        table.add_column(name.replace("_", " "), justify="right")
    table.add_column("drift")
    for step in shown:
        numbers = [*(step.run.counts.get(verdict, 0) for verdict in verdicts), len(step.new), len(step.fixed)]
        table.add_row(
            step.run.date, step.run.version, step.run.verdict, *(f"{number:,}" for number in numbers), step.drift.words
        )
    return table


@contextmanager
def add_to_history(folder: Path | None, logs: Sequence[Path]) -> Iterator[None]:
    """Add the runs whose logs the block writes to a folder's history, if one is given; not if a signal ends the block.

    :raises HistoryError: they cannot be added; raised before the block if possible, because the block may take hours.
    """
    if folder is None:
        yield
        return
    from nnvet.reports.history import check_folder
    from nnvet.reports.log import read_log

    check_folder(folder)
    yield
    add_runs(folder, [read_log(log) for log in logs if log.exists()])


def add_runs(folder: Path | None, logs: Iterable[Log], pages: Path | None = None) -> None:
    """Add the runs of logs to a folder, if one is given; print what is new in each, and add it to the report.

    ``pages`` is the place of the report; None: beside the log.

    :raises HistoryError: the folder cannot be written.
    """
    if folder is None:
        return
    from nnvet.reports.history import append_run, facts_of
    from nnvet.reports.render import renew_page
    from nnvet.reports.series import series_of

    for log in logs:
        if log.finished is None:
            typer.echo(f"history: {log.path} did not come to its end, and is not added", err=True)
            continue
        facts = facts_of(log)
        found = append_run(folder, facts)
        _report(found.damaged)
        renew_page(log, pages or log.path.parent, found)
        series = next(listed for listed in series_of(found.runs) if facts in listed.runs)
        typer.echo(
            f"history: {found.path}, {_describe_step(next(step for step in series.steps if step.run == facts), series)}"
        )


def _describe_step(step: RunStep, series: RunSeries) -> str:
    number = len(series.runs)
    if number == 1:
        return "the first run of this driver and selection"
    said = f"{number} runs of this driver and selection; new failures: {len(step.new)}, fixed: {len(step.fixed)}"
    return f"{said}; drift: {step.drift.words}" if step.drift.words else said


def _report(damaged: Iterable[str]) -> None:
    for line in damaged:
        typer.echo(f"nnvet: {line}", err=True)
