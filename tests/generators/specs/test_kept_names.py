"""Names of cases that are kept beside spec files. Expected: names by docs/contract/spec-format.md 9, by hand."""

import sys
from pathlib import Path

import pytest

from nnvet.generators.specs import known_names, load_spec

SPEC = """
a, b = Input("a", "TENSOR_FLOAT32", "{2}"), Output("b", "TENSOR_FLOAT32", "{2}")
model = Model().Operation("RELU", a).To(b)
Example({a: [1.0, -1.0], b: [1.0, 0.0]}, name="NAME")
"""
NAMES = ("relu_one", "relu_one_all_inputs_as_internal")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A spec file that has not been loaded yet, in a folder where its names may be kept."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    path = tmp_path / "relu.mod.py"
    path.write_text(SPEC.replace("NAME", "one"))
    return path


def kept(path: Path) -> Path:
    """The file that holds the names."""
    (found,) = (path.parent / "__pycache__").glob("*.names")
    return found


def test_names_are_known_once_the_file_was_loaded(path: Path) -> None:
    """Before that they are not."""
    assert known_names(path) is None
    load_spec(path)
    assert known_names(path) == NAMES


def test_no_cases(path: Path) -> None:
    """A file without any has none: that is known, too."""
    path.write_text("x = 1\n")
    load_spec(path)
    assert known_names(path) == ()


def test_another_content_is_not_known(path: Path) -> None:
    """Of equal length and within one tick of the clock, too; loading it once makes it known."""
    load_spec(path)
    path.write_text(SPEC.replace("NAME", "two"))
    assert known_names(path) is None
    load_spec(path)
    assert known_names(path) == ("relu_two", "relu_two_all_inputs_as_internal")


def test_names_of_another_file_are_not_believed(path: Path) -> None:
    """All names begin with that of the file: one of the same content has others."""
    load_spec(path)
    other = path.with_name("tanh.mod.py")
    path.rename(other)
    kept(path).rename(kept(path).with_name(kept(path).name.replace("relu", "tanh")))
    assert known_names(other) is None


@pytest.mark.parametrize("size", [0, 10, 64, 65, 70])
def test_damaged_files_are_replaced(path: Path, size: int) -> None:
    """Whatever is left of what was kept, it is not believed, and loading the file mends it."""
    load_spec(path)
    whole = kept(path).read_bytes()
    kept(path).write_bytes(whole[:size])
    assert known_names(path) is None
    load_spec(path)
    assert kept(path).read_bytes() == whole


@pytest.mark.parametrize("wrong", [b"relu_one", b"relu_one\nrelu_two", b"\xff"])
def test_wrong_names_are_not_believed(path: Path, wrong: bytes) -> None:
    """Names that somebody has changed are not those that were kept."""
    load_spec(path)
    digest = kept(path).read_bytes().partition(b"\n")[0]
    kept(path).write_bytes(digest + b"\n" + wrong)
    assert known_names(path) is None


BEYOND = ['data = open("x")', "import table", "from os import environ", 'exec("")', "import numpy as np; np.load('x')"]


@pytest.mark.parametrize("line", BEYOND)
def test_specs_that_may_read_other_files_are_not_kept(path: Path, line: str) -> None:
    """Names of specs that may read other files are not kept: they may change although the specs do not."""
    path.write_text(f"def unused():\n    {line}\n{SPEC}")
    load_spec(path)
    assert known_names(path) is None


@pytest.mark.parametrize("line", ["import numpy as np", "import random", "import math"])
def test_modules_without_files(path: Path, line: str) -> None:
    """A module that only computes changes nothing of that."""
    path.write_text(f"{line}\n{path.read_text()}")
    load_spec(path)
    assert known_names(path) == NAMES


def test_folders_that_cannot_be_written(path: Path) -> None:
    """If names cannot be kept, they are not known."""
    (path.parent / "__pycache__").write_bytes(b"a file in the folder's place")
    assert len(load_spec(path)) == len(NAMES)
    assert known_names(path) is None


def test_nothing_is_kept_where_python_keeps_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The switch of the interpreter holds for specs as well."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    load_spec(path)
    assert known_names(path) is None
