"""``nnvet partition``, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.test_utilities import nnvet, words
from tests.docs.pages import ROOT
from tests.models.toys.networks import mobilenet_v1


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network of 15 operations."""
    path = tmp_path_factory.mktemp("nets") / "net.tflite"
    path.write_bytes(mobilenet_v1(quantized=False))
    return path


def test_a_model_is_placed_and_measured(net: Path, tmp_path: Path) -> None:
    """The device of CONV_2D alone takes the convolutions; the other one says nothing of why it takes no more."""
    out = tmp_path / "placement.json"
    drivers = ("-d", "reference:minimal", "-d", "reference")
    done = nnvet("partition", net, *drivers, "--assign", "first", "--in-process", "--runs", "2", "--json", out)
    assert done.exit_code == 0, done.output
    found = json.loads(out.read_text(encoding="utf-8"))
    operations = found["operations"]
    assert len(operations) == 15
    assert {operation["device"] for operation in operations if operation["operation"] == "CONV_2D"} == {0}
    others = [operation for operation in operations if operation["operation"] == "DEPTHWISE_CONV_2D"]
    assert {operation["device"] for operation in others} == {1}
    assert all(operation["refusals"] == {"0": "not supported; the driver does not say why"} for operation in others)
    steps = found["steps"]
    assert sorted(index for step in steps for index in step["operations"]) == list(range(15))
    assert all(step["milliseconds"] > 0 for step in steps)
    # A chain: what one step hands on the next one gets.
    assert [step["bytes_out"] for step in steps[:-1]] == [step["bytes_in"] for step in steps[1:]]
    assert found["whole_milliseconds"][0] is None
    assert found["whole_milliseconds"][1] > 0
    assert f"{len(steps)} steps: " in words(done)
    assert "0 reference:minimal alone: does not take all of it" in words(done)


def test_the_fastest_assignment_and_the_change_that_saves_most(net: Path, tmp_path: Path) -> None:
    """The device of CONV_2D refuses the depthwise convolutions; if it took them there were but few steps."""
    out, page = tmp_path / "placement.json", tmp_path / "placement.html"
    drivers = ("-d", "reference:minimal", "-d", "reference")
    files = ("--json", out, "--html", page)
    done = nnvet("partition", net, *drivers, "--assign", "first", "--in-process", "--runs", "1", "--compare", *files)
    assert done.exit_code == 0, done.output
    found = json.loads(out.read_text(encoding="utf-8"))
    best = found["changes"][0]
    refused = [operation["index"] for operation in found["operations"] if operation["operation"] == "DEPTHWISE_CONV_2D"]
    assert (best["operation"], best["device"], best["operations"]) == ("DEPTHWISE_CONV_2D", 0, refused)
    # By hand: each of them is between two operations of the first device, so it and the border behind it are saved.
    assert best["steps"] == 2 * len(refused)
    assert f"which costs {best['steps']} steps" in words(done)
    tried = found["assignments"]
    times = [assignment["milliseconds"] for assignment in tried]
    assert times == sorted(times)
    assert {assignment["name"] for assignment in tried} == {"as assigned", "by times of operations", "all on reference"}
    assert all(len(assignment["devices"]) == len(found["operations"]) for assignment in tried)
    assert "0█" in done.output
    text = page.read_text(encoding="utf-8")
    assert text.count("<li style=") == len(found["steps"])
    assert "reference:minimal does not take all of it; reference alone takes " in text


def test_what_nobody_takes_is_named(net: Path) -> None:
    """With the reason of each driver, and exit code 1."""
    done = nnvet("partition", net, "-d", "reference:minimal", "-d", "reference:quant", "--in-process")
    assert done.exit_code == 1
    assert "reference:quant" in words(done)
    assert "operations are taken by no driver" in words(done)


def test_reasons_of_a_table_are_reported(tmp_path: Path) -> None:
    """ONNX Runtime says of an operation that it does not take why not."""
    pytest.importorskip("onnxruntime")
    path, out = tmp_path / "net.tflite", tmp_path / "placement.json"
    spec = ROOT / "conformance" / "specs" / "V1_0" / "svdf_activations.mod.py"
    assert nnvet("export", f"{spec}:svdf_activations_none", "--out", path).exit_code == 0
    drivers = ("-d", "onnxruntime", "-d", "reference")
    done = nnvet("partition", path, *drivers, "--in-process", "--runs", "1", "--json", out)
    assert done.exit_code == 0, done.output
    operations = json.loads(out.read_text(encoding="utf-8"))["operations"]
    reasons = {reason for operation in operations for reason in operation["refusals"].values()}
    assert reasons
    assert not any("does not say why" in reason for reason in reasons)
    assert all(f"onnxruntime: {reason}" in words(done) for reason in reasons)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--assign", "0.7"], "devices from 0 to 0"),
        (["-d", "refrence"], "there is no kind 'refrence'"),
        (["--json", "/nowhere/placement.json"], "/nowhere/placement.json cannot be written"),
    ],
)
def test_mistakes_end_with_exit_code_2(net: Path, arguments: list[str], said: str) -> None:
    """And a line that says what is wrong."""
    done = nnvet("partition", net, "--in-process", "--runs", "1", *arguments)
    assert done.exit_code == 2
    assert said in words(done)


def test_a_missing_folder_is_noticed_before_anything_is_measured(net: Path) -> None:
    """No table of operations is printed: minutes of measurements would be lost with it."""
    done = nnvet("partition", net, "--in-process", "--runs", "1", "--html", "/nowhere/placement.html")
    assert done.exit_code == 2
    assert "/nowhere/placement.html cannot be written: there is no folder /nowhere" in words(done)
    assert "operation" not in done.stdout
