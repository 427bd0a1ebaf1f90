"""Operations of ``nnvet.next`` that PyTorch computes, by its own function for each: the claims of ``-d torch``.

The adapter imports this module when it is opened and the extension is known (``ExtensionDeclaration.claims``). Codes
are dequantised before, and results are rounded to codes after a function.
"""

from __future__ import annotations

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
"""Above its threshold PyTorch returns x: from 40 on the same in float64. Above 88 e^x overflows in float32."""
_CONVOLUTIONS: Final = {1: functional.conv1d, 3: functional.conv3d}
_TRANSPOSED: Final = {1: functional.conv_transpose1d, 2: functional.conv_transpose2d, 3: functional.conv_transpose3d}


def _claimed(code: ExtensionCode, target: str, emit: Callable[[Any, Call], None], *conditions: Condition) -> Claim[Any]:
    return Claim(code, target, TYPES[code], emit, conditions)


def _given(call: Call, *names: str) -> tuple[str, ...]:
    """Return the names of inputs that a call does not omit."""
    return tuple(name for name in names if call.has(name))


def _gelu(call: Call) -> Function:
    form = "tanh" if call.scalar("tanh") else "none"
    return lambda value: functional.gelu(value, approximate=form)


def _clip(call: Call) -> Function:
    low, high = call.scalar("low"), call.scalar("high")
    return lambda value: torch.clamp(value, low, high)


def _layer_normalization(emitter: Any, call: Call) -> None:
    axis, epsilon = call.scalar("axis"), call.scalar("epsilon")

    def normalized(value: Tensor, scale: Tensor, bias: Tensor | None = None) -> Any:
        return functional.layer_norm(value, value.shape[axis:], scale, bias, epsilon)

    emitter.compute(normalized, [call[name] for name in _given(call, "input", "scale", "bias")], call.outputs)


def _rms_normalization(call: Call) -> Function:
    axis, epsilon = call.scalar("axis"), call.scalar("epsilon")
    return lambda value, scale: functional.rms_norm(value, value.shape[axis:], scale, epsilon)


def _has_groups(call: Call) -> bool:
    batches, channels, *places = call["input"].dimensions
    count = batches * channels
    for place in places:
        count *= place
    return bool(count > call.scalar("groups"))


_LARGER_THAN_ONE: Final = Condition("a group has more than one number, since PyTorch refuses others", _has_groups)


def _group_normalization(call: Call) -> Function:
    groups, epsilon = call.scalar("groups"), call.scalar("epsilon")
    return lambda value, scale, bias: functional.group_norm(value, groups, scale, bias, epsilon)


def _cumsum(call: Call) -> Function:
    axis, is_exclusive, is_reverse = call.scalar("axis"), call.scalar("exclusive"), call.scalar("reverse")

    def added(value: Tensor) -> Any:
        value = value.flip(axis) if is_reverse else value
        sums = value.cumsum(axis)
        if is_exclusive:
            first = torch.zeros_like(sums.narrow(axis, 0, 1))
            sums = torch.cat([first, sums.narrow(axis, 0, sums.shape[axis] - 1)], axis)
        return sums.flip(axis) if is_reverse else sums

    return added


def _attention(emitter: Any, call: Call) -> None:
    scale, is_causal, past = float(call.scalar("scale")), call.scalar("causal"), call.scalar("past")

    def attended(query: Tensor, key: Tensor, value: Tensor, *mask: Tensor) -> Any:
        groups, scores = query.shape[1] // key.shape[1], (*query.shape[:3], key.shape[2])
        shown = mask[0] if mask else query.new_zeros(())
        if is_causal:
            seen = torch.ones(scores[2:], dtype=torch.bool, device=query.device).tril(past)
            shown = torch.where(seen, shown, -torch.inf)
        # Heads of one group look at the same keys; a mask that is broadcast along the keys is refused.
        key, value = (part.repeat_interleave(groups, 1) for part in (key, value))
        return functional.scaled_dot_product_attention(query, key, value, shown.expand(scores), scale=scale)

    emitter.compute(attended, [call[name] for name in _given(call, "query", "key", "value", "mask")], call.outputs)


def _rotary_embedding(call: Call) -> Function:
    is_interleaved, pairs = call.scalar("interleaved"), call["cosines"].dimensions[2]

    def turned(value: Tensor, cosines: Tensor, sines: Tensor) -> Any:
        cosines, sines, rest = cosines[:, None], sines[:, None], value[..., 2 * pairs :]
        if is_interleaved:
            first, second = value[..., 0 : 2 * pairs : 2], value[..., 1 : 2 * pairs : 2]
        else:
            first, second = value[..., :pairs], value[..., pairs : 2 * pairs]
        real, imaginary = first * cosines - second * sines, first * sines + second * cosines
        if is_interleaved:
            return torch.cat([torch.stack([real, imaginary], -1).flatten(-2), rest], -1)
        return torch.cat([real, imaginary, rest], -1)

    return turned


