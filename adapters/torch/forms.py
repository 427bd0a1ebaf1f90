"""Common parts of claims: how they are written, reasons, layouts, fused activations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import torch

from nnvet.adapters.runtimes.claims import Claim, Condition
from nnvet.adapters.torch.emitter import Function, TorchEmitter
from nnvet.hal.enums import FusedActivationFunc, OperandType, OperationType
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.shared_rules import is_nchw

TorchClaim = Claim[TorchEmitter]
Emit = Callable[[TorchEmitter, Call], None]
Make = Callable[[Call], Function]
"""From a call, whose parameters and shapes are known, to the function of its tensors."""
TO_NCHW: Final = (0, 3, 1, 2)
TO_NHWC: Final = (0, 2, 3, 1)
_HIGHEST: Final = 6
_BOUNDS: Final = {
    FusedActivationFunc.RELU: (0, None),
    FusedActivationFunc.RELU1: (-1, 1),
    FusedActivationFunc.RELU6: (0, _HIGHEST),
}


def claimed(
    name: str, target: str, types: Iterable[OperandType], emit: Emit, *conditions: Condition, otherwise: str = ""
) -> TorchClaim:
    """A claim of ``types``; ``otherwise`` is the reason for all others of the declaration.

    :raises ValueError: there are others, and no reason.
    """
    operation, kinds = OperationType[name], tuple(types)
    others = {OperandType(row.types["T"]) for row in declarations()[operation].rows} - {*kinds}
    if others and not otherwise:
        raise ValueError(f"{name}: why not {', '.join(kind.name for kind in sorted(others))}?")
    excluded = dict.fromkeys(sorted(others), otherwise)
    return Claim(operation, target, kinds, emit, conditions, excluded)


def computing(make: Make, *names: str) -> Emit:
    """A function of the numbers of the inputs that are named; of the variadic ones if none is."""
    return lambda emitter, call: emitter.compute(make(call), _arguments(call, names), call.outputs)


def moving(make: Make, *names: str) -> Emit:
    """A function of what the inputs store, which may be codes."""
    return lambda emitter, call: emitter.move(make(call), _arguments(call, names), call.outputs)


def plain(function: Function, *names: str) -> Emit:
    """A function of numbers that has no parameters."""
    return computing(lambda _: function, *names)


def _arguments(call: Call, names: Sequence[str]) -> Sequence[Argument]:
    return [call[name] for name in names] if names else call.variadic


def activating(call: Call) -> Function:
    """The call's fused activation; calls without one leave values as they are."""
    bounds = _BOUNDS.get(call.scalar("activation")) if "activation" in call.inputs else None
    return (lambda value: value) if bounds is None else (lambda value: torch.clamp(value, *bounds))


def of_images(make: Make) -> Make:
    """A function of images in PyTorch's layout, NCHW, as one of images in the call's, with the fused activation."""

    def made(call: Call) -> Function:
        function, activate = make(call), activating(call)
        if is_nchw(call):
            return lambda images, *others: activate(function(images, *others))
        return lambda images, *others: activate(function(images.permute(TO_NCHW), *others)).permute(TO_NHWC)

    return made


def image_shape(call: Call, argument: Argument) -> tuple[int, int, int, int]:
    """Batches, channels, height and width of images."""
    first, second, third, fourth = argument.dimensions
    return (first, second, third, fourth) if is_nchw(call) else (first, fourth, second, third)
