"""Kernels of RNN, SVDF, LSTM and their sequences, in float32; quantised LSTMs are in ``quantized_lstm.py``.

Half floats: RNNs accumulate in half precision, one rounding for each multiply-add, and evaluate the
activation in single precision; SVDF is computed in single precision.

The weights of all gates of a cell are packed into one matrix, so that a step is one matrix product; where
they are constants they are packed once. The half floats of LSTMs are widened before the first step and rounded
once after the last; states are not rounded between steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.lstm import AUXILIARY, CELL, GATES, LAYER_NORM, is_cifg, is_linked, is_parallel
from nnvet.hal.operations.recurrent import RecurrentActivation
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.limits import check_cells, check_products, check_rounds


def sigmoid(values: Array) -> Array:
    """Return the logistic function of float32 values."""
    result: Array = 1 / (1 + np.exp(-values))
    return result


ACTIVATIONS: dict[int, Callable[[Any], Any]] = {
    RecurrentActivation.NONE: lambda values: values,
    RecurrentActivation.RELU: lambda values: np.maximum(values, 0),
    RecurrentActivation.RELU1: lambda values: np.clip(values, -1, 1),
    RecurrentActivation.RELU6: lambda values: np.clip(values, 0, 6),
    RecurrentActivation.TANH: np.tanh,
    RecurrentActivation.SIGN_BIT: lambda values: np.signbit(values).astype(values.dtype),
    RecurrentActivation.SIGMOID: sigmoid,
}
"""Function of each activation of recurrent cells."""


def _accumulate(start: Array, values: Array, weights: Array) -> Array:
    """Return ``start`` [..., units] plus ``values`` [..., size] times the transpose of ``weights`` [units, size]."""
    check_products(*values.shape, len(weights))
    if start.dtype != np.float16:
        total: Array = start + values @ weights.T
        return total
    check_rounds(values.shape[-1])
    # A product of two half floats is exact in float32, so each multiply-add is rounded once.
    wide_values, wide_weights = values.astype(np.float32), weights.T.astype(np.float32)
    total = np.broadcast_to(start, (*values.shape[:-1], weights.shape[0]))
    for index, row in enumerate(wide_weights):
        total = (total + wide_values[..., index, None] * row).astype(np.float16)
    return total


def _activate(call: Call, values: Array) -> Array:
    activated: Array = ACTIVATIONS[call.scalar("activation")](values.astype(np.float32, copy=False))
    return activated.astype(values.dtype, copy=False)


@kernel(OperationType.RNN, native_float16=True)
def rnn(call: Call) -> tuple[Array, Array]:
    """Compute one step; both outputs are the new hidden state."""
    _, state = _run_rnn(call, "", call["input"].array[np.newaxis])
    return state, state.copy()


@kernel(OperationType.UNIDIRECTIONAL_SEQUENCE_RNN, native_float16=True)
def unidirectional_sequence_rnn(call: Call) -> tuple[Array, ...]:
    """Compute all steps; return the last hidden state if it is an output."""
    outputs, state = _run_rnn(call, "", time_first(call, call["input"].array))
    return (time_first(call, outputs), state)[: len(call.outputs)]


@kernel(OperationType.BIDIRECTIONAL_SEQUENCE_RNN, native_float16=True)
def bidirectional_sequence_rnn(call: Call) -> tuple[Array, ...]:
    """Compute all steps forward and backward; an auxiliary input may be absent, or linked across or in parallel."""
    forward_inputs = backward_inputs = [time_first(call, call["input"].array)]
    if call.has("aux_input"):
        extra = time_first(call, call["aux_input"].array)
        if call.has("fw_aux_weights"):
            forward_inputs = backward_inputs = [*forward_inputs, extra]
        else:
            backward_inputs = [extra]
    forward, forward_state = _run_rnn(call, "fw_", *forward_inputs)
    reverse, backward_state = _run_rnn(call, "bw_", *(inputs[::-1] for inputs in backward_inputs))
    backward = reverse[::-1]
    outputs = [np.concatenate([forward, backward], axis=-1)] if call.scalar("merge_outputs") else [forward, backward]
    return (*(time_first(call, output) for output in outputs), forward_state, backward_state)[: len(call.outputs)]


def time_first(call: Call, sequence: Array) -> Array:
    """Return a sequence in the call's layout as [steps, batch, size], or back again."""
    return np.ascontiguousarray(sequence if call.scalar("time_major") else sequence.swapaxes(0, 1))


