"""Scores of detectors, segmenters and upscalers, against numbers worked out by hand and a second, naive calculation."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

import numpy as np
import pytest

from nnvet.formats.errors import DataError
from nnvet.models.datasets import Step, StepSequence
from nnvet.models.evaluation import StepResult, jackknife
from nnvet.models.places import (
    OVERLAPS,
    MeanAveragePrecision,
    MeanIntersectionOverUnion,
    PeakSignalToNoise,
    overlaps,
)

Image = pytest.importorskip("PIL.Image", reason="pictures need the extra 'models'")
Box = tuple[float, float, float, float]
Found = tuple[int, float, Box]
"""Class, score and box of a detection."""
NAMES = ("cat", "dog")
ROWS = 12


def picture(truth: bytes) -> StepSequence:
    """One picture with its truth."""
    return StepSequence((Step(lambda: b""),), truth, "truth-file")


def things(*listed: tuple[str, Box]) -> StepSequence:
    """One picture with things."""
    return picture("".join(f"{name} {' '.join(map(str, box))}\n" for name, box in listed).encode())


def detections(*found: Found, count: float | None = None) -> tuple[np.ndarray, ...]:
    """Outputs of a detection head; the rows behind the last detection hold nonsense."""
    boxes, classes, scores = np.full((ROWS, 4), 0.3), np.ones(ROWS), np.full(ROWS, 0.99)
    for row, (label, score, box) in enumerate(found):
        boxes[row], classes[row], scores[row] = box, label, score
    arrays = boxes.reshape(-1), classes, scores, np.array([len(found) if count is None else count])
    return tuple(array.astype(np.float32) for array in arrays)


def score(
    evaluator: MeanAveragePrecision, *pairs: tuple[StepSequence, tuple[np.ndarray, ...]]
) -> tuple[dict[str, float], tuple[float, ...]]:
    """Figures of pictures with their outputs, and those of each picture."""
    found = evaluator.evaluate(
        [sequence for sequence, _ in pairs],
        [StepResult(number, 0, outputs) for number, (_, outputs) in enumerate(pairs)],
    )
    return found.values, found.by_example["map"]


def naive_iou(left: Sequence[float], right: Sequence[float]) -> float:
    """Intersection over union, by the definition."""
    height = min(left[2], right[2]) - max(left[0], right[0])
    width = min(left[3], right[3]) - max(left[1], right[1])
    if height <= 0 or width <= 0:
        return 0.0
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (left, right)]
    return height * width / (sum(areas) - height * width)


def naive_map(truths: Sequence[Sequence[tuple[int, Box]]], answers: Sequence[Sequence[Found]]) -> float:
    """COCO's mean average precision, calculated as its description reads, detection by detection."""
    averages = []
    for label in sorted({label for truth in truths for label, _ in truth}):
        ranked = sorted(
            (
                (-confidence, number, box)
                for number, found in enumerate(answers)
                for own, confidence, box in found
                if own == label
            ),
            key=lambda row: row[:2],
        )
        total = sum(own == label for truth in truths for own, _ in truth)
        for threshold in (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
            taken: set[tuple[int, int]] = set()
            curve, hits = [], 0
            for rank, (_, number, box) in enumerate(ranked, start=1):
                best, chosen = threshold, None
                for index, (own, other) in enumerate(truths[number]):
                    free = own == label and (number, index) not in taken
                    if free and naive_iou(box, other) >= best and (chosen is None or naive_iou(box, other) > best):
                        best, chosen = naive_iou(box, other), index
                if chosen is not None:
                    taken.add((number, chosen))
                    hits += 1
                curve.append((hits / total, hits / rank))
            points = [max((p for r, p in curve if r >= recall / 100 - 1e-9), default=0.0) for recall in range(101)]
            averages.append(sum(points) / 101)
    return sum(averages) / len(averages)


CAT: Box = (0.1, 0.1, 0.5, 0.5)
DOG: Box = (0.5, 0.5, 0.9, 0.9)


def test_overlaps_by_hand() -> None:
    """The same box, a half of it, boxes that only touch, and boxes without an area."""
    boxes = np.array([[0, 0, 2, 2], [0, 0, 1, 2], [2, 0, 4, 2], [1, 1, 1, 1]], float)
    np.testing.assert_allclose(overlaps(boxes, boxes[:1])[:, 0], [1, 0.5, 0, 0])
    np.testing.assert_allclose(overlaps(boxes[3:], boxes[3:]), [[0]])


def test_perfect_and_useless_detectors() -> None:
    """1 for the truth itself, 0 for nothing, for the wrong class, and for boxes elsewhere."""
    evaluator = MeanAveragePrecision(NAMES)
    truth = things(("cat", CAT), ("dog", DOG))
    assert score(evaluator, (truth, detections((0, 0.9, CAT), (1, 0.6, DOG))))[0] == {"map": 1.0, "map_50": 1.0}
    for wrong in ((), ((1, 0.9, CAT), (0, 0.9, DOG)), ((0, 0.9, DOG), (1, 0.9, CAT))):
        assert score(evaluator, (truth, detections(*wrong)))[0] == {"map": 0.0, "map_50": 0.0}


def test_average_precision_by_hand() -> None:
    """Two cats; ranked: one right, one wrong, one right. Precision is 1 up to recall 1/2 (51 points), then 2/3 (50)."""
    outputs = detections((0, 0.9, CAT), (0, 0.8, (0.0, 0.6, 0.1, 0.7)), (0, 0.7, DOG))
    values, _ = score(MeanAveragePrecision(NAMES), (things(("cat", CAT), ("cat", DOG)), outputs))
    assert values["map"] == pytest.approx((51 + 50 * 2 / 3) / 101, abs=1e-12)


def test_a_second_detection_of_a_thing_is_wrong() -> None:
    """It lowers the precision only if it ranks before a right one."""
    truth = things(("cat", CAT), ("cat", DOG))
    late = detections((0, 0.9, CAT), (0, 0.8, DOG), (0, 0.7, CAT))
    early = detections((0, 0.9, CAT), (0, 0.8, CAT), (0, 0.7, DOG))
    evaluator = MeanAveragePrecision(NAMES)
    assert score(evaluator, (truth, late))[0]["map"] == 1
    assert score(evaluator, (truth, early))[0]["map"] == pytest.approx((51 + 50 * 2 / 3) / 101)


def test_overlap_decides_by_threshold() -> None:
    """A box that overlaps by 0.72 is right at 0.5 to 0.7: five of ten thresholds, all of them at 0.5."""
    narrow = (0.0, 0.0, 0.72, 1.0)
    values, _ = score(MeanAveragePrecision(NAMES), (things(("cat", (0, 0, 1, 1))), detections((0, 0.5, narrow))))
    assert values == {"map": pytest.approx(0.5), "map_50": 1.0}


def test_random_detections_against_the_naive_calculation() -> None:
    """Twenty data sets of shifted boxes, wrong classes, misses, duplicates and equal scores."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        truths: list[list[tuple[int, Box]]] = []
        answers: list[list[Found]] = []
        for _ in range(int(rng.integers(2, 7))):
            truth = []
            for _ in range(int(rng.integers(0, 4))):
                y, x = rng.uniform(0, 0.6, 2)
                truth.append((int(rng.integers(2)), (y, x, y + rng.uniform(0.1, 0.4), x + rng.uniform(0.1, 0.4))))
            found = [
                (label if rng.random() < 0.8 else 1 - label, round(float(rng.random()), 1), _shifted(box, rng))
                for label, box in truth * int(rng.integers(1, 3))
                if rng.random() < 0.9
            ]
            truths.append(truth)
            answers.append(sorted(found, key=lambda row: -row[1]))
        if not any(truths):
            continue
        pairs = [
            (things(*((NAMES[label], box) for label, box in truth)), detections(*found))
            for truth, found in zip(truths, answers, strict=True)
        ]
        seen = [[(label, s, _float32(box)) for label, s, box in found] for found in answers]
        values, by_picture = score(MeanAveragePrecision(NAMES), *pairs)
        assert values["map"] == pytest.approx(naive_map(truths, seen), abs=1e-9)
        assert len(by_picture) == len(pairs)
        if sum(map(bool, truths)) > 1:
            count = len(truths)
            rests = [naive_map(truths[:n] + truths[n + 1 :], seen[:n] + seen[n + 1 :]) for n in range(count)]
            expected = [values["map"] + (count - 1) * (sum(rests) / count - rest) for rest in rests]
            assert by_picture == pytest.approx(expected, abs=1e-7)


def _shifted(box: Box, rng: np.random.Generator) -> Box:
    moved = np.array(box) + rng.normal(0, 0.02, 4)
    return (moved[0], moved[1], moved[2], moved[3])


def _float32(box: Box) -> Box:
    y, x, bottom, right = np.array(box, np.float32).astype(float).tolist()
    return (y, x, bottom, right)


def test_nonsense_of_a_driver_is_no_error_of_ours() -> None:
    """Counts beyond the rows or no number, boxes and classes of NaN: they find nothing; NaN as a score ranks first."""
    evaluator, truth = MeanAveragePrecision(NAMES), things(("cat", CAT))
    right = (0, 0.5, CAT)
    nan = math.nan
    assert score(evaluator, (truth, detections(right, count=nan)))[0]["map"] == 0
    assert score(evaluator, (truth, detections(right, count=-3)))[0]["map"] == 0
    assert score(evaluator, (truth, detections(right, count=1e9)))[0]["map"] == 1
    wild = detections(right, (0, nan, (nan, nan, nan, nan)))
    assert score(evaluator, (truth, wild))[0]["map"] == pytest.approx(0.5)
    boxes, classes, scores, count = detections(right)
    classes[0] = nan
    assert score(evaluator, (truth, (boxes, classes, scores, count)))[0]["map"] == 0


@pytest.mark.parametrize(
    ("sequence", "outputs", "message"),
    [
        (things(("cow", CAT)), detections(), "truth-file: 'cow .*' is not the name of a class"),
        (picture(b"cat 0 0 1\n"), detections(), "is not the name of a class and top, left, bottom and right"),
        (picture(b"cat 0 0 1 x\n"), detections(), "is not the name of a class and top, left, bottom and right"),
        (things(), detections()[:3], "needs boxes, classes, scores and count"),
        (things(), (*detections()[:3], np.zeros(2, np.float32)), "needs boxes, classes, scores and count"),
        (StepSequence((Step(lambda: b""),)), detections(), "needs pictures with a 'truth'"),
        (StepSequence((Step(lambda: b""),) * 2, b"", "file"), detections(), "needs pictures with a 'truth'"),
    ],
)
def test_bad_data_of_detectors(sequence: StepSequence, outputs: tuple[np.ndarray, ...], message: str) -> None:
    """Unknown classes, lines of another form, other outputs, and entries without a truth are named."""
    with pytest.raises(DataError, match=message):
        MeanAveragePrecision(NAMES).evaluate([sequence], [StepResult(0, 0, outputs)])


def test_limits_of_figures_that_are_better_if_larger() -> None:
    """A limit is the smallest acceptable value; one of an unknown figure is an error."""
    truth, outputs = things(("cat", CAT)), detections((0, 0.5, CAT), (0, 0.9, DOG))
    results = [StepResult(0, 0, outputs)]
    assert not MeanAveragePrecision(NAMES, {"map": 0.5}).evaluate([truth], results).errors
    (error,) = MeanAveragePrecision(NAMES, {"map": 0.51}).evaluate([truth], results).errors
    assert error == "map is below its limit 0.51: 0.5"
    with pytest.raises(DataError, match="limits of top_1: the evaluator has the figures map, map_50"):
        MeanAveragePrecision(NAMES, {"top_1": 0.5}).evaluate([truth], results)


def test_pseudo_values_of_a_mean_are_the_values() -> None:
    """For a mean, an example's pseudo-value is its own value; for any figure, their mean is the figure."""
    values = [1.0, 4.0, 10.0]

    def mean(left_out: int | None) -> float:
        rest = [value for index, value in enumerate(values) if index != left_out]
        return sum(rest) / len(rest)

    assert jackknife(3, mean) == pytest.approx(values)
    assert jackknife(1, lambda _: 7.0) == (7.0,)

    def largest(left_out: int | None) -> float:
        return max(value for index, value in enumerate(values) if index != left_out)

    assert jackknife(3, largest) == pytest.approx((6, 6, 18))
    assert jackknife(2, lambda left_out: {None: 4.0, 0: math.nan, 1: 3.0}[left_out]) == pytest.approx((3.5, 4.5))


def image(array: np.ndarray, mode: str | None = None) -> bytes:
    """A picture as a PNG file."""
    stream = io.BytesIO()
    made = Image.fromarray(array)
    if mode == "P":
        made = Image.new("P", (array.shape[1], array.shape[0]))
        made.putpalette([200, 0, 0, 0, 200, 0] * 128)
        made.putdata(array.reshape(-1).tolist())
    made.save(stream, "PNG")
    return stream.getvalue()


def logits(answers: np.ndarray, classes: int) -> np.ndarray:
    """Outputs whose largest number is that of the answers."""
    return (answers.reshape(-1, 1) == np.arange(classes)).astype(np.float32).reshape(-1)


@pytest.mark.parametrize("mode", [None, "P"])
def test_mean_iou_by_hand(mode: str | None) -> None:
    """Of class 0 one of three pixels, of class 1 two of four, class 2 nowhere: (1/3 + 2/4) / 2. One does not count."""
    mask = np.array([[0, 0, 1], [1, 1, 255]], np.uint8)
    answers = np.array([[0, 1, 1], [1, 0, 0]])
    found = MeanIntersectionOverUnion(("a", "b", "c")).evaluate(
        [picture(image(mask, mode))], [StepResult(0, 0, (logits(answers, 3),))]
    )
    assert found.values == {"miou": pytest.approx((1 / 3 + 2 / 4) / 2), "pixel_accuracy": pytest.approx(3 / 5)}
    assert found.by_example["miou"] == (pytest.approx(found.values["miou"]),)


def test_mean_iou_sums_over_pictures() -> None:
    """Pixels are counted over all pictures before dividing; equal outputs are the first class; NaN ranks first."""
    masks = [np.array([[0, 0]], np.uint8), np.array([[1, 0]], np.uint8)]
    outputs = [np.array([1, 1, 0, 5], np.float32), np.array([0, 3, 9, math.nan], np.float32)]
    results = [StepResult(number, 0, (output,)) for number, output in enumerate(outputs)]
    found = MeanIntersectionOverUnion(("a", "b")).evaluate([picture(image(mask)) for mask in masks], results)
    # Class 0: one pixel right of three; class 1: one right, two more found.
    assert found.values["miou"] == pytest.approx((1 / 3 + 1 / 3) / 2)
    # Alone, the first picture has 1/2 and 0, the second 0 and 1/2: neither is better than the other.
    assert found.by_example["miou"] == pytest.approx((1 / 3, 1 / 3))


def test_bad_data_of_segmenters() -> None:
    """A truth that is no picture, one of another size, and unknown classes."""
    evaluator = MeanIntersectionOverUnion(("a", "b"))
    mask = np.array([[0, 2]], np.uint8)
    for truth, size, message in (
        (b"no picture", 4, "truth-file: cannot be decoded as a picture"),
        (image(mask), 6, "truth-file: 2 pixels of 2 classes; the model has 6 outputs"),
        (image(mask), 4, "truth-file: class 2 of 2 classes, counted from 0"),
    ):
        with pytest.raises(DataError, match=message):
            evaluator.evaluate([picture(truth)], [StepResult(0, 0, (np.zeros(size, np.float32),))])


@pytest.mark.parametrize(
    ("output", "ratio"),
    [
        # All pixels are 255, and the true ones 245: 20 * log10(255 / 10).
        (np.ones(3, np.float32), 28.1308),
        # -1 is 0, 245 levels off; what is beyond the range is cut off.
        (np.full(3, -1, np.float32), 20 * math.log10(255 / 245)),
        (np.full(3, -7, np.float32), 20 * math.log10(255 / 245)),
        # Code 251 is (251 - 128) / 128 = 0.9609375, level 250.02; 123 of int8 is the same.
        (np.full(3, 251, np.uint8), 20 * math.log10(255 / (250.01953125 - 245))),
        (np.full(3, 123, np.int8), 20 * math.log10(255 / (250.01953125 - 245))),
        # No error at all counts as half a level.
        (np.full(3, 245 * 2 / 255 - 1, np.float32), 20 * math.log10(255 / 0.5)),
        (np.array([0, math.nan, 0], np.float32), -math.inf),
    ],
)
def test_signal_to_noise_by_hand(output: np.ndarray, ratio: float) -> None:
    """Of a single grey pixel, as floats and codes."""
    true = np.full((1, 1, 3), 245, np.uint8)
    found = PeakSignalToNoise().evaluate([picture(image(true))], [StepResult(0, 0, (output,))])
    assert found.values["psnr_db"] == pytest.approx(ratio, abs=1e-3)


def test_bad_data_of_upscalers() -> None:
    """Another size, and no results."""
    true = picture(image(np.zeros((2, 2, 3), np.uint8)))
    with pytest.raises(DataError, match="truth-file: 12 values of pixels; the model has 3 outputs"):
        PeakSignalToNoise().evaluate([true], [StepResult(0, 0, (np.zeros(3, np.float32),))])
    with pytest.raises(DataError, match="PeakSignalToNoise has no results to score"):
        PeakSignalToNoise().evaluate([true], [])


def test_thresholds_are_those_of_coco() -> None:
    """0.5, 0.55, … 0.95."""
    assert OVERLAPS.tolist() == [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
