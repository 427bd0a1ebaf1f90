"""Common parts of claims: how they are written, reasons, layouts, fused activations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from nnvet.adapters.onnxruntime.emitter import OnnxEmitter
from nnvet.adapters.runtimes.claims import BOTH_BYTES, Claim, Condition
from nnvet.hal.enums import FusedActivationFunc, OperandType, OperationType
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.shared_rules import is_nchw

OnnxClaim = Claim[OnnxEmitter]
Emit = Callable[[OnnxEmitter, Call], None]
FIXED_POINT: Final = "the contract computes codes in fixed point; ONNX has no operator that rounds in the same steps"
NO_KERNEL: Final = "ONNX Runtime has no kernel for codes"
TO_NCHW: Final = (0, 3, 1, 2)
TO_NHWC: Final = (0, 2, 3, 1)
_HIGHEST: Final = 6
_BOUNDS: Final = {FusedActivationFunc.RELU1: (-1, 1), FusedActivationFunc.RELU6: (0, _HIGHEST)}


def claimed(
    name: str,
    target: str,
    types: Iterable[OperandType],
    emit: Emit,
    *conditions: Condition,
    otherwise: str = FIXED_POINT,
) -> OnnxClaim:
    """A claim of ``types``; ``otherwise`` is the reason for all others of the declaration."""
    operation, kinds = OperationType[name], tuple(types)
    others = {OperandType(row.types["T"]) for row in declarations()[operation].rows} - {*kinds}
    excluded = dict.fromkeys(sorted(others), otherwise)
    return Claim(operation, target, kinds, emit, conditions, excluded)


def unary(operator: str) -> Emit:
    """One tensor, one result."""
    return lambda emitter, call: emitter.put(call.output, emitter.add(operator, emitter.source(call["input"])))


def clamped(emitter: OnnxEmitter, value: str, argument: Argument, low: float, high: float) -> str:
    """The value within bounds."""
    return emitter.add("Clip", value, emitter.number(argument, low), emitter.number(argument, high))


def put_activated(emitter: OnnxEmitter, call: Call, value: str) -> None:
    """Give the output the value after the call's fused activation."""
    emitter.put(call.output, activated(emitter, call, value))


def activated(emitter: OnnxEmitter, call: Call, value: str) -> str:
    """The value after the call's fused activation."""
    code = call.scalar("activation")
    if code == FusedActivationFunc.RELU:
        return emitter.add("Relu", value)
    if code in _BOUNDS:
        return clamped(emitter, value, call.output, *_BOUNDS[code])
    return value


def image_input(emitter: OnnxEmitter, call: Call, name: str = "input") -> str:
    """An input of images in the layout of ONNX: NCHW."""
    return emitter.source(call[name]) if is_nchw(call) else emitter.permuted(call[name], TO_NCHW)


def in_layout(emitter: OnnxEmitter, call: Call, value: str) -> str:
    """Images of ONNX in the layout of the call."""
    return value if is_nchw(call) else emitter.add("Transpose", value, perm=list(TO_NHWC))


def image_shape(call: Call, argument: Argument) -> tuple[int, int, int, int]:
    """Batches, channels, height and width of images."""
    first, second, third, fourth = argument.dimensions
    return (first, second, third, fourth) if is_nchw(call) else (first, fourth, second, third)


UNFUSED: Final = Condition(
    "codes have no fused activation",
    lambda call: call["input"].type not in BOTH_BYTES or call.scalar("activation") == FusedActivationFunc.NONE,
)
