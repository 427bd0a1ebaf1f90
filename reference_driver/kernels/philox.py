"""Philox 4x32-10, a counter-based random generator, written from the public algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Words: TypeAlias = npt.NDArray[np.uint64]

_ROUNDS = 10
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_FACTORS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_KEY_STEPS = 0x9E3779B9, 0xBB67AE85


def philox(key: Sequence[int], counters: Words) -> Words:
    """Four random words for each counter.

    ``key`` is two 32-bit words, ``counters`` of shape [4, n]; words are kept in uint64 arrays.
    """
    c0, c1, c2, c3 = counters
    for round_ in range(_ROUNDS):
        k0, k1 = (np.uint64((word + round_ * step) & int(_LOW)) for word, step in zip(key, _KEY_STEPS, strict=True))
        first, second = c0 * _FACTORS[0], c2 * _FACTORS[1]
        c0, c1 = second >> _HALF ^ c1 ^ k0, second & _LOW
        c2, c3 = first >> _HALF ^ c3 ^ k1, first & _LOW
    return np.stack((c0, c1, c2, c3))


def uniform(key: int, stream: int, first: int, count: int) -> npt.NDArray[np.float64]:
    """Numbers ``first`` to ``first + count`` of a sequence uniform in [0, 1), each with 52 random bits.

    ``key`` and ``stream`` are 64-bit seeds. Two words make a number, so a counter makes two of them.
    """
    blocks = np.arange(first // 2, (first + count + 1) // 2, dtype=np.uint64)
    ones = np.ones_like(blocks)
    low = int(_LOW)
    halves = np.uint64(stream & low), np.uint64(stream >> 32 & low)
    words = philox(
        (key & low, key >> 32 & low), np.stack((blocks & _LOW, blocks >> _HALF, ones * halves[0], ones * halves[1]))
    )
    pairs = words.T.reshape(-1, 2)[first % 2 :][:count]
    fractions = (pairs[:, 0] & np.uint64(0xFFFFF)) << _HALF | pairs[:, 1]
    return fractions.astype(np.float64) / 2.0**52
