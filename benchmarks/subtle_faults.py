"""Measures which subtle faults of drivers ``nnvet bench`` finds, on the bundled MobileNet v3 and the speech recogniser.

``python benchmarks/subtle_faults.py [GLOB ...]`` plants each fault in the bundled driver and prints the verdict of each
network of the bundled zoo whose name a glob matches, beside both kernel sets of LiteRT. The first row has no fault.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from msgspec import structs

from nnvet.adapters.selector import create_device
from nnvet.driver_kit.arrays import Array
from nnvet.hal.interfaces import Device
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import OperandType, OperationType
from nnvet.models.bench import BenchOptions, baselines, run_bench
from nnvet.models.bundled import ZOO
from nnvet.models.catalogue import load_catalogue
from nnvet.models.driver import DriverContender
from nnvet.oracle.arithmetic.sums import to_bfloat16, to_float16
from nnvet.reference_driver.kernels.registry import Kernel
from nnvet.reference_driver.zoo.full_device import WrongKernels, only

_O: Final = OperationType
_CONVOLUTIONS: Final = (_O.CONV_2D, _O.DEPTHWISE_CONV_2D)
_WEIGHTED: Final = (*_CONVOLUTIONS, _O.FULLY_CONNECTED)
_GLOBS: Final = ("mobilenet_v3_*", "speech_recogniser")
_SMALLEST_LAYER: Final = 16
_STRIDE: Final = 2
_IMAGES: Final = 4
"""Dimensions of a batch of images."""


def with_input(call: Call, name: str, array: Array) -> Call:
    """Return the call with another value of an input."""
    return structs.replace(call, inputs={**call.inputs, name: structs.replace(call[name], value=array)})


def is_float(call: Call) -> bool:
    """Return True if the output has no codes."""
    return call.output.type in (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_FLOAT16)


def large_beta(kernel: Kernel, call: Call) -> Array:
    """Compute SOFTMAX with a beta that is 5 % too large."""
    return only(kernel(with_input(call, "beta", call["beta"].array * np.float32(1.05))))


def low_ceiling(_: Kernel, call: Call) -> Array:
    """Compute HARD_SWISH with a RELU6 that ends at 5.9."""
    if not is_float(call):
        read, write = call["input"], call.output
        real = (read.array.astype(np.float32) - read.zero_point) * np.float32(read.scale)
        codes = np.rint(real * np.clip(real + 3, 0, 5.9) / 6 / write.scale) + write.zero_point
        limits = np.iinfo(read.array.dtype)
        return np.asarray(np.clip(codes, limits.min, limits.max), read.array.dtype)
    real = call["input"].array
    return np.asarray(real * np.clip(real + 3, 0, 5.9) / 6, real.dtype)


def bfloat16(kernel: Kernel, call: Call) -> Array:
    """Keep results of convolutions in bfloat16."""
    result = only(kernel(call))
    return to_bfloat16(result).astype(result.dtype) if is_float(call) else result


def six_bits(kernel: Kernel, call: Call) -> Array:
    """Round weights to six bits."""
    return only(kernel(coarse(call, "filter" if call.has("filter") else "weights", 6)))


def eight_bits(kernel: Kernel, call: Call) -> Array:
    """Round weights of float layers to eight bits with one scale per tensor."""
    return only(kernel(coarse(call, "filter" if call.has("filter") else "weights", 8) if is_float(call) else call))


def coarse(call: Call, name: str, bits: int) -> Call:
    """Return the call with the weights rounded to a number of bits."""
    weights = call[name].array
    if weights.dtype.kind == "f":
        step = np.abs(weights).max() / (2 ** (bits - 1) - 1) or 1
        return with_input(call, name, (np.rint(weights / step) * step).astype(weights.dtype))
    zero, step = call[name].zero_point, 2 ** (8 - bits)
    limits = np.iinfo(weights.dtype)
    codes = np.rint((weights.astype(np.int32) - zero) / step) * step + zero
    return with_input(call, name, np.clip(codes, limits.min, limits.max).astype(weights.dtype))


def no_bias(kernel: Kernel, call: Call) -> Array:
    """Leave out the bias of the layer with 16 channels."""
    bias = call["bias"].array
    return only(kernel(with_input(call, "bias", np.zeros_like(bias)) if bias.size == _SMALLEST_LAYER else call))


def repeated_column(kernel: Kernel, call: Call) -> Array:
    """Repeat the last column but one of a convolution of stride 2 in the last column."""
    result = np.array(only(kernel(call)))
    if call.scalar("stride_width", 1) == _STRIDE and result.shape[2] > 1:
        result[:, :, -1] = result[:, :, -2]
    return result


def cut_quotient(kernel: Kernel, call: Call) -> Array:
    """Truncate the quotient of AVERAGE_POOL_2D or MEAN of codes."""
    result = only(kernel(call))
    images = call["input"].array
    if images.dtype.kind == "f" or images.ndim != _IMAGES or result.size != images.shape[0] * images.shape[-1]:
        return result
    quotients = images.sum(axis=(1, 2), dtype=np.int64) // (images.shape[1] * images.shape[2])
    return np.asarray(quotients, images.dtype).reshape(result.shape)


def half_additions(kernel: Kernel, call: Call) -> Array:
    """Add in float16."""
    result = only(kernel(call))
    return to_float16(result).astype(result.dtype) if is_float(call) else result


def planted(operations: tuple[OperationType, ...], fault: Callable[[Kernel, Call], Any]) -> Callable[[], Device]:
    """Return a function that makes a driver with this fault."""
    return lambda: WrongKernels(operations, fault)


FAULTS: Final[dict[str, Callable[[], Device]]] = {
    "none": lambda: create_device("reference"),
    "SOFTMAX, beta 5 % too large": planted((_O.SOFTMAX,), large_beta),
    "RELU6 of HARD_SWISH ends at 5.9": planted((_O.HARD_SWISH,), low_ceiling),
    "convolutions in bfloat16": planted(_CONVOLUTIONS, bfloat16),
    "weights of six bits": planted(_WEIGHTED, six_bits),
    "one layer without bias": planted((_O.CONV_2D,), no_bias),
    "last column repeated at stride 2": planted(_CONVOLUTIONS, repeated_column),
    "weights of 8 bits in float layers": planted(_WEIGHTED, eight_bits),
    "average of codes cut off": planted((_O.AVERAGE_POOL_2D, _O.MEAN), cut_quotient),
    "additions in float16": planted((_O.ADD,), half_additions),
    "state outlives its sequence": lambda: create_device("zoo:bench-stale-state"),
}


def main() -> None:
    """Print a row for each fault and network."""
    both, missing = baselines(reference_kernels=True)
    if missing:
        sys.exit(missing)
    options = BenchOptions(0.0, 0.0, compile=None, only=tuple(sys.argv[1:]) or _GLOBS)
    for name, make in FAULTS.items():
        print(name, flush=True)
        results = run_bench(load_catalogue(ZOO), [*both, DriverContender("fault", make())], options).results
        for result in results:
            if result.backend == "nnvet:fault":
                print(f"  {result.model}: {result.verdict} {result.reason}", flush=True)


if __name__ == "__main__":
    main()
