"""Bounds of operations on regions and boxes, against plain formulas, and what they leave open."""

from typing import Any

import numpy as np
import pytest

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.precision import Estimate
from tests.oracle.bounds.calls import estimated, floats, integers, number

Array = np.ndarray[Any, Any]
REAL = OperandType.FLOAT32
NHWC = number(0, OperandType.BOOL)


def bbox_transform(rois: Array, deltas: Array, images: Array) -> Array:
    """In the number format of the arguments; all regions lie in image 0."""
    kind = rois.dtype.type
    size = np.stack([rois[:, 2] - rois[:, 0], rois[:, 3] - rois[:, 1]], -1)
    centre = (rois[:, :2] + rois[:, 2:]) / kind(2) + deltas[:, :2] * size
    half = np.exp(deltas[:, 2:]) * size / kind(2)
    return np.clip(np.concatenate([centre - half, centre + half], -1), 0, np.tile(images[0, ::-1], 2)).astype(kind)


def test_a_box_is_moved_and_resized_and_clipped() -> None:
    """Float32 is right, float16 and a box that is not clipped are wrong."""
    random = np.random.default_rng(3)
    corners = random.uniform(0, 40, (20, 2))
    rois = np.concatenate([corners, corners + random.uniform(1, 30, (20, 2))], -1).astype(np.float32)
    deltas = random.uniform(-0.5, 0.5, (20, 4)).astype(np.float32)
    images = np.array([[50.0, 60.0]], np.float32)
    operands = [floats(rois), floats(deltas), integers(np.zeros(20)), floats(images)]
    (found,) = estimated(O.AXIS_ALIGNED_BBOX_TRANSFORM, operands)
    ideal = bbox_transform(*(array.astype(np.float64) for array in (rois, deltas, images)))
    np.testing.assert_allclose(found.value, ideal, rtol=1e-12)
    assert compare_estimate(bbox_transform(rois, deltas, images), found) is None
    coarse = bbox_transform(*(array.astype(np.float16) for array in (rois, deltas, images)))
    assert compare_estimate(coarse.astype(np.float32), found) is not None
    wide = bbox_transform(rois, deltas, images * np.float32(9))
    assert compare_estimate(wide, found) is not None


def align(features: Array, roi: Array, *, samples: int) -> Array:
    """Of one region on one image without channels: 2 x 2 cells, ratio 2."""
    x1, y1, x2, y2 = roi.astype(np.float64) / 2
    step = np.array([max(y2 - y1, 1), max(x2 - x1, 1)]) / 2
    found = np.zeros((2, 2))
    for i, j in np.ndindex(2, 2):
        for a, b in np.ndindex(samples, samples):
            y = y1 + step[0] * (i + (a + 0.5) / samples)
            x = x1 + step[1] * (j + (b + 0.5) / samples)
            top, left = int(y), int(x)
            bottom, right = min(top + 1, features.shape[0] - 1), min(left + 1, features.shape[1] - 1)
            dy, dx = y - top, x - left
            upper = features[top, left] * (1 - dx) + features[top, right] * dx
            lower = features[bottom, left] * (1 - dx) + features[bottom, right] * dx
            found[i, j] += upper * (1 - dy) + lower * dy
    return found / samples**2


@pytest.fixture
def features() -> Array:
    """An image of 8 x 8 cells."""
    return np.random.default_rng(13).uniform(-2, 2, (8, 8)).astype(np.float32)


def regions(
    features: Array, roi: Array, operation: O, *extra: int, relaxed: bool = False, ratio: float = 2.0
) -> Estimate:
    """Estimates of 2 x 2 cells of one region."""
    size = [number(2), number(2), number(ratio, REAL), number(ratio, REAL)]
    operands = [floats(features[None, :, :, None]), floats(roi[None]), integers([0]), *size, *map(number, extra), NHWC]
    return estimated(operation, operands, relaxed=relaxed)[0]


def test_samples_are_interpolated(features: Array) -> None:
    """A mean in float64 is right; that of fewer samples, and one of the next region, are wrong."""
    roi = np.array([1.3, 2.1, 9.7, 12.3], np.float32)
    found = regions(features, roi, O.ROI_ALIGN, 2, 2)
    assert compare_estimate(align(features, roi, samples=2)[None, ..., None].astype(np.float32), found) is None
    assert compare_estimate(align(features, roi, samples=1)[None, ..., None].astype(np.float32), found) is not None
    moved = align(features, roi + np.float32(0.1), samples=2)
    assert compare_estimate(moved[None, ..., None].astype(np.float32), found) is not None
    assert found.error.max() < 1e-3


@pytest.mark.parametrize(("exponent", "overflows"), [(126, True), (122, False)])
def test_sums_of_samples_may_overflow(features: Array, exponent: int, overflows: bool) -> None:
    """Four samples are added before they are divided by four: of 2^126 each, that is beyond float32."""
    roi, large = np.array([1.3, 2.1, 9.7, 12.3], np.float32), np.ldexp(1 + np.abs(features) / 4, exponent)
    found = regions(large, roi, O.ROI_ALIGN, 2, 2)
    mean = align(large.astype(np.float64), roi, samples=2)[None, ..., None]
    assert compare_estimate(mean.astype(np.float32), found) is None
    assert (compare_estimate(np.full(mean.shape, np.inf, np.float32), found) is None) is overflows


def test_an_infinite_pixel_may_be_left_out() -> None:
    """A sample at 0.9999 lies between two pixels, of which the left one is infinite; in float16 it lies at 1."""
    features = np.array([[np.inf, 1], [1, 1]], np.float32)
    found = regions(features, np.array([1.4998, 0.5, 3.4, 2.5], np.float32), O.ROI_ALIGN, 1, 1, relaxed=True)
    for upper_left in (1, np.inf):
        right = np.array([[upper_left, 1], [1, 1]], np.float32)[None, ..., None]
        assert compare_estimate(right, found) is None


