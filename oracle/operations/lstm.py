"""LSTM and the sequence LSTMs on nested lists, one number at a time.

Data are laid out as in :mod:`nnvet.oracle.operations.recurrent`. Computed in double precision throughout.
Written from their pages in docs/contract/operations.
"""

import math
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.invocation import Invocation, Meaning
from nnvet.oracle.operations.recurrent import (
    ACTIVATIONS,
    LSTM_SEQUENCES,
    Operands,
    arrays,
    given,
    join,
    named,
    part,
    sigmoid,
    time_first,
    transposed,
)
from nnvet.oracle.operations.tensor import Array

GATES = ("input", "forget", "cell", "output")
BIASES = tuple(f"{gate}_gate_bias" for gate in GATES)
CELL = (
    *(f"input_to_{gate}_weights" for gate in GATES),
    *(f"recurrent_to_{gate}_weights" for gate in GATES),
    "cell_to_input_weights",
    "cell_to_forget_weights",
    "cell_to_output_weights",
    *BIASES,
    "projection_weights",
    "projection_bias",
)
STATES = ("output_state_in", "cell_state_in")
LAYER_NORM = tuple(f"{gate}_layer_norm_weights" for gate in GATES)
AUXILIARY = tuple(f"aux_input_to_{gate}_weights" for gate in GATES)
SETTINGS = ("activation", "cell_clip", "projection_clip")
LSTM_INPUTS = ("input", *CELL, *STATES, *SETTINGS, *LAYER_NORM)
UNIDIRECTIONAL_LSTM_INPUTS = ("input", *CELL, *STATES, *SETTINGS, "time_major", *LAYER_NORM)
BIDIRECTIONAL_LSTM_INPUTS = (
    "input",
    *(f"{direction}_{name}" for direction in ("fw", "bw") for name in CELL),
    *(f"{direction}_{name}" for direction in ("fw", "bw") for name in STATES),
    "aux_input",
    *(f"{direction}_{name}" for direction in ("fw", "bw") for name in AUXILIARY),
    *SETTINGS,
    "merge_outputs",
    "time_major",
    *(f"{direction}_{name}" for direction in ("fw", "bw") for name in LAYER_NORM),
)


def _dot(row: list[float], values: list[float]) -> float:
    return sum(a * b for a, b in zip(row, values, strict=True))


def _clip(x: float, bound: float) -> float:
    return max(-bound, min(bound, x)) if bound > 0 else x


def _raw(gate: str, rows: dict[str, list[float]], c: list[float], cell: Operands) -> list[float]:
    """Pre-activation of one gate: products, peephole, then bias or layer normalisation."""
    values = []
    for unit in range(len(c)):
        total = sum(_dot(cell[f"{source}_to_{gate}_weights"][unit], row) for source, row in rows.items())
        if gate != "cell" and given(cell, f"cell_to_{gate}_weights"):
            total += cell[f"cell_to_{gate}_weights"][unit] * c[unit]
        values.append(total)
    if given(cell, f"{gate}_layer_norm_weights"):
        mean = sum(values) / len(values)
        variance = sum((v - mean) ** 2 for v in values) / len(values)
        scale = cell[f"{gate}_layer_norm_weights"]
        values = [(v - mean) / math.sqrt(variance + 1e-8) * s for v, s in zip(values, scale, strict=True)]
    return [v + b for v, b in zip(values, cell[f"{gate}_gate_bias"], strict=True)]


