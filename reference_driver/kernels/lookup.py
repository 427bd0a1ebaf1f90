"""Kernels of EMBEDDING_LOOKUP, HASHTABLE_LOOKUP, LSH_PROJECTION and RANDOM_MULTINOMIAL.

They are declared in ``hal/operations/lookup.py``.

The module implements two public algorithms: Philox 4x32-10, a counter-based random generator, and FarmHash
Fingerprint64 (the "na" variant) of many keys of one length at once. Arrays are uint64 and wrap; a key is a row of
bytes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.lookup import DENSE, SPARSE
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.limits import check_products, check_rounds

Words: TypeAlias = npt.NDArray[np.uint64]
"""Numbers of 64 bits without sign, one for each key."""
Keys: TypeAlias = npt.NDArray[np.uint8]
"""Bytes of keys: [number of keys, length of a key]."""

_MASK = 2**64 - 1
"""Keeps the low 64 bits."""
_K0 = np.uint64(0xC3A5C85C97CB3127)
_K1 = np.uint64(0xB492B66FBE98F273)
_K2 = np.uint64(0x9AE16A3B2F90404F)
"""The three multipliers of FarmHash."""
_BLOCK = 64
"""Bytes of a key that a round of FarmHash processes; shorter keys have formulas of their own."""


def fingerprint64(keys: Keys) -> Words:
    """Return one fingerprint for each row of ``keys``, an array of shape [number of keys, length of a key].

    A key has at least 4 bytes.
    """
    length = keys.shape[1]
    with np.errstate(over="ignore"):
        if length > _BLOCK:
            return _long(keys)
        if length > 32:
            return _up_to_64(keys)
        if length > 16:
            return _up_to_32(keys)
        return _up_to_16(keys)


def _fetch(keys: Keys, start: int) -> Words:
    return np.ascontiguousarray(keys[:, start : start + 8]).view("<u8")[:, 0]


def _fetch32(keys: Keys, start: int) -> Words:
    return np.ascontiguousarray(keys[:, start : start + 4]).view("<u4")[:, 0].astype(np.uint64)


def _rotate(value: Words, shift: int) -> Words:
    return value >> np.uint64(shift) | value << np.uint64(64 - shift)


def _mix(value: Words) -> Words:
    return value ^ value >> np.uint64(47)


def _combine(u: Words, v: Words, multiplier: Words | np.uint64) -> Words:
    a = _mix((u ^ v) * multiplier)
    return _mix((v ^ a) * multiplier) * multiplier


def _multiplier(length: int) -> np.uint64:
    return np.uint64((int(_K2) + 2 * length) & _MASK)


def _up_to_16(keys: Keys) -> Words:
    length = keys.shape[1]
    multiplier = _multiplier(length)
    if length >= 8:
        a = _fetch(keys, 0) + _K2
        b = _fetch(keys, length - 8)
        return _combine(_rotate(b, 37) * multiplier + a, (_rotate(a, 25) + b) * multiplier, multiplier)
    u = np.uint64(length) + (_fetch32(keys, 0) << np.uint64(3))
    return _combine(u, _fetch32(keys, length - 4), multiplier)


def _up_to_32(keys: Keys) -> Words:
    length = keys.shape[1]
    multiplier = _multiplier(length)
    a = _fetch(keys, 0) * _K1
    b = _fetch(keys, 8)
    c = _fetch(keys, length - 8) * multiplier
    d = _fetch(keys, length - 16) * _K2
    return _combine(_rotate(a + b, 43) + _rotate(c, 30) + d, a + _rotate(b + _K2, 18) + c, multiplier)


def _up_to_64(keys: Keys) -> Words:
    length = keys.shape[1]
    multiplier = _multiplier(length)
    a = _fetch(keys, 0) * _K2
    b = _fetch(keys, 8)
    c = _fetch(keys, length - 8) * multiplier
    d = _fetch(keys, length - 16) * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d
    z = _combine(y, a + _rotate(b + _K2, 18) + c, multiplier)
    e = _fetch(keys, 16) * multiplier
    f = _fetch(keys, 24)
    g = (y + _fetch(keys, length - 32)) * multiplier
    h = (z + _fetch(keys, length - 24)) * multiplier
    return _combine(_rotate(e + f, 43) + _rotate(g, 30) + h, e + _rotate(f + a, 18) + g, multiplier)


def _weak(keys: Keys, start: int, a: Words, b: Words) -> tuple[Words, Words]:
    """Return a weak hash of 32 bytes with two seeds."""
    w, x, y, z = (_fetch(keys, start + at) for at in (0, 8, 16, 24))
    a = a + w
    b = _rotate(b + a + z, 21)
    total = a + x + y
    return total + z, b + _rotate(total, 44) + a


def _long(keys: Keys) -> Words:
    count, length = keys.shape
    x, y = np.full(count, 81, np.uint64), np.full(count, (81 * int(_K1) + 113) & _MASK, np.uint64)
    z = _mix(y * _K2 + np.uint64(113)) * _K2
    v = w = (np.zeros(count, np.uint64), np.zeros(count, np.uint64))
    x = x * _K2 + _fetch(keys, 0)
    for start in range(0, length - 1 - (length - 1) % _BLOCK, _BLOCK):
        x, y, z, v, w = _round(keys, start, (x, y, z, v, w), _K1, 1)
    multiplier = _K1 + ((z & np.uint64(0xFF)) << np.uint64(1))
    w = (w[0] + np.uint64((length - 1) % _BLOCK), w[1])
    v = (v[0] + w[0], v[1])
    w = (w[0] + v[0], w[1])
    x, y, z, v, w = _round(keys, length - _BLOCK, (x, y, z, v, w), multiplier, 9)
    return _combine(
        _combine(v[0], w[0], multiplier) + _mix(y) * _K0 + z, _combine(v[1], w[1], multiplier) + x, multiplier
    )


_State: TypeAlias = tuple[Words, Words, Words, tuple[Words, Words], tuple[Words, Words]]
"""The numbers x, y, z, v and w of FarmHash between two blocks of a key."""


def _round(keys: Keys, start: int, state: _State, multiplier: Words | np.uint64, weight: int) -> _State:
    """Process a block of 64 bytes; the last block has another multiplier and weighs ``v`` and ``w``."""
    x, y, z, v, w = state
    scale = np.uint64(weight)
    x = _rotate(x + y + v[0] + _fetch(keys, start + 8), 37) * multiplier
    y = _rotate(y + v[1] + _fetch(keys, start + 48), 42) * multiplier
    x = x ^ w[1] * scale
    y = y + v[0] * scale + _fetch(keys, start + 40)
    z = _rotate(z + w[0], 33) * multiplier
    v = _weak(keys, start, v[1] * multiplier, x + w[0])
    w = _weak(keys, start + 32, z + w[1], y + _fetch(keys, start + 16))
    return z, y, x, v, w


_ROUNDS = 10
"""Rounds of Philox 4x32-10; the factors and key steps below are the constants of its definition."""
_LOW = np.uint64(0xFFFFFFFF)
"""Keeps the low 32 bits."""
_HALF = np.uint64(32)
"""Shift from the high 32 bits to the low ones."""
_FACTORS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
"""The two multipliers of Philox 4x32 (Salmon et al., "Parallel random numbers", 2011)."""
_KEY_STEPS = 0x9E3779B9, 0xBB67AE85
"""Numbers that each round of Philox adds to the two halves of its key (same source)."""


def philox(key: Sequence[int], counters: Words) -> Words:
    """Return four random words for each counter.

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
    """Return numbers ``first`` to ``first + count`` of a sequence uniform in [0, 1), each with 52 random bits.

    ``key`` and ``stream`` are 64-bit seeds. A number is made of two words, so each counter gives two numbers.
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


_DRAWS_AT_ONCE = 1 << 16
"""Number of samples to draw at a time, which limits memory."""


@kernel(OperationType.EMBEDDING_LOOKUP, native_float16=True)
def embedding_lookup(call: Call) -> Array:
    """Return rows of the table by index."""
    lookups, values = call["lookups"].array, call["values"].array
    if lookups.min() < 0 or lookups.max() >= len(values):
        call.fail("EMBEDDING_LOOKUP/lookups.values", f"the table has {len(values)} rows")
    return np.take(values, lookups, axis=0)


@kernel(OperationType.HASHTABLE_LOOKUP)
def hashtable_lookup(call: Call) -> tuple[Array, Array]:
    """Return a row of the table for each key, zero bytes if the key is unknown, and 1 for each known key, else 0."""
    lookups, values = call["lookups"].array, call["values"].array
    keys = call["keys"].array[: len(values)]
    places = np.minimum(np.searchsorted(keys, lookups), len(keys) - 1)
    hits = keys[places] == lookups
    output = np.take(values, places, axis=0)
    output[~hits] = 0
    return output, hits.astype(np.uint8)


@kernel(OperationType.LSH_PROJECTION, native_float16=True)
def lsh_projection(call: Call) -> Array:
    """Return a bit for each seed, the sign of a weighted sum of row hashes; sparse projections pack the bits."""
    seeds = call["hash"].array
    hashes, bits = seeds.shape
    rows = np.ascontiguousarray(call["input"].array)
    rows = rows.view(np.uint8).reshape(len(rows), -1)
    # The work limit counts a round for every 64 bytes that are hashed.
    check_rounds(seeds.size, 1 + rows.shape[1] // 64)
    check_products(seeds.size, rows.size)
    weight = call["weight"].array.astype(np.float64) if call.has("weight") else np.ones(len(rows))
    signs = np.array([_sign(seed, rows, weight) for seed in seeds.reshape(-1).astype(np.float32)], dtype=np.int64)
    if call.scalar("type") == DENSE:
        return signs.astype(np.int32)
    signatures = signs.reshape(hashes, bits) @ (1 << np.arange(bits - 1, -1, -1, dtype=np.int64))
    if call.scalar("type") == SPARSE:
        signatures += np.arange(hashes, dtype=np.int64) << bits
    # Bits beyond 32 are lost, as in the reference.
    return (signatures & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def _sign(seed: np.float32, rows: Array, weight: Array) -> bool:
    """Return True if the weighted sum of the hashes of seed and row is positive."""
    head = np.broadcast_to(np.frombuffer(seed.tobytes(), np.uint8), (len(rows), 4))
    signed = fingerprint64(np.concatenate((head, rows), axis=1)).view(np.int64)
    # A running sum adds in order, as the reference does; np.sum would not.
    return bool(np.cumsum(weight * signed.astype(np.float64))[-1] > 0)


@kernel(OperationType.RANDOM_MULTINOMIAL)
def random_multinomial(call: Call) -> Array:
    """Return classes drawn from the distribution of each row; all rows share one Philox sequence of the two seeds.

    If both seeds are 0, random seeds are used.
    """
    key, stream = (int(seed) for seed in call["seeds"].array)
    if key == stream == 0:
        entropy: Any = call.extra.get("entropy", os.urandom)
        key, stream = (int.from_bytes(entropy(8), "little") for _ in range(2))
    logits, samples = call["logits"].array.astype(np.float64), call.scalar("samples")
    check_rounds(len(logits), 1 + samples // _DRAWS_AT_ONCE)
    output = np.empty((len(logits), samples), np.int32)
    for batch, row in enumerate(logits):
        finite = np.isfinite(row)
        largest = row[finite].max() if finite.any() else 0.0
        sums = np.cumsum(np.where(finite, np.exp(row - largest), 0.0))
        for start in range(0, samples, _DRAWS_AT_ONCE):
            count = min(_DRAWS_AT_ONCE, samples - start)
            drawn = uniform(key, stream, batch * samples + start, count) * sums[-1]
            output[batch, start : start + count] = np.searchsorted(sums, drawn, side="right")
    return output
