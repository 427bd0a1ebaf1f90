"""The pytest plugin: specs and checks as tests, the same cases in the same shards as the command has."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.selection import Selection, Shard

WHOLE = Shard()
SPEC = """
for size in (1, 2, 3):
    a, b = Input("a", ("TENSOR_FLOAT32", [size])), Output("b", ("TENSOR_FLOAT32", [size]))
    model = Model(f"of_{size}").Operation("RELU", a).To(b)
    Example({a: [-1.5, 2.5, 3.0][-size:], b: [0.0, 2.5, 3.0][-size:]}, model=model).DisableLifeTimeVariation()
"""


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """A folder with one spec file of three cases, and a test of the user's own."""
    (tmp_path / "relu.mod.py").write_text(SPEC)
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    return tmp_path


def pytest_on(place: Path, *options: str, run: bool = False) -> tuple[int, str]:
    """Exit code and output of pytest in a process of its own."""
    listing = () if run else ("--collect-only", "-q")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *listing, *options, str(place)]
    # The summary's lines are as long as the terminal is wide.
    wide = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run(command, cwd=place.parent, env=wide, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def ids(output: str) -> set[str]:
    """Case ids among the collected tests."""
    return {line.partition("::")[2] for line in output.splitlines() if "::" in line and "test_own" not in line}


def expected(specs: Path, *, checks: bool, shard: Shard = WHOLE) -> set[str]:
    """The ids that the command has."""
    return {
        case.id for case in Catalogue([specs], with_checks=checks, driver="reference").cases(Selection(shard=shard))
    }


def test_a_folder_brings_the_checks(specs: Path) -> None:
    """With a driver and a folder of specs, all cases of a run of the command are tests; the user's own stay."""
    _, output = pytest_on(specs, "--driver=reference")
    assert ids(output) == expected(specs, checks=True)
    assert "test_own.py::test_own" in output


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("options", "checks"),
    [(("--driver=reference", "--no-checks"), False), ((), False), (("--checks",), True)],
    ids=["left out", "no driver is named", "asked for"],
)
def test_checks_can_be_left_out_and_asked_for(specs: Path, options: tuple[str, ...], checks: bool) -> None:
    """Options decide where the folder does not."""
    assert ids(pytest_on(specs, *options)[1]) == expected(specs, checks=checks)


def test_a_single_file_brings_none(specs: Path) -> None:
    """A file that is named brings no checks."""
    assert ids(pytest_on(specs / "relu.mod.py", "--driver=reference")[1]) == expected(specs, checks=False)


def test_a_file_that_is_named_runs(specs: Path) -> None:
    """Pytest takes every file that is named for a module of tests; specs are none."""
    code, output = pytest_on(specs / "relu.mod.py", "--driver=reference", "-k", "sync and of_2", run=True)
    assert (code, "ImportError" in output) == (0, False), output


def test_a_driver_that_is_not_there_ends_the_session(specs: Path) -> None:
    """One line and the exit code of wrong options, whatever the number of cases."""
    code, output = pytest_on(specs, "--driver=python:nothing.py:Driver", run=True)
    assert code == 4
    assert "there is no file" in output
    assert "failed" not in output
    assert "Traceback" not in output


@pytest.mark.long
def test_shards_are_those_of_the_command(specs: Path) -> None:
    """Case by case, with checks; together they are all there is."""
    shards = [ids(pytest_on(specs, "--driver=reference", f"--shard={index}/3")[1]) for index in (1, 2, 3)]
    assert shards == [expected(specs, checks=True, shard=Shard(index, 3)) for index in (1, 2, 3)]
    assert sum(map(len, shards)) == len(expected(specs, checks=True))


def test_a_wrong_shard(specs: Path) -> None:
    """One line, and pytest's exit code for wrong options."""
    code, output = pytest_on(specs, "--shard=3/2", run=True)
    assert code == 4
    assert output.startswith("ERROR: --shard 3/2: write I/N")
    assert "Traceback" not in output


def test_failures_say_what_they_are(specs: Path) -> None:
    """A wrong driver fails with verdict, rule and reason, a crash does not end the session, and the rest passes."""
    code, output = pytest_on(specs, "--driver=zoo:run-crash", "--no-checks", "-k", "sync", run=True)
    assert code == 1
    assert "CRASH GeneratedTest/sync/relu_of_2" in output
    assert "rule: driver/crash, stated in docs/contract/" in output
    assert "nnvet replay GeneratedTest/sync/relu_of_2 -d zoo:run-crash --specs " in output
    assert "relu_of_2 - CRASH [driver/crash]" in output
    assert "Traceback" not in output
    assert "passed" in output
    # Four cases of the model with two elements, and the two that have such a model as their valid sibling.
    assert "6 failed" in output


@pytest.mark.long
def test_saved_failures_are_left_out(specs: Path) -> None:
    """Saved failures of a run into the folder are no tests of it, unless they are asked for."""
    saved = specs / "out" / "failures" / "0123456789ab"
    saved.mkdir(parents=True)
    (saved / "failure_0123456789ab.mod.py").write_text(SPEC)
    assert "failure_0123456789ab" in pytest_on(specs)[1]
    (specs / "out" / "run.jsonl").touch()
    assert "failure_0123456789ab" not in pytest_on(specs)[1]
    for place in (specs / "out", saved, saved / "failure_0123456789ab.mod.py"):
        assert "failure_0123456789ab" in pytest_on(place)[1]
