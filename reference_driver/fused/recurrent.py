"""Translation of recurrent cells into steps of the table, for one step in time, as speech networks execute them.

:mod:`nnvet.reference_driver.fused.steps` translates the other operations; the compiled loops of the cells are in
:mod:`nnvet.reference_driver.fused.sums`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.lstm import AUXILIARY, CELL, GATES, LAYER_NORM, PEEPHOLE_GATES, is_cifg
from nnvet.reference_driver.fused import table as t
from nnvet.reference_driver.fused.steps import Step, StepTable, Unfit, columns_from, product, weighted
from nnvet.reference_driver.kernels.registry import Array
from nnvet.reference_driver.limits import check_products

_FREE = (-inf, inf)
"""Limits of sums that no activation clamps."""
_OPERANDS = (*CELL, *AUXILIARY, *LAYER_NORM)
"""Inputs of an LSTM, the optional ones included."""
_STATES = ("input", "output_state_in", "cell_state_in")
"""Inputs of an LSTM that change from step to step; all others must be constant."""


def _lstm(steps: StepTable, call: Call, inputs: Sequence[int]) -> tuple[int, ...]:
    source, output_state, cell_state = inputs
    gates = GATES[1:] if is_cifg(call, "") else GATES
    weights, bias = _packed(call, gates)
    batches, units = prod(call["input"].dimensions[:-1]), weights.shape[1] // len(gates)
    if prod(call["cell_state_in"].dimensions) != batches * units:
        raise Unfit("more than one step in time")
    check_products(batches, *weights.shape)
    both = _beside(steps, batches, (source, output_state))
    sums = product(steps, weighted(steps, weights, bias, _FREE), both, batches)
    output, state = steps.block(batches * units), steps.block(batches * units)
    clips = steps.keep(steps.doubles, [_clip(call, "cell_clip")], np.float64)
    starts = [gates.index(gate) * units if gate in gates else -1 for gate in GATES]
    columns = {t.FREE + 2: batches, t.FREE + 3: units, t.FREE + 4: weights.shape[1], t.FREE + 5: clips}
    columns |= columns_from(t.FREE + 6, [*starts, _activation(call), _peepholes(steps, call, units)])
    places = {t.SOURCE: sums, t.OUT: output, t.FREE: cell_state, t.FREE + 1: state}
    steps.add(t.LSTM_GATES, places, columns, 64 * batches * units)
    if call.has("projection_weights"):
        matrix = call["projection_weights"].array.T
        added = call["projection_bias"].array if call.has("projection_bias") else np.zeros(matrix.shape[1])
        bound = _clip(call, "projection_clip")
        output = product(steps, weighted(steps, matrix, added, (-bound, bound)), output, batches)
    if call.declaration.type != OperationType.LSTM:
        return (output, output, state)[: len(call.outputs)]
    return _zeros(steps, prod(call.output.dimensions)), output, state, output


def _packed(call: Call, gates: Sequence[str]) -> tuple[Array, Array]:
    """Return the weights [input and output size, gates * units] and the bias of all gates."""
    given = {operand.name for operand in _OPERANDS if call.has(operand.name)}
    if any(name.startswith("aux") or "layer_norm" in name for name in given):
        raise Unfit("a second input, or normalisation")
    sources = "input", "recurrent"
    blocks = [np.concatenate([call[f"{source}_to_{gate}_weights"].array for gate in gates]) for source in sources]
    return np.concatenate(blocks, axis=1).T, np.concatenate([call[f"{gate}_gate_bias"].array for gate in gates])


def _peepholes(steps: StepTable, call: Call, units: int) -> int:
    """Return the start of the cell-state weights of three gates, zeros for a gate without; -1 if no gate has any."""
    names = [f"cell_to_{gate}_weights" for gate in PEEPHOLE_GATES]
    if not any(call.has(name) for name in names):
        return -1
    lines = [call[name].array if call.has(name) else np.zeros(units) for name in names]
    return steps.keep(steps.constants, np.concatenate(lines), np.float32)


def _clip(call: Call, name: str) -> float:
    bound = float(call.scalar(name))
    return bound if bound > 0 else inf


def _activation(call: Call) -> int:
    code = int(call.scalar("activation"))
    if code not in t.ACTIVATIONS:
        raise Unfit("another activation")
    return code


def _beside(steps: StepTable, batches: int, inputs: Sequence[int]) -> int:
    """Return the block of the input's rows, each followed by the row of the state."""
    sizes = [steps.sizes[block] // batches for block in inputs]
    out = steps.block(batches * sum(sizes))
    places = {t.SOURCE: inputs[0], t.FREE: inputs[1], t.OUT: out}
    steps.add(t.BESIDE, places, columns_from(t.FREE + 1, (batches, *sizes)), batches * sum(sizes))
    return out


def _rnn(steps: StepTable, call: Call, inputs: Sequence[int]) -> tuple[int, ...]:
    batches, units = call.outputs[0].dimensions
    weights = np.concatenate([call["weights"].array, call["recurrent_weights"].array], axis=1).T
    check_products(batches, *weights.shape)
    both = _beside(steps, batches, inputs)
    sums = product(steps, weighted(steps, weights, call["bias"].array, _FREE), both, batches)
    out = steps.block(batches * units)
    columns = columns_from(t.FREE, (batches * units, _activation(call)))
    steps.add(t.ACTIVATE, {t.SOURCE: sums, t.OUT: out}, columns, 32 * batches * units)
    return out, out


def _zeros(steps: StepTable, size: int) -> int:
    out = steps.block(size)
    steps.add(t.ZEROS, {t.OUT: out}, {t.FREE: size}, size)
    return out


STEPS: dict[int, tuple[Step, tuple[str, ...]]] = {
    OperationType.RNN: (_rnn, ("input", "hidden_state_in")),
    OperationType.LSTM: (_lstm, _STATES),
    OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM: (_lstm, _STATES),
}
"""Translation of each recurrent operation, and the names of its inputs that need not be constant."""
