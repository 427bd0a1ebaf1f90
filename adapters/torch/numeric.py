"""Reductions, normalisations, resizing, and changes of type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import functional

from nnvet.adapters.runtimes.claims import BOOLEAN, BOTH_BYTES, FLOATS, INTEGER, UNSIGNED, element_name, same_codes
from nnvet.adapters.runtimes.functions import Function, Make, claimed, computing, image_shape, moving, plain
from nnvet.adapters.torch.forms import TorchClaim, of_images
from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.reduction import reduced_axes
from nnvet.hal.operations.resize import new_sizes

_T = OperandType
_CODES: Final = (*FLOATS, *BOTH_BYTES)
_SMALLEST_NORM: Final = 1e-6
"""Divisor of the contract for elements that are smaller."""
_RANGES: Final = {INTEGER: (-(2**31), 2**31 - 1), UNSIGNED: (0, 255)}


def _reduction(function: Callable[[Tensor, Sequence[int]], Any]) -> Make:
    """PyTorch takes no axes for all of them, the contract for none."""

    def make(call: Call) -> Function:
        axes, shape = reduced_axes(call), call.output.dimensions
        return lambda value: (function(value, axes) if axes else value).reshape(shape)

    return make


def _product(value: Tensor, axes: Sequence[int]) -> Any:
    """PyTorch multiplies along one axis at a time; in 64 bits no part overflows that another one brings to zero."""
    for axis in reversed(axes):
        value = torch.prod(value, axis, dtype=torch.float64)
    return value


def _index(function: Function) -> Make:
    def make(call: Call) -> Function:
        axis = call.scalar("axis")
        return lambda value: function(value, axis).to(torch.int32).reshape(call.output.dimensions)

    return make


def _softmax(function: Function) -> Make:
    """Beta multiplies what is left of the largest element, as in the contract: smaller numbers, smaller errors."""

    def make(call: Call) -> Function:
        beta, axis = call.scalar("beta"), call.scalar("axis", -1)
        return lambda value: function((value - value.amax(axis, keepdim=True)) * beta, axis)

    return make


def _l2_normalization(call: Call) -> Function:
    return partial(functional.normalize, dim=call.scalar("axis", -1), eps=_SMALLEST_NORM)


def _local_response(call: Call) -> Function:
    """PyTorch's works along the second dimension, and divides alpha by the number of cells."""
    axis = call.scalar("axis", -1) % call["input"].rank
    size = 2 * min(call.scalar("radius"), call["input"].dimensions[axis]) + 1
    alpha, beta, bias = (call.scalar(name) for name in ("alpha", "beta", "bias"))

    def normalized(value: Tensor) -> Any:
        rows = value.movedim(axis, -1)
        columns = rows.reshape(-1, rows.shape[-1], 1)
        result = functional.local_response_norm(columns, size, alpha * size, beta, bias)
        return result.reshape(rows.shape).movedim(-1, axis)

    return normalized


def _instance_normalization(call: Call) -> Function:
    gamma, beta, epsilon = (call.scalar(name) for name in ("gamma", "beta", "epsilon"))

    def normalized(images: Tensor) -> Any:
        # functional.instance_norm refuses images of one pixel.
        result = torch.instance_norm(images, None, None, None, None, True, 0.0, epsilon, False)
        return result * gamma + beta

    return normalized


def _sampling(call: Call, *, nearest: bool) -> tuple[Any, Any]:
    """Return the positions of the output's rows and columns among those of the input, in cells, as float32 tensors."""
    aligned, centred = call.scalar("align_corners", False), call.scalar("half_pixel_centers", False)
    places = []
    for size, new in zip(image_shape(call, call["input"])[2:], new_sizes(call), strict=True):
        ends = (size - 1, new - 1) if aligned and new > 1 else (size, new)
        ratio = torch.tensor(ends[0], dtype=torch.float32) / ends[1]
        steps = torch.arange(new, dtype=torch.float32)
        place = (steps + 0.5) * ratio - (0 if nearest else 0.5) if centred else steps * ratio
        places.append(torch.floor(place + 0.5) if nearest and aligned else place)
    return places[0], places[1]


def _resize_nearest(call: Call) -> Function:
    _, _, height, width = image_shape(call, call["input"])
    rows, columns = (
        torch.clamp(torch.floor(place), 0, size - 1).to(torch.int64)
        for place, size in zip(_sampling(call, nearest=True), (height, width), strict=True)
    )

    def resized(images: Tensor) -> Any:
        return images.index_select(2, rows.to(images.device)).index_select(3, columns.to(images.device))

    return resized


