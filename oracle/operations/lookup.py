"""EMBEDDING_LOOKUP, HASHTABLE_LOOKUP, LSH_PROJECTION, RANDOM_MULTINOMIAL.

Written from their pages in docs/contract/operations.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.farmhash import MASK32, fingerprint64, signed
from nnvet.oracle.operations.invocation import Invocation, Meaning, like
from nnvet.oracle.operations.tensor import Array, Tensor, build


def embedding_lookup(lookups: Sequence[int], values: Tensor) -> Tensor:
    """Rows by index."""
    rows = np.asarray(lookups)
    return build((len(lookups), *values.dims[1:]), lambda index: values[(rows[index[0]], *index[1:])])


def hashtable_lookup(lookups: Sequence[int], keys: Sequence[int], values: Tensor) -> tuple[Tensor, Tensor]:
    """Rows by key, zeros for unknown keys; and whether each key was known."""
    known = {key: row for row, key in enumerate(keys)}
    output = np.zeros((len(lookups), *values.dims[1:]), values.array.dtype)
    for place, lookup in enumerate(lookups):
        if lookup in known:
            output[place] = values.array[known[lookup]]
    return Tensor.of(output), Tensor([int(lookup in known) for lookup in lookups], (len(lookups),))


def lsh_projection(
    seeds: Sequence[Sequence[float]], rows: Sequence[bytes], weights: Sequence[float] | None, kind: int
) -> list[int]:
    """Signatures of the rows' bytes; kind 1 is sparse without offsets, 2 dense, 3 sparse."""
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
    """Philox 4x32-10, from the public algorithm: four words for one counter of four words."""
    k0, k1 = key
    c0, c1, c2, c3 = counter
    for _ in range(10):
        first, second = c0 * 0xD2511F53, c2 * 0xCD9E8D57
        c0, c1, c2, c3 = (second >> 32) ^ c1 ^ k0, second & MASK32, (first >> 32) ^ c3 ^ k1, first & MASK32
        k0, k1 = (k0 + 0x9E3779B9) & MASK32, (k1 + 0xBB67AE85) & MASK32
    return [c0, c1, c2, c3]


def random_multinomial(logits: Tensor, samples: int, seeds: tuple[int, int]) -> Tensor:
    """Classes drawn from each row with the reference's generator, for seeds that are not both 0."""
    low, high = ([seed & MASK32, (seed >> 32) & MASK32] for seed in seeds)
    words: list[int] = []
    drawn: list[int] = []
    for row in logits.array.astype(np.float64):
        # What is not finite is never drawn.
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
    """Inputs: lookups, keys, values."""
    return hashtable_lookup(call.list(0), call.list(1), call.raw(2))


def _lsh_projection(call: Invocation) -> Array:
    """Inputs: seeds of the hashes, tensor, weights or nothing, kind of projection."""
    seeds = call.array(0).astype(np.float32).tolist()
    rows = [row.tobytes() for row in call.array(1)]
    weights = call.list(2) if call.has(2) else None
    return np.array(lsh_projection(seeds, rows, weights, call.number(3)), np.int64)


def _random_multinomial(call: Invocation) -> Tensor:
    """Inputs: logits, number of samples, two seeds. What a driver draws is judged by its frequencies alone."""
    first, second = call.list(2)
    return random_multinomial(call.raw(0), call.number(1), (first, second))


MEANINGS: Final = {
    O.EMBEDDING_LOOKUP: Meaning(lambda call: embedding_lookup(call.list(0), call.raw(1)), like(1)),
    O.HASHTABLE_LOOKUP: Meaning(_hashtable, like(2), only_first=True),
    O.LSH_PROJECTION: Meaning(_lsh_projection),
    O.RANDOM_MULTINOMIAL: Meaning(_random_multinomial),
}