def _run_rnn(call: Call, prefix: str, *inputs: Array) -> tuple[Array, Array]:
    """Return outputs [steps, batch, units] and last hidden state of one cell.

    ``inputs`` are sequences [steps, batch, size]: one, or a second one for the auxiliary weights.
    """
    state = call[f"{prefix}hidden_state_in"].array
    recurrent = call[f"{prefix}recurrent_weights"].array
    sums = call[f"{prefix}bias"].array
    for values, weights in zip(inputs, ("weights", "aux_weights"), strict=False):
        sums = _accumulate(sums, values, call[prefix + weights].array)
    check_rounds(len(sums))
    state = state.reshape(sums.shape[1:])
    outputs = np.empty_like(sums)
    for step, total in enumerate(sums):
        state = outputs[step] = _activate(call, _accumulate(total, state, recurrent))
    return outputs, state.copy()


@kernel(OperationType.SVDF)
def svdf(call: Call) -> tuple[Array, Array]:
    """Return the new state, shifted by one slot of its memory, and the output of each unit."""
    inputs, features, weights = (call[name].array for name in ("input", "feature_weights", "time_weights"))
    batch, (filters, memory) = inputs.shape[0], weights.shape
    state = call["state_in"].array.reshape(batch, filters, memory).copy()
    state[:, :, -1] = inputs @ features.T
    filtered = np.einsum("bfm,fm->bf", state, weights)
    sums = filtered.reshape(batch, -1, call.scalar("rank")).sum(axis=2)
    if call.has("bias"):
        sums = sums + call["bias"].array
    shifted = np.zeros_like(state)
    shifted[:, :, :-1] = state[:, :, 1:]
    return shifted.reshape(batch, filters * memory), _activate(call, sums)


_NORMALIZATION_EPSILON = np.float32(1e-8)
"""Term added to the variance in layer normalisation, against a division by 0."""


@dataclass(frozen=True)
class LstmCell:
    """Weights of one LSTM cell, packed for its steps.

    ``weights`` is [input size + auxiliary size + output size, gates * units]; ``recurrent_rows`` is where the
    recurrent rows begin. ``tensors`` holds all other operands by name without the direction's prefix.
    """

    gates: tuple[str, ...]
    weights: Array
    recurrent_rows: int
    start: Array
    tensors: dict[str, Array]


@dataclass(frozen=True)
class LstmSettings:
    """Scalars of the operation, the same for both directions."""

    activate: Callable[[Any], Any]
    cell_clip: float
    projection_clip: float


def _cell(call: Call, prefix: str = "") -> LstmCell:
    """Return the packed cell of one direction; it is kept between executions if the operands in it are constant."""
    names = [operand.name for operand in (*CELL, *AUXILIARY, *LAYER_NORM) if call.has(prefix + operand.name)]
    # Operands may be omitted in one request and given in the next, so the set of present ones is part of the key.
    key = f"{prefix}cell {' '.join(names)}"
    return call.memo(key, [prefix + name for name in names], lambda: _pack(call, prefix, names))


def _pack(call: Call, prefix: str, names: list[str]) -> LstmCell:
    gates = GATES[1:] if is_cifg(call, prefix) else GATES
    tensors = {name: call[prefix + name].array.astype(np.float32) for name in names}
    sources = [source for source in ("input", "aux_input", "recurrent") if f"{source}_to_forget_weights" in tensors]
    blocks = [np.concatenate([tensors.pop(f"{source}_to_{gate}_weights") for gate in gates]) for source in sources]
    weights = np.ascontiguousarray(np.concatenate(blocks, axis=1).T)
    biases = np.concatenate([tensors[f"{gate}_gate_bias"] for gate in gates])
    normalized = "forget_layer_norm_weights" in tensors
    if "projection_weights" in tensors:
        tensors["projection_weights"] = np.ascontiguousarray(tensors["projection_weights"].T)
    recurrent_rows = weights.shape[0] - blocks[-1].shape[1]
    return LstmCell(gates, weights, recurrent_rows, np.zeros_like(biases) if normalized else biases, tensors)


def _settings(call: Call) -> LstmSettings:
    return LstmSettings(
        ACTIVATIONS[call.scalar("activation")], call.scalar("cell_clip"), call.scalar("projection_clip")
    )


def _compute_gate(cell: LstmCell, gate: str, sums: Array, cell_state: Array) -> Array:
    """Return one gate before its activation, from the packed sums [batch, gates * units]."""
    units = cell_state.shape[1]
    column = cell.gates.index(gate) * units
    total: Array = sums[:, column : column + units]
    peephole = cell.tensors.get(f"cell_to_{gate}_weights")
    if peephole is not None:
        total = total + peephole * cell_state
    weights = cell.tensors.get(f"{gate}_layer_norm_weights")
    if weights is None:
        return total
    deviation = total - total.mean(axis=1, keepdims=True)
    variance = np.square(deviation).mean(axis=1, keepdims=True)
    normal: Array = deviation / np.sqrt(variance + _NORMALIZATION_EPSILON)
    return normal * weights + cell.tensors[f"{gate}_gate_bias"]


