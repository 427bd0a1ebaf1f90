"""Faults in what an operation is given: quantisation, paddings, activations, operands in wrong places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.oracle.arithmetic.sums import Array
from nnvet.oracle.operations.convolution import ConvolutionInputs, Steps, convolved, read_inputs
from nnvet.oracle.operations.invocation import Invocation, Meaning, OperandValue, Tensor
from tools.oracle_study.fault import Fault, Plant

_WINDOWED: Final = frozenset(("CONV_2D", "DEPTHWISE_CONV_2D", "GROUPED_CONV_2D", "TRANSPOSE_CONV_2D"))
_POOLS: Final = frozenset(("AVERAGE_POOL_2D", "L2_POOL_2D", "MAX_POOL_2D"))
_BIASED: Final = _WINDOWED | {"FULLY_CONNECTED"}
_WEIGHTS, _BIAS = 1, 2
_IMAGE: Final = 4
_ACTIVATED: Final = frozenset((*_BIASED, *_POOLS, "ADD", "SUB", "MUL", "DIV"))
_ACTIVATIONS: Final = range(1, 4)
_AXES: Final = {
    **dict.fromkeys(("ARGMAX", "ARGMIN", "CHANNEL_SHUFFLE", "GATHER", "L2_NORMALIZATION", "SPLIT"), 1),
    **dict.fromkeys(("LOG_SOFTMAX", "SOFTMAX"), 2),
    "CHANNEL_SHUFFLE": 2,
    "LOCAL_RESPONSE_NORMALIZATION": 5,
}
"""Position of the axis among the inputs."""
_SCALARS: Final = (OperandType.FLOAT32, OperandType.FLOAT16)
_OF_ORDER: Final = frozenset(("SUB", "DIV", "POW", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "BATCH_MATMUL"))
_BROADCAST: Final = frozenset((*_OF_ORDER, "ADD", "MUL", "MAXIMUM", "MINIMUM", "PRELU", "EQUAL", "NOT_EQUAL"))


def with_input(call: Invocation, position: int, **changes: Any) -> Invocation:
    """Return the call with a changed input."""
    inputs = list(call.inputs)
    inputs[position] = replace(inputs[position], **changes)
    return replace(call, inputs=inputs)


def _given(of: Callable[[Invocation], Invocation | None], names: frozenset[str] = frozenset()) -> Plant:
    """Return the meaning of another call, where operations have these names (none: any)."""

    def plant(meaning: Meaning, call: Invocation) -> Any:
        other = of(call) if not names or call.name in names else None
        if other is None:
            return None
        try:
            return _in_shape(meaning.compute(other), meaning, call)
        except (IndexError, ValueError, KeyError, ArithmeticError):
            # The other call has no meaning.
            return None

    return plant


def _in_shape(found: Any, meaning: Meaning, call: Invocation) -> Any:
    """Return the results in the shape that they ought to have: cut, or repeated."""
    if not isinstance(found, Tensor):
        return found
    right = meaning.compute(call)
    return np.resize(found.array, right.array.shape) if found.array.size else None


def _quantized(of: Callable[[OperandValue], Any], positions: tuple[int, ...] = (0,)) -> Plant:
    """Plant other zero points or scales of inputs of codes."""

    def other(call: Invocation) -> Invocation | None:
        places = [i for i in positions if i < len(call) and type_info(call.inputs[i].type).is_quantized and call.has(i)]
        for place in places:
            call = with_input(call, place, **of(call.inputs[place]))
        return call if places else None

    return _given(other)


def _output(of: Callable[[OperandValue], Any]) -> Plant:
    """Plant another zero point or scale of the output."""

    def other(call: Invocation) -> Invocation | None:
        if not type_info(call.output.type).is_quantized:
            return None
        return replace(call, outputs=[replace(call.output, **of(call.output)), *call.outputs[1:]])

    return _given(other)


def _kept(zero_point: int, value: OperandValue) -> int:
    """Return a zero point within the range of codes."""
    return int(np.clip(zero_point, *value.limits))


def _activation_missing(call: Invocation) -> Invocation | None:
    """The activation is the last INT32 scalar of these operations that is one of 1 to 3."""
    for place in reversed(range(len(call))):
        if call.is_scalar(place, OperandType.INT32):
            # Behind the activation stand dilations, which are recognised by the layout before them.
            if place and call.is_scalar(place - 1, OperandType.BOOL):
                continue
            if place > 1 and call.is_scalar(place - 2, OperandType.BOOL):
                continue
            is_one = call.number(place) in _ACTIVATIONS
            return with_input(call, place, array=np.array(0, np.int32)) if is_one else None
    return None


def _shifted(position: int) -> Callable[[Invocation], Invocation | None]:
    """Shift the elements of an input by one place."""

    def other(call: Invocation) -> Invocation | None:
        array = call.array(position)
        return with_input(call, position, array=np.roll(array.reshape(-1), 1).reshape(array.shape))

    return other


def _bias_missing(call: Invocation) -> Invocation | None:
    return with_input(call, _BIAS, array=np.zeros_like(call.array(_BIAS)))


def _transposed(call: Invocation) -> Invocation | None:
    """Return the filter as if height were width; the weights of FULLY_CONNECTED as if they were the other one's."""
    weights = call.array(_WEIGHTS)
    swapped = weights.swapaxes(1, 2) if call.name in _WINDOWED else weights.T
    return with_input(call, _WEIGHTS, array=swapped.reshape(weights.shape))


