"""Inputs of a benchmark entry: sequences of steps, from raw files or from a folder of pictures.

Pictures become inputs by the preprocessor "Inception" of the model lists. A pixel that does not fit its type is clamped
here; in MLTS it wraps around.

Source: docs/contract/mlts.md 3 and 4.
"""

from __future__ import annotations

import errno
import lzma
import math
import stat
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Final

import numpy as np
import numpy.typing as npt

from nnvet.formats.errors import DataError, MissingExtraError
from nnvet.models.catalogue import DatasetEntry, FilePair, ModelEntry

try:
    from PIL import Image
except ImportError:  # pragma: no cover - depends on what is installed
    Image = None  # type: ignore[assignment]

_CENTRAL_FRACTION: Final = np.float32(0.875)
"""Share of the shorter side of a picture that is cut out; MLTS uses the same."""
_LARGEST_BYTE: Final = 255
_SIGNED: Final = 128
"""Difference between the codes of uint8 and int8, and between their zero points."""


def central_square(width: int, height: int) -> tuple[int, int, int]:
    """Return left, top and side of the square to cut out: 87.5 % of the shorter side, in the middle."""
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
    """Return pixels 0…255 as numbers in [-1, 1], in float32 (``data_size`` 4) or quantised to bytes.

    Codes are clamped to their range. With ``wrap`` they wrap around, as in Android's tool, where white becomes black.
    ``signed`` codes are returned as the bytes of int8, so that both forms see the same picture.
    """
    numbers: npt.NDArray[np.float32] = pixels.astype(np.float32) * np.float32(2) / np.float32(255) - np.float32(1)
    if data_size != 1 or scale is None or zero_point is None:
        return numbers
    shift = _SIGNED if signed else 0
    codes = np.trunc(numbers / np.float32(scale) + np.float32(zero_point + shift)).astype(np.int64)
    codes = (codes if wrap else codes.clip(0, _LARGEST_BYTE)) - shift
    stored: npt.NDArray[np.uint8] = (codes & _LARGEST_BYTE).astype(np.uint8)
    return stored


