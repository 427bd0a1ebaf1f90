"""The parts of ``docs/next.md`` that follow from the declarations of ``nnvet.next``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from docs.operation_tables import of_declaration, rules_of
from docs.parts import with_part
from nnvet.extensions.next import NEXT, codes
from nnvet.hal.operand_types import ExtensionCode
from nnvet.hal.operations.declaration import OperationDeclaration

PAGE: Final = Path(__file__).parent / "next.md"


def next_page() -> str:
    """The page on ``nnvet.next``, with fresh tables."""
    page = with_part(PAGE.read_text(encoding="utf-8"), "operations", "\n".join(_rows()))
    sections = "\n\n".join("\n".join(_section(declaration)) for declaration in NEXT.operations)
    return with_part(page, "declarations", sections)


def _short(declaration: OperationDeclaration) -> str:
    return declaration.name.partition("::")[2]


def _source(declaration: OperationDeclaration) -> str:
    return codes.SOURCES[declaration.type] if isinstance(declaration.type, ExtensionCode) else ""


def _rows() -> Iterator[str]:
    """A row for each operation."""
    yield from ("| Operation | Result | Semantics of |", "|---|---|---|")
    for declaration in NEXT.operations:
        link = f"[{_short(declaration)}](#{_short(declaration).lower()})"
        yield f"| {link} | {declaration.summary} | {_source(declaration)} |"


def _section(declaration: OperationDeclaration) -> Iterator[str]:
    yield from (f"### {_short(declaration)}", "")
    yield from (f"{declaration.summary[:1].upper()}{declaration.summary[1:]} ({_source(declaration)}).", "")
    yield from of_declaration(declaration)
    yield ""
    yield from rules_of(declaration)
