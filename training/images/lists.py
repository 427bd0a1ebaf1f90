"""Measure the bundled classifiers and write their list: ``python -m training.images.lists models/bundled/zoo``.

The list is what ``nnvet`` reads to find the models and the accuracies they must reach; ``build`` has written the
models. ``training.speech.build`` writes the list of the speech models itself.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from nnvet.formats.errors import DataError
from nnvet.models.catalogue import LISTS_FOLDER, load_catalogue
from nnvet.models.contenders import BenchModel
from nnvet.models.datasets import load_sequences
from nnvet.models.litert import LiteRt
from training.images.export import INPUT_SCALE, INPUT_ZERO_POINT
from training.images.networks import NETWORKS, NetworkPlan

_FORMS: Final[dict[str, dict[str, Any]]] = {
    "": {"dataSize": 4},
    "_quant": {"dataSize": 1, "inputScale": INPUT_SCALE, "inputZeroPoint": INPUT_ZERO_POINT},
    "_int8": {"dataSize": 1, "signed": True, "inputScale": INPUT_SCALE, "inputZeroPoint": 0, "minSdkVersion": 30},
}
"""Description in the list of each 8-bit or float form, by the ending of its file's name."""
_BASELINE_S: Final = 0.001
"""Baseline latency in seconds that the form of the list demands; no verdict depends on it."""
_DATASET: Final = {
    "inputPath": "images",
    "groundTruth": "images/ground_truth_labels.txt",
    "labels": "images/labels.txt",
    "preprocessor": "Inception",
}
"""Places of the test split inside the zoo, by the names of the list's fields."""


def main() -> None:
    """Write the list twice: what is measured goes through the list, too."""
    zoo = Path(sys.argv[1])
    entries = [_entry(plan, form) for plan in NETWORKS.values() for form in _FORMS]
    entries = [entry for entry in entries if (zoo / f"{entry['name']}.tflite").is_file()]
    _write(zoo, entries)
    for entry in entries:
        entry["evaluator"]["expectedTop1"] = round(top1(zoo, entry["name"]), 4)
        print(f"{entry['name']:30} {entry['evaluator']['expectedTop1']:.4f}", flush=True)
    _write(zoo, entries)


def _entry(plan: NetworkPlan, form: str) -> dict[str, Any]:
    """Return a network's entry, its accuracy not yet known."""
    return {
        "name": plan.name + form,
        "baselineSec": _BASELINE_S,
        "inputSize": [1, plan.size, plan.size, 3],
        **_FORMS[form],
        "evaluator": {"className": "TopK", "expectedTop1": 0.0},
        "dataset": _DATASET,
    }


def _write(zoo: Path, entries: list[dict[str, Any]]) -> None:
    """Write the list of all entries."""
    (zoo / LISTS_FOLDER).mkdir(exist_ok=True)
    (zoo / LISTS_FOLDER / "images.json").write_text(json.dumps({"models": entries}, indent=1) + "\n", "utf-8")


def top1(zoo: Path, name: str) -> float:
    """Return the top-1 accuracy of a listed model on LiteRT.

    :raises DataError: the model's data are not complete.
    """
    entry = load_catalogue(zoo).by_name(name)
    path = zoo / entry.model_path
    if not path.is_file():
        raise DataError(f"{path}: there is no such file; make it by training.images.build")
    session = LiteRt().open(BenchModel(entry, path, path.read_bytes(), None))
    right = []
    for sequence in load_sequences(zoo, entry):
        for step in sequence.steps:
            session.put(step.load())
            session.invoke()
            right.append(int(session.take()[0].argmax()) == step.expected_class)
    session.close()
    return float(np.mean(right))


if __name__ == "__main__":
    main()
