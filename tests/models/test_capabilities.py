"""Capabilities from workloads: figures by hand, time and energy by clocks and counters that the test turns."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from nnvet.driver_kit.base_device import make_capabilities
from nnvet.hal.enums import OperandType
from nnvet.hal.types import PerformanceInfo
from nnvet.models import capabilities
from nnvet.models.capabilities import DerivedCapabilities, Workload, WorkloadForm, figures_of, measure
from nnvet.models.datasets import Array, Step, StepSequence
from nnvet.models.rounds import EnergyMeter, energy_meter
from nnvet.reference_driver import create
from nnvet.reference_driver.device import FILE
from nnvet.reports.events import Performance
from nnvet.reports.facts import named_performance
from tests.commands.test_utilities import nnvet, words
from tests.models.toys.folder import write_toys


def workload(form: WorkloadForm, ours: float, theirs: float, watts: tuple[float, float] | None = None) -> Workload:
    """A workload of given seconds and watts."""
    return Workload("net", form, ours, theirs, *(watts or (None, None)))


def test_figures_are_geometric_means_of_ratios() -> None:
    """Twice and eight times as long is four times; power likewise; what no network tells has no figure."""
    workloads = [
        workload(WorkloadForm.FLOAT32, 0.2, 0.1, (3.0, 1.0)),
        workload(WorkloadForm.FLOAT32, 0.8, 0.1, (12.0, 1.0)),
        workload(WorkloadForm.UINT8, 0.3, 0.1),
        Workload("net", WorkloadForm.INT8, left_out="the driver does not take it"),
    ]
    figures = {figure.name: figure for figure in figures_of(workloads, {}, 2.0)}
    for name in ("FLOAT32", "TENSOR_FLOAT32"):
        assert (figures[name].time, figures[name].power) == (pytest.approx(4), pytest.approx(6))
    assert figures["TENSOR_QUANT8_ASYMM"].time == pytest.approx(3)
    assert figures["TENSOR_QUANT8_ASYMM"].power is None
    for name in ("TENSOR_QUANT8_ASYMM_SIGNED", "relaxed float32 tensor"):
        assert (figures[name].time, figures[name].warnings) == (None, ())


@pytest.mark.parametrize(
    ("claimed", "factor", "warned"),
    [(1.0, 2.0, "takes 4 times as long as it says"), (8.1, 2.0, "takes 0.494 times as long as it says")],
)
def test_claims_that_are_off_are_warned_of(claimed: float, factor: float, warned: str) -> None:
    """Too good and too bad alike; a claim within the factor, and no claim, are not."""
    workloads = [workload(WorkloadForm.UINT8, 0.4, 0.1)]
    claims = {"TENSOR_QUANT8_ASYMM": Performance(claimed, 1.0), "TENSOR_INT32": Performance(1.0, 1.0)}
    figures = {figure.name: figure for figure in figures_of(workloads, claims, factor)}
    assert figures["TENSOR_QUANT8_ASYMM"].warnings == (warned,)
    assert (figures["TENSOR_INT32"].claimed_time, figures["TENSOR_INT32"].time) == (1.0, None)
    within = {
        figure.name: figure for figure in figures_of(workloads, {"TENSOR_QUANT8_ASYMM": Performance(2.1, 9.0)}, 2.0)
    }
    assert within["TENSOR_QUANT8_ASYMM"].warnings == ()


class Clock:
    """Seconds that pass only while a loaded model works."""

    def __init__(self) -> None:
        """Begin at zero."""
        self.now = 0.0

    def perf_counter(self) -> float:
        """The time."""
        return self.now


class Working:
    """A loaded model whose inferences take given seconds, in turns, and use up joules of a counter."""

    def __init__(self, clock: Clock, seconds: tuple[float, ...], counter: Path | None = None, watts: int = 0) -> None:
        """Take ``seconds`` one after the other, again and again."""
        self._clock, self._seconds, self._counter, self._watts = clock, seconds, counter, watts
        self.count = 0

    def reset(self) -> None:
        """Nothing is kept."""

    def put(self, data: bytes) -> None:
        """Take anything."""

    def invoke(self) -> None:
        """Let time and energy pass; the counter has a range of 1 joule."""
        spent = self._seconds[self.count % len(self._seconds)]
        self.count += 1
        self._clock.now += spent
        if self._counter:
            used = int(self._counter.read_text()) + round(self._watts * spent * 1e6)
            self._counter.write_text(str(used % 1_000_000))

    def take(self) -> tuple[Array, ...]:
        """No outputs."""
        return ()

    def close(self) -> None:
        """Nothing is held."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that measuring looks at."""
    clock = Clock()
    monkeypatch.setattr(capabilities.time, "perf_counter", clock.perf_counter)
    return clock


SEQUENCES = (StepSequence((Step(lambda: b""), Step(lambda: b""))),)


