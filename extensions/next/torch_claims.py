"""Operations of ``nnvet.next`` that PyTorch computes, by its own function for each: the claims of ``-d torch``.

The adapter imports :data:`CLAIMS` when it is opened and the extension is known (``ExtensionDeclaration.claims``). A
function ``_make_X`` returns the function of tensors that computes a call of the operation X; the adapter dequantises
codes before it and rounds results to codes after it. ``_emit_X`` does the same for operations with inputs that may be
omitted. ``onnx_claims.py`` does the same for ONNX Runtime.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import functional

from nnvet.adapters.runtimes.claims import Claim, Condition
from nnvet.adapters.runtimes.functions import Function, computing, moving, plain
from nnvet.extensions.next import codes
from nnvet.extensions.next.declarations import TYPES
from nnvet.extensions.next.declarations.sums import equation_of
from nnvet.hal.operand_types import ExtensionCode
from nnvet.hal.operations.declaration import Call

_WHOLE_SOFTPLUS: Final = 40
"""Threshold above which softplus returns x itself.

From 40 on log(1 + e^x) equals x even in float64; PyTorch's default is 20. Above 88 e^x overflows in float32.
"""
_CONVOLUTIONS: Final = {1: functional.conv1d, 3: functional.conv3d}
"""Functions of convolutions by the number of spatial dimensions; those of transposed convolutions follow."""
_TRANSPOSED: Final = {1: functional.conv_transpose1d, 2: functional.conv_transpose2d, 3: functional.conv_transpose3d}


def _claim(code: ExtensionCode, target: str, emit: Callable[[Any, Call], None], *conditions: Condition) -> Claim[Any]:
    return Claim(code, target, TYPES[code], emit, conditions)


def _list_given(call: Call, *names: str) -> tuple[str, ...]:
    """Return the names of inputs that a call does not omit."""
    return tuple(name for name in names if call.has(name))


def _make_gelu(call: Call) -> Function:
    form = "tanh" if call.scalar("tanh") else "none"
    return lambda value: functional.gelu(value, approximate=form)


def _make_clip(call: Call) -> Function:
    low, high = call.scalar("low"), call.scalar("high")
    return lambda value: torch.clamp(value, low, high)


def _emit_layer_normalization(emitter: Any, call: Call) -> None:
    axis, epsilon = call.scalar("axis"), call.scalar("epsilon")

    def normalize(value: Tensor, scale: Tensor, bias: Tensor | None = None) -> Any:
        return functional.layer_norm(value, value.shape[axis:], scale, bias, epsilon)

    emitter.compute(normalize, [call[name] for name in _list_given(call, "input", "scale", "bias")], call.outputs)


def _make_rms_normalization(call: Call) -> Function:
    axis, epsilon = call.scalar("axis"), call.scalar("epsilon")
    return lambda value, scale: functional.rms_norm(value, value.shape[axis:], scale, epsilon)


def _has_groups(call: Call) -> bool:
    # The check of PyTorch counts the elements of all batches, too.
    return bool(math.prod(call["input"].dimensions) > call.scalar("groups"))


_LARGER_THAN_ONE: Final = Condition("a group has more than one number, since PyTorch refuses others", _has_groups)
"""Condition of the claim of GROUP_NORMALIZATION."""


def _make_group_normalization(call: Call) -> Function:
    groups, epsilon = call.scalar("groups"), call.scalar("epsilon")
    return lambda value, scale, bias: functional.group_norm(value, groups, scale, bias, epsilon)


def _make_cumsum(call: Call) -> Function:
    axis, is_exclusive, is_reverse = call.scalar("axis"), call.scalar("exclusive"), call.scalar("reverse")

    def add_up(value: Tensor) -> Any:
        value = value.flip(axis) if is_reverse else value
        sums = value.cumsum(axis)
        if is_exclusive:
            first = torch.zeros_like(sums.narrow(axis, 0, 1))
            sums = torch.cat([first, sums.narrow(axis, 0, sums.shape[axis] - 1)], axis)
        return sums.flip(axis) if is_reverse else sums

    return add_up


def _emit_attention(emitter: Any, call: Call) -> None:
    scale, is_causal, past = float(call.scalar("scale")), call.scalar("causal"), call.scalar("past")

    def attend(query: Tensor, key: Tensor, value: Tensor, *mask: Tensor) -> Any:
        groups, scores = query.shape[1] // key.shape[1], (*query.shape[:3], key.shape[2])
        shown = mask[0] if mask else query.new_zeros(())
        if is_causal:
            seen = torch.ones(scores[2:], dtype=torch.bool, device=query.device).tril(past)
            shown = torch.where(seen, shown, -torch.inf)
        # Heads of one group look at the same keys; a mask that is broadcast along the keys is refused.
        key, value = (part.repeat_interleave(groups, 1) for part in (key, value))
        return functional.scaled_dot_product_attention(query, key, value, shown.expand(scores), scale=scale)

    emitter.compute(attend, [call[name] for name in _list_given(call, "query", "key", "value", "mask")], call.outputs)


def _make_rotary_embedding(call: Call) -> Function:
    is_interleaved, pairs = call.scalar("interleaved"), call["cosines"].dimensions[2]

    def turn(value: Tensor, cosines: Tensor, sines: Tensor) -> Any:
        cosines, sines, rest = cosines[:, None], sines[:, None], value[..., 2 * pairs :]
        if is_interleaved:
            first, second = value[..., 0 : 2 * pairs : 2], value[..., 1 : 2 * pairs : 2]
        else:
            first, second = value[..., :pairs], value[..., pairs : 2 * pairs]
        real, imaginary = first * cosines - second * sines, first * sines + second * cosines
        if is_interleaved:
            return torch.cat([torch.stack([real, imaginary], -1).flatten(-2), rest], -1)
        return torch.cat([real, imaginary, rest], -1)

    return turn


def _make_trilu(call: Call) -> Function:
    """Choose by a mask, because triu and tril fill in 0, while the code of zero is the zero point."""
    cut, diagonal, zero = (
        (torch.triu if call.scalar("upper") else torch.tril),
        call.scalar("diagonal"),
        call["input"].zero_point,
    )

    def keep(value: Tensor) -> Any:
        is_kept = cut(torch.ones(value.shape[-2:], dtype=torch.bool, device=value.device), diagonal)
        return torch.where(is_kept, value, torch.full((), zero, dtype=value.dtype, device=value.device))

    return keep


def _make_convolution(call: Call) -> Function:
    """Pad before the convolution, because convolutions of PyTorch pad both ends of a dimension alike."""
    strides, dilations, pads = (call.vector(name) for name in ("strides", "dilations", "pads"))
    axes, groups = len(strides), call.scalar("groups")
    # functional.pad wants the last axis first, with its beginning and its end.
    around = [pads[end + axis] for axis in reversed(range(axes)) for end in (0, axes)]

    def convolve(value: Tensor, filters: Tensor, bias: Tensor) -> Any:
        padded = functional.pad(value, around)
        return _CONVOLUTIONS[axes](padded, filters, bias, strides, 0, dilations, groups)

    return convolve


def _make_transposed_convolution(call: Call) -> Function:
    """Compute without padding, then cut the padding off at either end, since PyTorch's cuts both ends alike."""
    strides, dilations, pads, added = (call.vector(name) for name in ("strides", "dilations", "pads", "output_padding"))
    axes, groups = len(strides), call.scalar("groups")

    def convolve(value: Tensor, filters: Tensor, bias: Tensor) -> Any:
        found = _TRANSPOSED[axes](value, filters, bias, strides, 0, added, groups, dilations)
        for axis in range(axes):
            head, tail = pads[axis], pads[axes + axis]
            found = found.narrow(2 + axis, head, found.shape[2 + axis] - head - tail)
        return found

    return convolve


