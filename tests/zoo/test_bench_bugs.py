"""Drivers that only real networks show to be wrong: the bundled ones do, and blame no honest driver."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from nnvet.adapters import create_device
from nnvet.hal.interfaces import Device
from nnvet.models.bench import BenchOptions, run_bench
from nnvet.models.bundled import ZOO
from nnvet.models.catalogue import load_catalogue
from nnvet.models.driver import DriverContender
from nnvet.models.results import BenchResult
from nnvet.reference_driver.zoo.registry import bugs
from nnvet.reports.events import Verdict
from tests.drivers.changed import HonestHalf

SUBTLE_BUGS = {name: bug for name, bug in bugs().items() if bug.models}


def judged(device: Device, model: str, *, relaxed: bool) -> BenchResult:
    """A bundled network on a driver."""
    options = BenchOptions(0.0, 0.0, compile=None, relaxed=relaxed, only=(model,))
    (result,) = run_bench(load_catalogue(ZOO), [DriverContender("d", device)], options).results
    return result


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "bench-one-channel" else pytest.mark.long) for name in SUBTLE_BUGS]
)
def test_a_network_shows_the_bug(name: str) -> None:
    """A model that the zoo names fails on the driver, by the noise of its outputs."""
    models = [entry.name for entry in load_catalogue(ZOO).entries if fnmatchcase(entry.name, SUBTLE_BUGS[name].models)]
    assert models
    result = judged(create_device(f"zoo:{name}"), models[0], relaxed=False)
    assert result.verdict is Verdict.FAIL
    assert "output noise beside honest arithmetic" in result.reason


@pytest.mark.parametrize("relaxed", [pytest.param(False, marks=pytest.mark.long), True])
def test_honest_float16_is_not_blamed(relaxed: bool) -> None:
    """If a model allows float16, a driver that keeps all operands in it passes; its noise is the yardstick's."""
    result = judged(HonestHalf(), "mobilenet_v1_0.2_64", relaxed=relaxed)
    assert result.verdict is Verdict.PASS, result.reason
    (noise,) = [comparison for comparison in result.comparisons if comparison.metric == "output_noise_db"]
    assert abs(noise.difference) < 1
    assert noise.examples == 32
