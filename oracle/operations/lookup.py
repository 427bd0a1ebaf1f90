"""Meanings of EMBEDDING_LOOKUP, HASHTABLE_LOOKUP, LSH_PROJECTION and RANDOM_MULTINOMIAL.

Written from their pages in docs/contract/operations, and FarmHash Fingerprint64 of one byte string from the public
algorithm (farmhashna), with machine words as Python integers.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning, Tensor, build, like

MASK32 = 2**32 - 1
MASK64 = 2**64 - 1


def rotate64(value: int, by: int) -> int:
    """Return a 64-bit word rotated to the right; what exceeds 64 bits is dropped first."""
    value &= MASK64
    return (value >> by) | (value << (64 - by)) & MASK64


def signed(value: int, bits: int) -> int:
    """Return a word read as a two's complement number."""
    value &= 2**bits - 1
    return value - 2**bits if value >= 2 ** (bits - 1) else value


# Multipliers of FarmHash.
K0 = 0xC3A5C85C97CB3127
K1 = 0xB492B66FBE98F273
K2 = 0x9AE16A3B2F90404F


def word(key: bytes, start: int, length: int = 8) -> int:
    """Return a little-endian integer out of the key."""
    return int.from_bytes(key[start : start + length], "little")


def shift_mix(value: int) -> int:
    """Return the value with its high bits mixed into the low ones."""
    return value ^ (value >> 47)


def hash_16(u: int, v: int, multiplier: int) -> int:
    """Return one word mixed from two."""
    a = shift_mix(((u ^ v) * multiplier) & MASK64)
    b = shift_mix(((v ^ a) * multiplier) & MASK64)
    return (b * multiplier) & MASK64


def fingerprint64(key: bytes) -> int:
    """Return the fingerprint, 0 to 2^64 - 1."""
    if len(key) <= 16:
        return _to_16(key)
    if len(key) <= 32:
        return _to_32(key)
    if len(key) <= 64:
        return _to_64(key)
    return _over_64(key)


def _to_16(key: bytes) -> int:
    length = len(key)
    if length >= 8:
        multiplier = (K2 + length * 2) & MASK64
        a = word(key, 0) + K2
        b = word(key, length - 8)
        c = rotate64(b, 37) * multiplier + a
        d = (rotate64(a, 25) + b) * multiplier
        return hash_16(c & MASK64, d & MASK64, multiplier)
    if length >= 4:
        multiplier = (K2 + length * 2) & MASK64
        return hash_16(length + (word(key, 0, 4) << 3), word(key, length - 4, 4), multiplier)
    if length > 0:
        y = key[0] + (key[length >> 1] << 8)
        z = length + (key[length - 1] << 2)
        return (shift_mix(((y * K2) ^ (z * K0)) & MASK64) * K2) & MASK64
    return K2


def _to_32(key: bytes) -> int:
    length = len(key)
    multiplier = (K2 + length * 2) & MASK64
    a = word(key, 0) * K1
    b = word(key, 8)
    c = word(key, length - 8) * multiplier
    d = word(key, length - 16) * K2
    u = rotate64(a + b, 43) + rotate64(c, 30) + d
    v = a + rotate64(b + K2, 18) + c
    return hash_16(u & MASK64, v & MASK64, multiplier)


def _to_64(key: bytes) -> int:
    length = len(key)
    multiplier = (K2 + length * 2) & MASK64
    a = word(key, 0) * K2
    b = word(key, 8)
    c = word(key, length - 8) * multiplier
    d = word(key, length - 16) * K2
    y = (rotate64(a + b, 43) + rotate64(c, 30) + d) & MASK64
    z = hash_16(y, (a + rotate64(b + K2, 18) + c) & MASK64, multiplier)
    e = word(key, 16) * multiplier
    f = word(key, 24)
    g = (y + word(key, length - 32)) * multiplier
    h = (z + word(key, length - 24)) * multiplier
    u = rotate64(e + f, 43) + rotate64(g, 30) + h
    v = e + rotate64(f + a, 18) + g
    return hash_16(u & MASK64, v & MASK64, multiplier)


def _weak_32(key: bytes, start: int, a: int, b: int) -> tuple[int, int]:
    w, x, y, z = (word(key, start + 8 * i) for i in range(4))
    a += w
    b = rotate64(b + a + z, 21)
    c = a
    a += x + y
    b += rotate64(a, 44)
    return (a + z) & MASK64, (b + c) & MASK64


def _over_64(key: bytes) -> int:
    x = 81
    y = (81 * K1 + 113) & MASK64
    z = (shift_mix((y * K2 + 113) & MASK64) * K2) & MASK64
    v, w = (0, 0), (0, 0)
    x = (x * K2 + word(key, 0)) & MASK64
    start = 0
    while len(key) - start > 64:
        x = rotate64(x + y + v[0] + word(key, start + 8), 37) * K1 & MASK64
        y = rotate64(y + v[1] + word(key, start + 48), 42) * K1 & MASK64
        x ^= w[1]
        y = (y + v[0] + word(key, start + 40)) & MASK64
        z = rotate64(z + w[0], 33) * K1 & MASK64
        v = _weak_32(key, start, v[1] * K1, x + w[0])
        w = _weak_32(key, start + 32, z + w[1], y + word(key, start + 16))
        z, x = x, z
        start += 64
    start = len(key) - 64
    multiplier = (K1 + ((z & 0xFF) << 1)) & MASK64
    w0 = w[0] + ((len(key) - 1) & 63)
    v0 = v[0] + w0
    w0 += v0
    x = rotate64(x + y + v0 + word(key, start + 8), 37) * multiplier & MASK64
    y = rotate64(y + v[1] + word(key, start + 48), 42) * multiplier & MASK64
    x = (x ^ w[1] * 9) & MASK64
    y = (y + v0 * 9 + word(key, start + 40)) & MASK64
    z = rotate64(z + w0, 33) * multiplier & MASK64
    v = _weak_32(key, start, v[1] * multiplier, x + w0)
    w = _weak_32(key, start + 32, z + w[1], y + word(key, start + 16))
    z, x = x, z
    first = hash_16(v[0], w[0], multiplier) + shift_mix(y) * K0 + z
    second = hash_16(v[1], w[1], multiplier) + x
    return hash_16(first & MASK64, second & MASK64, multiplier)


