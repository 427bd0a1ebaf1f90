"""Train a network from scratch: ``python -m training.images.train NAME WORK``, where the training pictures lie.

Deterministic for a version of PyTorch and one thread; ``WORK/NAME.pt`` holds the folded weights, which ``build`` reads,
``WORK/NAME.state`` those that training can go on with. ``training.speech.train`` does this for the speech networks.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from training.images.modules import Network
from training.images.networks import FIRST, NETWORKS, NetworkPlan
from training.images.scenes import class_of, ease_of

Batch = tuple[Tensor, Tensor]
"""Inputs [batch, 3, side, side] and their classes."""
_SEED: Final = 20
"""Seed of weights, order and augmentation; any other would do."""
BATCH: Final = 64
"""Pictures in a batch of training; of measuring accuracy too."""
_RATE: Final = 5e-3
"""Highest learning rate of a network that starts from random weights."""
_DECAY: Final = 0.02
"""Weight decay of AdamW."""
_SMOOTHING: Final = 0.05
"""Label smoothing: share of the target probability that is spread over all classes."""
_SHIFT: Final = 5
"""Largest shift of an augmented picture to each side, in pixels."""
_EASY_EPOCHS: Final = 0.25
"""Share of the epochs in which a network that starts from random weights sees only the easy pictures."""
_FINE_TUNING: Final = 0.5
"""Factor of the learning rate for a network that starts from another's weights."""
_HELD_BACK: Final = 480
"""Number of training pictures, the last ones, kept to watch accuracy; the test split takes no part in any choice."""


def pixels_to_input(pixels: npt.NDArray[np.uint8]) -> Tensor:
    """Return pictures as a network takes them: [batch, 3, side, side] in [-1, 1]."""
    data = torch.from_numpy(np.array(pixels, order="C")).permute(0, 3, 1, 2).float() * (2 / 255) - 1
    return data.contiguous(memory_format=torch.channels_last)


def augmented(pixels: npt.NDArray[np.uint8], rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """Return a batch of pictures, all mirrored, shifted (edges repeat) and with swapped colours in one random way."""
    side = pixels.shape[1]
    padded = np.pad(pixels, ((0, 0), (_SHIFT, _SHIFT), (_SHIFT, _SHIFT), (0, 0)), mode="edge")
    down, right = rng.integers(0, 2 * _SHIFT + 1, 2)
    cut = padded[:, down : down + side, right : right + side]
    return (cut[:, :, ::-1] if rng.random() < 0.5 else cut)[..., rng.permutation(3)]


def batches(pixels: npt.NDArray[np.uint8], order: Iterable[int], rng: np.random.Generator) -> Iterator[Batch]:
    """Yield inputs and classes of the pictures with the given numbers; what does not fill a batch is left out."""
    for chosen in zip(*[iter(order)] * BATCH, strict=False):
        numbers = np.sort(chosen)
        classes = torch.tensor([class_of(int(number)) for number in numbers])
        yield pixels_to_input(augmented(pixels[numbers], rng)), classes


def _orders(plan: NetworkPlan, count: int, rng: np.random.Generator) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the numbers of each epoch's pictures, shuffled."""
    easy = np.array([number for number in range(count) if ease_of(number)])
    for epoch in range(plan.epochs):
        yield rng.permutation(easy if not plan.start and epoch < _EASY_EPOCHS * plan.epochs else count)


@torch.no_grad()
def accuracy(network: nn.Module, pixels: npt.NDArray[np.uint8], classes: npt.NDArray[np.int64]) -> float:
    """Return the top-1 accuracy."""
    network.eval()
    found = [network(pixels_to_input(pixels[start : start + BATCH])) for start in range(0, len(pixels), BATCH)]
    return float((torch.cat(found).argmax(1).numpy() == classes).mean())


def train(plan: NetworkPlan, work: Path) -> Network:
    """Train; prints an epoch's loss, accuracy on pictures that were held back, and CPU seconds."""
    torch.manual_seed(_SEED)
    rng = np.random.default_rng(_SEED)
    network = Network(plan).to(memory_format=torch.channels_last)
    if plan.start:
        network.load_state_dict(torch.load(work / f"{plan.start}.state"))
    pixels = np.load(work / f"train-{plan.size}.npy", mmap_mode="r")
    known = len(pixels) - _HELD_BACK
    held_back = np.array([class_of(number) for number in range(known, len(pixels))])
    orders = list(_orders(plan, known, rng))
    optimizer, schedule = _schedule(plan, network, sum(len(order) // BATCH for order in orders))
    lossy = nn.CrossEntropyLoss(label_smoothing=_SMOOTHING)
    for epoch, order in enumerate(orders):
        network.train()
        losses = []
        for data, classes in batches(pixels, order, rng):
            optimizer.zero_grad()
            loss = lossy(network(data), classes)
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        right = accuracy(network, pixels[known:], held_back)
        seconds = time.process_time()
        print(f"{plan.name} {epoch} loss {np.mean(losses):.3f} top-1 {right:.4f} {seconds:.0f} s", flush=True)
    return network


def _schedule(
    plan: NetworkPlan, network: Network, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    """Return AdamW with a rate that rises for a while and falls to nothing; biases and normalisation do not decay."""
    decayed = [weight for weight in network.parameters() if weight.dim() > 1]
    others = [weight for weight in network.parameters() if weight.dim() <= 1]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": _DECAY}, {"params": others, "weight_decay": 0}])
    rate = _RATE * (_FINE_TUNING if plan.start else 1)
    return optimizer, torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, steps, pct_start=0.15)


def settle() -> None:
    """Make PyTorch compute the same in every run."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)


def store(plan: NetworkPlan, name: str, work: Path) -> None:
    """Train a network and store it under a name."""
    network = train(plan, work)
    torch.save(network.state_dict(), work / f"{name}.state")
    torch.save(network.folded(), work / f"{name}.pt")


if __name__ == "__main__":
    settle()
    store((FIRST | NETWORKS)[sys.argv[1]], sys.argv[1], Path(sys.argv[2]))
