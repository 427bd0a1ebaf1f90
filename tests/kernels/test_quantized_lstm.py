"""QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM to the bit against the second implementation; every rule broken once."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.generators.corpus import recurrent_operands as cases
from nnvet.generators.corpus.recurrent_operands import CellOptions, Quantization, Sizes, Values
from nnvet.hal.enums import ErrorStatus, OperationType
from nnvet.hal.enums import OperandType as T
from nnvet.hal.operations import quantized_lstm
from nnvet.hal.operations.binding import bind, required_level
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import quantized_lstm as golden
from nnvet.oracle.operations.recurrent import BIASES, CELL, GATES, LAYER_NORM, STATES
from nnvet.reference_driver.kernels.quantized_lstm import sigmoid16, tanh16
from tests.kernels.random_operands import FEW, assert_exact, assert_fails
from tests.kernels.recurrent_operands import SEEDS, SIZES, Break, growing, setting
from tests.single import output, run_single, tensor

FIXED, FREE = OperationType.QUANTIZED_16BIT_LSTM, OperationType.QUANTIZED_LSTM
FIXED_TYPES = {**dict.fromkeys(BIASES, T.TENSOR_INT32), "cell_state_in": T.TENSOR_QUANT16_SYMM}
FREE_TYPES = {
    **dict.fromkeys(golden.QUANTIZED_LSTM_INPUTS, T.TENSOR_QUANT8_SYMM),
    **dict.fromkeys((*BIASES, "projection_bias"), T.TENSOR_INT32),
    **dict.fromkeys([name for name in CELL if name.startswith("cell_to_")], T.TENSOR_QUANT16_SYMM),
    **dict.fromkeys((*LAYER_NORM, "cell_state_in"), T.TENSOR_QUANT16_SYMM),
    **dict.fromkeys(("input", "output_state_in"), T.TENSOR_QUANT8_ASYMM_SIGNED),
    **dict.fromkeys(golden.QUANTIZED_LSTM_INPUTS[24:], T.FLOAT32),
    "hidden_state_zero_point": T.INT32,
}
OPTIONS = st.builds(
    CellOptions,
    cifg=st.booleans(),
    peephole=st.booleans(),
    projection=st.booleans(),
    projection_bias=st.booleans(),
    layer_norm=st.booleans(),
)
SCALES = st.floats(2.0**-14, 2.0**-9, width=32)


def _argument(kind: T, value: Any, quantization: tuple[float, int]) -> Argument:
    if value is None:
        return Argument(kind, scale=quantization[0], zero_point=quantization[1], omitted=True)
    return tensor(kind, value, *quantization)


def _inputs(operation: OperationType, values: Values, quantization: Quantization) -> list[Argument]:
    fixed = operation is FIXED
    names = golden.QUANTIZED_16BIT_LSTM_INPUTS if fixed else golden.QUANTIZED_LSTM_INPUTS
    types = FIXED_TYPES if fixed else FREE_TYPES
    return [
        _argument(types.get(name, T.TENSOR_QUANT8_ASYMM), values[name], quantization.get(name, (0.0, 0)))
        for name in names
    ]


def _outputs(operation: OperationType, quantization: Quantization) -> list[Argument]:
    cell = output(T.TENSOR_QUANT16_SYMM, *quantization["cell_state_in"])
    if operation is FIXED:
        return [cell, output(T.TENSOR_QUANT8_ASYMM, *quantization["output_state_in"])]
    codes = output(T.TENSOR_QUANT8_ASYMM_SIGNED, *quantization["output_state_in"])
    return [codes, cell, codes]


def _check(operation: OperationType, values: Values, quantization: Quantization, expected: list[Any]) -> None:
    results = run_single(operation, _inputs(operation, values, quantization), _outputs(operation, quantization))
    for result, wanted in zip(results, expected, strict=True):
        assert_exact(result, np.shape(wanted), wanted)


@FEW
@given(rng=SEEDS, sizes=SIZES, scale=st.floats(2.0**-10, 2.0**-3, width=32), zero=st.integers(0, 255))
def test_quantized_16bit_lstm(rng: np.random.Generator, sizes: Sizes, scale: float, zero: int) -> None:
    """Cell state and output are equal to the bit."""
    values, quantization = cases.fixed(rng, sizes, scale, zero)
    _check(FIXED, values, quantization, golden.quantized_16bit_lstm(values, quantization))


@FEW
@given(
    rng=SEEDS,
    sizes=SIZES,
    options=OPTIONS,
    exponent=st.integers(-15, -9),
    settings=st.fixed_dictionaries(
        {
            "cell_clip": st.sampled_from((None, 0.0, 0.5)),
            "projection_clip": st.sampled_from((None, 0.0, 0.4)),
            "hidden_state_zero_point": st.sampled_from((0, 7, -20, 200)),
            "hidden_state_scale": st.floats(2.0**-9, 2.0**-5, width=32),
        }
    ),
    scales=st.fixed_dictionaries({f"{gate}_intermediate_scale": SCALES for gate in GATES}),
)
def test_quantized_lstm(
    rng: np.random.Generator,
    sizes: Sizes,
    options: CellOptions,
    exponent: int,
    settings: dict[str, Any],
    *,
    scales: dict[str, float],
) -> None:
    """Both states are equal to the bit for all combinations of optional operands and scales."""
    values, quantization = cases.free(rng, sizes, options, state_exponent=exponent, **settings, **scales)
    _check(FREE, values, quantization, golden.quantized_lstm(values, quantization))


@pytest.mark.parametrize("scale", [2.0**-15, 2.0**-10, 0.5])
def test_layer_norm_of_equal_units(scale: float) -> None:
    """Without variance the limit counts, whatever the weights' scale."""
    values, quantization = cases.free(np.random.default_rng(1), Sizes(), CellOptions(layer_norm=True))
    for gate in GATES:
        for source in ("input", "recurrent"):
            rows = values[f"{source}_to_{gate}_weights"]
            values[f"{source}_to_{gate}_weights"] = [rows[0]] * len(rows)
        quantization[f"{gate}_layer_norm_weights"] = (scale, 0)
    _check(FREE, values, quantization, golden.quantized_lstm(values, quantization))


