"""Trains a network from scratch: ``python -m training.images.train NAME WORK``, where the training pictures lie.

Deterministic for a version of PyTorch and one thread; ``WORK/NAME.pt`` holds the folded weights.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from training.images.modules import Network
from training.images.networks import NETWORKS, NetworkPlan
from training.images.scenes import class_of

_SEED: Final = 20
_BATCH: Final = 128
_RATE: Final = 6e-3
_DECAY: Final = 0.02
_SMOOTHING: Final = 0.05
_SHIFT: Final = 5
_COARSE: Final = 64
"""Networks of larger pictures see the first epochs at this side: it costs half."""
_COARSE_SHARE: Final = 0.5
_HELD_BACK: Final = 800
"""The last training pictures are kept for watching; the test split takes no part in any choice."""


def pixels_to_input(pixels: npt.NDArray[np.uint8]) -> Tensor:
    """[batch, 3, side, side] in [-1, 1]."""
    data = torch.from_numpy(np.ascontiguousarray(pixels)).permute(0, 3, 1, 2).float() * (2 / 255) - 1
    return data.contiguous(memory_format=torch.channels_last)


def augmented(pixels: npt.NDArray[np.uint8], rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """Pictures mirrored, shifted (edges repeat) and with their colours swapped, at random."""
    side = pixels.shape[1]
    padded = np.pad(pixels, ((0, 0), (_SHIFT, _SHIFT), (_SHIFT, _SHIFT), (0, 0)), mode="edge")
    result = np.empty_like(pixels)
    for number, picture in enumerate(padded):
        down, right = rng.integers(0, 2 * _SHIFT + 1, 2)
        cut = picture[down : down + side, right : right + side]
        result[number] = (cut[:, ::-1] if rng.random() < 0.5 else cut)[..., rng.permutation(3)]
    return result


def batches(pixels: npt.NDArray[np.uint8], rng: np.random.Generator) -> Iterator[tuple[Tensor, Tensor]]:
    """One epoch of inputs and classes."""
    order = rng.permutation(len(pixels))
    for start in range(0, len(order) - _BATCH + 1, _BATCH):
        chosen = np.sort(order[start : start + _BATCH])
        classes = torch.tensor([class_of(int(number)) for number in chosen])
        yield pixels_to_input(augmented(pixels[chosen], rng)), classes


@torch.no_grad()
def accuracy(network: nn.Module, pixels: npt.NDArray[np.uint8], classes: npt.NDArray[np.int64]) -> float:
    """Top-1 accuracy."""
    network.eval()
    found = [network(pixels_to_input(pixels[start : start + _BATCH])) for start in range(0, len(pixels), _BATCH)]
    return float((torch.cat(found).argmax(1).numpy() == classes).mean())


def train(plan: NetworkPlan, work: Path) -> Network:
    """Train; prints an epoch's loss, accuracy on pictures that were held back, and CPU seconds."""
    torch.manual_seed(_SEED)
    rng = np.random.default_rng(_SEED)
    network = Network(plan).to(memory_format=torch.channels_last)
    splits = {size: np.load(work / f"train-{size}.npy", mmap_mode="r") for size in {_COARSE, plan.size}}
    known = len(splits[plan.size]) - _HELD_BACK
    held_back = np.array([class_of(number) for number in range(known, known + _HELD_BACK)])
    decayed = [weight for weight in network.parameters() if weight.dim() > 1]
    others = [weight for weight in network.parameters() if weight.dim() <= 1]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": _DECAY}, {"params": others, "weight_decay": 0}])
    steps = plan.epochs * (known // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _RATE, steps, pct_start=0.2)
    lossy = nn.CrossEntropyLoss(label_smoothing=_SMOOTHING)
    for epoch in range(plan.epochs):
        size = _COARSE if epoch < _COARSE_SHARE * plan.epochs else plan.size
        network.train()
        losses = []
        for data, classes in batches(splits[size][:known], rng):
            optimizer.zero_grad()
            loss = lossy(network(data), classes)
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        right = accuracy(network, splits[size][known:], held_back)
        seconds = time.process_time()
        print(f"{plan.name} {epoch} loss {np.mean(losses):.3f} top-1 {right:.4f} {seconds:.0f} s", flush=True)
    return network


def main() -> None:
    """Train one network and store it."""
    name, work = sys.argv[1], Path(sys.argv[2])
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.save(train(NETWORKS[name], work).folded(), work / f"{name}.pt")


if __name__ == "__main__":
    main()