def _clip(values: Array, bound: float) -> Array:
    return np.clip(values, -bound, bound) if bound > 0 else values


def _step(cell: LstmCell, settings: LstmSettings, sums: Array, previous: Array) -> tuple[Array, Array]:
    """Return the output and cell state after one step, from the gates' sums and the cell state before it."""
    forget = sigmoid(_compute_gate(cell, "forget", sums, previous))
    update = sigmoid(_compute_gate(cell, "input", sums, previous)) if "input" in cell.gates else 1 - forget
    candidate = settings.activate(_compute_gate(cell, "cell", sums, previous))
    state = _clip(forget * previous + update * candidate, settings.cell_clip)
    output = sigmoid(_compute_gate(cell, "output", sums, state)) * settings.activate(state)
    projection = cell.tensors.get("projection_weights")
    if projection is None:
        return output, state
    projected = output @ projection
    if "projection_bias" in cell.tensors:
        projected = projected + cell.tensors["projection_bias"]
    return _clip(projected, settings.projection_clip), state


def _run_lstm(call: Call, prefix: str, inputs: Array) -> tuple[Array, Array, Array]:
    """Return outputs [steps, batch, output size] and last states of one cell over inputs [steps, batch, size]."""
    cell, settings = _cell(call, prefix), _settings(call)
    steps, batch, size = inputs.shape
    output = call[f"{prefix}output_state_in"].array.reshape(batch, -1).astype(np.float32)
    state = call[f"{prefix}cell_state_in"].array.reshape(batch, -1).astype(np.float32)
    check_rounds(steps)
    check_cells(steps, batch, cell.weights.shape[1])
    check_products(steps, batch, *cell.weights.shape)
    flat = inputs.reshape(steps * batch, size).astype(np.float32, copy=False)
    sums = (flat @ cell.weights[: cell.recurrent_rows] + cell.start).reshape(steps, batch, -1)
    recurrent = cell.weights[cell.recurrent_rows :]
    outputs = np.empty((steps, *output.shape), np.float32)
    for step in range(steps):
        output, state = _step(cell, settings, sums[step] + output @ recurrent, state)
        outputs[step] = output
    return outputs, output, state


def _deliver(call: Call, *arrays: Array) -> tuple[Array, ...]:
    """Return the arrays as the outputs' element type and dimensions."""
    return tuple(
        array.astype(output.dtype, copy=False).reshape(output.dimensions)
        for array, output in zip(arrays, call.outputs, strict=True)
    )


@kernel(OperationType.LSTM, native_float16=True)
def lstm(call: Call) -> tuple[Array, ...]:
    """Compute one step; return scratch buffer, output state, cell state and output."""
    _, output, state = _run_lstm(call, "", call["input"].array[np.newaxis])
    scratch = np.zeros(call.output.dimensions, np.float32)
    return _deliver(call, scratch, output, state, output.copy())


@kernel(OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM, native_float16=True)
def unidirectional_sequence_lstm(call: Call) -> tuple[Array, ...]:
    """Compute all steps; return the last states if they are outputs."""
    outputs, output, state = _run_lstm(call, "", time_first(call, call["input"].array))
    return _deliver(call, *(time_first(call, outputs), output, state)[: len(call.outputs)])


@kernel(OperationType.BIDIRECTIONAL_SEQUENCE_LSTM, native_float16=True)
def bidirectional_sequence_lstm(call: Call) -> tuple[Array, ...]:
    """Compute all steps forward and backward; an auxiliary input may be absent, or linked across or in parallel."""
    forward = backward = time_first(call, call["input"].array)
    if is_parallel(call):
        backward = time_first(call, call["aux_input"].array)
    elif is_linked(call):
        forward = backward = np.concatenate([forward, time_first(call, call["aux_input"].array)], axis=-1)
    forward_outputs, *forward_states = _run_lstm(call, "fw_", forward)
    reverse_outputs, *backward_states = _run_lstm(call, "bw_", backward[::-1])
    outputs = [time_first(call, forward_outputs), time_first(call, reverse_outputs[::-1])]
    if call.scalar("merge_outputs"):
        outputs = [np.concatenate(outputs, axis=-1)]
        if len(call.outputs) == 2:
            outputs.append(np.zeros(call.outputs[1].dimensions, np.float32))
    return _deliver(call, *(*outputs, *forward_states, *backward_states)[: len(call.outputs)])
