"""Accuracy of networks that answer for places in a picture: detectors, segmenters, and those that make pictures.

Each sequence is one picture with a truth of its own. Sources: the detection metrics of COCO (Lin et al. 2014) for the
mean average precision, Pascal VOC (Everingham et al. 2010) for the mean intersection over union.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from nnvet.formats.errors import DataError
from nnvet.models.datasets import Array, StepSequence, open_picture
from nnvet.models.evaluation import Evaluation, StepResult, jackknife, judge_by_truth

Doubles = npt.NDArray[np.float64]
OVERLAPS: Final = np.arange(50, 100, 5) / 100
"""COCO's thresholds of intersection over union."""
_RECALLS: Final = np.arange(101) / 100
"""Recalls at which COCO reads the precision."""
_DETECTION_OUTPUTS: Final = 4
"""Outputs of a detection head: boxes, classes, scores and count."""
_CORNERS: Final = 4
"""Numbers of a box: top, left, bottom, right."""
_UNLABELLED: Final = 255
"""Value of pixels of a mask that do not count, as in Pascal VOC."""
_WHITE: Final = 255.0
"""Largest level of a pixel."""
_TINY: Final = 1e-9
"""Slack for recalls that are a whole number of things but for rounding."""
_MIDDLE: Final = 128
"""Zero point of uint8 codes of pictures, whose scale is 2 / 256."""


@dataclass(frozen=True)
class Matches:
    """Detections of one class on one picture, best first: their scores, and for each threshold if they are right."""

    scores: Doubles
    right: npt.NDArray[np.bool_]
    things: int


@dataclass(frozen=True)
class MeanAveragePrecision:
    """COCO's mean average precision of detectors, over classes and thresholds of overlap from 0.5 to 0.95.

    The outputs are boxes (top, left, bottom, right), classes, scores and count, as of TFLite's detection head. The
    truth of a picture has a line ``class top left bottom right`` for each thing, coordinates in shares of the sides.
    """

    classes: tuple[str, ...]
    limits: Mapping[str, float] = field(default_factory=dict)

    def evaluate(self, sequences: Sequence[StepSequence], results: Sequence[StepResult]) -> Evaluation:
        """Return the keys map and map_50 (at an overlap of 0.5 alone)."""
        pictures = [self._matches(sequence, outputs) for sequence, outputs in _pictures(self, sequences, results)]
        whole = {
            chosen: average_precisions(pictures, chosen) for chosen in {name for each in pictures for name in each}
        }

        def figure(left_out: int | None) -> float:
            # Only the classes on a picture change without it.
            changed = {} if left_out is None else pictures[left_out]
            rest = [picture for number, picture in enumerate(pictures) if number != left_out] if changed else pictures
            return _mean([average_precisions(rest, name) if name in changed else whole[name] for name in whole])

        values = {"map": figure(None), "map_50": _mean([found[:1] for found in whole.values()])}
        return judge_by_truth(values, {"map": jackknife(len(pictures), figure)}, self.limits)

    def _matches(self, sequence: StepSequence, outputs: Sequence[Array]) -> dict[str, Matches]:
        """Return the detections on a picture by class, compared with the truth."""
        boxes, labels, scores, count = _detections(outputs)
        things = self._things(sequence)
        found = {}
        for number, name in enumerate(self.classes):
            own = np.flatnonzero(labels[:count] == number)
            # A score that is no number ranks above all others.
            ranks = np.where(np.isnan(scores[own]), np.inf, scores[own])
            own = own[np.argsort(-ranks, kind="stable")]
            true = np.array([box for label, box in things if label == name]).reshape(-1, _CORNERS)
            if len(own) or len(true):
                right = _right(overlaps(boxes[own], true))
                found[name] = Matches(np.sort(ranks)[::-1], right, len(true))
        return found

    def _things(self, sequence: StepSequence) -> list[tuple[str, list[float]]]:
        """Return class and box of each thing on a picture."""
        things = []
        for line in sequence.truth.decode("utf-8", "replace").splitlines():
            name, *numbers = line.split()
            try:
                box = [float(number) for number in numbers]
            except ValueError:
                box = []
            if name not in self.classes or len(box) != _CORNERS:
                raise DataError(
                    f"{sequence.truth_file}: {line!r} is not the name of a class and top, left, bottom and right"
                )
            things.append((name, box))
        return things


