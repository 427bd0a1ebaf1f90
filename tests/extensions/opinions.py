"""Second opinions on the operations of ``nnvet.next``: PyTorch's and ONNX's, in the type of what they are given.

Each takes the arrays of an operation's inputs in order (None: omitted) and returns its result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import onnx
import torch
from onnx.reference import ReferenceEvaluator
from torch.nn import functional

Inputs = Sequence[Any]
Opinion = Callable[[Inputs], Any]
_OPSET: Final = 24


def _torch(of: Callable[..., Any]) -> Opinion:
    """Ask PyTorch: scalars are numbers."""

    def opinion(inputs: Inputs) -> Any:
        return of(*[None if given is None else _given(given) for given in inputs]).numpy()

    return opinion


def _given(array: Any) -> Any:
    return array.item() if array.ndim == 0 else torch.from_numpy(np.array(array))


def onnx_opinion(operator: str, names: Sequence[str], attributes: Mapping[str, int], outputs: int = 1) -> Opinion:
    """Ask ONNX's reference: ``names`` of inputs, ``attributes`` by the position of the scalar that is one."""

    def opinion(inputs: Inputs) -> Any:
        fed = [given for place, given in enumerate(inputs) if place not in attributes.values()]
        given = {name: array for name, array in zip(names, fed, strict=True) if array is not None}
        listed = [name if name in given else "" for name in names]
        scalars = {name: inputs[place].item() for name, place in attributes.items() if inputs[place] is not None}
        results = ["found", *(f"further{place}" for place in range(1, outputs))]
        return _evaluated(onnx.helper.make_node(operator, listed, results, **scalars), given)

    return opinion


def _evaluated(node: Any, given: Mapping[str, Any]) -> Any:
    """Return the first result of a node by ONNX's reference."""
    infos = [
        onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in given.items()
    ]
    found = onnx.helper.make_empty_tensor_value_info("found")
    graph = onnx.helper.make_graph([node], "opinion", infos, [found])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", _OPSET)])
    return ReferenceEvaluator(model).run(None, dict(given))[0]


def _gelu(x: Any, tanh: int) -> Any:
    return functional.gelu(x, approximate="tanh" if tanh else "none")


def _layer(x: Any, scale: Any, bias: Any, axis: int, epsilon: float) -> Any:
    return functional.layer_norm(x, x.shape[axis:], scale, bias, epsilon)


def _rms(x: Any, scale: Any, axis: int, epsilon: float) -> Any:
    return functional.rms_norm(x, x.shape[axis:], scale, epsilon)


def _group(x: Any, scale: Any, bias: Any, groups: int, epsilon: float) -> Any:
    # PyTorch takes a group of one number for a mistake.
    padded = x.reshape(*x.shape, 1)
    if x.shape[0] * padded[0].numel() == groups:
        return (x * 0) * scale.reshape(1, -1, *[1] * (x.ndim - 2)) + bias.reshape(1, -1, *[1] * (x.ndim - 2))
    return functional.group_norm(x, groups, scale, bias, epsilon)


def _attention(inputs: Inputs) -> Any:
    """PyTorch's attention, with a mask that says of each query which keys it sees."""
    query, key, value, mask, scale, causal, past = inputs
    shown = np.zeros((query.shape[2], key.shape[2]), query.dtype) if mask is None else mask
    if causal:
        seen = np.tril(np.ones((query.shape[2], key.shape[2]), np.bool_), int(past))
        shown = np.where(seen, shown, -np.inf).astype(query.dtype)
    tensors = [torch.from_numpy(np.array(array)) for array in (query, key, value, shown)]
    groups = query.shape[1] // key.shape[1]
    key, value = (tensor.repeat_interleave(groups, 1) for tensor in tensors[1:3])
    found = functional.scaled_dot_product_attention(
        tensors[0], key, value, tensors[3].expand(*query.shape[:3], key.shape[2]), scale=float(scale)
    )
    return found.numpy()


def _rotary(inputs: Inputs) -> Any:
    names, size = ("x", "cosines", "sines"), 2 * inputs[1].shape[-1]
    node = onnx.helper.make_node(
        "RotaryEmbedding", names, ["found"], interleaved=inputs[3].item(), rotary_embedding_dim=size
    )
    return _evaluated(node, dict(zip(names, inputs, strict=False)))