def test_disturbances_do_not_count(clock: Clock) -> None:
    """One in four inferences takes ten times as long; loaded models take turns until each has had its time."""
    ours, theirs = Working(clock, (0.004, 0.004, 0.04, 0.004)), Working(clock, (0.001,))
    usages = measure([ours, theirs], SEQUENCES, 1.0, None)
    assert [usage.undisturbed_s for usage in usages] == [pytest.approx(0.004), pytest.approx(0.001)]
    assert all(usage.blocks_s >= 1.0 and usage.watts is None for usage in usages)


def test_energy_is_that_of_ones_own_blocks(clock: Clock, tmp_path: Path) -> None:
    """Ten and four watts are kept apart, over the end of the counter's range."""
    (package := tmp_path / "intel-rapl:0").mkdir()
    (tmp_path / "intel-rapl:0:0").mkdir()
    (package / "energy_uj").write_text("999000")
    (package / "max_energy_range_uj").write_text("1000000")
    meter, _ = energy_meter(tmp_path)
    assert isinstance(meter, EnergyMeter)
    counter = package / "energy_uj"
    loaded_models = [Working(clock, (0.002,), counter, 10), Working(clock, (0.002,), counter, 4)]
    assert [measured.watts for measured in measure(loaded_models, SEQUENCES, 0.5, meter)] == [
        pytest.approx(10),
        pytest.approx(4),
    ]


def test_machines_without_counters_say_so(tmp_path: Path) -> None:
    """No counter, and one that may not be read."""
    assert energy_meter(tmp_path) == (None, f"this machine shows no energy counters ({tmp_path}/*-rapl:?)")
    (tmp_path / "intel-rapl:0").mkdir()
    meter, why = energy_meter(tmp_path)
    assert meter is None
    assert why.startswith("the machine's energy counters cannot be read: ")


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small networks."""
    pytest.importorskip("ai_edge_litert.interpreter", reason="needs the litert extra")
    folder = tmp_path_factory.mktemp("toys")
    write_toys(folder)
    return folder


def test_the_command_compares_claims(toys: Path, tmp_path: Path) -> None:
    """A driver of floats that claims next to no time: of float32 it is warned, 8-bit networks are left out."""
    driver, out = tmp_path / "driver.py", tmp_path / "claims.json"
    driver.write_text(
        "from nnvet.driver_kit.base_device import make_capabilities\n"
        "from nnvet.hal.types import PerformanceInfo\n"
        "from nnvet.reference_driver import create\n"
        "def make():\n"
        "    device = create('float_fast')\n"
        "    device.capabilities = make_capabilities(*[PerformanceInfo(1e-6, 1.0)] * 3)\n"
        "    return device\n"
    )
    only = ["--only", "toy_mobilenet_v1_*", "--seconds", "0", "--in-process", "--models", toys]
    result = nnvet("capabilities", "-d", f"python:{driver}:make", *only, "--out", out)
    assert result.exit_code == 0, result.output
    found = msgspec.json.decode(out.read_bytes(), type=DerivedCapabilities)
    figures = {figure.name: figure for figure in found.figures}
    assert (figures["TENSOR_FLOAT32"].claimed_time, len(figures["TENSOR_FLOAT32"].warnings)) == (1e-6, 1)
    assert figures["TENSOR_QUANT8_ASYMM"].time is None
    assert "the driver does not take" in next(
        measured.left_out for measured in found.workloads if measured.form is WorkloadForm.UINT8
    )
    assert "claims are off by more than a factor of 2" in words(result)


def test_a_folder_of_damaged_models_tells_nothing(toys: Path, tmp_path: Path) -> None:
    """The fault of each model is printed, and the exit code is that of bad input."""
    folder = shutil.copytree(toys, tmp_path / "copy")
    for file in folder.glob("*.tflite"):
        file.write_bytes(file.read_bytes()[:100])
    result = nnvet("capabilities", "--models", folder, "--only", "*_quant", "--seconds", "0")
    assert result.exit_code == 2
    assert "toy_mobilenet_v1_quant.tflite: " in result.output.replace("\n", "")
    assert "no model could be measured; the lines above say why" in words(result)


def test_the_bundled_driver_says_what_was_measured() -> None:
    """The answer to getCapabilities has the figures of the file that the command wrote."""
    measured = msgspec.json.decode(FILE.read_bytes(), type=DerivedCapabilities)
    claims = named_performance(create("").get_capabilities())
    compared = [figure for figure in measured.figures if figure.time]
    assert {figure.name for figure in compared} >= {"TENSOR_FLOAT32", "relaxed float32 tensor", "TENSOR_QUANT8_ASYMM"}
    for figure in compared:
        assert claims[figure.name].exec_time == pytest.approx(figure.time, rel=1e-6)


def test_figures_of_further_types_are_their_own() -> None:
    """One type has its own figure, all others have the default."""
    default, other = PerformanceInfo(1.0, 1.0), PerformanceInfo(3.0, 2.0)
    known = named_performance(make_capabilities(default, default, default, {OperandType.TENSOR_QUANT8_ASYMM: other}))
    assert [name for name, performance in known.items() if performance.exec_time == 3.0] == ["TENSOR_QUANT8_ASYMM"]
