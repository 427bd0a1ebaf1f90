"""Claims for PyTorch of recurrent operations, written out in products of matrices.

PyTorch's own RNN layers have other activations, weights and states, and its LSTM has no peepholes, clips, normalisation
or coupled gates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import functional

from nnvet.adapters.runtimes.claims import FLOATS, Claim
from nnvet.adapters.runtimes.functions import Emit, Function, FunctionEmitter, claimed
from nnvet.adapters.torch.emitter import TorchEmitter
from nnvet.hal.operations.declaration import Call

Named = Mapping[str, Any]
"""Tensors by the names of their operands; omitted ones are absent."""
_RNN: Final = ("weights", "recurrent_weights", "bias", "hidden_state_in")
AUXILIARY: Final = "aux_input"


def _relu6(value: Tensor) -> Any:
    return torch.clamp(value, 0, 6)


def _relu1(value: Tensor) -> Any:
    return torch.clamp(value, -1, 1)


def _sign_bit(value: Tensor) -> Any:
    return torch.signbit(value).to(value.dtype)


def _same(value: Tensor) -> Any:
    return value


ACTIVATIONS: Final[Mapping[int, Function]] = {
    0: _same,
    1: torch.relu,
    2: _relu1,
    3: _relu6,
    4: torch.tanh,
    5: _sign_bit,
    6: torch.sigmoid,
}
"""Activations by the codes of recurrent operations. Rules of the operations decide which codes each allows."""


def by_name(make: Callable[[Call], Callable[[Named], list[Any]]], *names: str) -> Emit:
    """Return a function of the operands that have values, to the outputs in order; undeclared ones are left out."""

    def emit(emitter: FunctionEmitter, call: Call) -> None:
        function, outputs = make(call), call.outputs
        given = [name for name in names if call.has(name)]

        def computed(*values: Tensor) -> Any:
            results = function(dict(zip(given, values, strict=True)))[: len(outputs)]
            shaped = [result.reshape(output.dimensions) for result, output in zip(results, outputs, strict=True)]
            return shaped if len(shaped) > 1 else shaped[0]

        emitter.compute(computed, [call[name] for name in given], outputs)

    return emit


def _rnn(call: Call) -> Callable[[Named], list[Any]]:
    activate = ACTIVATIONS[call.scalar("activation")]

    def computed(given: Named) -> list[Any]:
        units = given["weights"].shape[0]
        added = functional.linear(given["input"], given["weights"], given["bias"])
        state = given["hidden_state_in"].reshape(-1, units)
        state = activate(added + functional.linear(state, given["recurrent_weights"]))
        return [state, state]

    return computed


def _steps(added: Tensor, given: Named, prefix: str, activate: Function, *, backward: bool) -> tuple[Any, Any]:
    """Return all states of one direction, by time, and the last one; ``added`` is the input's share of each step."""
    weights = given[f"{prefix}recurrent_weights"]
    state = given[f"{prefix}hidden_state_in"].reshape(-1, weights.shape[0])
    states: list[Any] = []
    for step in reversed(added) if backward else added:
        state = activate(step + functional.linear(state, weights))
        states.append(state)
    # There may be no step at all.
    found = torch.stack(states[::-1] if backward else states) if states else added
    return found, state


def in_time(value: Tensor, *, time_major: bool) -> Any:
    """Return a sequence with time before batches, or back."""
    return value if time_major else value.transpose(0, 1)


def _unidirectional_rnn(call: Call) -> Callable[[Named], list[Any]]:
    activate, time_major = ACTIVATIONS[call.scalar("activation")], bool(call.scalar("time_major"))

    def computed(given: Named) -> list[Any]:
        data = in_time(given["input"], time_major=time_major)
        added = functional.linear(data, given["weights"], given["bias"])
        states, last = _steps(added, given, "", activate, backward=False)
        return [in_time(states, time_major=time_major), last]

    return computed


def _bidirectional_rnn(call: Call) -> Callable[[Named], list[Any]]:
    """Compute a bidirectional RNN. Without weights for the auxiliary input, that input feeds the backward cell."""
    activate = ACTIVATIONS[call.scalar("activation")]
    time_major, merges = bool(call.scalar("time_major")), bool(call.scalar("merge_outputs"))

    def direction(given: Named, prefix: str) -> tuple[Any, Any]:
        backward, own = prefix == "bw_", f"{prefix}aux_weights"
        name = AUXILIARY if backward and AUXILIARY in given and own not in given else "input"
        data = in_time(given[name], time_major=time_major)
        added = functional.linear(data, given[f"{prefix}weights"], given[f"{prefix}bias"])
        if own in given:
            added = added + functional.linear(in_time(given[AUXILIARY], time_major=time_major), given[own])
        states, last = _steps(added, given, prefix, activate, backward=backward)
        return in_time(states, time_major=time_major), last

    def computed(given: Named) -> list[Any]:
        (forward, last), (backward, first) = (direction(given, prefix) for prefix in ("fw_", "bw_"))
        results = [torch.cat((forward, backward), -1)] if merges else [forward, backward]
        return [*results, last, first]

    return computed


