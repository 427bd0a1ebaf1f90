"""Planted errors in the inputs and parameters of an operation: quantisation, padding, activation, swapped operands.

:data:`FAULTS` lists them for ``faults.py``. Functions such as :func:`_omit_bias` return a changed call of the operation
(None: it does not apply); functions ``_plant_…`` make of them the function that computes the wrong results. Errors in
results are in ``result_faults.py``, those within sums in ``sum_faults.py``.
"""

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

# Names of operations to which errors apply, and positions of inputs.
_WINDOWED: Final = frozenset(("CONV_2D", "DEPTHWISE_CONV_2D", "GROUPED_CONV_2D", "TRANSPOSE_CONV_2D"))
_POOLS: Final = frozenset(("AVERAGE_POOL_2D", "L2_POOL_2D", "MAX_POOL_2D"))
_BIASED: Final = _WINDOWED | {"FULLY_CONNECTED"}
_WEIGHTS, _BIAS = 1, 2
_IMAGE: Final = 4
"""Rank of an image, for which alone a layout makes a difference."""
_ACTIVATED: Final = frozenset((*_BIASED, *_POOLS, "ADD", "SUB", "MUL", "DIV"))
_ACTIVATIONS: Final = range(1, 4)
"""Codes of activations that change something: RELU, RELU1 and RELU6."""
_AXES: Final = {
    **dict.fromkeys(("ARGMAX", "ARGMIN", "CHANNEL_SHUFFLE", "GATHER", "L2_NORMALIZATION", "SPLIT"), 1),
    **dict.fromkeys(("LOG_SOFTMAX", "SOFTMAX"), 2),
    "CHANNEL_SHUFFLE": 2,
    "LOCAL_RESPONSE_NORMALIZATION": 5,
}
"""Position of the axis among the inputs, by operation."""
_SCALARS: Final = (OperandType.FLOAT32, OperandType.FLOAT16)
"""Types of scalar parameters that are real numbers."""
# Operations for which the order of the first two operands matters, and those that broadcast.
_OF_ORDER: Final = frozenset(("SUB", "DIV", "POW", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "BATCH_MATMUL"))
_BROADCAST: Final = frozenset((*_OF_ORDER, "ADD", "MUL", "MAXIMUM", "MINIMUM", "PRELU", "EQUAL", "NOT_EQUAL"))


def with_input(call: Invocation, position: int, **changes: Any) -> Invocation:
    """Return the call with a changed input."""
    inputs = list(call.inputs)
    inputs[position] = replace(inputs[position], **changes)
    return replace(call, inputs=inputs)


def _plant_call(change: Callable[[Invocation], Invocation | None], names: frozenset[str] = frozenset()) -> Plant:
    """Return the error that computes a changed call, for operations with these names (none: for all)."""

    def plant(meaning: Meaning, call: Invocation) -> Any:
        other = change(call) if not names or call.name in names else None
        if other is None:
            return None
        try:
            return _fit_shape(meaning.compute(other), meaning, call)
        except (IndexError, ValueError, KeyError, ArithmeticError):
            # The changed call cannot be computed, so that the error does not apply.
            return None

    return plant


def _fit_shape(found: Any, meaning: Meaning, call: Invocation) -> Any:
    """Return wrong results in the shape of the right ones, cut or repeated: a wrong shape would be found at once."""
    if not isinstance(found, Tensor):
        return found
    right = meaning.compute(call)
    return np.resize(found.array, right.array.shape) if found.array.size else None


def _plant_quantization(of: Callable[[OperandValue], Any], positions: tuple[int, ...] = (0,)) -> Plant:
    """Return the error that takes other zero points or scales of the quantised inputs at ``positions``."""

    def other(call: Invocation) -> Invocation | None:
        places = [i for i in positions if i < len(call) and type_info(call.inputs[i].type).is_quantized and call.has(i)]
        for place in places:
            call = with_input(call, place, **of(call.inputs[place]))
        return call if places else None

    return _plant_call(other)


def _plant_output(of: Callable[[OperandValue], Any]) -> Plant:
    """Return the error that takes another zero point or scale of the output."""

    def other(call: Invocation) -> Invocation | None:
        if not type_info(call.output.type).is_quantized:
            return None
        return replace(call, outputs=[replace(call.output, **of(call.output)), *call.outputs[1:]])

    return _plant_call(other)


