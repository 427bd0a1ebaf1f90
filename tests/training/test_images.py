"""The drawn data set: outlines against brute force, pictures the same everywhere, classes balanced."""

from __future__ import annotations

import io
from collections import Counter

import numpy as np
import pytest

from nnvet.models.bundled import ZOO
from training.images import dataset
from training.images.scenes import class_of, draw
from training.images.shapes import SHAPES, Field, box, capsule, circle, polygon

PICTURES = ZOO / "images"
Image = pytest.importorskip("PIL.Image", reason="pictures need the extra 'models'")
CORNERS = [(-0.5, -0.5), (0.75, -0.25), (0.0, 0.0), (0.25, 0.75)]


def _plane() -> tuple[Field, Field]:
    y, x = np.mgrid[-1:1:41j, -1:1:41j]
    return x, y


def _brute_force(inside: Field, x: Field, y: Field, outline: list[tuple[float, float]]) -> Field:
    """Signed distance to the nearest of many points on an outline."""
    distance = np.min([np.hypot(x - px, y - py) for px, py in outline], axis=0)
    return np.where(inside, -distance, distance)


def _points(corners: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Many points on a polygon's outline."""
    pairs = zip(corners, [*corners[1:], corners[0]], strict=True)
    return [(ax + (bx - ax) * t, ay + (by - ay) * t) for (ax, ay), (bx, by) in pairs for t in np.linspace(0, 1, 200)]


def _in_triangle(x: Field, y: Field, *corners: tuple[float, float]) -> Field:
    """Points on the same side of all three sides."""
    pairs = zip(corners, (*corners[1:], corners[0]), strict=True)
    sides = [(x - ax) * (by - ay) - (y - ay) * (bx - ax) <= 1e-9 for (ax, ay), (bx, by) in pairs]
    return np.logical_and.reduce(sides)


def test_distances_are_those_to_the_nearest_point_of_the_outline() -> None:
    """Disc and rectangle; a polygon that is not convex; and a capsule about a point and a line."""
    x, y = _plane()
    turn = np.linspace(0, 2 * np.pi, 2000).tolist()
    disc = [(0.2 + 0.5 * np.cos(angle), -0.1 + 0.5 * np.sin(angle)) for angle in turn]
    inside = (x - 0.2) ** 2 + (y + 0.1) ** 2 < 0.25
    np.testing.assert_allclose(circle(x, y, 0.2, -0.1, 0.5), _brute_force(inside, x, y, disc), atol=0.005)
    rectangle = [(-0.3, -0.5), (0.5, -0.5), (0.5, 0.1), (-0.3, 0.1)]
    inside = (x > -0.3) & (x < 0.5) & (y > -0.5) & (y < 0.1)
    expected = _brute_force(inside, x, y, _points(rectangle))
    np.testing.assert_allclose(box(x, y, 0.1, -0.2, 0.4, 0.3), expected, atol=0.005)
    np.testing.assert_allclose(polygon(x, y, rectangle), expected, atol=0.005)
    line = [(-0.5 + t, 0.25 * t) for t in np.linspace(0, 1, 1000)]
    expected = _brute_force(np.zeros_like(x, dtype=bool), x, y, line) - 0.1
    np.testing.assert_allclose(capsule(x, y, (-0.5, 0, 0.5, 0.25), 0.1), expected, atol=0.005)
    # The corner in the middle is where the outline turns inwards: two triangles share the line from it.
    inside = _in_triangle(x, y, CORNERS[0], CORNERS[1], CORNERS[2]) | _in_triangle(
        x, y, CORNERS[0], CORNERS[2], CORNERS[3]
    )
    expected = _brute_force(inside, x, y, _points(CORNERS))
    np.testing.assert_allclose(polygon(x, y, CORNERS), expected, atol=0.005)


@pytest.mark.parametrize("name", SHAPES)
def test_every_thing_fills_part_of_the_plane_and_stays_near_its_centre(name: str) -> None:
    """It covers between 4 % and 75 % of the square about it, and nothing beyond 1.15 radii."""
    y, x = np.mgrid[-1.5:1.5:121j, -1.5:1.5:121j]
    rng = np.random.default_rng(1)
    for _ in range(20):
        inside = SHAPES[name](x, y, rng.random) < 0
        assert 0.04 < inside.sum() / (np.maximum(np.abs(x), np.abs(y)) <= 1).sum() < 0.75
        assert np.hypot(x, y)[inside].max() <= 1.15


def test_any_run_of_pictures_is_balanced() -> None:
    """Twelve in a row are twelve classes; the bundled labels and truth say the same."""
    assert sorted(class_of(number) for number in range(5, 17)) == list(range(12))
    labels = (PICTURES / "labels.txt").read_text(encoding="utf-8").splitlines()
    truth = (PICTURES / "ground_truth_labels.txt").read_text(encoding="utf-8").splitlines()
    assert labels == list(SHAPES)
    assert Counter(truth) == dict.fromkeys(labels, 60)
    assert truth[13] == "bucket"
    assert {path.name for path in PICTURES.glob("*.jpeg")} == {f"image-{number}.jpeg" for number in range(720)}
    assert sum(path.stat().st_size for path in PICTURES.iterdir()) <= 2_500_000


def test_pictures_depend_on_their_number_and_split_alone() -> None:
    """Drawn twice they are equal; training and test pictures of one number are not."""
    first = draw("test", 3)
    draw("test", 4)
    np.testing.assert_array_equal(draw("test", 3), first)
    other = draw("train", 3)
    assert other.shape != first.shape or (other != first).any()


@pytest.mark.parametrize("number", range(0, 720, 51))
def test_the_bundled_pictures_are_those_that_are_drawn(number: int) -> None:
    """Decoded files differ from a new drawing no more than from what JPEG makes of it with this machine's library."""
    drawn = draw("test", number)
    with Image.open(PICTURES / f"image-{number}.jpeg") as picture:
        bundled = np.asarray(picture.convert("RGB"), dtype=np.float64)
    with Image.open(io.BytesIO(dataset.jpeg(drawn))) as picture:
        written = np.asarray(picture.convert("RGB"), dtype=np.float64)
    assert bundled.shape == drawn.shape
    assert np.abs(bundled - written).mean() <= 1
    # Thing by thing in coarse squares, where JPEG's losses and the camera's noise mean out.
    rows, columns = (side // 8 * 8 for side in drawn.shape[:2])
    coarse = [
        array[:rows, :columns].reshape(rows // 8, 8, columns // 8, 8, 3).mean((1, 3)) for array in (bundled, drawn)
    ]
    assert np.abs(coarse[0] - coarse[1]).mean() <= 3


def test_what_networks_are_trained_on_is_what_the_benchmark_shows_them() -> None:
    """Training's cut and scaling against the benchmark's preprocessor."""
    from nnvet.models.datasets import inception  # noqa: PLC0415

    path = PICTURES / "image-0.jpeg"
    pixels = dataset.seen_by_a_network(path.read_bytes(), 64)
    expected = np.frombuffer(inception(path, 64, 4, None, None), "<f4").reshape(64, 64, 3)
    np.testing.assert_allclose(pixels.astype(np.float32) * 2 / 255 - 1, expected, atol=1e-6)
