"""The two speech networks in PyTorch: a dense layer, two LSTMs with projection, a dense head.

``train`` makes one of each :class:`Shape` and stores its :func:`weights`; ``export`` writes the same layers as a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from training.speech.features import BANDS, STACK
from training.speech.linguistic import INPUTS
from training.speech.phones import PHONES
from training.speech.vocoder import FRAME, FRAMES


@dataclass(frozen=True)
class Shape:
    """Sizes of a network: inputs, dense layer, LSTM cells, projection, outputs."""

    inputs: int
    dense: int
    cells: int
    projection: int
    outputs: int


RECOGNITION: Final = Shape(BANDS * STACK, 112, 144, 80, len(PHONES))
"""Sizes of the recogniser."""
SYNTHESIS: Final = Shape(INPUTS, 112, 144, 80, FRAME * FRAMES)
"""Sizes of the synthesiser; the hidden ones are those of the recogniser."""


class SpeechNetwork(nn.Module):
    """Turn steps [batch, time, inputs] into [batch, time, outputs]; no step sees a later one."""

    def __init__(self, shape: Shape) -> None:
        """Draw random weights as PyTorch does."""
        super().__init__()
        self.dense = nn.Linear(shape.inputs, shape.dense)
        self.lstm = nn.LSTM(shape.dense, shape.cells, 2, batch_first=True, proj_size=shape.projection)
        self.head = nn.Linear(shape.projection, shape.outputs)

    def forward(self, steps: torch.Tensor) -> torch.Tensor:
        """Return outputs of all steps of sequences that begin with states of zeros."""
        hidden, _ = self.lstm(torch.relu(self.dense(steps)))
        outputs: torch.Tensor = self.head(hidden)
        return outputs


def weights(network: SpeechNetwork) -> dict[str, npt.NDArray[np.float32]]:
    """Return all parameters by PyTorch's names."""
    return {name: tensor.detach().numpy() for name, tensor in network.state_dict().items()}


def answers(network: SpeechNetwork, inputs: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return outputs of one sequence [steps, inputs]."""
    with torch.no_grad():
        outputs: npt.NDArray[np.float32] = network(torch.from_numpy(inputs)[None])[0].numpy()
    return outputs