@contextmanager
def open_picture(source: Path | IO[bytes], name: object) -> Iterator[Image.Image]:
    """Open a picture, whose pixels are decoded when they are first used; errors call it ``name``.

    :raises DataError: if the picture cannot be decoded, or is too large.
    :raises MissingExtraError: if the ``models`` extra is not installed.
    """
    if Image is None:
        raise MissingExtraError("pillow", "models", "decoding pictures")
    if isinstance(source, Path) and not source.is_file():
        raise DataError(f"{name}: cannot be decoded as a picture: not a regular file; replace it")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(source) as picture:
                yield picture
    except (OSError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise DataError(f"{name}: cannot be decoded as a picture: {error}; replace it") from error


def scaled_middle(picture: Image.Image, size: int) -> npt.NDArray[np.uint8]:
    """Return the middle of a picture as RGB [size, size, 3], scaled bilinearly with antialiasing."""
    left, top, side = central_square(picture.width, picture.height)
    square = picture.convert("RGB").crop((left, top, left + side, top + side))
    return np.asarray(square.resize((size, size), Image.Resampling.BILINEAR), dtype=np.uint8)


def whole_picture(picture: Image.Image, size: int) -> npt.NDArray[np.uint8]:
    """Return a picture as RGB [size, size, 3]; one of another size is scaled bilinearly with antialiasing."""
    return np.asarray(picture.convert("RGB").resize((size, size), Image.Resampling.BILINEAR), dtype=np.uint8)


def preprocess(
    scaled: Callable[[Image.Image, int], npt.NDArray[np.uint8]],
    path: Path,
    size: int,
    data_size: int,
    scale: float | None,
    zero_point: float | None,
    *,
    signed: bool = False,
    wrap: bool = False,
) -> bytes:
    """Decode a picture, let ``scaled`` make ``size`` by ``size`` pixels of it, and :func:`normalise` them.

    The result has size * size * 3 elements, row-major, red first, little endian.

    :raises DataError: if the picture cannot be decoded or is too small.
    :raises MissingExtraError: if the ``models`` extra is not installed.
    """
    with open_picture(path, path) as picture:
        if not central_square(picture.width, picture.height)[2]:
            raise DataError(f"{path}: a picture of {picture.width} by {picture.height} has no middle; replace it")
        pixels = scaled(picture, size)
    return normalise(pixels, data_size, scale, zero_point, signed=signed, wrap=wrap).tobytes()


inception = partial(preprocess, scaled_middle)
"""Preprocessor of MLTS: the middle of a picture."""
PREPROCESSORS: Final = {"Inception": inception, "Whole": partial(preprocess, whole_picture)}
"""Preprocessors by their names in model lists."""


Array = npt.NDArray[np.float32] | npt.NDArray[np.uint8] | npt.NDArray[np.int8]
_DTYPES: Final = {(1, False): "u1", (1, True): "i1", (4, False): "<f4"}
"""Element types, little endian, by dataSize and by True for signed ones."""
_PICTURES: Final = (".jpg", ".jpeg", ".png")
_MEAN_AND_DEVIATION: Final = 2
"""Numbers for each output element in a normalisation file."""
_MAX_UNPACKED: Final = 1 << 26
"""Largest size in bytes of a decompressed data file."""


@dataclass(frozen=True)
class Step:
    """One inference: its input, which is made on demand, and the expected answer if it is known."""

    load: Callable[[], bytes]
    golden: tuple[Array, ...] = ()
    expected_class: int = -1


@dataclass(frozen=True)
class StepSequence:
    """Steps that belong together: the states of a model are kept from its first step to its last.

    ``truth``, from ``truth_file``, is the value that some evaluators compare with; each evaluator defines its form.
    """

    steps: tuple[Step, ...]
    truth: bytes = b""
    truth_file: str = ""


@dataclass(frozen=True)
class Normalization:
    """Mean and standard deviation of each output element, as the outputs were normalised in training."""

    mean: npt.NDArray[np.float32]
    deviation: npt.NDArray[np.float32]

    def restore(self, values: Array) -> npt.NDArray[np.float32]:
        """Return values in their natural unit.

        :raises DataError: if there are more or fewer values than pairs.
        """
        if values.shape[-1] != self.mean.size:
            raise DataError(f"{values.shape[-1]} output values, {self.mean.size} pairs of mean and deviation")
        result: npt.NDArray[np.float32] = values.astype(np.float32) * self.deviation + self.mean
        return result


def element_type(entry: ModelEntry) -> str:
    """Return NumPy's name for the element type of input and outputs.

    :raises DataError: there is no type of that size.
    """
    found = _DTYPES.get((entry.data_size, entry.signed))
    if found is None:
        raise DataError(f"{entry.name}: dataSize is {entry.data_size}, must be 1 (uint8, int8) or 4 (float32)")
    return found


def load_sequences(folder: Path, entry: ModelEntry, *, wrap: bool = False) -> tuple[StepSequence, ...]:
    """Return all input sequences of an entry; ``wrap`` is that of :func:`nnvet.models.datasets.normalise`.

    :raises DataError: if files are missing or break a rule of the layout.
    """
    element_type(entry)
    if bool(entry.input_outputs) == (entry.dataset is not None):
        raise DataError(f"{entry.name}: give either inputOutputs or dataset, not both and not neither")
    if entry.dataset is not None:
        return _pictures(folder, entry, entry.dataset, wrap=wrap)
    return tuple(_load_raw_sequence(folder, entry, pair) for pair in entry.input_outputs)


def load_normalization(path: Path) -> Normalization:
    """Return pairs of mean and standard deviation (little-endian float32) for each output element.

    :raises DataError: if the file is missing or not a whole number of pairs.
    """
    data = read_bytes(path)
    if not data or len(data) % (4 * _MEAN_AND_DEVIATION):
        raise DataError(f"{path}: {len(data)} bytes are not pairs of float32; get the file again")
    pairs = np.frombuffer(data, dtype="<f4").reshape(-1, _MEAN_AND_DEVIATION)
    return Normalization(pairs[:, 0], pairs[:, 1])


def read_bytes(path: Path) -> bytes:
    """Return the content of a data file; files called ``*.xz`` are decompressed.

    :raises DataError: if it is missing, cannot be read, is not in XZ format, or is too large.
    """
    try:
        data = _read_regular(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}; complete the folder of models and data") from error
    return _decompress(path, data) if path.suffix == ".xz" else data


def _read_regular(path: Path) -> bytes:
    """Return the content of a regular file. Others are refused, since reading a pipe could block for ever.

    :raises OSError: it cannot be read.
    """
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "a path has no NUL")
    if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
        raise OSError(errno.EINVAL, "it is no regular file")
    return path.read_bytes()


def _decompress(path: Path, data: bytes) -> bytes:
    """Return the content of an XZ file, in bounded memory."""
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=2 * _MAX_UNPACKED)
    try:
        content = decompressor.decompress(data, _MAX_UNPACKED)
    except lzma.LZMAError as error:
        raise DataError(f"{path}: no XZ file, or a damaged one: {error}; get the file again") from error
    if not decompressor.eof:
        raise DataError(f"{path}: cut short, or more than {_MAX_UNPACKED} bytes unpacked; get the file again")
    return content


