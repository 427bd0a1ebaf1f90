"""Renamed cases are found by what they hold."""

from pathlib import Path

import pytest

from nnvet.generators.corpus.__main__ import main
from nnvet.generators.corpus.emitter import EmittedFile, SpecTensor, result
from nnvet.generators.corpus.kinds import F32
from nnvet.generators.corpus.renames import Renamed, renamed_cases


def _write(folder: Path, **examples: float) -> Path:
    """A folder with one spec file: FLOOR of one number, by the name of the example."""
    file = EmittedFile("V1_0", "floor")
    for name, value in examples.items():
        file.add(name, "FLOOR", {"x": SpecTensor(F32, [1], [value])}, result(F32, [1], [value // 1]))
    place = folder / file.path
    place.parent.mkdir(parents=True)
    place.write_text(file.text)
    return folder


def test_names_change_alone(tmp_path: Path) -> None:
    """Every case of an example that got another name is paired with itself, whatever the order; others are left out."""
    old, new = _write(tmp_path / "old", one=1.5, two=2.5), _write(tmp_path / "new", small=1.5, before=2.5, two=2.5)
    with pytest.raises(ValueError, match=r"V1_0/floor.mod.py: no other case has the content of .*floor_before"):
        renamed_cases(old, new)
    assert renamed_cases(old, _write(tmp_path / "renamed", two=2.5, small=1.5)) == [
        Renamed("V1_0/floor.mod.py", f"floor_one{variation}", f"floor_small{variation}")
        for variation in ("", "_all_inputs_as_internal")
    ]


def test_equal_cases_are_paired_in_order(tmp_path: Path) -> None:
    """Of several equal cases those whose names stay are not renamed."""
    old, new = _write(tmp_path / "old", a=1.5, b=1.5, c=1.5), _write(tmp_path / "new", b=1.5, first=1.5, last=1.5)
    pairs = [(case.old, case.new) for case in renamed_cases(old, new) if "internal" not in case.old]
    assert pairs == [("floor_a", "floor_first"), ("floor_c", "floor_last")]


def test_a_lost_file(tmp_path: Path) -> None:
    """A file that is not in the newer folder has lost its cases."""
    old = _write(tmp_path / "old", one=1.5)
    (tmp_path / "new").mkdir()
    with pytest.raises(ValueError, match="floor_one"):
        renamed_cases(old, tmp_path / "new")


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints CSV, or says what is not the same and fails."""
    old, new = _write(tmp_path / "old", one=1.5), _write(tmp_path / "new", single=1.5)
    assert main(["--folder", str(new), "--renamed-from", str(old)]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["old,new", "floor_one,floor_single"]
    other = _write(tmp_path / "other", one=1.25)
    assert main(["--folder", str(other), "--renamed-from", str(old)]) == 1
    assert "floor_one" in capsys.readouterr().err
