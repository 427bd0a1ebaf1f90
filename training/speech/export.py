"""Write a trained speech network as a .tflite file that takes one step and keeps its states.

``build`` calls :func:`to_tflite`. Image classifiers are written by ``training.images.export``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.formats.tflite.schema import Activation
from nnvet.formats.tflite.writer import ModelWriter

_GATES: Final = ("input", "forget", "cell", "output")
"""PyTorch stacks its gates in the order in which TFLite takes them."""
_LAYERS: Final = 2
"""LSTM layers of each network."""
_OMITTED: Final = -1
"""Index by which TFLite marks an optional input that is not given."""

Weights = Mapping[str, npt.NDArray[np.float32]]
"""Weights by PyTorch's names of them."""


def to_tflite(weights: Weights, *, sequence: bool) -> bytes:
    """Return the file of a network of ``networks.SpeechNetwork`` by PyTorch's names of its weights.

    ``sequence`` takes UNIDIRECTIONAL_SEQUENCE_LSTM over sequences of one step instead of LSTM: such models compute
    the same, but a driver runs another operation.
    """
    writer = ModelWriter("nnvet speech network")
    inputs = weights["dense.weight"].shape[1]
    features = writer.tensor("features", (1, inputs))
    data = dense(writer, "dense", features, weights, Activation.RELU)
    if sequence:
        data = _reshaped(writer, data, (1, 1, weights["dense.bias"].size))
    for layer in range(_LAYERS):
        data = lstm(writer, layer, data, weights, sequence=sequence)
    if sequence:
        data = _reshaped(writer, data, (1, weights["head.weight"].shape[1]))
    return writer.finish([features], [dense(writer, "head", data, weights, Activation.NONE)])


def dense(writer: ModelWriter, name: str, data: int, weights: Weights, activation: Activation = Activation.NONE) -> int:
    """Return a dense layer."""
    matrix, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    output = writer.tensor(f"{name}_output", (1, bias.size))
    tensors = [data, writer.constant(f"{name}_weights", matrix), writer.constant(f"{name}_bias", bias)]
    writer.operator("FULLY_CONNECTED", tensors, [output], activation=activation)
    return output


def _reshaped(writer: ModelWriter, data: int, shape: tuple[int, ...]) -> int:
    """Return the same numbers in another shape."""
    name = f"reshape_{data}"
    output = writer.tensor(name, shape)
    writer.operator("RESHAPE", [data, writer.constant(f"{name}_shape", shape, "int32")], [output])
    return output


def lstm(writer: ModelWriter, layer: int, data: int, weights: Weights, *, sequence: bool) -> int:
    """Return the outputs of an LSTM with projection; its states are variable tensors."""
    kernels = {kind: weights[f"lstm.weight_{kind}_l{layer}"] for kind in ("ih", "hh", "hr")}
    bias = weights[f"lstm.bias_ih_l{layer}"] + weights[f"lstm.bias_hh_l{layer}"]
    projection, cells = kernels["hr"].shape
    name = f"lstm{layer}"

    def parts(kind: str, values: npt.NDArray[Any]) -> list[int]:
        pairs = zip(_GATES, np.split(values, len(_GATES)), strict=True)
        return [writer.constant(f"{name}_{kind}_{gate}", part) for gate, part in pairs]

    tensors = [data, *parts("input", kernels["ih"]), *parts("recurrent", kernels["hh"]), *[_OMITTED] * 3]
    tensors += [*parts("bias", bias), writer.constant(f"{name}_projection", kernels["hr"]), _OMITTED]
    tensors.append(writer.tensor(f"{name}_hidden", (1, projection), is_variable=True))
    tensors.append(writer.tensor(f"{name}_cell", (1, cells), is_variable=True))
    output = writer.tensor(f"{name}_output", (1, 1, projection) if sequence else (1, projection))
    operator = "UNIDIRECTIONAL_SEQUENCE_LSTM" if sequence else "LSTM"
    writer.operator(operator, tensors, [output], activation=Activation.TANH, cell_clip=0.0, proj_clip=0.0)
    return output
