"""Runs a network of the bundled lists on LiteRT, from whose figures the limits of the lists follow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from nnvet.models.catalogue import ModelEntry
from nnvet.models.contenders import BenchModel
from nnvet.models.datasets import load_sequences
from nnvet.models.evaluation import StepResult
from nnvet.models.evaluators import make_evaluator
from nnvet.models.litert import LiteRt

Floats = npt.NDArray[np.float32]


def run(zoo: Path, entry: dict[str, Any]) -> tuple[dict[str, float], list[Floats]]:
    """Return the evaluator's figures for LiteRT, and LiteRT's outputs of each sequence, [steps, outputs]."""
    model = msgspec.convert(entry, ModelEntry)
    sequences = load_sequences(zoo, model)
    path = zoo / model.model_path
    session = LiteRt().open(BenchModel(model, path, path.read_bytes(), None))
    results = []
    for number, sequence in enumerate(sequences):
        session.reset()
        for index, step in enumerate(sequence.steps):
            session.put(step.load())
            session.invoke()
            results.append(StepResult(number, index, session.take()))
    assert model.evaluator  # noqa: S101 - for the type checker
    figures = make_evaluator(zoo, model.evaluator).evaluate(sequences, results).values
    rows = [np.stack([result.outputs[0] for result in results if result.sequence == n]) for n in range(len(sequences))]
    return figures, [part.astype(np.float32) for part in rows]
