"""Pages written as CommonMark (what Git hosts show) has them, as Python-Markdown wants them.

Python-Markdown wants a blank line before a list and four columns for each level, CommonMark neither; and
``x[0][1]`` is a link to mkdocstrings, wherever ``1`` may be defined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

_ITEM: Final = re.compile(r"( *)([-*]|\d{1,3}\.)( +)(?=\S)")
_FENCE: Final = re.compile(r" *(```|~~~)")
_COLUMNS: Final = 4


def for_python_markdown(page: str) -> str:
    """The page with blank lines before lists, their text at multiples of four columns, and no links by two brackets."""
    lines = list(_lines(page))
    fences = accumulate(bool(_FENCE.match(line)) for line in lines)
    return "\n".join(line if count % 2 else _unlinked(line) for line, count in zip(lines, fences, strict=True)) + "\n"


def _unlinked(line: str) -> str:
    """The line with indexes of indexes, outside of code, that are no links."""
    return "`".join(part if number % 2 else part.replace("][", "]\\[") for number, part in enumerate(line.split("`")))


def _lines(page: str) -> Iterator[str]:
    contents: list[int] = []  # of the items that are open: the columns where their text begins
    fenced, after_blank = False, True
    for line in page.splitlines():
        item = None if fenced else _ITEM.match(line)
        if _FENCE.match(line):
            fenced = not fenced
        if item:
            if not contents and not after_blank:
                yield ""
            contents = [column for column in contents if column <= len(item[1])]
            yield " " * (_COLUMNS * len(contents)) + item[2] + " " + line[item.end() :]
            contents.append(item.end())
        elif not line.strip():
            yield ""
        else:
            if after_blank:
                contents = [column for column in contents if column <= _indent(line)]
            removed = contents[-1] if contents else 0
            yield " " * (_COLUMNS * len(contents)) + line[min(_indent(line), removed) :]
        after_blank = not line.strip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
