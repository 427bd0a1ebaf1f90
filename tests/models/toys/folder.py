"""Writes networks of random weights with inputs, golden outputs and pictures, in the layout of real benchmark data.

Golden outputs come from LiteRT where it is installed, else from the oracle: whichever it was, the
benchmark tells. Pictures are random patches of colour; the truth about them is what the float networks say.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

from nnvet.formats.errors import MissingExtraError
from nnvet.formats.tflite.importer import import_model
from nnvet.models.catalogue import LISTS_FOLDER, ModelEntry
from nnvet.models.contenders import BenchModel, LoadedModel
from nnvet.models.datasets import Array, inception
from nnvet.models.litert import LiteRt
from tests.models.toys.networks import CLASSES, PICTURE_SIZE, mobilenet_v1, mobilenet_v2, speech
from tests.models.toys.oracle_contender import Oracle

Image = pytest.importorskip("PIL.Image", reason="the toys need the extra 'models'")

_PICTURES: Final = 24
_CANDIDATES: Final = 1000
_CLEAR: Final = 0.02
"""Five codes: by so much the first probability must exceed the second."""
_PATCHES: Final = 6
_STEPS: Final = (12, 20)
_SCALE: Final = 2.0 / 256
_ZERO_POINT: Final = 128.0
_SPEECH_INPUTS: Final = 40
_TTS_OUTPUTS: Final = 196
_ASR_OUTPUTS: Final = 42


@dataclass(frozen=True)
class ToyNetwork:
    """A network: builder, size of an element in bytes, shape of the input.

    It has an ``evaluator``, or classifies: ``truth`` is the file with the classes that the float network of its
    family sees in the pictures.
    """

    name: str
    build: Callable[[], bytes]
    data_size: int
    input_size: tuple[int, ...]
    evaluator: str = ""
    truth: str = ""

    @property
    def file(self) -> str:
        """Name of the model's file."""
        return f"{self.name}.tflite"

    @property
    def json(self) -> dict[str, Any]:
        """Fields that every entry of the network has."""
        return {
            "name": self.name,
            "baselineSec": 0.001,
            "dataSize": self.data_size,
            "inputSize": list(self.input_size),
            "toy": True,
        }

    @property
    def entry(self) -> ModelEntry:
        """The network as a benchmark entry without data."""
        return ModelEntry(self.name, 0.001, self.data_size, self.input_size)


_PICTURE: Final = (1, PICTURE_SIZE, PICTURE_SIZE, 3)
_FEATURES: Final = (1, _SPEECH_INPUTS)
_V1: Final = "pictures/toy_mobilenet_v1.txt"
_V2: Final = "pictures/toy_mobilenet_v2.txt"
NETWORKS: Final = (
    ToyNetwork("toy_mobilenet_v1_float", lambda: mobilenet_v1(quantized=False), 4, _PICTURE, truth=_V1),
    ToyNetwork("toy_mobilenet_v1_quant", lambda: mobilenet_v1(quantized=True), 1, _PICTURE, truth=_V1),
    ToyNetwork("toy_mobilenet_v2_float", lambda: mobilenet_v2(quantized=False), 4, _PICTURE, truth=_V2),
    ToyNetwork("toy_mobilenet_v2_quant", lambda: mobilenet_v2(quantized=True), 1, _PICTURE, truth=_V2),
    ToyNetwork(
        "toy_tts_float",
        lambda: speech(_SPEECH_INPUTS, 64, _TTS_OUTPUTS, 3, coupled=True, recurrent_head=True),
        4,
        _FEATURES,
        "MelCepLogF0",
    ),
    ToyNetwork(
        "toy_asr_float",
        lambda: speech(_SPEECH_INPUTS, 64, _ASR_OUTPUTS, 4, coupled=False, recurrent_head=False),
        4,
        _FEATURES,
        "PhoneErrorRate",
    ),
)


def write_toys(folder: Path) -> str:
    """Fill the empty ``folder``, which is made if need be; returns the backend that the golden outputs come from."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(5)
    source = _golden_source()
    with ExitStack() as stack:
        loaded_models = {network: _open(stack, source, network, folder) for network in NETWORKS}
        golden = [_golden_entry(folder, network, loaded, rng) for network, loaded in loaded_models.items()]
        classifiers = {network: loaded for network, loaded in loaded_models.items() if not network.evaluator}
        pictures = _write_pictures(folder, classifiers, rng)
    (folder / LISTS_FOLDER).mkdir()
    for name, models in (("golden", golden), ("pictures", pictures)):
        (folder / LISTS_FOLDER / f"{name}.json").write_text(json.dumps({"models": models}, indent=1), "utf-8")
    return source.backend


def _open(stack: ExitStack, source: LiteRt | Oracle, network: ToyNetwork, folder: Path) -> LoadedModel:
    """Write a network's file and load it."""
    data = network.build()
    (folder / network.file).write_bytes(data)
    imported = stack.enter_context(import_model(data, name=network.name))
    return stack.enter_context(closing(source.open(BenchModel(network.entry, folder / network.file, data, imported))))


