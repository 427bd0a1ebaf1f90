"""Train a speech network from scratch: ``python -m training.speech.train recognition|synthesis WORK``.

Deterministic for a version of PyTorch, one thread and a version of espeak-ng. ``WORK/TASK.npz`` holds the weights by
PyTorch's names, and for synthesis mean and deviation of the outputs; ``build`` reads it. The loop over batches is
``training.speech.training``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch

from nnvet.models.evaluators import merge_repeated_phones
from training.speech import corpus
from training.speech.networks import RECOGNITION, SYNTHESIS, SpeechNetwork, answers, weights
from training.speech.training import Plan, train

_UTTERANCES: Final = {"recognition": 1000, "synthesis": 400}
"""Number of training utterances of each task."""
_WATCHED: Final = 20
"""Number of test utterances, the first ones, on which progress is printed; nothing is chosen by them."""
_PLANS: Final = {
    "recognition": Plan(epochs=16, batch=16, rate=4e-3, seed=1),
    "synthesis": Plan(epochs=24, batch=16, rate=4e-3, seed=1),
}
"""Training schedule of each task."""
_WIDE: Final = 1e-3
"""Least deviation by which an output is normalised, so that constant ones are not divided by 0."""

Arrays = dict[str, npt.NDArray[Any]]
"""Arrays in the ``.npz`` file, by name."""


def recognition() -> Arrays:
    """Train the network that recognises phones, step by step with cross entropy."""
    said = list(corpus.recognition(_UTTERANCES["recognition"], test=False))
    network = _network(RECOGNITION, "recognition")
    pairs = [(utterance.inputs, utterance.labels) for utterance in said]
    train(network, pairs, torch.nn.functional.cross_entropy, _PLANS["recognition"], _say)
    right = steps = 0
    for utterance in corpus.recognition(_WATCHED, test=True):
        labels = answers(network, utterance.inputs).argmax(axis=1)
        right, steps = right + int((labels == utterance.labels).sum()), steps + len(labels)
        count = len(merge_repeated_phones(labels.tolist()))
        _say(f"{count} phones heard, {len(utterance.phones)} said: {utterance.text}")
    _say(f"{100 * right / steps:.2f} % of {steps} steps are right")
    return dict(weights(network))


def synthesis() -> Arrays:
    """Train the network that says vocoder parameters with squared errors of normalised outputs."""
    said = list(corpus.synthesis(_UTTERANCES["synthesis"], test=False))
    outputs = np.concatenate([utterance.outputs for utterance in said])
    mean, deviation = outputs.mean(axis=0), np.maximum(outputs.std(axis=0), _WIDE)
    network = _network(SYNTHESIS, "synthesis")
    pairs = [(utterance.inputs, ((utterance.outputs - mean) / deviation).astype(np.float32)) for utterance in said]
    train(network, pairs, torch.nn.functional.mse_loss, _PLANS["synthesis"], _say)
    errors = [
        np.mean((answers(network, utterance.inputs) - (utterance.outputs - mean) / deviation) ** 2)
        for utterance in corpus.synthesis(_WATCHED, test=True)
    ]
    _say(f"mean square error {np.mean(errors):.4f} of utterances that the network did not see")
    return {**weights(network), "mean": mean.astype(np.float32), "deviation": deviation.astype(np.float32)}


def _network(shape: Any, task: str) -> SpeechNetwork:
    """Return a network of random weights."""
    torch.manual_seed(_PLANS[task].seed)
    return SpeechNetwork(shape)


def _say(line: str) -> None:
    """Print at once."""
    print(line, flush=True)


def main() -> None:
    """Train one network and store it."""
    task, work = sys.argv[1], Path(sys.argv[2])
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    work.mkdir(parents=True, exist_ok=True)
    arrays = {"recognition": recognition, "synthesis": synthesis}[task]()
    np.savez(work / f"{task}.npz", allow_pickle=False, **arrays)


if __name__ == "__main__":
    main()
