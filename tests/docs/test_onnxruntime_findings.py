"""The reproducers of findings against ONNX Runtime show what the page says, in the version that it names."""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib.metadata import version

import pytest

pytest.importorskip("onnx", reason="needs the onnx extra")
pytest.importorskip("onnxruntime", reason="needs the onnx extra")

from docs.findings.onnx_runtime import ENDS, FINDINGS, Finding
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
OF_THIS_VERSION = pytest.mark.skipif(version("onnxruntime") != "1.32.0", reason="the findings are of 1.32.0")


@OF_THIS_VERSION
@pytest.mark.parametrize("finding", FINDINGS, ids=lambda finding: finding.name)
def test_the_result_is_wrong(finding: Finding) -> None:
    """The session gives something else, or there is none."""
    assert not finding.is_right()


@OF_THIS_VERSION
def test_the_process_ends() -> None:
    """The lowest number is divided by -1, and the processor traps."""
    program = ROOT / "docs" / "findings" / "onnx_runtime.py"
    ended = subprocess.run([sys.executable, program, "end"], capture_output=True, check=False)
    assert ended.returncode == -signal.SIGFPE


@pytest.mark.parametrize("finding", [*FINDINGS, ENDS], ids=lambda finding: finding.name)
def test_the_page_has_every_finding(finding: Finding) -> None:
    """Each is named by the name of its reproducer."""
    assert f"`{finding.name}`" in PAGE
