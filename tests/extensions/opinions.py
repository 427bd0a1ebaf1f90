"""Second opinions on the operations of ``nnvet.next``: PyTorch's and ONNX's, in float64.

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


def _torch(of: Callable[..., Any]) -> Opinion:
    """Ask PyTorch: tensors are double, scalars are numbers."""

    def opinion(inputs: Inputs) -> Any:
        return of(*[None if one is None else _given(one) for one in inputs]).numpy()

    return opinion


def _given(array: Any) -> Any:
    if array.ndim == 0:
        return array.item()
    is_real = array.dtype.kind == "f"
    return torch.from_numpy(np.array(array, np.float64 if is_real else array.dtype))


def onnx_opinion(
    operator: str, names: Sequence[str], attributes: Mapping[str, int], opset: int = 24, outputs: int = 1
) -> Opinion:
    """Ask ONNX's reference: ``names`` of inputs, ``attributes`` by the position of the scalar that is one."""

    def opinion(inputs: Inputs) -> Any:
        fed = [one for place, one in enumerate(inputs) if place not in attributes.values()]
        given = {name: _double(one) for name, one in zip(names, fed, strict=True) if one is not None}
        listed = [name if name in given else "" for name in names]
        scalars = {name: inputs[place].item() for name, place in attributes.items() if inputs[place] is not None}
        results = [f"result{place}" for place in range(outputs)]
        node = onnx.helper.make_node(operator, listed, results, **scalars)
        infos = [
            onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(one.dtype), one.shape)
            for name, one in given.items()
        ]
        found = [onnx.helper.make_empty_tensor_value_info(name) for name in results]
        graph = onnx.helper.make_graph([node], "opinion", infos, found)
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])
        return ReferenceEvaluator(model).run(None, given)[0]

    return opinion


def _double(array: Any) -> Any:
    return np.asarray(array, np.float64 if array.dtype.kind == "f" else array.dtype)


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
}
"""By the name of the operation within the extension."""
