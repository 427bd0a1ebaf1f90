"""The list of all deviations of operations, from the section *Deviations* of each operation's page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nnvet.hal.operations.catalogue import declarations

_SECTION: Final = re.compile(r"^## Deviations\n\n\|.*\n\|.*\n((?:\|.*\n)+)", re.MULTILINE)


def deviations(operations: Path) -> Iterator[str]:
    """One table for the pages in a folder, by operation code; what several pages say stands there once."""
    said: dict[str, list[str]] = {}
    for declaration in declarations().values():
        for row in _rows((operations / f"{declaration.name}.md").read_text(encoding="utf-8")):
            said.setdefault(row, []).append(f"[{declaration.name}](operations/{declaration.name}.md#deviations)")
    yield from ("| Operation | Documentation | Here |", "|---|---|---|")
    for row, names in said.items():
        yield f"| {', '.join(names)} {row}"


def _rows(page: str) -> list[str]:
    found = _SECTION.search(page)
    return found.group(1).splitlines() if found else []
