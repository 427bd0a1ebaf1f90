"""Pages of the documentation on this machine, from a source checkout or an installed wheel, for ``nnvet explain``.

:func:`all_pages` reads them; :func:`headings`, :func:`section` and :func:`table_rows` find parts of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Final, NamedTuple

from nnvet.commands.options import CommandError

_INSTALLED: Final = "share/nnvet/docs/architecture.md"
"""Place of a page in a wheel; ``data-files`` of pyproject.toml names the folder, too."""
_COMMENT: Final = re.compile(r"^<!--.*?-->\n?", re.MULTILINE | re.DOTALL)
"""Comments of a page, which its readers should not see."""
_ANCHOR: Final = re.compile(r'<a id="[^"]*"></a>')
"""Anchors that a heading has beside its own."""
_HEADING: Final = re.compile(r"^(#+) +(.+?) *$", re.MULTILINE)
"""A heading: its rank in signs, and its text."""
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
"""A link, of which the text remains."""
_EMPHASIS: Final = re.compile(r"`|\*\*")
"""Marks of code and emphasis."""
_ROW: Final = re.compile(r"(?<!\\)\|")
"""The border of two cells in a row of a table."""


class PagePart(NamedTuple):
    """Part of a page: its place, such as ``docs/stress.md#the-tests``, and its text in Markdown."""

    place: str
    text: str


class TableRow(NamedTuple):
    """A row of a table of a page: the page's path, the names of the columns and their cells, without markup."""

    page: str
    columns: tuple[str, ...]
    cells: tuple[str, ...]

    def __str__(self) -> str:
        """Return a line for each column: ``meaning: a rule is broken``."""
        return "\n".join(
            f"{name}: {cell}" for name, cell in zip(self.columns, self.cells, strict=False) if name and cell
        )


def docs_folder() -> Path:
    """Return the folder with the pages.

    :raises CommandError: this machine has no pages.
    """
    checkout = Path(__file__).resolve().parent.parent / "docs"
    if (checkout / "architecture.md").is_file():
        return checkout
    try:
        installed = [file for file in files("nnvet") or () if file.as_posix().endswith(_INSTALLED)]
    except PackageNotFoundError:
        installed = []
    if not installed:
        raise CommandError("the pages of the documentation are not on this machine; a wheel of nnvet has them")
    return Path(str(installed[0].locate())).resolve().parent


@cache
def all_pages() -> dict[str, str]:
    """Return the text of each page by its path, such as ``docs/contract/hal.md``.

    :raises CommandError: see :func:`docs_folder`.
    """
    folder = docs_folder()
    found = {f"docs/{path.relative_to(folder).as_posix()}": path for path in sorted(folder.rglob("*.md"))}
    return {name: _COMMENT.sub("", path.read_text(encoding="utf-8")) for name, path in found.items()}


def page_named(name: str) -> str | None:
    """Return the path of the page that is meant by ``docs/waivers.md``, ``waivers.md`` or ``waivers``."""
    path = name.removeprefix("docs/").removesuffix(".md")
    wanted = [f"docs/{path}.md", f"docs/{path}/README.md"]
    return next((page for page in wanted if page in all_pages()), None)


def section(page: str, anchor: str = "") -> PagePart | None:
    """Return a page, or the part of it below the heading with an anchor; None: it has no such heading."""
    text = all_pages()[page]
    if not anchor:
        return PagePart(page, text)
    return next((part for heading, part in headings() if part.place == f"{page}#{anchor}" and heading), None)


@cache
def headings() -> list[tuple[str, PagePart]]:
    """Return the part below each heading of each page, up to the next heading of the same or a higher rank."""
    return [found for page, text in all_pages().items() for found in _find_headings(page, text)]


def _find_headings(page: str, text: str) -> Iterator[tuple[str, PagePart]]:
    # A shell comment within a code block looks like a heading.
    blank = re.sub(r"^```.*?^```", lambda code: " " * len(code[0]), text, flags=re.MULTILINE | re.DOTALL)
    marks = list(_HEADING.finditer(blank))
    for number, mark in enumerate(marks):
        later = (other.start() for other in marks[number + 1 :] if len(other[1]) <= len(mark[1]))
        title = plain(mark[2])
        yield title, PagePart(f"{page}#{slug(title)}", text[mark.start() : next(later, len(text))])


def slug(title: str) -> str:
    """Return the anchor that a heading gets: ``NOT_RUN`` is ``not_run``, ``The tests`` is ``the-tests``."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def plain(text: str) -> str:
    """Return text without the marks of links, code and emphasis."""
    return _EMPHASIS.sub("", _LINK.sub(r"\1", _ANCHOR.sub("", text))).replace("\\|", "|").strip()


@cache
def table_rows() -> list[TableRow]:
    """Return all rows of all tables of all pages."""
    return [row for page, text in all_pages().items() for row in _find_rows(page, text.splitlines())]


def _find_rows(page: str, lines: list[str]) -> Iterator[TableRow]:
    columns: tuple[str, ...] = ()
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if not line.startswith("|"):
            columns = ()
            continue
        cells = tuple(plain(cell) for cell in _ROW.split(line.strip().strip("|")))
        if not columns and set(below) <= set("|-: ") and below:
            columns = cells
        elif columns and all(columns) and not set(line) <= set("|-: "):
            yield TableRow(page, columns, cells)
