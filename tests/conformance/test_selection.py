"""Which cases a run takes."""

import pickle
from pathlib import Path

import pytest

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.nearest import resolve
from nnvet.conformance.engine.selection import Selection, SelectionError, Shard
from nnvet.conformance.suites.generated.table import SUITES
from nnvet.generators.specs import SpecError

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
    return [case.id for case in Catalogue([places], with_checks=False).cases(selection)]


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
    """A missing folder and a folder without specs are errors of the user."""
    with pytest.raises(SelectionError, match="no such file"):
        ids(tmp_path / "missing", Selection())
    with pytest.raises(SelectionError, match="no spec files"):
        ids(tmp_path, Selection())


def test_shards_do_not_depend_on_what_else_there_is(specs: Path) -> None:
    """A new file moves no case of another file to another shard."""
    before = set(ids(specs, Selection(shard=Shard(2, 3))))
    (specs / "V1_0" / "abs.mod.py").write_text(SPEC.replace("RELU", "FLOOR"))
    after = set(ids(specs, Selection(shard=Shard(2, 3))))
    assert before == {case for case in after if "/abs" not in case}


LOADED_BY = [
    ("GeneratedTest/sync/relu_relaxed", {"relu"}),
    ("GeneratedTest/sync/re*", {"relu", "relabel", "relabel_again"}),
    ("GeneratedTest/sync/relabel_again", {"relabel", "relabel_again"}),
    ("*/sync/tanh", {"tanh"}),
    ("*relu", {"relu", "relabel", "relabel_again", "tanh"}),
    ("GeneratedTest/sync/[rt]elu", {"relu", "relabel", "relabel_again", "tanh"}),
    ("BasicTest/*", set()),
    ("BasicTest/CycleTest", set()),
]


@pytest.mark.parametrize(("glob", "stems"), LOADED_BY, ids=[glob for glob, _ in LOADED_BY])
def test_only_files_that_can_match_are_loaded(tmp_path: Path, glob: str, stems: set[str]) -> None:
    """Names of cases begin with that of their file: a glob leaves out what cannot match, and nothing that can."""
    for stem in ("relu", "relabel", "relabel_again", "tanh"):
        (tmp_path / f"{stem}.mod.py").write_text(SPEC)
    batches = Catalogue([tmp_path], with_checks=False).batches(Selection((glob,)))
    assert {batch.file.stem for batch in batches if batch.file is not None} == stems


def test_listing_goes_file_by_file(specs: Path) -> None:
    """The first case is there before a later file is read: one that is wrong affects nothing before it."""
    (specs / "V1_2" / "zzz.mod.py").write_text("x = 1\nraise KeyError(x)\n")
    cases = Catalogue([specs], with_checks=False).cases(Selection())
    assert next(cases).id == "GeneratedTest/sync/relu"
    with pytest.raises(SpecError, match=r"zzz\.mod\.py:2"):
        list(cases)


def test_cases_are_plain_data(specs: Path) -> None:
    """What a case is goes through pickle, and to another process, without its model."""
    cases = list(Catalogue([specs]).cases(Selection()))
    assert pickle.loads(pickle.dumps(cases)) == cases  # noqa: S301 - our own
    assert max(len(pickle.dumps(case)) for case in cases) < 2000


def test_ids_lead_back_to_their_cases(specs: Path) -> None:
    """Every listed case is found again by its id alone; with or without specs."""
    catalogue = Catalogue([specs])
    for case in list(catalogue.cases(Selection()))[::50]:
        assert resolve(catalogue, case.id) == case


def test_an_unknown_id_names_the_nearest_check(specs: Path) -> None:
    """Who mistypes an id learns what there is."""
    with pytest.raises(SelectionError, match="BasicTest/CycleTest"):
        resolve(Catalogue([specs]), "BasicTest/CircleTest")


def test_suites_have_different_names() -> None:
    """Case ids begin with the suite's name, so names differ."""
    assert len({suite.name for suite in SUITES}) == len(SUITES)
