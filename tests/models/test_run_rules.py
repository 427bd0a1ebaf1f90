"""Run rules: invalid measurements of every kind are planted and found, and honest ones are valid.

A machine of numbers takes the place of the real one, and a driver by its clock that of a real one, so that nothing
depends on the load of the machine that runs the tests. Processor time is that of real processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from msgspec.structs import replace as struct_replace

from nnvet.adapters.calls import prepare
from nnvet.conformance.engine.target import Target, open_target
from nnvet.formats.onnx.reader import import_network
from nnvet.hal.interfaces import Device
from nnvet.hal.types import PrepareModelConfig
from nnvet.models import conditions
from nnvet.models.alone import cold_start, run_sustained
from nnvet.models.bench import BenchOptions, run_bench
from nnvet.models.catalogue import load_catalogue
from nnvet.models.conditions import Readers, Watch, median_interval, outliers
from nnvet.models.contenders import BenchModel, CompileRun
from nnvet.models.datasets import Array, Step, StepSequence, load_sequences
from nnvet.models.driver import DriverContender, contender_of
from nnvet.models.results import measurement_event
from nnvet.models.run_rules import breaches_of
from nnvet.reports.bench_lines import rule_lines
from nnvet.reports.conditions import ColdStart, Conditions
from nnvet.reports.events import Measurement, SpeedRatio, decode, encode
from nnvet.reports.figures import summarise
from nnvet.reports.html.measuring import judge_cold
from tests.drivers import accelerators
from tests.drivers.accelerators import COMPILATION_S, WORK_S, Remembering
from tests.models.toys.folder import write_toys

TOY = "toy_mobilenet_v1_quant"


@dataclass
class Machine:
    """A machine of two processors by numbers; time passes only by inferences, and by pauses.

    ``others`` are processors that others use, ``clock`` gives the clock at a moment. Each inference takes what
    ``latencies`` give.
    """

    now_s: float = 0.0
    others: float = 0.0
    clock: Callable[[float], float] = lambda _: 3e9
    throttled: int = 0
    temperature: tuple[float, float] | None = (50.0, 90.0)
    latencies: Iterator[float] = field(default_factory=lambda: steady(2e-3))
    waits: float = 0.0
    rises: int = 0

    @property
    def readers(self) -> Readers:
        """Functions that read it; own work is one processor."""
        return Readers(
            busy_s=lambda: self.now_s * (1 + self.others),
            clock_hz=lambda: self.clock(self.now_s),
            throttled=self._counted,
            temperature=lambda: self.temperature,
            processor_s=lambda _: self.now_s,
            now_s=lambda: self.now_s,
            sleep=self.sleep,
            processors=lambda: 2,
        )

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now_s += seconds

    def _counted(self) -> int:
        self.throttled += self.rises
        return self.throttled

    def waiting(self) -> tuple[int, int]:
        """Nanoseconds for which the benchmark ran, and waited."""
        return round(self.now_s * 1e9), round(self.now_s * self.waits * 1e9)


def steady(seconds: float = 2e-3, spread: float = 0.01) -> Iterator[float]:
    """Latencies of a quiet machine."""
    rng = np.random.default_rng(11)
    while True:
        yield seconds * float(rng.lognormal(0, spread))


@dataclass
class Numbered:
    """A driver whose inferences take what the machine says; it returns zeros."""

    machine: Machine
    backend: str = "nnvet:numbered"

    def open(self, model: BenchModel) -> Numbered:
        """Load nothing."""
        return self

    def renew(self) -> None:
        """Do nothing."""

    def overhead_s(self) -> None:
        """Say nothing."""

    def compile_runs(self, model: BenchModel, folder: Path) -> dict[str, CompileRun]:
        """Compile nothing."""
        return {}

    def reset(self) -> None:
        """Do nothing."""

    def put(self, data: bytes) -> None:
        """Do nothing."""

    def invoke(self) -> None:
        """Let time pass."""
        self.machine.sleep(next(self.machine.latencies))

    def take(self) -> tuple[Array, ...]:
        """Zeros."""
        return (np.zeros(16, np.uint8),)

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small networks, written once."""
    path = tmp_path_factory.mktemp("toys")
    write_toys(path)
    return path


