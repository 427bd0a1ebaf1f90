"""The table of relations in ``docs/metamorphic.md``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from docs.parts import with_part
from nnvet.generators.metamorphic.table import RELATIONS

PAGE: Final = Path(__file__).parent / "metamorphic.md"


def metamorphic_page() -> str:
    """The page on relations, with a fresh table."""
    return with_part(PAGE.read_text(encoding="utf-8"), "relations", "\n".join(_rows()))


def _rows() -> Iterator[str]:
    """A row for each relation."""
    yield from ("| Check | Models | The other form | Rule |", "|---|---|---|---|")
    for relation in RELATIONS.values():
        rule = f"[`{relation.rule}`](contract/hal.md#{relation.rule})"
        yield f"| `{relation.name}` | {relation.subject} | {relation.change} | {rule} |"
