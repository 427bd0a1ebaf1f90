"""RNNs and SVDF, written out in products of matrices: PyTorch's layers have other activations, weights and states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import functional

from nnvet.adapters.runtimes.claims import FLOATS
from nnvet.adapters.torch.emitter import Function, TorchEmitter
from nnvet.adapters.torch.forms import Emit, TorchClaim, claimed
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
"""By the codes of recurrent operations; which of them an operation has is a rule of its own."""


def by_name(make: Callable[[Call], Callable[[Named], list[Any]]], *names: str) -> Emit:
    """A function of the operands that have values, to the outputs in order; undeclared ones are left out."""

    def emit(emitter: TorchEmitter, call: Call) -> None:
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
    """All states of one direction, by time, and the last one; ``added`` is what each step adds to a state's share."""
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
    """A sequence with time before batches, or back."""
    return value if time_major else value.transpose(0, 1)


def _unidirectional(call: Call) -> Callable[[Named], list[Any]]:
    activate, time_major = ACTIVATIONS[call.scalar("activation")], bool(call.scalar("time_major"))

    def computed(given: Named) -> list[Any]:
        data = in_time(given["input"], time_major=time_major)
        added = functional.linear(data, given["weights"], given["bias"])
        states, last = _steps(added, given, "", activate, backward=False)
        return [in_time(states, time_major=time_major), last]

    return computed


def _bidirectional(call: Call) -> Callable[[Named], list[Any]]:
    """Without weights of its own the auxiliary input is that of the backward cell."""
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

CLAIMS: Final[tuple[TorchClaim, ...]] = (
    claimed("RNN", "linear, add, and an activation", FLOATS, by_name(_rnn, "input", *_RNN)),
    claimed(
        "UNIDIRECTIONAL_SEQUENCE_RNN",
        "linear, add, and an activation, for each step; stack",
        FLOATS,
        by_name(_unidirectional, "input", *_RNN),
    ),
    claimed(
        "BIDIRECTIONAL_SEQUENCE_RNN",
        "linear, add, and an activation, for each step; stack, cat",
        FLOATS,
        by_name(_bidirectional, "input", AUXILIARY, *_PAIR),
    ),
    claimed(
        "SVDF",
        "linear, cat, mul, sum, and an activation",
        FLOATS,
        by_name(_svdf, "input", "feature_weights", "time_weights", "bias", "state_in"),
    ),
)
