"""Bounds of pooling and resizing, against loops in float64 and what drivers do honestly and wrongly."""

from typing import Any

import numpy as np
import pytest

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_estimate
from tests.oracle.bounds.calls import codes, estimated, floats, number

SAME, TWO, THREE, NONE = number(1), number(2), number(3), number(0)
Array = np.ndarray[Any, Any]
POOL = [SAME, TWO, TWO, THREE, THREE, NONE]
"""Scheme, strides of 2, windows of 3 x 3, no activation."""


def seen(image: Array, row: int, column: int) -> Array:
    """Return the cells that the window at a place sees of an image of 5 x 5 cells: padding of 1 on all sides."""
    return image[max(2 * row - 1, 0) : 2 * row + 2, max(2 * column - 1, 0) : 2 * column + 2]


def pooled(images: Array, of: Any) -> Array:
    """Nine windows of each image and channel."""
    result = np.zeros((images.shape[0], 3, 3, images.shape[3]))
    for b, i, j, c in np.ndindex(result.shape):
        result[b, i, j, c] = of(seen(images[b, :, :, c], i, j).astype(np.float64))
    return result


@pytest.fixture
def images() -> Array:
    """Float32 images of 5 x 5 cells."""
    return np.random.default_rng(4).uniform(-2, 2, (3, 5, 5, 6)).astype(np.float32)


OF = {
    O.AVERAGE_POOL_2D: np.mean,
    O.MAX_POOL_2D: np.max,
    O.L2_POOL_2D: lambda cells: np.sqrt(np.mean(cells**2)),
}


@pytest.mark.parametrize("operation", OF)
def test_windows_at_the_edge_count_their_own_cells(operation: O, images: Array) -> None:
    """The ideal value is the loop's; a mean over padding, and results in float16, are wrong."""
    (found,) = estimated(operation, [floats(images), *POOL])
    right = pooled(images, OF[operation])
    np.testing.assert_allclose(found.value, right, rtol=1e-12)
    assert compare_estimate(right.astype(np.float32), found) is None
    assert compare_estimate(right.astype(np.float16).astype(np.float32), found) is not None
    padded = right * pooled(np.ones(images.shape), np.sum) / 9
    assert compare_estimate(padded.astype(np.float32), found) is not None


def test_a_maximum_is_a_copy(images: Array) -> None:
    """Not even one unit in the last place is allowed, and a clamp is exact."""
    (found,) = estimated(O.MAX_POOL_2D, [floats(images), *POOL])
    right = pooled(images, np.max).astype(np.float32)
    assert not found.error.any()
    assert compare_estimate(np.nextafter(right, np.float32(9)), found) is not None


def test_means_of_codes_are_rounded_once() -> None:
    """Halves may go either way; a mean that is cut off is found."""
    random = np.random.default_rng(8)
    image = random.integers(0, 256, (2, 5, 5, 9))
    (found,) = estimated(O.AVERAGE_POOL_2D, [codes(image, 0.5, 77), *POOL])
    right = pooled(image, np.mean)
    assert compare_estimate(np.rint(right).astype(np.uint8), found) is None
    assert compare_estimate(np.floor(right + 0.5).astype(np.uint8), found) is None
    assert compare_estimate(np.trunc(right).astype(np.uint8), found) is not None


def test_bilinear_mixtures_are_within_the_rounding_of_coordinates(images: Array) -> None:
    """A mixture in float64 is right; corners that are aligned though they should not be are wrong."""
    (found,) = estimated(O.RESIZE_BILINEAR, [floats(images), number(7), number(8)])

    def mixed(height: int, width: int, *, align: bool) -> Array:
        result = np.zeros((3, height, width, 6))
        for y, x in np.ndindex(height, width):
            down, across = (y * 4 / (height - 1), x * 4 / (width - 1)) if align else (y * 5 / height, x * 5 / width)
            top, left = int(down), int(across)
            bottom, right = min(top + 1, 4), min(left + 1, 4)
            dy, dx = down - top, across - left
            upper = images[:, top, left] * (1 - dx) + images[:, top, right] * dx
            lower = images[:, bottom, left] * (1 - dx) + images[:, bottom, right] * dx
            result[:, y, x] = upper * (1 - dy) + lower * dy
        return result.astype(np.float32)

    assert compare_estimate(mixed(8, 7, align=False), found) is None
    assert compare_estimate(mixed(8, 7, align=True), found) is not None
    assert found.error.max() < 1e-4


def test_nearest_pixels_are_copies_but_where_rounding_decides(images: Array) -> None:
    """From 5 to 15 cells every third place is a whole one in real numbers, and below it in some arithmetics."""
    (found,) = estimated(
        O.RESIZE_NEAREST_NEIGHBOR, [floats(images), number(15), number(10), number(0, OperandType.BOOL)]
    )
    right = images[:, np.arange(10) // 2][:, :, np.arange(15) // 3]
    assert compare_estimate(right, found) is None
    is_open = np.isinf(found.error)
    assert is_open[:, :, 3::3].all()
    assert not is_open[:, :, 1::3].any()
    assert not is_open[:, :, 2::3].any()
    assert compare_estimate(np.roll(right, 1, 2), found) is not None
