"""Meanings of RNN, SVDF, LSTM and their sequences, on nested lists, one number at a time.

Rows are lists of numbers, matrices lists of rows, sequences lists of steps, each a list of batch rows. Operands
are dictionaries by name; an omitted one is absent or None. ``number`` rounds a sum to the type it is kept in:
np.float32, or np.float16 for the RNNs, which round every multiply-add. LSTMs are computed in double precision.
Written from their pages in docs/contract/operations.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning

RNN_CELL = ("weights", "recurrent_weights", "bias", "hidden_state_in")
RNN_INPUTS = ("input", *RNN_CELL, "activation")
SVDF_INPUTS = ("input", "feature_weights", "time_weights", "bias", "state_in", "rank", "activation")
UNIDIRECTIONAL_RNN_INPUTS = (*RNN_INPUTS, "time_major")
BIDIRECTIONAL_RNN_INPUTS = (
    "input",
    *(f"fw_{name}" for name in RNN_CELL),
    *(f"bw_{name}" for name in RNN_CELL),
    "aux_input",
    "fw_aux_weights",
    "bw_aux_weights",
    "activation",
    "time_major",
    "merge_outputs",
)

Operands = dict[str, Any]


def sigmoid(x: float) -> float:
    """Return 1 / (1 + e^-x) without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


ACTIVATIONS: dict[int, Callable[[float], float]] = {
    0: lambda x: x,
    1: lambda x: max(0.0, x),
    2: lambda x: max(-1.0, min(1.0, x)),
    3: lambda x: max(0.0, min(6.0, x)),
    4: math.tanh,
    5: lambda x: 1.0 if math.copysign(1.0, x) < 0 else 0.0,
    6: sigmoid,
}
"""Activations of recurrent operations: none, relu, relu1, relu6, tanh, sign bit, sigmoid."""


def transposed(sequence: list[Any]) -> list[Any]:
    """Return the sequence with its first two axes exchanged."""
    return [list(column) for column in zip(*sequence, strict=True)]


def part(operands: Operands, prefix: str) -> Operands:
    """Return the operands of one direction, without the prefix."""
    return {name[len(prefix) :]: value for name, value in operands.items() if name.startswith(prefix)}


def given(operands: Operands, name: str) -> bool:
    """Return True if an operand has a value."""
    return operands.get(name) is not None


