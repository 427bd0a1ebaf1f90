"""``nnvet.next`` against PyTorch and ONNX, its kernels and planted faults against its error bounds."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nnvet.extensions.next import NEXT
from nnvet.hal.extensions import VARIABLE

pytest.importorskip("torch", reason="the second opinion is PyTorch's")
pytest.importorskip("onnx", reason="the second opinion is ONNX's")

ROOT = Path(__file__).parents[2]
SESSION = "tests.extensions.next_session"
QUICK, LONG = 2, 60


def session_of(count: int) -> Any:
    """The answers of a process that knows the extension."""
    environment = {**os.environ, VARIABLE: "nnvet.extensions.next", "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", SESSION, str(count)]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=800)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module", params=[QUICK, pytest.param(LONG, marks=pytest.mark.long)])
def session(request: pytest.FixtureRequest) -> Any:
    """Counts of few models, or of many."""
    return session_of(request.param)


def test_second_opinions_agree(session: Any) -> None:
    """The ideal values of every operation are those that PyTorch or ONNX's reference computes in float64."""
    assert session["opinions"] == []
    assert set(session["cases"]) == set(session["operations"])


def test_kernels_stay_within_the_bounds(session: Any) -> None:
    """Nobody blames the bundled driver, and hardly anything is left open."""
    assert session["kernels"] == []
    assert {name: share for name, share in session["undecided"].items() if share > 0.02 * session["cases"][name]} == {}


def test_other_runtimes_stay_within_the_bounds(session: Any) -> None:
    """Nobody blames PyTorch, or ONNX's reference, for what they compute in float32."""
    assert session["blamed"] == []
    assert set(session["honest"]) == set(session["operations"])


def test_planted_faults_are_found(session: Any) -> None:
    """Of the faults that change a result, at most one in fifty is within the bounds."""
    planted, killed = (sum(session[part].values()) for part in ("planted", "killed"))
    assert planted > 100
    assert killed >= 0.98 * planted


def test_every_part_is_there_for_every_operation() -> None:
    """Each operation has a meaning, a generator and a kernel, and a number of its own."""
    codes = set(NEXT.operation_types)
    assert codes == set(NEXT.meanings) == set(NEXT.generators) == set(NEXT.kernels)
    assert sorted(code.number for code in codes) == list(range(len(codes)))
