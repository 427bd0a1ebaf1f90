"""Planted bugs that show only in networks of real size, with many channels; ``nnvet bench`` has to find them.

The conformance suite passes with them: outputs look plausible, and most pictures even keep their label. The last
argument of ``bench_bug`` names the networks that reveal the bug.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import structs

from nnvet.driver_kit.arrays import Array
from nnvet.hal.interfaces import Device
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import OperandType, OperationType
from nnvet.reference_driver.kernels.fixed_point import clamp
from nnvet.reference_driver.kernels.registry import Kernel
from nnvet.reference_driver.zoo.full_device import WrongKernels, only
from nnvet.reference_driver.zoo.registry import bench_bug

_O: Final = OperationType
_MANY: Final = 32
"""More channels than any spec of the corpus has."""
_LANES: Final = 4
"""Products that are added at once, in float32."""
_EXCESS: Final = 2.0**-5
"""Relative error of the last channel."""
_UNITS: Final = 64
"""More cells than any spec of the corpus has."""
_LEFT: Final = 0.1
"""Share of the kept cells with which the next sequence begins."""


@bench_bug("bench-float16-sums", "1 x 1 convolutions of many channels add up in float16.", "mobilenet_v1_*_64")
def float16_sums() -> Device:
    """Add four products in float32, like a vector unit, and keep the sums in float16."""

    def summed(kernel: Kernel, call: Call) -> Array:
        images, filters = call["input"].array, call["filter"].array
        is_plain = filters.shape[1:3] == (1, 1) and filters.shape[3] >= _MANY and not call.scalar("layout", False)
        if call.output.type != OperandType.TENSOR_FLOAT32 or not is_plain:
            return only(kernel(call))
        plain = only(kernel(call))
        if plain.shape[1:3] != images.shape[1:3]:
            return plain
        weights = filters.reshape(len(filters), -1).T
        total = np.zeros(plain.shape, np.float16)
        for first in range(0, len(weights), _LANES):
            part = slice(first, first + _LANES)
            total = (total + images[..., part] @ weights[part]).astype(np.float16)
        return clamp(total.astype(np.float32) + call["bias"].array, call.scalar("activation"))

    return WrongKernels({_O.CONV_2D}, summed)


@bench_bug(
    "bench-one-channel", "The last of many channels of a depthwise convolution is 3 % too large.", "mobilenet_v1_*_64"
)
def one_channel() -> Device:
    """Read the multiplier of the last channel from its neighbour, as if the table were too short."""

    def larger(kernel: Kernel, call: Call) -> Array:
        result = np.array(only(kernel(call)))
        if result.shape[-1] < _MANY or call.scalar("layout", False):
            return result
        zero, limits = call.output.zero_point, np.iinfo(result.dtype) if result.dtype.kind in "iu" else None
        last = (result[..., -1].astype(np.float32) - zero) * np.float32(1 + _EXCESS) + zero
        result[..., -1] = last if limits is None else np.clip(np.rint(last), limits.min, limits.max)
        return result

    return WrongKernels({_O.DEPTHWISE_CONV_2D}, larger)


@bench_bug(
    "bench-stale-state", "Large LSTMs begin a sequence with a tenth of the last one's cells.", "speech_recogniser"
)
def stale_state() -> Device:
    """Take a state of zeros for a sequence that continues, and use cells that the driver has kept."""
    kept: dict[tuple[int, ...], Array] = {}

    def resumed(kernel: Kernel, call: Call) -> tuple[Array, ...]:
        state = call["cell_state_in"]
        if state.dimensions[-1] >= _UNITS and state.dimensions in kept and not state.array.any():
            older = structs.replace(state, value=kept[state.dimensions] * np.float32(_LEFT))
            call = structs.replace(call, inputs={**call.inputs, "cell_state_in": older})
        results = tuple(kernel(call))
        # Output 2 of LSTM is the new cell state.
        kept[state.dimensions] = np.array(results[2])
        return results

    return WrongKernels({_O.LSTM}, resumed)
