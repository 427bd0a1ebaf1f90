"""EMBEDDING_LOOKUP, HASHTABLE_LOOKUP, LSH_PROJECTION, RANDOM_MULTINOMIAL against the second implementation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations import lookup as golden
from nnvet.oracle.operations import lookup as golden_farmhash
from nnvet.reference_driver.kernels.lookup import fingerprint64, philox
from tests.kernels.declared import Break, rules_to_break
from tests.kernels.movement import WITH_INT32, check, ints, like, number, whole
from tests.kernels.random_operands import FEW, assert_exact, operands, shapes
from tests.single import omitted, output, run_single, tensor

HITS = output(T.TENSOR_QUANT8_ASYMM, 1.0, 0)
TABLED = (T.TENSOR_FLOAT32, T.TENSOR_INT32, T.TENSOR_QUANT8_ASYMM)
FLOATS = (T.TENSOR_FLOAT32, T.TENSOR_FLOAT16)
HASHED = (*FLOATS, T.TENSOR_INT32, T.TENSOR_QUANT8_ASYMM)


@FEW
@given(data=st.data(), kind=st.sampled_from(WITH_INT32), shape=shapes(ranks=(2, 5), largest=3))
def test_embedding_lookup(data: st.DataObject, kind: T, shape: tuple[int, ...]) -> None:
    """Rows come in the order asked for, repeated as often as asked for."""
    values = data.draw(operands(kind, shape))
    lookups = data.draw(st.lists(st.integers(0, shape[0] - 1), min_size=1, max_size=5))
    check(O.EMBEDDING_LOOKUP, [ints(*lookups), values], golden.embedding_lookup(lookups, whole(values)), source=1)


@FEW
@given(data=st.data(), kind=st.sampled_from(TABLED), shape=shapes(ranks=(1, 4), largest=4))
def test_hashtable_lookup(data: st.DataObject, kind: T, shape: tuple[int, ...]) -> None:
    """Known keys give their rows, unknown ones zero bytes, whatever the zero point."""
    values = data.draw(operands(kind, shape))
    keys = sorted(data.draw(st.sets(st.integers(-9, 9), min_size=shape[0], max_size=shape[0])))
    lookups = data.draw(st.lists(st.sampled_from(keys) | st.integers(-10, 10), min_size=1, max_size=5))
    results = run_single(O.HASHTABLE_LOOKUP, [ints(*lookups), ints(*keys), values], [like(values), HITS])
    for result, expected in zip(results, golden.hashtable_lookup(lookups, keys, whole(values)), strict=True):
        assert_exact(result, expected.dims, expected.values)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        # Published by Guava for FarmHashFingerprint64.
        (b"test", 8581389452482819506),
        (b"test" * 8, -4196240717365766262),
        (b"test" * 64, 3500507768004279527),
        # Published by Google for BigQuery's FARM_FINGERPRINT.
        (b"1footrue", -1541654101129638711),
        (b"2applefalse", 2794438866806483259),
        (b"3true", -4880158226897771312),
    ],
)
def test_fingerprint_of_published_strings(key: bytes, expected: int) -> None:
    """Both implementations give the published fingerprints."""
    assert golden_farmhash.fingerprint64(key) == expected % 2**64
    assert fingerprint64(np.frombuffer(key, np.uint8)[None, :]).view(np.int64).item() == expected


@pytest.mark.parametrize("length", [*range(4, 70), 96, 127, 128, 129, 192, 193, 300])
def test_fingerprint_of_every_length(length: int) -> None:
    """The implementations agree on random keys of every length class; a key begins with the 4 bytes of a seed."""
    keys = np.random.default_rng(length).integers(0, 256, (3, length), np.uint8)
    assert fingerprint64(keys).tolist() == [golden_farmhash.fingerprint64(row.tobytes()) for row in keys]


@FEW
@given(
    data=st.data(),
    kind=st.sampled_from(HASHED),
    seed_kind=st.sampled_from(FLOATS),
    shape=shapes(ranks=(1, 3), largest=4),
    seeds_shape=st.tuples(st.integers(1, 3), st.integers(1, 32)),
    projection=st.sampled_from((1, 2, 3)),
)
def test_lsh_projection(
    data: st.DataObject,
    kind: T,
    seed_kind: T,
    shape: tuple[int, ...],
    seeds_shape: tuple[int, int],
    projection: int,
) -> None:
    """Signatures agree bit for bit, for all types, packed and not."""
    seeds = data.draw(operands(seed_kind, seeds_shape))
    argument = data.draw(operands(kind, shape))
    weight = data.draw(operands(seed_kind, shape[:1])) if projection == 2 else omitted(seed_kind)
    (result,) = run_single(O.LSH_PROJECTION, [seeds, argument, weight, number(projection)], [output(T.TENSOR_INT32)])
    expected = golden.lsh_projection(
        seeds.array.tolist(),
        [row.tobytes() for row in argument.array],
        weight.array.tolist() if projection == 2 else None,
        projection,
    )
    assert result.tolist() == expected


@pytest.mark.parametrize(
    ("key", "counter", "expected"),
    [
        # Known answers published with the Random123 library.
        ((0, 0), (0, 0, 0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((2**32 - 1,) * 2, (2**32 - 1,) * 4, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0xA4093822, 0x299F31D0),
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_known_answers(key: tuple[int, int], counter: tuple[int, ...], expected: tuple[int, ...]) -> None:
    """Both implementations give the published words."""
    assert golden.philox(key, counter) == list(expected)
    assert philox(key, np.array(counter, np.uint64)[:, None])[:, 0].tolist() == list(expected)


@FEW
@given(
    data=st.data(),
    kind=st.sampled_from(FLOATS),
    shape=st.tuples(st.integers(1, 3), st.integers(1, 5)),
    samples=st.integers(0, 7),
)
def test_random_multinomial(data: st.DataObject, kind: T, shape: tuple[int, int], samples: int) -> None:
    """Draws are those of the reference's generator; logits that are not finite are never drawn."""
    logits = data.draw(operands(kind, shape, special=True))
    seeds = data.draw(st.tuples(st.integers(-(2**31), 2**31 - 1), st.integers(1, 2**31 - 1)))
    (result,) = run_single(O.RANDOM_MULTINOMIAL, [logits, number(samples), ints(*seeds)], [output(T.TENSOR_INT32)])
    expected = golden.random_multinomial(whole(logits), samples, seeds)
    assert_exact(result, expected.dims, expected.values)


