"""Noise limits: subtly wrong drivers break them, honest ones in float32, float16 and codes do not."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nnvet.adapters import create_device
from nnvet.hal.interfaces import Device
from nnvet.hal.types import Operand, OperandType
from nnvet.models.bench import BenchOptions, run_bench
from nnvet.models.catalogue import load_catalogue
from nnvet.models.driver import DriverContender
from nnvet.models.results import BenchResult
from nnvet.models.statistics import ArithmeticKind, noise_db
from nnvet.reference_driver import create
from nnvet.reports.events import Verdict
from tests.drivers.changed import HonestHalf
from tests.models.toys.folder import write_toys

PICTURES = "toy_mobilenet_v2_float_pictures"
FLOAT, CODES = Operand(OperandType.TENSOR_FLOAT32), Operand(OperandType.TENSOR_QUANT8_ASYMM, zero_point=10)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small networks and their pictures."""
    path = tmp_path_factory.mktemp("toys")
    write_toys(path)
    return path


def judged(folder: Path, device: Device, *, relaxed: bool) -> BenchResult:
    """The network of many pictures on one driver, without any baseline."""
    options = BenchOptions(0.0, 0.0, compile=None, relaxed=relaxed, only=(PICTURES,))
    (result,) = run_bench(load_catalogue(folder), [DriverContender("d", device)], options).results
    return result


def test_noise_in_decibels() -> None:
    """An error of 1 % of the signal is -40 dB; codes count from their zero point; no error is what rounding makes."""
    exact = np.asarray([3.0, 4.0], np.float32)
    off = exact + np.asarray([0.03, 0.04], np.float32)
    assert noise_db([(off, exact)], FLOAT, ArithmeticKind.FLOAT32) == pytest.approx(-40, abs=1e-4)
    codes = np.asarray([13, 14], np.uint8)
    assert noise_db([(codes + np.uint8(1), codes)], CODES, ArithmeticKind.CODES) == pytest.approx(
        10 * math.log10(2 / 25)
    )
    assert noise_db([(codes, codes)], CODES, ArithmeticKind.CODES) == pytest.approx(10 * math.log10(0.25 / 25))
    # 5 * 2^-23 of 3 and of 4 besides 1e-5: NNAPI's rule.
    rule = (1e-5 + 3 * 5 * 2**-23) ** 2 + (1e-5 + 4 * 5 * 2**-23) ** 2
    assert noise_db([(exact, exact)], FLOAT, ArithmeticKind.FLOAT32) == pytest.approx(10 * math.log10(rule / 25))
    assert noise_db([(exact * np.float32(np.nan), exact)], FLOAT, ArithmeticKind.FLOAT32) == math.inf


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("bug", "relaxed"), [("bench-float16-sums", False), ("bench-one-channel", False), ("bench-one-channel", True)]
)
def test_subtly_wrong_drivers_fail(folder: Path, bug: str, relaxed: bool) -> None:
    """Sums in float16 and one wrong channel are found in the outputs, though no label may change.

    Relaxed models may be summed in float16, and in so small a network that is within twice the honest noise.
    """
    result = judged(folder, create_device(f"zoo:{bug}"), relaxed=relaxed)
    assert result.verdict is Verdict.FAIL
    assert "output noise beside honest arithmetic" in result.reason


@pytest.mark.sampled(2)
@pytest.mark.parametrize("relaxed", [False, True])
def test_honest_drivers_pass(folder: Path, relaxed: bool) -> None:
    """The bundled driver, and one that keeps relaxed models in float16."""
    for device in (create(""), HonestHalf()):
        result = judged(folder, device, relaxed=relaxed)
        assert result.verdict is Verdict.PASS, result.reason
        (noise,) = [comparison for comparison in result.comparisons if comparison.metric == "output_noise_db"]
        assert noise.examples == 24
        assert noise.high < noise.margin


def test_codes_are_judged_by_their_neighbours(folder: Path) -> None:
    """Of codes the yardstick is rounding by chance, which the bundled driver's is far better than."""
    options = replace(BenchOptions(0.0, 0.0, compile=None), only=("toy_mobilenet_v2_quant_pictures",))
    (result,) = run_bench(load_catalogue(folder), [DriverContender("d", create(""))], options).results
    assert result.verdict is Verdict.PASS, result.reason
    assert [comparison.margin for comparison in result.comparisons if comparison.metric == "output_noise_db"] == [6.0]
