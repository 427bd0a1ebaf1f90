"""Pictures of wrong elements: the slice that tells most, signs and levels, and few numbers however large the output."""

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from nnvet.oracle.comparison import Mismatch, Tolerance, compare

Array = npt.NDArray[Any]


def picture(actual: Array, expected: Array) -> dict[str, Any]:
    """That of the elements which are not equal."""
    found = compare(actual, expected, Tolerance(0.0, 0.0, "test"))
    assert isinstance(found, Mismatch)
    return found.draw()


def test_signs_and_levels_by_hand() -> None:
    """Of two rows one element is 9 too large and one 1 too small; all others are right."""
    actual = np.array([[0, 9, 0], [-1, 0, 0]], np.int32)
    assert picture(actual, np.zeros((2, 3), np.int32)) == {
        "slice": "[:, :]",
        "block": [1, 1],
        "largest": 9.0,
        "cells": [[0, 9, 0], [-1, 0, 0]],
        "histogram": {"low": -1.0, "high": 9.0, "counts": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]},
    }


def test_the_slice_is_laid_where_the_error_varies() -> None:
    """A wrong row of one channel is seen along rows and channels, through the image that has the worst element."""
    expected = np.zeros((2, 5, 6, 3), np.float32)
    actual = expected.copy()
    actual[1, 4, :, 2] = [1, 1, 1, 1, 1, 2]
    found = picture(actual, expected)
    assert found["slice"] == "[1, :, 5, :]"
    assert found["cells"] == [[0, 0, 0]] * 4 + [[0, 0, 9]]


def test_a_vector_is_one_row() -> None:
    """Axes of size 1 are none."""
    found = picture(np.array([[[0, 0, 3, 3, 3]]], np.uint8), np.zeros((1, 1, 5), np.uint8))
    assert (found["slice"], found["block"], found["cells"]) == ("[0, 0, :]", [1], [[0, 0, 9, 9, 9]])
    assert found["histogram"] == {"low": 3.0, "high": 3.0, "counts": [3]}


def test_what_is_no_number_has_no_level() -> None:
    """NaN and infinity in place of numbers; the finite differences have their histogram."""
    actual = np.array([np.nan, np.inf, 0, 2], np.float32)
    found = picture(actual, np.zeros(4, np.float32))
    assert found["cells"] == [[None, None, 0, 9]]
    assert found["histogram"]["counts"] == [1]
    assert "histogram" not in picture(np.full(4, np.nan, np.float32), np.zeros(4, np.float32))


def test_a_large_output_has_a_small_picture() -> None:
    """Cells stand for blocks and show the worst of each; one wrong element of a million is still seen."""
    expected = np.zeros((1, 1000, 500, 2), np.float32)
    actual = expected.copy()
    actual[0, 999, 499, 1] = -1
    found = picture(actual, expected)
    assert (found["slice"], found["block"]) == ("[0, :, :, 1]", [63, 32])
    assert found["cells"][-1][-1] == -9
    assert sum(level != 0 for row in found["cells"] for level in row) == 1
    assert len(json.dumps(found)) < 1500
    long = picture(np.ones(10_000, np.int8), np.zeros(10_000, np.int8))
    assert (long["block"], len(long["cells"][0])) == ([157], 64)


def test_three_elements_need_no_picture() -> None:
    """The worst one says it all."""
    assert picture(np.ones(3, np.int32), np.zeros(3, np.int32)) == {}