def test_random_multinomial_in_chunks() -> None:
    """Frequencies of very many draws are the probabilities: 1/8, 3/8, 1/2 within five standard deviations."""
    count = 200_000
    logits = tensor(T.TENSOR_FLOAT32, [np.log([1, 3, 4])])
    (result,) = run_single(O.RANDOM_MULTINOMIAL, [logits, number(count), ints(7, 8)], [output(T.TENSOR_INT32)])
    frequencies = np.bincount(result[0], minlength=3) / count
    for frequency, probability in zip(frequencies, (1 / 8, 3 / 8, 1 / 2), strict=True):
        assert abs(frequency - probability) < 5 * (probability * (1 - probability) / count) ** 0.5


def test_random_multinomial_without_seeds() -> None:
    """Two seeds of 0 take their seeds from the source of entropy, anew in each run."""
    drawn: list[int] = []

    def entropy(count: int) -> bytes:
        drawn.append(count)
        return len(drawn).to_bytes(count, "little")

    logits = tensor(T.TENSOR_FLOAT32, np.zeros((1, 100)))
    inputs = [logits, number(50), ints(0, 0)]
    first, second = (
        run_single(O.RANDOM_MULTINOMIAL, inputs, [output(T.TENSOR_INT32)], entropy=entropy)[0] for _ in range(2)
    )
    assert drawn == [8, 8, 8, 8]
    assert first.tolist() != second.tolist()


