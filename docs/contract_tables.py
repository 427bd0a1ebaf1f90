"""The generated parts of the specification in ``docs/contract/``.

They stand inside text written by hand, between a line that says what stands there and one that ends it::

    <!-- generated: rules 7.1 -->
    <!-- end of generated part -->

``rules SECTION`` are the general rules that a section of ``hal.md`` states; ``operand_types`` and ``operation_codes``
are tables of the same page. ``signatures NAME`` and ``rules NAME`` are of one operation, ``operations`` lists all,
``deviations`` all that the pages of operations say under this heading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from docs.deviations import deviations
from docs.hal_tables import operand_types, operation_codes, rules_of
from docs.operation_tables import declared, operations, rules, signatures

CONTRACT: Final = Path(__file__).parent / "contract"
_END: Final = "<!-- end of generated part -->"
_PART: Final = re.compile(rf"<!-- generated: (\w+)(?: (\S+))? -->\n.*?{re.escape(_END)}", re.DOTALL)


def pages() -> list[Path]:
    """All pages of the specification."""
    return sorted(CONTRACT.rglob("*.md"))


def refreshed(page: str) -> str:
    """The page with fresh tables.

    :raises KeyError: for a part of an unknown kind, or of something that is not declared.
    """
    return _PART.sub(_part, page)


def _part(found: re.Match[str]) -> str:
    kind, subject = found.group(1), found.group(2) or ""
    name = f"{kind} {subject}".rstrip()
    return "\n".join([f"<!-- generated: {name} -->", "", *_KINDS[kind](subject), "", _END])


def _rules(subject: str) -> Iterator[str]:
    return rules(subject) if subject in declared() else rules_of(subject)


_KINDS: Final[dict[str, Callable[[str], Iterator[str]]]] = {
    "deviations": lambda _: deviations(CONTRACT / "operations"),
    "operand_types": lambda _: operand_types(),
    "operation_codes": lambda _: operation_codes(),
    "operations": lambda _: operations(),
    "rules": _rules,
    "signatures": signatures,
}
