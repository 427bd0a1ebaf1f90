"""Operations of ``nnvet.next`` on PyTorch, ONNX Runtime and OpenVINO: the claims are right, and all of them run."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from nnvet.extensions.next import NEXT
from nnvet.hal.extensions import VARIABLE

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, VARIABLE: "nnvet.extensions.next", "PYTHONPATH": str(ROOT / "src")}


def nnvet(*arguments: object, module: str = "nnvet.commands") -> subprocess.CompletedProcess[str]:
    """Run a command in a process that knows the extension, since known extensions are read once."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=800)


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generated specs of all operations, with expected values by the oracle's meanings."""
    folder = tmp_path_factory.mktemp("specs")
    done = nnvet("--extension", "nnvet.next", "--folder", folder, module="nnvet.generators.corpus")
    assert done.returncode == 0, done.stderr
    return folder


def judged(folder: Path) -> dict[str, set[str]]:
    """Verdicts of each operation, by its name within the extension."""
    found: dict[str, set[str]] = {}
    for line in (folder / "run.jsonl").read_text().splitlines():
        event: dict[str, Any] = json.loads(line)
        for name in event.get("labels", {}).get("operations", ()) if event["event"] == "case_finished" else ():
            found.setdefault(name.partition("::")[2], set()).add(event["verdict"])
    return found


@pytest.mark.parametrize("runtime", ["torch", "onnxruntime", "openvino"])
@pytest.mark.parametrize("part", ["1/8", pytest.param("1/1", marks=pytest.mark.long)])
def test_claims_are_right(runtime: str, part: str, specs: Path, tmp_path: Path) -> None:
    """Every claimed operation is judged and passes; what is not claimed is UNSUPPORTED."""
    pytest.importorskip(runtime, reason=f"needs the extra {runtime}")
    done = nnvet("run", "-d", runtime, "--specs", specs, "--shard", part, "--out", tmp_path)
    assert done.returncode == 0, done.stdout
    module, _, name = NEXT.claims[runtime].partition(":")
    claims = getattr(import_module(module), name or "CLAIMS")
    claimed = {claim.operation.name.partition("::")[2] for claim in claims}
    declared = {declaration.name.partition("::")[2] for declaration in NEXT.operations}
    found = judged(tmp_path)
    passed = {name for name, verdicts in found.items() if "PASS" in verdicts}
    assert passed <= claimed
    assert all(found[name] == {"UNSUPPORTED"} for name in found.keys() - claimed)
    # A part of the specs does not have all operations in all forms.
    assert passed == claimed if part == "1/1" else len(passed) >= 20
    assert found.keys() >= declared or part != "1/1"


def test_failing_models_with_extensions_are_reduced(tmp_path: Path) -> None:
    """The reducer knows codes of extensions: a driver whose SOFTPLUS is wrong fails by that operation alone."""
    driver = ROOT / "tests" / "drivers" / "wrong_softplus.py"
    selector = f"python:{driver}:create"
    options = ("--count", 60, "--seed", 5, "--types", "float32", "--operations", "1-6", "--max-failures", 1)
    done = nnvet("random", "-d", selector, *options, "--in-process", "--out", tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "reduced to 1" in done.stdout
    assert "FAIL nnvet.next::SOFTPLUS" in done.stdout
