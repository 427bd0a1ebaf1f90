"""The reproducers of findings show what the page says, in the version that it names."""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

pytest.importorskip("ai_edge_litert.interpreter", reason="needs the litert extra")

from docs.findings.litert import ABORTS, FINDINGS, KERNELS, Finding
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")


OF_THIS_VERSION = pytest.mark.skipif(version("ai-edge-litert") != "2.3.0", reason="the findings are of 2.3.0")


@OF_THIS_VERSION
@pytest.mark.parametrize("finding", FINDINGS, ids=lambda finding: finding.name)
def test_wrong_kernels_are_wrong_and_the_others_right(finding: Finding) -> None:
    """Exactly the kernels that a finding names give another result."""
    if finding.feature and finding.feature not in Path("/proc/cpuinfo").read_text(encoding="utf-8").split():
        pytest.skip(f"seen on processors with {finding.feature}")
    assert tuple(kernels for kernels in KERNELS if not finding.is_right(kernels)) == finding.wrong


@OF_THIS_VERSION
def test_a_scale_of_one_aborts() -> None:
    """The process that compares such codes is killed by itself."""
    program = ROOT / "docs" / "findings" / "litert.py"
    ended = subprocess.run([sys.executable, program, "abort"], capture_output=True, check=False)
    assert ended.returncode == -signal.SIGABRT


@pytest.mark.parametrize("finding", [*FINDINGS, ABORTS], ids=lambda finding: finding.name)
def test_the_page_has_every_finding(finding: Finding) -> None:
    """Each is named by the name of its reproducer."""
    assert f"`{finding.name}`" in PAGE
