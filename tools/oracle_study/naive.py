"""Naive arithmetic of accelerators: matrix products and convolutions that each take one liberty.

Tests of liberties and numeric positions (tests/oracle) compute with them, and ``sum_drivers.py`` and
``convolution_drivers.py`` build honest drivers of them. The code is independent of the limits under test. Functions of
two factors take ``[rows, k]`` and ``[columns, k]`` and return float32 ``[rows, columns]``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

f32 = np.float32


def plain(first: Array, second: Array) -> Array:
    """Return sums of rounded float32 products, one after the other."""
    total = np.zeros((len(first), len(second)), f32)
    for place in range(first.shape[1]):
        total += first[:, None, place].astype(f32) * second[None, :, place].astype(f32)
    return total


def backwards(first: Array, second: Array) -> Array:
    """Return sums of rounded float32 products, from the last product to the first."""
    return plain(first[:, ::-1], second[:, ::-1])


def flushing(first: Array, second: Array) -> Array:
    """Return sums whose subnormal factors, products and partial sums are flushed to zero."""

    def flush(numbers: Array) -> Array:
        return np.where(np.abs(numbers) < 2.0**-126, f32(0), numbers.astype(f32))

    total = np.zeros((len(first), len(second)), f32)
    for place in range(first.shape[1]):
        product = flush(flush(first[:, None, place]) * flush(second[None, :, place]))
        total = flush(total + product)
    return total


def toward_zero(first: Array, second: Array) -> Array:
    """Return sums whose products and partial sums are rounded toward zero."""

    def cut(exact: Array) -> Array:
        near = exact.astype(f32)
        return np.where(np.abs(near.astype(np.float64)) > np.abs(exact), np.nextafter(near, f32(0)), near)

    total = np.zeros((len(first), len(second)), f32)
    for place in range(first.shape[1]):
        # Products of float32 are exact in float64, and sums of two such numbers lose nothing that matters here.
        product = cut(first[:, None, place].astype(np.float64) * second[None, :, place].astype(np.float64))
        total = cut(total.astype(np.float64) + product.astype(np.float64))
    return total


def aligned(first: Array, second: Array) -> Array:
    """Return sums in blocks: 4 exact products and the sum so far, each cut to 23 bits below the largest of them."""
    total = np.zeros((len(first), len(second)))
    for start in range(0, first.shape[1], 4):
        block = first[:, None, start : start + 4].astype(np.float64) * second[None, :, start : start + 4]
        terms = np.concatenate([block, total[..., None]], -1)
        exponent = np.frexp(np.abs(terms).max(-1, keepdims=True))[1] - 1
        step = np.ldexp(1.0, exponent - 23)
        whole = (np.trunc(terms / step) * step).sum(-1)
        # The sum itself has 24 bits and is cut.
        last = np.ldexp(1.0, np.frexp(np.abs(whole))[1] - 24)
        total = np.trunc(whole / last) * last
    return total.astype(f32)


def cut_bits(numbers: Array, bits: int) -> Array:
    """Return float32 numbers with the last ``bits`` cleared."""
    whole = np.ascontiguousarray(numbers, f32).view(np.uint32)
    return (whole & np.uint32(0xFFFFFFFF << bits & 0xFFFFFFFF)).view(f32)


def to_bfloat16(numbers: Array) -> Array:
    """Return float32 numbers rounded to the nearest bfloat16."""
    whole = np.ascontiguousarray(numbers, f32).view(np.uint32)
    rounded = whole + np.uint32(0x7FFF) + ((whole >> np.uint32(16)) & np.uint32(1))
    return (rounded & np.uint32(0xFFFF0000)).view(f32)


def tf32(first: Array, second: Array) -> Array:
    """Return sums of products whose factors are cut to 10 fraction bits, as hardware does without a conversion."""
    return plain(cut_bits(first, 13), cut_bits(second, 13))


def bfloat16(first: Array, second: Array) -> Array:
    """Return sums of products whose factors are rounded to 7 fraction bits."""
    return plain(to_bfloat16(first), to_bfloat16(second))


def bfloat16_results(first: Array, second: Array) -> Array:
    """Return the sums of :func:`bfloat16`, rounded to 7 fraction bits, too."""
    return to_bfloat16(bfloat16(first, second))


def bfloat16_in_two_parts(first: Array, second: Array) -> Array:
    """Return sums of three of the four products of factors that are split into two parts of bfloat16."""
    (a, b), (c, d) = ((to_bfloat16(factor), to_bfloat16(factor - to_bfloat16(factor))) for factor in (first, second))
    return plain(np.concatenate([a, a, b], 1), np.concatenate([c, d, c], 1))


def float16_sums(first: Array, second: Array) -> Array:
    """Return sums with factors, products and partial sums in float16."""
    half = np.float16
    total = np.zeros((len(first), len(second)), half)
    for place in range(first.shape[1]):
        total += first[:, None, place].astype(half) * second[None, :, place].astype(half)
    return total.astype(f32)


_POINTS = {2: (0, 1, -1), 4: (0, 1, -1, 2, -2), 6: (0, 1, -1, 2, -2, 0.5, -0.5)}
"""Points of evaluation of Winograd's F(m, 3) by m, beside infinity: the usual ones."""