class Sequences(NamedTuple):
    """Names of a cell's input and of the auxiliary one: ``weights`` are those that only the latter has."""

    input: str
    auxiliary: str
    weights: str

    def of(self, operands: Operands, sequence: Callable[[Operands, str], Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the inputs of the cells of either direction; ``sequence`` gives the steps of an operand.

        An auxiliary input that has no weights is the input of the backward direction.
        """
        both = {self.input: sequence(operands, "input")}
        if not given(operands, "aux_input"):
            return both, both
        extra = sequence(operands, "aux_input")
        if not given(operands, self.weights):
            return both, {self.input: extra}
        both[self.auxiliary] = extra
        return both, both


RNN_SEQUENCES: Final = Sequences("weights", "aux_weights", "fw_aux_weights")
LSTM_SEQUENCES: Final = Sequences("input", "aux_input", "fw_aux_input_to_forget_weights")


def _rnn_row(rows: dict[str, list[float]], h: list[float], cell: Operands, code: int, number: Any) -> list[float]:
    result = []
    for unit, bias in enumerate(cell["bias"]):
        total = number(bias)
        for name, values in [*rows.items(), ("recurrent_weights", h)]:
            for weight, value in zip(cell[name][unit], values, strict=True):
                total = number(np.float32(total) + np.float32(weight) * np.float32(value))
        result.append(float(number(ACTIVATIONS[code](float(total)))))
    return result


def run_rnn(
    sequences: dict[str, list[Any]], cell: Operands, code: int, number: Any, *, backward: bool = False
) -> tuple[list[Any], list[Any]]:
    """Return outputs of all steps and the last hidden state; ``sequences`` by the name of their weights."""
    state, count = cell["hidden_state_in"], len(sequences["weights"])
    outputs: list[Any] = [None] * count
    for t in range(count)[:: -1 if backward else 1]:
        state = [
            _rnn_row({name: steps[t][b] for name, steps in sequences.items()}, h, cell, code, number)
            for b, h in enumerate(state)
        ]
        outputs[t] = state
    return outputs, state


def rnn(operands: Operands, number: Any = np.float32) -> list[Any]:
    """Return the outputs of RNN: hidden state, output."""
    _, state = run_rnn({"weights": [operands["input"]]}, operands, operands["activation"], number)
    return [state, state]


def time_first(operands: Operands, name: str) -> list[Any]:
    """Return a sequence as a list of steps."""
    sequence: list[Any] = operands[name]
    return sequence if operands["time_major"] else transposed(sequence)


def unidirectional_sequence_rnn(operands: Operands, number: Any = np.float32) -> list[Any]:
    """Return the outputs of UNIDIRECTIONAL_SEQUENCE_RNN: output, hidden state."""
    steps = time_first(operands, "input")
    outputs, state = run_rnn({"weights": steps}, operands, operands["activation"], number)
    return [outputs if operands["time_major"] else transposed(outputs), state]


def bidirectional_sequence_rnn(operands: Operands, number: Any = np.float32) -> list[Any]:
    """Return forward and backward output of BIDIRECTIONAL_SEQUENCE_RNN, or both merged, then both states."""
    code = operands["activation"]
    forward, backward = RNN_SEQUENCES.of(operands, time_first)
    fw, fw_state = run_rnn(forward, part(operands, "fw_"), code, number)
    bw, bw_state = run_rnn(backward, part(operands, "bw_"), code, number, backward=True)
    return [*join(fw, bw, operands), fw_state, bw_state]


def join(fw: list[Any], bw: list[Any], operands: Operands) -> list[Any]:
    """Return forward and backward outputs in the operation's layout, as one list if it merges them."""
    outputs = [fw, bw]
    if operands["merge_outputs"]:
        outputs = [[[x + y for x, y in zip(left, right, strict=True)] for left, right in zip(fw, bw, strict=True)]]
    return outputs if operands["time_major"] else [transposed(output) for output in outputs]


def svdf(operands: Operands) -> list[Any]:
    """Return the outputs of SVDF: state [batch][memory * filters], output [batch][units]."""
    features, weights, rank = operands["feature_weights"], operands["time_weights"], operands["rank"]
    memory = len(weights[0])
    states, outputs = [], []
    for x, old in zip(operands["input"], operands["state_in"], strict=True):
        state, filtered = [], []
        for f, feature in enumerate(features):
            slots = list(old[f * memory : (f + 1) * memory])
            slots[-1] = sum(a * b for a, b in zip(x, feature, strict=True))
            filtered.append(sum(a * b for a, b in zip(slots, weights[f], strict=True)))
            state += [*slots[1:], 0.0]
        states.append(state)
        row = []
        for u in range(len(features) // rank):
            total = sum(filtered[u * rank : (u + 1) * rank])
            if given(operands, "bias"):
                total += operands["bias"][u]
            row.append(ACTIVATIONS[operands["activation"]](total))
        outputs.append(row)
    return [states, outputs]


def named(call: Invocation, names: Sequence[str]) -> Operands:
    """Return the inputs by name: nested lists of numbers, scalars as numbers, None if omitted."""
    return {name: call.array(i).tolist() if call.has(i) else None for i, name in enumerate(names[: len(call)])}


def arrays(results: Sequence[Any]) -> list[Array]:
    """Return nested lists as arrays."""
    return [np.array(result) for result in results]


def _number(call: Invocation) -> Any:
    return np.float16 if call.inputs[0].type == OperandType.TENSOR_FLOAT16 else np.float32


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
    """Return pre-activation of one gate: products, peephole, then bias or layer normalisation."""
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
    """Return new output and new cell state of one batch row; ``rows`` are keyed by the source of their weights."""
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


def _run_lstm(
    sequences: dict[str, list[Any]], cell: Operands, settings: Operands, *, backward: bool = False
) -> tuple[list[Any], list[Any], list[Any]]:
    """Return outputs of all steps, last output state, last cell state; ``sequences`` by the source of their weights."""
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
    """Return the outputs of LSTM: None for the unspecified scratch buffer, output state, cell state, output."""
    _, h, c = _run_lstm({"input": [operands["input"]]}, operands, operands)
    return [None, h, c, h]


def unidirectional_sequence_lstm(operands: Operands) -> list[Any]:
    """Return the outputs of UNIDIRECTIONAL_SEQUENCE_LSTM: output, output state, cell state."""
    outputs, h, c = _run_lstm({"input": time_first(operands, "input")}, operands, operands)
    return [outputs if operands["time_major"] else transposed(outputs), h, c]


def bidirectional_sequence_lstm(operands: Operands) -> list[Any]:
    """Return forward and backward output of BIDIRECTIONAL_SEQUENCE_LSTM, or both merged, then the four states."""
    forward, backward = LSTM_SEQUENCES.of(operands, time_first)
    fw, fw_h, fw_c = _run_lstm(forward, part(operands, "fw_"), operands)
    bw, bw_h, bw_c = _run_lstm(backward, part(operands, "bw_"), operands, backward=True)
    return [*join(fw, bw, operands), fw_h, fw_c, bw_h, bw_c]


def _lstm(call: Invocation) -> list[Array]:
    """Compute an LSTM; the unread scratch buffer is zero, and four gates wide, or three with coupled gates."""
    operands = named(call, LSTM_INPUTS)
    _, state, cell, output = lstm(operands)
    gates = len(GATES) if given(operands, "input_to_input_weights") else len(GATES) - 1
    batch, units = np.shape(cell)
    return [np.zeros((batch, gates * units)), *arrays((state, cell, output))]


def _bidirectional(call: Invocation) -> list[Array]:
    """Compute BIDIRECTIONAL_SEQUENCE_LSTM.

    The second of two outputs is unused if the first one holds both directions: zeros, of the backward shape.
    """
    operands = named(call, BIDIRECTIONAL_LSTM_INPUTS)
    results = arrays(bidirectional_sequence_lstm(operands))
    if not operands["merge_outputs"] or len(call.outputs) != 2:
        return results
    merged, _, _, backward_state, _ = results
    return [merged, np.zeros_like(merged[..., : backward_state.shape[-1]])]


MEANINGS: Final = {
    O.RNN: Meaning(lambda call: arrays(rnn(named(call, RNN_INPUTS), _number(call)))),
    O.SVDF: Meaning(lambda call: arrays(svdf(named(call, SVDF_INPUTS)))),
    O.UNIDIRECTIONAL_SEQUENCE_RNN: Meaning(
        lambda call: arrays(unidirectional_sequence_rnn(named(call, UNIDIRECTIONAL_RNN_INPUTS), _number(call)))
    ),
    O.BIDIRECTIONAL_SEQUENCE_RNN: Meaning(
        lambda call: arrays(bidirectional_sequence_rnn(named(call, BIDIRECTIONAL_RNN_INPUTS), _number(call)))
    ),
    O.LSTM: Meaning(_lstm),
    O.UNIDIRECTIONAL_SEQUENCE_LSTM: Meaning(
        lambda call: arrays(unidirectional_sequence_lstm(named(call, UNIDIRECTIONAL_LSTM_INPUTS)))
    ),
    O.BIDIRECTIONAL_SEQUENCE_LSTM: Meaning(_bidirectional),
}
