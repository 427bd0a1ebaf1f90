"""Converters of recurrent operators; their variable tensors become inputs and outputs, since NNAPI keeps no state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nnvet.formats.tflite.context import Context, StateLink
from nnvet.formats.tflite.schema import Activation, TensorType
from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType

_FULL_LSTM_INPUTS: Final = 20
"""Number of inputs of an LSTM without layer normalisation."""
_NORMALISED_LSTM_INPUTS: Final = 24
"""Number of inputs of an LSTM with layer normalisation, which has a weight for each of four gates."""
_AUXILIARY: Final = 9
"""The auxiliary input of a bidirectional RNN; its weights follow."""
_SUPPORTED_ACTIVATIONS: Final = (Activation.RELU, Activation.RELU6, Activation.TANH)
"""RELU, RELU6 and TANH mean the same everywhere; for LSTM, "no activation" does not."""
_SUPPORTED_OR_NONE: Final = (Activation.NONE, *_SUPPORTED_ACTIVATIONS)


def _state(context: Context, position: int) -> tuple[int, int]:
    """Return operands for a variable tensor: its value before the step (model input) and after it (model output)."""
    tensor = context.tensor(position)
    if not tensor.is_variable:
        context.fail(f"input {position} ({tensor.label}) is not a variable tensor", "convert the model again")
    if tensor.index in context.conversion.operands:
        context.fail(f"{tensor.label} is the state of two operators", "convert the model with separate states")
    quantization = context.hal_quantization(tensor)
    kind = context.hal_type(tensor)
    before = context.graph.tensor(kind, tensor.shape, quantization)
    after = context.graph.tensor(kind, tensor.shape, quantization)
    context.graph.mark(before, OperandLifeTime.SUBGRAPH_INPUT)
    context.graph.mark(after, OperandLifeTime.SUBGRAPH_OUTPUT)
    context.conversion.operands[tensor.index] = before
    context.conversion.states.append(StateLink(tensor, before, after))
    return before, after


def _weights(context: Context, positions: Sequence[int]) -> list[int]:
    """Return the inputs at ``positions``; an omitted input becomes an operand without value."""
    return [
        context.input(position) if context.has(position) else context.graph.omitted(OperandType.TENSOR_FLOAT32)
        for position in positions
    ]


def _activation(context: Context, allowed: Sequence[int]) -> int:
    """Return the activation of a cell, whose codes go beyond those of other operations."""
    code = context.option("activation")
    if code not in allowed:
        context.fail(
            f"the cell's activation code is {code}, not one of {list(map(int, allowed))}", "convert the model with TANH"
        )
    return context.i32(code)


def _clips(context: Context) -> list[int]:
    """Return the operands of the cell clip and the projection clip."""
    return [context.f32(context.option("cell_clip")), context.f32(context.option("proj_clip"))]


def _lstm_inputs(context: Context) -> tuple[list[int], list[int], list[int]]:
    """Return weights with states (NNAPI inputs 0 to 19), layer-norm weights (none or 4), state outputs."""
    kind = context.tensor(0).type
    if kind in (TensorType.INT8, TensorType.UINT8):
        context.fail(
            f"it computes in {kind.name}: NNAPI's QUANTIZED_LSTM leaves out the biases that TFLite adds to the gates",
            "convert the model to float",
        )
    count = len(context.operator.inputs)
    if count not in (_FULL_LSTM_INPUTS, _NORMALISED_LSTM_INPUTS):
        context.fail(f"it has {count} inputs", "only the full LSTM kernel with 20 or 24 inputs has an NNAPI form")
    weights = _weights(context, range(18))
    (hidden, hidden_out), (cell, cell_out) = _state(context, 18), _state(context, 19)
    norms = list(range(_FULL_LSTM_INPUTS, count))
    given = _weights(context, norms) if any(context.has(position) for position in norms) else []
    return [*weights, hidden, cell], given, [hidden_out, cell_out]


def lstm(context: Context) -> None:
    """LSTM, full kernel: with or without input gate, peepholes, projection and layer normalisation."""
    if context.option("kernel_type"):
        context.fail("it uses the basic kernel", "only the full kernel has an NNAPI form: convert the model with it")
    weights, norms, states = _lstm_inputs(context)
    activation = _activation(context, _SUPPORTED_ACTIVATIONS)
    output = context.output()
    scratch = context.like(output)
    operands = [*weights, activation, *_clips(context), *norms]
    context.emit(OperationType.LSTM, operands, [scratch, *states, output])


def unidirectional_sequence_lstm(context: Context) -> None:
    """UNIDIRECTIONAL_SEQUENCE_LSTM with its state outputs (level 1.3)."""
    if context.option("diagonal_recurrent_tensors"):
        context.fail("the recurrent weights are diagonal", "NNAPI takes full matrices: convert the model with them")
    weights, norms, states = _lstm_inputs(context)
    norms = norms or [context.graph.omitted(OperandType.TENSOR_FLOAT32) for _ in range(4)]
    activation = _activation(context, _SUPPORTED_ACTIVATIONS)
    operands = [*weights, activation, *_clips(context), context.flag(context.option("time_major")), *norms]
    context.emit(OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM, operands, [context.output(), *states])


def bidirectional_sequence_lstm(context: Context) -> None:
    """BIDIRECTIONAL_SEQUENCE_LSTM with its state outputs (level 1.3); TFLite has no layer normalisation here."""
    if context.option("merge_outputs") and not context.option("time_major"):
        context.fail("its merged outputs have batches first, where LiteRT computes others", "put time first")
    weights = _weights(context, range(35))
    states = [_state(context, position) for position in range(35, 39)]
    auxiliary = _weights(context, range(39, 48))
    norms = [context.graph.omitted(OperandType.TENSOR_FLOAT32) for _ in range(8)]
    scalars = [_activation(context, _SUPPORTED_ACTIVATIONS), *_clips(context)]
    scalars += [context.flag(context.option("merge_outputs")), context.flag(context.option("time_major"))]
    operands = [*weights, *(before for before, _ in states), *auxiliary, *scalars, *norms]
    outputs = [*context.outputs(), *(after for _, after in states)]
    context.emit(OperationType.BIDIRECTIONAL_SEQUENCE_LSTM, operands, outputs)


def rnn(context: Context) -> None:
    """RNN: NNAPI gives the state before the output."""
    weights = _weights(context, range(4))
    before, after = _state(context, 4)
    activation = _activation(context, _SUPPORTED_OR_NONE)
    context.emit(OperationType.RNN, [*weights, before, activation], [after, context.output()])


def unidirectional_sequence_rnn(context: Context) -> None:
    """UNIDIRECTIONAL_SEQUENCE_RNN with its state output (level 1.3)."""
    weights = _weights(context, range(4))
    before, after = _state(context, 4)
    scalars = [_activation(context, _SUPPORTED_OR_NONE), context.i32(context.option("time_major"))]
    context.emit(OperationType.UNIDIRECTIONAL_SEQUENCE_RNN, [*weights, before, *scalars], [context.output(), after])


def bidirectional_sequence_rnn(context: Context) -> None:
    """BIDIRECTIONAL_SEQUENCE_RNN with its state outputs (level 1.3)."""
    if context.has(_AUXILIARY) and not context.has(_AUXILIARY + 1) and not context.option("time_major"):
        context.fail(
            "its backward cell reads an input with batches first, where LiteRT computes others", "put time first"
        )
    forward = _weights(context, range(4))
    forward_state, forward_after = _state(context, 4)
    backward = _weights(context, range(5, 8))
    backward_state, backward_after = _state(context, 8)
    auxiliary = _weights(context, range(9, 12))
    scalars = [_activation(context, _SUPPORTED_OR_NONE)]
    scalars += [context.flag(context.option("time_major")), context.flag(context.option("merge_outputs"))]
    operands = [*forward, forward_state, *backward, backward_state, *auxiliary, *scalars]
    outputs = [*context.outputs(), forward_after, backward_after]
    context.emit(OperationType.BIDIRECTIONAL_SEQUENCE_RNN, operands, outputs)


def svdf(context: Context) -> None:
    """SVDF; from a state of zeros TFLite's and NNAPI's shift order give the same outputs."""
    weights = _weights(context, range(4))
    before, after = _state(context, 4)
    scalars = [context.i32(context.option("rank")), _activation(context, _SUPPORTED_OR_NONE)]
    context.emit(OperationType.SVDF, [*weights, before, *scalars], [after, context.output()])


FUNCTIONS: Final = {
    "BIDIRECTIONAL_SEQUENCE_LSTM": bidirectional_sequence_lstm,
    "BIDIRECTIONAL_SEQUENCE_RNN": bidirectional_sequence_rnn,
    "LSTM": lstm,
    "RNN": rnn,
    "SVDF": svdf,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": unidirectional_sequence_lstm,
    "UNIDIRECTIONAL_SEQUENCE_RNN": unidirectional_sequence_rnn,
}
