"""Merging of the findings of several processes or machines, by content and by coverage."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path

import pytest

from nnvet.fuzz.cluster.place import MergedCorpus, _judged, merge_inputs
from nnvet.fuzz.cluster.run import LEAST_S, SLICE_S, Dealer
from nnvet.fuzz.corpus_files import seeds_folder
from nnvet.fuzz.findings import for_harness
from nnvet.fuzz.forking import Forker, ForkOrder
from nnvet.fuzz.harness import HARNESSES
from nnvet.fuzz.runner import FuzzingJob
from nnvet.fuzz.slices import status_of

TFLITE = HARNESSES["tflite"]


def test_an_input_is_kept_once(tmp_path: Path) -> None:
    """Its name is its SHA-256; those that were not found from the last version are to be judged."""
    (tmp_path / "before").write_bytes(b"known")
    corpus = MergedCorpus.of(tmp_path)
    assert corpus.add([b"known"], corpus.version) == 0
    assert corpus.add([b"one", b"two"], 0) == 2
    assert not corpus.fresh
    assert corpus.add([b"two", b"three"], 0) == 1
    assert corpus.fresh == {hashlib.sha256(b"three").hexdigest()}
    corpus.leave_out(corpus.fresh.copy())
    assert not corpus.fresh
    left = {path.read_bytes(): path.name for path in tmp_path.iterdir()}
    assert left == {b"known": "before"} | {data: hashlib.sha256(data).hexdigest() for data in (b"one", b"two")}
    assert MergedCorpus.of(tmp_path).files.keys() == corpus.files.keys()


@pytest.mark.parametrize(("places", "seconds"), [(1, 60.0), (4, 60.0), (64, 60.0), (3, 3600.0)])
def test_every_harness_gets_its_share(places: int, seconds: float) -> None:
    """So many workers that take slices as they are free; nobody waits, nobody shares a seed."""
    harnesses = tuple(HARNESSES.values())
    dealer = Dealer(harnesses, seconds, 1 << 30)
    had: defaultdict[str, float] = defaultdict(float)
    seeds = []
    free_at = [0.0] * places
    while (dealt := dealer.next(seconds - min(free_at), places)) is not None:
        harness, length = dealt
        assert LEAST_S <= length <= SLICE_S
        had[harness.name] += length
        free_at[free_at.index(min(free_at))] += length
        seeds.append(dealer.seed())
    whole, shares = sum(had.values()), sum(harness.share for harness in harnesses)
    assert whole >= 0.9 * seconds * places
    for part in harnesses:
        # A slice more or less.
        assert abs(had[part.name] - part.share / shares * whole) <= SLICE_S + LEAST_S
    assert len({seed // 1024 for seed in seeds}) == len(seeds)
    assert all(0 < seed < 1 << 31 for seed in seeds)


def test_what_adds_nothing_is_left_out(tmp_path: Path) -> None:
    """Two known files and three others, shortest first: 3 and 4 reach nothing that 0 to 2 do not."""
    files = [tmp_path / str(number) for number in range(5)]
    lines = ["STARTED 0 9", "FT 0 1 2", "COV 0 70 71", "STARTED 1 9", "FT 1 3", "COV 1", "STARTED 2 1", "FT 2 3 4"]
    lines += ["COV 2 72", "STARTED 3 2", "STARTED 4 3", "FT 4 1 4", "COV 4"]
    assert _judged(lines, files, 2) == ((files[3], files[4]), 3)


@pytest.mark.long
@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed: pip install 'nnvet[fuzz]'")
def test_libfuzzer_judges_inputs_together(tmp_path: Path) -> None:
    """A copy of a seed adds nothing, another one does; the coverage is what one process counts that loads them all."""
    job = FuzzingJob((TFLITE,), "reference", 1.0, 1, tmp_path / "corpus", tmp_path)
    config = for_harness(job.config, TFLITE.name, TFLITE.instrumented, compares=TFLITE.compares)
    seeds = sorted(seeds_folder(TFLITE).iterdir())
    first, last = seeds[0], seeds[-1]
    copy = tmp_path / "copy"
    copy.write_bytes(first.read_bytes())
    (tmp_path / "all").mkdir()
    for seed in (first, last):
        (tmp_path / "all" / seed.name).write_bytes(seed.read_bytes())
    with Forker(config) as forker:
        found = merge_inputs(forker, config, TFLITE, ([first], [copy, last]), tmp_path / "control")
        counted = [status_of(line) for line in forker.run(ForkOrder(config, ("-runs=0", str(tmp_path / "all"))))]
    assert found is not None
    assert found.redundant == (copy,)
    assert found.coverage == max(status.coverage for status in counted if status is not None)