def _load_raw_sequence(folder: Path, entry: ModelEntry, pair: FilePair) -> StepSequence:
    """Read one pair of files; both are concatenations of steps of equal size."""
    path = folder / pair.input
    data = read_bytes(path)
    step_bytes = entry.data_size * math.prod(entry.input_size)
    count, rest = divmod(len(data), step_bytes)
    if rest or not count:
        raise DataError(f"{path}: {len(data)} bytes are not whole steps of {step_bytes} bytes (dataSize by inputSize)")
    golden = [_load_golden_steps(folder / name, count, element_type(entry)) for name in pair.golden_files]
    return StepSequence(
        tuple(
            Step(partial(_part, data, index * step_bytes, step_bytes), tuple(output[index] for output in golden))
            for index in range(count)
        ),
        read_bytes(folder / pair.truth) if pair.truth else b"",
        str(folder / pair.truth) if pair.truth else "",
    )


def _part(data: bytes, offset: int, size: int) -> bytes:
    """Return the bytes of one step."""
    return data[offset : offset + size]


def _load_golden_steps(path: Path, count: int, dtype: str) -> Array:
    """Read the golden values of one output of a model, one row for each step."""
    data = read_bytes(path)
    data_size = np.dtype(dtype).itemsize
    if not data or len(data) % (count * data_size):
        raise DataError(f"{path}: {len(data)} bytes cannot be divided among {count} steps of {data_size}-byte elements")
    rows: Array = np.frombuffer(data, dtype=dtype).reshape(count, -1)
    return rows


def _pictures(folder: Path, entry: ModelEntry, dataset: DatasetEntry, *, wrap: bool) -> tuple[StepSequence, ...]:
    """Return a sequence of one step for each picture, in the order of the numbers in their names."""
    preprocessor = PREPROCESSORS.get(dataset.preprocessor)
    if preprocessor is None:
        raise DataError(f"{entry.name}: preprocessor {dataset.preprocessor!r} is not one of {sorted(PREPROCESSORS)}")
    size = entry.input_size[1] if len(entry.input_size) > 1 else 0
    if entry.input_size != (1, size, size, 3):
        raise DataError(f"{entry.name}: inputSize is {list(entry.input_size)}, pictures need [1, D, D, 3]")
    pictures = _numbered_pictures(folder / dataset.input_path.rstrip("/"))
    quantization = (entry.data_size, entry.input_scale, entry.input_zero_point)
    prepare = partial(preprocessor, signed=entry.signed, wrap=wrap)
    steps = [partial(prepare, path, size, *quantization) for path in pictures]
    if dataset.truth_path:
        files = _truth_files(folder / dataset.truth_path, pictures)
        return tuple(
            StepSequence((Step(load),), read_bytes(path), str(path)) for load, path in zip(steps, files, strict=True)
        )
    # Of labels that occur twice the last counts, as in the tool whose results these are compared with.
    classes = {label: index for index, label in enumerate(read_lines(folder / dataset.labels))}
    truth = read_lines(folder / dataset.ground_truth)
    if len(truth) != len(pictures):
        raise DataError(
            f"{folder / dataset.ground_truth}: {len(truth)} lines for {len(pictures)} pictures; give one line for each"
        )
    unknown = next((label for label in truth if label not in classes), None)
    if unknown is not None:
        raise DataError(f"{folder / dataset.ground_truth}: label {unknown!r} is not in {dataset.labels}")
    return tuple(StepSequence((Step(load, (), classes[label]),)) for load, label in zip(steps, truth, strict=True))


def _truth_files(folder: Path, pictures: Sequence[Path]) -> list[Path]:
    """Return the file of each picture's truth, which has the picture's name but for its ending.

    :raises DataError: a picture has no such file, or more than one.
    """
    try:
        known: dict[str, list[Path]] = {}
        for path in sorted(folder.iterdir()):
            known.setdefault(path.stem, []).append(path)
    except OSError as error:
        raise DataError(f"{folder}: cannot be read: {error.strerror}; complete the folder of truth files") from error
    for picture in pictures:
        if len(known.get(picture.stem, ())) != 1:
            raise DataError(f"{folder}: {len(known.get(picture.stem, ()))} files for {picture.name}; give one for each")
    return [known[picture.stem][0] for picture in pictures]


def _numbered_pictures(folder: Path) -> list[Path]:
    """Return the pictures of a folder by the number between the first hyphen and the dot behind it."""
    try:
        paths = [path for path in folder.iterdir() if path.suffix.lower() in _PICTURES]
    except OSError as error:
        raise DataError(f"{folder}: cannot be read: {error.strerror}; complete the folder of pictures") from error
    if not paths:
        raise DataError(f"{folder}: there are no pictures (*.jpg, *.jpeg, *.png)")
    return sorted(paths, key=_number)


def _number(path: Path) -> int:
    """Return the number in a picture's name."""
    digits = path.name.partition("-")[2].partition(".")[0]
    if not (digits.isascii() and digits.isdigit()):
        raise DataError(f"{path}: the name has no number between the first '-' and the next '.'; call it image-N.jpeg")
    return int(digits)


def read_lines(path: Path) -> list[str]:
    """Return lines of a UTF-8 text file.

    :raises DataError: if it is missing or not UTF-8.
    """
    try:
        return read_bytes(path).decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