def test_sigmoid_and_tanh_of_all_codes() -> None:
    """Within sixteen units of 2^-15 of the real functions, and equal to the second implementation on a grid."""
    codes = np.arange(-32768, 32768)
    assert np.max(np.abs(sigmoid16(codes) / 2**15 - 1 / (1 + np.exp(-codes / 2**12)))) < 2**-11
    for bits in range(7):
        assert np.max(np.abs(tanh16(codes, bits) / 2**15 - np.tanh(codes / 2.0 ** (15 - bits)))) < 2**-11
    for code in range(-32768, 32768, 251):
        assert sigmoid16(np.array(code)) == golden.sigmoid(code)
        assert all(tanh16(np.array(code), bits) == golden.tanh(code, bits) for bits in range(7))


def test_reference_pairs_columns_by_position() -> None:
    """Exchanging input and previous output with equal weights exchanged changes nothing: columns pair by position."""
    values, quantization = cases.fixed(np.random.default_rng(0), Sizes(input=3, units=3), 0.005, 100)
    inputs = _inputs(FIXED, values, quantization)
    swapped = {**values, "input": values["output_state_in"], "output_state_in": values["input"]}
    for gate in GATES:
        one, other = f"input_to_{gate}_weights", f"recurrent_to_{gate}_weights"
        swapped |= {one: values[other], other: values[one]}
    first = run_single(FIXED, inputs, _outputs(FIXED, quantization))
    second = run_single(FIXED, _inputs(FIXED, swapped, quantization), _outputs(FIXED, quantization))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


