"""Writes the trained networks with their pictures and list: ``python -m training.dense.build WORK models/bundled/zoo``.

Limits follow from what LiteRT reaches. The forms in 8 bits are quantised after training.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

import torch
from PIL import Image

from nnvet.models.catalogue import LISTS_FOLDER
from training.baseline import run
from training.dense.networks import NAMES, PLANS, SIDE, DensePlan
from training.dense.operations import FileGraph, TrainedGraph
from training.dense.train import halved, pictures
from training.images.dataset import jpeg
from training.images.export import INPUT_SCALE, INPUT_ZERO_POINT
from training.images.scenes import draw_many
from training.images.train import pixels_to_input, settle

TEST_PICTURES: Final = 160
_CALIBRATION: Final = 256
"""Training pictures from which ranges are taken."""
_FOLDER: Final = "scenes"
_FORMS: Final[dict[str, dict[str, Any]]] = {
    "": {"dataSize": 4},
    "_quant": {"dataSize": 1, "inputScale": INPUT_SCALE, "inputZeroPoint": INPUT_ZERO_POINT},
    "_int8": {"dataSize": 1, "signed": True, "inputScale": INPUT_SCALE, "inputZeroPoint": 0, "minSdkVersion": 30},
}
_KINDS: Final = {"": "float32", "_quant": "uint8", "_int8": "int8"}
_LEFT_OUT: Final = ("upscaler_32_int8",)
"""NNAPI's RESIZE_BILINEAR rounds negative codes upwards, and LiteRT's does not: 1 dB for pictures of int8 codes."""
_LABELS: Final = {"detector": f"{_FOLDER}/things.txt", "segmenter": f"{_FOLDER}/classes.txt"}
_EVALUATORS: Final[dict[str, dict[str, Any]]] = {
    "ssd_detector_64": {"className": "MeanAveragePrecision", "labels": _LABELS["detector"]},
    "fcn_segmenter_64": {"className": "MeanIntersectionOverUnion", "labels": _LABELS["segmenter"]},
    "upscaler_32": {"className": "PeakSignalToNoise"},
}
_DATA: Final = {
    "ssd_detector_64": ("pictures", "boxes"),
    "fcn_segmenter_64": ("pictures", "masks"),
    "upscaler_32": ("small", "clean"),
}
"""Folders of inputs and of the truth."""
_HEADROOM: Final = {"map": 0.02, "map_50": 0.02, "miou": 0.02, "pixel_accuracy": 0.01, "psnr_db": 0.3}
"""By so much a driver may be worse than LiteRT is here, before the list's limits are broken."""


def write_pictures(folder: Path) -> None:
    """Write the test pictures and the truth about them, in the layout of docs/models.md."""
    for name in ("pictures", "boxes", "masks", "small", "clean"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "things.txt").write_text("".join(f"{name}\n" for name in NAMES), "utf-8")
    (folder / "classes.txt").write_text("".join(f"{name}\n" for name in ("background", *NAMES)), "utf-8")
    for number in range(TEST_PICTURES):
        scene = draw_many("test", number, SIDE, NAMES)
        (folder / "pictures" / f"image-{number}.jpeg").write_bytes(jpeg(scene.pixels))
        lines = [
            f"{NAMES[chosen]} {' '.join(f'{value:.6g}' for value in box)}\n"
            for chosen, box in zip(scene.classes, scene.boxes, strict=True)
        ]
        (folder / "boxes" / f"image-{number}.txt").write_text("".join(lines), "utf-8")
        for name, pixels in (("masks", scene.mask), ("small", halved(scene.pixels)), ("clean", scene.pixels)):
            Image.fromarray(pixels).save(folder / name / f"image-{number}.png", optimize=True)


def files(plan: DensePlan, work: Path) -> dict[str, bytes]:
    """Return the forms of a trained network by the endings of their names."""
    trained = TrainedGraph(plan.network, plan.side)
    trained.load_state_dict(torch.load(work / f"{plan.name}.pt"))
    trained.eval()
    ranges = trained.ranges(calibration(plan, work))
    if plan.name.startswith("upscaler"):
        # The codes of the output are those of the input, so that they are pixels.
        ranges["pixels"] = (-1.0, 1.0 - INPUT_SCALE)
    return {
        ending: FileGraph(plan.name, trained, form, ranges).written(plan.network, plan.side)
        for ending, form in _KINDS.items()
        if plan.name + ending not in _LEFT_OUT
    }


def calibration(plan: DensePlan, work: Path) -> torch.Tensor:
    """Return inputs from which the ranges of values are taken."""
    known = pictures(work)
    if plan.side == SIDE:
        return pixels_to_input(known["pixels"][:_CALIBRATION])
    return torch.cat([pixels_to_input(halved(pixels)[None]) for pixels in known["clean"][:_CALIBRATION]])


def entry(plan: DensePlan, ending: str) -> dict[str, Any]:
    """Return the list's entry of one form, without limits."""
    inputs, truth = _DATA[plan.name]
    return {
        "name": plan.name + ending,
        "baselineSec": 0.001,
        "inputSize": [1, plan.side, plan.side, 3],
        **_FORMS[ending],
        "evaluator": _EVALUATORS[plan.name],
        "dataset": {
            "inputPath": f"{_FOLDER}/{inputs}",
            "truthPath": f"{_FOLDER}/{truth}",
            "preprocessor": "Whole",
        },
    }


def main() -> None:
    """Write pictures, the networks that are trained, and the list, with limits by what LiteRT reaches."""
    work, zoo = Path(sys.argv[1]), Path(sys.argv[2])
    settle()
    write_pictures(zoo / _FOLDER)
    entries = []
    for plan in PLANS.values():
        if not (work / f"{plan.name}.pt").is_file():
            continue
        for ending, data in files(plan, work).items():
            (zoo / f"{plan.name}{ending}.tflite").write_bytes(data)
            listed = entry(plan, ending)
            figures, _ = run(zoo, listed)
            limits = {key: round(value - _HEADROOM[key], 3) for key, value in figures.items()}
            entries.append(listed | {"evaluator": listed["evaluator"] | {"limits": limits}})
            print(listed["name"], len(data), {key: round(value, 4) for key, value in figures.items()}, flush=True)
    text = json.dumps({"models": entries}, indent=1) + "\n"
    (zoo / LISTS_FOLDER / "scenes.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
