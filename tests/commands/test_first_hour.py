"""An author's first hour: selections, the command that replays a failure, drivers to begin with."""

import shlex
from importlib.metadata import version
from pathlib import Path

import pytest

from nnvet.conformance import check_driver
from nnvet.reports.log import read_log
from nnvet.reports.outcome import EXIT_NOT_CONFORMANT
from tests.commands.test_utilities import nnvet

MINIMAL = Path(__file__).parent.parent.parent / "docs" / "examples" / "minimal_driver.py"
SPEC = """
for size in (1, 2):
    a, b = Input("a", ("TENSOR_FLOAT32", [size])), Output("b", ("TENSOR_FLOAT32", [size]))
    model = Model(f"of_{size}").Operation("RELU", a).To(b)
    Example({a: [-1.5, 2.5][-size:], b: [0.0, 2.5][-size:]}, model=model).DisableLifeTimeVariation()
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A file of two cases, relu_of_1 and relu_of_2."""
    path = tmp_path / "relu.mod.py"
    path.write_text(SPEC)
    return path


def test_version() -> None:
    """The version of the distribution."""
    result = nnvet("--version")
    assert (result.exit_code, result.output) == (0, f"nnvet {version('nnvet')}\n")


def test_specs_bring_no_checks_unless_asked(spec: Path, tmp_path: Path) -> None:
    """The cases of the specs alone; with ``--checks`` those that need no spec, too."""
    driver = f"python:{MINIMAL}:AddDevice"
    for more, suites in (((), {"GeneratedTest"}), (("--checks",), {"GeneratedTest", "BasicTest"})):
        only = ("--only", "GeneratedTest/sync/*", "--only", "BasicTest/GetDevice*")
        nnvet("run", "-d", driver, "--in-process", "--specs", spec, *only, *more, "--out", tmp_path)
        assert {result.suite for result in read_log(tmp_path / "run.jsonl").results.values()} == suites


def test_a_replay_has_every_option(spec: Path, tmp_path: Path) -> None:
    """The command that the report shows runs the case as it was run."""
    wrong = f"python:{Path(__file__).parents[1] / 'drivers' / 'blamed.py'}:RaisesWhenAsked"
    options = ("--timeout", "7.5", "--level", "6", "--memory-limit", "512", "--in-process", "--specs", spec)
    nnvet("run", "-d", wrong, *options, "--only", "GeneratedTest/sync/*", "--out", tmp_path)
    (result, *_) = read_log(tmp_path / "run.jsonl").results.values()
    command = result.evidence["replay"]
    for part in ("--timeout 7.5", "--level 6", "--memory-limit 512", "--in-process", f"--specs {spec}"):
        assert part in command
    assert nnvet(*shlex.split(command)[1:]).exit_code == EXIT_NOT_CONFORMANT


@pytest.mark.sampled(2)
@pytest.mark.parametrize("driver", [f"python:{MINIMAL}:AddDevice", "python:nnvet.driver_kit.base_device:BaseDevice"])
def test_the_example_and_an_empty_driver_are_conformant(driver: str) -> None:
    """A share of the usual run in a service process, and what every driver answers; ``make first-drivers`` runs all."""
    for found in (check_driver(driver, shard="7/100"), check_driver(driver, only=("BasicTest/*", "MemoryTypeTest/*"))):
        assert not found.failures, found
    assert found.faultless