@contextmanager
def one_model(folder: Path) -> Iterator[tuple[BenchModel, StepSequence]]:
    """A model with its first sequence."""
    catalogue = load_catalogue(folder)
    entry = catalogue.by_name(TOY)
    path = folder / entry.model_path
    data = path.read_bytes()
    with import_network(path, data, input_shape=entry.input_size) as imported:
        yield BenchModel(entry, path, data, imported), load_sequences(folder, entry)[0]


def measured(monkeypatch: pytest.MonkeyPatch, toys: Path, machine: Machine, run_s: float = 2.0) -> Measurement:
    """Benchmark a model on the machine, and read the measurement from its line in the log."""
    clock = SimpleNamespace(perf_counter_ns=lambda: round(machine.now_s * 1e9))
    monkeypatch.setattr("nnvet.models.rounds.time", clock)
    monkeypatch.setattr("nnvet.models.bench.waiting_times_ns", machine.waiting)
    options = BenchOptions(0.1, run_s, compile=None, only=(TOY,), readers=machine.readers)
    (result,) = run_bench(load_catalogue(toys), [Numbered(machine)], options).results
    event = decode(encode(measurement_event(result)))
    assert isinstance(event, Measurement)
    return event


def test_an_honest_run_is_valid(monkeypatch: pytest.MonkeyPatch, toys: Path) -> None:
    """1000 inferences of 2 ms, 1 % apart, on a machine that does nothing else: every figure is valid."""
    found = measured(monkeypatch, toys, Machine())
    assert found.breaches == ()
    assert found.conditions is not None
    assert found.conditions.others_during == 0
    assert found.conditions.clock_hz == (3e9, 3e9)
    assert rule_lines([found]) == []


def late_load() -> Machine:
    """A machine on which others begin to work after the run has begun."""
    machine = Machine()
    machine.latencies = _then(machine, 0.5, lambda: setattr(machine, "others", 0.9))
    return machine


def _then(machine: Machine, at_s: float, act: Callable[[], None]) -> Iterator[float]:
    for latency in steady():
        if machine.now_s > at_s:
            act()
        yield latency


def sometimes(far: float, every: int) -> Iterator[float]:
    """Latencies of which every so many is far above the others."""
    for number, latency in enumerate(steady()):
        yield latency * (far if number % every == 0 else 1)


def two_speeds() -> Iterator[float]:
    """Latencies that are either 1 or 2 ms, as drawn, so that their median is no number."""
    rng = np.random.default_rng(3)
    while True:
        yield float(rng.choice([1e-3, 2e-3]))


