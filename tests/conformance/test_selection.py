"""Which cases a run takes."""

from pathlib import Path

import pytest

from nnvet.conformance.engine.collecting import collect
from nnvet.conformance.engine.selection import Selection, SelectionError, Shard
from nnvet.conformance.suites.generated.table import SUITES

SPEC = """
a, b = Input("a", "TENSOR_FLOAT32", "{2}"), Output("b", "TENSOR_FLOAT32", "{2}")
model = Model().Operation("RELU", a).To(b)
Example({a: [1.0, -1.0], b: [1.0, 0.0]}).AddVariations("relaxed", "float16")
"""


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """A folder tree with the same spec in V1_0 and V1_2."""
    for folder in ("V1_0", "V1_2"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "relu.mod.py").write_text(SPEC)
    return tmp_path


def ids(places: Path, selection: Selection) -> list[str]:
    """Ids of the selected cases."""
    return [case.id for case in collect([places], selection).cases]


def test_ids_are_unique_and_keep_the_test_name(specs: Path) -> None:
    """The first test of a name keeps it, one of another folder gets the folder added."""
    found = ids(specs, Selection())
    assert len(set(found)) == len(found)
    assert "GeneratedTest/sync/relu" in found
    assert "GeneratedTest/sync/relu@V1_2" in found


def test_globs(specs: Path) -> None:
    """An id or a glob selects what it matches; an id with brackets is taken literally too."""
    assert ids(specs, Selection(("GeneratedTest/sync/relu",))) == ["GeneratedTest/sync/relu"]
    assert set(ids(specs, Selection(("*/async/relu_float16",)))) == {"GeneratedTest/async/relu_float16"}


def test_level_leaves_out_newer_tests(specs: Path) -> None:
    """With level 1 the tests of V1_2 go; relaxed tests of unknown version stay."""
    found = ids(specs, Selection(level=1))
    assert "GeneratedTest/sync/relu" in found
    assert "GeneratedTest/sync/relu@V1_2" not in found
    assert "GeneratedTest/sync/relu_relaxed@V1_2" in found


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_shards_are_a_partition(specs: Path, count: int) -> None:
    """Every case is in exactly one shard, and cases of one model stay together."""
    whole = ids(specs, Selection())
    shards = [ids(specs, Selection(shard=Shard(index, count))) for index in range(1, count + 1)]
    assert sorted(case for shard in shards for case in shard) == sorted(whole)
    owners = [{case.rpartition("/")[2] for case in shard} for shard in shards]
    assert sum(map(len, owners)) == len(set.union(*owners))


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/2/3", "-1/2"])
def test_wrong_shards_are_refused(text: str) -> None:
    """A shard that is not I/N with I from 1 to N is an error of the user."""
    with pytest.raises(SelectionError, match="--shard"):
        Shard.parse(text)


def test_wrong_places_are_refused(tmp_path: Path) -> None:
    """A missing folder, a folder without specs, and a selection of nothing are errors of the user."""
    with pytest.raises(SelectionError, match="no such file"):
        ids(tmp_path / "missing", Selection())
    with pytest.raises(SelectionError, match="no spec files"):
        ids(tmp_path, Selection())
    (tmp_path / "relu.mod.py").write_text(SPEC)
    with pytest.raises(SelectionError, match="no case is selected"):
        ids(tmp_path, Selection(("nothing",)))


def test_a_spec_that_raises_is_kept_as_an_error(specs: Path) -> None:
    """One wrong file does not hide the others; its line is known."""
    (specs / "V1_0" / "bad.mod.py").write_text("x = 1\nraise KeyError(x)\n")
    collection = collect([specs], Selection())
    assert [error.line for error in collection.errors] == [2]
    assert collection.cases


def test_suites_have_different_names() -> None:
    """Case ids begin with the suite's name, so names differ."""
    assert len({suite.name for suite in SUITES}) == len(SUITES)
