"""The table of relations in ``docs/metamorphic.md``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nnvet.generators.metamorphic.table import RELATIONS

PAGE: Final = Path(__file__).parent / "metamorphic.md"
_PART: Final = re.compile(r"(?<=<!-- generated: relations -->\n).*?(?=<!-- end of generated part -->)", re.DOTALL)


def metamorphic_page() -> str:
    """The page on relations, with a fresh table."""
    return _PART.sub(lambda _: "\n" + "\n".join(_rows()) + "\n\n", PAGE.read_text(encoding="utf-8"))


def _rows() -> Iterator[str]:
    """A row for each relation."""
    yield from ("| Check | Models | The other form | Rule |", "|---|---|---|---|")
    for relation in RELATIONS.values():
        rule = f"[`{relation.rule}`](contract/hal.md#{relation.rule})"
        yield f"| `{relation.name}` | {relation.subject} | {relation.change} | {rule} |"