def _make_einsum(call: Call) -> Function:
    equation = equation_of(call)
    return lambda value, other: torch.einsum(equation, value, other)


def _make_resize_cubic(call: Call) -> Function:
    size, is_aligned = (call.scalar("height"), call.scalar("width")), bool(call.scalar("align_corners"))
    return lambda value: functional.interpolate(value, size, mode="bicubic", align_corners=is_aligned)


def _compute_dense(value: Tensor, weights: Tensor, bias: Tensor) -> Any:
    return functional.linear(value, weights.to(value.dtype), bias)


def _compute_softplus(value: Tensor) -> Any:
    return functional.softplus(value, threshold=_WHOLE_SOFTPLUS)


def _choose(condition: Tensor, yes: Tensor, no: Tensor) -> Any:
    return torch.where(condition, yes, no)


_FILTERED: Final[Sequence[str]] = ("input", "filter", "bias")
"""Inputs of convolutions in the order of PyTorch's functions."""
CLAIMS: Final = (
    _claim(codes.GELU, "gelu", computing(_make_gelu, "input")),
    _claim(codes.SILU, "silu", plain(functional.silu, "input")),
    _claim(codes.MISH, "mish", plain(functional.mish, "input")),
    _claim(codes.SOFTPLUS, "softplus", plain(_compute_softplus, "input")),
    _claim(codes.ERF, "erf", plain(torch.erf, "input")),
    _claim(codes.CLIP, "clamp", computing(_make_clip, "input")),
    _claim(codes.SIGN, "sign", plain(torch.sign, "input")),
    _claim(codes.ROUND, "round", plain(torch.round, "input")),
    _claim(codes.LAYER_NORMALIZATION, "layer_norm", _emit_layer_normalization),
    _claim(codes.RMS_NORMALIZATION, "rms_norm", computing(_make_rms_normalization, "input", "scale")),
    _claim(
        codes.GROUP_NORMALIZATION,
        "group_norm",
        computing(_make_group_normalization, "input", "scale", "bias"),
        _LARGER_THAN_ONE,
    ),
    _claim(codes.MATMUL, "matmul", plain(torch.matmul, "first", "second")),
    _claim(codes.CUMSUM, "cumsum", computing(_make_cumsum, "input")),
    _claim(codes.ATTENTION, "scaled_dot_product_attention", _emit_attention),
    _claim(
        codes.ROTARY_EMBEDDING,
        "slices, products and cat",
        computing(_make_rotary_embedding, "input", "cosines", "sines"),
    ),
    _claim(codes.TRILU, "triu or tril", moving(_make_trilu, "input")),
    _claim(codes.WHERE, "where", moving(lambda _: _choose, "condition", "yes", "no")),
    _claim(codes.CONV_1D, "pad and conv1d", computing(_make_convolution, *_FILTERED)),
    _claim(codes.CONV_3D, "pad and conv3d", computing(_make_convolution, *_FILTERED)),
    _claim(codes.CONV_TRANSPOSE, "conv_transpose1d to 3d", computing(_make_transposed_convolution, *_FILTERED)),
    _claim(codes.EINSUM, "einsum", computing(_make_einsum, "first", "second")),
    _claim(
        codes.HYBRID_FULLY_CONNECTED, "linear of dequantised weights", plain(_compute_dense, "input", "weights", "bias")
    ),
    _claim(codes.RESIZE_CUBIC, "interpolate", computing(_make_resize_cubic, "input")),
)
"""All operations that PyTorch computes; it has no functions like those that are missing here.

These are GATHER_ND, SCATTER_ND, ONE_HOT, TENSOR_SCATTER and DYNAMIC_QUANTIZE.
"""