F32, I32 = T.TENSOR_FLOAT32, T.TENSOR_INT32
MATRIX = tensor(F32, np.zeros((2, 3)))
CODED = tensor(T.TENSOR_QUANT8_ASYMM, np.zeros((2, 3)), 0.5, 3)
NESTED = tensor(I32, [[0, 1]])
SEEDS = tensor(F32, [[0.5, 0.25]])
NO_WEIGHT = omitted(F32)
OUT, WHOLE = [output(F32)], [output(I32)]

BREAKS = [
    Break("EMBEDDING_LOOKUP/lookups.rank", [NESTED, MATRIX], OUT),
    Break("EMBEDDING_LOOKUP/values.rank", [ints(0), tensor(F32, [1, 2])], OUT),
    Break("EMBEDDING_LOOKUP/lookups.values", [ints(0, 2), MATRIX], OUT),
    Break("EMBEDDING_LOOKUP/lookups.values", [ints(-1), MATRIX], OUT),
    Break("EMBEDDING_LOOKUP/output.quantization", [ints(0), CODED], [output(T.TENSOR_QUANT8_ASYMM, 0.5, 4)]),
    Break("HASHTABLE_LOOKUP/lookups.rank", [NESTED, ints(0, 1), MATRIX], [*OUT, HITS]),
    Break("HASHTABLE_LOOKUP/keys.rank", [ints(0), NESTED, MATRIX], [*OUT, HITS]),
    Break(
        "HASHTABLE_LOOKUP/output.quantization",
        [ints(0), ints(0, 1), MATRIX],
        [*OUT, output(T.TENSOR_QUANT8_ASYMM, 0.5, 0)],
    ),
    Break("LSH_PROJECTION/hash.rank", [tensor(F32, [1]), MATRIX, NO_WEIGHT, number(3)], WHOLE),
    Break("LSH_PROJECTION/hash.bits", [tensor(F32, np.zeros((1, 33))), MATRIX, NO_WEIGHT, number(3)], WHOLE),
    Break("LSH_PROJECTION/type", [SEEDS, MATRIX, NO_WEIGHT, number(0)], WHOLE),
    Break("LSH_PROJECTION/type", [SEEDS, MATRIX, NO_WEIGHT, number(4)], WHOLE),
    Break("LSH_PROJECTION/weight.rank", [SEEDS, MATRIX, MATRIX, number(2)], WHOLE),
    Break("LSH_PROJECTION/weight.type", [SEEDS, MATRIX, NO_WEIGHT, number(2)], WHOLE),
    Break("LSH_PROJECTION/weight.type", [SEEDS, MATRIX, tensor(F32, [1, 1]), number(1)], WHOLE),
    Break("LSH_PROJECTION/weight.type", [SEEDS, MATRIX, tensor(F32, [1, 1]), number(3)], WHOLE),
    Break("LSH_PROJECTION/weight.length", [SEEDS, MATRIX, tensor(F32, [1]), number(2)], WHOLE),
    Break("RANDOM_MULTINOMIAL/logits.rank", [tensor(F32, [1, 2]), number(1), ints(1, 1)], WHOLE),
    Break("RANDOM_MULTINOMIAL/seeds.rank", [MATRIX, number(1), NESTED], WHOLE),
    Break("RANDOM_MULTINOMIAL/samples.value", [MATRIX, number(-1), ints(1, 1)], WHOLE),
    Break("RANDOM_MULTINOMIAL/seeds.length", [MATRIX, number(1), ints(1)], WHOLE),
]
FAMILY = (O.EMBEDDING_LOOKUP, O.HASHTABLE_LOOKUP, O.LSH_PROJECTION, O.RANDOM_MULTINOMIAL)
INFERRED = {"EMBEDDING_LOOKUP/output.quantization", "HASHTABLE_LOOKUP/output.quantization"}
"""Checked by the driver for every operation whose output takes the input's quantisation."""


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: case.rule)
def test_broken_rule(case: Break) -> None:
    """Breaking a rule is answered with that rule and its status."""
    case.check()


def test_every_rule_is_broken() -> None:
    """The table above leaves no rule of the family out."""
    assert {case.rule for case in BREAKS} == rules_to_break(FAMILY) | INFERRED
