"""The table of what the C API of the NNAPI cannot say, on the page on drivers."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from docs.parts import with_part
from nnvet.adapters.nnapi.inexpressible import Unsaid

_PAGE: Final = Path(__file__).parent / "drivers.md"


def drivers_page() -> str:
    """The page on drivers, with a fresh table."""
    return with_part(_PAGE.read_text(encoding="utf-8"), "unsaid", _table())


def _table() -> str:
    rows = (f"| {entry.what} | {entry.why} | {', '.join(f'`{rule}`' for rule in entry.rules)} |" for entry in Unsaid)
    return "\n".join(("| Not said | Why | Rules that cannot be broken |", "|---|---|---|", *rows))
