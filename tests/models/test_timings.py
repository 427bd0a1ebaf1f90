"""Comparison of latencies: ratios of rounds with their interval, the first inference, the way to the driver."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nnvet.adapters import open_driver
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.hal.interfaces import Device
from nnvet.hal.types import ExecutionResult
from nnvet.models.bench import BenchOptions, baselines, run_bench
from nnvet.models.catalogue import load_catalogue
from nnvet.models.compiling import CompileLimits
from nnvet.models.driver import DriverContender, measure_overhead
from nnvet.models.results import measurement_event
from nnvet.models.rounds import latency_ratio
from nnvet.reference_driver import create
from nnvet.reports.facts import machine_facts
from nnvet.transport.burst.client import QueueBurst
from tests.drivers.changed import Liar, Wrapped
from tests.models.toys.folder import write_toys


def test_the_ratio_of_rounds() -> None:
    """Twice as long in each round is 2, however much the machine slows from round to round."""
    baseline = [0.001 * 1.1**number for number in range(50)]
    found = latency_ratio([2 * seconds for seconds in baseline], baseline)
    assert found is not None
    assert (found.value, found.low, found.high, found.rounds) == (
        pytest.approx(2),
        pytest.approx(2),
        pytest.approx(2),
        50,
    )


def test_disturbed_rounds_move_the_ratio_little() -> None:
    """A tenth of the rounds that took a hundred times as long are outliers of a median; further turns do not count."""
    rng = np.random.default_rng(3)
    own = 0.003 * rng.normal(1, 0.05, 200)
    own[::10] *= 100
    found = latency_ratio([*own, 7.0, 7.0], list(0.001 * rng.normal(1, 0.05, 200)))
    assert found is not None
    assert found.rounds == 200
    assert 2.9 < found.low < 3.02 < found.high < 3.2


def test_intervals_hold_the_truth() -> None:
    """Of 300 measurements of the ratio 1.5 with 20 % of noise about 95 % of the intervals hold it."""
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        found = latency_ratio(list(1.5 * rng.lognormal(0, 0.2, 41)), [1.0] * 41)
        held += found is not None and found.low <= 1.5 <= found.high
    assert 0.91 <= held / 300 <= 0.99


def test_no_round_is_no_ratio() -> None:
    """Without a turn of both, or of a baseline that took no time, there is nothing to divide."""
    assert latency_ratio([], [0.1]) is None
    assert latency_ratio([0.1], [0.0]) is None


def test_the_way_to_a_driver() -> None:
    """In seconds, less than its budget of one, in this process and through a service; who runs nothing has none."""
    inside = measure_overhead(create(""), 8, 10.0)
    with open_driver("reference", timeout_s=10.0) as driver:
        outside = measure_overhead(driver.device, 8, 10.0)
    assert inside is not None
    assert outside is not None
    assert 0 < inside < 1
    assert 0 < outside < 1
    assert measure_overhead(Liar(), 8, 10.0) is None


@pytest.mark.parametrize(
    ("level", "method"), [(8, "configure_execution_burst"), (3, "configure_execution_burst"), (2, "execute")]
)
def test_the_fastest_executor_of_a_level(
    monkeypatch: pytest.MonkeyPatch, device: Device, level: int, method: str
) -> None:
    """Bursts came with HAL 1.2, which is feature level 3; what came before only launches and notifies."""
    called = _recorded(monkeypatch)
    assert measure_overhead(device, level, 10.0) is not None
    assert set(called) == {method}


def test_a_service_is_awake_when_its_inference_is_timed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each inference of a network is announced once before it begins, while its input is written."""
    order: list[str] = []
    execute = QueueBurst.execute_synchronously

    def executing(burst: QueueBurst, *arguments: Any) -> ExecutionResult:
        order.append("executed")
        return execute(burst, *arguments)

    monkeypatch.setattr(QueueBurst, "announce", lambda _: order.append("announced"))
    monkeypatch.setattr(QueueBurst, "execute_synchronously", executing)
    monkeypatch.setattr("nnvet.models.driver.measure_overhead", lambda *_: None)
    write_toys(tmp_path)
    options = BenchOptions(0.0, 0.0, compile=CompileLimits(0.0, 0.0), only=("toy_asr_float",))
    with open_driver("reference", timeout_s=10.0) as driver:
        run_bench(load_catalogue(tmp_path), [DriverContender("d", driver.device)], options)
    assert len(order) >= 4
    assert order == ["announced", "executed"] * (len(order) // 2)


@pytest.fixture
def device() -> Device:
    """The bundled driver in this process."""
    return create("")


def _recorded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the calls by which the bundled driver's models are executed, as they come."""
    called: list[str] = []

    def record(name: str) -> None:
        method = getattr(BasePreparedModel, name)

        def recording(*arguments: object) -> object:
            called.append(name)
            return method(*arguments)

        monkeypatch.setattr(BasePreparedModel, name, recording)

    for name in ("configure_execution_burst", "execute"):
        record(name)
    return called


def test_a_measurement_says_all_of_it(tmp_path: Path) -> None:
    """The first inference, the way to the driver, the ratio to LiteRT, the family, and that the network is a toy."""
    write_toys(tmp_path)
    options = BenchOptions(0.0, 0.0, compile=CompileLimits(0.0, 0.0), only=("toy_asr_float",))
    contenders = [*baselines()[0], DriverContender("d", Wrapped())]
    measured = measurement_event(run_bench(load_catalogue(tmp_path), contenders, options).results[-1])
    assert measured.first_inference_s is not None
    assert measured.harness_overhead_s is not None
    assert measured.toy
    if len(contenders) > 1:
        assert measured.latency_ratio is not None
        assert measured.latency_ratio.rounds >= 1


def test_facts_of_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The governor is what the kernel's file says, and empty without one; the load is that of the kernel."""
    monkeypatch.setattr("nnvet.reports.facts.GOVERNOR", tmp_path / "governor")
    assert machine_facts().governor == ""
    (tmp_path / "governor").write_text("performance\n", "utf-8")
    facts = machine_facts()
    assert facts.governor == "performance"
    assert facts.load is not None
    assert facts.load >= 0