def test_a_pooled_region_is_open_only_where_rounding_decides(features: Array) -> None:
    """Corners at 2.5 cells may be rounded to either side, and those near it where regions may be float16."""
    decided = regions(features, np.array([2.2, 2.2, 9.4, 9.4], np.float32), O.ROI_POOLING)
    assert decided.decided is None
    # From cell 1 to cell 5: bins of 2.5 cells, of which the first ends in cell 3 and the second begins there.
    corners = ((1, 4), (3, 6))
    right = np.array([[features[a:b, c:d].max() for c, d in corners] for a, b in corners])[None, ..., None]
    assert compare_estimate(right, decided) is None
    assert compare_estimate(np.roll(right, 1, 2), decided) is not None
    half = regions(features, np.array([5.0, 2.2, 9.4, 9.4], np.float32), O.ROI_POOLING)
    assert half.undecided_share > 0
    near = np.array([4.999, 2.2, 9.4, 9.4], np.float32)
    assert regions(features, near, O.ROI_POOLING).decided is None
    assert regions(features, near, O.ROI_POOLING, relaxed=True).undecided_share > 0


def test_relaxed_ratios_may_be_float16(features: Array) -> None:
    """The corners are numbers of float16: 13.5 / 3.0005 is 4.4993, of which 3.0005 in float16, 3, makes 4.5."""
    corners = np.array([0.0, 0.0, 13.5, 13.5], np.float32)
    assert regions(features, corners, O.ROI_POOLING, ratio=3.0005).decided is None
    assert regions(features, corners, O.ROI_POOLING, ratio=3.0005, relaxed=True).undecided_share > 0


def heatmap(maps: Array) -> list[Estimate]:
    """Estimates of score and place in a box from (0, 0) to (8, 8)."""
    boxes = np.tile(np.array([[0, 0, 8, 8]], np.float32), (len(maps), 1))
    return estimated(O.HEATMAP_MAX_KEYPOINT, [floats(maps[..., None]), floats(boxes), NHWC], floats([]), floats([]))


def test_a_paraboloid_has_its_maximum_where_it_is() -> None:
    """The refined maximum of a quadratic function is its own, and half a cell beside it is wrong."""
    rows, columns = np.indices((8, 8))
    y, x = 3.3, 4.4
    maps = (2 - 0.3 * (rows - y) ** 2 - 0.2 * (columns - x) ** 2)[None].astype(np.float32)
    score, place = heatmap(maps)
    assert compare_estimate(np.array([[2.0]], np.float32), score) is None
    assert compare_estimate(np.array([[[x + 0.5, y + 0.5]]], np.float32), place) is None
    assert compare_estimate(np.array([[[x, y]]], np.float32), place) is not None
    assert compare_estimate(np.array([[2.001]], np.float32), score) is not None


def test_a_flat_map_is_left_open_where_its_determinant_is_at_the_threshold() -> None:
    """A flat map is left open: rounding decides if the maximum is refined."""
    maps = np.zeros((1, 8, 8), np.float32)
    maps[0, 3, 4] = np.sqrt(1e-5 / (1 - 1e-5)) / 2
    score, place = heatmap(maps)
    assert score.undecided_share == place.undecided_share == 1
    maps[0, 3, 4] = 1
    assert heatmap(maps)[1].decided is None


def detections(scores: list[float], *, relaxed: bool = False) -> list[Estimate]:
    """Estimates of BOX_WITH_NMS_LIMIT for three boxes of one class, of which the first two overlap by 0.6."""
    boxes = np.array([[0, 0, 10, 10], [0, 0, 10, 6], [20, 20, 30, 30]], np.float32)
    table = np.stack([np.zeros(3), scores], -1).astype(np.float32)
    settings = [number(0.25, REAL), number(-1), number(0), number(0.5, REAL), number(1.0, REAL), number(0.2, REAL)]
    operands = [floats(table), floats(np.tile(boxes, 2)), integers(np.zeros(3)), *settings]
    return estimated(
        O.BOX_WITH_NMS_LIMIT, operands, floats([]), floats([]), integers([]), integers([]), relaxed=relaxed
    )


def test_boxes_are_decided_unless_a_score_is_at_a_threshold_or_at_another() -> None:
    """Of two equal scores, and of one within the errors of the threshold, nobody knows what is chosen."""
    scores, boxes, *_ = detections([0.9, 0.8, 0.7])
    assert compare_estimate(np.array([0.9, 0.7], np.float32), scores) is None
    assert compare_estimate(np.array([0.7, 0.9], np.float32), scores) is not None
    assert compare_estimate(np.array([[0, 0, 10, 10], [20, 20, 30, 30]], np.float32), boxes) is None
    assert compare_estimate(np.array([[0, 0, 10, 6], [20, 20, 30, 30]], np.float32), boxes) is not None
    # Both are only chosen: not even four units in the last place are granted.
    assert compare_estimate(np.array([0.9, 0.7], np.float32) * np.float32(1 + 2.0**-21), scores) is not None
    assert compare_estimate(boxes.value.astype(np.float32) * np.float32(1 + 2.0**-21), boxes) is not None
    assert all(detection.decided is None for detection in detections([0.9, 0.8, 0.7]))
    assert all(detection.undecided_share == 1 for detection in detections([0.9, 0.8, 0.25]))
    assert all(detection.undecided_share == 1 for detection in detections([0.9, 0.8, 0.25 + 1e-5], relaxed=True))
