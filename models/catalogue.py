"""The model lists of the benchmark (``models_list/*.json``), in the layout of Android's Machine Learning Test Suite.

:func:`load_catalogue` reads them. ``datasets.py`` loads the inputs of an entry, ``evaluators.py`` scores its outputs.

Source: docs/contract/mlts.md 1.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from nnvet.formats.errors import DataError
from nnvet.formats.onnx import SUFFIX
from nnvet.formats.tflite.source import MAX_TENSOR_BYTES

LISTS_FOLDER: Final = "models_list"
_CODES: Final = (-128.0, 255.0)
"""Range of zero points: from the smallest code of int8 to the largest of uint8."""


class EvaluatorEntry(msgspec.Struct, frozen=True, rename="camel"):
    """Evaluator of the outputs; ``expected_top1`` is for TopK, the normalisation file for vocoder parameters.

    Evaluators that compare with the truth take ``labels``, a file of class names, and ``limits``, the largest
    acceptable value of each figure, or the smallest one of figures that are better if larger.
    """

    class_name: str
    output_mean_std_dev: str = ""
    expected_top1: float = 0.0
    labels: str = ""
    limits: dict[str, float] = {}


class FilePair(msgspec.Struct, frozen=True, rename="camel"):
    """One sequence: a file of inputs and the golden outputs, one file for each output of the model, or the truth."""

    input: str
    output: str = ""
    outputs: tuple[str, ...] = ()
    truth: str = ""

    def __post_init__(self) -> None:
        """Require golden outputs or the truth."""
        if not (self.output or self.outputs or self.truth):
            raise ValueError("inputOutputs needs 'output', 'outputs' or 'truth'")

    @property
    def golden_files(self) -> tuple[str, ...]:
        """Files of golden outputs in the order of the model's outputs; empty if only the truth is known."""
        return self.outputs or ((self.output,) if self.output else ())


class DatasetEntry(msgspec.Struct, frozen=True, rename="camel"):
    """A folder of pictures with their truth: a class for each in the file ``ground_truth``, or a file for each.

    ``truth_path`` is the folder of these files, which have the names of the pictures but for their endings.
    """

    input_path: str
    ground_truth: str = ""
    labels: str = ""
    preprocessor: str = ""
    truth_path: str = ""

    def __post_init__(self) -> None:
        """Require a preprocessor and one of the two forms of the truth."""
        if not self.preprocessor:
            raise ValueError("dataset needs 'preprocessor'")
        if bool(self.truth_path) == bool(self.ground_truth and self.labels):
            raise ValueError("dataset needs 'groundTruth' and 'labels', or 'truthPath'")


class ModelEntry(msgspec.Struct, frozen=True, rename="camel"):
    """One model of the benchmark. ``data_size`` is the size of an element of input and outputs in bytes.

    Bytes are codes from 0 to 255 (uint8), or from -128 to 127 (int8) if they are ``signed``.

    ``toy`` marks networks of random weights, whose accuracy and speed mean nothing for others.

    ``baseline_sec`` is a latency that was once expected, in seconds; it is only shown. Paths are relative to the folder
    of the lists.
    """

    name: str
    baseline_sec: float
    data_size: int
    input_size: tuple[int, ...]
    test_name: str = ""
    model_file: str = ""
    min_sdk_version: int = 0
    evaluator: EvaluatorEntry | None = None
    input_outputs: tuple[FilePair, ...] = ()
    dataset: DatasetEntry | None = None
    input_scale: float | None = None
    input_zero_point: float | None = None
    signed: bool = False
    toy: bool = False

    def __post_init__(self) -> None:
        """Require a printable name, and the quantisation of 8-bit pictures."""
        if not self.name or not self.name.isprintable():
            raise ValueError(f"the name {self.name!r} is empty or has characters that cannot be printed")
        if self.dataset and self.data_size == 1 and None in (self.input_scale, self.input_zero_point):
            raise ValueError(f"{self.name}: 8-bit pictures need inputScale and inputZeroPoint")
        if self.input_scale is not None and not 0 < self.input_scale < math.inf:
            raise ValueError(f"{self.name}: inputScale is {self.input_scale:g}, must be positive")
        if self.input_zero_point is not None and not _CODES[0] <= self.input_zero_point <= _CODES[1]:
            raise ValueError(f"{self.name}: inputZeroPoint is {self.input_zero_point:g}, must be a code of 8 bits")
        if self.signed and self.data_size != 1:
            raise ValueError(f"{self.name}: only elements of one byte (dataSize 1) can be signed")
        if self.data_size < 1 or not self.input_size or any(size < 1 for size in self.input_size):
            raise ValueError(f"{self.name}: dataSize and every number of inputSize must be positive")
        if self.data_size * math.prod(self.input_size) > MAX_TENSOR_BYTES:
            raise ValueError(f"{self.name}: an input of inputSize would have more than {MAX_TENSOR_BYTES} bytes")

    @property
    def metric_prefix(self) -> str:
        """Prefix of the entry's metrics."""
        return self.test_name or self.name

    @property
    def model_path(self) -> str:
        """The model's file, relative to the folder of the lists: TFLite's, unless ``modelFile`` ends in ``.onnx``."""
        name = self.model_file or self.name
        return name if name.endswith(SUFFIX) else f"{name}.tflite"


class _ModelList(msgspec.Struct, frozen=True):
    """The root object of a list."""

    models: tuple[ModelEntry, ...]


@dataclass(frozen=True)
class ModelCatalogue:
    """All entries of a folder, lists in the order of their names, entries in the order of the file."""

    folder: Path
    entries: tuple[ModelEntry, ...]

    @property
    def repeated(self) -> list[str]:
        """Names that more than one entry has."""
        return [name for name, count in Counter(entry.name for entry in self.entries).items() if count > 1]

    def by_name(self, name: str) -> ModelEntry:
        """Return the first entry called ``name``.

        :raises DataError: no entry has the name.
        """
        for entry in self.entries:
            if entry.name == name:
                return entry
        names = ", ".join(entry.name for entry in self.entries)
        raise DataError(f"{self.folder}: no model is called {name!r}; there are {names}")


def load_catalogue(folder: Path) -> ModelCatalogue:
    """Read all lists of ``folder``; an error in one of them stops the loading.

    The entries' own data files are not read; errors in them show when an entry is used.

    :raises DataError: with the list, the place in it and the rule.
    """
    lists = sorted((folder / LISTS_FOLDER).glob("*.json")) if folder.is_dir() else []
    if not lists:
        raise DataError(f"{folder / LISTS_FOLDER}: there is no model list (*.json); give the folder that holds it")
    entries: list[ModelEntry] = []
    for path in lists:
        try:
            entries += msgspec.json.decode(path.read_bytes(), type=_ModelList).models
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror}; check the file's permissions") from error
        except (msgspec.MsgspecError, ValueError) as error:
            raise DataError(f"{path}: {error}; fix the model list") from error
    return ModelCatalogue(folder, tuple(entries))
