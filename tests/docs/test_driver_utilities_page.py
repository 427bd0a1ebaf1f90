"""The page on utilities for driver authors: its examples run, in order, as they stand."""

import re
from pathlib import Path
from typing import Any

import pytest

from nnvet.hal.types import Ashmem, DataLocation, Handle, Model, Request, RequestArgument

PAGE = Path(__file__).parent.parent.parent / "docs" / "driver-utilities.md"


def test_examples_run(add_model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Given a model, a request and a path, every block works with what those before it have imported."""
    argument = RequestArgument(location=DataLocation(length=16))
    names: dict[str, Any] = {
        "model": add_model,
        "request": Request((argument,), (argument,), (Ashmem(Handle(0), 16),)),
        "path": tmp_path / "trace.json",
    }
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 6
    for block in blocks:
        exec(block, names)  # noqa: S102 - the page is ours
    said = capsys.readouterr().out
    assert "needs V1_0 and V1_0" in said
    assert "// my model" in said
    assert "Driver" in said
    assert names["blobs"].get(b"conv 3x3") == b"machine code"
    assert b"[SUB][NN_LD_PC]shader" in (tmp_path / "trace.json").read_bytes()