def _trilu(call: Call) -> Function:
    """Fill the other triangle with the code of zero, which is no zero if the zero point is not."""
    of, diagonal, zero = (
        (torch.triu if call.scalar("upper") else torch.tril),
        call.scalar("diagonal"),
        call["input"].zero_point,
    )

    def kept(value: Tensor) -> Any:
        is_kept = of(torch.ones(value.shape[-2:], dtype=torch.bool, device=value.device), diagonal)
        return torch.where(is_kept, value, torch.full((), zero, dtype=value.dtype, device=value.device))

    return kept


def _convolution(call: Call) -> Function:
    """Convolve, after a separate padding, because PyTorch pads both ends of a dimension alike."""
    strides, dilations, pads = (call.vector(name) for name in ("strides", "dilations", "pads"))
    places, groups = len(strides), call.scalar("groups")
    around = [pads[end + place] for place in reversed(range(places)) for end in (0, places)]

    def convolved(value: Tensor, filters: Tensor, bias: Tensor) -> Any:
        padded = functional.pad(value, around)
        return _CONVOLUTIONS[places](padded, filters, bias, strides, 0, dilations, groups)

    return convolved


def _transposed_convolution(call: Call) -> Function:
    """Add up all products, then cut off what the padding takes at either end."""
    strides, dilations, pads, added = (call.vector(name) for name in ("strides", "dilations", "pads", "output_padding"))
    places, groups = len(strides), call.scalar("groups")

    def convolved(value: Tensor, filters: Tensor, bias: Tensor) -> Any:
        found = _TRANSPOSED[places](value, filters, bias, strides, 0, added, groups, dilations)
        for place in range(places):
            head, tail = pads[place], pads[places + place]
            found = found.narrow(2 + place, head, found.shape[2 + place] - head - tail)
        return found

    return convolved


def _einsum(call: Call) -> Function:
    equation = equation_of(call)
    return lambda value, other: torch.einsum(equation, value, other)


def _resize_cubic(call: Call) -> Function:
    size, is_aligned = (call.scalar("height"), call.scalar("width")), bool(call.scalar("align_corners"))
    return lambda value: functional.interpolate(value, size, mode="bicubic", align_corners=is_aligned)


def _dense(value: Tensor, weights: Tensor, bias: Tensor) -> Any:
    return functional.linear(value, weights.to(value.dtype), bias)


def _softplus(value: Tensor) -> Any:
    return functional.softplus(value, threshold=_WHOLE_SOFTPLUS)


def _where(condition: Tensor, yes: Tensor, no: Tensor) -> Any:
    return torch.where(condition, yes, no)


_FILTERED: Final[Sequence[str]] = ("input", "filter", "bias")
CLAIMS: Final = (
    _claimed(codes.GELU, "gelu", computing(_gelu, "input")),
    _claimed(codes.SILU, "silu", plain(functional.silu, "input")),
    _claimed(codes.MISH, "mish", plain(functional.mish, "input")),
    _claimed(codes.SOFTPLUS, "softplus", plain(_softplus, "input")),
    _claimed(codes.ERF, "erf", plain(torch.erf, "input")),
    _claimed(codes.CLIP, "clamp", computing(_clip, "input")),
    _claimed(codes.SIGN, "sign", plain(torch.sign, "input")),
    _claimed(codes.ROUND, "round", plain(torch.round, "input")),
    _claimed(codes.LAYER_NORMALIZATION, "layer_norm", _layer_normalization),
    _claimed(codes.RMS_NORMALIZATION, "rms_norm", computing(_rms_normalization, "input", "scale")),
    _claimed(
        codes.GROUP_NORMALIZATION,
        "group_norm",
        computing(_group_normalization, "input", "scale", "bias"),
        _LARGER_THAN_ONE,
    ),
    _claimed(codes.MATMUL, "matmul", plain(torch.matmul, "first", "second")),
    _claimed(codes.CUMSUM, "cumsum", computing(_cumsum, "input")),
    _claimed(codes.ATTENTION, "scaled_dot_product_attention", _attention),
    _claimed(
        codes.ROTARY_EMBEDDING,
        "slices, products and cat",
        computing(_rotary_embedding, "input", "cosines", "sines"),
    ),
    _claimed(codes.TRILU, "triu or tril", moving(_trilu, "input")),
    _claimed(codes.WHERE, "where", moving(lambda _: _where, "condition", "yes", "no")),
    _claimed(codes.CONV_1D, "pad and conv1d", computing(_convolution, *_FILTERED)),
    _claimed(codes.CONV_3D, "pad and conv3d", computing(_convolution, *_FILTERED)),
    _claimed(codes.CONV_TRANSPOSE, "conv_transpose1d to 3d", computing(_transposed_convolution, *_FILTERED)),
    _claimed(codes.EINSUM, "einsum", computing(_einsum, "first", "second")),
    _claimed(codes.HYBRID_FULLY_CONNECTED, "linear of dequantised weights", plain(_dense, "input", "weights", "bias")),
    _claimed(codes.RESIZE_CUBIC, "interpolate", computing(_resize_cubic, "input")),
)
"""PyTorch has no function like GATHER_ND, SCATTER_ND, ONE_HOT, TENSOR_SCATTER and DYNAMIC_QUANTIZE."""