def test_all_zero_cell_by_hand() -> None:
    """Sums of zero: gates are 1/2 and 0, so C = 0.5 * 0.5 = 0.25 (512 / 2048), output 0.5 * tanh(0.25) = 0.1225.

    In codes: 0.1225 * 128 + 128 = 143.7, which rounds to 144.
    """
    values, quantization = cases.fixed(np.random.default_rng(0), Sizes(batch=1, input=1, units=1), 0.005, 100)
    values |= {name: np.full_like(value, 100) for name, value in values.items() if name.endswith("_weights")}
    values |= {name: [0] for name in BIASES}
    values["cell_state_in"] = [[1024]]
    cell, codes = run_single(FIXED, _inputs(FIXED, values, quantization), _outputs(FIXED, quantization))
    assert math.isclose(cell[0, 0] / 2048, 0.25, abs_tol=1 / 2048)
    assert codes.tolist() == [[144]]


FULL = CellOptions(peephole=True, projection=True, projection_bias=True, layer_norm=True)
COUPLED = CellOptions(cifg=True, peephole=True, layer_norm=True)


def _requantized(name: str, scale: float, zero_point: int) -> Callable[[Values, Quantization], None]:
    def change(values: Values, quantization: Quantization) -> None:
        assert name in values
        quantization[name] = (scale, zero_point)

    return change


def _valued(change: Break) -> Callable[[Values, Quantization], None]:
    def apply(values: Values, quantization: Quantization) -> None:
        assert quantization
        change(values)

    return apply


def _own_axis(name: str) -> int:
    return 0 if name.startswith("recurrent_") else -1


FIXED_SIZED = (*golden.QUANTIZED_16BIT_LSTM_INPUTS[1:13], *STATES)
BROKEN: list[tuple[str, CellOptions, Callable[[Values, Quantization], None]]] = [
    ("QUANTIZED_16BIT_LSTM/output_size", FULL, _valued(growing("recurrent_to_output_weights"))),
    *(
        (f"QUANTIZED_16BIT_LSTM/{name}.dimensions", FULL, _valued(growing(name, _own_axis(name))))
        for name in FIXED_SIZED
    ),
    ("QUANTIZED_16BIT_LSTM/input.quantization", FULL, _requantized("input", 1 / 127, 128)),
    ("QUANTIZED_16BIT_LSTM/input.quantization", FULL, _requantized("input", 1 / 128, 127)),
    ("QUANTIZED_16BIT_LSTM/output_state_in.quantization", FULL, _requantized("output_state_in", 1 / 64, 128)),
    ("QUANTIZED_16BIT_LSTM/weights.quantization", FULL, _requantized("recurrent_to_cell_weights", 1 / 256, 99)),
    ("QUANTIZED_16BIT_LSTM/weights.quantization", FULL, _requantized("input_to_cell_weights", 1 / 255, 100)),
    ("QUANTIZED_16BIT_LSTM/bias.quantization", FULL, _requantized("cell_gate_bias", 1 / 32767, 0)),
    ("QUANTIZED_16BIT_LSTM/cell_state_in.scale", FULL, _requantized("cell_state_in", 2.0**-10, 0)),
    ("QUANTIZED_16BIT_LSTM/cell_state_in.scale", FULL, _requantized("cell_state_in", 2.0**-11.1, 0)),
    ("QUANTIZED_LSTM/input_gate", FULL, _valued(setting(recurrent_to_input_weights=None))),
    ("QUANTIZED_LSTM/peephole", FULL, _valued(setting(cell_to_forget_weights=None))),
    ("QUANTIZED_LSTM/input_gate_bias", FULL, _valued(setting(input_gate_bias=None))),
    ("QUANTIZED_LSTM/input_gate_bias", COUPLED, _valued(setting(input_gate_bias=[0, 0, 0]))),
    ("QUANTIZED_LSTM/layer_norm", FULL, _valued(setting(cell_layer_norm_weights=None))),
    ("QUANTIZED_LSTM/layer_norm", COUPLED, _valued(setting(input_layer_norm_weights=[0, 0, 0]))),
    ("QUANTIZED_LSTM/output_size", FULL, _valued(setting(projection_weights=None))),
    *(
        (f"QUANTIZED_LSTM/{name}.dimensions", FULL, _valued(growing(name, _own_axis(name))))
        for name in (*CELL, *STATES, *LAYER_NORM)
    ),
    ("QUANTIZED_LSTM/cell_state_in.scale", FULL, _requantized("cell_state_in", 2.0**-8, 0)),
    ("QUANTIZED_LSTM/cell_state_in.scale", FULL, _requantized("cell_state_in", 2.0**-16, 0)),
    ("QUANTIZED_LSTM/cell_state_in.scale", FULL, _requantized("cell_state_in", 0.0005, 0)),
    *(
        ("QUANTIZED_LSTM/effective_scale", FULL, _valued(setting(**{name: 0.0})))
        for name in ("forget_intermediate_scale", "output_intermediate_scale", "hidden_state_scale")
    ),
]


