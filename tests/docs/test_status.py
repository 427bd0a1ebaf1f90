"""The generated pages are those in the repository, and every statement of the status table is true."""

import pytest

from docs.generate import DOCS, PAGES
from docs.status import partners
from nnvet.formats.tflite.importer import import_model
from tests.formats.case_forms import build
from tests.formats.test_operators import CASES


@pytest.mark.parametrize("name", ["status.md", "random-coverage.md", "onnx-models.md"])
def test_pages_are_up_to_date(name: str) -> None:
    """``make docs`` would change nothing."""
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name]()


def test_partners_are_compared_with_litert() -> None:
    """The table calls exactly those operations compared with LiteRT that the converted cases of it have."""
    compared = set()
    for case in CASES:
        with import_model(build(case)[0]) as imported:
            compared.update(operation.type for operation in imported.model.main.operations)
    assert partners() == compared


def test_every_operation_is_written_again() -> None:
    """No row of the page is without the module that computes its operation a second time."""
    rows = [line.split("|") for line in PAGES["status.md"]().splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 300
    assert [row[1] for row in rows if not row[7].strip()] == []
