"""Stress tests as items of pytest: collected only if they are asked for by their mark, and run."""

from pathlib import Path

from nnvet.conformance.stress.catalogue import stress_tests
from tests.conformance.test_plugin import pytest_on


def test_the_mark_brings_all_of_them(tmp_path: Path) -> None:
    """With ``-m stress`` each test is an item, and nothing else is."""
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    _, output = pytest_on(tmp_path, "--driver=reference", "-m", "stress")
    found = {line.partition("::")[2] for line in output.splitlines() if "::" in line}
    assert found == set(stress_tests())


def test_without_the_mark_there_are_none(tmp_path: Path) -> None:
    """A folder of one's own tests stays what it is, also with an expression that leaves stress out."""
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    for options in ((), ("-m", "not stress")):
        _, output = pytest_on(tmp_path, "--driver=reference", *options)
        assert "StressTest" not in output
        assert "test_own" in output


def test_an_item_runs_and_fails_as_it_must(tmp_path: Path) -> None:
    """A wrong driver fails its test, with the rule."""
    options = ("-m", "stress", "-k", "ModelLoadingStress", "--stress-scale", "0.1")
    code, output = pytest_on(tmp_path, "--driver=zoo:stress-crash-preparation", *options, run=True)
    assert code == 1
    assert "CRASH StressTest/ModelLoadingStress" in output
    assert "driver/crash" in output
