"""``nnvet mine`` and a run of what it writes, as a user types them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnvet.generators.mining.manifest import read_manifest
from nnvet.models.bundled import ZOO
from nnvet.reports.events import Verdict
from nnvet.reports.log import read_log
from tests.commands.test_utilities import nnvet, words
from tests.models.toys.networks import mobilenet_v1, mobilenet_v2


@pytest.fixture
def nets(tmp_path: Path) -> Path:
    """A folder with two real networks and a file that is none."""
    folder = tmp_path / "nets"
    folder.mkdir()
    (folder / "v1.tflite").write_bytes(mobilenet_v1(quantized=True))
    (folder / "v2.tflite").write_bytes(mobilenet_v2(quantized=False))
    (folder / "broken.tflite").write_bytes(b"no model")
    return folder


def test_models_become_tests(nets: Path, tmp_path: Path) -> None:
    """A folder is searched; what is no model is named; the specs pass on the bundled driver with both rates."""
    mined = nnvet("mine", nets, nets / "v1.tflite", "--out", tmp_path / "mined")
    assert mined.exit_code == 0, mined.output
    for said in ("left out: ", "broken.tflite: not a TFLite file", "v1: 15 operations", "now: nnvet run -d DRIVER"):
        assert said in words(mined)
    run = nnvet("run", "-d", "reference", "--in-process", "--specs", tmp_path / "mined", "--out", tmp_path / "out")
    assert run.exit_code == 0, run.output
    assert "(100.0 %); weighted by occurrence: " in words(run)


def test_occurrences_weigh(nets: Path, tmp_path: Path) -> None:
    """A driver of floats only passes no part of the quantised network, whose 15 operations all differ."""
    assert nnvet("mine", nets, "--out", tmp_path / "mined").exit_code == 0
    options = ["--in-process", "--specs", tmp_path / "mined", "--only", "GeneratedTest/sync/*"]
    run = nnvet("run", "-d", "reference:float_fast", *options, "--out", tmp_path / "out")
    manifest = read_manifest(tmp_path / "mined")
    assert manifest
    fragments = manifest.fragments
    total = sum(fragment.count for fragment in fragments)
    assert sum(fragment.occurrences.get("v1", 0) for fragment in fragments) == 15
    said = f"weighted by occurrence: {total - 15} of {total} ({100 * (total - 15) / total:.1f} %); not supported: 15,"
    assert said in words(run)


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fragments of the bundled networks."""
    folder = tmp_path_factory.mktemp("mined")
    assert nnvet("mine", ZOO, "--out", folder).exit_code == 0
    return folder


@pytest.mark.parametrize(
    ("driver", "module"),
    [
        pytest.param("litert", "ai_edge_litert.interpreter", marks=pytest.mark.long),
        pytest.param("onnxruntime", "onnxruntime", marks=pytest.mark.long),
        pytest.param("torch", "torch", marks=pytest.mark.long),
    ],
)
def test_runtimes_of_others_pass(bundled: Path, driver: str, module: str, tmp_path: Path) -> None:
    """The error bounds blame no runtime for the order of its sums, in whatever form the networks are."""
    pytest.importorskip(module, reason=f"needs the extra of {driver}")
    run = nnvet("run", "-d", driver, "--specs", bundled, "--only", "GeneratedTest/sync/*", "--out", tmp_path)
    assert run.exit_code == 0, run.output
    verdicts = {result.verdict for result in read_log(tmp_path / "run.jsonl").results.values()}
    assert {Verdict.PASS} <= verdicts <= {Verdict.PASS, Verdict.UNSUPPORTED}


WRONG = """
from nnvet.hal.enums import OperationType
from tests.drivers.changed import Biased

class Wrong(Biased):
    def compile(self, model, config):
        self.bias = 9 * any(operation.type == OperationType.SOFTMAX for operation in model.main.operations)
        return super().compile(model, config)

def make():
    return Wrong(0)
"""


def test_a_wrong_operation_fails_its_fragment(nets: Path, tmp_path: Path) -> None:
    """Of the 15 operations of the quantised network one is SOFTMAX, which this driver gets wrong by nine codes."""
    (tmp_path / "wrong.py").write_text(WRONG)
    assert nnvet("mine", nets / "v1.tflite", "--out", tmp_path / "mined").exit_code == 0
    options = ["--in-process", "--specs", tmp_path / "mined", "--only", "GeneratedTest/sync/*"]
    run = nnvet("run", "-d", f"python:{tmp_path / 'wrong.py'}:make", *options, "--out", tmp_path / "out")
    assert run.exit_code == 1
    assert "mined fragments that pass: 14 of 15 (93.3 %); weighted by occurrence: 14 of 15 (93.3 %)" in words(run)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nets/broken.tflite"], "no model could be mined"),
        (["absent.tflite"], "absent.tflite: there is no such model file"),
        (["empty"], "empty: there are no models (*.tflite, *.onnx) in this folder"),
        (["nets/v1.tflite", "--out", "nets/v1.tflite"], "v1.tflite cannot be written: File exists"),
    ],
)
def test_mistakes_are_named(nets: Path, arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each ends with exit code 2 and a sentence."""
    monkeypatch.chdir(nets.parent)
    (nets.parent / "empty").mkdir()
    result = nnvet("mine", *arguments)
    assert result.exit_code == 2
    assert said in words(result)
