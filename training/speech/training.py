"""The training loop that both speech networks share: ``train`` calls :func:`train` for either of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from training.speech.networks import SpeechNetwork

Pair = tuple[npt.NDArray[np.float32], npt.NDArray[Any]]
"""Inputs [steps, inputs] and targets [steps, …] of one sequence."""
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""Function of outputs [steps, outputs] and targets [steps, …], both without padding."""


@dataclass(frozen=True)
class Plan:
    """Duration and rate of learning; the rate falls along half a cosine to nothing."""

    epochs: int
    batch: int
    rate: float
    seed: int


def train(network: SpeechNetwork, pairs: Sequence[Pair], loss: Loss, plan: Plan, report: Callable[[str], None]) -> None:
    """Fit ``network`` to pairs of inputs [steps, inputs] and targets [steps, …]; one line to ``report`` an epoch."""
    torch.manual_seed(plan.seed)
    rng = np.random.default_rng(plan.seed)
    optimiser = torch.optim.AdamW(network.parameters(), lr=plan.rate, weight_decay=1e-4)
    batches = -(-len(pairs) // plan.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, plan.rate, total_steps=plan.epochs * batches)
    start = time.process_time()
    for epoch in range(plan.epochs):
        losses = []
        for inputs, targets, mask in _batches(pairs, plan.batch, rng):
            optimiser.zero_grad()
            value = loss(network(inputs)[mask], targets[mask])
            value.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            losses.append(value.item())
        report(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}, {time.process_time() - start:.0f} s of CPU time")


def _batches(
    pairs: Sequence[Pair], size: int, rng: np.random.Generator
) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Yield inputs, targets and the mask of what is no padding; sequences of like length come together."""
    order = sorted(range(len(pairs)), key=lambda index: len(pairs[index][0]) + rng.uniform(0, 8))
    groups = [order[first : first + size] for first in range(0, len(order), size)]
    for position in rng.permutation(len(groups)):
        group = [pairs[index] for index in groups[position]]
        mask = _padded([np.ones(len(inputs), bool) for inputs, _ in group])
        yield _padded([inputs for inputs, _ in group]), _padded([targets for _, targets in group]), mask


def _padded(arrays: Sequence[npt.NDArray[Any]]) -> torch.Tensor:
    """Return arrays one above the other, zeros behind the shorter ones."""
    return torch.nn.utils.rnn.pad_sequence([torch.from_numpy(array) for array in arrays], batch_first=True)
