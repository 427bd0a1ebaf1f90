"""Recurrent operations as TFLite operators: states that the contract passes in and out become variable tensors.

Files alone have them: the driver ``litert`` claims none, as its clients say what the states are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.adapters.litert.emitter import Emitter
from nnvet.adapters.litert.forms import LiteRtClaim
from nnvet.adapters.runtimes.claims import Condition
from nnvet.formats.tflite.schema import Activation
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Call

_O: Final = OperationType
_STATE: Final = "state_in"
_NORM: Final = "layer_norm_weights"
_OPTIONS: Final = {"projection_clip": "proj_clip"}
"""Parameters that TFLite calls otherwise."""
_ONE_BY_ONE: Final = (Activation.RELU, Activation.RELU6, Activation.TANH)
RESULTS: Final[Mapping[OperationType, int]] = {
    _O.LSTM: 3,
    _O.RNN: 1,
    _O.SVDF: 1,
    _O.UNIDIRECTIONAL_SEQUENCE_LSTM: 0,
    _O.UNIDIRECTIONAL_SEQUENCE_RNN: 0,
    _O.BIDIRECTIONAL_SEQUENCE_LSTM: 0,
    _O.BIDIRECTIONAL_SEQUENCE_RNN: 0,
}
"""Position of the first output that is neither state nor scratch."""


def state_inputs(call: Call) -> list[int]:
    """Positions of the states among the inputs of a recurrent operation."""
    return [index for index, formal in enumerate(call.signature.inputs) if formal.name.endswith(_STATE)]


def results(call: Call) -> list[int]:
    """Positions of the outputs that a file has: there is no backward one if both are merged."""
    first = RESULTS[OperationType(call.declaration.type)]
    return [first, first + 1] if "merge_outputs" in call.inputs and not call.scalar("merge_outputs") else [first]


def _recurrent(emitter: Emitter, call: Call) -> None:
    inputs, options = [], dict[str, object]()
    norms = any(name.endswith(_NORM) and not given.omitted for name, given in call.inputs.items())
    for formal in call.signature.inputs:
        argument = call.inputs.get(formal.name)
        if argument is not None and not type_info(argument.type).is_tensor:
            options[_OPTIONS.get(formal.name, formal.name)] = call.scalar(formal.name)
        elif formal.name.endswith(_STATE) and argument is not None:
            inputs.append(emitter.variable(argument))
        elif norms or not formal.name.endswith(_NORM):
            inputs.append(-1 if argument is None or argument.omitted else emitter.source(argument))
    kept = results(call)
    for index, output in enumerate(call.outputs):
        if index not in kept:
            emitter.leave_out(output)
    emitter.add(
        OperationType(call.declaration.type).name, inputs, [emitter.target(call.outputs[i]) for i in kept], **options
    )


def _activations(codes: tuple[int, ...]) -> Condition:
    names = ", ".join(Activation(code).name for code in codes)
    return Condition(f"the activation is one of {names}", lambda call: call.scalar("activation") in codes)


def _without_norms(call: Call) -> bool:
    return all(argument.omitted for name, argument in call.inputs.items() if name.endswith(_NORM))


def _is_parallel(call: Call) -> bool:
    """Return True if the backward cell reads the auxiliary input, and no cell both inputs."""
    weights = next(name for name in call.inputs if name.startswith("fw_aux"))
    return not call["aux_input"].omitted and call[weights].omitted


def _claim(operation: OperationType, *conditions: Condition) -> LiteRtClaim:
    return LiteRtClaim(
        operation,
        f"{operation.name}; states are variable tensors",
        (OperandType.TENSOR_FLOAT32,),
        _recurrent,
        conditions,
        {OperandType.TENSOR_FLOAT16: "LiteRT computes no recurrent operation in float16"},
    )


_LSTMS: Final = _activations(_ONE_BY_ONE)
_RNNS: Final = _activations((Activation.NONE, *_ONE_BY_ONE))
CLAIMS: Final = (
    _claim(_O.LSTM, _LSTMS),
    _claim(_O.UNIDIRECTIONAL_SEQUENCE_LSTM, _LSTMS),
    _claim(
        _O.BIDIRECTIONAL_SEQUENCE_LSTM,
        _LSTMS,
        Condition("there is no layer normalisation, which TFLite's operator lacks", _without_norms),
        Condition(
            "time comes first where outputs are merged: else LiteRT computes other ones",
            lambda call: call.scalar("time_major") or not call.scalar("merge_outputs"),
        ),
        Condition(
            "the backward cell does not read the auxiliary input alone: LiteRT wants inputs of one size",
            lambda call: not _is_parallel(call),
        ),
    ),
    _claim(
        _O.BIDIRECTIONAL_SEQUENCE_RNN,
        _RNNS,
        Condition(
            "time comes first where the backward cell reads the auxiliary input: else LiteRT computes others",
            lambda call: bool(call.scalar("time_major")) or not _is_parallel(call),
        ),
    ),
    *(_claim(operation, _RNNS) for operation in (_O.RNN, _O.SVDF, _O.UNIDIRECTIONAL_SEQUENCE_RNN)),
)
