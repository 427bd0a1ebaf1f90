"""Every case of the corpus is named by its own example alone: what is added to a file changes no other id."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from nnvet.generators.corpus.emitter import F32, EmittedFile, SpecTensor, result
from nnvet.generators.corpus.writing import CORPUS
from nnvet.generators.specs import find_specs, load_spec
from nnvet.generators.specs.operand_type import Names

ADDED = """
added_x = Input("added_x", ("TENSOR_FLOAT32", [1]))
added_y = Output("added_y", ("TENSOR_FLOAT32", [1]))
added = Model().Operation("FLOOR", added_x).To(added_y)
Example({added_x: [1.5], added_y: [1.0]}, model=added)
"""
"""An example without any name: it is called as the file is."""


def _file(*names: str) -> EmittedFile:
    file = EmittedFile("V1_0", "floor")
    for name in names:
        file.add(name, "FLOOR", {"x": SpecTensor(F32, [1], [1.5])}, result(F32, [1], [1.0]))
    return file


@pytest.mark.parametrize("names", [("",), ("one", ""), ("one", "two", "one")])
def test_each_example_needs_a_name_of_its_own(names: tuple[str, ...]) -> None:
    """A file with an example without name, or with one name twice, has no text."""
    assert _file("one", "two").text
    with pytest.raises(ValueError, match=r"V1_0/floor.mod.py: .* need"):
        _ = _file(*names).text


FOLDERS = sorted(path.name for path in CORPUS.iterdir())
LARGE = ("V1_2", "V1_3")


@pytest.mark.parametrize(
    "folder", [pytest.param(folder, marks=pytest.mark.long if folder in LARGE else ()) for folder in FOLDERS]
)
def test_an_example_in_the_middle_changes_no_other_id(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the middle example of any file comes one without a name; all ids are those of before, without numbers."""
    for path in find_specs(CORPUS / folder):
        added = tmp_path / path.name
        added.write_text(_with_example(path.read_text(encoding="utf-8")), encoding="utf-8")
        expected = {case.name for case in load_spec(path)}
        assert {case.name for case in load_spec(added)} - expected == set(_added(path)), path.name
        with monkeypatch.context() as patch:
            patch.setattr(Names, "numbered", _refuse_numbers)
            load_spec(path)


def _added(path: Path) -> Iterator[str]:
    name = path.name.partition(".")[0]
    return (name + variation for variation in ("", "_all_inputs_as_internal"))


def _with_example(text: str) -> str:
    lines = text.splitlines(keepends=True)
    examples = [node for node in ast.parse(text).body if lines[node.lineno - 1].startswith("Example(")]
    # Examples that a function of the file makes are no statements of their own: then it comes last.
    end = (examples[len(examples) // 2].end_lineno if examples else None) or len(lines)
    return "".join([*lines[:end], ADDED, *lines[end:]])


_numbered = Names.numbered


def _refuse_numbers(names: Names, name: str, separator: str = "", first: int = 0) -> str:
    """Operands may have numbers; tests, which are numbered with a separator, may not."""
    assert not separator, f"{name} is taken"
    return _numbered(names, name, separator, first)
