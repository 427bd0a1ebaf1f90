"""Writes the pages of tables, and the generated parts of others, from declarations and fragments."""

from __future__ import annotations

from pathlib import Path

from docs.contract_tables import pages, refreshed
from docs.metamorphic_tables import metamorphic_page
from docs.oracle_tables import oracle_page
from docs.random_coverage import random_coverage_page
from docs.status import status_page
from docs.vts_coverage import coverage_page
from nnvet.transport.wire.tables import updated

DOCS = Path(__file__).parent


def protocol_page() -> str:
    """The page on the wire, with fresh tables."""
    return updated((DOCS / "protocol.md").read_text(encoding="utf-8"))


PAGES = {
    "status.md": status_page,
    "protocol.md": protocol_page,
    "metamorphic.md": metamorphic_page,
    "oracle.md": oracle_page,
    "random-coverage.md": random_coverage_page,
    "vts-coverage.md": coverage_page,
}


def main() -> None:
    """Write all pages."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
    for path in pages():
        path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
