"""Trains a network: ``python -m training.dense.train NAME WORK``; the pictures are drawn once, into WORK.

Deterministic for a version of PyTorch and one thread; ``WORK/NAME.pt`` holds the weights.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from PIL import Image
from torch import Tensor
from torch.nn import functional

from nnvet.models.places import overlaps
from training.dense.networks import HEAD, NAMES, PLANS, SIDE, DensePlan
from training.dense.operations import TrainedGraph
from training.images.dataset import jpeg
from training.images.scenes import ManyThings, draw_many
from training.images.train import pixels_to_input, settle

TRAINING_PICTURES: Final = 1600
BATCH: Final = 32
"""Pictures of a step of the optimizer."""
_SEED: Final = 22
"""Seed of weights, order and augmentation."""
_MOST: Final = 4
"""Things on a picture."""
_SURE, _UNSURE = 0.5, 0.4
"""An anchor stands for a thing that it overlaps by so much; between the two it takes no part in the loss."""
_GAMMA: Final = 2.0
_ALPHA: Final = 0.4
"""The focal loss of Lin et al. 2017."""
_BACKGROUND: Final = 0.3
"""Weight of the background's pixels."""
_RATE_RISES: Final = 0.2
"""Share of the training in which the learning rate rises."""

Batch = dict[str, npt.NDArray[Any]]
"""Pictures, and what the loss needs to know about them."""


def pictures(work: Path) -> Batch:
    """Return the training pictures, which are drawn unless WORK has them: with JPEG's losses, and clean ones."""
    path = work / "many-things.npz"
    if not path.is_file():
        work.mkdir(parents=True, exist_ok=True)
        with ProcessPoolExecutor() as pool:
            drawn = list(pool.map(_draw, range(TRAINING_PICTURES), chunksize=50))
        boxes = np.zeros((TRAINING_PICTURES, _MOST, 5), np.float32)
        for row, scene in zip(boxes, drawn, strict=True):
            row[: len(scene.classes), :4] = scene.boxes
            row[: len(scene.classes), 4] = np.array(scene.classes) + 1
        np.savez(
            path,
            pixels=np.stack([_decoded(scene) for scene in drawn]),
            boxes=boxes,
            masks=np.stack([scene.mask for scene in drawn]),
            clean=np.stack([scene.pixels for scene in drawn]),
        )
    with np.load(path) as arrays:
        return dict(arrays)


def _draw(number: int) -> ManyThings:
    """Draw a training picture."""
    return draw_many("train", number, SIDE, NAMES)