def _clip_zero_point(zero_point: int, value: OperandValue) -> int:
    """Return a zero point within the range of codes."""
    return int(np.clip(zero_point, *value.limits))


def _omit_activation(call: Invocation) -> Invocation | None:
    """Return a call without its activation, which is the last INT32 scalar of these operations before any dilation."""
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


def _shift_elements(position: int) -> Callable[[Invocation], Invocation | None]:
    """Return a function that shifts the elements of an input by one position."""

    def other(call: Invocation) -> Invocation | None:
        array = call.array(position)
        return with_input(call, position, array=np.roll(array.reshape(-1), 1).reshape(array.shape))

    return other


def _omit_bias(call: Invocation) -> Invocation | None:
    return with_input(call, _BIAS, array=np.zeros_like(call.array(_BIAS)))


def _transpose_weights(call: Invocation) -> Invocation | None:
    """Read a filter with height and width swapped, or weights of FULLY_CONNECTED with rows and columns swapped."""
    weights = call.array(_WEIGHTS)
    swapped = weights.swapaxes(1, 2) if call.name in _WINDOWED else weights.T
    return with_input(call, _WEIGHTS, array=swapped.reshape(weights.shape))


def _flip_weights(call: Invocation) -> Invocation | None:
    return with_input(call, _WEIGHTS, array=np.flip(call.array(_WEIGHTS), (1, 2)))


def _toggle_adjoint(call: Invocation) -> Invocation | None:
    return with_input(call, 2, array=~call.array(2))


def _swap_operands(call: Invocation) -> Invocation | None:
    first, second, *rest = call.inputs
    return replace(call, inputs=[second, first, *rest])


def _broadcast_first_row(call: Invocation) -> Invocation | None:
    """Return the call with the first row of the second operand in place of all rows."""
    second = call.array(1)
    return with_input(call, 1, array=np.broadcast_to(second[:1], second.shape)) if second.ndim else None


def _shift_axis(call: Invocation) -> Invocation | None:
    place = _AXES.get(call.name, len(call))
    if place >= len(call) or call.inputs[place].array is None or call.array(0).ndim == 1:
        return None
    axis = (call.number(place) + 1) % call.array(0).ndim
    return with_input(call, place, array=np.array(axis, np.int32))


def _ignore_scalar(call: Invocation) -> Invocation | None:
    """Take the first scalar parameter that is a real number to be 1."""
    for place, value in enumerate(call.inputs):
        if value.type in _SCALARS and value.array is not None:
            return with_input(call, place, array=np.ones_like(value.array))
    return None


def _ignore_layout(call: Invocation) -> Invocation | None:
    """Read NCHW as NHWC."""
    for place, value in enumerate(call.inputs):
        is_layout = value.type == OperandType.BOOL and value.array is not None and call.array(0).ndim == _IMAGE
        if is_layout and call.flag(place):
            return with_input(call, place, array=np.zeros_like(call.array(place)))
    return None


def _plant_convolution(of: Callable[[ConvolutionInputs], ConvolutionInputs]) -> Plant:
    """Return the error that computes a convolution of changed inputs."""

    def plant(meaning: Meaning, call: Invocation) -> Any:
        if call.name not in _WINDOWED:
            return None
        try:
            found = convolved(call, of(read_inputs(call)))
            return _fit_shape(found, meaning, call)
        except (IndexError, ValueError):
            # The changed convolution has no output, so that the error does not apply.
            return None

    return plant


def _plant_steps(of: Callable[[Steps], Steps]) -> Plant:
    return _plant_convolution(lambda given: replace(given, steps=of(given.steps)))


def _mirror_padding(steps: Steps) -> Steps:
    left, right, top, bottom = steps.padding
    return replace(steps, padding=(right, left, bottom, top))


def _shift_padding(steps: Steps) -> Steps:
    left, right, top, bottom = steps.padding
    return replace(steps, padding=(left + 1, right - 1, top, bottom))


def _swap_axes(steps: Steps) -> Steps:
    (across, down), (wide, high) = steps.stride, steps.dilation
    return replace(steps, stride=(down, across), dilation=(high, wide))


def _mirror_pool(meaning: Meaning, call: Invocation) -> Any:
    """Let the windows of a pool begin at the other corner."""
    if call.name not in _POOLS:
        return None
    axes = (2, 3) if any(value.type == OperandType.BOOL and value.array for value in call.inputs) else (1, 2)
    mirrored = with_input(call, 0, array=np.flip(call.array(0), axes))
    return np.flip(meaning.compute(mirrored).array, axes)


