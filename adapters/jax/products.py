"""Convolutions, pooling, matrix products and normalisations in JAX.

Images arrive as NCHW: ``of_images`` transposes them before and after, whatever layout the model has. ``CLAIMS`` at the
end lists the operations with the calls of JAX that compute each.
"""

from __future__ import annotations

from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import lax

from nnvet.adapters.jax.emitter import JaxEmitter
from nnvet.adapters.runtimes.arrays import ArrayCalls, activating, computing_by, of_images, own, weighed
from nnvet.adapters.runtimes.claims import BOTH_BYTES, FLOATS, INTEGER, Claim
from nnvet.adapters.runtimes.functions import Function, claimed, computing
from nnvet.hal.operations.convolution import image, transposed_geometry, windows
from nnvet.hal.operations.declaration import Call

_CODES: Final = (*FLOATS, *BOTH_BYTES)
"""Types of operations on floats and 8-bit codes."""
_SMALLEST_NORM: Final = 1e-6
"""The contract divides by at least this, so that a vector of zeros stays zero."""


def _make_convolution(call: Call) -> Function:
    """Return the function that convolves the images of a call.

    A depthwise filter is [1, height, width, out], any other one is [out, height, width, in].
    """
    is_depthwise = "depth_multiplier" in call.inputs
    groups = image(call)[3] if is_depthwise else int(call.scalar("groups", 1))
    axes, layout = windows(call), ("NCHW", "IHWO" if is_depthwise else "OHWI", "NCHW")

    def convolved(images: Any, weights: Any, bias: Any) -> Any:
        sums = lax.conv_general_dilated(
            images,
            weights,
            [axis.stride for axis in axes],
            [(axis.head, axis.tail) for axis in axes],
            rhs_dilation=[axis.dilation for axis in axes],
            dimension_numbers=layout,
            feature_group_count=groups,
        )
        return sums + bias.reshape(-1, 1, 1)

    return convolved


def _make_transpose_conv(call: Call) -> Function:
    """Return the function of a transposed convolution: images are spread with gaps, and convolved with flipped filters.

    ``cells`` pads or, where negative, crops, so that nothing beyond the output is computed.
    """
    steps = [call.scalar("stride_height"), call.scalar("stride_width")]
    _, height, width, _ = image(call)
    cells = [
        (reach - 1 - head, out + head - ((size - 1) * step + 1))
        for size, step, reach, (head, out) in zip(
            (height, width), steps, call["filter"].dimensions[1:3], transposed_geometry(call), strict=True
        )
    ]

    def convolved(images: Any, weights: Any, bias: Any) -> Any:
        sums = lax.conv_general_dilated(
            images,
            jnp.flip(weights, (1, 2)),
            (1, 1),
            cells,
            lhs_dilation=steps,
            dimension_numbers=("NCHW", "OHWI", "NCHW"),
        )
        return sums + bias.reshape(-1, 1, 1)

    return convolved


def _reduce_windows(call: Call, value: Any, start: float, function: Function) -> Any:
    """Join the elements of each window by a function, beginning with ``start``."""
    sizes, axes = (call.scalar("filter_height"), call.scalar("filter_width")), windows(call)
    cells = ((0, 0), (0, 0), *((axis.head, axis.tail) for axis in axes))
    steps = (1, 1, *(axis.stride for axis in axes))
    return lax.reduce_window(value, value.dtype.type(start), function, (1, 1, *sizes), steps, cells)


def _make_average_pool(call: Call) -> Function:
    """Return the function that averages the elements of each window inside the image; padding does not count."""

    def pooled(images: Any) -> Any:
        cells = jnp.ones_like(images[:1, :1])
        return _reduce_windows(call, images, 0, lax.add) / _reduce_windows(call, cells, 0, lax.add)

    return pooled


def _make_l2_pool(call: Call) -> Function:
    average = _make_average_pool(call)
    return lambda images: jnp.sqrt(average(images * images))


def _make_max_pool(call: Call) -> Function:
    return lambda images: _reduce_windows(call, images, -np.inf, lax.max)


