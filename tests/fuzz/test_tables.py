"""Mutated .tflite files can still be read: only their contents are wrong."""

from collections.abc import Callable

import pytest

from nnvet.formats.errors import ModelFileError
from nnvet.formats.tflite.importer import import_model
from nnvet.formats.tflite.source import FlatbufferReader
from nnvet.fuzz.readers.tables import TFLITE, cross_files, mutate_file
from nnvet.fuzz.steps import raw_crossover, raw_mutation

pytest.importorskip("flatbuffers")
SEEDS = [seed.data for seed in TFLITE.seeds()]
ROUNDS = 200
ENOUGH = 1 << 14


def share(files: list[bytes], read: Callable[[bytes], object]) -> float:
    """The part of files that can be read."""
    count = 0
    for file in files:
        try:
            read(file)
        except ModelFileError:
            continue
        count += 1
    return count / len(files)


def tables(data: bytes) -> object:
    """All tables of a file."""
    return FlatbufferReader(data, "file").root("Model")


def test_changed_files_are_files() -> None:
    """Every one has all its tables, of raw changes hardly half; more of them are models, too."""
    made = [mutate_file(SEEDS[seed % len(SEEDS)], ENOUGH, seed) for seed in range(ROUNDS)]
    files = [file for file in made if file is not None]
    assert len(files) > 0.7 * ROUNDS
    assert sum(file not in SEEDS for file in files) > 0.9 * len(files)
    assert share(files, tables) == 1
    raw = [raw_mutation(SEEDS[seed % len(SEEDS)], ENOUGH, seed) for seed in range(ROUNDS)]
    assert share(raw, tables) < 0.7
    models = share(files, lambda data: import_model(data).close())
    assert 0.1 < models < 0.9


def test_parts_of_other_files() -> None:
    """A file with a table of another one can be read."""
    pairs = [(SEEDS[seed % 3], SEEDS[(seed + 1) % 3], seed) for seed in range(ROUNDS)]
    made = [cross_files(file, other, ENOUGH, seed) for file, other, seed in pairs]
    files = [file for file in made if file is not None]
    assert len(files) > 0.9 * ROUNDS
    assert share(files, tables) == 1
    assert share([raw_crossover(file, other, ENOUGH, seed) for file, other, seed in pairs], tables) < 0.5


def test_what_is_no_file_or_too_long_is_changed_as_bytes() -> None:
    """None says so."""
    assert all(mutate_file(b"no file", ENOUGH, seed) is None for seed in range(10))
    assert cross_files(b"no file", SEEDS[0], ENOUGH, 1) is None
    assert all(mutate_file(SEEDS[0], 100, seed) is None for seed in range(10))
