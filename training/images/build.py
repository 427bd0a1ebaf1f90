"""Makes the files of a trained network: ``python -m training.images.build NAME WORK models/bundled/zoo``.

Both 8-bit forms are quantised after training. If uint8, whose weights have one scale per layer, loses too much by that,
the network is fine-tuned as if in 8 bits.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from training.images.dataset import test_arrays
from training.images.export import Exporter
from training.images.folded import EightBitNetwork, FoldedNetwork, value_ranges
from training.images.networks import NETWORKS
from training.images.scenes import class_of
from training.images.train import BATCH, accuracy, batches, pixels_to_input

_CALIBRATION: Final = 512
"""Pictures of the training split from which ranges are taken."""
_SEED: Final = 21
_RATE: Final = 3e-4
_STEPS: Final = 80
_LOSS: Final = 0.015
"""Of the accuracy on the calibration pictures so much may be lost."""


def main() -> None:
    """Write the three files of one network."""
    plan, work, zoo = NETWORKS[sys.argv[1]], Path(sys.argv[2]), Path(sys.argv[3])
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(_SEED)
    pixels = np.load(work / f"train-{plan.size}.npy", mmap_mode="r")
    calibration = pixels_to_input(pixels[:_CALIBRATION])
    test, classes = test_arrays(zoo / "images", plan.size)
    layers = torch.load(work / f"{plan.name}.pt")
    network = FoldedNetwork(plan, layers)
    ranges = value_ranges(network, calibration)
    (zoo / f"{plan.name}.tflite").write_bytes(_exported(network, "float32", ranges))
    (zoo / f"{plan.name}_int8.tflite").write_bytes(_exported(network, "int8", ranges))
    print(f"{plan.name} float {accuracy(network, test, classes):.4f}", flush=True)
    known, truth = pixels[:_CALIBRATION], np.array([class_of(number) for number in range(_CALIBRATION)])
    lost = accuracy(network, known, truth) - accuracy(EightBitNetwork(network, ranges), known, truth)
    if lost > _LOSS:
        ranges = fine_tune(network, pixels, calibration)
    (zoo / f"{plan.name}_quant.tflite").write_bytes(_exported(network, "uint8", ranges))
    print(f"{plan.name} uint8 loses {lost:.4f} of training pictures; {'fine-tuned' if lost > _LOSS else 'kept'}")


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
    """The network as a file."""
    arrays = [
        (weight.detach().numpy(), bias.detach().numpy())
        for weight, bias in zip(network.weights, network.biases, strict=True)
    ]
    return Exporter(network.plan, form, ranges).write(arrays)


if __name__ == "__main__":
    main()
