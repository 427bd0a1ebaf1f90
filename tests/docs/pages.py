"""Commands and programs on the pages for users and contributors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from docs.shown import SHOWN

ROOT: Final = Path(__file__).parent.parent.parent
PROGRAMS: Final = ("nnvet", "make", "pytest", "python -m", ".ci/run")
"""Beginnings of command lines."""

_FENCE: Final = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_INLINE: Final = re.compile(r"(?<!`)`([^`]+)`(?!`)")


class Fence(NamedTuple):
    """A block of code: where it is, its language (empty: none is named), its text."""

    place: str
    language: str
    text: str


def pages() -> list[Path]:
    """README, CONTRIBUTING, and all of ``docs/``."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def fences(page: Path) -> Iterator[Fence]:
    """The blocks of code of a page."""
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield Fence(f"{page.relative_to(ROOT)}:{line}", found[1], found[2])


def commands_in(text: str) -> list[str]:
    """The command lines of a page: lines of blocks, with or without prompt, and pieces of code that are one.

    Not those whose output the page shows: tests/docs/test_shown.py runs them.
    """
    text = SHOWN.sub("", text)
    blocks = [line for found in _FENCE.finditer(text) for line in found[2].splitlines()]
    lines = [line.removeprefix("$ ").partition("  #")[0] for line in blocks]
    pieces = [" ".join(found[1].split()) for found in _INLINE.finditer(_FENCE.sub("", text))]
    return [line.strip() for line in (*lines, *pieces) if _is_command(line.strip())]


def _is_command(line: str) -> bool:
    return line == ".ci/run" or any(line.startswith(f"{program} ") for program in PROGRAMS)


def all_commands() -> list[str]:
    """Every command line of all pages, once."""
    return sorted({line for page in pages() for line in commands_in(page.read_text(encoding="utf-8"))})
