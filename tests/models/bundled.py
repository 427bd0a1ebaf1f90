"""Runs of the bundled networks on LiteRT and on drivers, and the figures that the zoo's pages state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from nnvet.formats.tflite.importer import import_model
from nnvet.models.bundled import ZOO
from nnvet.models.catalogue import ModelEntry
from nnvet.models.contenders import BenchModel, LoadedModel
from nnvet.models.datasets import StepSequence
from nnvet.models.driver import DriverContender
from nnvet.models.evaluation import Evaluation, StepResult
from nnvet.models.evaluators import make_evaluator
from nnvet.models.litert import LiteRt


@contextmanager
def opened(entry: ModelEntry, backend: LiteRt | DriverContender) -> Iterator[LoadedModel]:
    """A model of the zoo on LiteRT or on a driver."""
    path = ZOO / entry.model_path
    data = path.read_bytes()
    with (
        import_model(data, input_shape=entry.input_size, name=entry.name) as imported,
        closing(backend.open(BenchModel(entry, path, data, imported))) as loaded,
    ):
        yield loaded


def run(loaded: LoadedModel, sequences: Sequence[StepSequence]) -> list[StepResult]:
    """Outputs of every step of the sequences."""
    results = []
    for number, sequence in enumerate(sequences):
        loaded.reset()
        for index, step in enumerate(sequence.steps):
            loaded.put(step.load())
            loaded.invoke()
            results.append(StepResult(number, index, loaded.take()))
    return results


def evaluate(entry: ModelEntry, sequences: Sequence[StepSequence], results: Sequence[StepResult]) -> Evaluation:
    """Return the judgement of the entry's evaluator."""
    assert entry.evaluator
    return make_evaluator(ZOO, entry.evaluator).evaluate(sequences, results)


def stated(page: str, name: str) -> dict[str, float]:
    """Figures of LiteRT in a page of the zoo, in a table of entries, figures and their values."""
    text = (ZOO / page).read_text("utf-8")
    rows = re.findall(rf"^\| `{name}` \| `(\w+)` \| ([\d.]+) ", text, re.MULTILINE)
    return {key: float(value) for key, value in rows}
