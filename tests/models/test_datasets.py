"""Input data of the benchmark: raw files cut into steps, folders of pictures with their truth, normalisation files."""

from __future__ import annotations

import lzma
import os
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image

from nnvet.formats.errors import DataError
from nnvet.models.catalogue import DatasetEntry, FilePair, ModelEntry
from nnvet.models.datasets import Normalization, load_normalization, load_sequences

RAW = ModelEntry("net", 0.1, 4, (1, 3), input_outputs=(FilePair("a.input", outputs=("a.0", "a.1")),))
PICTURES = ModelEntry(
    "net",
    0.1,
    1,
    (1, 4, 4, 3),
    dataset=DatasetEntry("p/", "t.txt", "l.txt", "Inception"),
    input_scale=2 / 256,
    input_zero_point=128.0,
)


def write_raw(folder: Path, steps: int, sizes: tuple[int, int] = (2, 5)) -> None:
    """An input file of so many steps of 3 floats, and two output files."""
    (folder / "a.input").write_bytes(np.arange(3 * steps, dtype="<f4").tobytes())
    for number, size in enumerate(sizes):
        (folder / f"a.{number}").write_bytes(np.arange(size * steps, dtype="<f4").tobytes())


def write_pictures(folder: Path, names: list[str], truth: list[str], labels: list[str]) -> None:
    """Pictures of one colour each, by index, with truth and labels."""
    (folder / "p").mkdir()
    for index, name in enumerate(names):
        Image.new("RGB", (10, 10), (10 * index, 0, 255)).save(folder / "p" / name, "JPEG", quality=100)
    (folder / "t.txt").write_text("\n".join(truth) + "\n", "utf-8")
    (folder / "l.txt").write_text("\n".join(labels) + "\n", "utf-8")


def test_raw_files_are_cut_into_steps(tmp_path: Path) -> None:
    """One pair of files is one sequence; inputs and every output are divided into equal steps."""
    write_raw(tmp_path, 4)
    (sequence,) = load_sequences(tmp_path, RAW)
    assert len(sequence.steps) == 4
    assert np.frombuffer(sequence.steps[2].load(), "<f4").tolist() == [6, 7, 8]
    assert [golden.tolist() for golden in sequence.steps[2].golden] == [[4, 5], [10, 11, 12, 13, 14]]
    assert sequence.steps[2].expected_class == -1


def test_compressed_files_with_truth(tmp_path: Path) -> None:
    """Files called *.xz hold what they would hold without it; a pair may have truth instead of golden outputs."""
    (tmp_path / "i.xz").write_bytes(lzma.compress(np.arange(6, dtype="<f4").tobytes()))
    (tmp_path / "t.xz").write_bytes(lzma.compress(b"th ih s"))
    entry = ModelEntry("net", 0.1, 4, (1, 3), input_outputs=(FilePair("i.xz", truth="t.xz"),))
    (sequence,) = load_sequences(tmp_path, entry)
    assert [np.frombuffer(step.load(), "<f4").tolist() for step in sequence.steps] == [[0, 1, 2], [3, 4, 5]]
    assert [step.golden for step in sequence.steps] == [(), ()]
    assert sequence.truth == b"th ih s"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no XZ file at all", "no XZ file, or a damaged one"),
        (lzma.compress(bytes(1000))[:-9], "cut short, or more than 67108864 bytes"),
        (lzma.compress(bytes((1 << 26) + 1), preset=0), "cut short, or more than 67108864 bytes"),
    ],
)
def test_damaged_and_oversized_compressed_files(tmp_path: Path, content: bytes, message: str) -> None:
    """Files that cannot be decompressed, or only to more memory than any data need, are named."""
    (tmp_path / "i.xz").write_bytes(content)
    entry = ModelEntry("net", 0.1, 4, (1, 3), input_outputs=(FilePair("i.xz", truth="i.xz"),))
    with pytest.raises(DataError, match=rf"i\.xz: {message}"):
        load_sequences(tmp_path, entry)


def test_bytes_are_bytes(tmp_path: Path) -> None:
    """With dataSize 1 inputs and outputs are unsigned bytes."""
    (tmp_path / "i").write_bytes(bytes([1, 2, 3, 254, 255, 0]))
    (tmp_path / "o").write_bytes(bytes([7, 200]))
    entry = ModelEntry("net", 0.1, 1, (1, 3), input_outputs=(FilePair("i", "o"),))
    (sequence,) = load_sequences(tmp_path, entry)
    assert [step.load() for step in sequence.steps] == [bytes([1, 2, 3]), bytes([254, 255, 0])]
    assert [step.golden[0].tolist() for step in sequence.steps] == [[7], [200]]
    (sequence,) = load_sequences(tmp_path, msgspec.structs.replace(entry, signed=True))
    assert [step.load() for step in sequence.steps] == [bytes([1, 2, 3]), bytes([254, 255, 0])]
    assert [step.golden[0].tolist() for step in sequence.steps] == [[7], [-56]]


