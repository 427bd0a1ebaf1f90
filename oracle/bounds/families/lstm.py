"""LSTM and the sequence LSTMs: running error analysis step by step, with arrays [batch, units]."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.families.recurrent import (
    ACTIVATIONS,
    STEPS,
    Operands,
    batches_first,
    finished,
    join,
    named,
    stacked,
    time_first,
)
from nnvet.oracle.bounds.patterns import opened
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.running import Running, spread_of, sum_of
from nnvet.oracle.operations.lstm import BIDIRECTIONAL_LSTM_INPUTS, GATES, LSTM_INPUTS, UNIDIRECTIONAL_LSTM_INPUTS
from nnvet.oracle.operations.recurrent import LSTM_SEQUENCES, given, part

_EPSILON: Final = 1e-8


def _clip(x: Running, bound: float) -> Running:
    return x.clip(-bound, bound) if bound > 0 else x


def _raw(gate: str, rows: Mapping[str, Running], c: Running, cell: Operands) -> Running:
    """Pre-activation of one gate: products, peephole, then bias or layer normalisation."""
    bias: Running = cell[f"{gate}_gate_bias"]
    products = [(row, cell[f"{source}_to_{gate}_weights"]) for source, row in rows.items()]
    has_peephole = gate != "cell" and given(cell, f"cell_to_{gate}_weights")
    addends = [c * cell[f"cell_to_{gate}_weights"]] if has_peephole else []
    if not given(cell, f"{gate}_layer_norm_weights"):
        return sum_of(products, [*addends, bias])
    deviation, variance = spread_of(sum_of(products, addends), one_pass=True)
    root = (variance + _EPSILON).sqrt().spread_out()
    normalized: Running = deviation / root * cell[f"{gate}_layer_norm_weights"]
    return normalized + bias


def _step(rows: Mapping[str, Running], c: Running, cell: Operands, settings: Operands) -> tuple[Running, Running]:
    """New output and new cell state; ``rows`` by the source of their weights."""
    activate = ACTIVATIONS[settings["activation"]]
    f = _raw("forget", rows, c, cell).logistic()
    has_input_gate = given(cell, "input_to_input_weights")
    i = _raw("input", rows, c, cell).logistic() if has_input_gate else -f + 1.0
    g = activate(_raw("cell", rows, c, cell))
    new_c = _clip(f * c + i * g, settings["cell_clip"])
    m = _raw("output", rows, new_c, cell).logistic() * activate(new_c)
    if not given(cell, "projection_weights"):
        return m, new_c
    has_bias = given(cell, "projection_bias")
    new_h = sum_of([(m, cell["projection_weights"])], [cell["projection_bias"]] if has_bias else [])
    return _clip(new_h, settings["projection_clip"]), new_c


def _run(
    sequences: Mapping[str, Running], cell: Operands, settings: Operands, *, backward: bool = False
) -> tuple[Running, Running, Running]:
    """Outputs of all steps, last output state, last cell state; ``sequences`` by the source of their weights."""
    h, c = cell["output_state_in"], cell["cell_state_in"]
    count = sequences["input"].value.shape[0]
    outputs: list[Any] = [h] * count
    for step in range(count)[:: -1 if backward else 1]:
        rows = {source: sequence[step] for source, sequence in sequences.items()}
        h, c = _step({**rows, "recurrent": h}, c, cell, settings)
        outputs[step] = h
    return stacked(outputs), h, c


def _lstm(call: EstimatedCall) -> Sequence[Estimate]:
    """Of the scratch buffer nothing is demanded."""
    operands = named(call, LSTM_INPUTS, call.precision.sum_unit)
    x: Running = operands["input"]
    _, h, c = _run({"input": x[None]}, operands, operands)
    gates = len(GATES) if given(operands, "input_to_input_weights") else len(GATES) - 1
    batch, units = c.value.shape
    scratch = np.zeros((batch, gates * units))
    rest = finished(call, [h, h, c, h])[1:]
    return [opened(call.output, scratch, np.ones(scratch.shape, np.bool_)), *rest]


def _unidirectional(call: EstimatedCall) -> Sequence[Estimate]:
    operands = named(call, UNIDIRECTIONAL_LSTM_INPUTS, call.precision.sum_unit)
    outputs, h, c = _run({"input": time_first(operands, "input")}, operands, operands)
    return finished(call, [outputs if operands["time_major"] else batches_first(outputs), h, c])


def _bidirectional(call: EstimatedCall) -> Sequence[Estimate]:
    operands = named(call, BIDIRECTIONAL_LSTM_INPUTS, call.precision.sum_unit)
    forward, backward = LSTM_SEQUENCES.of(operands, time_first)
    fw, fw_h, fw_c = _run(forward, part(operands, "fw_"), operands)
    bw, bw_h, bw_c = _run(backward, part(operands, "bw_"), operands, backward=True)
    return finished(call, [*join(fw, bw, operands), fw_h, fw_c, bw_h, bw_c])


RULES: Final[dict[O, BoundRule]] = {
    O.LSTM: BoundRule(_lstm, *STEPS[:2], "the scratch buffer"),
    O.UNIDIRECTIONAL_SEQUENCE_LSTM: BoundRule(_unidirectional, *STEPS),
    O.BIDIRECTIONAL_SEQUENCE_LSTM: BoundRule(_bidirectional, *STEPS),
}