def _detections(outputs: Sequence[Array]) -> tuple[Doubles, Doubles, Doubles, int]:
    """Return boxes, classes, scores and count of a detection head.

    :raises DataError: the outputs are not those of a detection head.
    """
    sizes = [output.size for output in outputs]
    rows = sizes[1] if len(sizes) == _DETECTION_OUTPUTS else 0
    if not rows or sizes != [_CORNERS * rows, rows, rows, 1]:
        raise DataError(f"MeanAveragePrecision needs boxes, classes, scores and count, not outputs of {sizes} elements")
    boxes, labels, scores, count = (output.astype(np.float64) for output in outputs)
    valid = float(count[0])
    return boxes.reshape(-1, _CORNERS), labels, scores, int(min(max(valid, 0), rows)) if math.isfinite(valid) else 0


def overlaps(boxes: Doubles, others: Doubles) -> Doubles:
    """Return intersection over union of each box with each other one, [boxes, others]; 0 if there is no union."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    shared = (high - low).clip(0).prod(axis=2)
    areas = [(these[:, 2:] - these[:, :2]).clip(0).prod(axis=1) for these in (boxes, others)]
    union = areas[0][:, None] + areas[1] - shared
    result: Doubles = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    return result


def _right(overlap: Doubles) -> npt.NDArray[np.bool_]:
    """Return for each detection, best first, and threshold if it is the first that finds a thing."""
    detections, things = overlap.shape
    right = np.zeros((detections, len(OVERLAPS)), bool)
    for column, threshold in enumerate(OVERLAPS):
        free = np.ones(things, bool)
        for row in range(detections):
            candidates = np.flatnonzero(free & (overlap[row] >= threshold))
            if candidates.size:
                free[candidates[np.argmax(overlap[row, candidates])]] = False
                right[row, column] = True
    return right


def average_precisions(pictures: Sequence[Mapping[str, Matches]], name: str) -> Doubles:
    """Return the average precision of a class at each threshold; nothing if no picture has a thing of the class."""
    found = [picture[name] for picture in pictures if name in picture]
    things = sum(matches.things for matches in found)
    if not things:
        return np.zeros(0)
    order = np.argsort(-np.concatenate([matches.scores for matches in found]), kind="stable")
    right = np.concatenate([matches.right for matches in found])[order].cumsum(axis=0)
    if not len(right):
        return np.zeros(len(OVERLAPS))
    precision = right / np.arange(1, len(right) + 1)[:, None]
    # The precision of a recall is the best one of this or a larger recall.
    precision = np.maximum.accumulate(precision[::-1], axis=0)[::-1]
    sums = np.zeros(len(OVERLAPS))
    for column in range(len(OVERLAPS)):
        places = np.searchsorted(right[:, column], np.ceil(_RECALLS * things - _TINY), side="left")
        reached = places < len(right)
        sums[column] = precision[places[reached], column].sum()
    return sums / len(_RECALLS)


def _mean(parts: Sequence[Doubles]) -> float:
    """Return the mean of all numbers; NaN if there are none."""
    numbers = np.concatenate([*parts, np.zeros(0)])
    return float(numbers.mean()) if numbers.size else math.nan


@dataclass(frozen=True)
class MeanIntersectionOverUnion:
    """Mean intersection over union of segmenters, over the classes that occur in the truth or in the answers.

    The output has a number for each pixel and class, classes innermost; the largest decides, of equal ones the first.
    The truth of a picture is an image file of class numbers; 255 does not count.
    """

    classes: tuple[str, ...]
    limits: Mapping[str, float] = field(default_factory=dict)

    def evaluate(self, sequences: Sequence[StepSequence], results: Sequence[StepResult]) -> Evaluation:
        """Return the keys miou and pixel_accuracy."""
        tables = np.stack([self._table(sequence, outputs) for sequence, outputs in _pictures(self, sequences, results)])
        whole = tables.sum(axis=0)
        examples = {"miou": jackknife(len(tables), lambda out: _miou(whole if out is None else whole - tables[out]))}
        right = float(np.trace(whole) / whole.sum()) if whole.sum() else math.nan
        return judge_by_truth({"miou": _miou(whole), "pixel_accuracy": right}, examples, self.limits)

    def _table(self, sequence: StepSequence, outputs: Sequence[Array]) -> npt.NDArray[np.int64]:
        """Return the number of pixels of each true class (rows) that got each class (columns)."""
        mask = _decoded(sequence, "L").reshape(-1).astype(np.int64)
        count = len(self.classes)
        if outputs[0].size != mask.size * count:
            size = f"{mask.size} pixels of {count} classes"
            raise DataError(f"{sequence.truth_file}: {size}; the model has {outputs[0].size} outputs")
        counted = mask != _UNLABELLED
        if mask[counted].max(initial=0) >= count:
            raise DataError(f"{sequence.truth_file}: class {mask[counted].max()} of {count} classes, counted from 0")
        # NaN ranks above every number, as in TopK.
        answers = outputs[0].reshape(-1, count).argmax(axis=1)
        return np.bincount(mask[counted] * count + answers[counted], minlength=count**2).reshape(count, count)


def _miou(table: npt.NDArray[np.int64]) -> float:
    """Return the mean intersection over union of a table of true and found classes."""
    union = table.sum(axis=0) + table.sum(axis=1) - np.diag(table)
    return float((np.diag(table)[union > 0] / union[union > 0]).mean()) if union.any() else math.nan


@dataclass(frozen=True)
class PeakSignalToNoise:
    """Peak signal-to-noise ratio in dB of networks that make pictures, the mean over the pictures.

    The output is a picture in [-1, 1], or codes of the scale 2 / 256 whose zero point stands for 0, as preprocessed
    pictures have. The truth is an image file. A picture without any error counts as one with an error of half a level.
    """

    limits: Mapping[str, float] = field(default_factory=dict)

    def evaluate(self, sequences: Sequence[StepSequence], results: Sequence[StepResult]) -> Evaluation:
        """Return the key psnr_db."""
        ratios = tuple(_psnr(sequence, outputs[0]) for sequence, outputs in _pictures(self, sequences, results))
        return judge_by_truth({"psnr_db": math.fsum(ratios) / len(ratios)}, {"psnr_db": ratios}, self.limits)


def _psnr(sequence: StepSequence, output: Array) -> float:
    """Return the ratio of one picture; minus infinity if a value is no number."""
    true = _decoded(sequence, "RGB").reshape(-1).astype(np.float64)
    if output.size != true.size:
        raise DataError(f"{sequence.truth_file}: {true.size} values of pixels; the model has {output.size} outputs")
    values = output.astype(np.float64)
    if output.dtype.kind != "f":
        values = (values - (_MIDDLE if output.dtype == np.uint8 else 0)) / _MIDDLE
    error = float(np.mean((((values + 1) * _WHITE / 2).clip(0, _WHITE) - true) ** 2))
    return 10 * math.log10(_WHITE**2 / max(error, 0.25)) if math.isfinite(error) else -math.inf


def _decoded(sequence: StepSequence, mode: str) -> npt.NDArray[np.uint8]:
    """Return the image that is a sequence's truth; palettes of masks are ignored.

    :raises DataError: it is no image.
    :raises MissingExtraError: if the ``models`` extra is not installed.
    """
    with open_picture(io.BytesIO(sequence.truth), sequence.truth_file) as image:
        as_it_is = mode == "L" and image.mode == "P"
        return np.asarray(image if as_it_is else image.convert(mode), dtype=np.uint8)


def _pictures(
    evaluator: object, sequences: Sequence[StepSequence], results: Sequence[StepResult]
) -> Iterator[tuple[StepSequence, tuple[Array, ...]]]:
    """Yield each picture that was run with its outputs.

    :raises DataError: there are no results, or the entry has no pictures with a truth.
    """
    name = type(evaluator).__name__
    if not results:
        raise DataError(f"{name} has no results to score")
    for result in results:
        sequence = sequences[result.sequence]
        if len(sequence.steps) != 1 or not sequence.truth_file:
            raise DataError(f"{name} needs pictures with a 'truth' of their own in the model list")
        yield sequence, result.outputs
