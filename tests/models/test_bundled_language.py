"""The bundled language model: as good as its page says, nearly as good as can be, the same on the driver."""

from __future__ import annotations

import math
import struct

import pytest

from nnvet.formats.tflite.importer import import_model
from nnvet.hal.enums import OperationType
from nnvet.models.bundled import ZOO
from nnvet.models.catalogue import load_catalogue
from nnvet.models.datasets import load_sequences
from nnvet.models.driver import DriverContender
from nnvet.models.litert import LiteRt
from nnvet.reference_driver import create
from tests.models.bundled import evaluate, opened, run, stated

ENTRY = load_catalogue(ZOO).by_name("language_model")
SHORT = 2
"""Sequences that the driver runs; ``nnvet bench`` runs all."""


def test_the_network_has_its_operations_and_states() -> None:
    """A word's number becomes a row of a table, then an LSTM keeps two states."""
    with import_model(ZOO / ENTRY.model_path) as imported:
        found = {OperationType(operation.type).name for operation in imported.model.main.operations}
        assert {"CAST", "EMBEDDING_LOOKUP", "LSTM", "FULLY_CONNECTED", "LOG_SOFTMAX"} <= found
        assert len(imported.states) == 2


def test_sequences_are_whole() -> None:
    """Each step's word is the truth of the step before; all words are in the list."""
    words = (ZOO / "language" / "words.txt").read_text("utf-8").split()
    sequences = load_sequences(ZOO, ENTRY)
    assert len(sequences) == 24
    for sequence in sequences:
        said = sequence.truth.decode().split()
        numbers = [struct.unpack("<f", step.load())[0] for step in sequence.steps]
        assert len(said) == len(numbers)
        assert set(said) <= set(words)
        given = [words[int(number)] for number in numbers]
        assert given[1:] == said[:-1]
        assert (given[0], said[-1], said.count(".")) == (".", ".", 10)


def test_litert_is_as_good_as_stated() -> None:
    """LiteRT's figures are those of the page, within the list's limits, and no better than the grammar allows."""
    pytest.importorskip("ai_edge_litert", reason="the baseline needs the extra 'litert'")
    sequences = load_sequences(ZOO, ENTRY)
    with opened(ENTRY, LiteRt()) as loaded:
        evaluation = evaluate(ENTRY, sequences, run(loaded, sequences))
    assert {key: round(value, 3) for key, value in evaluation.values.items()} == stated("language.md", ENTRY.name)
    assert set(evaluation.limits) == set(evaluation.values)
    assert not evaluation.errors
    # The page states the cross entropy of the grammar itself, which training.language calculates: 3.261.
    assert 3.2611 < evaluation.values["cross_entropy"] < 3.2611 + 0.1
    assert evaluation.values["perplexity"] == pytest.approx(math.exp(evaluation.values["cross_entropy"]))


def test_driver_is_as_good_as_litert() -> None:
    """On the first sequences the figures are within a thousandth of each other."""
    pytest.importorskip("ai_edge_litert", reason="the baseline needs the extra 'litert'")
    sequences = load_sequences(ZOO, ENTRY)[:SHORT]
    figures = []
    for backend in (LiteRt(), DriverContender("reference", create(""))):
        with opened(ENTRY, backend) as loaded:
            figures.append(evaluate(ENTRY, sequences, run(loaded, sequences)).values)
    assert figures[1] == pytest.approx(figures[0], rel=1e-3)
