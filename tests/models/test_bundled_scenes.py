"""The bundled detector, segmenter and upscaler: complete, small, as good as their page says, the same on the driver."""

from __future__ import annotations

from collections import Counter

import pytest

from nnvet.formats.tflite.importer import import_model
from nnvet.hal.enums import OperandType, OperationType
from nnvet.models.bundled import ZOO
from nnvet.models.catalogue import load_catalogue
from nnvet.models.datasets import load_sequences
from nnvet.models.driver import DriverContender
from nnvet.models.litert import LiteRt
from nnvet.models.statistics import MARGINS, ArithmeticKind
from nnvet.reference_driver import create
from tests.models.bundled import evaluate, opened, run, stated

TASKS = ("ssd_detector", "fcn_segmenter", "upscaler")
ENTRIES = [entry for entry in load_catalogue(ZOO).entries if entry.name.startswith(TASKS)]
BY_NAME = {entry.name: entry for entry in ENTRIES}
BYTES = 6_000_000
SHORT = 8
"""Pictures that the driver runs; ``nnvet bench`` runs all."""
PICTURES = 160
TYPES = {"": OperandType.TENSOR_FLOAT32, "_quant": OperandType.TENSOR_QUANT8_ASYMM}
OPERATIONS = {
    "ssd_detector": ("DETECTION_POSTPROCESSING", "CONCATENATION", "LOGISTIC", "RESHAPE"),
    "fcn_segmenter": ("RESIZE_BILINEAR", "TRANSPOSE_CONV_2D", "ADD"),
    "upscaler": ("RESIZE_BILINEAR", "DEPTH_TO_SPACE", "ADD"),
}
"""Operations for which the networks are bundled, beside convolutions."""
needs_litert = pytest.mark.usefixtures("_litert")


@pytest.fixture
def _litert() -> None:
    pytest.importorskip("ai_edge_litert", reason="the baseline needs the extra 'litert'")
    pytest.importorskip("PIL", reason="pictures need the extra 'models'")


def test_networks_and_their_forms() -> None:
    """Float, uint8 and int8, but for the upscaler in int8 (see the page), small enough for a package."""
    assert Counter(name.removesuffix("_quant").removesuffix("_int8") for name in BY_NAME) == {
        "ssd_detector_64": 3,
        "fcn_segmenter_64": 3,
        "upscaler_32": 2,
    }
    files = [*(ZOO / "scenes").rglob("*"), *(ZOO / entry.model_path for entry in ENTRIES)]
    assert sum(path.stat().st_size for path in files if path.is_file()) < BYTES


@pytest.mark.parametrize("name", BY_NAME)
def test_operands_and_operations_are_those_that_are_promised(name: str) -> None:
    """Input types; scales per channel of int8; the operations for which there is such a network."""
    with import_model(ZOO / BY_NAME[name].model_path) as imported:
        main = imported.model.main
        ending = next((ending for ending in ("_quant", "_int8") if name.endswith(ending)), "")
        assert imported.inputs[0].type == TYPES.get(ending, OperandType.TENSOR_QUANT8_ASYMM_SIGNED)
        types = {operand.type for operand in main.operands}
        found = {OperationType(operation.type).name for operation in main.operations}
    assert (OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL in types) == (ending == "_int8")
    task = next(task for task in TASKS if name.startswith(task))
    assert {"CONV_2D", *OPERATIONS[task]} <= found


@pytest.mark.parametrize("name", BY_NAME)
def test_pictures_have_their_truth(name: str) -> None:
    """Every picture has one, and no two pictures are alike."""
    sequences = load_sequences(ZOO, BY_NAME[name])
    assert len(sequences) == PICTURES
    assert all(len(sequence.steps) == 1 and sequence.truth_file for sequence in sequences)
    assert sum(bool(sequence.truth) for sequence in sequences) >= PICTURES - 5
    assert len({sequence.steps[0].load() for sequence in sequences[:30]}) == 30


@needs_litert
@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", BY_NAME)
def test_litert_is_as_good_as_stated(name: str) -> None:
    """LiteRT's figures are those of the page, but for what another libjpeg decodes, and within the list's limits."""
    entry = BY_NAME[name]
    sequences = load_sequences(ZOO, entry)
    with opened(entry, LiteRt()) as loaded:
        evaluation = evaluate(entry, sequences, run(loaded, sequences))
    assert evaluation.values == pytest.approx(stated("scenes.md", name), abs=0.01)
    assert set(evaluation.limits) == set(evaluation.values)
    assert not evaluation.errors


@needs_litert
@pytest.mark.parametrize("name", BY_NAME)
def test_driver_is_as_good_as_litert(name: str) -> None:
    """On the first pictures, the figures of floats are the same and those of codes differ by a margin at most."""
    entry = BY_NAME[name]
    sequences = load_sequences(ZOO, entry)[:SHORT]
    figures = []
    for backend in (LiteRt(), DriverContender("reference", create(""))):
        with opened(entry, backend) as loaded:
            figures.append(evaluate(entry, sequences, run(loaded, sequences)).values)
    allowed = {key: abs(MARGINS[key][ArithmeticKind.CODES]) for key in figures[0] if key in MARGINS}
    assert allowed
    for key, margin in allowed.items():
        assert figures[1][key] == pytest.approx(figures[0][key], abs=margin if entry.data_size == 1 else 1e-3)