def _golden_source() -> LiteRt | Oracle:
    """LiteRT, or the oracle where it is not installed."""
    try:
        return LiteRt()
    except MissingExtraError:
        return Oracle()


def _run(loaded: LoadedModel, steps: Sequence[bytes]) -> list[Array]:
    """First outputs of a sequence of steps."""
    loaded.reset()
    outputs = []
    for data in steps:
        loaded.put(data)
        loaded.invoke()
        outputs.append(loaded.take()[0])
    return outputs


def _golden_entry(folder: Path, network: ToyNetwork, loaded: LoadedModel, rng: np.random.Generator) -> dict[str, Any]:
    """Write two sequences of inputs with their outputs; returns the entry of the list."""
    pairs = []
    for number, length in enumerate(_STEPS if network.evaluator else (1, 1)):
        steps = [_random_input(network, rng) for _ in range(length)]
        names = {kind: f"{network.name}-{number}.{kind}" for kind in ("input", "output")}
        (folder / names["input"]).write_bytes(b"".join(steps))
        (folder / names["output"]).write_bytes(b"".join(output.tobytes() for output in _run(loaded, steps)))
        pairs.append(names)
    entry = {**network.json, "inputOutputs": pairs}
    if network.evaluator:
        entry["evaluator"] = {"className": network.evaluator}
    if network.evaluator == "MelCepLogF0":
        normalization = np.stack([rng.normal(0, 1, _TTS_OUTPUTS), rng.uniform(0.5, 2, _TTS_OUTPUTS)], axis=1)
        entry["evaluator"]["outputMeanStdDev"] = name = f"{network.name}.output_mean_std_dev"
        (folder / name).write_bytes(normalization.astype("<f4").tobytes())
    return entry


def _random_input(network: ToyNetwork, rng: np.random.Generator) -> bytes:
    """One step of random input."""
    if network.data_size == 1:
        return rng.integers(0, 256, network.input_size, dtype=np.uint8).tobytes()
    return rng.uniform(-1, 1, network.input_size).astype("<f4").tobytes()


def _picture_entry(network: ToyNetwork, agreement: float) -> dict[str, Any]:
    """The entry that scores a classifier on the pictures."""
    entry = {
        **network.json,
        "name": f"{network.name}_pictures",
        "modelFile": network.name,
        "evaluator": {"className": "TopK", "expectedTop1": agreement},
        "dataset": {
            "inputPath": "pictures",
            "groundTruth": network.truth,
            "labels": "pictures/labels.txt",
            "preprocessor": "Inception",
        },
    }
    return entry | ({"inputScale": _SCALE, "inputZeroPoint": _ZERO_POINT} if network.data_size == 1 else {})


def _write_pictures(
    folder: Path, classifiers: Mapping[ToyNetwork, LoadedModel], rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Write pictures with labels and truth; returns the entries of the lists.

    Pictures that leave some network in doubt are left out: there a rounding error would decide.
    """
    (folder / "pictures").mkdir()
    seen: list[list[int]] = []
    for _ in range(_CANDIDATES):
        path = folder / "pictures" / f"image-{len(seen)}.jpeg"
        _draw(path, rng)
        answers = [_classify(loaded, network, path) for network, loaded in classifiers.items()]
        if None in answers:
            path.unlink()
            continue
        seen.append([number or 0 for number in answers])
        if len(seen) == _PICTURES:
            break
    by_network = dict(zip(classifiers, zip(*seen, strict=True), strict=True))
    truth = {network.truth: classes for network, classes in reversed(by_network.items())}
    for name, classes in {"pictures/labels.txt": tuple(range(CLASSES)), **truth}.items():
        (folder / name).write_text("".join(f"class {number}\n" for number in classes), "utf-8")
    return [
        _picture_entry(network, float(np.mean(np.equal(classes, truth[network.truth]))))
        for network, classes in by_network.items()
    ]


def _draw(path: Path, rng: np.random.Generator) -> None:
    """A JPEG file of random patches around a colour, of random contrast, size and proportions."""
    noise = rng.uniform(0.1, 1) * rng.integers(-255, 256, (_PATCHES, _PATCHES, 3))
    patches: npt.NDArray[np.uint8] = (rng.integers(0, 256, 3) + noise).clip(0, 255).astype(np.uint8)
    width, height = (int(side) for side in rng.integers(60, 120, 2))
    Image.fromarray(patches).resize((width, height), Image.Resampling.BICUBIC).save(path, quality=90)


def _classify(loaded: LoadedModel, network: ToyNetwork, path: Path) -> int | None:
    """The class that a network gives a picture; None if the second class comes close."""
    pixels = inception(path, PICTURE_SIZE, network.data_size, _SCALE, _ZERO_POINT)
    probabilities = _run(loaded, [pixels])[0].astype(np.float32) / (1 if network.data_size != 1 else 256)
    second, first = np.sort(probabilities)[-2:]
    return int(probabilities.argmax()) if first - second >= _CLEAR else None
