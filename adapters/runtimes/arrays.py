"""One set of calls, by NumPy's names, for all libraries of arrays that are called operation by operation.

:class:`ArrayEmitter` collects the steps of a graph as functions of a library's arrays. Operands are computed as
numbers: floats in the type that the settings name, codes as the real numbers that they stand for, in 64 bits, rounded
to codes once. Codes can also be moved as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from nnvet.adapters.runtimes.claims import Claim, Graph, element_name
from nnvet.adapters.runtimes.functions import Function, FunctionEmitter, Make, activation_bounds, arguments
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.shapes import is_nchw

_TO_NCHW: Final = (0, 3, 1, 2)
"""Order of axes that turns NHWC images into NCHW."""
_TO_NHWC: Final = (0, 2, 3, 1)
"""Order of axes that turns NCHW images into NHWC."""


class ArrayCalls:
    """Functions of a library in NumPy's style: its modules, and the functions that it names or orders differently.

    In addition to functions of NumPy or of the array API, a library needs:

    * ``cast(value, type name)``, ``taken(value, places, axis)``, ``padded(value, cells of each axis, fill)``,
    * ``sorted_down(value)``: the last axis from the largest to the least, with places; equal elements keep their order,
    * ``divided(value, parts, axis)``: equal parts,
    * ``relu``, ``relu6``, ``sigmoid``, ``hard_swish``, ``elu``, ``softmax``, ``log_softmax`` and ``rsqrt``.
    """

    def __init__(self, *modules: Any, **others: Function) -> None:
        """Take functions from ``others``, then from the first module that has them."""
        self._modules, self._others = modules, others

    def __getattr__(self, name: str) -> Any:
        """Return the function of this name."""
        if name in self._others:
            return self._others[name]
        return next(getattr(module, name) for module in self._modules if hasattr(module, name))


MakeArrays = Callable[[ArrayCalls, Call], Function]
"""Makes the function of arrays that computes a call, from the calls of a library."""


class ArrayEmitter(FunctionEmitter):
    """The steps of a graph in a library of arrays."""

    def __init__(self, graph: Graph, calls: ArrayCalls, relaxed: str, half: str) -> None:
        """Begin without steps; float32 of relaxed models and float16 are computed in the types given."""
        super().__init__(graph)
        self.calls = calls
        self._floats: dict[int, str] = {
            OperandType.TENSOR_FLOAT32: relaxed if graph.relaxed else "float32",
            OperandType.TENSOR_FLOAT16: half,
        }

    def reading(self, argument: Argument) -> Function | None:
        """Return the function from an operand's stored elements to its numbers; None if they are the same."""
        if type_info(argument.type).is_quantized:
            return self._dequantizing(argument)
        dtype = self._floats.get(argument.type)
        if dtype is None or dtype == element_name(argument.type):
            return None
        return lambda value: self.calls.cast(value, dtype)

    def storing(self, argument: Argument) -> Function:
        """Convert the numbers of an operand to the form in which it is stored."""
        dtype, calls = element_name(argument.type), self.calls
        if not type_info(argument.type).is_quantized:
            return lambda value: calls.cast(value, dtype)
        scale, zero_point = argument.scale, argument.zero_point
        low, high = argument.quantized_range

        def quantized(value: Any) -> Any:
            ratio = calls.cast(value, "float64") / scale
            # Halves are rounded away from zero; a library's own round would take them to the even neighbour.
            codes = calls.sign(ratio) * calls.floor(calls.abs(ratio) + 0.5) + zero_point
            # A NaN has the highest code.
            return calls.cast(calls.where(calls.isnan(codes), high, calls.clip(codes, low, high)), dtype)

        return quantized

    def _dequantizing(self, argument: Argument) -> Function:
        channels, cast = argument.channel_quant, self.calls.cast
        if channels is None:
            scale, zero_point = argument.scale, argument.zero_point
            return lambda codes: (cast(codes, "float64") - zero_point) * scale
        shape = [-1 if axis == channels.channel_dim else 1 for axis in range(argument.rank)]
        scales = self.tensor(channels.scales, "float64").reshape(shape)
        return lambda codes: cast(codes, "float64") * scales


EmitArrays = Callable[[ArrayEmitter, Call], None]
"""A function that emits one call."""


def computing_by(make: MakeArrays, *names: str) -> EmitArrays:
    """Return the emitter of a function of dequantised inputs, which ``make`` builds from a library's calls."""
    return lambda emitter, call: emitter.compute(make(emitter.calls, call), arguments(call, names), call.outputs)


def moving_by(make: MakeArrays, *names: str) -> EmitArrays:
    """Return the emitter of a function of the inputs' stored elements, which ``make`` builds from a library's calls."""
    return lambda emitter, call: emitter.move(make(emitter.calls, call), arguments(call, names), call.outputs)


def weighed(make: MakeArrays, weights: str) -> EmitArrays:
    """Emit a function of input, weights and bias; the bias of codes counts in units of input times weights."""

    def emit(emitter: ArrayEmitter, call: Call) -> None:
        function, operands = make(emitter.calls, call), [call["input"], call[weights], call["bias"]]
        if not type_info(call["input"].type).is_quantized:
            emitter.compute(function, operands, call.outputs)
            return
        channels = call[weights].channel_quant
        units = [call[weights].scale] if channels is None else list(channels.scales)
        scales = emitter.tensor(units, "float64") * call["input"].scale
        emitter.compute(lambda value, factors, bias: function(value, factors, bias * scales), operands, call.outputs)

    return emit


def own(make: Make) -> MakeArrays:
    """Return ``make``, which uses a runtime's own functions, as a function that also takes the library's calls."""
    return lambda _, call: make(call)


def activating(calls: ArrayCalls, call: Call) -> Function:
    """Return the fused activation of a call, or the identity if it has none."""
    bounds = activation_bounds(call)
    return (lambda value: value) if bounds is None else (lambda value: calls.clip(value, *bounds))


def of_images(make: MakeArrays) -> MakeArrays:
    """Adapt a function of NCHW images to the layout of the call; add the fused activation."""

    def made(calls: ArrayCalls, call: Call) -> Function:
        function, activate, turned = make(calls, call), activating(calls, call), calls.permute_dims
        if is_nchw(call):
            return lambda images, *others: activate(function(images, *others))
        return lambda images, *others: turned(activate(function(turned(images, _TO_NCHW), *others)), _TO_NHWC)

    return made


def in_words_of(words: Mapping[str, str], claims: Iterable[Claim[Any]]) -> Sequence[Claim[Any]]:
    """Return claims whose calls have a library's own names, where these differ from NumPy's."""

    def translated(target: str) -> str:
        return re.sub(r"\w+", lambda word: words.get(word.group(), word.group()), target)

    return [replace(claim, target=translated(claim.target)) for claim in claims]
