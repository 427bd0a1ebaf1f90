"""``--strict``: what is within the contract and outside of its error bound fails, in every command that has it.

``--liberty``: it does not, if the driver declares the liberty that it has taken.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from nnvet.reports.events import Verdict
from nnvet.reports.log import read_log
from tests.commands.test_utilities import nnvet, words
from tests.conformance.test_plugin import pytest_on

DRIVER = "python:near.py:Near"
NEAR = """
import numpy as np
from nnvet.hal.enums import OperationType
from nnvet.reference_driver.zoo.full_device import ChangedResults

class Near(ChangedResults):
    def __init__(self):
        computed = [OperationType[name] for name in ("ADD", "SUB", "MUL", "DIV", "SQRT", "EXP", "TANH")]
        super().__init__(computed, lambda _, result: result * result.dtype.type(1 + 2.0**-22))
"""
SPEC = """
a, b = Input("a", ("TENSOR_FLOAT32", [2])), Output("b", ("TENSOR_FLOAT32", [2]))
Example({a: [1.0, 2.0], b: [3.0, 4.0]}, model=Model("sum").Operation("ADD", a, [2.0, 2.0], 0).To(b)).WithErrorBounds()
"""
CASE = "GeneratedTest/sync/near_sum"
RUN = ("--in-process", "--no-checks", "--specs", "specs", "--only", CASE)


def prepared(tmp_path: Path) -> None:
    """A driver that is off by two last places, and a spec that is judged by bounds."""
    (tmp_path / "near.py").write_text(NEAR)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "near.mod.py").write_text(SPEC)


def test_run_and_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it a PASS, a line and exit code 0; with it a FAIL, whose command has the option."""
    prepared(tmp_path)
    monkeypatch.chdir(tmp_path)
    lenient = nnvet("run", "-d", DRIVER, *RUN, "--out", "lenient")
    assert lenient.exit_code == 0, lenient.output
    assert "1 case inside the contract but outside of the error bound" in words(lenient)
    (result,) = read_log(tmp_path / "lenient" / "run.jsonl").results.values()
    assert result.verdict is Verdict.PASS
    assert result.numbers is not None
    assert result.numbers.bound_used is not None
    assert result.numbers.bound_used > 1 > (result.numbers.tolerance_used or 0.0)
    strict = nnvet("run", "-d", DRIVER, *RUN, "--strict", "--out", "strict")
    assert strict.exit_code == 1
    (failed,) = read_log(tmp_path / "strict" / "run.jsonl").results.values()
    assert (failed.verdict, failed.rule, failed.numbers) == (Verdict.FAIL, "execution/output.bound", None)
    command = str(failed.evidence["replay"]).split()
    assert "--strict" in command
    again = nnvet(*command[1:])
    assert again.exit_code == 1
    assert "rule: execution/output.bound" in again.output
    kept = nnvet(*(argument for argument in command[1:] if argument != "--strict"))
    assert kept.exit_code == 0
    assert "crossed: bound" in kept.output


FAST = """
from nnvet.hal.enums import OperationType
from nnvet.reference_driver.zoo.full_device import ChangedResults

class Fast(ChangedResults):
    def __init__(self):
        super().__init__([OperationType.EXP], lambda _, result: result + 4 * result.dtype.type(2.0**-22))
"""
EXPONENTIAL = """
a, b = Input("a", ("TENSOR_FLOAT32", [1])), Output("b", ("TENSOR_FLOAT32", [1]))
Example({a: [1.0], b: [2.718281828]}, model=Model("exponential").Operation("EXP", a).To(b)).WithErrorBounds()
"""


def test_a_declared_liberty_is_granted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function within OpenCL's precision fails strictly, unless that is declared; what runs it again declares it."""
    (tmp_path / "fast.py").write_text(FAST)
    (tmp_path / "fast.mod.py").write_text(EXPONENTIAL)
    monkeypatch.chdir(tmp_path)
    run = ("--in-process", "--no-checks", "--specs", "fast.mod.py", "--only", "GeneratedTest/sync/fast_exponential")
    strict = ("-d", "python:fast.py:Fast", *run, "--strict")
    assert nnvet("run", *strict, "--out", "undeclared").exit_code == 1
    assert nnvet("run", *strict, "--liberty", "fft", "--out", "another").exit_code == 1
    (failed,) = read_log(tmp_path / "another" / "run.jsonl").results.values()
    command = str(failed.evidence["replay"])
    assert "--strict --liberty fft" in command
    assert failed.evidence["right_with"] == ["opencl-functions"]
    declared = nnvet("run", *strict, "--liberty", "opencl-functions", "--out", "declared")
    assert declared.exit_code == 0, declared.output
    assert "1 case keeps its error bound by declared liberties: opencl-functions (1)" in words(declared)
    again = command.replace("fft", "opencl-functions").split()[1:]
    assert "needs: opencl-functions" in words(nnvet(*again))


def test_a_liberty_that_there_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 2, before anything runs, with those that there are; the same under pytest."""
    monkeypatch.chdir(tmp_path)
    wrong = nnvet("run", "-d", "reference", "--liberty", "winograd")
    assert (wrong.exit_code, "there is no liberty 'winograd'; there are winograd-2, winograd-4" in words(wrong)) == (
        2,
        True,
    )
    assert not (tmp_path / "out").exists()
    code, output = pytest_on(tmp_path, "--driver=reference", "--liberty=winograd", run=True)
    assert (code, "there is no liberty 'winograd'" in output) == (4, True)


def test_random(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Campaigns take it, too."""
    prepared(tmp_path)
    monkeypatch.chdir(tmp_path)
    series = ("--in-process", "--count", "60", "--operations", "1-1", "--types", "float32", "--no-reduce")
    assert nnvet("random", "-d", DRIVER, *series, "--out", "lenient").exit_code == 0
    assert nnvet("random", "-d", DRIVER, *series, "--strict", "--out", "strict").exit_code == 1
    rules = {
        result.rule
        for result in read_log(tmp_path / "strict" / "run.jsonl").results.values()
        if result.verdict is Verdict.FAIL
    }
    assert rules == {"execution/output.bound"}


@pytest.mark.long
def test_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name is another one there, since pytest has an option of that name."""
    prepared(tmp_path)
    monkeypatch.chdir(tmp_path)
    # The session runs in a process of its own, which has to find the tests' wrong kernels.
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    options = (f"--driver=python:{tmp_path / 'near.py'}:Near", "--no-checks", "--in-process")
    lenient, strict = tmp_path / "lenient", tmp_path / "strict"
    code, output = pytest_on(tmp_path / "specs", *options, f"--out={lenient}", run=True)
    assert code == 0, output
    assert pytest_on(tmp_path / "specs", *options, "--strict-bounds", f"--out={strict}", run=True)[0] == 1
    passed = [result for result in read_log(lenient / "run.jsonl").results.values() if result.verdict is Verdict.PASS]
    assert any(result.numbers is not None and result.numbers.quality for result in passed)
    rules = {
        result.rule for result in read_log(strict / "run.jsonl").results.values() if result.verdict is Verdict.FAIL
    }
    assert rules == {"execution/output.bound"}
