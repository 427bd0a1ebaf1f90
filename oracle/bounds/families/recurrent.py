"""Bound rules of RNN, SVDF, LSTM and their sequences: running error analysis, step by step, on arrays [batch, units].

QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM need no analysis: their fixed-point recipes define every rounding (Semantics in
their pages of docs/contract/operations). A driver may only round products with multipliers once instead of twice. With
inexact inputs everything is undecided, since their effect on a cell state is unknown.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.oracle.bounds.patterns import all_open, opened, unrounded
from nnvet.oracle.bounds.precision import Estimate
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall, results
from nnvet.oracle.bounds.running import Running, added, spread_of, sum_of
from nnvet.oracle.bounds.storing import stored
from nnvet.oracle.operations import recurrent
from nnvet.oracle.operations.fixed_point_functions import rounded_once_away, rounded_once_up
from nnvet.oracle.operations.quantized_lstm import cells_with

Operands = dict[str, Any]
"""Inputs by name: tensors as :class:`Running`, scalars as numbers, None if omitted."""
STEPS: Final = (
    "running error analysis through all steps",
    "running error analysis, sums in any order",
    "the sign bit of what may be 0",
)


def _sign_bit(x: Running) -> Running:
    """Return 1 below 0, otherwise 0; undecided if the number may lie on either side."""
    is_open = np.abs(x.value) <= x.error
    return Running((x.value < 0).astype(np.float64), np.where(is_open & (x.error > 0), 1.0, 0.0), x.unit)


ACTIVATIONS: Final[Mapping[int, Callable[[Running], Running]]] = {
    0: lambda x: x,
    1: lambda x: x.clip(0.0, np.inf),
    2: lambda x: x.clip(-1.0, 1.0),
    3: lambda x: x.clip(0.0, 6.0),
    4: Running.tanh,
    5: _sign_bit,
    6: Running.logistic,
}


def named(call: EstimatedCall, names: Sequence[str], unit: float) -> Operands:
    """Return the inputs by name."""
    found: Operands = {}
    for position, (name, estimate) in enumerate(zip(names, call.inputs, strict=False)):
        if estimate is None:
            found[name] = None
        elif type_info(estimate.type).is_tensor:
            found[name] = Running(call.value(position), call.error(position), unit)
        else:
            found[name] = call.parameters.number(position)
    return found


def finished(call: EstimatedCall, results: Sequence[Running]) -> list[Estimate]:
    """Return the results as the outputs store them."""
    return [
        stored(call, result.value, result.error, output=output)
        for result, output in zip(results, call.outputs, strict=False)
    ]


def time_first(operands: Operands, name: str) -> Running:
    """Return a sequence [steps, batch, size]."""
    sequence: Running = operands[name]
    return sequence if operands["time_major"] else batches_first(sequence)


def batches_first(sequence: Running) -> Running:
    """Exchange the first two dimensions, steps and batches."""
    return Running(sequence.value.swapaxes(0, 1), sequence.error.swapaxes(0, 1), sequence.unit)


def stacked(steps: Sequence[Running]) -> Running:
    """Join steps to a sequence [steps, batch, units]."""
    return Running(np.stack([step.value for step in steps]), np.stack([step.error for step in steps]), steps[0].unit)


def join(forward: Running, backward: Running, operands: Operands) -> list[Running]:
    """Return forward and backward outputs in the layout of the operation, as one array if the outputs are merged."""
    outputs = [forward, backward]
    if operands["merge_outputs"]:
        value, error = (np.concatenate(pair, -1) for pair in _pairs(outputs))
        outputs = [Running(value, error, forward.unit)]
    return outputs if operands["time_major"] else [batches_first(output) for output in outputs]


def _pairs(sequences: Sequence[Running]) -> tuple[list[Any], list[Any]]:
    return [sequence.value for sequence in sequences], [sequence.error for sequence in sequences]


def _run_rnn(
    sequences: Mapping[str, Running], cell: Operands, code: int, *, backward: bool = False
) -> tuple[Running, Running]:
    """Return the outputs of all steps and the last hidden state; ``sequences`` are keyed by the names of weights."""
    state: Running = cell["hidden_state_in"]
    count = sequences["weights"].value.shape[0]
    outputs: list[Running] = [state] * count
    for step in range(count)[:: -1 if backward else 1]:
        products = [(sequence[step], cell[name]) for name, sequence in sequences.items()]
        total = sum_of([(state, cell["recurrent_weights"]), *products], [cell["bias"]])
        outputs[step] = state = ACTIVATIONS[code](total)
    return stacked(outputs), state


def _rnn(call: EstimatedCall) -> Sequence[Estimate]:
    operands = named(call, recurrent.RNN_INPUTS, call.precision.unit)
    x: Running = operands["input"]
    _, state = _run_rnn({"weights": x[None]}, operands, operands["activation"])
    return finished(call, [state, state])


def _unidirectional_rnn(call: EstimatedCall) -> Sequence[Estimate]:
    operands = named(call, recurrent.UNIDIRECTIONAL_RNN_INPUTS, call.precision.unit)
    outputs, state = _run_rnn({"weights": time_first(operands, "input")}, operands, operands["activation"])
    return finished(call, [outputs if operands["time_major"] else batches_first(outputs), state])


def _bidirectional_rnn(call: EstimatedCall) -> Sequence[Estimate]:
    operands = named(call, recurrent.BIDIRECTIONAL_RNN_INPUTS, call.precision.unit)
    forward, backward = recurrent.RNN_SEQUENCES.of(operands, time_first)
    code = operands["activation"]
    fw, fw_state = _run_rnn(forward, recurrent.part(operands, "fw_"), code)
    bw, bw_state = _run_rnn(backward, recurrent.part(operands, "bw_"), code, backward=True)
    return finished(call, [*join(fw, bw, operands), fw_state, bw_state])


def _svdf(call: EstimatedCall) -> Sequence[Estimate]:
    operands = named(call, recurrent.SVDF_INPUTS, call.precision.sum_unit)
    x, weights = operands["input"], operands["time_weights"]
    filters, memory = weights.value.shape
    features: Running = x.times_matrix(operands["feature_weights"])
    batches = features.value.shape[0]
    old = operands["state_in"]
    slots, errors = (
        np.concatenate([before.reshape(batches, filters, memory)[:, :, :-1], last[:, :, None]], 2)
        for before, last in ((old.value, features.value), (old.error, features.error))
    )
    state = Running(slots, errors, x.unit)
    filtered = state * weights
    by_unit = (batches, filters // operands["rank"], operands["rank"] * memory)
    filtered = Running(filtered.value.reshape(by_unit), filtered.error.reshape(by_unit), x.unit)
    total = added(filtered, [operands["bias"]] if recurrent.given(operands, "bias") else [])
    moved = [np.concatenate([array[:, :, 1:], np.zeros((batches, filters, 1))], 2) for array in (slots, errors)]
    value, error = (array.reshape(old.value.shape) for array in moved)
    return finished(call, [Running(value, error, x.unit), ACTIVATIONS[operands["activation"]](total)])


_EPSILON: Final = 1e-8
"""Number added to the variance in layer normalisation."""


def _clip(x: Running, bound: float) -> Running:
    return x.clip(-bound, bound) if bound > 0 else x


def _raw(gate: str, rows: Mapping[str, Running], c: Running, cell: Operands) -> Running:
    """Return the sum of a gate before its activation: products, peephole, then bias or layer normalisation."""
    bias: Running = cell[f"{gate}_gate_bias"]
    products = [(row, cell[f"{source}_to_{gate}_weights"]) for source, row in rows.items()]
    has_peephole = gate != "cell" and recurrent.given(cell, f"cell_to_{gate}_weights")
    addends = [c * cell[f"cell_to_{gate}_weights"]] if has_peephole else []
    if not recurrent.given(cell, f"{gate}_layer_norm_weights"):
        return sum_of(products, [*addends, bias])
    deviation, variance = spread_of(sum_of(products, addends), one_pass=True)
    root = (variance + _EPSILON).sqrt().spread_out()
    normalized: Running = deviation / root * cell[f"{gate}_layer_norm_weights"]
    return normalized + bias


def _step(rows: Mapping[str, Running], c: Running, cell: Operands, settings: Operands) -> tuple[Running, Running]:
    """Return the new output and the new cell state; ``rows`` are keyed by the source of their weights."""
    activate = ACTIVATIONS[settings["activation"]]
    f = _raw("forget", rows, c, cell).logistic()
    has_input_gate = recurrent.given(cell, "input_to_input_weights")
    i = _raw("input", rows, c, cell).logistic() if has_input_gate else -f + 1.0
    g = activate(_raw("cell", rows, c, cell))
    new_c = _clip(f * c + i * g, settings["cell_clip"])
    m = _raw("output", rows, new_c, cell).logistic() * activate(new_c)
    if not recurrent.given(cell, "projection_weights"):
        return m, new_c
    has_bias = recurrent.given(cell, "projection_bias")
    new_h = sum_of([(m, cell["projection_weights"])], [cell["projection_bias"]] if has_bias else [])
    return _clip(new_h, settings["projection_clip"]), new_c


def _run_lstm(
    sequences: Mapping[str, Running], cell: Operands, settings: Operands, *, backward: bool = False
) -> tuple[Running, Running, Running]:
    """Return outputs of all steps, last output state, last cell state; ``sequences`` are keyed by source."""
    h, c = cell["output_state_in"], cell["cell_state_in"]
    count = sequences["input"].value.shape[0]
    outputs: list[Any] = [h] * count
    for step in range(count)[:: -1 if backward else 1]:
        rows = {source: sequence[step] for source, sequence in sequences.items()}
        h, c = _step({**rows, "recurrent": h}, c, cell, settings)
        outputs[step] = h
    return stacked(outputs), h, c


def _lstm(call: EstimatedCall) -> Sequence[Estimate]:
    """Estimate an LSTM; its scratch buffer is undecided."""
    operands = named(call, recurrent.LSTM_INPUTS, call.precision.sum_unit)
    x: Running = operands["input"]
    _, h, c = _run_lstm({"input": x[None]}, operands, operands)
    gates = len(recurrent.GATES) if recurrent.given(operands, "input_to_input_weights") else len(recurrent.GATES) - 1
    batch, units = c.value.shape
    scratch = np.zeros((batch, gates * units))
    rest = finished(call, [h, h, c, h])[1:]
    return [opened(call.output, scratch, np.ones(scratch.shape, np.bool_)), *rest]


def _unidirectional_lstm(call: EstimatedCall) -> Sequence[Estimate]:
    operands = named(call, recurrent.UNIDIRECTIONAL_LSTM_INPUTS, call.precision.sum_unit)
    outputs, h, c = _run_lstm({"input": time_first(operands, "input")}, operands, operands)
    return finished(call, [outputs if operands["time_major"] else batches_first(outputs), h, c])


def _bidirectional_lstm(call: EstimatedCall) -> Sequence[Estimate]:
    operands = named(call, recurrent.BIDIRECTIONAL_LSTM_INPUTS, call.precision.sum_unit)
    forward, backward = recurrent.LSTM_SEQUENCES.of(operands, time_first)
    fw, fw_h, fw_c = _run_lstm(forward, recurrent.part(operands, "fw_"), operands)
    bw, bw_h, bw_c = _run_lstm(backward, recurrent.part(operands, "bw_"), operands, backward=True)
    return finished(call, [*join(fw, bw, operands), fw_h, fw_c, bw_h, bw_c])


OTHER_RECIPES: Final = tuple(cells_with(rescale) for rescale in (rounded_once_up, rounded_once_away))


def _estimate(call: EstimatedCall) -> Sequence[Estimate]:
    codes = {
        position: replace(call.parameters.inputs[position], array=np.rint(estimate.value).astype(np.int64))
        for position, estimate in enumerate(call.inputs)
        if estimate is not None and type_info(estimate.type).is_tensor
    }
    values = call.on_stored(codes)
    if not all(estimate is None or estimate.is_exact for estimate in call.inputs):
        return all_open([unrounded(*pair, np.zeros(())) for pair in zip(call.outputs, values, strict=False)])
    whole = call.parameters.with_inputs([codes.get(i, operand) for i, operand in enumerate(call.parameters.inputs)])
    others = [results(recipe[call.operation].compute(whole)) for recipe in OTHER_RECIPES]
    return [
        unrounded(output, value, np.max([np.abs(other - value) for other in several], axis=0).astype(np.float64))
        for output, value, *several in zip(call.outputs, values, *others, strict=False)
    ]


RULES: Final[dict[O, BoundRule]] = {
    O.RNN: BoundRule(_rnn, *STEPS),
    O.SVDF: BoundRule(_svdf, *STEPS),
    O.UNIDIRECTIONAL_SEQUENCE_RNN: BoundRule(_unidirectional_rnn, *STEPS),
    O.BIDIRECTIONAL_SEQUENCE_RNN: BoundRule(_bidirectional_rnn, *STEPS),
    O.LSTM: BoundRule(_lstm, *STEPS[:2], "the scratch buffer"),
    O.UNIDIRECTIONAL_SEQUENCE_LSTM: BoundRule(_unidirectional_lstm, *STEPS),
    O.BIDIRECTIONAL_SEQUENCE_LSTM: BoundRule(_bidirectional_lstm, *STEPS),
    **{
        operation: BoundRule(
            _estimate,
            "none is followed",
            "what one rounding in place of two changes",
            "everything, where an input is inexact",
        )
        for operation in (O.QUANTIZED_16BIT_LSTM, O.QUANTIZED_LSTM)
    },
}
