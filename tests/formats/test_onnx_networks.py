"""Networks that PyTorch exports as ONNX are run, located, mined and measured."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from nnvet.commands.actions.locate import LocatingChoice, show_located
from nnvet.conformance.engine.driver import open_subject
from nnvet.conformance.engine.locating import run
from nnvet.conformance.engine.target import Target
from nnvet.graphs.model import TestModel, operation_name
from nnvet.reports.events import Verdict
from nnvet.reports.log import read_log
from tests.commands.test_utilities import nnvet, words
from tests.conformance.chains import CHANGES, planted
from tests.conformance.test_locating import FAULTY, HONEST
from tests.formats.onnx_nodes import read

pytest.importorskip("torch", reason="needs the extra torch")
networks = pytest.importorskip("tests.formats.onnx_networks")
pytestmark = pytest.mark.long
NAMES = ("vit", "decoder", "unet")


class Exported(NamedTuple):
    """A network as a file, its inputs, and what PyTorch computes of them."""

    path: Path
    inputs: dict[str, Any]
    outputs: list[Any]

    def test(self) -> TestModel:
        """The network as the reader gives it."""
        return read(self.path.read_bytes(), self.inputs)


@pytest.fixture(params=NAMES)
def exported(request: pytest.FixtureRequest, tmp_path: Path) -> Exported:
    """Each network."""
    path = tmp_path / f"{request.param}.onnx"
    outputs = networks.exported(request.param, path)
    return Exported(path, networks.NETWORKS[request.param].inputs, outputs)


def test_the_bundled_driver_computes_what_pytorch_does(exported: Exported) -> None:
    """All outputs, to six digits."""
    with open_subject(Target("reference", in_process=True)) as subject:
        found = run(subject, exported.test())
    assert len(found) == len(exported.outputs)
    for actual, wanted in zip(found, exported.outputs, strict=True):
        np.testing.assert_allclose(actual, wanted, rtol=1e-5, atol=2e-6)


def with_constants(test: TestModel) -> dict[int, bytes]:
    """Positions of operations with a constant of many floats that no other operation has, and its bytes."""
    held = {
        position: [
            operand.data.tobytes()
            for index in operation.inputs
            if (operand := test.main.operands[index]).data is not None
            and operand.data.dtype == np.float32
            and operand.data.size > 8
            and index not in test.main.input_indexes
        ]
        for position, operation in enumerate(test.main.operations)
    }
    counts = Counter(content for contents in held.values() for content in set(contents))
    return {
        place: next(iter(own))
        for place, own in held.items()
        if own and all(counts[operation] == 1 for operation in own)
    }


@pytest.mark.parametrize("number", range(2))
def test_a_planted_fault_is_located(exported: Exported, number: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The operation is named and saved alone; an honest driver is blamed for nothing."""
    test = exported.test()
    found = with_constants(test)
    position = sorted(found)[len(found) * (1 + number) // 3]
    inputs = exported.path.with_suffix(".npz")
    np.savez(inputs, **exported.inputs)
    folder = exported.path.parent / "located"
    planted.update(constant=found[position], change=CHANGES[number])
    try:
        assert show_located(LocatingChoice(exported.path, FAULTY, inputs, 0, folder)) == 1
    finally:
        planted.clear()
    text = capsys.readouterr().out
    name = operation_name(test.main.operations[position].type)
    assert f"first wrong: operation {position}, {name}:" in text
    assert "fails alone, 1 operation; replay:" in text
    assert show_located(LocatingChoice(exported.path, HONEST, inputs, 0, folder)) == 0


def test_fragments_pass(exported: Exported, tmp_path: Path) -> None:
    """The network is mined, and the bundled driver passes on the specs."""
    mined = nnvet("mine", exported.path, "--out", tmp_path / "mined")
    assert mined.exit_code == 0, mined.output
    assert f"{exported.path.stem}: {len(exported.test().main.operations)} operations" in words(mined)
    options = (
        "--in-process",
        "--specs",
        tmp_path / "mined",
        "--only",
        "GeneratedTest/sync/*",
        "--out",
        tmp_path / "out",
    )
    ran = nnvet("run", "-d", "reference", *options)
    assert ran.exit_code == 0, ran.output
    assert "(100.0 %); weighted by occurrence: " in words(ran)


def test_networks_are_measured(tmp_path: Path) -> None:
    """A list names the files, and the outputs of PyTorch are golden. LiteRT reads no ONNX, and gives no results."""
    entries = []
    for name in ("vit", "packed", "unet"):
        outputs = networks.exported(name, tmp_path / f"{name}.onnx")
        ((_, given),) = networks.NETWORKS[name].inputs.items()
        given.tofile(tmp_path / f"{name}.input")
        golden = [f"{name}.{number}" for number in range(len(outputs))]
        for file, output in zip(golden, outputs, strict=True):
            output.tofile(tmp_path / file)
        pair = {"input": f"{name}.input", "outputs": golden}
        entry = {"name": name, "modelFile": f"{name}.onnx", "baselineSec": 0.0, "dataSize": 4, "inputOutputs": [pair]}
        entries.append({**entry, "inputSize": list(given.shape)})
    (tmp_path / "models_list").mkdir()
    (tmp_path / "models_list" / "onnx.json").write_text(json.dumps({"models": entries}))
    # Kernels are compiled at first; on a busy machine that takes long.
    options = ("--in-process", "--seconds", "0.1", "--warm-up", "0", "--timeout", "900", "--no-open")
    done = nnvet("bench", "-d", "reference", "--models", tmp_path, *options, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    results = read_log(tmp_path / "out" / "run.jsonl").results
    verdicts = Counter(result.verdict for result in results.values())
    assert verdicts == {Verdict.PASS: 3}
