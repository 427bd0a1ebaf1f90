"""The tables of bound rules and of liberties in ``docs/oracle.md``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nnvet.oracle.bounds.execution import RULES
from nnvet.oracle.bounds.liberties import DECLARED, EVERYBODY

PAGE: Final = Path(__file__).parent / "oracle.md"
_PART: Final = r"(?<=<!-- generated: {} -->\n).*?(?=<!-- end of generated part -->)"


def oracle_page() -> str:
    """The page on the oracle, with fresh tables."""
    page = PAGE.read_text(encoding="utf-8")
    for name, rows in (("liberties", _liberties()), ("bounds", _rows())):
        table = "\n" + "\n".join(rows) + "\n\n"
        page = re.sub(_PART.format(name), lambda _, table=table: table, page, flags=re.DOTALL)
    return page


def _liberties() -> Iterator[str]:
    """Liberties that everybody has, then those that are declared."""
    yield from ("| Liberty | Granted to | Operations | Source |", "|---|---|---|---|")
    for granted, liberties in (("everybody", EVERYBODY), ("whoever declares it", DECLARED.values())):
        for liberty in liberties:
            names = ", ".join(sorted(operation.name for operation in liberty.operations)) or "all of floats"
            yield f"| `{liberty.id}`: {liberty.words} | {granted} | {names} | {liberty.source} |"


def _rows() -> Iterator[str]:
    """Operations that have one rule are in one row."""
    yield from ("| Operations | Errors of inputs | What is added | Undecided |", "|---|---|---|---|")
    by_rule: dict[tuple[str, str, str], list[str]] = {}
    for operation, rule in sorted(RULES.items(), key=lambda item: item[0].name):
        by_rule.setdefault((rule.propagation, rule.local, rule.undecided), []).append(operation.name)
    for words, names in by_rule.items():
        # A bar would end the cell.
        yield f"| {', '.join(names)} | {' | '.join(word.replace('|', chr(92) + '|') for word in words)} |"
