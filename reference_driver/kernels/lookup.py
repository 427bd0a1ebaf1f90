"""EMBEDDING_LOOKUP, HASHTABLE_LOOKUP, LSH_PROJECTION, RANDOM_MULTINOMIAL. Declared in ``hal/operations/lookup.py``."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.lookup import DENSE, SPARSE
from nnvet.reference_driver.kernels.farmhash import fingerprint64
from nnvet.reference_driver.kernels.philox import uniform
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.limits import check_products, check_rounds

_DRAWS_AT_ONCE = 1 << 16


@kernel(OperationType.EMBEDDING_LOOKUP, native_float16=True)
def embedding_lookup(call: Call) -> Array:
    """Rows of the table by index."""
    lookups, values = call["lookups"].array, call["values"].array
    if lookups.min() < 0 or lookups.max() >= len(values):
        call.fail("EMBEDDING_LOOKUP/lookups.values", f"the table has {len(values)} rows")
    return np.take(values, lookups, axis=0)


@kernel(OperationType.HASHTABLE_LOOKUP)
def hashtable_lookup(call: Call) -> tuple[Array, Array]:
    """Rows of the table by key, zero bytes for unknown keys, and which keys were known."""
    lookups, values = call["lookups"].array, call["values"].array
    keys = call["keys"].array[: len(values)]
    places = np.minimum(np.searchsorted(keys, lookups), len(keys) - 1)
    hits = keys[places] == lookups
    output = np.take(values, places, axis=0)
    output[~hits] = 0
    return output, hits.astype(np.uint8)


@kernel(OperationType.LSH_PROJECTION, native_float16=True)
def lsh_projection(call: Call) -> Array:
    """Signs of weighted sums of row hashes, one bit for each seed; sparse projections pack them."""
    seeds = call["hash"].array
    hashes, bits = seeds.shape
    rows = np.ascontiguousarray(call["input"].array)
    rows = rows.view(np.uint8).reshape(len(rows), -1)
    # A hash takes a round for every 64 bytes of a row.
    check_rounds(seeds.size, 1 + rows.shape[1] // 64)
    check_products(seeds.size, rows.size)
    weight = call["weight"].array.astype(np.float64) if call.has("weight") else np.ones(len(rows))
    signs = np.array([_sign(seed, rows, weight) for seed in seeds.reshape(-1).astype(np.float32)], dtype=np.int64)
    if call.scalar("type") == DENSE:
        return signs.astype(np.int32)
    signatures = signs.reshape(hashes, bits) @ (1 << np.arange(bits - 1, -1, -1, dtype=np.int64))
    if call.scalar("type") == SPARSE:
        signatures += np.arange(hashes, dtype=np.int64) << bits
    # What exceeds 32 bits is lost, as in the reference.
    return (signatures & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def _sign(seed: np.float32, rows: Array, weight: Array) -> bool:
    """Return True if the weighted sum of the hashes of seed and row is positive."""
    head = np.broadcast_to(np.frombuffer(seed.tobytes(), np.uint8), (len(rows), 4))
    signed = fingerprint64(np.concatenate((head, rows), axis=1)).view(np.int64)
    # A running sum adds in order, as the reference does; np.sum would not.
    return bool(np.cumsum(weight * signed.astype(np.float64))[-1] > 0)


@kernel(OperationType.RANDOM_MULTINOMIAL)
def random_multinomial(call: Call) -> Array:
    """Classes drawn from each row, rows in order, from one Philox sequence for the two seeds."""
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
