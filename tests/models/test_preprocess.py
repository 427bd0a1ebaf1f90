"""The preprocessor "Inception": what is cut out, how pixels become numbers, and pictures that are none."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from nnvet.formats.errors import DataError, MissingExtraError
from nnvet.models import datasets
from nnvet.models.datasets import central_square, inception, normalise


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [
        # 87.5 % of 100 is 87; 50 - 43 = 7.
        (100, 100, (7, 7, 87)),
        # 87.5 % of 61 is 53.375; 200 // 2 - 53 // 2 = 74, 30 - 26 = 4.
        (200, 61, (74, 4, 53)),
        (8, 16, (1, 5, 7)),
        (1, 1, (0, 0, 0)),
    ],
)
def test_central_square(width: int, height: int, expected: tuple[int, int, int]) -> None:
    """The side is 87.5 % of the shorter side, cut off; all divisions are integer divisions."""
    assert central_square(width, height) == expected


def test_floats() -> None:
    """0 becomes -1, 255 becomes 1, in float32."""
    numbers = normalise(np.asarray([0, 51, 255], np.uint8), 4, None, None)
    assert numbers.dtype == np.float32
    np.testing.assert_allclose(numbers, [-1, -0.6, 1], rtol=1e-6)


def test_codes_are_cut_off() -> None:
    """With the scale of the published lists white is 255 (not 0 by wrapping around), and fractions are cut off."""
    # (2 v / 255 - 1) / 0.007812 + 128: 0 -> -0.008 -> 0; 1 -> 0.996 -> 0; 2 -> 2.0; 128 -> 128.5; 255 -> 256.008.
    codes = normalise(np.asarray([0, 1, 128, 254, 255], np.uint8), 1, 0.007812, 128.0)
    assert codes.dtype == np.uint8
    assert codes.tolist() == [0, 0, 128, 255, 255]


def test_the_defect_of_mlts_on_request() -> None:
    """Codes wrap around at 256, in signed form at the same pixels."""
    pixels = np.asarray([0, 254, 255], np.uint8)
    assert normalise(pixels, 1, 0.007812, 128.0, wrap=True).tolist() == [0, 255, 0]
    assert normalise(pixels, 1, 0.007812, 0.0, signed=True, wrap=True).view(np.int8).tolist() == [-128, 127, -128]


def test_signed_codes_are_unsigned_ones_less_128() -> None:
    """Every pixel value: a network of either form sees the same picture."""
    pixels = np.arange(256, dtype=np.uint8)
    unsigned = normalise(pixels, 1, 0.0078125, 128.0).astype(int)
    signed = normalise(pixels, 1, 0.0078125, 0.0, signed=True)
    assert signed.dtype == np.uint8
    assert (signed.view(np.int8) == unsigned - 128).all()
    assert unsigned.tolist()[:3] == [0, 1, 2]


def test_colours_in_order(tmp_path: Path) -> None:
    """The result is row-major, red first, size by size by 3; a picture of one colour stays of one colour."""
    Image.new("RGB", (40, 30), (255, 0, 51)).save(tmp_path / "a.png")
    data = np.frombuffer(inception(tmp_path / "a.png", 5, 4, None, None), "<f4").reshape(5, 5, 3)
    np.testing.assert_allclose(data, np.broadcast_to([1, -1, -0.6], (5, 5, 3)), rtol=1e-6)


def test_only_the_middle_counts(tmp_path: Path) -> None:
    """Pixels outside of the central square leave no trace."""
    picture = Image.new("RGB", (80, 80), (255, 255, 255))
    picture.paste((0, 0, 0), (5, 5, 75, 75))
    picture.save(tmp_path / "a.png")
    data = np.frombuffer(inception(tmp_path / "a.png", 7, 4, None, None), "<f4")
    assert (data == -1).all()


def test_scaling_averages(tmp_path: Path) -> None:
    """Scaling down is antialiased: a fine pattern of black and white becomes grey."""
    pixels = np.zeros((64, 64), np.uint8)
    pixels[:, ::2] = 255
    Image.fromarray(pixels).save(tmp_path / "a.png")
    data = np.frombuffer(inception(tmp_path / "a.png", 4, 4, None, None), "<f4")
    assert np.abs(data).max() < 0.05


def test_grey_and_transparent_pictures(tmp_path: Path) -> None:
    """Pictures of other modes are taken as colours; transparency does not count."""
    Image.new("LA", (16, 16), (255, 0)).save(tmp_path / "a.png")
    assert (np.frombuffer(inception(tmp_path / "a.png", 2, 4, None, None), "<f4") == 1).all()


@pytest.mark.parametrize("content", [b"", b"no picture", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00"])
def test_files_that_are_no_pictures(tmp_path: Path, content: bytes) -> None:
    """A file that cannot be decoded is named."""
    (tmp_path / "a.jpeg").write_bytes(content)
    with pytest.raises(DataError, match=r"a\.jpeg: cannot be decoded as a picture"):
        inception(tmp_path / "a.jpeg", 4, 4, None, None)


def test_cut_and_tiny_pictures(tmp_path: Path) -> None:
    """A file that ends early and a picture of one pixel are errors as well."""
    noise = np.random.default_rng(1).integers(0, 256, (64, 64, 3), np.uint8)
    Image.fromarray(noise).save(tmp_path / "a.jpeg")
    whole = (tmp_path / "a.jpeg").read_bytes()
    (tmp_path / "a.jpeg").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="cannot be decoded"):
        inception(tmp_path / "a.jpeg", 4, 4, None, None)
    Image.new("RGB", (1, 1)).save(tmp_path / "b.png")
    with pytest.raises(DataError, match="1 by 1 has no middle"):
        inception(tmp_path / "b.png", 4, 4, None, None)


def test_pipes_are_no_pictures(tmp_path: Path) -> None:
    """Nobody waits for the other end of a pipe."""
    os.mkfifo(tmp_path / "a.jpeg")
    with pytest.raises(DataError, match=r"a\.jpeg: cannot be decoded as a picture: not a regular file"):
        inception(tmp_path / "a.jpeg", 4, 4, None, None)


def test_decompression_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture larger than Pillow's limit is refused before it is decoded."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    Image.new("RGB", (12, 12)).save(tmp_path / "a.png")
    with pytest.raises(DataError, match="cannot be decoded"):
        inception(tmp_path / "a.png", 4, 4, None, None)


def test_without_pillow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra it says what to install."""
    monkeypatch.setattr(datasets, "Image", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'nnvet\[models\]'"):
        inception(tmp_path / "image-0.jpeg", 8, 4, None, None)
