"""The inputs that come with the project: the bundled driver answers all of them, and no finding comes back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nnvet.conformance.engine.target import Target
from nnvet.fuzz.corpus_files import FOLDER, REGRESSIONS
from nnvet.fuzz.harness import HARNESSES
from nnvet.fuzz.replaying import finding_in

MOST_BYTES = 5 * 2**20
REPLAYED_BYTES = 40_000
"""Of a corpus so much is replayed here, the smallest inputs first: whole corpora take longer than all other tests."""


def inputs(name: str) -> Iterator[Path]:
    """All regressions of a harness, and the small inputs of its corpus."""
    if (REGRESSIONS / name).is_dir():
        yield from sorted((REGRESSIONS / name).iterdir())
    size = 0
    for file in sorted((FOLDER / name).glob("*"), key=lambda path: (path.stat().st_size, path.name)):
        size += file.stat().st_size
        if size <= REPLAYED_BYTES:
            yield file


OF_DRIVERS = [name for name in HARNESSES if name != "library"]
"""Harnesses of any driver; that of libraries has no corpus, and is run in ``tests/conformance/test_c_api.py``."""


@pytest.mark.parametrize("name", OF_DRIVERS)
def test_nothing_is_found_in_what_is_known(name: str) -> None:
    """The bundled driver keeps the contract on every input, those among them that once broke it."""
    files = list(inputs(name))
    assert files
    with HARNESSES[name].opens(Target("reference", in_process=True, timeout_s=60.0)) as one_input:
        for file in files:
            finding = finding_in(one_input, file.read_bytes())
            assert finding is None, f"{file}: {finding}"


def test_corpora_are_small() -> None:
    """All of them have at most 5 MiB."""
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) <= MOST_BYTES


def test_every_folder_belongs_to_a_harness() -> None:
    """Nothing is left of harnesses that are gone."""
    found = {folder.name for place in (FOLDER, REGRESSIONS) for folder in place.iterdir() if place.is_dir()}
    assert found <= set(HARNESSES)
