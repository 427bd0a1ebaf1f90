"""RNN, SVDF and the sequence RNNs against the second implementation; every rule broken once."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.generators.corpus import recurrent_operands as cases
from nnvet.generators.corpus.recurrent_operands import Sizes
from nnvet.hal.enums import ErrorStatus, OperationType
from nnvet.hal.enums import OperandType as T
from nnvet.hal.operations import recurrent
from nnvet.hal.operations.binding import bind, required_level
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import recurrent as golden
from tests.kernels.random_operands import FEW, FLOATS, assert_fails
from tests.kernels.recurrent_operands import (
    SEEDS,
    SIZES,
    Break,
    Values,
    arguments,
    assert_outputs_close,
    growing,
    setting,
)
from tests.single import output, run_single

NUMBER = {T.TENSOR_FLOAT32: np.float32, T.TENSOR_FLOAT16: np.float16}
RNN_CODES = st.sampled_from((0, 1, 3, 4, 6))
LINKINGS = st.sampled_from(("none", "cross", "parallel"))
INPUTS = {
    "RNN": golden.RNN_INPUTS,
    "SVDF": golden.SVDF_INPUTS,
    "UNIDIRECTIONAL_SEQUENCE_RNN": golden.UNIDIRECTIONAL_RNN_INPUTS,
    "BIDIRECTIONAL_SEQUENCE_RNN": golden.BIDIRECTIONAL_RNN_INPUTS,
}


def _inputs(name: str, values: Values, kind: T) -> list[Argument]:
    types = {"time_major": T.INT32} if name == "UNIDIRECTIONAL_SEQUENCE_RNN" else {}
    return arguments(INPUTS[name], values, kind, **types)


def _run(name: str, values: Values, kind: T, outputs: int) -> list[Any]:
    return run_single(OperationType[name], _inputs(name, values, kind), [output(kind)] * outputs)


@FEW
@given(rng=SEEDS, sizes=SIZES, kind=st.sampled_from(FLOATS), code=RNN_CODES)
def test_rnn(rng: np.random.Generator, sizes: Sizes, kind: T, code: int) -> None:
    """RNN agrees; half floats round every multiply-add."""
    values = cases.rnn(rng, sizes, code)
    assert_outputs_close(_run("RNN", values, kind, 2), golden.rnn(values, NUMBER[kind]))


@FEW
@given(
    rng=SEEDS,
    sizes=SIZES,
    kind=st.sampled_from(FLOATS),
    code=st.sampled_from((0, 1, 2, 3, 4, 6)),
    rank=st.integers(1, 3),
    bias=st.booleans(),
)
def test_svdf(rng: np.random.Generator, sizes: Sizes, kind: T, code: int, rank: int, *, bias: bool) -> None:
    """SVDF agrees, with and without bias."""
    values = cases.svdf(rng, sizes, rank, code, bias=bias)
    assert_outputs_close(_run("SVDF", values, kind, 2), golden.svdf(values))


@FEW
@given(
    rng=SEEDS,
    sizes=SIZES,
    kind=st.sampled_from(FLOATS),
    code=RNN_CODES,
    time_major=st.integers(0, 1),
    outputs=st.integers(1, 2),
)
def test_unidirectional_sequence_rnn(
    rng: np.random.Generator, sizes: Sizes, kind: T, code: int, *, time_major: int, outputs: int
) -> None:
    """UNIDIRECTIONAL_SEQUENCE_RNN agrees in both layouts, with and without the state."""
    values = cases.unidirectional_rnn(rng, sizes, code, time_major=time_major)
    expected = golden.unidirectional_sequence_rnn(values, NUMBER[kind])
    assert_outputs_close(_run("UNIDIRECTIONAL_SEQUENCE_RNN", values, kind, outputs), expected[:outputs])


@FEW
@given(
    rng=SEEDS,
    sizes=SIZES,
    kind=st.sampled_from(FLOATS),
    linking=LINKINGS,
    settings=st.fixed_dictionaries(
        {"activation": RNN_CODES, "time_major": st.integers(0, 1), "merge_outputs": st.integers(0, 1)}
    ),
    states=st.booleans(),
)
def test_bidirectional_sequence_rnn(
    rng: np.random.Generator, sizes: Sizes, kind: T, linking: str, settings: dict[str, int], *, states: bool
) -> None:
    """BIDIRECTIONAL_SEQUENCE_RNN agrees for every linking, layout, merging, with and without states."""
    values = cases.bidirectional_rnn(rng, sizes, linking, **settings)
    expected = golden.bidirectional_sequence_rnn(values, NUMBER[kind])
    expected = expected if states else expected[:-2]
    assert_outputs_close(_run("BIDIRECTIONAL_SEQUENCE_RNN", values, kind, len(expected)), expected)


def test_half_floats_accumulate_in_half_precision() -> None:
    """2048 + 1 + 1 in float16 stays 2048, as every partial sum is rounded; in float32 it would be 2050."""
    values = {
        "input": [[1.0, 1.0]],
        "weights": [[1.0, 1.0]],
        "recurrent_weights": [[0.0]],
        "bias": [2048.0],
        "hidden_state_in": [[0.0]],
        "activation": 0,
    }
    assert _run("RNN", values, T.TENSOR_FLOAT16, 2)[1].tolist() == [[2048.0]]
    assert _run("RNN", values, T.TENSOR_FLOAT32, 2)[1].tolist() == [[2050.0]]


RNN = partial(cases.rnn, activation=4)
SVDF = partial(cases.svdf, rank=2, activation=0, bias=True)
UNIDIRECTIONAL = partial(cases.unidirectional_rnn, activation=4, time_major=1)
SETTINGS: dict[str, Any] = {"activation": 4, "time_major": 1, "merge_outputs": 0}
CROSS = partial(cases.bidirectional_rnn, linking="cross", **SETTINGS)
PARALLEL = partial(cases.bidirectional_rnn, linking="parallel", **SETTINGS)
BROKEN: list[tuple[str, Callable[..., Values], int, Break]] = [
    ("RNN/weights.dimensions", RNN, 2, growing("weights")),
    ("RNN/recurrent_weights.dimensions", RNN, 2, growing("recurrent_weights")),
    ("RNN/hidden_state_in.size", RNN, 2, growing("hidden_state_in")),
    ("RNN/activation", RNN, 2, setting(activation=2)),
    ("SVDF/rank", SVDF, 2, setting(rank=0)),
    ("SVDF/rank", SVDF, 2, setting(rank=-2)),
    ("SVDF/rank", SVDF, 2, setting(rank=4)),
    ("SVDF/feature_weights.dimensions", SVDF, 2, growing("feature_weights")),
    ("SVDF/time_weights.dimensions", SVDF, 2, growing("time_weights", 0)),
    ("SVDF/bias.dimensions", SVDF, 2, growing("bias")),
    ("SVDF/state_in.size", SVDF, 2, growing("state_in")),
    ("SVDF/activation", SVDF, 2, setting(activation=5)),
    ("UNIDIRECTIONAL_SEQUENCE_RNN/time_major", UNIDIRECTIONAL, 1, setting(time_major=2)),
    ("UNIDIRECTIONAL_SEQUENCE_RNN/weights.dimensions", UNIDIRECTIONAL, 1, growing("weights")),
    ("UNIDIRECTIONAL_SEQUENCE_RNN/recurrent_weights.dimensions", UNIDIRECTIONAL, 1, growing("recurrent_weights", 0)),
    ("UNIDIRECTIONAL_SEQUENCE_RNN/hidden_state_in.dimensions", UNIDIRECTIONAL, 2, growing("hidden_state_in")),
    ("UNIDIRECTIONAL_SEQUENCE_RNN/activation", UNIDIRECTIONAL, 1, setting(activation=2)),
    ("BIDIRECTIONAL_SEQUENCE_RNN/outputs.merge", CROSS, 2, setting(merge_outputs=1)),
    ("BIDIRECTIONAL_SEQUENCE_RNN/outputs.merge", CROSS, 3, setting(merge_outputs=0)),
    ("BIDIRECTIONAL_SEQUENCE_RNN/linking", CROSS, 2, setting(bw_aux_weights=None)),
    ("BIDIRECTIONAL_SEQUENCE_RNN/linking", CROSS, 2, setting(aux_input=None)),
    ("BIDIRECTIONAL_SEQUENCE_RNN/aux_input.steps", CROSS, 2, growing("aux_input", 0)),
    ("BIDIRECTIONAL_SEQUENCE_RNN/aux_input.steps", PARALLEL, 2, growing("aux_input", 1)),
    *(
        (f"BIDIRECTIONAL_SEQUENCE_RNN/{prefix}_{name}.dimensions", CROSS, 2, growing(f"{prefix}_{name}"))
        for prefix in ("fw", "bw")
        for name in ("weights", "recurrent_weights", "hidden_state_in", "aux_weights")
    ),
    ("BIDIRECTIONAL_SEQUENCE_RNN/bw_weights.dimensions", PARALLEL, 2, growing("aux_input", 2)),
    ("BIDIRECTIONAL_SEQUENCE_RNN/activation", CROSS, 2, setting(activation=7)),
]


@pytest.mark.parametrize(("rule", "build", "outputs", "change"), BROKEN)
def test_broken_rule(rule: str, build: Callable[..., Values], outputs: int, change: Break) -> None:
    """A call that breaks one rule fails with it."""
    name = rule.split("/", maxsplit=1)[0]
    values = build(np.random.default_rng(0), Sizes())
    change(values)
    inputs = _inputs(name, values, T.TENSOR_FLOAT32)
    declared = [output(T.TENSOR_FLOAT32)] * outputs
    assert_fails(rule, ErrorStatus.GENERAL_FAILURE, OperationType[name], inputs, declared)


def test_every_rule_is_broken() -> None:
    """No rule of the family lacks a test."""
    declared = {rule.id for name in INPUTS for rule in getattr(recurrent, name).rules}
    assert declared == {rule for rule, *_ in BROKEN}


@pytest.mark.parametrize(
    ("name", "build", "status"),
    [
        ("RNN", RNN, ErrorStatus.INVALID_ARGUMENT),
        ("SVDF", SVDF, ErrorStatus.GENERAL_FAILURE),
        ("UNIDIRECTIONAL_SEQUENCE_RNN", UNIDIRECTIONAL, ErrorStatus.GENERAL_FAILURE),
        ("BIDIRECTIONAL_SEQUENCE_RNN", CROSS, ErrorStatus.GENERAL_FAILURE),
    ],
)
def test_missing_and_empty_operands(name: str, build: Callable[..., Values], status: ErrorStatus) -> None:
    """Operands that are needed must be there and not empty; the status is the page's."""
    declared = [output(T.TENSOR_FLOAT32)] * 2
    needed = INPUTS[name][1]
    for value, rule in ((None, f"{needed}.omitted"), (np.zeros((0, 2)), "zero_sized")):
        values = {**build(np.random.default_rng(0), Sizes()), needed: value}
        inputs = _inputs(name, values, T.TENSOR_FLOAT32)
        assert_fails(f"{name}/{rule}", status, OperationType[name], inputs, declared)