def _flipped(call: Invocation) -> Invocation | None:
    return with_input(call, _WEIGHTS, array=np.flip(call.array(_WEIGHTS), (1, 2)))


def _adjoint(call: Invocation) -> Invocation | None:
    return with_input(call, 2, array=~call.array(2))


def _swapped(call: Invocation) -> Invocation | None:
    first, second, *rest = call.inputs
    return replace(call, inputs=[second, first, *rest])


def _first_row(call: Invocation) -> Invocation | None:
    """Return the call with the first row broadcast."""
    second = call.array(1)
    return with_input(call, 1, array=np.broadcast_to(second[:1], second.shape)) if second.ndim else None


def _next_axis(call: Invocation) -> Invocation | None:
    place = _AXES.get(call.name, len(call))
    if place >= len(call) or call.inputs[place].array is None or call.array(0).ndim == 1:
        return None
    axis = (call.number(place) + 1) % call.array(0).ndim
    return with_input(call, place, array=np.array(axis, np.int32))


def _scalar_ignored(call: Invocation) -> Invocation | None:
    """Take the first scalar parameter that is a real number to be 1."""
    for place, value in enumerate(call.inputs):
        if value.type in _SCALARS and value.array is not None:
            return with_input(call, place, array=np.ones_like(value.array))
    return None


def _layout_ignored(call: Invocation) -> Invocation | None:
    """Read NCHW as NHWC."""
    for place, value in enumerate(call.inputs):
        is_layout = value.type == OperandType.BOOL and value.array is not None and call.array(0).ndim == _IMAGE
        if is_layout and call.flag(place):
            return with_input(call, place, array=np.zeros_like(call.array(place)))
    return None


def _windows(of: Callable[[ConvolutionInputs], ConvolutionInputs]) -> Plant:
    """Return a convolution of other inputs."""

    def plant(meaning: Meaning, call: Invocation) -> Any:
        if call.name not in _WINDOWED:
            return None
        try:
            found = convolved(call, of(read_inputs(call)))
            return _in_shape(found, meaning, call)
        except (IndexError, ValueError):
            # Nothing is left of the image.
            return None

    return plant


def _steps(of: Callable[[Steps], Steps]) -> Plant:
    return _windows(lambda given: replace(given, steps=of(given.steps)))


def _other_corner(steps: Steps) -> Steps:
    left, right, top, bottom = steps.padding
    return replace(steps, padding=(right, left, bottom, top))


def _padding_shifted(steps: Steps) -> Steps:
    left, right, top, bottom = steps.padding
    return replace(steps, padding=(left + 1, right - 1, top, bottom))


def _axes_of_steps(steps: Steps) -> Steps:
    (across, down), (wide, high) = steps.stride, steps.dilation
    return replace(steps, stride=(down, across), dilation=(high, wide))


