"""Writes tables of pages, and what other languages read, from declarations and fragments."""

from __future__ import annotations

from pathlib import Path

from docs.claims_tables import jax_page, litert_page, onnxruntime_page, torch_page
from docs.command_pages import commands_page
from docs.contract_tables import pages, refreshed
from docs.findings_tables import findings_page
from docs.metamorphic_tables import metamorphic_page
from docs.native_header import header
from docs.native_operations import operations_json
from docs.native_schema import schema_json
from docs.next_tables import next_page
from docs.onnx_tables import onnx_page
from docs.oracle_tables import oracle_page
from docs.position_tables import positions_page
from docs.profile_tables import profiles_page
from docs.random_coverage import random_coverage_page
from docs.rule_tables import rules_page
from docs.shown import main as write_shown
from docs.status import status_page
from docs.unsaid_table import drivers_page
from docs.vts_coverage import coverage_page
from docs.wire_vectors import vectors_json
from nnvet.transport.wire.tables import update_tables

DOCS = Path(__file__).parent


def protocol_page() -> str:
    """The page on the wire, with fresh tables."""
    return update_tables((DOCS / "protocol.md").read_text(encoding="utf-8"))


PAGES = {
    "status.md": status_page,
    "drivers.md": drivers_page,
    "litert.md": litert_page,
    "onnxruntime.md": onnxruntime_page,
    "torch.md": torch_page,
    "jax.md": jax_page,
    "findings.md": findings_page,
    "next.md": next_page,
    "protocol.md": protocol_page,
    "metamorphic.md": metamorphic_page,
    "onnx-models.md": onnx_page,
    "profiles.md": profiles_page,
    "oracle.md": oracle_page,
    "positions.md": positions_page,
    "random-coverage.md": random_coverage_page,
    "vts-coverage.md": coverage_page,
    "reference/commands.md": commands_page,
    "reference/rules.md": rules_page,
    "native/nnvet.h": header,
    "native/operations.json": operations_json,
    "native/wire.schema.json": schema_json,
    "native/wire-vectors.json": vectors_json,
}


def main() -> None:
    """Write all pages."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
    for path in pages():
        path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")
    write_shown()


if __name__ == "__main__":
    main()