def _toom(points: tuple[float, ...], degree: int) -> Array:
    """Return the matrix that evaluates polynomials of so many coefficients at the points, and at infinity."""
    rows = [[point**power for power in range(degree)] for point in points]
    return np.array([*rows, [0.0] * (degree - 1) + [1.0]])


def winograd(outputs: int) -> Callable[[Array, Array], Array]:
    """Return a function that convolves images ``[H, W, C]`` with a filter ``[3, 3, C]``, channel by channel.

    It uses Winograd's F(m, 3) in float32, with m = ``outputs``. The matrices come from products of polynomials: the
    transposed form of evaluating two polynomials, multiplying the values, and interpolating.
    """
    points = _POINTS[outputs]
    size = outputs + 2
    evaluate_filter, evaluate_result = _toom(points, 3), _toom(points, outputs)
    # Correlation is the transpose of multiplication: the inverse of the evaluation of products, transposed.
    transform = np.linalg.inv(_toom(points, size)).T

    def convolve(image: Array, filters: Array) -> Array:
        padded = np.zeros((image.shape[0] + 2 + size, image.shape[1] + 2 + size, image.shape[2]), f32)
        padded[1 : 1 + image.shape[0], 1 : 1 + image.shape[1]] = image
        b, g, a = (matrix.astype(f32) for matrix in (transform, evaluate_filter, evaluate_result))
        found = np.zeros((image.shape[0] + size, image.shape[1] + size, image.shape[2]), f32)
        kernel = np.einsum("ij,jkc,lk->ilc", g, filters.astype(f32), g)
        for row in range(0, image.shape[0], outputs):
            for column in range(0, image.shape[1], outputs):
                tile = padded[row : row + size, column : column + size]
                product = np.einsum("ij,jkc,lk->ilc", b, tile, b) * kernel
                found[row : row + outputs, column : column + outputs] = np.einsum("ji,jkc,kl->ilc", a, product, a)
        return found[: image.shape[0], : image.shape[1]]

    return convolve


def transformed(numbers: Array, sign: float) -> Array:
    """Return the Fourier transform along the first dimension (its length is a power of two), each step in complex64."""
    size = len(numbers)
    if size == 1:
        return numbers.astype(np.complex64)
    even, odd = transformed(numbers[::2], sign), transformed(numbers[1::2], sign)
    turn = np.exp(sign * 2j * np.pi * np.arange(size // 2) / size).astype(np.complex64)
    turned = turn.reshape(-1, *[1] * (numbers.ndim - 1)) * odd
    return np.concatenate([even + turned, even - turned])


def fourier(image: Array, filters: Array) -> Array:
    """Return the convolution of :func:`winograd` by a fast Fourier transform of the whole image in float32."""
    size = 1 << int(max(image.shape[:2]) + 1).bit_length()

    def both(numbers: Array, sign: float) -> Array:
        return transformed(transformed(numbers, sign).swapaxes(0, 1), sign).swapaxes(0, 1)

    first, second = (np.zeros((size, size, image.shape[2]), f32) for _ in range(2))
    first[: image.shape[0], : image.shape[1]], second[:3, :3] = image, filters[::-1, ::-1]
    whole = both(both(first, -1) * both(second, -1), 1).real / f32(size * size)
    return whole[1 : 1 + image.shape[0], 1 : 1 + image.shape[1]].astype(f32)
