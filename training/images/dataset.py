"""Write the test split as the benchmark reads it, and the training pictures as arrays.

``python -m training.images.dataset models/bundled/zoo/images WORK`` takes about a minute. JPEG files depend on
the version of libjpeg; the pixels that go into them do not: ``scenes`` draws them. ``train`` and ``build`` read the
training pictures, ``build`` the test split through :func:`test_arrays`.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from nnvet.models.datasets import scaled_middle
from training.images.scenes import class_of, draw
from training.images.shapes import SHAPES

TEST_PICTURES: Final = 720
"""Number of test pictures: sixty of each of the twelve classes."""
TRAINING_PICTURES: Final = 7200
"""Number of training pictures: ten times as many as test pictures."""
SIZES: Final = (96, 64)
"""Sides of the networks' inputs."""
_QUALITY: Final = 75
"""JPEG quality of test pictures; 75 is Pillow's and libjpeg's default."""
_REPORT: Final = 2000
"""A line of progress is printed each time so many training pictures are drawn."""

Pixels = npt.NDArray[np.uint8]
"""RGB pictures in bytes: [height, width, 3], or several of them in one array."""


def write_test_split(folder: Path) -> None:
    """Write pictures, labels and truth, in the layout of docs/models.md."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(TEST_PICTURES):
        (folder / f"image-{number}.jpeg").write_bytes(jpeg(draw("test", number)))
    names = list(SHAPES)
    truth = [names[class_of(number)] for number in range(TEST_PICTURES)]
    for name, lines in (("labels.txt", names), ("ground_truth_labels.txt", truth)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


def jpeg(pixels: Pixels) -> bytes:
    """Return a picture as a JPEG file, without metadata."""
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "JPEG", quality=_QUALITY, optimize=True)
    return stream.getvalue()


def seen_by_a_network(file: bytes, size: int) -> Pixels:
    """Return what preprocessing leaves of a picture, [size, size, 3], before it is normalised."""
    with Image.open(io.BytesIO(file)) as picture:
        return scaled_middle(picture, size)


def write_training_split(work: Path) -> None:
    """Write ``train-SIZE.npy`` for each size of input: [TRAINING_PICTURES, size, size, 3], JPEG's losses included."""
    work.mkdir(parents=True, exist_ok=True)
    arrays = {
        size: np.lib.format.open_memmap(work / f"train-{size}.npy", "w+", np.uint8, (TRAINING_PICTURES, size, size, 3))
        for size in SIZES
    }
    for number in range(TRAINING_PICTURES):
        file = jpeg(draw("train", number))
        for size, array in arrays.items():
            array[number] = seen_by_a_network(file, size)
        if number % _REPORT == 0:
            print(f"{number} of {TRAINING_PICTURES} training pictures", flush=True)


def test_arrays(folder: Path, size: int) -> tuple[Pixels, npt.NDArray[np.int64]]:
    """Return the written test split as networks see it, and its classes."""
    files = [(folder / f"image-{number}.jpeg").read_bytes() for number in range(TEST_PICTURES)]
    pixels = np.stack([seen_by_a_network(file, size) for file in files])
    return pixels, np.array([class_of(number) for number in range(TEST_PICTURES)])


if __name__ == "__main__":
    write_test_split(Path(sys.argv[1]))
    write_training_split(Path(sys.argv[2]))
