"""Writes the files of a report from one log: an HTML page, JUnit XML and a summary in Markdown."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nnvet.reports.files import replace_file
from nnvet.reports.history import History
from nnvet.reports.html.page import render_page
from nnvet.reports.junit import render_junit
from nnvet.reports.log import Log, LogError
from nnvet.reports.markdown import render_markdown

PAGE: Final = "report.html"


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
