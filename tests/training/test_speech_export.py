"""Exported speech networks on LiteRT, step by step, against an LSTM written out from its textbook formulas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from nnvet.formats.tflite.importer import import_model
from training.speech.export import to_tflite

interpreter = pytest.importorskip("ai_edge_litert.interpreter", reason="the extra litert is not installed")
INPUTS, DENSE, CELLS, PROJECTION, OUTPUTS = 5, 4, 6, 3, 7
Doubles = npt.NDArray[np.float64]


def random_weights() -> dict[str, npt.NDArray[np.float32]]:
    """Weights by PyTorch's names; gates lie one below the other: input, forget, cell, output."""
    rng = np.random.default_rng(3)
    shapes = {"dense.weight": (DENSE, INPUTS), "dense.bias": (DENSE,)}
    for layer, inputs in enumerate((DENSE, PROJECTION)):
        shapes[f"lstm.weight_ih_l{layer}"] = (4 * CELLS, inputs)
        shapes[f"lstm.weight_hh_l{layer}"] = (4 * CELLS, PROJECTION)
        shapes[f"lstm.weight_hr_l{layer}"] = (PROJECTION, CELLS)
        shapes[f"lstm.bias_ih_l{layer}"] = shapes[f"lstm.bias_hh_l{layer}"] = (4 * CELLS,)
    shapes |= {"head.weight": (OUTPUTS, PROJECTION), "head.bias": (OUTPUTS,)}
    return {name: rng.normal(0, 1, shape).astype(np.float32) for name, shape in shapes.items()}


def sigmoid(values: Doubles) -> Doubles:
    """1 / (1 + exp(-x))."""
    return np.asarray(1 / (1 + np.exp(-values)))


def textbook(weights: Mapping[str, npt.NDArray[Any]], steps: Doubles) -> Doubles:
    """Outputs of all steps in float64: c = f c + i g, h = W (o tanh c)."""
    w = {name: values.astype(np.float64) for name, values in weights.items()}
    hidden, cell = [np.zeros(PROJECTION)] * 2, [np.zeros(CELLS)] * 2
    outputs = []
    for step in steps:
        data = np.maximum(w["dense.weight"] @ step + w["dense.bias"], 0)
        for k in range(2):
            gates = w[f"lstm.weight_ih_l{k}"] @ data + w[f"lstm.weight_hh_l{k}"] @ hidden[k]
            gates = gates + w[f"lstm.bias_ih_l{k}"] + w[f"lstm.bias_hh_l{k}"]
            i, f, g, o = gates[:CELLS], gates[CELLS : 2 * CELLS], gates[2 * CELLS : 3 * CELLS], gates[3 * CELLS :]
            cell[k] = sigmoid(f) * cell[k] + sigmoid(i) * np.tanh(g)
            data = hidden[k] = w[f"lstm.weight_hr_l{k}"] @ (sigmoid(o) * np.tanh(cell[k]))
        outputs.append(w["head.weight"] @ data + w["head.bias"])
    return np.array(outputs)


@pytest.mark.parametrize("sequence", [False, True])
def test_exported_networks_keep_their_states(*, sequence: bool) -> None:
    """Twenty steps, the states reset, and the same again; both forms of the operation have four states."""
    weights = random_weights()
    data = to_tflite(weights, sequence=sequence)
    steps = np.random.default_rng(4).normal(0, 1, (20, INPUTS)).astype(np.float32)
    network = interpreter.Interpreter(model_content=data)
    network.allocate_tensors()
    source, target = network.get_input_details()[0], network.get_output_details()[0]
    for _ in range(2):
        network.reset_all_variables()
        outputs = []
        for step in steps:
            network.set_tensor(source["index"], step[None])
            network.invoke()
            outputs.append(network.get_tensor(target["index"])[0].copy())
        np.testing.assert_allclose(outputs, textbook(weights, steps.astype(np.float64)), rtol=0, atol=1e-5)
    with import_model(data, name="speech") as imported:
        assert len(imported.states) == 4


@pytest.mark.filterwarnings("ignore:LSTM with projections is not supported with oneDNN")
def test_pytorch_computes_the_same() -> None:
    """The network that is trained is the textbook's, and so LiteRT's, to 1e-5; its names are those of the exporter."""
    pytest.importorskip("torch", reason="the extra training is not installed")
    networks = pytest.importorskip("training.speech.networks")
    network = networks.SpeechNetwork(networks.Shape(INPUTS, DENSE, CELLS, PROJECTION, OUTPUTS))
    trained = networks.weights(network)
    assert {name: values.shape for name, values in trained.items()} == {
        name: values.shape for name, values in random_weights().items()
    }
    steps = np.random.default_rng(5).normal(0, 1, (20, INPUTS)).astype(np.float32)
    answers = networks.answers(network, steps)
    np.testing.assert_allclose(answers, textbook(trained, steps.astype(np.float64)), rtol=0, atol=1e-5)