def _values(name: str, options: CellOptions) -> tuple[Values, Quantization]:
    rng = np.random.default_rng(0)
    return cases.fixed(rng, Sizes(), 1 / 256, 100) if name == FIXED.name else cases.free(rng, Sizes(), options)


@pytest.mark.parametrize(("rule", "options", "change"), BROKEN, ids=[rule for rule, *_ in BROKEN])
def test_broken_rule(rule: str, options: CellOptions, change: Callable[[Values, Quantization], None]) -> None:
    """A call that breaks one rule fails with it."""
    name = rule.split("/", maxsplit=1)[0]
    values, quantization = _values(name, options)
    declared = _outputs(OperationType[name], quantization)
    change(values, quantization)
    inputs = _inputs(OperationType[name], values, quantization)
    assert_fails(rule, ErrorStatus.GENERAL_FAILURE, OperationType[name], inputs, declared)


def test_every_rule_is_broken() -> None:
    """No rule of the family lacks a test."""
    declared = {rule.id for name in (FIXED.name, FREE.name) for rule in getattr(quantized_lstm, name).rules}
    assert declared == {rule for rule, *_ in BROKEN}


@pytest.mark.parametrize(
    ("name", "status"),
    [("QUANTIZED_16BIT_LSTM", ErrorStatus.INVALID_ARGUMENT), ("QUANTIZED_LSTM", ErrorStatus.GENERAL_FAILURE)],
)
def test_missing_and_empty_operands(name: str, status: ErrorStatus) -> None:
    """Operands that are needed must be there and not empty; the status is the page's."""
    for value, rule in ((None, "cell_gate_bias.omitted"), (np.zeros(0), "zero_sized")):
        values, quantization = _values(name, FULL)
        values["cell_gate_bias"] = value
        inputs = _inputs(OperationType[name], values, quantization)
        assert_fails(f"{name}/{rule}", status, OperationType[name], inputs, _outputs(OperationType[name], quantization))


@pytest.mark.parametrize(("name", "level"), [("QUANTIZED_16BIT_LSTM", 3), ("QUANTIZED_LSTM", 4)])
def test_levels(name: str, level: int) -> None:
    """The feature level is that of the operation."""
    values, quantization = _values(name, FULL)
    inputs = _inputs(OperationType[name], values, quantization)
    call = bind(getattr(quantized_lstm, name), inputs, _outputs(OperationType[name], quantization))
    assert required_level(call)[0] == level


def test_output_state_takes_the_parameters_of_the_output() -> None:
    """A first output declared unlike the last fails, as the reference applies the last one's parameters."""
    values, quantization = _values("QUANTIZED_LSTM", FULL)
    declared = _outputs(FREE, quantization)
    declared[0] = output(T.TENSOR_QUANT8_ASYMM_SIGNED, 0.5, 0)
    inputs = _inputs(FREE, values, quantization)
    assert_fails("QUANTIZED_LSTM/output.quantization", ErrorStatus.GENERAL_FAILURE, FREE, inputs, declared)


def test_fixed_outputs_keep_the_parameters_of_the_states() -> None:
    """Outputs of QUANTIZED_16BIT_LSTM declared unlike the states that they follow fail."""
    values, quantization = _values("QUANTIZED_16BIT_LSTM", FULL)
    declared = _outputs(FIXED, quantization)
    declared[1] = output(T.TENSOR_QUANT8_ASYMM, 1 / 64, 128)
    inputs = _inputs(FIXED, values, quantization)
    assert_fails("QUANTIZED_16BIT_LSTM/output.quantization", ErrorStatus.GENERAL_FAILURE, FIXED, inputs, declared)
