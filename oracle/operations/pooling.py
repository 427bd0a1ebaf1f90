"""AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D. Images are [N, H, W, C].

What windows see is an array [cells of the window, N, H out, W out, C], zero outside of the image, with a second array
that says what is inside. From their pages in docs/contract/operations, and docs/contract/operations/common.md 9.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.convolution import Steps, is_explicit, steps_at, windows
from nnvet.oracle.operations.fixed_point_functions import div
from nnvet.oracle.operations.fused_activation import activate, code_bounds
from nnvet.oracle.operations.invocation import Invocation, Meaning, in_layout, in_nhwc, like
from nnvet.oracle.operations.tensor import Array, Tensor, choose

OfWindows = Callable[[Array, Array], Any]


def pool(x: Tensor, cells: tuple[int, int], steps: Steps, of: OfWindows) -> Tensor:
    """``of`` the elements of each window (height, width) that lie in the image; no activation."""
    return Tensor.of(of(*windows(x, cells, steps, 0)))


def mean(seen: Array, inside: Array) -> Any:
    """Means of floats."""
    return seen.sum(0) / inside.sum(0)


def mean_unsigned(seen: Array, inside: Array) -> Any:
    """Means of unsigned codes, halves up."""
    count = inside.sum(0)
    return (seen.sum(0) + count // 2) // count


def mean_signed(seen: Array, inside: Array) -> Any:
    """Means of signed codes, halves away from zero."""
    total, count = seen.sum(0), inside.sum(0)
    return div(total + choose(total > 0, count // 2, -(count // 2)), count)


def root_mean_square(seen: Array, inside: Array) -> Any:
    """Roots of the sums of squares times the reciprocals of the counts."""
    return np.sqrt((seen * seen).sum(0) * (np.float32(1) / np.float32(inside.sum(0))).astype(np.float64))


def largest(seen: Array, inside: Array) -> Any:
    """The largest elements."""
    lowest = -np.inf if seen.dtype.kind == "f" else np.iinfo(seen.dtype).min
    return np.where(inside, seen, lowest).max(0)


def _of(call: Invocation) -> OfWindows:
    if call.name != "AVERAGE_POOL_2D":
        return largest if call.name == "MAX_POOL_2D" else root_mean_square
    if call.is_float:
        return mean
    return mean_unsigned if call.inputs[0].type == OperandType.TENSOR_QUANT8_ASYMM else mean_signed


def pooled(call: Invocation, image: Array, of: OfWindows) -> Tensor:
    """``of`` what the windows of an operation see of an image in its layout; NHWC, no activation."""
    explicit, nchw, at = _form(call)
    nhwc = in_nhwc(Tensor.of(image), nchw=nchw)
    width, height, _ = call.numbers(at, 3)
    return pool(nhwc, (height, width), steps_at(call, 1, nhwc, (height, width), explicit=explicit), of)


def _form(call: Invocation) -> tuple[bool, bool, int]:
    """Return if paddings are explicit, if the layout is NCHW, and the position of the window's width."""
    explicit = is_explicit(call, (10, 11), 0, 0)
    at = 7 if explicit else 4
    return explicit, call.flag(at + 3), at


def activation_and_layout(call: Invocation) -> tuple[int, bool]:
    """The activation, and whether the layout is NCHW."""
    _, nchw, at = _form(call)
    return call.number(at + 2), nchw


def _pool(call: Invocation) -> Tensor:
    """Inputs: image, paddings, strides, filter width and height, activation[, layout]."""
    code, nchw = activation_and_layout(call)
    image = call.exact(0) if call.is_float else call.whole(0)
    values = pooled(call, image.array, _of(call)).array
    if call.is_float:
        return in_layout(Tensor.of(activate(values, code)), nchw=nchw)
    source = call.inputs[0]
    codes = np.clip(values, *code_bounds(code, *source.quantization, *source.limits))
    return in_layout(Tensor.of(codes), nchw=nchw)


MEANINGS: Final = {O[name]: Meaning(_pool, like(0)) for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D")}
