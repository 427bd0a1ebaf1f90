"""Writes a folder that can be published: the reports of several runs, and a page that compares them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nnvet.reports.files import replace_file
from nnvet.reports.html.scoreboard import render_scoreboard
from nnvet.reports.log import Log, LogError
from nnvet.reports.render import render

PAGE = "index.html"


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
    page = out / PAGE
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