def _make_fully_connected(calls: ArrayCalls, call: Call) -> Function:
    size, activate = call["weights"].dimensions[1], activating(calls, call)

    def multiplied(value: Any, weights: Any, bias: Any) -> Any:
        return activate(value.reshape(-1, size) @ weights.T + bias).reshape(call.output.dimensions)

    return multiplied


def _make_batch_matmul(call: Call) -> Function:
    def adjoined(value: Any, name: str) -> Any:
        return value.swapaxes(-1, -2) if call.scalar(name) else value

    return lambda first, second: jnp.matmul(adjoined(first, "adj_x"), adjoined(second, "adj_y"))


def _make_l2_normalization(call: Call) -> Function:
    axis = call.scalar("axis", -1)
    return lambda value: value / jnp.maximum(jnp.linalg.norm(value, axis=axis, keepdims=True), _SMALLEST_NORM)


def _make_local_response(call: Call) -> Function:
    """Return the function that divides by a power of the sum of squares over a window along one axis."""
    axis, rank = call.scalar("axis", -1) % call["input"].rank, call["input"].rank
    radius = min(call.scalar("radius"), call["input"].dimensions[axis])
    alpha, beta, bias = (call.scalar(name) for name in ("alpha", "beta", "bias"))
    window = [2 * radius + 1 if place == axis else 1 for place in range(rank)]
    cells = [(radius, radius) if place == axis else (0, 0) for place in range(rank)]

    def normalized(value: Any) -> Any:
        sums = lax.reduce_window(value * value, value.dtype.type(0), lax.add, window, [1] * rank, cells)
        return value / jnp.power(bias + alpha * sums, beta)

    return normalized


def _make_instance_normalization(call: Call) -> Function:
    gamma, beta, epsilon = (call.scalar(name) for name in ("gamma", "beta", "epsilon"))

    def normalized(images: Any) -> Any:
        mean, variance = (function(images, axis=(2, 3), keepdims=True) for function in (jnp.mean, jnp.var))
        return (images - mean) / jnp.sqrt(variance + epsilon) * gamma + beta

    return normalized


CLAIMS: Final[tuple[Claim[JaxEmitter], ...]] = (
    *(
        claimed(name, "conv_general_dilated, add, clip", _CODES, weighed(of_images(own(_make_convolution)), "filter"))
        for name in ("CONV_2D", "DEPTHWISE_CONV_2D", "GROUPED_CONV_2D")
    ),
    claimed(
        "TRANSPOSE_CONV_2D",
        "flip, conv_general_dilated, add, clip",
        _CODES,
        weighed(of_images(own(_make_transpose_conv)), "filter"),
    ),
    claimed(
        "AVERAGE_POOL_2D",
        "reduce_window, divide, clip",
        _CODES,
        computing_by(of_images(own(_make_average_pool)), "input"),
    ),
    claimed(
        "L2_POOL_2D",
        "multiply, reduce_window, sqrt, clip",
        FLOATS,
        computing_by(of_images(own(_make_l2_pool)), "input"),
    ),
    claimed("MAX_POOL_2D", "reduce_window, clip", _CODES, computing_by(of_images(own(_make_max_pool)), "input")),
    claimed("FULLY_CONNECTED", "matmul, add, clip", _CODES, weighed(_make_fully_connected, "weights")),
    claimed("BATCH_MATMUL", "matmul", (*FLOATS, INTEGER, BOTH_BYTES[1]), computing(_make_batch_matmul, "x", "y")),
    claimed("L2_NORMALIZATION", "norm, maximum, divide", _CODES, computing(_make_l2_normalization, "input")),
    claimed("LOCAL_RESPONSE_NORMALIZATION", "reduce_window, power", FLOATS, computing(_make_local_response, "input")),
    claimed(
        "INSTANCE_NORMALIZATION",
        "mean, var, sqrt, divide, multiply, add",
        FLOATS,
        computing_by(of_images(own(_make_instance_normalization)), "input"),
    ),
)
