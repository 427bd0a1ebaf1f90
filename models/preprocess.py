"""From a picture to a model's input: the preprocessor "Inception" of the model lists.

Source: docs/contract/mlts.md 4; what is cut off here wraps around there.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from nnvet.formats.errors import DataError, MissingExtraError

try:
    from PIL import Image
except ImportError:  # pragma: no cover - depends on what is installed
    Image = None  # type: ignore[assignment]

_CENTRAL_FRACTION: Final = np.float32(0.875)
_LARGEST_BYTE: Final = 255
_SIGNED: Final = 128
"""Codes of int8 are those of uint8 less this, as is their zero point."""


def central_square(width: int, height: int) -> tuple[int, int, int]:
    """Left, top and side of the square that is cut out: 87.5 % of the shorter side, in the middle."""
    side = int(_CENTRAL_FRACTION * np.float32(min(width, height)))
    return width // 2 - side // 2, height // 2 - side // 2, side


def normalise(
    pixels: npt.NDArray[np.uint8],
    data_size: int,
    scale: float | None,
    zero_point: float | None,
    *,
    signed: bool = False,
    wrap: bool = False,
) -> npt.NDArray[np.float32] | npt.NDArray[np.uint8]:
    """Pixels 0…255 as numbers in [-1, 1], in float32 (``data_size`` 4) or quantised to bytes.

    Codes are cut off at their smallest and largest. With ``wrap`` they wrap around, as in Android's tool, where white
    becomes black. ``signed`` codes are returned as the bytes that int8 has: both forms see the same picture.
    """
    numbers: npt.NDArray[np.float32] = pixels.astype(np.float32) * np.float32(2) / np.float32(255) - np.float32(1)
    if data_size != 1 or scale is None or zero_point is None:
        return numbers
    shift = _SIGNED if signed else 0
    codes = np.trunc(numbers / np.float32(scale) + np.float32(zero_point + shift)).astype(np.int64)
    codes = (codes if wrap else codes.clip(0, _LARGEST_BYTE)) - shift
    stored: npt.NDArray[np.uint8] = (codes & _LARGEST_BYTE).astype(np.uint8)
    return stored


def scaled_middle(picture: Image.Image, size: int) -> npt.NDArray[np.uint8]:
    """[size, size, 3]: the middle of a picture as RGB, scaled bilinearly with antialiasing."""
    left, top, side = central_square(picture.width, picture.height)
    square = picture.convert("RGB").crop((left, top, left + side, top + side))
    return np.asarray(square.resize((size, size), Image.Resampling.BILINEAR), dtype=np.uint8)


def inception(
    path: Path,
    size: int,
    data_size: int,
    scale: float | None,
    zero_point: float | None,
    *,
    signed: bool = False,
    wrap: bool = False,
) -> bytes:
    """Decode, cut out the middle, scale to ``size`` by ``size`` (bilinear, with antialiasing), :func:`normalise`.

    Result: size * size * 3 elements, row-major, red first, little endian.

    :raises DataError: if the picture cannot be decoded or is too small.
    :raises MissingExtraError: if the ``models`` extra is not installed.
    """
    if Image is None:
        raise MissingExtraError("pillow", "models", "decoding pictures")
    try:
        if not path.is_file():
            raise DataError(f"{path}: cannot be decoded as a picture: not a regular file; replace it")
        with warnings.catch_warnings(), Image.open(path) as picture:
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            if not central_square(picture.width, picture.height)[2]:
                raise DataError(f"{path}: a picture of {picture.width} by {picture.height} has no middle; replace it")
            pixels = scaled_middle(picture, size)
    except (OSError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise DataError(f"{path}: cannot be decoded as a picture: {error}; replace it") from error
    return normalise(pixels, data_size, scale, zero_point, signed=signed, wrap=wrap).tobytes()


PREPROCESSORS: Final = {"Inception": inception}
"""Preprocessors by the name that model lists give."""