def test_signed_pictures_and_the_defect_of_mlts(tmp_path: Path) -> None:
    """White is code 255, as int8 127; with the defect of MLTS both are the code of black."""
    write_pictures(tmp_path, ["image-0.jpeg"], ["a"], ["a"])
    Image.new("RGB", (10, 10), (255, 255, 255)).save(tmp_path / "p" / "image-0.jpeg", "JPEG", quality=100)
    signed = msgspec.structs.replace(PICTURES, signed=True, input_zero_point=0.0)
    for entry, dtype, white, black in ((PICTURES, "u1", 255, 0), (signed, "i1", 127, -128)):
        for wrap, expected in ((False, white), (True, black)):
            ((step,),) = (sequence.steps for sequence in load_sequences(tmp_path, entry, wrap=wrap))
            assert set(np.frombuffer(step.load(), dtype).tolist()) == {expected}


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("a.input", 49, "49 bytes are not whole steps of 12 bytes"),
        ("a.input", 0, "0 bytes are not whole steps"),
        ("a.1", 82, "82 bytes cannot be divided among 4 steps of 4-byte elements"),
        ("a.0", 0, "0 bytes cannot be divided"),
    ],
)
def test_raw_files_of_wrong_size(tmp_path: Path, name: str, size: int, message: str) -> None:
    """Files that are not whole numbers of steps are named with both sizes."""
    write_raw(tmp_path, 4)
    (tmp_path / name).write_bytes(bytes(size))
    with pytest.raises(DataError, match=rf"{name}: {message}"):
        load_sequences(tmp_path, RAW)


def test_missing_files(tmp_path: Path) -> None:
    """A file that is not there is named."""
    write_raw(tmp_path, 4)
    (tmp_path / "a.1").unlink()
    with pytest.raises(DataError, match=r"a\.1: cannot be read: No such file"):
        load_sequences(tmp_path, RAW)
    with pytest.raises(DataError, match=r"p: cannot be read: No such file"):
        load_sequences(tmp_path, PICTURES)


def test_pipes_and_impossible_names(tmp_path: Path) -> None:
    """Nobody waits for the other end of a pipe; a name that no file can have is an error like a missing file."""
    write_raw(tmp_path, 4)
    (tmp_path / "a.1").unlink()
    os.mkfifo(tmp_path / "a.1")
    with pytest.raises(DataError, match=r"a\.1: cannot be read: it is no regular file"):
        load_sequences(tmp_path, RAW)
    for name, message in (("a\0b", "a path has no NUL"), ("x" * 5000, "File name too long")):
        entry = msgspec.structs.replace(RAW, input_outputs=(FilePair(name, "a.0"),))
        with pytest.raises(DataError, match=message):
            load_sequences(tmp_path, entry)


def test_pictures_are_sorted_by_number(tmp_path: Path) -> None:
    """The number between hyphen and dot gives the order, other files do not count, and truth follows the order."""
    write_pictures(
        tmp_path, ["image-10.jpeg", "image-2.JPG", "image-0.jpg"], ["dog", "cat", "bird"], ["bird", "cat", "dog"]
    )
    (tmp_path / "p" / "README.txt").write_text("x", "utf-8")
    sequences = load_sequences(tmp_path, PICTURES)
    assert [len(sequence.steps) for sequence in sequences] == [1, 1, 1]
    assert [sequence.steps[0].expected_class for sequence in sequences] == [2, 1, 0]
    # Red is 20, 10 and 0 in the order of the numbers; code = trunc(128 + (2 red / 255 - 1) * 128), up to JPEG's loss.
    reds = [int(np.frombuffer(sequence.steps[0].load(), np.uint8)[0]) for sequence in sequences]
    assert np.abs(np.asarray(reds) - [20, 10, 0]).max() <= 2
    assert sequences[0].steps[0].golden == ()


def test_of_equal_labels_the_last_counts(tmp_path: Path) -> None:
    """A label that occurs twice stands for its last line."""
    write_pictures(tmp_path, ["image-0.jpeg"], ["crane"], ["crane", "dog", "crane"])
    (sequence,) = load_sequences(tmp_path, PICTURES)
    assert sequence.steps[0].expected_class == 2


@pytest.mark.parametrize(
    ("names", "truth", "message"),
    [
        (["image-0.jpeg"], ["dog", "cat"], "2 lines for 1 pictures"),
        (["image-0.jpeg", "image-1.jpeg"], ["dog"], "1 lines for 2 pictures"),
        (["image-0.jpeg"], ["wolf"], "label 'wolf' is not in"),
        (["image.jpeg"], ["dog"], "no number between"),
        (["my-image-0.jpeg"], ["dog"], "no number between"),
        ([], ["dog"], "there are no pictures"),
    ],
)
def test_pictures_and_truth_must_fit(tmp_path: Path, names: list[str], truth: list[str], message: str) -> None:
    """Truth that does not fit the pictures, and names without number, are errors."""
    write_pictures(tmp_path, names, truth, ["dog", "cat"])
    with pytest.raises(DataError, match=message):
        load_sequences(tmp_path, PICTURES)


