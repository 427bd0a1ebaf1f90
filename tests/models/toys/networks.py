"""Networks of random weights: two image classifiers in the manner of MobileNet, and two recurrent speech models."""

from __future__ import annotations

from typing import Final

import numpy as np

from nnvet.formats.tflite.schema import Activation
from nnvet.formats.tflite.writer import ModelWriter
from tests.models.toys.layers import Layers, Value

PICTURE_SIZE: Final = 48
CLASSES: Final = 16
_V1_BLOCKS: Final = ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1))
"""Output channels and stride of each depthwise-separable block."""
_V2_BLOCKS: Final = ((12, 1), (16, 2), (16, 1), (24, 2))
_EXPANSION: Final = 4
_SEED: Final = 24
"""One of few whose random networks tell the pictures apart into several classes."""


def mobilenet_v1(*, quantized: bool) -> bytes:
    """Depthwise-separable blocks behind a strided convolution."""
    layers = Layers(_SEED, quantized=quantized)
    data = layers.convolution(layers.picture(PICTURE_SIZE), 8, 3, 2)
    for channels, stride in _V1_BLOCKS:
        data = layers.convolution(layers.depthwise(data, stride), channels, 1, 1)
    return layers.classes(layers.pool(data), CLASSES)


def mobilenet_v2(*, quantized: bool) -> bytes:
    """Inverted residual blocks: expansion, depthwise convolution, linear projection, and a sum where shapes allow."""
    layers = Layers(_SEED, quantized=quantized)
    data = layers.convolution(layers.picture(PICTURE_SIZE), 8, 3, 2)
    for channels, stride in _V2_BLOCKS:
        data = _inverted_residual(layers, data, channels, stride)
    data = layers.convolution(data, 64, 1, 1)
    return layers.classes(layers.pool(data), CLASSES)


def _inverted_residual(layers: Layers, data: Value, channels: int, stride: int) -> Value:
    """One block of :func:`mobilenet_v2`."""
    wide = layers.convolution(data, _EXPANSION * data.shape[-1], 1, 1)
    narrow = layers.convolution(
        layers.depthwise(wide, stride), channels, 1, 1, activation=Activation.NONE, deviation=1.0
    )
    return layers.sum(data, narrow) if narrow.shape == data.shape else narrow


def speech(inputs: int, units: int, outputs: int, seed: int, *, coupled: bool, recurrent_head: bool) -> bytes:
    """A dense layer, an LSTM with projection, and a recurrent or dense head, one time step at a time.

    ``coupled`` leaves the LSTM's input gate out (CIFG) and adds peepholes.
    """
    rng = np.random.default_rng(seed)
    writer = ModelWriter("nnvet toy network")

    def weights(name: str, rows: int, columns: int = 0) -> int:
        shape = (rows, columns) if columns else (rows,)
        return writer.constant(name, rng.normal(0, (columns or 16) ** -0.5, shape))

    def state(name: str, size: int) -> int:
        return writer.tensor(name, (1, size), is_variable=True)

    features = writer.tensor("features", (1, inputs))
    dense, half = writer.tensor("dense", (1, units)), units // 2
    writer.operator(
        "FULLY_CONNECTED",
        [features, weights("w", units, inputs), weights("b", units)],
        [dense],
        activation=Activation.RELU,
    )
    gates = [f"{kind}_{gate}" for kind in ("input", "recurrent") for gate in ("input", "forget", "cell", "output")]
    matrices = [weights(name, units, units if name.startswith("input_") else half) for name in gates]
    peepholes = [-1, weights("peep_forget", units), weights("peep_output", units)] if coupled else [-1] * 3
    biases = [weights(f"bias_{gate}", units) for gate in ("input", "forget", "cell", "output")]
    if coupled:
        matrices[0] = matrices[4] = biases[0] = -1
    projection = [weights("projection", half, units), weights("projection_bias", half)]
    states = [state("hidden", half), state("cell", units)]
    hidden, output = writer.tensor("lstm", (1, half)), writer.tensor("output", (1, outputs))
    lstm = [dense, *matrices, *peepholes, *biases, *projection, *states]
    writer.operator("LSTM", lstm, [hidden], activation=Activation.TANH, cell_clip=10.0, proj_clip=0.0)
    head = [hidden, weights("head", outputs, half)]
    if recurrent_head:
        tensors = [*head, weights("recurrent", outputs, outputs), weights("head_bias", outputs), state("last", outputs)]
        writer.operator("RNN", tensors, [output], activation=Activation.TANH)
    else:
        writer.operator("FULLY_CONNECTED", [*head, weights("head_bias", outputs)], [output])
    return writer.finish([features], [output])