def _as_condition(inputs: Inputs) -> Inputs:
    return [inputs[0] != 0, *inputs[1:]]


def _cached(inputs: Inputs) -> Any:
    *tensors, circular = inputs
    mode = "circular" if circular else "linear"
    node = onnx.helper.make_node("TensorScatter", ["cache", "update", "places"], ["found"], mode=mode)
    return _evaluated(node, dict(zip(("cache", "update", "places"), tensors, strict=True)))


def _convolved(x: Any, filters: Any, bias: Any, strides: Any, dilations: Any, pads: Any, groups: int) -> Any:
    half = len(strides)
    around = [int(pad) for place in reversed(range(half)) for pad in (pads[place], pads[half + place])]
    of = {1: functional.conv1d, 3: functional.conv3d}[half]
    return of(functional.pad(x, around), filters, bias, strides.tolist(), 0, dilations.tolist(), groups)


def _transposed(
    x: Any, filters: Any, bias: Any, strides: Any, dilations: Any, pads: Any, groups: int, added: Any
) -> Any:
    """PyTorch pads both ends alike: ours are cut off afterwards."""
    half = len(strides)
    ofs = {1: functional.conv_transpose1d, 2: functional.conv_transpose2d, 3: functional.conv_transpose3d}
    found = ofs[half](x, filters, bias, strides.tolist(), 0, added.tolist(), groups, dilations.tolist())
    for place in range(half):
        head, tail = int(pads[place]), int(pads[half + place])
        found = found.narrow(2 + place, head, found.shape[2 + place] - head - tail)
    return found


def _einsum(x: Any, y: Any, *labels: Any) -> Any:
    first, second, output = ("".join(chr(ord("a") + int(label)) for label in part) for part in labels)
    return torch.einsum(f"{first},{second}->{output}", x, y)


def _resized(x: Any, height: int, width: int, aligned: int) -> Any:
    return functional.interpolate(x, (height, width), mode="bicubic", align_corners=bool(aligned))


OPINIONS: Final[Mapping[str, Opinion]] = {
    "GELU": _torch(_gelu),
    "SILU": _torch(functional.silu),
    "MISH": _torch(functional.mish),
    # PyTorch leaves the logarithm out above a threshold.
    "SOFTPLUS": _torch(lambda x: functional.softplus(x, threshold=100)),
    "ERF": _torch(torch.erf),
    "CLIP": _torch(torch.clamp),
    "SIGN": _torch(torch.sign),
    "ROUND": _torch(torch.round),
    "LAYER_NORMALIZATION": _torch(_layer),
    "RMS_NORMALIZATION": _torch(_rms),
    "GROUP_NORMALIZATION": _torch(_group),
    "MATMUL": _torch(torch.matmul),
    "CUMSUM": onnx_opinion("CumSum", ("x", "axis"), {"exclusive": 2, "reverse": 3}),
    "ATTENTION": _attention,
    "ROTARY_EMBEDDING": _rotary,
    "TRILU": onnx_opinion("Trilu", ("x", "k"), {"upper": 2}),
    "WHERE": lambda inputs: torch.where(
        *[torch.from_numpy(np.array(given)) for given in _as_condition(inputs)]
    ).numpy(),
    "GATHER_ND": onnx_opinion("GatherND", ("x", "indices"), {}),
    "SCATTER_ND": onnx_opinion("ScatterND", ("x", "indices", "updates"), {}),
    "ONE_HOT": onnx_opinion("OneHot", ("indices", "depth", "values"), {"axis": 3}),
    "TENSOR_SCATTER": _cached,
    "RESIZE_CUBIC": _torch(_resized),
    "DYNAMIC_QUANTIZE": onnx_opinion("DynamicQuantizeLinear", ("x",), {}, 3),
    "CONV_1D": _torch(_convolved),
    "CONV_3D": _torch(_convolved),
    "CONV_TRANSPOSE": _torch(_transposed),
    "EINSUM": _torch(_einsum),
    "HYBRID_FULLY_CONNECTED": _torch(functional.linear),
}
"""By the name of the operation within the extension."""
