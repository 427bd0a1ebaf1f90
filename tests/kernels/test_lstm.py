"""LSTM and the sequence LSTMs against the second implementation; every rule broken once."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.generators.corpus import recurrent_operands as cases
from nnvet.generators.corpus.recurrent_operands import CellOptions, Sizes
from nnvet.hal.enums import ErrorStatus, OperationType
from nnvet.hal.enums import OperandType as T
from nnvet.hal.operations import lstm
from nnvet.hal.operations.binding import bind, required_level
from nnvet.oracle.operations import recurrent as golden
from nnvet.reference_driver.kernels.registry import kernels
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

OPTIONS = st.builds(
    CellOptions,
    cifg=st.booleans(),
    peephole=st.booleans(),
    projection=st.booleans(),
    projection_bias=st.booleans(),
    layer_norm=st.booleans(),
)
SETTINGS = {
    "activation": st.sampled_from((0, 1, 2, 3, 4, 5, 6)),
    "cell_clip": st.sampled_from((0.0, 0.25)),
    "projection_clip": st.sampled_from((0.0, 0.125)),
}
INPUTS = {
    "LSTM": golden.LSTM_INPUTS,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": golden.UNIDIRECTIONAL_LSTM_INPUTS,
    "BIDIRECTIONAL_SEQUENCE_LSTM": golden.BIDIRECTIONAL_LSTM_INPUTS,
}


def _run(name: str, values: Values, kind: T, outputs: int, **how: Any) -> list[Any]:
    names = INPUTS[name] if how.pop("layer_norm", True) else INPUTS[name][:23]
    return run_single(OperationType[name], arguments(names, values, kind), [output(kind)] * outputs, **how)


@FEW
@given(
    rng=SEEDS,
    sizes=SIZES,
    options=OPTIONS,
    kind=st.sampled_from(FLOATS),
    settings=st.fixed_dictionaries(SETTINGS),
    constants=st.booleans(),
)
def test_lstm(
    rng: np.random.Generator,
    sizes: Sizes,
    options: CellOptions,
    kind: T,
    settings: dict[str, Any],
    *,
    constants: bool,
) -> None:
    """LSTM agrees for all combinations of optional operands, with constant weights and with weights as inputs."""
    values = cases.lstm(rng, sizes, options, **settings)
    results = _run("LSTM", values, kind, 4, constants=constants, layer_norm=options.layer_norm)
    assert_outputs_close(results, golden.lstm(values))
    assert results[0].shape == (sizes.batch, (3 if options.cifg else 4) * sizes.units)


@FEW
@given(
    rng=SEEDS,
    sizes=SIZES,
    options=OPTIONS,
    kind=st.sampled_from(FLOATS),
    settings=st.fixed_dictionaries({**SETTINGS, "time_major": st.integers(0, 1)}),
    outputs=st.sampled_from((1, 3)),
)
def test_unidirectional_sequence_lstm(
    rng: np.random.Generator, sizes: Sizes, options: CellOptions, kind: T, settings: dict[str, Any], *, outputs: int
) -> None:
    """UNIDIRECTIONAL_SEQUENCE_LSTM agrees in both layouts, with and without state outputs."""
    values = cases.unidirectional_lstm(rng, sizes, options, **settings)
    results = _run("UNIDIRECTIONAL_SEQUENCE_LSTM", values, kind, outputs)
    assert_outputs_close(results, golden.unidirectional_sequence_lstm(values)[:outputs])


@FEW
@given(
    rng=SEEDS,
    sizes=SIZES,
    options=st.tuples(OPTIONS, OPTIONS),
    linking=st.sampled_from(("none", "cross", "parallel")),
    settings=st.fixed_dictionaries({**SETTINGS, "time_major": st.integers(0, 1), "merge_outputs": st.integers(0, 1)}),
    kind_and_states=st.tuples(st.sampled_from(FLOATS), st.booleans()),
)
def test_bidirectional_sequence_lstm(
    rng: np.random.Generator,
    sizes: Sizes,
    options: tuple[CellOptions, CellOptions],
    linking: str,
    settings: dict[str, Any],
    *,
    kind_and_states: tuple[T, bool],
) -> None:
    """BIDIRECTIONAL_SEQUENCE_LSTM agrees for every linking, layout, merging; the two cells may differ."""
    kind, states = kind_and_states
    values = cases.bidirectional_lstm(rng, sizes, options, linking, **settings)
    expected = golden.bidirectional_sequence_lstm(values)
    expected = expected if states else expected[:-4]
    assert_outputs_close(_run("BIDIRECTIONAL_SEQUENCE_LSTM", values, kind, len(expected)), expected)


def test_unused_output_of_merged_lstm() -> None:
    """With merging a second output is accepted and not computed."""
    values = cases.bidirectional_lstm(
        np.random.default_rng(0), Sizes(), (CellOptions(), CellOptions()), "none", **FIXED, merge_outputs=1
    )
    results = _run("BIDIRECTIONAL_SEQUENCE_LSTM", values, T.TENSOR_FLOAT32, 2)
    assert_outputs_close(results, [golden.bidirectional_sequence_lstm(values)[0], None])


def test_negative_clip_is_no_clip_in_sequences() -> None:
    """UNIDIRECTIONAL_SEQUENCE_LSTM treats a negative threshold as none and ignores a bias without projection."""
    settings = {"activation": 4, "cell_clip": -1.0, "projection_clip": -1.0, "time_major": 1}
    values = cases.unidirectional_lstm(np.random.default_rng(0), Sizes(), CellOptions(projection=True), **settings)
    expected = golden.unidirectional_sequence_lstm(values)
    assert_outputs_close(_run("UNIDIRECTIONAL_SEQUENCE_LSTM", values, T.TENSOR_FLOAT32, 3), expected)
    plain = cases.unidirectional_lstm(np.random.default_rng(0), Sizes(), CellOptions(), **settings)
    expected = golden.unidirectional_sequence_lstm(plain)
    plain["projection_bias"] = [1.0] * Sizes().units
    assert_outputs_close(_run("UNIDIRECTIONAL_SEQUENCE_LSTM", plain, T.TENSOR_FLOAT32, 3), expected)


FIXED: dict[str, Any] = {"activation": 4, "cell_clip": 0.0, "projection_clip": 0.0, "time_major": 1}
FULL = CellOptions(peephole=True, projection=True, projection_bias=True, layer_norm=True)
COUPLED = CellOptions(cifg=True, peephole=True, layer_norm=True)
SIMPLE_SETTINGS: dict[str, Any] = {"activation": 4, "cell_clip": 0.0, "projection_clip": 0.0}


def _lstm(options: CellOptions) -> Callable[..., Values]:
    return partial(cases.lstm, options=options, **SIMPLE_SETTINGS)


def _unidirectional(options: CellOptions) -> Callable[..., Values]:
    return partial(cases.unidirectional_lstm, options=options, **FIXED)


def _bidirectional(options: CellOptions, linking: str = "none") -> Callable[..., Values]:
    return partial(cases.bidirectional_lstm, options=(options, options), linking=linking, **FIXED, merge_outputs=0)


BUILDERS = {
    "LSTM": _lstm,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": _unidirectional,
    "BIDIRECTIONAL_SEQUENCE_LSTM": _bidirectional,
}
OUTPUTS = {"LSTM": 4, "UNIDIRECTIONAL_SEQUENCE_LSTM": 3, "BIDIRECTIONAL_SEQUENCE_LSTM": 6}
PREFIXES = {"LSTM": ("",), "UNIDIRECTIONAL_SEQUENCE_LSTM": ("",), "BIDIRECTIONAL_SEQUENCE_LSTM": ("fw_", "bw_")}
PRESENCE: list[tuple[str, CellOptions, str, Any]] = [
    ("input_gate", FULL, "recurrent_to_input_weights", None),
    ("input_gate", FULL, "input_to_input_weights", None),
    ("peephole", FULL, "cell_to_input_weights", None),
    ("peephole", FULL, "cell_to_output_weights", None),
    ("peephole", COUPLED, "cell_to_forget_weights", None),
    ("input_gate_bias", FULL, "input_gate_bias", None),
    ("input_gate_bias", COUPLED, "input_gate_bias", [0.0, 0.0, 0.0]),
    ("layer_norm", FULL, "input_layer_norm_weights", None),
    ("layer_norm", FULL, "cell_layer_norm_weights", None),
    ("layer_norm", COUPLED, "input_layer_norm_weights", [0.0, 0.0, 0.0]),
    ("output_size", FULL, "projection_weights", None),
    ("projection_bias", CellOptions(), "projection_bias", [0.0, 0.0, 0.0]),
]
SIZED = (*golden.CELL, *golden.LAYER_NORM)
CASES: list[tuple[str, CellOptions, str, Break]] = [
    *((subject, options, "", setting(**{name: value})) for subject, options, name, value in PRESENCE),
    *((f"{name}.dimensions", FULL, "", growing(name, 0 if name.startswith("recurrent_") else -1)) for name in SIZED),
    *((f"{name}.size", FULL, "", growing(name)) for name in golden.STATES),
]


def _broken(name: str) -> list[tuple[str, Callable[..., Values], Break]]:
    """Rules of the cell, once for each direction."""
    found = []
    for prefix in PREFIXES[name]:
        for subject, options, _, change in CASES:
            if name == "UNIDIRECTIONAL_SEQUENCE_LSTM" and subject == "projection_bias":
                continue
            strict = name == "UNIDIRECTIONAL_SEQUENCE_LSTM" and subject.endswith(".size")
            rule = f"{name}/{prefix}{subject.replace('.size', '.dimensions') if strict else subject}"
            found.append((rule, BUILDERS[name](options), _within(prefix, change)))
    return found


def _within(prefix: str, change: Break) -> Break:
    """A change to one direction."""

    def apply(values: Values) -> None:
        own = {name[len(prefix) :]: value for name, value in values.items() if name.startswith(prefix)}
        change(own)
        values.update({prefix + name: value for name, value in own.items()})

    return apply


CROSS = _bidirectional(CellOptions(), "cross")
PARALLEL = _bidirectional(CellOptions(), "parallel")
CROSS_CIFG = _bidirectional(CellOptions(cifg=True), "cross")
AUX_WEIGHTS = [[0.0, 0.0]] * 3
_B = "BIDIRECTIONAL_SEQUENCE_LSTM"
BROKEN: list[tuple[str, Callable[..., Values], Break]] = [
    *(case for name in INPUTS for case in _broken(name)),
    *((f"{name}/activation", BUILDERS[name](FULL), setting(activation=7)) for name in INPUTS),
    *((f"{name}/activation", BUILDERS[name](FULL), setting(activation=-1)) for name in INPUTS),
    *((f"{name}/cell_clip", BUILDERS[name](FULL), setting(cell_clip=-1.0)) for name in ("LSTM", _B)),
    *((f"{name}/projection_clip", BUILDERS[name](FULL), setting(projection_clip=-1.0)) for name in ("LSTM", _B)),
    (f"{_B}/outputs.merge", PARALLEL, setting(merge_outputs=1)),
    (f"{_B}/aux_weights", CROSS, setting(bw_aux_input_to_cell_weights=None)),
    (f"{_B}/aux_weights", CROSS, setting(fw_aux_input_to_input_weights=None)),
    (f"{_B}/aux_weights", CROSS_CIFG, setting(bw_aux_input_to_input_weights=AUX_WEIGHTS)),
    (f"{_B}/aux_input.omitted", CROSS, setting(aux_input=None)),
    (f"{_B}/aux_input.dimensions", CROSS, growing("aux_input")),
    (f"{_B}/aux_input.dimensions", PARALLEL, growing("aux_input", 1)),
    (f"{_B}/bw_input_to_input_weights.dimensions", PARALLEL, growing("aux_input")),
    *(
        (f"{_B}/{prefix}{name}.dimensions", CROSS, growing(prefix + name))
        for prefix in ("fw_", "bw_")
        for name in golden.AUXILIARY
    ),
]


@pytest.mark.parametrize(("rule", "build", "change"), BROKEN, ids=[rule for rule, *_ in BROKEN])
def test_broken_rule(rule: str, build: Callable[..., Values], change: Break) -> None:
    """A call that breaks one rule fails with it."""
    name = rule.split("/", maxsplit=1)[0]
    values = build(np.random.default_rng(0), Sizes())
    change(values)
    inputs = arguments(INPUTS[name], values, T.TENSOR_FLOAT32)
    declared = [output(T.TENSOR_FLOAT32)] * OUTPUTS[name]
    assert_fails(rule, ErrorStatus.GENERAL_FAILURE, OperationType[name], inputs, declared)


def test_every_rule_is_broken() -> None:
    """No rule of the family lacks a test."""
    declared = {rule.id for name in INPUTS for rule in getattr(lstm, name).rules}
    assert declared == {rule for rule, *_ in BROKEN}


@pytest.mark.parametrize("name", INPUTS)
def test_missing_empty_and_flat_operands(name: str) -> None:
    """Operands that are needed must be there, not empty and of the right rank."""
    needed = f"{PREFIXES[name][-1]}cell_gate_bias"
    wrong = ((None, f"{needed}.omitted"), (np.zeros(0), "zero_sized"), (np.zeros((3, 1)), f"{needed}.rank"))
    for value, rule in wrong:
        values = {**BUILDERS[name](FULL)(np.random.default_rng(0), Sizes()), needed: value}
        inputs = arguments(INPUTS[name], values, T.TENSOR_FLOAT32)
        declared = [output(T.TENSOR_FLOAT32)] * OUTPUTS[name]
        assert_fails(f"{name}/{rule}", ErrorStatus.GENERAL_FAILURE, OperationType[name], inputs, declared)


@pytest.mark.parametrize(
    ("name", "kind", "inputs", "outputs", "level"),
    [
        ("LSTM", T.TENSOR_FLOAT32, 23, 4, 1),
        ("LSTM", T.TENSOR_FLOAT32, 27, 4, 3),
        ("LSTM", T.TENSOR_FLOAT16, 23, 4, 3),
        ("UNIDIRECTIONAL_SEQUENCE_LSTM", T.TENSOR_FLOAT32, 28, 1, 3),
        ("UNIDIRECTIONAL_SEQUENCE_LSTM", T.TENSOR_FLOAT16, 28, 3, 4),
        ("BIDIRECTIONAL_SEQUENCE_LSTM", T.TENSOR_FLOAT16, 61, 1, 3),
        ("BIDIRECTIONAL_SEQUENCE_LSTM", T.TENSOR_FLOAT32, 61, 2, 3),
        ("BIDIRECTIONAL_SEQUENCE_LSTM", T.TENSOR_FLOAT32, 61, 5, 4),
        ("BIDIRECTIONAL_SEQUENCE_LSTM", T.TENSOR_FLOAT32, 61, 6, 4),
    ],
)
def test_levels(name: str, kind: T, inputs: int, outputs: int, level: int) -> None:
    """The feature level follows from type, layer normalisation and state outputs, as the pages say."""
    values = BUILDERS[name](FULL)(np.random.default_rng(0), Sizes())
    given_inputs = arguments(INPUTS[name], values, kind)
    assert len(given_inputs) >= inputs
    call = bind(getattr(lstm, name), given_inputs[:inputs], [output(kind)] * outputs)
    assert required_level(call)[0] == level


def _kernel(values: Values, memory: dict[str, Any]) -> Any:
    inputs = arguments(INPUTS["LSTM"], values, T.TENSOR_FLOAT32)
    call = bind(lstm.LSTM, inputs, [output(T.TENSOR_FLOAT32) for _ in range(4)])
    call.memory = memory
    for argument in inputs:
        argument.constant = not argument.omitted
    for declared, spec in zip(call.outputs, lstm.LSTM.infer(call), strict=True):
        declared.dimensions = spec.dimensions or ()
    return kernels()[OperationType.LSTM](call)


def test_operand_left_out_of_one_request_only() -> None:
    """Values kept for constants are not reused once another set of operands is given, and reused otherwise."""
    values = cases.lstm(np.random.default_rng(0), Sizes(), FULL, **SIMPLE_SETTINGS)
    bare = {**values, "projection_bias": None}
    memory: dict[str, Any] = {}
    for given_values, kept in ((values, 1), (bare, 2), (values, 2)):
        assert_outputs_close(_kernel(given_values, memory), golden.lstm(given_values))
        assert len(memory) == kept
