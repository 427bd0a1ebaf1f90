"""The page of a matrix of findings by release (:mod:`nnvet.reports.releases`)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from nnvet.reports.files import replace_file
from nnvet.reports.findings import FindingError
from nnvet.reports.html.environment import environment
from nnvet.reports.releases import SIGNS, ReleaseMatrix, Showing

JSON: Final = "versions.json"
PAGE: Final = "versions.html"
_STATES: Final = {
    Showing.SHOWS: "fault",
    Showing.RIGHT: "pass",
    Showing.NOT_HERE: "unsupported",
    Showing.HANGS: "gap",
    Showing.BROKEN: "gap",
    Showing.NOT_RUN: "unsupported",
}
"""Classes of cells in the common style of all pages."""


def write_matrix(matrix: ReleaseMatrix, out: Path) -> Path:
    """Write the matrix as JSON and as a page into a folder, and return the page.

    :raises FindingError: they cannot be written.
    """
    page = environment().get_template("releases.html.j2").render(matrix=matrix, letters=SIGNS, states=_STATES)
    try:
        out.mkdir(parents=True, exist_ok=True)
        replace_file(out / JSON, msgspec.json.format(msgspec.json.encode(matrix)) + b"\n")
        replace_file(out / PAGE, page)
    except OSError as error:
        raise FindingError(f"{out}: cannot be written ({error.strerror or error})") from error
    return out / PAGE
