"""The detector, the segmenter and the upscaler, as functions of a graph's operations."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, Final

import numpy as np

from training.dense.operations import Graph, Head, Network
from training.images.networks import LayerPlan

NAMES: Final = ("mug", "key", "crescent", "mushroom", "fish", "heart")
"""Things that are looked for, no two of them alike."""
SIDE: Final = 64
"""Side of the pictures that detector and segmenter take, and that the upscaler makes of pictures half as large."""
_RATIOS: Final = (1.0, 2.0, 0.5)
_LEVELS: Final = ((8, 0.26), (4, 0.42))
"""Cells in a row, and size of the anchors, of the two levels of the detector."""
_BOX: Final = 4
SCORES: Final = len(NAMES) + 1
"""Scores of an anchor: of the background and of each thing."""


def _anchors() -> np.ndarray:
    """Return centre y, centre x, height and width of each anchor, cell by cell."""
    rows = []
    for cells, size in _LEVELS:
        for y, x, ratio in product(range(cells), range(cells), _RATIOS):
            root = ratio**0.5
            rows.append(((y + 0.5) / cells, (x + 0.5) / cells, size / root, size * root))
    return np.array(rows, np.float32)


HEAD: Final = Head(_anchors(), len(NAMES), 10, 0.05, 0.5, (10.0, 10.0, 5.0, 5.0))
"""The detection head: at most ten boxes above a score of 0.05; those of one thing overlap by less than half."""


def detect(graph: Graph, picture: Any) -> Any:
    """Return an SSD's detections: two levels of anchors, scores by the logistic function."""
    *_, data, coarse = _features(graph, picture)
    logits: dict[str, Any] = {}
    deltas: dict[str, Any] = {}
    for number, (level, channels) in enumerate(((data, 48), (coarse, 64))):
        plans = (SCORES, logits, "logits"), (_BOX, deltas, "deltas")
        for size, found, name in plans:
            plan = LayerPlan(channels, size * len(_RATIOS), 3, rectified=False)
            found[f"{name}{number}"] = graph.layer(f"{name}{number}", level, plan)
    scores = graph.scores("probabilities", graph.rows("logits", logits, SCORES))
    return graph.detections(graph.rows("deltas", deltas, _BOX), scores, HEAD)


def _features(graph: Graph, picture: Any) -> tuple[Any, Any, Any, Any]:
    """Return the layers that detector and segmenter share, with a half to a sixteenth of the picture's side."""
    half = graph.layer("stem", picture, LayerPlan(3, 16, 3, 2))
    quarter = _chain(graph, "quarter", half, (16, 32, 32), (2, 1))
    eighth = _chain(graph, "eighth", quarter, (32, 48, 48), (2, 1))
    return half, quarter, eighth, _chain(graph, "sixteenth", eighth, (48, 64, 64), (2, 1))


def segment(graph: Graph, picture: Any) -> Any:
    """Return logits of the background and of each thing for every pixel: an FCN, which adds logits of four levels."""
    *finer, coarsest = _features(graph, picture)
    data = graph.layer("classes16", coarsest, LayerPlan(64, SCORES, 3, rectified=False))
    for share, level, channels in ((8, finer[2], 48), (4, finer[1], 32), (2, finer[0], 16)):
        beside = graph.layer(f"classes{share}", level, LayerPlan(channels, SCORES, 3, rectified=False))
        data = graph.add(f"sum{share}", graph.transposed(f"up{share}", data, SCORES), beside, rectified=False)
    refined = graph.layer("wide", data, LayerPlan(SCORES, 24, 3))
    refined = graph.layer("narrow", refined, LayerPlan(24, SCORES, 3, rectified=False))
    return graph.enlarged("logits", graph.add("refined", data, refined, rectified=False), 2)


def upscale(graph: Graph, picture: Any) -> Any:
    """Return a picture with sides twice as long: what bilinear interpolation gives, and learned details."""
    data = graph.layer("wide", picture, LayerPlan(3, 24, 5))
    data = _chain(graph, "deep", data, (24, 24, 24), (1, 1))
    data = graph.layer("details", data, LayerPlan(24, 12, 3, rectified=False))
    return graph.add("pixels", graph.enlarged("smooth", picture, 2), graph.spread("spread", data, 2), rectified=False)


def _chain(graph: Graph, name: str, data: Any, channels: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """Return layers of 3 by 3, one after the other."""
    for number, ((inputs, outputs), stride) in enumerate(zip(pairwise(channels), strides, strict=True)):
        data = graph.layer(f"{name}{number}", data, LayerPlan(inputs, outputs, 3, stride))
    return data


@dataclass(frozen=True)
class DensePlan:
    """A network with the side of its input, and the length and rate of its training.

    Layers that the network ``start`` has, too, are taken from it and not trained.
    """

    name: str
    network: Network
    side: int
    epochs: int
    rate: float
    start: str = ""


PLANS: Final = {
    plan.name: plan
    for plan in (
        DensePlan("ssd_detector_64", detect, SIDE, 14, 4e-3),
        DensePlan("fcn_segmenter_64", segment, SIDE, 10, 1e-2, "ssd_detector_64"),
        DensePlan("upscaler_32", upscale, SIDE // 2, 4, 4e-3),
    )
}
