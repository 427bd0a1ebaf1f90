"""Code of spec files that is kept between runs. Source of the rules: PEP 3147 and 552."""

import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from nnvet.generators.specs.loader import program_of


def result(source: bytes, path: Path) -> object:
    """Return the value that a program leaves in ``x``."""
    scope: dict[str, object] = {}
    exec(program_of(source, path), scope)  # noqa: S102 - a spec is a program
    return scope["x"]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A spec file in a folder where code may be kept."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    return tmp_path / "s.mod.py"


def kept(path: Path) -> Path:
    """Return the file in which Python keeps the code of a file."""
    return Path(cache_from_source(str(path)))


def test_code_is_kept_and_used_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time nothing is compiled."""
    assert result(b"x = 1", path) == 1
    assert kept(path).parent == path.parent / "__pycache__"
    monkeypatch.setattr("builtins.compile", None)
    assert result(b"x = 1", path) == 1


def test_another_source_is_compiled_again(path: Path) -> None:
    """Of equal length and within one tick of the clock, too."""
    assert [result(source, path) for source in (b"x = 1", b"x = 2", b"x = 1")] == [1, 2, 1]


@pytest.mark.parametrize("keep", [0, 8, 16, 20])
def test_damaged_files_are_replaced(path: Path, keep: int) -> None:
    """Whatever is left of a kept file, the program is the source's."""
    result(b"x = 1", path)
    whole = kept(path).read_bytes()
    kept(path).write_bytes(whole[:keep])
    assert result(b"x = 1", path) == 1
    assert kept(path).read_bytes()[:16] == whole[:16]
    assert len(kept(path).read_bytes()) == len(whole)


def test_nothing_is_kept_where_python_keeps_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The switch of the interpreter holds for specs as well."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert result(b"x = 1", path) == 1
    assert not kept(path).parent.exists()


def test_folders_that_cannot_be_written(path: Path) -> None:
    """If the code cannot be kept, it is compiled every time."""
    kept(path).parent.write_bytes(b"a file in the folder's place")
    assert [result(b"x = 1", path) for _ in range(2)] == [1, 1]
