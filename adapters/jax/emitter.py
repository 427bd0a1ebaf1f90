"""Collects the steps of a graph whose shapes are all known: functions of arrays that JAX traces.

Operands are computed as numbers: floats in the type that the settings name, codes as the real numbers that they stand
for, in 64 bits, rounded to codes once. Codes can also be moved as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from nnvet.adapters.runtimes.claims import Claim, Graph, element_name
from nnvet.adapters.runtimes.functions import Function, FunctionEmitter, Make, activation_bounds
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.shapes import is_nchw

_T: Final = OperandType


@dataclass(frozen=True)
class JaxSettings:
    """The device of XLA, and the types in which float32 of relaxed models and float16 are computed."""

    device: Any
    relaxed: str = "float32"
    half: str = "float32"


class JaxEmitter(FunctionEmitter):
    """The steps of a graph in JAX; constants are arrays of NumPy, which a program puts on the device."""

    def __init__(self, graph: Graph, settings: JaxSettings) -> None:
        """Begin without steps."""
        super().__init__(graph)
        self.demands: list[tuple[int, str]] = []
        self._floats = {
            _T.TENSOR_FLOAT32: settings.relaxed if graph.relaxed else "float32",
            _T.TENSOR_FLOAT16: settings.half,
        }

    def tensor(self, value: npt.ArrayLike, dtype: str = "int64") -> Any:
        """A copy of an array."""
        return np.array(value, dtype)

    def reading(self, argument: Argument) -> Function | None:
        """From what an operand stores to its numbers; None if they are the same."""
        if type_info(argument.type).is_quantized:
            return _dequantizing(argument)
        dtype = self._floats.get(OperandType(argument.type))
        if dtype is None or dtype == element_name(argument.type):
            return None
        return lambda value: value.astype(getattr(jnp, dtype))

    def storing(self, argument: Argument) -> Function:
        """From the numbers of an operand to what it stores."""
        dtype = element_name(argument.type)
        if not type_info(argument.type).is_quantized:
            return lambda value: value.astype(dtype)
        scale, zero_point = argument.scale, argument.zero_point
        low, high = argument.quantized_range

        def quantized(value: Any) -> Any:
            # A NaN has the highest code.
            ratio = jnp.where(jnp.isnan(value), jnp.inf, value.astype(jnp.float64) / scale)
            # Halves are rounded away from zero; jnp.round would take them to the even neighbour.
            codes = jnp.sign(ratio) * jnp.floor(jnp.abs(ratio) + 0.5) + zero_point
            return jnp.clip(codes, low, high).astype(dtype)

        return quantized

    def demand(self, function: Function, inputs: Sequence[Argument], message: str) -> None:
        """Have an execution fail with ``message`` if a function of what the inputs store is not true."""
        slot = self.new_slot()
        self.add(function, tuple(map(self.stored, inputs)), (slot,))
        self.demands.append((slot, message))


JaxClaim = Claim[JaxEmitter]


def _dequantizing(argument: Argument) -> Function:
    channels = argument.channel_quant
    if channels is None:
        scale, zero_point = argument.scale, argument.zero_point
        return lambda codes: (codes.astype(np.float64) - zero_point) * scale
    shape = [-1 if axis == channels.channel_dim else 1 for axis in range(argument.rank)]
    scales = np.array(channels.scales, np.float64).reshape(shape)
    return lambda codes: codes.astype(np.float64) * scales


def activating(call: Call) -> Function:
    """Return the fused activation of a call, or the identity if it has none."""
    bounds = activation_bounds(call)
    return (lambda value: value) if bounds is None else (lambda value: jnp.clip(value, *bounds))


def of_images(make: Make) -> Make:
    """Adapt a function of NCHW images to the layout of the call; add the fused activation."""

    def made(call: Call) -> Function:
        function, activate = make(call), activating(call)
        if is_nchw(call):
            return lambda images, *others: activate(function(images, *others))
        return lambda images, *others: activate(function(images.transpose(0, 3, 1, 2), *others)).transpose(0, 2, 3, 1)

    return made
