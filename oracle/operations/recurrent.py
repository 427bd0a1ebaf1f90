"""RNN, SVDF and the sequence RNNs on nested lists, one number at a time.

Written from their pages in docs/contract/operations.
Rows are lists of numbers, matrices lists of rows, sequences lists of steps, each a list of batch rows. Operands
are dictionaries by name; an omitted one is absent or None. ``number`` rounds a sum to the type it is kept in:
np.float32, or np.float16 for the RNNs, which round every multiply-add.
Written from their pages in docs/contract/operations.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.invocation import Invocation, Meaning
from nnvet.oracle.operations.tensor import Array

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
    """1 / (1 + e^-x) without overflow."""
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
    """First two axes exchanged."""
    return [list(column) for column in zip(*sequence, strict=True)]


def part(operands: Operands, prefix: str) -> Operands:
    """The operands of one direction, without the prefix."""
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
    """Outputs of all steps and the last hidden state; ``sequences`` by the name of their weights."""
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
    """RNN: hidden state out, output."""
    _, state = run_rnn({"weights": [operands["input"]]}, operands, operands["activation"], number)
    return [state, state]


def time_first(operands: Operands, name: str) -> list[Any]:
    """A sequence as a list of steps."""
    sequence: list[Any] = operands[name]
    return sequence if operands["time_major"] else transposed(sequence)


def unidirectional_sequence_rnn(operands: Operands, number: Any = np.float32) -> list[Any]:
    """UNIDIRECTIONAL_SEQUENCE_RNN: output, hidden state."""
    steps = time_first(operands, "input")
    outputs, state = run_rnn({"weights": steps}, operands, operands["activation"], number)
    return [outputs if operands["time_major"] else transposed(outputs), state]


def bidirectional_sequence_rnn(operands: Operands, number: Any = np.float32) -> list[Any]:
    """BIDIRECTIONAL_SEQUENCE_RNN: forward and backward output, or both merged; then both states."""
    code = operands["activation"]
    forward, backward = RNN_SEQUENCES.of(operands, time_first)
    fw, fw_state = run_rnn(forward, part(operands, "fw_"), code, number)
    bw, bw_state = run_rnn(backward, part(operands, "bw_"), code, number, backward=True)
    return [*join(fw, bw, operands), fw_state, bw_state]


def join(fw: list[Any], bw: list[Any], operands: Operands) -> list[Any]:
    """Forward and backward outputs in the layout asked for, merged if asked for."""
    outputs = [fw, bw]
    if operands["merge_outputs"]:
        outputs = [[[x + y for x, y in zip(left, right, strict=True)] for left, right in zip(fw, bw, strict=True)]]
    return outputs if operands["time_major"] else [transposed(output) for output in outputs]


def svdf(operands: Operands) -> list[Any]:
    """SVDF: state out [batch][memory * filters], output [batch][units]."""
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
    """Inputs by name: nested lists of numbers, scalars as numbers, None where one is omitted."""
    return {name: call.array(i).tolist() if call.has(i) else None for i, name in enumerate(names[: len(call)])}


def arrays(results: Sequence[Any]) -> list[Array]:
    """Nested lists as arrays."""
    return [np.array(result) for result in results]


def _number(call: Invocation) -> Any:
    return np.float16 if call.inputs[0].type == OperandType.TENSOR_FLOAT16 else np.float32


MEANINGS: Final = {
    O.RNN: Meaning(lambda call: arrays(rnn(named(call, RNN_INPUTS), _number(call)))),
    O.SVDF: Meaning(lambda call: arrays(svdf(named(call, SVDF_INPUTS)))),
    O.UNIDIRECTIONAL_SEQUENCE_RNN: Meaning(
        lambda call: arrays(unidirectional_sequence_rnn(named(call, UNIDIRECTIONAL_RNN_INPUTS), _number(call)))
    ),
    O.BIDIRECTIONAL_SEQUENCE_RNN: Meaning(
        lambda call: arrays(bidirectional_sequence_rnn(named(call, BIDIRECTIONAL_RNN_INPUTS), _number(call)))
    ),
}
