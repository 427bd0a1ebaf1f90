"""``nnvet locate``: a table, a picture, the part that fails alone, and exit codes."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from nnvet.adapters.litert.writing import tflite_file
from nnvet.commands.actions.locate import LocatingChoice, show_located
from nnvet.commands.options import CommandError
from nnvet.conformance.engine.target import Target
from nnvet.generators.specs import load_spec
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.hal.enums import OperandType
from tests.conformance.chains import CHANGES, COLUMNS, KINDS, ROWS, chain, planted
from tests.conformance.test_locating import FAULTY, HONEST

pytest.importorskip("flatbuffers", reason="needs the extra tflite")
COUNT = len(KINDS)
WRONG = 3
"""The MUL."""


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Path]:
    """A file with a chain of six operations, the fourth of which is wrong on the driver with a fault."""
    test, constants = chain(OperandType.TENSOR_FLOAT32, 1, COUNT)
    model = build_model(test)
    path = tmp_path / "chain.tflite"
    path.write_bytes(tflite_file(model))
    close_pools(model)
    planted.update(constant=constants[WRONG], change=CHANGES[1])
    yield path
    planted.clear()


def choice(network: Path, target: Target, inputs: Path | None = None) -> LocatingChoice:
    """The command's options, with its files beside the network."""
    return LocatingChoice(network, target, inputs, 0, network.parent / "located")


def test_the_wrong_operation_is_shown_and_saved(network: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1; the picture has a bar for each operation; the saved part is the operation alone."""
    assert show_located(choice(network, FAULTY)) == 1
    text = capsys.readouterr().out
    assert f"first wrong: operation {WRONG}, MUL" in text
    assert "fails alone, 1 operation; replay:" in text
    folder = network.parent / "located"
    drawing = ET.fromstring((folder / "layers.svg").read_text())  # noqa: S314 - our own
    bars = [node.get("fill") for node in drawing.iter("{http://www.w3.org/2000/svg}rect")]
    assert (len(bars), bars.index("#c62828")) == (COUNT, WRONG)
    (spec,) = (folder / "part").glob("*.mod.py")
    (case,) = [case for case in load_spec(spec) if case.name == spec.name.removesuffix(".mod.py")]
    assert len(case.build().main.operations) == 1


def test_an_honest_driver_passes(network: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, with inputs of one's own."""
    inputs = network.parent / "net.npz"
    np.savez(inputs, np.linspace(-1, 1, ROWS * COLUMNS, dtype=np.float32).reshape(ROWS, COLUMNS))
    assert show_located(choice(network, HONEST, inputs)) == 0
    assert f"no operation is wrong by itself: {COUNT} judged" in capsys.readouterr().out


def test_inputs_that_do_not_fit_are_refused(network: Path) -> None:
    """The message says what the network takes."""
    inputs = network.parent / "net.npz"
    np.savez(inputs, np.zeros(3, np.float32))
    with pytest.raises(CommandError, match=rf"of shape \[3\]; the network takes \[{ROWS}, {COLUMNS}\]"):
        show_located(choice(network, HONEST, inputs))
    inputs.write_text("no arrays")
    with pytest.raises(CommandError, match=r"is no file \*\.npz"):
        show_located(choice(network, HONEST, inputs))
