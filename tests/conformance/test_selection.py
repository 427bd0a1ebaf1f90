"""Selection of a run's cases."""

import pickle
import sys
from itertools import islice
from pathlib import Path

import pytest
from msgspec.structs import replace

from nnvet.conformance.engine import selection as library
from nnvet.conformance.engine.catalogue import Catalogue, _may_exercise
from nnvet.conformance.engine.nearest import resolve
from nnvet.conformance.engine.selection import BUNDLED_SPECS, Selection, SelectionError, Shard, spec_files
from nnvet.conformance.kit.checks import checks
from nnvet.conformance.suites.generated.table import SUITES
from nnvet.generators.specs import SpecCase, SpecError, find_specs, load_spec

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
    """A case goes through pickle, and to another process, without its model."""
    cases = list(Catalogue([specs]).cases(Selection()))
    assert pickle.loads(pickle.dumps(cases)) == cases  # noqa: S301 - our own
    assert max(len(pickle.dumps(case)) for case in cases) < 2000


def test_ids_lead_back_to_their_cases(specs: Path) -> None:
    """Every listed case is found again by its id alone; with or without specs."""
    catalogue = Catalogue([specs])
    for case in list(catalogue.cases(Selection()))[::50]:
        assert resolve(catalogue, case.id) == case


def test_an_unknown_id_names_the_nearest_check(specs: Path) -> None:
    """A message about a mistyped id names the nearest check."""
    with pytest.raises(SelectionError, match="BasicTest/CycleTest"):
        resolve(Catalogue([specs]), "BasicTest/CircleTest")


def test_suites_have_different_names() -> None:
    """Case ids begin with the suite's name, so names differ."""
    assert len({suite.name for suite in SUITES}) == len(SUITES)


LONGER = ("relu", "relu_more", "relu_more_of_it")
"""Stems each of which an id of the last can begin with."""


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are loaded from now on; what is loaded once is kept beside them."""
    loaded: list[str] = []

    def load(path: str) -> list[SpecCase]:
        loaded.append(Path(path).name.partition(".")[0])
        return load_spec(path)

    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setattr(library, "load_spec", load)
    library.load.cache_clear()
    return loaded


def test_one_file_is_loaded_for_one_id(tmp_path: Path, loads: list[str]) -> None:
    """Of all whose names the id may begin with, the one that has it, once they are known; at first what it takes."""
    for stem in LONGER:
        (tmp_path / f"{stem}.mod.py").write_text(SPEC)
    wanted = Selection(("GeneratedTest/sync/relu_more_of_it_relaxed",))
    for expected in (list(LONGER), ["relu_more_of_it"]):
        library.load.cache_clear()
        loads.clear()
        assert ids(tmp_path, wanted) == ["GeneratedTest/sync/relu_more_of_it_relaxed"]
        assert loads == expected


def test_files_of_one_name_are_not_loaded_for_their_names(specs: Path, loads: list[str]) -> None:
    """Names of the later file's cases depend on the earlier file, which is not loaded again for that."""
    wanted = Selection(("GeneratedTest/sync/relu_float16@V1_2",))
    for expected in (["relu", "relu"], ["relu"]):
        library.load.cache_clear()
        loads.clear()
        assert ids(specs, wanted) == ["GeneratedTest/sync/relu_float16@V1_2"]
        assert loads == expected


def test_what_was_kept_of_another_content_is_not_believed(tmp_path: Path, loads: list[str]) -> None:
    """A case that its file has got since is found, and one that it has lost is not."""
    path = tmp_path / "relu.mod.py"
    path.write_text(SPEC)
    assert "GeneratedTest/sync/relu_float16" in ids(tmp_path, Selection())
    path.write_text(SPEC.replace("}).Add", '}, name="new").Add'))
    library.load.cache_clear()
    assert ids(tmp_path, Selection(("GeneratedTest/sync/relu_new",))) == ["GeneratedTest/sync/relu_new"]
    assert ids(tmp_path, Selection(("GeneratedTest/sync/relu_float16",))) == []
    assert loads == ["relu", "relu"]


def test_whole_ids_and_globs_together(tmp_path: Path, loads: list[str]) -> None:
    """Knowledge about an id leaves out no file that a glob may mean."""
    for stem in LONGER:
        (tmp_path / f"{stem}.mod.py").write_text(SPEC)
    everything = ids(tmp_path, Selection())
    chosen = ids(tmp_path, Selection(("GeneratedTest/sync/relu_more_of_it", "*/async/relu_m*")))
    matching = [case for case in everything if "/async/relu_m" in case or case == "GeneratedTest/sync/relu_more_of_it"]
    assert sorted(chosen) == sorted(matching)
    assert set(loads) == set(LONGER)


@pytest.mark.long
def test_ids_of_the_bundled_corpus_load_few_files(loads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """An id of each check leads to its case; only files are loaded whose name it begins with, and for others none."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    catalogue = Catalogue()
    firsts = [case for check in checks().values() for case in islice(check.cases(), 1)]
    for glob in ("*/*/tanh_quant8_signed_*", "*/*/while_*", "*/*/extension_*"):
        over_specs = catalogue.cases(Selection((glob,), full=True))
        firsts += {(case.name.suite, case.name.check): case for case in over_specs}.values()
    assert {check.suite for check in checks().values()} == {case.name.suite for case in firsts}
    stems = [path.name.partition(".")[0] for path in find_specs(library.BUNDLED_SPECS)]
    for case in firsts:
        library.load.cache_clear()
        loads.clear()
        assert resolve(catalogue, case.id) == case
        named = [stem for stem in stems if case.name.argument.startswith(stem)]
        assert len(loads) <= (len(named) if case.spec else 0)


@pytest.mark.parametrize(
    "folder", ["V1_1", *(pytest.param(name, marks=pytest.mark.long) for name in ("V1_0", "V1_2", "V1_3"))]
)
def test_files_of_the_corpus_name_their_operations(folder: str) -> None:
    """``--op`` loads a bundled file only if it has the operation's name; those of users are all loaded."""
    for file in spec_files([BUNDLED_SPECS / folder]):
        exercised = {operation for _, loaded in file.named() for operation in loaded.labels["operations"]}
        assert {name for name in exercised if not _may_exercise(file, Selection(operations=(name,)))} == set()
        assert not _may_exercise(file, Selection(operations=("NOTHING",)))
        assert _may_exercise(replace(file, path="/elsewhere/file.mod.py"), Selection(operations=("NOTHING",)))
