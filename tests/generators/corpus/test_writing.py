"""The generated part of the corpus: current, written completely, and never over handwritten files."""

from pathlib import Path

import pytest

from nnvet.generators.corpus import writing
from nnvet.generators.corpus.__main__ import main
from nnvet.generators.corpus.emitter import F32, EmittedFile, SpecTensor, result
from nnvet.generators.corpus.writing import MARK, differences, found_texts


def test_the_corpus_is_current() -> None:
    """Every generated file has the text that ``make specs`` writes, and no other file claims to be generated."""
    assert differences() == []


@pytest.fixture
def one_file(monkeypatch: pytest.MonkeyPatch) -> str:
    """A corpus of one generated file; its path."""
    file = EmittedFile("V1_0", "floor_one")
    file.add("positive", "FLOOR", {"x": SpecTensor(F32, [1], [1.5])}, result(F32, [1], [1.0]))
    monkeypatch.setattr(writing, "family_names", lambda: ["elementwise"])
    monkeypatch.setattr(writing, "family_files", lambda _family: [file])
    return file.path


def test_a_missing_file_is_written(one_file: str, tmp_path: Path) -> None:
    """A missing file differs; once it is written nothing does, and writing again changes nothing."""
    assert differences(tmp_path) == [one_file]
    assert writing.write(tmp_path) == [one_file]
    assert (tmp_path / one_file).read_text().startswith(f"{MARK} from generators/corpus/families/elementwise.py")
    assert differences(tmp_path) == writing.write(tmp_path) == []


def test_a_stale_file_is_removed_and_a_changed_one_written_again(one_file: str, tmp_path: Path) -> None:
    """Files that say that they are generated and no longer are go; others stay."""
    writing.write(tmp_path)
    text = (tmp_path / one_file).read_text()
    (tmp_path / one_file).write_text(text.replace("1.5", "1.25"))
    (tmp_path / "V1_0" / "stale.mod.py").write_text(f"{MARK} from somewhere\n")
    (tmp_path / "V1_0" / "hand.mod.py").write_text("# By hand.\n")
    assert writing.write(tmp_path) == [one_file, "V1_0/stale.mod.py"]
    assert found_texts(tmp_path) == {one_file: text}
    assert (tmp_path / "V1_0" / "hand.mod.py").exists()


def test_a_file_by_hand_is_not_overwritten(one_file: str, tmp_path: Path) -> None:
    """A generated file may not have the path of one that people wrote."""
    (tmp_path / "V1_0").mkdir()
    (tmp_path / one_file).write_text("# By hand.\n")
    with pytest.raises(ValueError, match="would be overwritten"):
        writing.write(tmp_path)
    assert (tmp_path / one_file).read_text() == "# By hand.\n"


def test_one_path_twice(one_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files of one path are refused."""
    monkeypatch.setattr(writing, "family_names", lambda: ["elementwise", "dense"])
    with pytest.raises(ValueError, match=f"{one_file} is generated twice"):
        writing.generated_texts()


def test_command(one_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``--check`` lists what differs, fails and writes nothing; without it the same is written."""
    check = ["--check", "--folder", str(tmp_path)]
    assert main(check) == 1
    assert capsys.readouterr().out == f"{one_file}\n"
    assert main(["--folder", str(tmp_path)]) == 0
    assert main(check) == 0
    assert capsys.readouterr().out == f"{one_file}\n"
