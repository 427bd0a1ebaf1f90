"""Spec files of EMBEDDING_LOOKUP, HASHTABLE_LOOKUP, LSH_PROJECTION and RANDOM_MULTINOMIAL.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/movement.py`` makes the files from
scenes, which are examples in float32. ``corpus/writing.py`` calls :func:`files`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnvet.generators.corpus import movement
from nnvet.generators.corpus.emitter import F16, F32, FAILURE, INT32, Q8, EmittedFile, Source, SpecTensor
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations import lookup as oracle
from nnvet.oracle.operations.invocation import Tensor, size_of

DTYPES = {F32: np.float32, F16: np.float16, INT32: np.int32, Q8: np.uint8}
"""NumPy's type by operand type, to hash the bytes of the input of LSH_PROJECTION."""


def _indices(*values: int, role: str = "Input") -> SpecTensor:
    return movement.operand(Tensor(list(values), (len(values),)), INT32, role=role)


def _embedding(name: str, values: Tensor, *lookups: int, full: bool = False) -> movement.Scene:
    outputs = [movement.expected(oracle.embedding_lookup(lookups, values))]
    inputs: movement.Inputs = [_indices(*lookups, role="Parameter" if full else "Input"), movement.given(values)]
    return movement.Scene(name, inputs, outputs, lifetimes=full, relaxed=full)


def _hashtable(
    name: str, kind: T, values: Tensor, keys: Sequence[int], *lookups: int, zero_point: int = 0
) -> movement.Scene:
    """Return lookups; unknown keys give zero bytes, which is code 0 for every zero point."""
    scale = 0.5 if kind == Q8 else 0.0
    table = values if kind == F32 else Tensor([abs(int(value)) for value in values.values], values.dims)
    output, hits = oracle.hashtable_lookup(lookups, keys, table)
    inputs: movement.Inputs = [
        _indices(*lookups),
        _indices(*keys, role="Parameter"),
        movement.operand(table, kind, scale, zero_point),
    ]
    outputs = [
        movement.operand(output, kind, scale, zero_point, role="Output"),
        movement.operand(hits, Q8, 1.0, 0, role="Output"),
    ]
    return movement.Scene(f"{name}_{kind.name.lower()}", inputs, outputs, kinds=(), lifetimes=True)


def _failing_hits() -> movement.Scene:
    """Return failing calls in which the flags of hits do not have scale 1."""
    inputs: movement.Inputs = [_indices(1), _indices(1, 2, role="Parameter"), movement.given(movement.numbers(5, 2))]
    outputs = [movement.expected(Tensor([0.0], (1,))), movement.operand(Tensor([1], (1,)), Q8, 0.5, 0, "Output")]
    return movement.Scene("scale_of_hits", inputs, outputs, "failures", 3, kinds=(F32,), calls=FAILURE)


def _lsh(
    name: str,
    kind: T,
    dims: tuple[int, ...],
    seeds: tuple[int, int],
    projection: int,
    *,
    seed_kind: T = F32,
    unit: float = 1.0,
) -> movement.Scene:
    """Return projections of random rows; the dense one has weights up to two units, the sparse ones omit them."""
    source = Source(len(name) + projection)
    hashes = Tensor(source.floats(-4, 4, size_of(seeds)), seeds)
    low = 0 if kind == Q8 else -20
    values: list[float] = [*source.integers(low, 100, size_of(dims))]
    array = np.array(values, DTYPES[kind]).reshape(dims[0], -1)
    weights = [unit * number for number in source.floats(0.25, 2, dims[0])] if projection == 2 else None
    bits = [hashes.values[i : i + seeds[1]] for i in range(0, len(hashes.values), seeds[1])]
    signature = oracle.lsh_projection(bits, [row.tobytes() for row in array], weights, projection)
    quantization: tuple[float, int] = (0.5, 3) if kind == Q8 else (0.0, 0)
    inputs: movement.Inputs = [
        movement.operand(hashes, seed_kind, role="Parameter"),
        # A row is hashed bit by bit, so nothing may compute it anew.
        movement.operand(Tensor(values, dims), kind, *quantization, calls=".ShouldNeverBeInternal()"),
        movement.operand(
            Tensor(weights or [0.0] * dims[0], (dims[0],)), seed_kind, role="Parameter" if weights else "Omitted"
        ),
        str(projection),
    ]
    half = F16 in (kind, seed_kind)
    least = 3 if half or projection == 3 else 1
    feature = "basic" if least == 1 else "half" if half else "sparse"
    output = movement.operand(Tensor(signature, (len(signature),)), INT32, role="Output")
    # The projection type is a value, so no validator sees that type 3 is newer than the operation.
    version = "V1_0" if feature == "sparse" else ""
    return movement.Scene(name, inputs, [output], feature, least, kinds=(), lifetimes=kind == F32, version=version)


