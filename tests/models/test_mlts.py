"""The benchmark on real data of Android's Machine Learning Test Suite, where the environment names a folder of it.

Expected accuracies are those published for a subset of 300 pictures (LiteRT on a CPU, antialiased bilinear scaling).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nnvet.formats.tflite.importer import import_model
from nnvet.models.bench import BenchOptions, baselines, run_bench
from nnvet.models.catalogue import load_catalogue
from nnvet.models.driver import DriverContender
from nnvet.reference_driver import create
from nnvet.reports.events import Verdict

FOLDER = os.environ.get("NNVET_MLTS", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="NNVET_MLTS does not name a folder with models_list/")
GOLDEN = ("mobilenet_v1_0.25_128", "mobilenet_v1_0.25_128_quant", "tts_float")
TOP_1 = {"mobilenet_v1_0.25_128_topk_aosp": 0.363, "mobilenet_v1_0.25_128_quant_topk_aosp": 0.367}


@pytest.mark.parametrize("name", GOLDEN)
def test_models_convert(name: str) -> None:
    """Real models become valid HAL models; the speech model keeps its seven states."""
    with import_model(Path(FOLDER) / f"{name}.tflite") as imported:
        assert len(imported.states) == (7 if name == "tts_float" else 0)
        assert imported.feature_level <= 3


def test_golden_outputs() -> None:
    """Driver and LiteRT match the golden outputs: bytes exactly, floats within NNAPI's float32 rule."""
    found, why = baselines()
    contenders = [*found, DriverContender("reference", create(""))]
    options = BenchOptions(warmup_s=0.0, run_s=0.0, compile=None, only=GOLDEN)
    for result in run_bench(load_catalogue(Path(FOLDER)), contenders, options).results:
        assert result.verdict is Verdict.PASS, (result.reason, why)
        assert result.golden is not None
        assert result.golden.excess <= 0
        if "quant" in result.model:
            assert result.golden.max_single_error == 0


def test_published_accuracy() -> None:
    """LiteRT reaches the published accuracy on the pictures to three digits."""
    found, why = baselines()
    if not found:
        pytest.skip(why)
    options = BenchOptions(warmup_s=0.0, run_s=0.0, compile=None, only=tuple(TOP_1))
    for result in run_bench(load_catalogue(Path(FOLDER)), found, options).results:
        assert result.evaluation is not None
        if result.test_set_size != 300:
            pytest.skip(f"the figures are for 300 pictures, the folder has {result.test_set_size}")
        assert round(result.evaluation.values["top_1"], 3) == TOP_1[result.model]
