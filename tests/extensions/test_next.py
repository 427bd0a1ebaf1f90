"""``nnvet.next`` against PyTorch and ONNX, its kernels and planted faults against its error bounds."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from nnvet.extensions.next import NEXT, codes
from nnvet.extensions.next.kernels import KERNELS
from nnvet.hal.extensions import VARIABLE

torch = pytest.importorskip("torch", reason="the second opinion is PyTorch's")
functional = torch.nn.functional
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


class _Call(dict[str, Any]):
    """As much of a call as the kernel of CONV_TRANSPOSE reads."""

    def __init__(self, tensors: dict[str, Any], parameters: dict[str, Any]) -> None:
        super().__init__({name: SimpleNamespace(array=array) for name, array in tensors.items()})
        self.vector = self.scalar = parameters.__getitem__


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_an_infinite_weight_reaches_only_its_own_sums(rank: int, groups: int) -> None:
    """The kernel of CONV_TRANSPOSE has no zeros between elements, which times infinity are NaN; PyTorch agrees."""
    source = np.random.default_rng(rank)
    image, filters = source.normal(size=(2, 4, *[5] * rank)), source.normal(size=(4, 3, *[3] * rank))
    filters.flat[0] = np.inf
    tensors = [array.astype(np.float32) for array in (image, filters, source.normal(size=3 * groups))]
    twice, ones = [2] * rank, [1] * rank
    parameters = {"strides": twice, "dilations": twice, "pads": ones * 2, "groups": groups, "output_padding": ones}
    found = KERNELS[codes.CONV_TRANSPOSE](
        _Call(dict(zip(("input", "filter", "bias"), tensors, strict=True)), parameters)  # type: ignore[arg-type]
    )
    of = getattr(functional, f"conv_transpose{rank}d")
    wanted = of(*map(torch.from_numpy, tensors), twice, 1, 1, groups, 2).numpy()
    assert 0 < np.isinf(wanted).sum() < wanted.size
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_every_part_is_there_for_every_operation() -> None:
    """Each operation has a meaning, a generator and a kernel, and a number of its own."""
    codes = set(NEXT.operation_types)
    assert codes == set(NEXT.meanings) == set(NEXT.generators) == set(NEXT.kernels)
    assert sorted(code.number for code in codes) == list(range(len(codes)))