DENSE = 2
"""Code of the dense projection, which gives a number for each bit."""


def _lsh_failing(name: str, weights: SpecTensor, projection: int, bits: int = 2) -> movement.Scene:
    inputs: movement.Inputs = [
        movement.operand(Tensor([0.5] * bits, (1, bits)), F32, role="Parameter"),
        movement.given(movement.numbers(1, 2)),
        weights,
        str(projection),
    ]
    length = bits if projection == DENSE else 1
    output = movement.operand(Tensor([0] * length, (length,)), INT32, role="Output")
    return movement.Scene(name, inputs, [output], "failures", 3, kinds=(F32,), calls=FAILURE)


def _multinomial(
    name: str, samples: int, tolerance: float, *logits: float, rows: int = 1, seeds: tuple[int, int] = (37, 42)
) -> movement.Scene:
    """Return rows of log-probabilities; ``tolerance`` is at least five standard deviations of a frequency."""
    dims = (rows, len(logits) // rows)
    inputs: movement.Inputs = [movement.given(Tensor(list(logits), dims)), str(samples), movement.constant(*seeds)]
    output = movement.operand(Tensor([0] * rows * samples, (rows, samples)), INT32, role="IgnoredOutput")
    calls = f".WithMultinomialDistributionTolerance({tolerance})"
    return movement.Scene(name, inputs, [output], calls=calls, lifetimes=True, relaxed=True)


ROW_LENGTHS = (1, 3, 4, 12, 13, 28, 29, 60, 61, 124, 125)
"""Lengths of rows: the hash has other code from 8, 17, 33 and 65 bytes on, and rounds of 64; the seed has 4 bytes."""
LONG_ROWS = [_lsh(f"rows_of_{length}_bytes", Q8, (1, length), (2, 16), 3) for length in ROW_LENGTHS]
"""Examples of LSH_PROJECTION whose rows have lengths that the hash function treats differently."""
SMALL_SUMS = [
    _lsh("dense_without_weight", INT32, (3, 2), (4, 2), 2, unit=0.0),
    _lsh("dense_tiny_weights", INT32, (3, 2), (4, 8), 2, unit=2.0**-66),
]
"""Weights with small sums. A sum of zero is not positive; three hashes below 2^63 times 2^-65 lie within -1 and 1."""
PROJECTIONS = (("sparse_deprecated", 1), ("dense", DENSE), ("sparse", 3))
"""Codes of the projection of LSH_PROJECTION, by name."""
TABLE, CUBE = movement.numbers(1, 4, 3), movement.numbers(2, 3, 2, 2)
"""Tables of which rows are looked up."""
WEIGHTS = movement.operand(Tensor([1.0, 2.0], (2,)), F32, role="Parameter")
"""Weights of the rows in LSH_PROJECTION."""
NO_WEIGHTS = movement.operand(Tensor([0.0, 0.0], (2,)), F32, role="Omitted")
"""The omitted input for weights."""
SCENES: dict[O, list[movement.Scene]] = {
    O.EMBEDDING_LOOKUP: [
        _embedding("rows", TABLE, 2, 0, full=True),
        _embedding("repeated", TABLE, 3, 3, 1, 3, 0),
        _embedding("cubes", CUBE, 1, 2),
        _embedding("rank_five", movement.numbers(3, 2, 1, 2, 1, 2), 1),
        movement.failing("index", [_indices(0, 4), movement.given(TABLE)], 2, 3),
        movement.failing("negative", [_indices(-1), movement.given(TABLE)], 1, 3),
        movement.failing("index_beside_valid", [_indices(4, 1), movement.given(TABLE)], 2, 3),
        movement.failing("negative_beside_valid", [_indices(2, -1, 0), movement.given(TABLE)], 3, 3),
    ],
    O.HASHTABLE_LOOKUP: [
        _hashtable("matrix", F32, TABLE, (-7, 0, 3, 9), 3, -7, 4, 9),
        _hashtable("matrix", INT32, TABLE, (1, 2, 5, 2147483647), 0, 5, 2147483647),
        _hashtable("matrix", Q8, TABLE, (10, 20, 30, 40), 40, 11, 20, zero_point=7),
        _hashtable("vector", F32, movement.numbers(4, 3), (0, 1, 2), 2, 3),
        _hashtable("all_missing", F32, CUBE, (5, 6, 7), 1, 8),
        _failing_hits(),
    ],
    O.LSH_PROJECTION: [
        _lsh("dense", F32, (3, 2), (4, 2), 2),
        _lsh("dense_int32", INT32, (2, 3, 2), (2, 3), 2),
        _lsh("dense_quant8", Q8, (5,), (2, 4), 2),
        _lsh("sparse_deprecated", F32, (3, 2), (4, 2), 1),
        _lsh("sparse_deprecated_int32", INT32, (4,), (3, 5), 1),
        _lsh("sparse", F32, (3, 2), (4, 2), 3),
        _lsh("sparse_long_rows", F32, (2, 40), (2, 16), 3),
        _lsh("sparse_int32", INT32, (3, 5), (3, 4), 3),
        _lsh("sparse_quant8", Q8, (3, 9), (2, 8), 3),
        _lsh("dense_half", F16, (3, 2), (4, 2), 2, seed_kind=F16),
        _lsh("sparse_half", F16, (2, 3), (2, 8), 3, seed_kind=F16),
        _lsh("half_input", F16, (3, 3), (2, 4), 3),
        _lsh("half_seeds", F32, (3, 3), (2, 4), 2, seed_kind=F16),
        *LONG_ROWS,
        *movement.exactly(
            *LONG_ROWS,
            *SMALL_SUMS,
            *(_lsh(name, INT32, (2, 3), (2, 3), projection) for name, projection in PROJECTIONS),
        ),
        _lsh_failing("dense_without_weights", NO_WEIGHTS, DENSE),
        _lsh_failing("sparse_with_weights", WEIGHTS, 3),
        _lsh_failing("type", NO_WEIGHTS, 4),
        _lsh_failing("bits", NO_WEIGHTS, 3, 33),
    ],
    O.RANDOM_MULTINOMIAL: [
        _multinomial("four", 2048, 0.06, 0.0, 1.0, -1.0, 0.5),
        _multinomial("certain", 64, 0.0001, -100.0, 0.0, -200.0),
        _multinomial("unnormalised", 2048, 0.06, 20.0, 20.0, 21.0),
        # Exponentials of these neither overflow nor vanish once the largest is taken off.
        _multinomial("large", 2048, 0.06, 700.0, 700.0, 701.0),
        _multinomial("lowest", 2048, 0.06, -900.0, -900.0, -899.0),
        _multinomial("odd_samples", 7, 0.0001, *(-100.0, 0.0, -200.0) * 3, rows=3),
        # Without seeds the driver draws other numbers every time, here always of one class.
        _multinomial("without_seeds", 64, 0.0001, -100.0, 0.0, -200.0, seeds=(0, 0)),
    ],
}
"""Examples in float32 by operation."""


def files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    return movement.spec_files(SCENES)
