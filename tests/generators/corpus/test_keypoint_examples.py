"""Expected keypoints of maxima that are saddles or lie on a ridge, worked out in exact fractions.

Steps 3 to 6 of docs/contract/operations/HEATMAP_MAX_KEYPOINT.md, for maps whose largest cell is the middle one.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from nnvet.generators.corpus.families.keypoint import FLOAT32_ONLY, SADDLES

SCORES_AND_PLACES = {
    "saddle": (Fraction("3.80620155"), (Fraction("10.8139535"), Fraction("11.4341085"))),
    "ridge": (Fraction(4), (Fraction(15), Fraction(15))),
    "almost_a_ridge": (Fraction(2), (Fraction(15), Fraction(15))),
}
"""Results by hand: -0.5 (-3 - 3.75) / -8.0625 = -0.4186 and -0.5 (-2 - 3.75) / -8.0625 = -0.3566 of a cell, or none."""
_TOLERANCE = Fraction(1, 100_000)


def refined(cells: list[Fraction]) -> tuple[Fraction, Fraction, Fraction]:
    """Score, and the distances in cells from the middle one in x and y."""
    top_left, top, top_right, left, middle, right, bottom_left, bottom, bottom_right = cells
    slope_x, slope_y = (right - left) / 2, (bottom - top) / 2
    xx, yy = left - 2 * middle + right, top - 2 * middle + bottom
    xy = (bottom_right - bottom_left - top_right + top_left) / 4
    determinant = xx * yy - xy * xy
    if abs(determinant) < _TOLERANCE * (1 + xx * yy):
        return middle, Fraction(0), Fraction(0)
    x, y = (xy * slope_y - yy * slope_x) / determinant, (xy * slope_x - xx * slope_y) / determinant
    shrink = min(Fraction(1), Fraction(3, 2) / max(abs(x), abs(y)))
    x, y = x * shrink, y * shrink
    score = middle + slope_x * x + slope_y * y + (xx * x * x + 2 * xy * x * y + yy * y * y) / 2
    return score, x, y


@pytest.mark.parametrize("name", [*SADDLES, *FLOAT32_ONLY])
def test_expected_keypoints_are_those_of_exact_arithmetic(name: str) -> None:
    """A sign that is lost, or a determinant that is compared otherwise, gives another place."""
    case = {**SADDLES, **FLOAT32_ONLY}[name]
    score, x, y = refined([Fraction(float(cell)) for cell in case.maps.values])
    expected = (score, (Fraction(3, 2) + x) * 10, (Fraction(3, 2) + y) * 10)
    given = [*case.outputs["scores_out"].values, *case.outputs["keypoints_out"].values]
    assert [float(value) for value in given] == pytest.approx([float(value) for value in expected], abs=1e-5)
    if name in SCORES_AND_PLACES:
        by_hand, place = SCORES_AND_PLACES[name]
        assert given == pytest.approx([float(value) for value in (by_hand, *place)], abs=1e-5)
