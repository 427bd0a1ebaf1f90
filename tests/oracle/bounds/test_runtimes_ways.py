"""Ways of computing that runtimes have, by formulas of their own: right within the bounds, and no more than that."""

import numpy as np
import pytest

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_estimate
from tests.oracle.bounds.calls import codes, estimated, floats, number

EVERY = np.arange(256)
RANDOM = np.random.default_rng(7)


def test_products_of_codes_may_be_formed_before_they_are_subtracted() -> None:
    """Q * s - z * s in float32, as LiteRT's optimised DEQUANTIZE; a zero point of 0 leaves one rounding."""
    scale, zero_point = np.float32(0.7123), 203
    (found,) = estimated(O.DEQUANTIZE, [codes(EVERY, float(scale), zero_point)], floats(0))
    early = EVERY.astype(np.float32) * scale - np.float32(zero_point) * scale
    exact = (EVERY - zero_point) * np.float64(scale)
    assert (np.abs(early - exact) > np.spacing(np.abs(exact).astype(np.float32))).any()
    assert compare_estimate(early, found) is None
    assert compare_estimate(exact.astype(np.float32), found) is None
    assert compare_estimate((exact * (1 + 2e-6)).astype(np.float32), found) is not None
    (found,) = estimated(O.DEQUANTIZE, [codes(EVERY, float(scale), 0)], floats(0))
    right = (EVERY * np.float64(scale)).astype(np.float32)
    assert compare_estimate(right, found) is None
    assert compare_estimate(np.nextafter(right, np.float32(np.inf)), found) is not None


def test_means_may_be_products_with_a_rounded_reciprocal() -> None:
    """Windows of 1 x 3: x * float32(1 / 3), which errs to one side everywhere; truncated quotients are found."""
    image = RANDOM.uniform(0.5, 2, (1, 40, 30, 3)).astype(np.float32)
    window = [number(setting) for setting in (0, 0, 0, 0, 1, 1, 3, 1, 0)]
    (found,) = estimated(O.AVERAGE_POOL_2D, [floats(image), *window], floats(0))
    sums = (image[:, :, :-2] + image[:, :, 1:-1]) + image[:, :, 2:]
    assert compare_estimate(sums * np.float32(1 / 3), found) is None
    assert compare_estimate(sums / np.float32(3), found) is None
    exact = sums.astype(np.float64) / 3
    assert compare_estimate((exact * (1 - 2.0**-22)).astype(np.float32), found) is not None
    (halves,) = estimated(
        O.AVERAGE_POOL_2D, [floats(image), *(number(setting) for setting in (0, 0, 0, 0, 1, 1, 2, 1, 0))], floats(0)
    )
    pairs = (image[:, :, :-1] + image[:, :, 1:]) / np.float32(2)
    assert compare_estimate(pairs, halves) is None
    # Two are divided without an error, so that cutting off shows.
    cut = np.nextafter(pairs, np.float32(0))
    assert compare_estimate(np.where(RANDOM.integers(2, size=cut.shape) > 0, cut, pairs), halves) is not None


def test_places_may_be_quotients_by_the_scale() -> None:
    """Of 49 pixels 28: 1.75 is exact and its reciprocal is not, so that 12 / (28 / 49) may lie below 21."""
    image = floats(RANDOM.permutation(49 * 8).reshape(1, 49, 1, 8))
    (found,) = estimated(O.RESIZE_NEAREST_NEIGHBOR, [image, number(1), number(28)], floats(0))
    places = np.floor(np.arange(28, dtype=np.float32) / np.float32(28 / 49)).astype(int)
    assert (places != np.floor(np.arange(28) * 1.75).astype(int)).any()
    assert compare_estimate(image[1][:, places], found) is None
    assert compare_estimate(image[1][:, np.minimum(places + 1, 48)], found) is not None


@pytest.mark.parametrize(("first", "output"), [(0.3, 1.0), (0.11, 0.5)])
def test_codes_may_be_joined_by_fixed_point_multipliers(first: float, output: float) -> None:
    """A multiplier below 1/2 rounds to a part of a code, then to codes; halves away from zero. A code more is wrong."""
    signed = EVERY - 128
    parts = [codes(signed, scale, 0, T.TENSOR_QUANT8_ASYMM_SIGNED) for scale in (first, output)]
    (found,) = estimated(O.CONCATENATION, [*parts, number(0)], codes(0, output, 0, T.TENSOR_QUANT8_ASYMM_SIGNED))
    ratio = np.float64(np.float32(first)) / np.float64(np.float32(output))
    step = 2.0 ** np.ceil(np.log2(ratio) + 1e-9)
    once = np.floor(np.abs(signed) * ratio / step + 0.5) * step
    twice = (np.sign(signed) * np.floor(once + 0.5)).astype(np.int64)
    assert (twice != np.rint(signed * ratio)).any()
    assert compare_estimate(np.concatenate([twice, signed]), found) is None
    assert compare_estimate(np.concatenate([np.clip(twice + 1, -128, 127), signed]), found) is not None


def test_pixels_may_have_weights_of_eleven_bits() -> None:
    """Mixtures of codes, as XNNPACK's; a quarter of a code more is found."""
    image = RANDOM.integers(0, 256, (1, 7, 9, 5))
    rows, columns = 31, 23
    (found,) = estimated(O.RESIZE_BILINEAR, [codes(image, 0.5, 9), number(columns), number(rows)], codes(0, 0.5, 9))

    def mixed(bits: float, more: float) -> np.ndarray:
        result = image.astype(np.float64)
        for axis, new in ((1, rows), (2, columns)):
            old = image.shape[axis]
            place = np.arange(new) * (old / new)
            low = np.floor(place).astype(int)
            weight = np.rint((place - low) * bits) / bits
            weight = weight.reshape([-1 if i == axis else 1 for i in range(4)])
            high = np.minimum(low + 1, old - 1)
            result = np.take(result, low, axis) * (1 - weight) + np.take(result, high, axis) * weight
        return np.clip(np.floor(result + 0.5 + more), 0, 255)

    assert (mixed(2.0**11, 0) != mixed(2.0**40, 0)).any()
    assert compare_estimate(mixed(2.0**11, 0), found) is None
    assert compare_estimate(mixed(2.0**40, 0.25), found) is not None