def halved(pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return a picture with sides half as long: means of four pixels."""
    side = len(pixels) // 2
    means = pixels.reshape(side, 2, side, 2, 3).astype(np.float64).mean((1, 3))
    return np.rint(means).astype(np.uint8)


def _decoded(scene: ManyThings) -> npt.NDArray[np.uint8]:
    """Return a picture as the benchmark reads it from a file."""
    with Image.open(io.BytesIO(jpeg(scene.pixels))) as picture:
        return np.asarray(picture.convert("RGB"))


def mirrored(batch: Batch, rng: np.random.Generator) -> Batch:
    """Return a batch, mirrored or not, with its colours swapped."""
    colours = rng.permutation(3)
    result = {**batch, "pixels": batch["pixels"][..., colours], "clean": batch["clean"][..., colours]}
    if rng.random() < 0.5:
        result |= {key: result[key][:, :, ::-1] for key in ("pixels", "clean", "masks")}
        boxes = batch["boxes"].copy()
        boxes[..., [1, 3]] = np.where(boxes[..., 4:] > 0, 1 - boxes[..., [3, 1]], 0)
        result["boxes"] = boxes
    return result


def segmenter_loss(network: TrainedGraph, batch: Batch) -> Tensor:
    """Return the cross entropy of all pixels; the background, nine tenths of them, counts less."""
    masks = torch.tensor(batch["masks"].copy()).long()
    weights = torch.tensor([_BACKGROUND, *[1.0] * len(NAMES)])
    return functional.cross_entropy(network(pixels_to_input(batch["pixels"])), masks, weights)


def upscaler_loss(network: TrainedGraph, batch: Batch) -> Tensor:
    """Return the mean absolute error of the pixels."""
    small = np.stack([halved(pixels) for pixels in batch["clean"]])
    return functional.l1_loss(network(pixels_to_input(small)), pixels_to_input(batch["clean"]))


def detector_loss(network: TrainedGraph, batch: Batch) -> Tensor:
    """Return the focal loss of the scores and the smooth L1 loss of the boxes, for each thing."""
    deltas, logits = network(pixels_to_input(batch["pixels"]))
    wanted = [anchor_targets(boxes) for boxes in batch["boxes"]]
    classes = torch.tensor(np.stack([found for found, _ in wanted]))
    shifts = torch.tensor(np.stack([found for _, found in wanted]))
    used, things = classes >= 0, classes > 0
    hot = functional.one_hot(classes.clamp(min=0), logits.shape[-1]).float()
    share = torch.sigmoid(logits)
    wrong = torch.where(hot > 0, 1 - share, share)
    weight = torch.where(hot > 0, _ALPHA, 1 - _ALPHA) * wrong**_GAMMA
    losses = weight * functional.binary_cross_entropy_with_logits(logits, hot, reduction="none")
    count = things.sum().clamp(min=1)
    # The score of the background decides nothing, so that it must not decide what is learned either.
    scores = losses[used][:, 1:].sum() / count + losses[used][:, 0].mean()
    return scores + functional.smooth_l1_loss(deltas[things], shifts[things], reduction="sum") / count


def anchor_targets(boxes: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Return the class of each anchor (0: background, -1: neither) and the deltas to its thing.

    ``boxes`` are [things, 5]: top, left, bottom, right, and the class from 1 on, or 0 in rows without a thing.
    """
    boxes = boxes[boxes[:, 4] > 0]
    anchors = HEAD.anchors
    if not len(boxes):
        return np.zeros(len(anchors), np.int64), np.zeros((len(anchors), 4), np.float32)
    corners = np.concatenate([anchors[:, :2] - anchors[:, 2:] / 2, anchors[:, :2] + anchors[:, 2:] / 2], axis=1)
    overlap = overlaps(corners.astype(np.float64), boxes[:, :4].astype(np.float64))
    best = overlap.argmax(axis=1)
    most = overlap.max(axis=1)
    # Every thing has an anchor, even if none overlaps it by half.
    for thing, anchor in enumerate(overlap.argmax(axis=0)):
        best[anchor], most[anchor] = thing, 1.0
    classes = np.where(most >= _SURE, boxes[best, 4], np.where(most >= _UNSURE, -1, 0)).astype(np.int64)
    chosen = boxes[best]
    centres, sizes = (chosen[:, :2] + chosen[:, 2:4]) / 2, chosen[:, 2:4] - chosen[:, :2]
    shifts = np.concatenate([(centres - anchors[:, :2]) / anchors[:, 2:], np.log(sizes / anchors[:, 2:])], axis=1)
    return classes, (shifts * np.array(HEAD.scales)).astype(np.float32)


_LOSSES: Final[dict[str, Callable[[TrainedGraph, Batch], Tensor]]] = {
    "ssd_detector_64": detector_loss,
    "fcn_segmenter_64": segmenter_loss,
    "upscaler_32": upscaler_loss,
}


def train(plan: DensePlan, known: Batch, start: Mapping[str, Tensor]) -> TrainedGraph:
    """Train a network from random weights, except for layers in ``start``; prints an epoch's loss and CPU seconds."""
    torch.manual_seed(_SEED)
    rng = np.random.default_rng(_SEED)
    network = TrainedGraph(plan.network, plan.side).to(memory_format=torch.channels_last)
    network.load_state_dict({key: start.get(key, value) for key, value in network.state_dict().items()})
    network.train()
    for name, layer in network.layers.items():
        if any(key.startswith(f"layers.{name}.") for key in start):
            layer.eval().requires_grad_(requires_grad=False)
    learned = [weight for weight in network.parameters() if weight.requires_grad]
    count = len(known["pixels"])
    optimizer = torch.optim.AdamW(learned, plan.rate, weight_decay=1e-3)
    steps = plan.epochs * (count // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, plan.rate, steps, pct_start=_RATE_RISES)
    for epoch in range(plan.epochs):
        losses = []
        for chosen in np.split(rng.permutation(count)[: count // BATCH * BATCH], count // BATCH):
            optimizer.zero_grad()
            loss = _LOSSES[plan.name](network, mirrored({key: array[chosen] for key, array in known.items()}, rng))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learned, 5.0)
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        print(f"{plan.name} {epoch} loss {np.mean(losses):.4f} {time.process_time():.0f} s", flush=True)
    return network


if __name__ == "__main__":
    settle()
    chosen, folder = PLANS[sys.argv[1]], Path(sys.argv[2])
    first = torch.load(folder / f"{chosen.start}.pt") if chosen.start else {}
    torch.save(train(chosen, pictures(folder), first).state_dict(), folder / f"{chosen.name}.pt")
