"""RNN, SVDF and the sequence RNNs: running error analysis step by step, with arrays [batch, units]."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.running import Running, added, sum_of
from nnvet.oracle.bounds.storing import stored
from nnvet.oracle.operations.recurrent import (
    BIDIRECTIONAL_RNN_INPUTS,
    RNN_INPUTS,
    RNN_SEQUENCES,
    SVDF_INPUTS,
    UNIDIRECTIONAL_RNN_INPUTS,
    given,
    part,
)

Operands = dict[str, Any]
"""Tensors as :class:`Running`, scalars as numbers, None for what is omitted."""
STEPS: Final = (
    "running error analysis through all steps",
    "running error analysis, sums in any order",
    "the sign bit of what may be 0",
)


def _sign_bit(x: Running) -> Running:
    """1 below 0; nobody knows for what may be on either side."""
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
    """Inputs by name."""
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
    """Results as the outputs hold them."""
    return [
        stored(call, result.value, result.error, output=output)
        for result, output in zip(results, call.outputs, strict=False)
    ]


def time_first(operands: Operands, name: str) -> Running:
    """A sequence [steps, batch, size]."""
    sequence: Running = operands[name]
    return sequence if operands["time_major"] else batches_first(sequence)


def batches_first(sequence: Running) -> Running:
    """The first two dimensions exchanged."""
    return Running(sequence.value.swapaxes(0, 1), sequence.error.swapaxes(0, 1), sequence.unit)


def stacked(steps: Sequence[Running]) -> Running:
    """Steps as a sequence."""
    return Running(np.stack([step.value for step in steps]), np.stack([step.error for step in steps]), steps[0].unit)


def join(forward: Running, backward: Running, operands: Operands) -> list[Running]:
    """Forward and backward outputs in the layout asked for, merged if asked for."""
    outputs = [forward, backward]
    if operands["merge_outputs"]:
        value, error = (np.concatenate(pair, -1) for pair in _pairs(outputs))
        outputs = [Running(value, error, forward.unit)]
    return outputs if operands["time_major"] else [batches_first(output) for output in outputs]


def _pairs(sequences: Sequence[Running]) -> tuple[list[Any], list[Any]]:
    return [sequence.value for sequence in sequences], [sequence.error for sequence in sequences]


def _run(
    sequences: Mapping[str, Running], cell: Operands, code: int, *, backward: bool = False
) -> tuple[Running, Running]:
    """Outputs of all steps and the last hidden state; sequences by the name of their weights."""
    state: Running = cell["hidden_state_in"]
    count = sequences["weights"].value.shape[0]
    outputs: list[Running] = [state] * count
    for step in range(count)[:: -1 if backward else 1]:
        products = [(sequence[step], cell[name]) for name, sequence in sequences.items()]
        total = sum_of([(state, cell["recurrent_weights"]), *products], [cell["bias"]])
        outputs[step] = state = ACTIVATIONS[code](total)
    return stacked(outputs), state


def _rnn(call: EstimatedCall) -> Sequence[Estimate]:
    operands = named(call, RNN_INPUTS, call.precision.unit)
    x: Running = operands["input"]
    _, state = _run({"weights": x[None]}, operands, operands["activation"])
    return finished(call, [state, state])


def _unidirectional(call: EstimatedCall) -> Sequence[Estimate]:
    operands = named(call, UNIDIRECTIONAL_RNN_INPUTS, call.precision.unit)
    outputs, state = _run({"weights": time_first(operands, "input")}, operands, operands["activation"])
    return finished(call, [outputs if operands["time_major"] else batches_first(outputs), state])


def _bidirectional(call: EstimatedCall) -> Sequence[Estimate]:
    operands = named(call, BIDIRECTIONAL_RNN_INPUTS, call.precision.unit)
    forward, backward = RNN_SEQUENCES.of(operands, time_first)
    code = operands["activation"]
    fw, fw_state = _run(forward, part(operands, "fw_"), code)
    bw, bw_state = _run(backward, part(operands, "bw_"), code, backward=True)
    return finished(call, [*join(fw, bw, operands), fw_state, bw_state])


def _svdf(call: EstimatedCall) -> Sequence[Estimate]:
    operands = named(call, SVDF_INPUTS, call.precision.sum_unit)
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
    total = added(filtered, [operands["bias"]] if given(operands, "bias") else [])
    moved = [np.concatenate([array[:, :, 1:], np.zeros((batches, filters, 1))], 2) for array in (slots, errors)]
    value, error = (array.reshape(old.value.shape) for array in moved)
    return finished(call, [Running(value, error, x.unit), ACTIVATIONS[operands["activation"]](total)])


RULES: Final[dict[O, BoundRule]] = {
    O.RNN: BoundRule(_rnn, *STEPS),
    O.SVDF: BoundRule(_svdf, *STEPS),
    O.UNIDIRECTIONAL_SEQUENCE_RNN: BoundRule(_unidirectional, *STEPS),
    O.BIDIRECTIONAL_SEQUENCE_RNN: BoundRule(_bidirectional, *STEPS),
}
