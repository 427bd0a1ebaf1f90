"""RNN, SVDF and the sequence RNNs; activations of all recurrent kernels. Declared in ``hal/operations/recurrent.py``.

Half floats: RNNs accumulate in half precision, one rounding for each multiply-add, and evaluate the
activation in single precision; SVDF is computed in single precision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.recurrent_cell import RecurrentActivation
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.limits import check_products, check_rounds


def sigmoid(values: Array) -> Array:
    """Logistic function of float32 values."""
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


def _accumulate(start: Array, values: Array, weights: Array) -> Array:
    """``start`` [..., units] plus ``values`` [..., size] times the transpose of ``weights`` [units, size]."""
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
    """One step; both outputs are the new hidden state."""
    _, state = _run(call, "", call["input"].array[np.newaxis])
    return state, state.copy()


@kernel(OperationType.UNIDIRECTIONAL_SEQUENCE_RNN, native_float16=True)
def unidirectional_sequence_rnn(call: Call) -> tuple[Array, ...]:
    """All steps; the last hidden state where it is asked for."""
    outputs, state = _run(call, "", time_first(call, call["input"].array))
    return (time_first(call, outputs), state)[: len(call.outputs)]


@kernel(OperationType.BIDIRECTIONAL_SEQUENCE_RNN, native_float16=True)
def bidirectional_sequence_rnn(call: Call) -> tuple[Array, ...]:
    """All steps forward and backward, with no, cross or parallel linking to an auxiliary input."""
    forward_inputs = backward_inputs = [time_first(call, call["input"].array)]
    if call.has("aux_input"):
        extra = time_first(call, call["aux_input"].array)
        if call.has("fw_aux_weights"):
            forward_inputs = backward_inputs = [*forward_inputs, extra]
        else:
            backward_inputs = [extra]
    forward, forward_state = _run(call, "fw_", *forward_inputs)
    reverse, backward_state = _run(call, "bw_", *(inputs[::-1] for inputs in backward_inputs))
    backward = reverse[::-1]
    outputs = [np.concatenate([forward, backward], axis=-1)] if call.scalar("merge_outputs") else [forward, backward]
    return (*(time_first(call, output) for output in outputs), forward_state, backward_state)[: len(call.outputs)]


def time_first(call: Call, sequence: Array) -> Array:
    """A sequence in the call's layout as [steps, batch, size], or back again."""
    return np.ascontiguousarray(sequence if call.scalar("time_major") else sequence.swapaxes(0, 1))


def _run(call: Call, prefix: str, *inputs: Array) -> tuple[Array, Array]:
    """Outputs [steps, batch, units] and last hidden state of one cell.

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
    """New state, shifted by one slot, and output of each unit."""
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
