"""Any value becomes plain JSON and comes back."""

import enum
import math
from pathlib import Path

import numpy as np
import pytest

from nnvet.hal.enums import OperandType
from nnvet.reports.values import json_safe, normalise, real_text


class _Colour(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        (True, True),
        (np.bool_(False), False),
        (np.int64(-7), -7),
        (np.float32(0.5), 0.5),
        (np.array([[1, 2], [3, 4]], np.uint8), [[1, 2], [3, 4]]),
        (OperandType.TENSOR_INT32, "TENSOR_INT32"),
        (_Colour.RED, "red"),
        (b"\x00\xff", "00ff"),
        (("a", {1: {"b"}}), ["a", {"1": ["b"]}]),
        (Path("a/b"), "a/b"),
        ("-Infinity", -math.inf),
        (np.float16("inf"), math.inf),
        (2**70, 2**70),
    ],
)
def test_values_of_any_origin_become_plain(value: object, plain: object) -> None:
    """NumPy, enumerations, bytes, paths and containers turn into what JSON knows."""
    result = normalise(value)
    assert result == plain
    assert type(result) is type(plain)


def test_unknown_objects_become_their_text() -> None:
    """Evidence of an unforeseen kind is shown, not refused."""
    assert normalise({"error": ValueError("odd")}) == {"error": "odd"}


def test_non_finite_numbers_are_text_in_json_only() -> None:
    """The three special numbers leave as text and come back as numbers, at any depth."""
    numbers = {"a": [math.nan, math.inf, {"b": -math.inf}], "c": 1.5}
    text = json_safe(numbers)
    assert text == {"a": ["NaN", "Infinity", {"b": "-Infinity"}], "c": 1.5}
    back = normalise(text)
    assert math.isnan(back["a"][0])
    assert back["a"][1:] == [math.inf, {"b": -math.inf}]


def test_bytes_that_are_not_utf8_stay_visible() -> None:
    """A lone surrogate, which stands for a byte that could not be decoded, is escaped."""
    assert json_safe({"\udc80": "a\udcffb"}) == {"\\udc80": "a\\udcffb"}


@pytest.mark.parametrize(
    ("value", "text"), [(0.1, "0.1"), (1 / 3, "0.333333333"), (math.nan, "NaN"), (-math.inf, "-Infinity")]
)
def test_numbers_are_shown_with_nine_digits(value: float, text: str) -> None:
    """Nine significant digits tell any two float32 apart."""
    assert real_text(value) == text
