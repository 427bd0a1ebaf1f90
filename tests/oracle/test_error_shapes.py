"""Descriptions of wrong elements: each planted error is named, and what is not simple is not named at all."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from nnvet.oracle.comparison import Mismatch, Tolerance, compare

Array = npt.NDArray[Any]
SOURCE = np.random.default_rng(7)
IMAGE = SOURCE.uniform(-4, 4, (2, 5, 6, 3)).astype(np.float32)
CODES = SOURCE.integers(10, 200, (3, 40)).astype(np.uint8)
CLOSE = Tolerance(1e-5, 1e-6, "test")
TOP = np.full((8,), 127, np.int8)
EXACT = Tolerance(0.0, 0.0, "test")


def with_part(array: Array, part: tuple[Any, ...], value: Any) -> Array:
    """A copy with a part replaced."""
    changed = array.copy()
    changed[part] = value
    return changed


def bfloat16(array: Array) -> Array:
    """Numbers cut to the upper 16 bits of float32."""
    return (array.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)


PLANTED: list[tuple[Array, Callable[[Array], Array], str]] = [
    (IMAGE, lambda x: x + np.float32(0.25), "every wrong element is 0.25 too large"),
    (CODES, lambda x: x - np.uint8(3), "every wrong element is 3 too small: zero point?"),
    (IMAGE, lambda x: x * np.float32(1.01), "every wrong element is 1.01 times what is due"),
    (IMAGE, lambda x: -x, "the sign is lost"),
    (IMAGE, np.zeros_like, "every wrong element is 0: never written?"),
    (IMAGE, lambda x: np.full_like(x, np.nan), "every wrong element is NaN"),
    (IMAGE, lambda x: np.minimum(x, 2), "every wrong element is 2, where more is due: cut off, or never written"),
    (np.clip(IMAGE, 0, 2), lambda _: np.maximum(IMAGE, 0), "results above 2 are not cut off"),
    (np.maximum(IMAGE, 0), lambda _: IMAGE, "results below 0 are not cut off"),
    (IMAGE, lambda x: np.swapaxes(x, 1, 2).reshape(x.shape), "axes 1 and 2 are exchanged"),
    (IMAGE, lambda x: np.flip(x, 2), "axis 2 is reversed"),
    (IMAGE, lambda x: np.flip(x, 0), "the two places along axis 0 are exchanged"),
    (IMAGE, lambda x: np.clip(x, -1, 1), "every wrong element is 1 or -1, where more is due: cut off"),
    (np.clip(IMAGE, -1, 1), lambda _: IMAGE, "results below -1 and above 1 are not cut off"),
    (IMAGE, lambda x: np.round(x * 8) / 8, "every wrong element is a multiple of 0.125"),
    (IMAGE, lambda x: np.broadcast_to(x[:1], x.shape), "the first place along axis 0 is repeated"),
    (IMAGE, lambda x: np.roll(x, 1, 1), "elements are shifted by +1 along axis 1"),
    (IMAGE, lambda x: np.roll(x.reshape(-1), 7).reshape(x.shape), "the right numbers are in the wrong places"),
    (IMAGE, lambda x: x.astype(np.float16).astype(np.float32), "every wrong element has no more digits than float16"),
    (IMAGE, bfloat16, "every wrong element has no more digits than bfloat16"),
    (
        np.full((8,), 127, np.int8),
        lambda x: (x.astype(int) + 90 + np.arange(8)).astype(np.int8),
        "come out at its other end",
    ),
    (IMAGE, lambda x: with_part(x, (..., 2), 9.5), "only at 2 along axis 3, the last of 3"),
    (IMAGE, lambda x: with_part(x, (1, 4, 5, 2), 9.5), "only the last element"),
    (IMAGE, lambda x: with_part(x, (0, 0, 0, 0), 9.5), "only the first element"),
    (IMAGE, lambda x: with_part(x, (1,), x[1] + SOURCE.uniform(1, 2, x[1].shape)), "only at 1 along axis 0"),
    (IMAGE, lambda x: with_part(with_part(x, (slice(None), 0), 0), (slice(None), 4), 0), "only at the edges of axis 1"),
    (IMAGE, lambda x: np.where(x < 0, x * SOURCE.uniform(0.5, 0.9, x.shape), x), "the expected value is negative"),
    (IMAGE, lambda x: x * SOURCE.uniform(0.5, 0.9, x.shape), "every wrong element is too near to zero"),
    (CODES, lambda x: x + SOURCE.integers(1, 9, x.shape).astype(np.uint8), "every wrong element is too large"),
]


@pytest.mark.parametrize(("expected", "fault", "text"), PLANTED, ids=[text for _, _, text in PLANTED])
def test_planted_errors_are_named(expected: Array, fault: Callable[[Array], Array], text: str) -> None:
    """Each error has its description, in the sentence that reports show."""
    found = compare(fault(expected).astype(expected.dtype), expected, EXACT if expected.dtype.kind in "iu" else CLOSE)
    assert isinstance(found, Mismatch)
    assert text in found.looks_like, found.looks_like
    assert str(found).endswith(found.looks_like)


@pytest.mark.parametrize("seed", range(40))
def test_noise_has_no_description(seed: int) -> None:
    """Errors of either sign at random places are nothing that has a name, however many there are."""
    source = np.random.default_rng(seed)
    noise = source.normal(0, 1, IMAGE.shape) * (source.random(IMAGE.shape) < source.choice([0.1, 0.5, 1.0]))
    found = compare((IMAGE + noise).astype(np.float32), IMAGE, CLOSE)
    assert isinstance(found, Mismatch)
    assert not found.looks_like


@pytest.mark.parametrize("number", [1.0, 0.0, -2.0])
def test_equal_values_say_nothing(number: float) -> None:
    """A shift, a factor and swapped axes are the same where all expected values are one number."""
    expected = np.full((4, 4), number, np.float32)
    found = compare(expected + np.float32(0.5), expected, CLOSE)
    assert isinstance(found, Mismatch)
    assert "exchanged" not in found.looks_like
    assert "times" not in found.looks_like


def test_two_real_numbers_say_a_factor() -> None:
    """Chance does not give them one quotient; nor do two equal results have one."""
    expected = np.array([-0.872864, 3.5, -0.111825], np.float32)
    halved = compare(np.where(expected < 0, expected / 2, expected).astype(np.float32), expected, CLOSE)
    assert isinstance(halved, Mismatch)
    assert halved.looks_like == "every wrong element is 0.5 times what is due"
    cut = compare(np.clip(expected[::2], -0.05, 0), expected[::2], CLOSE)
    assert isinstance(cut, Mismatch)
    assert "times" not in cut.looks_like


def test_a_place_that_was_never_written_is_no_lost_limit() -> None:
    """0 in one channel, where the limits of codes are due, neither wraps nor passes a limit."""
    expected = np.full((4, 5, 3), 255, np.uint8)
    expected[..., :2] = SOURCE.integers(100, 250, (4, 5, 2))
    found = compare(with_part(expected, (..., 2), 0), expected, EXACT)
    assert isinstance(found, Mismatch)
    assert found.looks_like == "only at 2 along axis 2, the last of 3"


def test_a_factor_of_codes_is_a_plain_number() -> None:
    """Rounding to codes hides its further digits."""
    found = compare(np.round(CODES * 0.75).astype(np.uint8), CODES, Tolerance(1.0, 0.0, "test"))
    assert isinstance(found, Mismatch)
    assert found.looks_like.removeprefix("every wrong element is ") in (
        "about 0.75 times what is due",
        "0.75 times what is due",
    )


def test_codes_have_no_sign() -> None:
    """A zero point moves them all: that only those above 0 are wrong says nothing."""
    codes = SOURCE.integers(-100, 100, (4, 50)).astype(np.int8)
    wrong = np.where(codes > 0, codes + SOURCE.choice([-9, 9], codes.shape), codes).astype(np.int8)
    found = compare(wrong, codes, EXACT)
    assert isinstance(found, Mismatch)
    assert not found.looks_like


def test_few_elements_say_little() -> None:
    """Two wrong elements are no pattern."""
    found = compare(np.array([1.0, 2.5], np.float32), np.array([1.5, 3.0], np.float32), CLOSE)
    assert isinstance(found, Mismatch)
    assert not found.looks_like