def _svdf(call: Call) -> Callable[[Named], list[Any]]:
    activate, rank = ACTIVATIONS[call.scalar("activation")], call.scalar("rank")
    filters, memory = call["time_weights"].dimensions

    def computed(given: Named) -> list[Any]:
        state = given["state_in"].reshape(-1, filters, memory)
        newest = functional.linear(given["input"], given["feature_weights"])[..., None]
        slots = torch.cat((state[..., :-1], newest), -1)
        sums = (slots * given["time_weights"]).sum(-1).reshape(-1, filters // rank, rank).sum(-1)
        if "bias" in given:
            sums = sums + given["bias"]
        moved = torch.cat((slots[..., 1:], torch.zeros_like(newest)), -1)
        return [moved, activate(sums)]

    return computed


_PAIR: Final = tuple(f"{prefix}{name}" for prefix in ("fw_", "bw_") for name in (*_RNN, "aux_weights"))


_GATES: Final = ("input", "forget", "cell", "output")
_STATES: Final = ("output_state_in", "cell_state_in")
_EPSILON: Final = 1e-8
"""Number added to the variance of a gate."""


@dataclass(frozen=True)
class _LstmCell:
    """One direction of an LSTM: its operands without prefix, and the scalars. Clips of 0 or below mean no clip."""

    own: Named
    activate: Function
    cell_clip: float
    projection_clip: float

    def states(self) -> tuple[Any, Any]:
        """Return output and cell state before the first step; only their numbers of elements matter."""
        cells, outputs = self.own["recurrent_to_output_weights"].shape
        return self.own[_STATES[0]].reshape(-1, outputs), self.own[_STATES[1]].reshape(-1, cells)

    def step(self, data: Tensor, auxiliary: Tensor | None, hidden: Tensor, cell: Tensor) -> tuple[Any, Any]:
        """Return output and cell state after one step."""
        forget = torch.sigmoid(self._sum("forget", data, auxiliary, hidden, cell))
        candidate = self.activate(self._sum("cell", data, auxiliary, hidden, None))
        is_coupled = "input_to_input_weights" not in self.own
        added = 1 - forget if is_coupled else torch.sigmoid(self._sum("input", data, auxiliary, hidden, cell))
        cell = _clipped(forget * cell + added * candidate, self.cell_clip)
        output = torch.sigmoid(self._sum("output", data, auxiliary, hidden, cell)) * self.activate(cell)
        if "projection_weights" in self.own:
            projected = functional.linear(output, self.own["projection_weights"], self.own.get("projection_bias"))
            output = _clipped(projected, self.projection_clip)
        return output, cell

    def _sum(self, gate: str, data: Tensor, auxiliary: Tensor | None, hidden: Tensor, cell: Tensor | None) -> Any:
        """Return the argument of a gate's function; ``cell`` for the peephole."""
        own, bias = self.own, self.own[f"{gate}_gate_bias"]
        found = functional.linear(data, own[f"input_to_{gate}_weights"])
        found = found + functional.linear(hidden, own[f"recurrent_to_{gate}_weights"])
        if auxiliary is not None:
            found = found + functional.linear(auxiliary, own[f"aux_input_to_{gate}_weights"])
        peephole, weights = own.get(f"cell_to_{gate}_weights"), own.get(f"{gate}_layer_norm_weights")
        if peephole is not None and cell is not None:
            found = found + cell * peephole
        if weights is None:
            return found + bias
        return functional.layer_norm(found, found.shape[-1:], weights, bias, _EPSILON)


def _clipped(value: Tensor, clip: float) -> Any:
    return torch.clamp(value, -clip, clip) if clip > 0 else value


def _cells(call: Call) -> Callable[[Named, str], _LstmCell]:
    """Return the cell of the operands with a prefix."""
    activate = ACTIVATIONS[call.scalar("activation")]
    clips = call.scalar("cell_clip"), call.scalar("projection_clip")

    def cell(given: Named, prefix: str) -> _LstmCell:
        own = {name.removeprefix(prefix): value for name, value in given.items() if name.startswith(prefix)}
        return _LstmCell(own, activate, *clips)

    return cell


def _sequence(cell: _LstmCell, data: Tensor, auxiliary: Tensor | None, *, backward: bool) -> tuple[Any, Any, Any]:
    """Return all outputs by time, and the last output and cell state; time comes first in ``data``."""
    hidden, state = cell.states()
    outputs: list[Any] = []
    for time in reversed(range(len(data))) if backward else range(len(data)):
        hidden, state = cell.step(data[time], None if auxiliary is None else auxiliary[time], hidden, state)
        outputs.append(hidden)
    # There may be no step at all.
    found = torch.stack(outputs[::-1] if backward else outputs) if outputs else data
    return found, hidden, state


def _lstm(call: Call) -> Callable[[Named], list[Any]]:
    """Compute one step; the first output is a scratch buffer with undefined contents."""
    cells, scratch = _cells(call), call.output.dimensions

    def computed(given: Named) -> list[Any]:
        made = cells(given, "")
        hidden, state = made.step(given["input"], None, *made.states())
        return [hidden.new_zeros(scratch), hidden, state, hidden]

    return computed


def _unidirectional_lstm(call: Call) -> Callable[[Named], list[Any]]:
    cells, time_major = _cells(call), bool(call.scalar("time_major"))

    def computed(given: Named) -> list[Any]:
        data = in_time(given["input"], time_major=time_major)
        outputs, hidden, state = _sequence(cells(given, ""), data, None, backward=False)
        return [in_time(outputs, time_major=time_major), hidden, state]

    return computed


def _bidirectional_lstm(call: Call) -> Callable[[Named], list[Any]]:
    """Compute a bidirectional LSTM. Without weights for the auxiliary input, that input feeds the backward cell."""
    cells, time_major, merges = _cells(call), bool(call.scalar("time_major")), bool(call.scalar("merge_outputs"))
    unused = call.outputs[1].dimensions if merges and len(call.outputs) in _WITH_UNUSED else None

    def direction(given: Named, prefix: str) -> tuple[Any, Any, Any]:
        backward, cell = prefix == "bw_", cells(given, prefix)
        auxiliary = in_time(given[AUXILIARY], time_major=time_major) if AUXILIARY in given else None
        data = in_time(given["input"], time_major=time_major)
        if auxiliary is not None and "aux_input_to_output_weights" not in cell.own:
            data, auxiliary = (auxiliary if backward else data), None
        outputs, hidden, state = _sequence(cell, data, auxiliary, backward=backward)
        return in_time(outputs, time_major=time_major), hidden, state

    def computed(given: Named) -> list[Any]:
        (forward, *last), (backward, *first) = (direction(given, prefix) for prefix in ("fw_", "bw_"))
        results = [torch.cat((forward, backward), -1)] if merges else [forward, backward]
        if unused is not None:
            results.append(forward.new_zeros(unused))
        return [*results, *last, *first]

    return computed


_WITH_UNUSED: Final = (2, 6)
"""Numbers of outputs, without and with states, for which merged outputs are followed by an unused one of zeros."""
_OPERANDS: Final = (
    *(f"{source}_to_{gate}_weights" for source in ("input", "recurrent", "cell", "aux_input") for gate in _GATES),
    *(f"{gate}_gate_bias" for gate in _GATES),
    *(f"{gate}_layer_norm_weights" for gate in _GATES),
    "projection_weights",
    "projection_bias",
    *_STATES,
)
"""Operands of a cell; no operation has all of them."""
_TARGET: Final = "linear, sigmoid, layer_norm, an activation, clamp"


CLAIMS: Final[tuple[Claim[TorchEmitter], ...]] = (
    claimed("RNN", "linear, add, and an activation", FLOATS, by_name(_rnn, "input", *_RNN)),
    claimed(
        "UNIDIRECTIONAL_SEQUENCE_RNN",
        "linear, add, and an activation, for each step; stack",
        FLOATS,
        by_name(_unidirectional_rnn, "input", *_RNN),
    ),
    claimed(
        "BIDIRECTIONAL_SEQUENCE_RNN",
        "linear, add, and an activation, for each step; stack, cat",
        FLOATS,
        by_name(_bidirectional_rnn, "input", AUXILIARY, *_PAIR),
    ),
    claimed(
        "SVDF",
        "linear, cat, mul, sum, and an activation",
        FLOATS,
        by_name(_svdf, "input", "feature_weights", "time_weights", "bias", "state_in"),
    ),
    claimed("LSTM", _TARGET, FLOATS, by_name(_lstm, "input", *_OPERANDS)),
    claimed(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        f"{_TARGET}, for each step; stack",
        FLOATS,
        by_name(_unidirectional_lstm, "input", *_OPERANDS),
    ),
    claimed(
        "BIDIRECTIONAL_SEQUENCE_LSTM",
        f"{_TARGET}, for each step; stack, cat",
        FLOATS,
        by_name(
            _bidirectional_lstm,
            "input",
            AUXILIARY,
            *(f"{prefix}{name}" for prefix in ("fw_", "bw_") for name in _OPERANDS),
        ),
    ),
)
