"""Files written from logs: the report of one run, and a scoreboard, a folder to publish with several runs.

A report is an HTML page, JUnit XML and a summary in Markdown. This module only decides on paths and handles errors;
:mod:`nnvet.reports.html.page`, :mod:`nnvet.reports.junit` and :mod:`nnvet.reports.markdown` make the texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nnvet.reports.files import replace_file
from nnvet.reports.history import History
from nnvet.reports.html.page import render_page
from nnvet.reports.html.scoreboard import render_scoreboard
from nnvet.reports.junit import render_junit
from nnvet.reports.log import Log, LogError
from nnvet.reports.markdown import render_markdown

PAGE: Final = "report.html"
"""Name of the page of a run."""


@dataclass(frozen=True)
class ReportPaths:
    """Paths of a report's files."""

    html: Path
    junit: Path
    markdown: Path


def render(log: Log, out_dir: str | Path) -> ReportPaths:
    """Write ``report.html``, ``junit.xml`` and ``summary.md`` into ``out_dir``.

    :raises LogError: a file cannot be written.
    """
    out_dir = Path(out_dir)
    paths = ReportPaths(out_dir / PAGE, out_dir / "junit.xml", out_dir / "summary.md")
    try:
        texts = {
            paths.html: render_page(log),
            paths.junit: render_junit(log),
            paths.markdown: render_markdown(log),
        }
        out_dir.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            replace_file(path, text)
    except OSError as error:
        raise LogError(f"{out_dir}: cannot write the report ({error.strerror or error}); the log is whole") from error
    return paths


def renew_page(log: Log, out_dir: Path, history: History) -> None:
    """Write ``report.html`` again, with the run's news according to a history.

    :raises LogError: the page cannot be written.
    """
    page = out_dir / PAGE
    try:
        replace_file(page, render_page(log, history))
    except OSError as error:
        raise LogError(f"{page}: cannot be written ({error.strerror or error})") from error


_INDEX: Final = "index.html"
"""Name of the page of a scoreboard."""


def write_scoreboard(logs: Sequence[Log], out: Path) -> Path:
    """Render a report of each log without a folder in ``out``, and the page; return the page's path.

    :raises LogError: a file cannot be written.
    """
    runs: list[tuple[str, Log]] = []
    for log in logs:
        folder = _folder(log, out, {name for name, _ in runs})
        if log.path.parent.resolve() != (out / folder).resolve():
            render(log, out / folder)
        runs.append((folder, log))
    page = out / _INDEX
    try:
        replace_file(page, render_scoreboard(runs))
    except OSError as error:
        raise LogError(f"{page}: cannot be written ({error.strerror or error})") from error
    return page


def folder_name(selector: str) -> str:
    """Return a selector as the name of a folder."""
    return "".join(char if char.isalnum() else "_" for char in selector) or "_"


def _folder(log: Log, out: Path, taken: set[str]) -> str:
    """Return the folder of a run that is in ``out`` already, or a free one named by the driver."""
    if log.path.parent.resolve().parent == out.resolve():
        return log.path.parent.name
    name = folder_name(log.started.driver.selector)
    return next(
        free for number in range(len(taken) + 1) if (free := f"{name}_{number}" if number else name) not in taken
    )