PLANTED: dict[str, tuple[Callable[[], Machine], str, str, str]] = {
    "load at the start": (lambda: Machine(others=0.8), "latency", "load", "0.8 before the run"),
    "load during the run": (late_load, "latency", "load", "during it of 2 processors"),
    "no processor": (lambda: Machine(waits=0.5), "latency", "load", "waited 33% of its time"),
    "a clock that falls": (
        lambda: Machine(clock=lambda now_s: 3e9 if now_s < 1 else 1.2e9),
        "latency",
        "clock",
        "between 1.20 and 3.00 GHz",
    ),
    "throttling that the kernel counts": (lambda: Machine(rises=3), "latency", "clock", "throttling 3 times"),
    "heat": (lambda: Machine(temperature=(91.0, 90.0)), "latency", "temperature", "91 °C, its limit is 90 °C"),
    "outliers": (lambda: Machine(latencies=sometimes(4, 12)), "latency", "outliers", "8% of"),
    "a wide interval": (lambda: Machine(latencies=two_speeds()), "latency", "interval", "of the median is"),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_planted_faults_of_the_machine(monkeypatch: pytest.MonkeyPatch, toys: Path, kind: str) -> None:
    """The figure is invalid, for this reason and no other, and the terminal says what to do."""
    make, figure, rule, reason = PLANTED[kind]
    found = measured(monkeypatch, toys, make())
    assert {(breach.figure, breach.rule) for breach in found.breaches} == {(figure, rule)}, found.breaches
    assert any(reason in breach.reason for breach in found.breaches), found.breaches
    (line,) = rule_lines([found])
    assert f"not valid by {rule}" in line
    assert found.breaches[0].advice[1:] in line


def test_a_short_run_has_too_few_samples(monkeypatch: pytest.MonkeyPatch, toys: Path) -> None:
    """50 inferences of 2 ms are 0.1 s, and too few for both percentiles, which need 64 and 662."""
    found = measured(monkeypatch, toys, Machine(), run_s=0.1)
    assert [(breach.figure, breach.rule) for breach in found.breaches] == [
        ("latency", "duration"),
        ("p90", "samples"),
        ("p99", "samples"),
    ]
    assert "at least 662" in found.breaches[2].reason


def test_energy_under_load_is_that_of_others(monkeypatch: pytest.MonkeyPatch, toys: Path) -> None:
    """Counters are of the whole machine; without other work the energy is valid."""
    quiet = measured(monkeypatch, toys, Machine())
    busy = measured(monkeypatch, toys, late_load())
    for found, rules in ((quiet, []), (busy, ["load"])):
        counted = struct_replace(found, energy_j=0.01)
        assert [breach.rule for breach in breaches_of(counted) if breach.figure == "energy"] == rules


def test_a_wide_ratio_is_no_speed() -> None:
    """From half to one and a half of the baseline's latency says nothing."""
    wide = Measurement("m", "nnvet:d", latency_ratio=SpeedRatio(1.0, 0.5, 1.5, 5))
    narrow = Measurement("m", "nnvet:d", latency_ratio=SpeedRatio(1.0, 0.95, 1.05, 5))
    assert [(breach.figure, breach.rule) for breach in breaches_of(wide)] == [("speed", "interval")]
    assert breaches_of(narrow) == ()


@pytest.mark.parametrize(("driver", "rules"), [("Waiting", []), ("Computing", ["cpu"])])
def test_an_accelerator_that_computes_on_the_cpu(toys: Path, driver: str, rules: list[str]) -> None:
    """Both take 20 ms; the process of one of them sleeps meanwhile, that of the other uses a processor.

    The latencies of a busy machine are longer; those that count are of a quiet one.
    """
    target = Target(f"python:{accelerators.__file__}:{driver}", timeout_s=30.0)
    with open_target(target) as opened:
        options = BenchOptions(0.0, 0.3, compile=None, only=(TOY,))
        (result,) = run_bench(load_catalogue(toys), [contender_of(opened, target)], options).results
    found = measurement_event(replace(result, latency=summarise([WORK_S * 1.1] * 1000)))
    assert found.conditions is not None
    assert found.conditions.is_accelerator
    assert [breach.rule for breach in found.breaches if breach.rule == "cpu"] == rules
    used_s = found.conditions.driver_cpu_s
    assert used_s is not None
    assert (used_s >= WORK_S) is bool(rules)


@pytest.mark.parametrize(("is_known", "rules"), [(False, []), (True, ["cold"])])
def test_a_warm_cache_is_not_called_cold(
    monkeypatch: pytest.MonkeyPatch, toys: Path, is_known: bool, rules: list[str]
) -> None:
    """A cache of the driver's own outlives it; the model with another constant, which is in none, shows it."""
    machine, cache = Machine(), set[str]()
    monkeypatch.setattr("nnvet.models.alone.time", SimpleNamespace(perf_counter_ns=lambda: round(machine.now_s * 1e9)))

    def start() -> Device:
        return Remembering(cache, machine.sleep)

    with one_model(toys) as (model, sequence):
        if is_known:
            prepare(start(), model.imported.model, PrepareModelConfig(), 30.0)
        found = cold_start(DriverContender("d", start(), start), model, sequence)
    assert found.prepare_s == pytest.approx(0.0 if is_known else COMPILATION_S)
    assert found.unknown_s == pytest.approx(COMPILATION_S)
    breaches = breaches_of(Measurement("m", "nnvet:d", cold=found))
    assert [breach.rule for breach in breaches] == rules
    assert all("a cache of the driver's own was warm" in breach.reason for breach in breaches)


def test_a_process_that_is_not_fresh_is_not_cold(toys: Path) -> None:
    """A driver in this process cannot be started again."""
    target = Target("reference", timeout_s=300.0, in_process=True)
    with open_target(target) as opened, one_model(toys) as (model, sequence):
        contender = replace(contender_of(opened, target), renew_device=None)
        start = cold_start(contender, model, sequence)
    (breach,) = breaches_of(Measurement("m", "nnvet:d", cold=start))
    assert breach.rule == "cold"
    assert start.from_cache is not None


def test_a_slow_first_execution_is_judged() -> None:
    """Three times as long as later ones, by more than a millisecond, is work that belongs to the preparation."""
    quick = ColdStart(0.2, 0.004, 0.003, from_cache=(0.05, 0.004, 0.003))
    slow = ColdStart(0.2, 0.009, 0.003, from_cache=(0.3, 0.009, 0.003))
    assert [is_well for is_well, _ in judge_cold(quick)] == [True, True, True]
    assert [is_well for is_well, _ in judge_cold(slow)] == [False, False, False]
    assert [is_well for is_well, _ in judge_cold(ColdStart(0.2, 9e-4, 1e-4))] == [True]


@pytest.mark.parametrize(("growth", "is_throttled"), [(0.0, False), (0.02, False), (0.3, True), (-0.3, False)])
def test_throttling_shows_in_a_long_run(growth: float, *, is_throttled: bool) -> None:
    """20 minutes by the machine's clock, in which latency rises after a third, as heat makes it."""
    machine = Machine(latencies=iter(()))
    machine.latencies = _growing(machine, growth)
    sequence = StepSequence((Step(lambda: b""),))
    found = run_sustained(Numbered(machine), [sequence], 1200.0, clock_s=lambda: machine.now_s)
    assert found.is_throttled is is_throttled
    assert found.seconds == pytest.approx(1200, rel=0.01)
    assert len(found.medians_s) == 60
    rules = [breach.rule for breach in breaches_of(Measurement("m", "nnvet:d", sustained=found))]
    assert rules == ["throttling"] * is_throttled


def _growing(machine: Machine, growth: float) -> Iterator[float]:
    rng = np.random.default_rng(5)
    for _ in count():
        yield 0.1 * float(rng.lognormal(0, 0.01)) * (1 + growth * (machine.now_s > 400))


def test_readers_read_the_kernels_files(tmp_path: Path) -> None:
    """The fastest core's clock in Hz, throttling of all cores, busy time in seconds; None where files are missing."""
    assert conditions.clock_hz(tmp_path) is None
    assert conditions.throttled(tmp_path) is None
    assert conditions.busy_s(tmp_path / "stat") is None
    for core, (clock, heat) in enumerate([(1200000, 2), (3100000, 5)]):
        for name, value in (("cpufreq/scaling_cur_freq", clock), ("thermal_throttle/core_throttle_count", heat)):
            path = tmp_path / f"cpu{core}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{value}\n", "ascii")
    (tmp_path / "stat").write_text("cpu  100 10 40 9000 500 5 5 0 7 7\ncpu0 1 1\n", "ascii")
    assert conditions.clock_hz(tmp_path) == 3.1e9
    assert conditions.throttled(tmp_path) == 7
    # 160 of the first eight fields are neither idle nor waiting for a disk; a second has 100 ticks on Linux.
    assert conditions.busy_s(tmp_path / "stat") == pytest.approx(160 / conditions._TICKS_PER_S)


def test_processor_time_is_that_of_all_processes() -> None:
    """Ours grows by what we compute; a process that does not exist has none."""
    assert conditions.processor_s(conditions.family(1 << 22)) == 0.0
    own = [os.getpid()]
    before = conditions.processor_s(own)
    sum(range(2_000_000))
    assert conditions.processor_s(own) > before


def test_a_watch_without_readings_says_nothing() -> None:
    """A machine that shows nothing has no conditions, and breaks no rule."""
    blind = Readers(
        busy_s=lambda: None,
        clock_hz=lambda: None,
        throttled=lambda: None,
        temperature=lambda: None,
        sleep=lambda _: None,
    )
    watch = Watch(readers=blind)
    watch.look_before()
    watch.begin()
    watch.look()
    found = watch.end()
    assert struct_replace(found, processors=0) == Conditions()


def test_statistics_of_latencies() -> None:
    """By hand: of 100 equal ones and 6 far ones 6 of 106 are far; the median's interval is of places 40 to 60."""
    assert outliers([1.0] * 100 + [2.0] * 6) == pytest.approx(6 / 106)
    assert outliers([]) == 0.0
    assert median_interval([]) is None
    assert median_interval([float(number) for number in range(100)]) == (40.0, 60.0)