def _resize_bilinear(call: Call) -> Function:
    """PyTorch's interpolate has corners that are aligned, or centres of pixels; without either it is written out."""
    aligned = call.scalar("align_corners", False)
    if not aligned and not call.scalar("half_pixel_centers", False):
        return _mixed(call)
    return partial(functional.interpolate, size=list(new_sizes(call)), mode="bilinear", align_corners=aligned)


def _mixed(call: Call) -> Function:
    """Return each axis in turn: the neighbours of every place, by their weights."""
    places = _sampling(call, nearest=False)

    def resized(images: Tensor) -> Any:
        for axis, place in enumerate(places, 2):
            lower = torch.floor(place).to(torch.int64)
            upper = torch.clamp(torch.ceil(place).to(torch.int64), max=images.shape[axis] - 1)
            share = (place - lower).to(images).reshape([-1 if dimension == axis else 1 for dimension in range(4)])
            below, above = (images.index_select(axis, indexes.to(images.device)) for indexes in (lower, upper))
            images = below * (1 - share) + above * share
        return images

    return resized


def _cast(call: Call) -> Function:
    """Return numbers that integers and codes cannot hold become the nearest that they can; NaN becomes 0."""
    dtype = getattr(torch, element_name(call.output.type))
    bounds = _RANGES.get(OperandType(call.output.type))
    if bounds is None or call["input"].type == call.output.type:
        return lambda value: value.to(dtype)
    return lambda value: torch.clamp(torch.nan_to_num(value.to(torch.float64)), *bounds).to(dtype)


def _same(value: Tensor) -> Any:
    return value


_CAST: Final = (
    *_CODES,
    INTEGER,
    _T.TENSOR_QUANT8_SYMM,
    _T.TENSOR_QUANT16_ASYMM,
    _T.TENSOR_QUANT16_SYMM,
)

CLAIMS: Final[tuple[TorchClaim, ...]] = (
    *(
        claimed(name, f"{target}, reshape", types, computing(_reduction(function), "input"))
        for name, target, types, function in (
            ("MEAN", "mean", _CODES, torch.mean),
            ("REDUCE_PROD", "prod", FLOATS, _product),
            ("REDUCE_SUM", "sum", FLOATS, torch.sum),
        )
    ),
    *(
        claimed(name, f"{target}, reshape", types, moving(_reduction(getattr(torch, target)), "input"))
        for name, target, types in (
            ("REDUCE_MAX", "amax", _CODES),
            ("REDUCE_MIN", "amin", _CODES),
            ("REDUCE_ALL", "all", (BOOLEAN,)),
            ("REDUCE_ANY", "any", (BOOLEAN,)),
        )
    ),
    claimed("ARGMAX", "argmax", (*_CODES, INTEGER), moving(_index(torch.argmax), "input")),
    claimed("ARGMIN", "argmin", (*_CODES, INTEGER), moving(_index(torch.argmin), "input")),
    claimed("SOFTMAX", "amax, sub, mul, softmax", _CODES, computing(_softmax(torch.softmax), "input")),
    claimed("LOG_SOFTMAX", "amax, sub, mul, log_softmax", FLOATS, computing(_softmax(torch.log_softmax), "input")),
    claimed("L2_NORMALIZATION", "normalize", _CODES, computing(_l2_normalization, "input")),
    claimed("LOCAL_RESPONSE_NORMALIZATION", "local_response_norm", FLOATS, computing(_local_response, "input")),
    claimed(
        "INSTANCE_NORMALIZATION",
        "instance_norm, mul, add",
        FLOATS,
        computing(of_images(_instance_normalization), "input"),
    ),
    claimed(
        "RESIZE_BILINEAR",
        "interpolate; index_select, mul, add without corners and centres",
        _CODES,
        computing(of_images(_resize_bilinear), "input"),
    ),
    claimed(
        "RESIZE_NEAREST_NEIGHBOR",
        "index_select",
        _CODES,
        moving(of_images(_resize_nearest), "input"),
        same_codes("input"),
    ),
    claimed("CAST", "nan_to_num, clamp, to", _CAST, moving(_cast, "input"), otherwise="booleans lose their other bits"),
    claimed("QUANTIZE", "div, floor, clamp, to", FLOATS, plain(_same, "input")),
    claimed(
        "DEQUANTIZE",
        "sub, mul",
        (*BOTH_BYTES, _T.TENSOR_QUANT8_SYMM, _T.TENSOR_QUANT8_SYMM_PER_CHANNEL),
        plain(_same, "input"),
    ),
)