WITH_TRUTH = msgspec.structs.replace(PICTURES, dataset=DatasetEntry("p", preprocessor="Whole", truth_path="truth"))


def test_pictures_with_a_file_of_truth_each(tmp_path: Path) -> None:
    """The file has the picture's name but for its ending; nothing of the whole picture is cut off; PNG files count."""
    pixels = np.arange(48, dtype=np.uint8).reshape(4, 4, 3) * 5
    (tmp_path / "p").mkdir()
    (tmp_path / "truth").mkdir()
    for number in (10, 9):
        Image.fromarray(pixels + number).save(tmp_path / "p" / f"image-{number}.png")
        (tmp_path / "truth" / f"image-{number}.txt").write_bytes(b"" if number == 9 else b"ten")
    (tmp_path / "truth" / "image-11.txt").write_bytes(b"of no picture")
    first, second = load_sequences(tmp_path, WITH_TRUTH)
    assert (first.truth, second.truth) == (b"", b"ten")
    assert second.truth_file == str(tmp_path / "truth" / "image-10.txt")
    assert first.steps[0].expected_class == -1
    # Codes of uint8 are the pixels themselves; 255 would be 256, and is cut off.
    assert np.frombuffer(second.steps[0].load(), np.uint8).tolist() == (pixels + 10).reshape(-1).tolist()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "0 files for image-1.png; give one for each"),
        (["image-1.txt", "image-1.png"], "2 files for image-1.png; give one for each"),
        (None, "complete the folder of truth files"),
    ],
)
def test_pictures_without_their_truth(tmp_path: Path, names: list[str] | None, message: str) -> None:
    """No file, two files, and no folder."""
    (tmp_path / "p").mkdir()
    Image.new("RGB", (4, 4)).save(tmp_path / "p" / "image-1.png")
    if names is not None:
        (tmp_path / "truth").mkdir()
        for name in names:
            (tmp_path / "truth" / name).touch()
    with pytest.raises(DataError, match=message):
        load_sequences(tmp_path, WITH_TRUTH)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (ModelEntry("net", 0.1, 4, (1, 3)), "give either inputOutputs or dataset"),
        (
            ModelEntry("net", 0.1, 4, (1, 4, 4, 3), input_outputs=RAW.input_outputs, dataset=PICTURES.dataset),
            "give either",
        ),
        (ModelEntry("net", 0.1, 2, (1, 3), input_outputs=RAW.input_outputs), "dataSize is 2"),
        (ModelEntry("net", 0.1, 4, (1, 4, 5, 3), dataset=PICTURES.dataset), r"pictures need \[1, D, D, 3\]"),
        (ModelEntry("net", 0.1, 4, (48,), dataset=PICTURES.dataset), r"pictures need \[1, D, D, 3\]"),
        (ModelEntry("net", 0.1, 4, (1, 4, 4, 3), dataset=DatasetEntry("p", "t", "l", "Crop")), "preprocessor 'Crop'"),
    ],
)
def test_entries_that_contradict_themselves(tmp_path: Path, entry: ModelEntry, message: str) -> None:
    """Rules between keys are checked when the entry is used."""
    write_raw(tmp_path, 4)
    with pytest.raises(DataError, match=message):
        load_sequences(tmp_path, entry)


def test_normalization_file(tmp_path: Path) -> None:
    """Pairs of mean and deviation restore v * deviation + mean; another number of outputs is an error."""
    (tmp_path / "m").write_bytes(np.asarray([1, 2, -3, 0.5], "<f4").tobytes())
    normalization = load_normalization(tmp_path / "m")
    assert normalization.restore(np.asarray([[10, 4]], np.float32)).tolist() == [[21, -1]]
    with pytest.raises(DataError, match="3 output values, 2 pairs"):
        normalization.restore(np.zeros((1, 3), np.float32))
    (tmp_path / "m").write_bytes(bytes(12))
    with pytest.raises(DataError, match="12 bytes are not pairs"):
        load_normalization(tmp_path / "m")
    assert isinstance(normalization, Normalization)


def test_labels_must_be_text(tmp_path: Path) -> None:
    """A label file in another encoding is named with the place."""
    write_pictures(tmp_path, ["image-0.jpeg"], ["dog"], ["dog"])
    (tmp_path / "l.txt").write_bytes(b"dog\n\xff\n")
    with pytest.raises(DataError, match=r"l\.txt: not UTF-8 at byte 4"):
        load_sequences(tmp_path, PICTURES)
