"""The bundled speech networks: complete, small, as good as their page says on LiteRT, and the same on the driver."""

from __future__ import annotations

import pytest

from nnvet.models.bundled import ZOO
from nnvet.models.catalogue import load_catalogue
from nnvet.models.datasets import load_sequences
from nnvet.models.driver import DriverContender
from nnvet.models.golden import GoldenComparison
from nnvet.models.litert import LiteRt
from nnvet.reference_driver import create
from tests.models.bundled import evaluate, opened, run, stated

ENTRIES = [entry for entry in load_catalogue(ZOO).entries if entry.name.startswith("speech_")]
NAMES = [entry.name for entry in ENTRIES]
BY_NAME = dict(zip(NAMES, ENTRIES, strict=True))
TRUE = [name for name in NAMES if name.endswith("_truth")]
BYTES = 4_000_000
SHORT = 4
"""Sequences that the driver runs; ``nnvet bench`` runs all."""
needs_litert = pytest.mark.usefixtures("_litert")


@pytest.fixture
def _litert() -> None:
    pytest.importorskip("ai_edge_litert", reason="the baseline needs the extra 'litert'")


def test_two_models_with_golden_outputs_and_truth() -> None:
    """Recognition and synthesis, each against golden outputs and against the truth, small enough for a package."""
    assert [f"speech_{task}{end}" for task in ("recogniser", "synthesiser") for end in ("", "_truth")] == NAMES
    assert [len(BY_NAME[name].input_outputs) for name in NAMES] == [12, 36, 8, 20]
    files = [*ZOO.glob("speech/*"), *ZOO.glob("speech_*.tflite")]
    assert sum(path.stat().st_size for path in files) < BYTES
    assert max(path.stat().st_size for path in files) < 2_000_000


@pytest.mark.parametrize("name", NAMES)
def test_sequences_are_whole(name: str) -> None:
    """Every file is there and fits; phones are known and no two sequences are alike."""
    entry = BY_NAME[name]
    sequences = load_sequences(ZOO, entry)
    outputs = {"speech_recogniser": 44, "speech_synthesiser": 196}[entry.model_file]
    known = set((ZOO / "speech" / "phones.txt").read_text("utf-8").split())
    assert len(known) == 44
    for sequence in sequences:
        assert 30 <= len(sequence.steps) <= 250
        assert all(golden.size == outputs for step in sequence.steps for golden in step.golden)
        if name == "speech_recogniser_truth":
            assert set(sequence.truth.decode().split()) < known
        elif name in TRUE:
            assert len(sequence.truth) == 4 * outputs * len(sequence.steps)
    assert len({sequence.steps[20].load() + sequence.steps[30].load() for sequence in sequences}) == len(sequences)


@needs_litert
@pytest.mark.parametrize("name", TRUE)
def test_litert_is_as_good_as_stated(name: str) -> None:
    """LiteRT's figures are those of the page to their last digit, and within the list's limits."""
    sequences = load_sequences(ZOO, BY_NAME[name])
    with opened(BY_NAME[name], LiteRt()) as loaded:
        evaluation = evaluate(BY_NAME[name], sequences, run(loaded, sequences))
    assert {key: round(value, 3) for key, value in evaluation.values.items()} == stated("speech.md", name)
    assert set(evaluation.limits) == set(evaluation.values)
    assert not evaluation.errors


@needs_litert
@pytest.mark.parametrize("name", TRUE)
def test_driver_is_as_good_as_litert(name: str) -> None:
    """On the same sequences the figures are within a thousandth of each other."""
    sequences = load_sequences(ZOO, BY_NAME[name])[:SHORT]
    figures = []
    for backend in (LiteRt(), DriverContender("reference", create(""))):
        with opened(BY_NAME[name], backend) as loaded:
            figures.append(evaluate(BY_NAME[name], sequences, run(loaded, sequences)).values)
    assert figures[1] == pytest.approx(figures[0], rel=1e-3)


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(TRUE)))
def test_driver_matches_golden_outputs(name: str) -> None:
    """Every output keeps the rule for float32, and the evaluators of MLTS find no difference that they would fail."""
    sequences = load_sequences(ZOO, BY_NAME[name])[:SHORT]
    with opened(BY_NAME[name], DriverContender("reference", create(""))) as loaded:
        results = run(loaded, sequences)
    golden = GoldenComparison()
    for result in results:
        golden.add(result.outputs, sequences[result.sequence].steps[result.step].golden, name)
    assert golden.excess <= 0
    assert not evaluate(BY_NAME[name], sequences, results).errors