def _mirrored_pool(meaning: Meaning, call: Invocation) -> Any:
    """Let the windows of a pool begin at the other corner."""
    if call.name not in _POOLS:
        return None
    axes = (2, 3) if any(value.type == OperandType.BOOL and value.array for value in call.inputs) else (1, 2)
    mirrored = with_input(call, 0, array=np.flip(call.array(0), axes))
    return np.flip(meaning.compute(mirrored).array, axes)


def _channels_shifted(call: Invocation) -> Invocation | None:
    params = call.inputs[_WEIGHTS].channel_quant if len(call) > _WEIGHTS else None
    if params is None:
        return None
    scales = tuple(np.roll(params.scales, 1).tolist())
    return with_input(call, _WEIGHTS, channel_quant=type(params)(scales, params.channel_dim))


def _channels_first_scale(call: Invocation) -> Invocation | None:
    params = call.inputs[_WEIGHTS].channel_quant if len(call) > _WEIGHTS else None
    if params is None:
        return None
    scales = (params.scales[0],) * len(params.scales)
    return with_input(call, _WEIGHTS, channel_quant=type(params)(scales, params.channel_dim))


def _multiplier_interleaved(given: ConvolutionInputs) -> ConvolutionInputs:
    """Let output channels take the input channels in turn, not one after the other."""
    depth = given.image.dims[3]
    order = np.arange(given.weights.dims[3]).reshape(depth, -1).T.reshape(-1)
    weights: Array = given.weights.array[..., order]
    return replace(given, weights=Tensor.of(weights)) if given.weights.dims[0] == 1 else given


def _rounded_scale(value: OperandValue) -> dict[str, float]:
    return {"scale": float(np.float16(value.scale))}


FAULTS: Final = (
    Fault("activation-missing", _given(_activation_missing, _ACTIVATED)),
    Fault("bias-missing", _given(_bias_missing, _BIASED)),
    Fault("bias-shifted", _given(_shifted(_BIAS), _BIASED)),
    Fault("weights-transposed", _given(_transposed, _BIASED)),
    Fault("weights-flipped", _given(_flipped, _WINDOWED)),
    Fault("factor-transposed", _given(_adjoint, frozenset(("BATCH_MATMUL",)))),
    Fault("second-operand-shifted", _given(_shifted(1), _BROADCAST)),
    Fault("operands-swapped", _given(_swapped, _OF_ORDER)),
    Fault("first-row-broadcast", _given(_first_row, _BROADCAST)),
    Fault("axis-off-by-one", _given(_next_axis)),
    Fault("real-parameter-ignored", _given(_scalar_ignored)),
    Fault("layout-ignored", _given(_layout_ignored)),
    Fault("padding-in-the-other-corner", _steps(_other_corner)),
    Fault("padding-off-by-one", _steps(_padding_shifted)),
    Fault("stride-off-by-one", _steps(lambda steps: replace(steps, stride=(steps.stride[0] + 1, steps.stride[1])))),
    Fault(
        "dilation-off-by-one", _steps(lambda steps: replace(steps, dilation=(steps.dilation[0] + 1, steps.dilation[1])))
    ),
    Fault("strides-swapped", _steps(_axes_of_steps)),
    Fault("pool-from-the-other-corner", _mirrored_pool),
    Fault("multiplier-interleaved", _windows(_multiplier_interleaved)),
    Fault("input-zero-point-off-by-one", _quantized(lambda operand: {"zero_point": operand.zero_point + 1})),
    Fault("input-zero-point-sign", _quantized(lambda operand: {"zero_point": -operand.zero_point})),
    Fault("second-zero-point-ignored", _quantized(lambda _: {"zero_point": 0}, (1,))),
    Fault("output-zero-point-off-by-one", _output(lambda output: {"zero_point": _kept(output.zero_point + 1, output)})),
    Fault("input-scale-in-float16", _quantized(_rounded_scale, (0, 1))),
    Fault("output-scale-in-float16", _output(_rounded_scale)),
    Fault("output-scale-one-percent-off", _output(lambda output: {"scale": output.scale * 1.01})),
    Fault("channel-scales-shifted", _given(_channels_shifted)),
    Fault("first-channel-scale-for-all", _given(_channels_first_scale)),
)
