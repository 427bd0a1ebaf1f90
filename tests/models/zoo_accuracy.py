"""The bundled classifiers on LiteRT and on the reference driver: accuracy, equal labels, and where they differ.

``python -m tests.models.zoo_accuracy`` (``make zoo-accuracy``) runs all pictures; the tests run the first of them.

LiteRT's optimised 8-bit kernels round sums that lie half-way between two codes upwards, its reference kernels and the
driver away from zero. Few values of the bundled MobileNet v1 and v2 are below zero (``training/images/folded.py``);
the 8-bit v3 shows the effect. Beside the reference kernels nothing differs.
"""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import numpy as np

from nnvet.formats.tflite.importer import import_model
from nnvet.models.bundled import ZOO
from nnvet.models.catalogue import ModelEntry, load_catalogue
from nnvet.models.contenders import BenchModel
from nnvet.models.datasets import Array, load_sequences
from nnvet.models.driver import DriverContender
from nnvet.models.litert import OPTIMISED, REFERENCE, LiteRt
from nnvet.reference_driver import create

AGREEMENT: Final = {4: 0.995, 1: 0.98}
"""Least share of pictures with the same label, by dataSize."""
APART: Final = 0.9
"""The same for networks that are made to show the effect."""
POINT: Final = 0.01
"""LiteRT's accuracy may differ from the list's by so much: pictures are scaled a little differently elsewhere."""


@dataclass(frozen=True)
class Difference:
    """A picture that has two labels: its number, its class, both labels, and both backends' outputs for them."""

    number: int
    expected: int
    labels: tuple[int, int]
    litert: tuple[float, float]
    driver: tuple[float, float]


@dataclass(frozen=True)
class LabelComparison:
    """One model: pictures, top-1 accuracy of both, largest difference of an output, pictures with two labels."""

    pictures: int
    litert: float
    driver: float
    largest: float
    differences: tuple[Difference, ...]

    @property
    def agreement(self) -> float:
        """Share of the pictures with the same label."""
        return 1 - len(self.differences) / self.pictures


def classifiers() -> list[ModelEntry]:
    """The entries of the zoo that are scored by their first label."""
    entries = load_catalogue(ZOO).entries
    return [entry for entry in entries if entry.evaluator and entry.evaluator.class_name == "TopK"]


def shows_rounding(entry: ModelEntry) -> bool:
    """Return True if a network was made to show by how much LiteRT's kernel sets are apart."""
    return entry.name.startswith("mobilenet_v3") and entry.data_size == 1


def compare(entry: ModelEntry, most: int, kernels: str = OPTIMISED) -> LabelComparison:
    """Run the first pictures of an entry on both; ``kernels`` are LiteRT's."""
    path = ZOO / entry.model_path
    data = path.read_bytes()
    with import_model(data, input_shape=entry.input_size, name=entry.name) as imported:
        model = BenchModel(entry, path, data, imported)
        driver = DriverContender("reference", create(""))
        with closing(LiteRt(kernels).open(model)) as litert, closing(driver.open(model)) as own:
            loaded_models = (litert, own)
            sequences = load_sequences(ZOO, entry)[:most]
            outputs: list[tuple[Array, ...]] = []
            for sequence in sequences:
                picture = sequence.steps[0].load()
                for loaded in loaded_models:
                    loaded.put(picture)
                    loaded.invoke()
                outputs.append(tuple(loaded.take()[0] for loaded in loaded_models))
    return _comparison([sequence.steps[0].expected_class for sequence in sequences], outputs)


def as_listed(entry: ModelEntry, found: LabelComparison) -> bool:
    """Return True if LiteRT is as accurate on all pictures as the list says."""
    return entry.evaluator is not None and abs(found.litert - entry.evaluator.expected_top1) <= POINT


def _comparison(expected: list[int], outputs: list[tuple[Array, ...]]) -> LabelComparison:
    """Return the comparison of both outputs."""
    labels = [(int(theirs.argmax()), int(ours.argmax())) for theirs, ours in outputs]
    differences = tuple(
        Difference(number, expected[number], pair, _at(theirs, pair), _at(ours, pair))
        for number, (pair, (theirs, ours)) in enumerate(zip(labels, outputs, strict=True))
        if pair[0] != pair[1]
    )
    right = np.array(labels) == np.array(expected)[:, None]
    largest = max(float(np.abs(theirs.astype(float) - ours.astype(float)).max()) for theirs, ours in outputs)
    return LabelComparison(len(outputs), float(right[:, 0].mean()), float(right[:, 1].mean()), largest, differences)


def _at(output: Array, labels: tuple[int, int]) -> tuple[float, float]:
    """An output's values for two labels."""
    return float(output[labels[0]]), float(output[labels[1]])


def main() -> int:
    """Write a line for each model and for each picture with two labels.

    Returns 1 if a model has too many of them beside LiteRT's optimised kernels, if 8-bit outputs are not those of its
    reference kernels, or if LiteRT is not as accurate as the list says.
    """
    failed = 0
    sys.stdout.write(
        f"{'model':30} {'LiteRT':>7} {'driver':>7} {'same label':>10} {'reference':>9}  largest difference\n"
    )
    for entry in classifiers():
        found = compare(entry, sys.maxsize)
        exact = found if entry.data_size > 1 else compare(entry, sys.maxsize, REFERENCE)
        figures = (
            f"{found.litert:7.4f} {found.driver:7.4f} {found.agreement:10.4f} {exact.agreement:9.4f}  {found.largest:g}"
        )
        lines = [f"{entry.name:30} {figures}"]
        lines += [
            f"    image-{difference.number}.jpeg (class {difference.expected}): "
            f"LiteRT {difference.labels[0]}, driver {difference.labels[1]}; "
            f"their outputs {difference.litert} and {difference.driver}"
            for difference in found.differences
        ]
        sys.stdout.write("\n".join(lines) + "\n")
        sys.stdout.flush()
        least = APART if shows_rounding(entry) else AGREEMENT[entry.data_size]
        failed |= found.agreement < least or not as_listed(entry, found)
        failed |= entry.data_size == 1 and exact.largest > 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