def embedding_lookup(lookups: Sequence[int], values: Tensor) -> Tensor:
    """Return the rows of ``values`` at the indices ``lookups``."""
    rows = np.asarray(lookups)
    return build((len(lookups), *values.dims[1:]), lambda index: values[(rows[index[0]], *index[1:])])


def hashtable_lookup(lookups: Sequence[int], keys: Sequence[int], values: Tensor) -> tuple[Tensor, Tensor]:
    """Return rows by key, zeros for unknown keys; and whether each key was known."""
    known = {key: row for row, key in enumerate(keys)}
    output = np.zeros((len(lookups), *values.dims[1:]), values.array.dtype)
    for place, lookup in enumerate(lookups):
        if lookup in known:
            output[place] = values.array[known[lookup]]
    return Tensor.of(output), Tensor([int(lookup in known) for lookup in lookups], (len(lookups),))


def lsh_projection(
    seeds: Sequence[Sequence[float]], rows: Sequence[bytes], weights: Sequence[float] | None, kind: int
) -> list[int]:
    """Return signatures of the rows' bytes; kind 1 is sparse without offsets, 2 dense, 3 sparse."""
    result = []
    for number, row_of_seeds in enumerate(seeds):
        bits = []
        for seed in row_of_seeds:
            score = 0.0
            for position, row in enumerate(rows):
                weight = 1.0 if weights is None else weights[position]
                score += weight * float(signed(fingerprint64(struct.pack("<f", seed) + row), 64))
            bits.append(1 if score > 0 else 0)
        if kind == 2:
            result += bits
        else:
            signature = int("".join(map(str, bits)), 2)
            offset = number * 2 ** len(bits) if kind == 3 else 0
            result.append(signed(signature + offset, 32))
    return result


def philox(key: tuple[int, int], counter: Sequence[int]) -> list[int]:
    """Return Philox 4x32-10, from the public algorithm: four words for one counter of four words."""
    k0, k1 = key
    c0, c1, c2, c3 = counter
    for _ in range(10):
        first, second = c0 * 0xD2511F53, c2 * 0xCD9E8D57
        c0, c1, c2, c3 = (second >> 32) ^ c1 ^ k0, second & MASK32, (first >> 32) ^ c3 ^ k1, first & MASK32
        k0, k1 = (k0 + 0x9E3779B9) & MASK32, (k1 + 0xBB67AE85) & MASK32
    return [c0, c1, c2, c3]


def random_multinomial(logits: Tensor, samples: int, seeds: tuple[int, int]) -> Tensor:
    """Return classes drawn from each row with the reference's generator, for seeds that are not both 0."""
    low, high = ([seed & MASK32, (seed >> 32) & MASK32] for seed in seeds)
    words: list[int] = []
    drawn: list[int] = []
    for row in logits.array.astype(np.float64):
        # Infinite and NaN logits are never drawn.
        finite = np.isfinite(row)
        weights = np.zeros(row.shape)
        weights[finite] = np.exp(row[finite] - row[finite].max(initial=-np.inf))
        sums = np.add.accumulate(weights)
        for _ in range(samples):
            number = len(drawn)
            if number % 2 == 0:
                words = philox((low[0], low[1]), [number // 2, 0, high[0], high[1]])
            pair = words[:2] if number % 2 == 0 else words[2:]
            target = ((pair[0] & 0xFFFFF) * 2**32 + pair[1]) / 2**52 * sums[-1]
            # The first class whose cumulative sum is strictly greater.
            drawn.append(int(np.searchsorted(sums, target, side="right")))
    return Tensor(drawn, (logits.dims[0], samples))


def _hashtable(call: Invocation) -> tuple[Tensor, Tensor]:
    """Compute the operation. Inputs: lookups, keys, values."""
    return hashtable_lookup(call.list(0), call.list(1), call.raw(2))


def _lsh_projection(call: Invocation) -> Array:
    """Compute the operation. Inputs: seeds of the hashes, tensor, weights or nothing, kind of projection."""
    seeds = call.array(0).astype(np.float32).tolist()
    rows = [row.tobytes() for row in call.array(1)]
    weights = call.list(2) if call.has(2) else None
    return np.array(lsh_projection(seeds, rows, weights, call.number(3)), np.int64)


def _random_multinomial(call: Invocation) -> Tensor:
    """Compute RANDOM_MULTINOMIAL (inputs: logits, number of samples, two seeds); only frequencies can be judged."""
    first, second = call.list(2)
    return random_multinomial(call.raw(0), call.number(1), (first, second))


MEANINGS: Final = {
    O.EMBEDDING_LOOKUP: Meaning(lambda call: embedding_lookup(call.list(0), call.raw(1)), like(1)),
    O.HASHTABLE_LOOKUP: Meaning(_hashtable, like(2), only_first=True),
    O.LSH_PROJECTION: Meaning(_lsh_projection),
    O.RANDOM_MULTINOMIAL: Meaning(_random_multinomial),
}
