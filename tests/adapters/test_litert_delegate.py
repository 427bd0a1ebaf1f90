"""``litert:delegate=LIB.so,option=value`` with a delegate in C (``tests/native/delegate.c``), built for the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from nnvet.reports.events import Verdict
from nnvet.reports.log import read_log
from tests.commands.test_utilities import nnvet, words
from tests.native.building import SOURCES

pytest.importorskip("ai_edge_litert.interpreter", reason="needs the litert extra")
COMPILER = os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang")
CASE = "GeneratedTest/sync/mean_float_inner_axes_kept"
pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a compiler of C")


def compiled(source: Path, library: Path) -> Path:
    """A shared library of one file."""
    options = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    subprocess.run([str(COMPILER), *options, "-o", str(library), str(source)], check=True)
    return library


@pytest.fixture(scope="module")
def delegate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library."""
    return compiled(SOURCES / "delegate.c", tmp_path_factory.mktemp("delegate") / "libdelegate.so")


def test_a_delegate_gets_its_options_and_every_model(delegate: Path, tmp_path: Path) -> None:
    """It is asked about each model, and is named in the report; what the adapter takes itself does not reach it."""
    record = tmp_path / "record"
    selector = f"litert:delegate={delegate},log={record},precision=low,threads=1"
    run = nnvet("run", "-d", selector, "--only", CASE, "--out", tmp_path)
    assert run.exit_code == 0, run.output
    assert read_log(tmp_path / "run.jsonl").started.driver.name == "litert-libdelegate.so"
    options, _, prepared = record.read_text().partition("precision=low\n")
    assert options == f"log={record}\n"
    assert set(prepared.splitlines()) == {"prepared"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("speed=3", "no such option: speed"),
        ("log=/no/such/folder/file", "no such option: log"),
        ("speed", "form option"),
    ],
)
def test_options_that_it_refuses(delegate: Path, tmp_path: Path, options: str, says: str) -> None:
    """The delegate's own words are in the message; exit code 2."""
    run = nnvet("run", "-d", f"litert:delegate={delegate},{options}", "--only", CASE, "--out", tmp_path)
    assert (run.exit_code, says in words(run), "Traceback" in run.output) == (2, True, False), run.output


def test_libraries_that_are_no_delegates(tmp_path: Path) -> None:
    """The message says which file, and what is missing; exit code 2."""
    source = tmp_path / "other.c"
    source.write_text("int other(void) { return 1; }\n")
    other = compiled(source, tmp_path / "other.so")
    text = tmp_path / "text.so"
    text.write_text("no library" * 100)
    for library, says in ((other, "lacks tflite_plugin_create_delegate"), (text, "invalid ELF header")):
        run = nnvet("run", "-d", f"litert:delegate={library}", "--only", CASE, "--out", tmp_path / "out")
        said = words(run)
        assert (run.exit_code, says in said, str(library) in said, "Traceback" in said) == (2, True, True, False), said


def test_a_delegate_that_dies_as_it_is_made(delegate: Path, tmp_path: Path) -> None:
    """The driver does not start: that is a CRASH."""
    run = nnvet("run", "-d", f"litert:delegate={delegate},crash=create", "--only", CASE, "--out", tmp_path)
    assert run.exit_code == 1, run.output
    (start,) = read_log(tmp_path / "run.jsonl").results.values()
    assert (start.case, start.verdict, start.evidence["signal"]) == ("driver/start", Verdict.CRASH, "SIGABRT")


def test_a_delegate_that_dies_of_a_model(delegate: Path, tmp_path: Path) -> None:
    """The case is a CRASH, the run goes on to what needs no model, and the report has what is left of the model."""
    only = ["--only", CASE, "--only", "BasicTest/GetCapabilitiesTest", "--reduce"]
    run = nnvet("run", "-d", f"litert:delegate={delegate},crash=prepare", *only, "--out", tmp_path)
    assert run.exit_code == 1, run.output
    log = read_log(tmp_path / "run.jsonl")
    verdicts = {case: one.verdict for case, one in log.results.items()}
    assert verdicts == {CASE: Verdict.CRASH, "BasicTest/GetCapabilitiesTest": Verdict.PASS}
    (small,) = log.reductions
    assert (small.verdict, small.cases, [one.name for one in small.graph]) == (Verdict.CRASH, (CASE,), ["MEAN"])
