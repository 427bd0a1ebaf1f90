"""Findings: every reproducer is run here, and the pages are made of the folders."""

import ast
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from docs.findings_tables import FOLDER, RECORDED, RUNTIMES, findings_page
from docs.generate import DOCS
from nnvet.adapters.releases import RUNTIMES as PACKAGES
from nnvet.adapters.releases import reproduce
from nnvet.reports.findings import FindingStatus, RuntimeFinding, read_findings
from nnvet.reports.releases import Showing, disagreement, read_matrix

FINDINGS = [finding for runtime in RUNTIMES for finding in read_findings(FOLDER, runtime)]
LONGEST = 38
"""Lines of a reproducer; those that build a TFLite file by hand need 28 and more."""
MODULES = {
    "litert": {"ai_edge_litert", "flatbuffers", "numpy"},
    "onnxruntime": {"onnx", "onnxruntime", "numpy"},
    "torch": {"torch"},
    "qnn": {"onnx", "onnxruntime", "onnxruntime_qnn", "numpy"},
    "webgpu": {"onnx", "onnxruntime", "numpy"},
}
each = pytest.mark.parametrize("finding", FINDINGS, ids=lambda finding: f"{finding.runtime}/{finding.name}")
SHORT = ("conv-one-column", "divide-lowest")
"""Of PyTorch, which takes three seconds to load: a wrong answer and a crash. The others change with a release alone."""
run = pytest.mark.parametrize(
    "finding",
    [
        pytest.param(
            finding,
            id=f"{finding.runtime}/{finding.name}",
            marks=[pytest.mark.long] if finding.runtime == "torch" and finding.name not in SHORT else [],
        )
        for finding in FINDINGS
    ],
)


@pytest.mark.sampled(4)
@run
def test_status_and_result_agree(finding: RuntimeFinding) -> None:
    """A fault that is new, known or arguable shows; one that is fixed does not from that release on."""
    try:
        installed = version(finding.package)
    except PackageNotFoundError:
        pytest.skip(f"{finding.package} is not installed")
    if not finding.is_covered(installed):
        pytest.skip(f"not expected here: seen from {finding.first} on, and {installed} is installed")
    cell = reproduce(finding, Path(sys.executable))
    if cell.outcome is Showing.NOT_HERE:
        pytest.skip(f"not expected here: {cell.detail}")
    assert disagreement(finding, installed, cell) == ""


@each
def test_a_reproducer_needs_its_runtime_alone(finding: RuntimeFinding) -> None:
    """It is short, imports nothing but the runtime and what that takes, and hides nothing in a long line."""
    text = finding.script.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST
    assert max(map(len, text.splitlines())) <= 120
    nodes = list(ast.walk(ast.parse(text)))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    allowed = MODULES[finding.runtime] | set(sys.stdlib_module_names)
    assert {name.partition(".")[0] for name in imported} <= allowed


@each
def test_what_a_maintainer_asks_for_is_there(finding: RuntimeFinding) -> None:
    """Each names a package of its runtime, a release, operations, types, a threshold, and an address of the web."""
    assert finding.package == PACKAGES[finding.runtime].package
    assert finding.first
    assert finding.operations
    assert finding.types
    assert finding.threshold.strip()
    addresses = (*finding.upstream, *finding.related, *([finding.promise.address] if finding.promise else []))
    assert all(address.startswith("https://") for address in addresses)


def test_at_least_twenty_are_new_and_cite_a_promise() -> None:
    """Counted by folder; what has one cause counts once."""
    one_cause = {"relu-wraps", "abs-wraps", "logistic-int16", "less-coarse", "qlinear-mul", "lrn-beta"}
    new = [
        found
        for found in FINDINGS
        if found.status is FindingStatus.NEW and found.promise and found.name not in one_cause
    ]
    assert len(new) >= 20


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_the_recorded_releases_agree_with_the_findings(runtime: str) -> None:
    """The matrix has every finding, and no cell of it contradicts a status; what was not run says nothing."""
    matrix = read_matrix(FOLDER / runtime / RECORDED)
    findings = read_findings(FOLDER, runtime)
    assert [row.name for row in matrix.rows] == [finding.name for finding in findings]
    said = [
        disagreement(finding, column.version, column.cells[finding.name])
        for column in matrix.columns
        for finding in findings
        if finding.name in column.cells
    ]
    assert said
    assert [line for line in said if line] == []


def test_the_page_is_fresh() -> None:
    """``make docs`` would change nothing."""
    assert findings_page() == (DOCS / "findings.md").read_text(encoding="utf-8")
