"""The tables of limits in ``docs/positions.md``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nnvet.oracle.positions.grading import POSITIONS

PAGE: Final = Path(__file__).parent / "positions.md"
_SUMS: Final = re.compile(r"(?<=<!-- generated: sums -->\n).*?(?=<!-- end of generated part -->)", re.DOTALL)
_FUNCTIONS: Final = re.compile(r"(?<=<!-- generated: functions -->\n).*?(?=<!-- end of generated part -->)", re.DOTALL)


def positions_page() -> str:
    """The page on numeric positions, with fresh tables."""
    text = PAGE.read_text(encoding="utf-8")
    for part, rows in ((_SUMS, _sums()), (_FUNCTIONS, _functions())):
        table = "\n" + "\n".join(rows) + "\n\n"
        text = part.sub(lambda _, table=table: table, text)
    return text


def _sums() -> Iterator[str]:
    """A row for each position."""
    yield from ("| Position | Sums of products may be off by |", "|---|---|")
    for position in POSITIONS.values():
        yield f"| [`{position.id}`](#{position.id}) | {position.sums.words} |"


def _functions() -> Iterator[str]:
    """A row for each operation; flush to zero has the limits of IEEE 754."""
    columns = [position for position in POSITIONS.values() if position.functions and position.id != "ftz"]
    yield "| Operation | " + " | ".join(f"`{column.id}`" for column in columns) + " |"
    yield "|---" * (1 + len(columns)) + "|"
    operations = sorted(
        {operation for column in columns for operation in column.functions}, key=lambda operation: operation.name
    )
    for operation in operations:
        words = [
            column.functions[operation].words if operation in column.functions else "not stated" for column in columns
        ]
        yield f"| {operation.name} | " + " | ".join(words) + " |"
