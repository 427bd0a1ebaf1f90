"""Waivers under pytest: as those of the command, whose rules tests/conformance/test_waivers.py has."""

import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conformance.test_plugin import pytest_on
from tests.conformance.test_plugin import specs as specs  # noqa: PLC0414 - a fixture

WRONG = "--driver=zoo:run-crash"
"""Fails the cases of the model with two elements alone: of those below, GeneratedTest/sync/relu_of_2."""
EACH = ("-k", "GeneratedTest/sync", "--no-checks")
OTHERS = ("-k", "GeneratedTest/sync and not relu_of_2")
FORGIVEN = 'case = "GeneratedTest/sync/relu_of_2"\nlink = "https://example.org/417"'


def run(specs: Path, entry: str, *options: str, expires: str = "2999-12-31") -> tuple[int, str]:
    """Exit code and output of a session of three cases, one of which fails, with one entry."""
    file = specs / "waivers.toml"
    file.write_text(f'[[waiver]]\n{entry}\nreason = "the kernel is new"\nexpires = {expires}\n')
    return pytest_on(specs, WRONG, *EACH, f"--waivers={file}", *options, run=True)


def test_a_forgiven_failure(specs: Path) -> None:
    """The session passes, and says what was forgiven, why, and until the fault is gone where to look."""
    code, output = run(specs, FORGIVEN)
    assert code == 0, output
    assert "2 passed" in output
    assert "1 waived" in output
    assert "GeneratedTest/sync/relu_of_2: CRASH driver/crash" in output
    assert "waivers.toml#1 (the kernel is new, https://example.org/417)" in output


def test_in_the_list_of_tests(specs: Path) -> None:
    """As a verdict of its own, no pass."""
    _, output = run(specs, FORGIVEN, "-v")
    assert "GeneratedTest/sync/relu_of_2 WAIVED" in output
    assert "GeneratedTest/sync/relu_of_1 PASSED" in output


def test_in_junit(specs: Path) -> None:
    """Other programs read it as a failure that is expected: skipped, not passed."""
    run(specs, FORGIVEN, f"--junit-xml={specs / 'junit.xml'}")
    cases = {case.get("name"): case for case in ET.parse(specs / "junit.xml").iter("testcase")}  # noqa: S314 - our own
    skipped = cases["GeneratedTest/sync/relu_of_2"].find("skipped")
    assert skipped is not None
    assert skipped.get("type") == "pytest.xfail"
    assert cases["GeneratedTest/sync/relu_of_1"].find("skipped") is None


def test_without_forgiveness(specs: Path) -> None:
    """--runxfail runs such tests as if nothing were expected of them."""
    code, output = run(specs, FORGIVEN, "--runxfail")
    assert code == 1
    assert "1 failed" in output


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("entry", "expires", "said"),
    [
        ('case = "GeneratedTest/sync/relu_of_1"', "2999-12-31", "waivers.toml#1 (the kernel is new) was not needed"),
        (FORGIVEN, "2020-02-02", "has expired on 2020-02-02"),
    ],
)
@pytest.mark.parametrize("workers", [(), pytest.param(("-n", "2"), marks=pytest.mark.long)], ids=["alone", "xdist"])
def test_entries_that_fail_the_session(
    specs: Path, entry: str, expires: str, said: str, workers: tuple[str, ...]
) -> None:
    """One that was not needed, though its case ran and nothing fails; and one that has expired, with its failure."""
    if workers and find_spec("xdist") is None:
        pytest.skip("pytest-xdist is not installed")
    chosen = OTHERS if "of_1" in entry else ()
    code, output = run(specs, entry, *workers, *chosen, expires=expires)
    assert code == 1, output
    assert said in output


@pytest.mark.long
def test_entries_of_other_cases_and_drivers(specs: Path) -> None:
    """They may be needed elsewhere: a session is a part of what there is."""
    for entry in ('case = "BasicTest/CycleTest"', 'case = "GeneratedTest/*"\ndriver = "another"', 'rule = "ADD/*"'):
        code, output = run(specs, entry, *OTHERS)
        assert (code, "= waivers =" in output) == (0, False)


@pytest.mark.long
@pytest.mark.skipif(find_spec("xdist") is None, reason="pytest-xdist is not installed")
def test_with_processes(specs: Path) -> None:
    """All processes know what one has waived: no entry is idle."""
    code, output = run(specs, FORGIVEN, "-n", "2")
    assert code == 0, output
    assert "1 waived" in output
    assert "not needed" not in output


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", ["[[waiver]]\ncase = 1\n", 'x = "', None])
def test_files_that_are_wrong(specs: Path, text: str | None) -> None:
    """They end the session before anything runs, with the text that the command has."""
    file = specs / "wrong.toml"
    if text is not None:
        file.write_text(text)
    code, output = pytest_on(specs, f"--waivers={file}", run=True)
    assert code == 4
    assert f"ERROR: {file}: " in output
    assert "Traceback" not in output
