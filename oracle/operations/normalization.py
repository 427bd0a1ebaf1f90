"""Meanings of SOFTMAX, LOG_SOFTMAX, L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION, INSTANCE_NORMALIZATION.

Functions of floats work along the last dimension of arrays or lists, those named ``*_codes`` on one list.
Written from their pages in docs/contract/operations.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.fixed_point_functions import clz32, expneg, invsqrt, mbqm, qm, rdbp, recip1p, srdhm
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning, Tensor, fixed, in_layout, in_nhwc


def softmax(x: Any, beta: float) -> Any:
    """Return the softmax of floats, computed in double precision."""
    reals = np.asarray(x, np.float64)
    powers = np.exp((reals - reals.max(-1, keepdims=True)) * beta)
    return powers / powers.sum(-1, keepdims=True)


def softmax_codes(slice_: Sequence[int], scale: float, beta: float, low: int, high: int) -> list[int]:
    """Return codes of the softmax of codes; output scale 1/256, zero point ``low``."""
    m, n = qm(min(float(np.float32(beta)) * float(np.float32(scale)) * 2**26, 2**31 - 1))
    lowest = -math.floor(31 * 2**26 / 2**n)
    highest = max(slice_)
    powers = [expneg(srdhm((q - highest) * 2**n, m), 5) if q - highest >= lowest else None for q in slice_]
    total = sum(rdbp(power, 12) for power in powers if power is not None)
    hz = clz32(total)
    nb = 12 - hz
    r = recip1p((total << hz) - 2**31)
    result = []
    for power in powers:
        code = 0 if power is None else rdbp(srdhm(r, power), nb + 23)
        result.append(min(max(code + low, low), high))
    return result


def log_softmax(x: Any, beta: float, number: Any) -> Any:
    """Compute LOG_SOFTMAX; differences, products and the running sum are rounded to the element type ``number``."""
    reals = np.asarray(x, number)
    scaled = (reals - reals.max(-1, keepdims=True)) * number(beta)
    powers = np.exp(scaled.astype(np.float64))
    total = np.zeros(reals.shape[:-1], number)
    for i in range(reals.shape[-1]):
        total = (total + powers[..., i]).astype(number)
    return (scaled - np.log(total.astype(np.float64))[..., None]).astype(number)


def l2_normalization(x: Any) -> Any:
    """Return the L2 normalisation of floats, with a float32 sum in order."""
    reals = np.asarray(x, np.float32)
    squares = np.add.accumulate(reals * reals, -1)[..., -1:]
    return reals / np.maximum(np.sqrt(squares.astype(np.float64)), 1e-6)


def l2_normalization_codes(slice_: Sequence[int], zero_point: int, *, signed: bool, last_axis: bool) -> list[int]:
    """Return codes of the L2 normalisation of codes; output scale 1/128, zero point 128 (unsigned) or 0 (signed)."""
    m, n = invsqrt(sum((q - zero_point) ** 2 for q in slice_))
    result = []
    for q in slice_:
        t = mbqm(q - zero_point, m, n + 7) if signed and last_axis else rdbp(srdhm(128 * (q - zero_point), m), -n)
        result.append(min(max(t, -128), 127) if signed else min(max(128 + t, 0), 255))
    return result


def local_response_normalization(x: Any, radius: int, bias: float, alpha: float, beta: float) -> Any:
    """Return LOCAL_RESPONSE_NORMALIZATION in double precision, with ``radius`` neighbours on either side."""
    reals = np.asarray(x, np.float64)
    size = reals.shape[-1]
    radius = min(radius, size)
    total = np.zeros(reals.shape)
    for offset in range(-radius, radius + 1):
        place = np.arange(size) + offset
        total += np.where((place >= 0) & (place < size), reals[..., np.clip(place, 0, size - 1)] ** 2, 0)
    return reals * (bias + alpha * total) ** -beta


def instance_normalization(image: Any, gamma: float, beta: float, epsilon: float, number: Any) -> Any:
    """Return the normalised elements of one image and channel.

    ``number`` is the type in which all but the root is computed.
    """
    cells = np.asarray(image, number)
    count = number(cells.shape[-1])
    deviation = cells - np.add.accumulate(cells, -1)[..., -1:] / count
    variance = np.add.accumulate(deviation * deviation, -1)[..., -1:] / count
    root = np.sqrt((variance + number(epsilon)).astype(np.float32)).astype(number)
    return deviation * number(gamma) / root + number(beta)


def _apply_along(of: Callable[[Any], Any], x: Array, axis: int) -> Tensor:
    """Apply ``of``, a function of the last dimension, along ``axis``, and return the result."""
    return Tensor.of(np.moveaxis(of(np.moveaxis(x, axis, -1)), -1, axis))


def _apply_to_slices(of: Callable[[list[int]], list[int]], x: Array, axis: int) -> Tensor:
    """Apply ``of``, a function of lists of codes, to all slices along ``axis``, and return the result."""

    def rows(codes: Array) -> Array:
        made = [of(row.tolist()) for row in codes.reshape(-1, codes.shape[-1])]
        return np.array(made, np.int64).reshape(codes.shape)

    return _apply_along(rows, x, axis)


def _axis(call: Invocation, position: int) -> int:
    """Return the axis at a position, the last one where the list is shorter."""
    return int(call.number(position)) if len(call) > position else -1


def _softmax(call: Invocation) -> Tensor:
    """Compute the operation. Inputs: tensor, beta[, axis]."""
    beta, axis, source = call.number(1), _axis(call, 2), call.inputs[0]
    if call.is_float:
        return _apply_along(lambda x: softmax(x, beta), call.array(0), axis)
    limits = source.limits
    return _apply_to_slices(lambda codes: softmax_codes(codes, source.scale, beta, *limits), call.whole(0).array, axis)


def _log_softmax(call: Invocation) -> Tensor:
    """Compute the operation. Inputs: tensor, beta, axis."""
    x, beta = call.array(0), call.number(1)
    return _apply_along(lambda rows: log_softmax(rows, beta, x.dtype.type), x, call.number(2))


def _l2_normalization(call: Invocation) -> Tensor:
    """Compute the operation. Inputs: tensor[, axis]."""
    axis, source = _axis(call, 1), call.inputs[0]
    if call.is_float:
        return _apply_along(l2_normalization, call.array(0), axis)
    signed, last = source.limits[0] < 0, axis in (-1, call.array(0).ndim - 1)
    return _apply_to_slices(
        lambda codes: l2_normalization_codes(codes, source.zero_point, signed=signed, last_axis=last),
        call.whole(0).array,
        axis,
    )


def _local_response(call: Invocation) -> Tensor:
    """Compute the operation. Inputs: tensor, radius, bias, alpha, beta[, axis]."""
    scalars = call.numbers(1, 4)
    return _apply_along(lambda x: local_response_normalization(x, *scalars), call.array(0), _axis(call, 5))


def _instance(call: Invocation) -> Tensor:
    """Compute the operation. Inputs: image, gamma, beta, epsilon, layout."""
    nchw = call.flag(4)
    x = call.array(0)
    images = in_nhwc(call.raw(0), nchw=nchw)
    n, h, w, c = images.dims
    cells = images.array.reshape(n, h * w, c)
    gamma, beta, epsilon = call.numbers(1, 3)
    kind = x.dtype.type
    result = _apply_along(lambda rows: instance_normalization(rows, gamma, beta, epsilon, kind), cells, 1)
    return in_layout(Tensor(result.array, (n, h, w, c)), nchw=nchw)


MEANINGS: Final = {
    O.SOFTMAX: Meaning(_softmax, fixed(1 / 256, 0)),
    O.LOG_SOFTMAX: Meaning(_log_softmax),
    O.L2_NORMALIZATION: Meaning(_l2_normalization, fixed(1 / 128, 128)),
    O.LOCAL_RESPONSE_NORMALIZATION: Meaning(_local_response),
    O.INSTANCE_NORMALIZATION: Meaning(_instance),
}
