"""``nnvet locate``: a table, a picture, the part that fails alone, and exit codes."""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nnvet.adapters.litert.writing import tflite_file
from nnvet.commands.actions import locate, locate_page
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
    """Exit code 1; the page has a bar for each operation; the operation alone is saved, with an issue's text."""
    assert show_located(choice(network, FAULTY)) == 1
    text = capsys.readouterr().out
    assert f"first wrong: operation {WRONG}, MUL" in text
    assert "fails alone, 1 operation; replay:" in text
    folder = network.parent / "located"
    page = (folder / "index.html").read_text()
    assert f"operation {WRONG}, MUL, is the first that is wrong" in page
    bars = re.findall(r'<rect class="(\w+)"', page)
    assert (len(bars), bars.index("wrong")) == (COUNT, WRONG)
    issue = (folder / "part" / "issue.md").read_text()
    assert issue.startswith("# Wrong result of MUL (TENSOR_FLOAT32)\n")
    assert "nnvet replay" in issue
    assert "interpreter.invoke()" not in issue, "the driver is not LiteRT"
    (spec,) = (folder / "part").glob("*.mod.py")
    (case,) = [case for case in load_spec(spec) if case.name == spec.name.removesuffix(".mod.py")]
    assert len(case.build().main.operations) == 1


def test_operations_are_timed_alone(network: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every operation gets a time, in the table and on the page, also those that are right."""
    assert show_located(replace(choice(network, HONEST), runs=2)) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "TENSOR_FLOAT32" in line]
    assert len(lines) == COUNT
    times = re.findall(
        r'<td class="num">(\d+\.\d{3})</td><td>', (network.parent / "located" / "index.html").read_text()
    )
    assert len(times) == COUNT
    assert all(float(time) > 0 for time in times)


def test_an_issue_about_litert_has_a_program_without_nnvet(
    network: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs the failing part on LiteRT, which is right here, and prints distances from the ideal values."""
    pytest.importorskip("ai_edge_litert", reason="needs the extra litert")
    litert_script = locate_page.litert_script
    monkeypatch.setattr(locate, "litert_script", lambda _, model: litert_script("litert", model))
    assert show_located(choice(network, FAULTY)) == 1
    folder = network.parent / "located" / "part"
    assert (folder / "litert.py").read_text().strip() in (folder / "issue.md").read_text()
    done = subprocess.run([sys.executable, "litert.py"], cwd=folder, capture_output=True, text=True, check=True)
    (line,) = done.stdout.splitlines()
    assert line.startswith("output 0: off by up to ")
    assert float(line.rpartition(" ")[2]) < 1e-5


@pytest.mark.parametrize(
    ("selector", "kernels"),
    [
        ("litert", "AUTO"),
        ("litert:threads=2", "AUTO"),
        ("litert:kernels=reference", "BUILTIN_REF"),
        ("litert:threads=2,kernels=builtin", "BUILTIN_WITHOUT_DEFAULT_DELEGATES"),
        ("litert:kernels=builtin,delegate=a.so", ""),
        ("litert:delegate=a.so", ""),
        ("torch", ""),
    ],
)
def test_the_program_uses_the_kernels_of_the_driver(selector: str, kernels: str) -> None:
    """Other drivers, and delegates, have no program that anybody could run."""
    pytest.importorskip("ai_edge_litert", reason="needs the extra litert")
    script = locate_page.litert_script(selector, "a.tflite")
    assert (f"OpResolverType.{kernels}," in script) if kernels else not script


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