@pytest.mark.parametrize(
    ("name", "build", "kind", "outputs", "level"),
    [
        ("RNN", RNN, T.TENSOR_FLOAT32, 2, 1),
        ("RNN", RNN, T.TENSOR_FLOAT16, 2, 3),
        ("SVDF", SVDF, T.TENSOR_FLOAT32, 2, 1),
        ("SVDF", SVDF, T.TENSOR_FLOAT16, 2, 3),
        ("UNIDIRECTIONAL_SEQUENCE_RNN", UNIDIRECTIONAL, T.TENSOR_FLOAT32, 1, 3),
        ("UNIDIRECTIONAL_SEQUENCE_RNN", UNIDIRECTIONAL, T.TENSOR_FLOAT32, 2, 4),
        ("BIDIRECTIONAL_SEQUENCE_RNN", PARALLEL, T.TENSOR_FLOAT16, 2, 3),
        ("BIDIRECTIONAL_SEQUENCE_RNN", CROSS, T.TENSOR_FLOAT16, 4, 4),
    ],
)
def test_levels(name: str, build: Callable[..., Values], kind: T, outputs: int, level: int) -> None:
    """The feature level follows from type and state outputs, as the pages say."""
    inputs = _inputs(name, build(np.random.default_rng(0), Sizes()), kind)
    call = bind(getattr(recurrent, name), inputs, [output(kind)] * outputs)
    assert required_level(call)[0] == level
