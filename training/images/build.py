"""Make the files of a trained network: ``python -m training.images.build NAME WORK models/bundled/zoo``.

Both 8-bit forms are quantised after training, with linear layers raised (see ``folded``) unless the plan says no. If
uint8, whose weights have one scale per layer, loses too much by that, a raised network is fine-tuned as if in 8 bits.
``train`` has written the weights that it reads; ``export`` writes each form, and ``lists`` lists the files afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from training.images.dataset import test_arrays
from training.images.export import Exporter
from training.images.folded import EightBitNetwork, FoldedNetwork, raised, value_ranges
from training.images.networks import NETWORKS, NetworkPlan
from training.images.scenes import class_of
from training.images.train import BATCH, accuracy, batches, pixels_to_input, settle

_CALIBRATION: Final = 512
"""Number of pictures of the training split from which value ranges are taken."""
_SEED: Final = 21
"""Seed of fine-tuning; another than that of ``train``, so that the batches differ."""
_RATE: Final = 3e-4
"""Learning rate of fine-tuning at its start: small, since the weights are already good."""
_STEPS: Final = 80
"""Batches of fine-tuning."""
_LOSS: Final = 0.015
"""Share of the calibration pictures by which top-1 accuracy may fall in uint8 before a network is fine-tuned."""


def main() -> None:
    """Write the three files of one network."""
    plan, work, zoo = NETWORKS[sys.argv[1]], Path(sys.argv[2]), Path(sys.argv[3])
    settle()
    for ending, data in files(plan, work, *test_arrays(zoo / "images", plan.size)):
        (zoo / f"{plan.name}{ending}.tflite").write_bytes(data)


def files(
    plan: NetworkPlan, work: Path, test: npt.NDArray[np.uint8], classes: npt.NDArray[np.int64]
) -> Iterator[tuple[str, bytes]]:
    """Yield endings of names, and files, of a network that is trained; prints its accuracy on test pictures."""
    pixels = np.load(work / f"train-{plan.size}.npy", mmap_mode="r")
    calibration = pixels_to_input(pixels[:_CALIBRATION])
    network = FoldedNetwork(plan, torch.load(work / f"{plan.name}.pt"))
    yield "", _exported(network, "float32", {})
    print(f"{plan.name} float {accuracy(network, test, classes):.4f}", flush=True)
    network = raised(network, calibration) if plan.raised else network
    ranges = value_ranges(network, calibration)
    yield "_int8", _exported(network, "int8", ranges)
    known = pixels[:_CALIBRATION]
    truth = np.array([class_of(number) for number in range(len(known))])
    lost = accuracy(network, known, truth) - accuracy(EightBitNetwork(network, ranges), known, truth)
    tuned = plan.raised and lost > _LOSS
    if tuned:
        ranges = fine_tune(network, pixels, calibration)
    yield "_quant", _exported(network, "uint8", ranges)
    print(f"{plan.name} uint8 loses {lost:.4f} of training pictures; {'fine-tuned' if tuned else 'kept'}")


def fine_tune(network: FoldedNetwork, pixels: np.ndarray, calibration: Tensor) -> dict[str, tuple[float, float]]:
    """Train a little with everything rounded to 8 bits; returns the ranges that the values had to keep."""
    ranges = value_ranges(network, calibration)
    rounded = EightBitNetwork(network, ranges)
    optimizer = torch.optim.Adam(network.parameters(), _RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, _STEPS)
    lossy = nn.CrossEntropyLoss()
    rng = np.random.default_rng(_SEED)
    for data, classes in batches(pixels, rng.permutation(len(pixels))[: _STEPS * BATCH], rng):
        optimizer.zero_grad()
        lossy(rounded(data), classes).backward()
        optimizer.step()
        schedule.step()
    return ranges


def _exported(network: FoldedNetwork, form: str, ranges: dict[str, tuple[float, float]]) -> bytes:
    """Return the network as a file."""
    arrays = [
        (weight.detach().numpy(), bias.detach().numpy())
        for weight, bias in zip(network.weights, network.biases, strict=True)
    ]
    return Exporter(network.plan, form, ranges).write(arrays)


if __name__ == "__main__":
    main()
