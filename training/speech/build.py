"""Write the bundled speech models with their test data: ``python -m training.speech.build WORK models/bundled/zoo``.

Golden outputs, and the figures from which limits follow, are those of LiteRT. ``train`` has written the weights that it
reads; ``export`` makes the models of them, ``corpus`` the test data.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.models.catalogue import LISTS_FOLDER
from training.baseline import run
from training.speech import corpus
from training.speech.export import to_tflite
from training.speech.phones import PHONES

_FOLDER: Final = "speech"
"""Folder of the speech models inside the zoo."""
_LABELS: Final = f"{_FOLDER}/phones.txt"
"""File of the phones' names inside the zoo, a line each in the order of the outputs."""
_NORMALISATION: Final = f"{_FOLDER}/speech_synthesiser.mean_std_dev"
"""File inside the zoo of the mean and deviation by which vocoder parameters are normalised."""
_GRID: Final = 16.0
"""True outputs are stored in multiples of a 1/16 of their deviation: the network's errors are much larger."""
_HEADROOM: Final = {
    "true_phone_error_rate": 1.0,
    "true_mel_cep_distortion": 0.01,
    "true_log_f0_error": 0.005,
    "true_voicing_error": 0.5,
}
"""By so much the list's limits lie above what LiteRT reaches here: other processors and versions of it may differ.

The comparison with LiteRT in the same run is narrower, see nnvet.models.statistics."""

Floats = npt.NDArray[np.float32]
"""Inputs or outputs of a sequence: [steps, features]."""
Sequences = Sequence[tuple[Floats, bytes, str]]
"""Inputs, the truth, and the end of the name of its file."""


@dataclass(frozen=True)
class Bundle:
    """One model of the zoo: evaluators of golden outputs and of the truth, and how many sequences have golden ones."""

    name: str
    golden: dict[str, Any]
    true: dict[str, Any]
    golden_sequences: int

    def entry(self, suffix: str, inputs: int, pairs: Sequence[dict[str, str]], evaluator: dict[str, Any]) -> Any:
        """Return an entry of the list."""
        return {
            "name": self.name + suffix,
            "modelFile": self.name,
            "baselineSec": 0.001,
            "dataSize": 4,
            "inputSize": [1, inputs],
            "evaluator": evaluator,
            "inputOutputs": list(pairs),
        }


_RECOGNISER: Final = Bundle(
    "speech_recogniser", {"className": "PhoneErrorRate"}, {"className": "TruePhoneErrorRate", "labels": _LABELS}, 12
)
"""The recogniser; 12 of its test sequences have golden outputs."""
_SYNTHESISER: Final = Bundle(
    "speech_synthesiser",
    {"className": "MelCepLogF0", "outputMeanStdDev": _NORMALISATION},
    {"className": "TrueMelCepLogF0", "outputMeanStdDev": _NORMALISATION},
    8,
)
"""The synthesiser."""
_RECOGNISED: Final = 36
"""Test sequences of the recogniser."""
_SYNTHESISED: Final = 20
"""Test sequences of the synthesiser."""


def recogniser_sequences() -> Sequences:
    """Return the test set of recognition: the truth is the phones that were said."""
    said = corpus.recognition(_RECOGNISED, test=True)
    return [
        (utterance.inputs, (" ".join(PHONES[phone] for phone in utterance.phones) + "\n").encode(), "phones")
        for utterance in said
    ]


def synthesiser_sequences(mean: Floats, deviation: Floats) -> Sequences:
    """Return the test set of synthesis: the truth is the vocoder parameters, normalised."""
    said = corpus.synthesis(_SYNTHESISED, test=True)
    normal = [(utterance.inputs, np.rint((utterance.outputs - mean) / deviation * _GRID) / _GRID) for utterance in said]
    return [(inputs, outputs.astype("<f4").tobytes(), "truth.xz") for inputs, outputs in normal]


def write(zoo: Path, bundle: Bundle, model: bytes, sequences: Sequences) -> list[dict[str, Any]]:
    """Write model and sequences; returns the entries of the list, their limits by what LiteRT reaches."""
    (zoo / f"{bundle.name}.tflite").write_bytes(model)
    names = [f"{_FOLDER}/{bundle.name}-{number:02}" for number in range(len(sequences))]
    for name, (inputs, truth, ending) in zip(names, sequences, strict=True):
        _store(zoo / f"{name}.input.xz", inputs.astype("<f4").tobytes())
        _store(zoo / f"{name}.{ending}", truth)
    pairs = [
        {"input": f"{name}.input.xz", "truth": f"{name}.{sequence[2]}"}
        for name, sequence in zip(names, sequences, strict=True)
    ]
    entry = bundle.entry("_truth", sequences[0][0].shape[1], pairs, bundle.true)
    figures, outputs = run(zoo, entry)
    print(bundle.name, figures, flush=True)
    limits = {key: round(value + _HEADROOM[key], 3) for key, value in figures.items()}
    entry["evaluator"] = bundle.true | {"limits": limits}
    golden = names[: bundle.golden_sequences]
    for name, rows in zip(golden, outputs, strict=False):
        _store(zoo / f"{name}.output.xz", rows.astype("<f4").tobytes())
    pairs = [{"input": f"{name}.input.xz", "output": f"{name}.output.xz"} for name in golden]
    return [bundle.entry("", entry["inputSize"][1], pairs, bundle.golden), entry]


def _store(path: Path, data: bytes) -> None:
    """Write a file; what is called ``*.xz`` is compressed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(data, preset=6 | lzma.PRESET_EXTREME) if path.suffix == ".xz" else data)


def main() -> None:
    """Write both models."""
    work, zoo = Path(sys.argv[1]), Path(sys.argv[2])
    _store(zoo / _LABELS, "".join(f"{phone}\n" for phone in PHONES).encode())
    weights = dict(np.load(work / "recognition.npz"))
    entries = write(zoo, _RECOGNISER, to_tflite(weights, sequence=False), recogniser_sequences())
    weights = dict(np.load(work / "synthesis.npz"))
    mean, deviation = weights["mean"], weights["deviation"]
    _store(zoo / _NORMALISATION, np.stack([mean, deviation], axis=1).astype("<f4").tobytes())
    model = to_tflite(weights, sequence=True)
    entries += write(zoo, _SYNTHESISER, model, synthesiser_sequences(mean, deviation))
    lists = zoo / LISTS_FOLDER
    lists.mkdir(exist_ok=True)
    (lists / "speech.json").write_text(json.dumps({"models": entries}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
