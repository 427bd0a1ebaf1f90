"""Networks that answer for places: the files compute what PyTorch computes, and the anchors stand for their things."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nnvet.formats.tflite.importer import import_model
from nnvet.models.catalogue import ModelEntry
from nnvet.models.contenders import BenchModel
from nnvet.models.driver import DriverContender
from nnvet.models.litert import LiteRt
from nnvet.reference_driver import create
from training.images.scenes import draw_many

torch = pytest.importorskip("torch", reason="training needs the extra 'training'")
pytest.importorskip("ai_edge_litert", reason="the baseline needs the extra 'litert'")
NAMES = ("mug", "key", "crescent", "mushroom", "fish", "heart")
FORMS = {"float32": (4, False), "uint8": (1, False), "int8": (1, True)}
"""dataSize, and whether codes are signed."""


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Threads as they were, after each test."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def _rows(graph: Any, picture: Any) -> Any:
    """The detector without its head: what the head takes."""
    from training.dense.networks import detect  # noqa: PLC0415

    class Open:
        """A graph whose head gives its inputs."""

        def __getattr__(self, name: str) -> Any:
            return getattr(graph, name)

        def detections(self, deltas: Any, scores: Any, head: Any) -> Any:
            del head
            return torch.sigmoid(scores) if isinstance(scores, torch.Tensor) else scores

    return detect(Open(), picture)  # type: ignore[arg-type]


def _network(name: str) -> tuple[Callable[[Any, Any], Any], int]:
    """A network by its name, and the side of its input."""
    from training.dense.networks import SIDE, segment, upscale  # noqa: PLC0415

    return {"detector": (_rows, SIDE), "segmenter": (segment, SIDE), "upscaler": (upscale, SIDE // 2)}[name]


def _outputs(form: str, data: bytes, side: int, pixels: np.ndarray) -> list[np.ndarray]:
    """First outputs of LiteRT and of the bundled driver, as real numbers, codes dequantised by the file's scale."""
    size, signed = FORMS[form]
    entry = ModelEntry("net", 0.001, size, (1, side, side, 3), signed=signed)
    given = (pixels.astype("<f4") * 2 / 255 - 1).astype("<f4") if form == "float32" else pixels
    given = (pixels.astype(np.int16) - 128).astype(np.int8) if form == "int8" else given
    found = []
    with import_model(data, input_shape=entry.input_size, name="net") as imported:
        output = imported.outputs[0]
        model = BenchModel(entry, Path("net.tflite"), data, imported)
        for backend in (LiteRt(), DriverContender("reference", create(""))):
            with closing(backend.open(model)) as loaded:
                loaded.put(given.tobytes())
                loaded.invoke()
                values = loaded.take()[0].astype(np.float64)
            found.append(values if form == "float32" else (values - output.zero_point) * output.scale)
    return found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["detector", "segmenter", "upscaler"])
def test_files_compute_what_pytorch_computes(name: str, form: str) -> None:
    """With random weights: floats to a rounding error, codes to a few steps of the output; LiteRT and driver alike."""
    from training.dense.operations import FileGraph, TrainedGraph  # noqa: PLC0415
    from training.images.train import pixels_to_input  # noqa: PLC0415

    network, side = _network(name)
    torch.manual_seed(4)
    trained = TrainedGraph(network, side)
    pixels = np.random.default_rng(1).integers(0, 256, (4, side // 8, side // 8, 3), dtype=np.uint8)
    pixels = pixels.repeat(8, axis=1).repeat(8, axis=2)
    with torch.no_grad():
        trained.train()(pixels_to_input(pixels))
        ranges = trained.ranges(pixels_to_input(pixels))
        expected = trained(pixels_to_input(pixels[:1]))[0].numpy()
    expected = (expected if name == "detector" else expected.transpose(1, 2, 0)).reshape(-1)
    data = FileGraph(name, trained, form, ranges).written(network, side)
    extent = float(np.ptp(expected))
    allowed = 1e-5 * max(1.0, extent) if form == "float32" else 0.05 * extent + 1 / 256
    for values in _outputs(form, data, side, pixels[:1]):
        assert values.size == expected.size
        assert np.abs(values - expected).max() <= allowed, name


def test_anchors_stand_for_the_things_that_they_overlap() -> None:
    """A box equal to an anchor, and a thing that no anchor overlaps by half; all others are background."""
    from training.dense.networks import HEAD  # noqa: PLC0415
    from training.dense.train import anchor_targets  # noqa: PLC0415

    y, x, height, width = HEAD.anchors[30].tolist()
    equal = [y - height / 2, x - width / 2, y + height / 2, x + width / 2, 3]
    small = [0.9, 0.1, 0.95, 0.15, 5]
    classes, shifts = anchor_targets(np.array([equal, small, [0, 0, 0, 0, 0]], np.float32))
    assert classes[30] == 3
    np.testing.assert_allclose(shifts[30], 0, atol=1e-5)
    (chosen,) = np.flatnonzero(classes == 5)
    # The deltas of TFLite's head lead from the anchor to the box.
    anchor, delta = HEAD.anchors[chosen], shifts[chosen] / np.array(HEAD.scales)
    centre, size = anchor[:2] + delta[:2] * anchor[2:], anchor[2:] * np.exp(delta[2:])
    np.testing.assert_allclose([*(centre - size / 2), *(centre + size / 2)], small[:4], atol=1e-5)
    assert 0.9 < np.mean(classes == 0) < 1


def test_several_things_are_drawn_with_their_truth() -> None:
    """Boxes enclose the mask of their things; drawn twice a picture is the same; train and test differ."""
    listed = 0
    for number in range(12):
        scene = draw_many("test", number, 64, NAMES)
        np.testing.assert_array_equal(draw_many("test", number, 64, NAMES).pixels, scene.pixels)
        assert (draw_many("train", number, 64, NAMES).pixels != scene.pixels).any()
        assert set(np.unique(scene.mask)) <= {0, *(chosen + 1 for chosen in range(len(NAMES)))}
        for chosen, box in zip(scene.classes, scene.boxes, strict=True):
            top, left, bottom, right = (box * 64).round().astype(int)
            inside = scene.mask[top:bottom, left:right] == chosen + 1
            others = [b for b, c in zip(scene.boxes, scene.classes, strict=True) if c == chosen and b is not box]
            assert inside.mean() > 0.1
            if not others:
                rows, columns = np.nonzero(scene.mask == chosen + 1)
                hidden = math.ceil(0.5 * max(bottom - top, right - left))
                assert rows.min() >= top - hidden
                assert columns.max() < right + hidden
            listed += 1
    assert listed >= 15