def _step(
    rows: dict[str, list[float]], c: list[float], cell: Operands, settings: Operands
) -> tuple[list[float], list[float]]:
    """One batch row: new output and new cell state; ``rows`` by the source of their weights."""
    activate = ACTIVATIONS[settings["activation"]]
    f = [sigmoid(v) for v in _raw("forget", rows, c, cell)]
    if given(cell, "input_to_input_weights"):
        i = [sigmoid(v) for v in _raw("input", rows, c, cell)]
    else:
        i = [1 - v for v in f]
    g = [activate(v) for v in _raw("cell", rows, c, cell)]
    new_c = [_clip(f[u] * c[u] + i[u] * g[u], settings["cell_clip"]) for u in range(len(c))]
    o = [sigmoid(v) for v in _raw("output", rows, new_c, cell)]
    m = [a * activate(b) for a, b in zip(o, new_c, strict=True)]
    if not given(cell, "projection_weights"):
        return m, new_c
    bias = cell["projection_bias"] if given(cell, "projection_bias") else [0.0] * len(cell["projection_weights"])
    new_h = [_dot(row, m) + b for row, b in zip(cell["projection_weights"], bias, strict=True)]
    return [_clip(v, settings["projection_clip"]) for v in new_h], new_c


def _run(
    sequences: dict[str, list[Any]], cell: Operands, settings: Operands, *, backward: bool = False
) -> tuple[list[Any], list[Any], list[Any]]:
    """Outputs of all steps, last output state, last cell state; ``sequences`` by the source of their weights."""
    h, c, count = cell["output_state_in"], cell["cell_state_in"], len(sequences["input"])
    outputs: list[Any] = [None] * count
    for t in range(count)[:: -1 if backward else 1]:
        pairs = []
        for b in range(len(h)):
            rows = {source: steps[t][b] for source, steps in sequences.items()}
            pairs.append(_step({**rows, "recurrent": h[b]}, c[b], cell, settings))
        h, c = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        outputs[t] = h
    return outputs, h, c


def lstm(operands: Operands) -> list[Any]:
    """LSTM: None for the unspecified scratch buffer, output state, cell state, output."""
    _, h, c = _run({"input": [operands["input"]]}, operands, operands)
    return [None, h, c, h]


def unidirectional_sequence_lstm(operands: Operands) -> list[Any]:
    """UNIDIRECTIONAL_SEQUENCE_LSTM: output, output state, cell state."""
    outputs, h, c = _run({"input": time_first(operands, "input")}, operands, operands)
    return [outputs if operands["time_major"] else transposed(outputs), h, c]


def bidirectional_sequence_lstm(operands: Operands) -> list[Any]:
    """BIDIRECTIONAL_SEQUENCE_LSTM: forward and backward output, or both merged; then the four states."""
    forward, backward = LSTM_SEQUENCES.of(operands, time_first)
    fw, fw_h, fw_c = _run(forward, part(operands, "fw_"), operands)
    bw, bw_h, bw_c = _run(backward, part(operands, "bw_"), operands, backward=True)
    return [*join(fw, bw, operands), fw_h, fw_c, bw_h, bw_c]


def _lstm(call: Invocation) -> list[Array]:
    """The scratch buffer, whose contents nobody reads, is zero: four gates wide, three where one is coupled."""
    operands = named(call, LSTM_INPUTS)
    _, state, cell, output = lstm(operands)
    gates = len(GATES) if given(operands, "input_to_input_weights") else len(GATES) - 1
    batch, units = np.shape(cell)
    return [np.zeros((batch, gates * units)), *arrays((state, cell, output))]


def _bidirectional(call: Invocation) -> list[Array]:
    """The second of two outputs is unused if the first one holds both directions: zeros, of the backward shape."""
    operands = named(call, BIDIRECTIONAL_LSTM_INPUTS)
    results = arrays(bidirectional_sequence_lstm(operands))
    if not operands["merge_outputs"] or len(call.outputs) != 2:
        return results
    merged, _, _, backward_state, _ = results
    return [merged, np.zeros_like(merged[..., : backward_state.shape[-1]])]


MEANINGS: Final = {
    O.LSTM: Meaning(_lstm),
    O.UNIDIRECTIONAL_SEQUENCE_LSTM: Meaning(
        lambda call: arrays(unidirectional_sequence_lstm(named(call, UNIDIRECTIONAL_LSTM_INPUTS)))
    ),
    O.BIDIRECTIONAL_SEQUENCE_LSTM: Meaning(_bidirectional),
}