def _shift_channel_scales(call: Invocation) -> Invocation | None:
    params = call.inputs[_WEIGHTS].channel_quant if len(call) > _WEIGHTS else None
    if params is None:
        return None
    scales = tuple(np.roll(params.scales, 1).tolist())
    return with_input(call, _WEIGHTS, channel_quant=type(params)(scales, params.channel_dim))


def _use_first_scale(call: Invocation) -> Invocation | None:
    params = call.inputs[_WEIGHTS].channel_quant if len(call) > _WEIGHTS else None
    if params is None:
        return None
    scales = (params.scales[0],) * len(params.scales)
    return with_input(call, _WEIGHTS, channel_quant=type(params)(scales, params.channel_dim))


def _interleave_channels(given: ConvolutionInputs) -> ConvolutionInputs:
    """Give the filters of a depthwise convolution to the input channels in turn, instead of channel by channel."""
    depth = given.image.dims[3]
    order = np.arange(given.weights.dims[3]).reshape(depth, -1).T.reshape(-1)
    weights: Array = given.weights.array[..., order]
    return replace(given, weights=Tensor.of(weights)) if given.weights.dims[0] == 1 else given


def _round_scale(value: OperandValue) -> dict[str, float]:
    return {"scale": float(np.float16(value.scale))}


# Names of errors are in docs/oracle.md and decide which half an error belongs to (``is_held_out``).
FAULTS: Final = (
    Fault("activation-missing", _plant_call(_omit_activation, _ACTIVATED)),
    Fault("bias-missing", _plant_call(_omit_bias, _BIASED)),
    Fault("bias-shifted", _plant_call(_shift_elements(_BIAS), _BIASED)),
    Fault("weights-transposed", _plant_call(_transpose_weights, _BIASED)),
    Fault("weights-flipped", _plant_call(_flip_weights, _WINDOWED)),
    Fault("factor-transposed", _plant_call(_toggle_adjoint, frozenset(("BATCH_MATMUL",)))),
    Fault("second-operand-shifted", _plant_call(_shift_elements(1), _BROADCAST)),
    Fault("operands-swapped", _plant_call(_swap_operands, _OF_ORDER)),
    Fault("first-row-broadcast", _plant_call(_broadcast_first_row, _BROADCAST)),
    Fault("axis-off-by-one", _plant_call(_shift_axis)),
    Fault("real-parameter-ignored", _plant_call(_ignore_scalar)),
    Fault("layout-ignored", _plant_call(_ignore_layout)),
    Fault("padding-in-the-other-corner", _plant_steps(_mirror_padding)),
    Fault("padding-off-by-one", _plant_steps(_shift_padding)),
    Fault(
        "stride-off-by-one", _plant_steps(lambda steps: replace(steps, stride=(steps.stride[0] + 1, steps.stride[1])))
    ),
    Fault(
        "dilation-off-by-one",
        _plant_steps(lambda steps: replace(steps, dilation=(steps.dilation[0] + 1, steps.dilation[1]))),
    ),
    Fault("strides-swapped", _plant_steps(_swap_axes)),
    Fault("pool-from-the-other-corner", _mirror_pool),
    Fault("multiplier-interleaved", _plant_convolution(_interleave_channels)),
    Fault("input-zero-point-off-by-one", _plant_quantization(lambda operand: {"zero_point": operand.zero_point + 1})),
    Fault("input-zero-point-sign", _plant_quantization(lambda operand: {"zero_point": -operand.zero_point})),
    Fault("second-zero-point-ignored", _plant_quantization(lambda _: {"zero_point": 0}, (1,))),
    Fault(
        "output-zero-point-off-by-one",
        _plant_output(lambda output: {"zero_point": _clip_zero_point(output.zero_point + 1, output)}),
    ),
    Fault("input-scale-in-float16", _plant_quantization(_round_scale, (0, 1))),
    Fault("output-scale-in-float16", _plant_output(_round_scale)),
    Fault("output-scale-one-percent-off", _plant_output(lambda output: {"scale": output.scale * 1.01})),
    Fault("channel-scales-shifted", _plant_call(_shift_channel_scales)),
    Fault("first-channel-scale-for-all", _plant_call(_use_first_scale)),
)
