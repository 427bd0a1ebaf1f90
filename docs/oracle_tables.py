"""The table of bound rules in ``docs/oracle.md``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nnvet.oracle.bounds.catalogue import RULES

PAGE: Final = Path(__file__).parent / "oracle.md"
_PART: Final = re.compile(r"(?<=<!-- generated: bounds -->\n).*?(?=<!-- end of generated part -->)", re.DOTALL)


def oracle_page() -> str:
    """The page on the oracle, with a fresh table."""
    return _PART.sub(lambda _: "\n" + "\n".join(_rows()) + "\n\n", PAGE.read_text(encoding="utf-8"))


def _rows() -> Iterator[str]:
    """Operations that have one rule are in one row."""
    yield from ("| Operations | Errors of inputs | What is added | Undecided |", "|---|---|---|---|")
    by_rule: dict[tuple[str, str, str], list[str]] = {}
    for operation, rule in sorted(RULES.items(), key=lambda item: item[0].name):
        by_rule.setdefault((rule.propagation, rule.local, rule.undecided), []).append(operation.name)
    for words, names in by_rule.items():
        # A bar would end the cell.
        yield f"| {', '.join(names)} | {' | '.join(word.replace('|', chr(92) + '|') for word in words)} |"
