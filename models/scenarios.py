"""Load patterns on a driver: LoadGen issues samples (sequences of data), lanes of one prepared model answer.

Each pattern gets a performance run and, unless that fails, an accuracy run, whose log is scored by the network's own
evaluator. Runs that LoadGen calls invalid for their length are repeated with the length that it asks for.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec
import numpy as np

from nnvet.conformance.kit.executing import Executor
from nnvet.formats.errors import DataError
from nnvet.hal.errors import HalError
from nnvet.models.conditions import Watch
from nnvet.models.contenders import BenchModel, LoadedModel
from nnvet.models.datasets import Array, StepSequence
from nnvet.models.driver import DriverContender, fastest_executor
from nnvet.models.evaluation import StepResult
from nnvet.models.loadgen import LEAST_QUERIES as LEAST
from nnvet.models.loadgen import PERCENTILES, LoadResult, LoadSettings, Scenario, Work, read_responses, run_load
from nnvet.models.run_rules import of_machine
from nnvet.reports.conditions import Conditions, Probe, ScenarioRun

_TRIES: Final = 3
"""Runs at most, until one is as long as LoadGen's rules want it."""
_MORE: Final = 1.1
"""Factor for a repetition, so that the length that LoadGen asks for is surely reached."""
_MORE_QUERIES: Final = re.compile(r"at least (\d+) more")
_PRECISION: Final = 0.03
"""Ratio between the highest rate that holds and the lowest tried that does not, less 1."""
_STEADY: Final = 0.95
"""Share of a rate that has to be completed: one beyond the driver's throughput only fills the queue for a while."""
_BEYOND: Final = 1.1
"""First rate that is tried as a multiple of Offline's: arrivals are drawn, so that a short run may have fewer."""
_HALVINGS: Final = 6
_LONGEST: Final = 6.0
"""A run is cut off after this many times its least length, but not before the seconds below."""
_LEAST_LONGEST_S: Final = 60.0


@dataclass(frozen=True)
class ScenarioOptions:
    """Scenarios to run, with LoadGen's logs below ``folder``. ``in_flight`` executions at most run at the same time.

    Each run lasts ``least_s`` seconds at least. ``target_latency_s`` is the bound of Server. Without ``target_qps`` the
    highest rate of Server that holds is searched. ``executor`` None is the fastest one of the driver's level.
    """

    folder: Path
    scenarios: tuple[Scenario, ...]
    least_s: float = 10.0
    target_latency_s: float = 0.1
    target_qps: float | None = None
    in_flight: int = 4
    executor: Executor | None = None

    @property
    def longest_s(self) -> float:
        """Return the seconds after which a run is cut off, though LoadGen then calls it invalid."""
        return max(_LONGEST * self.least_s, _LEAST_LONGEST_S)


Score = Callable[[Sequence[StepResult]], dict[str, float]]
"""Function that returns the accuracy figures of outputs."""


def run_scenarios(
    contender: DriverContender,
    model: BenchModel,
    sequences: Sequence[StepSequence],
    options: ScenarioOptions,
    score: Score,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[ScenarioRun, ...]:
    """Run all scenarios on a driver.

    :raises ContenderError: the driver fails, or lacks the executor.
    :raises MissingExtraError: LoadGen is not installed.
    :raises DataError: logs of LoadGen cannot be read.
    """
    with ExitStack() as stack:
        lanes = contender.open_lanes(model, options.in_flight, options.executor)
        for lane in lanes:
            stack.callback(lane.close)
        load = _Load(lanes, sequences)
        executor = options.executor or fastest_executor(_level(contender))
        base = options.folder / _file_name(model.entry.name) / _file_name(contender.selector)
        found = []
        for scenario in options.scenarios:
            progress(scenario)
            watch = Watch(contender.processes())
            watch.look_before()
            watch.begin()
            runner = _Runner(load, replace(options, folder=base / scenario), scenario)
            done = runner.run()
            watch.look()
            run = _described(done, watch.end(), runner, executor, score)
            found.append(msgspec.structs.replace(run, logs=runner.folder.relative_to(options.folder.parent).as_posix()))
        return tuple(found)


def _file_name(name: str) -> str:
    """Return the name of a folder, another one for each name."""
    quoted = quote(name, safe="")
    return "%2E" + quoted[1:] if quoted.startswith(".") else quoted


def _level(contender: DriverContender) -> int:
    try:
        return contender.device.get_feature_level()
    except HalError:
        return 1


class _Load:
    """The samples of a network on lanes; inputs are made ready before a run, since their reading is not timed."""

    def __init__(self, lanes: Sequence[LoadedModel], sequences: Sequence[StepSequence]) -> None:
        """Keep lanes and data."""
        self._lanes, self._sequences = lanes, sequences
        self._inputs: dict[int, list[bytes]] = {}
        self._forms: tuple[tuple[str, int], ...] = ()

    @property
    def samples(self) -> int:
        """Return the number of samples."""
        return len(self._sequences)

    @property
    def in_flight(self) -> int:
        """Return the number of lanes."""
        return len(self._lanes)

    def ready(self, indexes: Sequence[int]) -> None:
        """Read the inputs of samples."""
        for index in indexes:
            if index not in self._inputs:
                self._inputs[index] = [step.load() for step in self._sequences[index].steps]

    def works(self, *, keeps: bool) -> list[Work]:
        """Return a function for each lane, which runs a sample; with ``keeps`` it returns all outputs as bytes."""
        return [lambda index, lane=lane: self._run(lane, index, keeps=keeps) for lane in self._lanes]  # type: ignore[misc]

    def _run(self, lane: LoadedModel, index: int, *, keeps: bool) -> bytes:
        lane.reset()
        found = []
        for data in self._inputs[index]:
            lane.put(data)
            lane.invoke()
            outputs = lane.take()
            if keeps:
                self._forms = tuple((output.dtype.str, output.nbytes) for output in outputs)
                found += [output.tobytes() for output in outputs]
        return b"".join(found)

    def results(self, responses: dict[int, bytes]) -> list[StepResult]:
        """Return responses of the accuracy log as outputs of steps.

        :raises DataError: a sample is missing, or its response has another size.
        """
        found = []
        for index, sequence in enumerate(self._sequences):
            response = responses.get(index, b"")
            if len(response) != len(sequence.steps) * sum(size for _, size in self._forms):
                raise DataError(f"the accuracy log of LoadGen has {len(response)} bytes for sample {index}")
            start = 0
            for step in range(len(sequence.steps)):
                outputs: list[Array] = []
                for dtype, size in self._forms:
                    outputs.append(np.frombuffer(response[start : start + size], dtype))
                    start += size
                found.append(StepResult(index, step, tuple(outputs)))
        return found


@dataclass
class _Runner:
    """Runs of one scenario; ``probes`` are the rates of Server that were tried."""

    load: _Load
    options: ScenarioOptions
    scenario: Scenario
    probes: list[Probe] = field(default_factory=list)
    folder: Path = Path()
    rate: float | None = None

    def run(self) -> LoadResult:
        """Run the scenario for performance; for Server, the best rate if none is given."""
        if self.scenario is not Scenario.SERVER:
            return self._long_enough(self.scenario, self._quick_rate(), "performance")
        if self.options.target_qps is not None:
            self.rate = self.options.target_qps
            return self._long_enough(Scenario.SERVER, self.rate, "performance")
        most = self._long_enough(Scenario.OFFLINE, self._quick_rate(), "offline").qps
        tried: dict[float, tuple[LoadResult, Path]] = {}

        def probe(rate: float) -> Probe:
            result = self._long_enough(Scenario.SERVER, rate, f"rate-{len(tried) + 1}")
            tried[rate] = result, self.folder
            holds = result.is_valid and result.qps >= _STEADY * result.scheduled_qps
            self.probes.append(Probe(round(rate, 3), result.qps, result.latency_s, holds))
            return self.probes[-1]

        self.rate = highest_rate(probe, _BEYOND * most)
        # If no rate holds, the lowest one shows why.
        result, self.folder = tried[self.rate if self.rate is not None else min(tried)]
        self.rate = self.rate if self.rate is not None else min(tried)
        return result

    def accuracy(self) -> list[StepResult]:
        """Run all samples once, and return their outputs, read from LoadGen's accuracy log."""
        folder = self.options.folder / "accuracy"
        settings = LoadSettings(self.scenario, 0.0, 0.0, 1, self.rate or self._quick_rate(), is_accuracy=True)
        run_load(self.load.works(keeps=True), self.load.samples, settings, folder, self.load.ready)
        return self.load.results(read_responses(folder))

    def _quick_rate(self) -> float:
        """Return samples a second of a few samples in one lane, times the lanes: a first guess."""
        work = self.load.works(keeps=False)[0]
        count = min(self.load.samples, 8)
        self.load.ready(range(count))
        began = time.perf_counter_ns()
        for index in range(count):
            work(index)
        return count * self.load.in_flight * 1e9 / max(time.perf_counter_ns() - began, 1)

    def _long_enough(self, scenario: Scenario, rate: float, name: str) -> LoadResult:
        """Run until LoadGen has nothing against the length."""
        self.folder = self.options.folder / name
        least = LEAST[scenario]
        works = self.load.works(keeps=False)
        for _ in range(_TRIES):
            settings = LoadSettings(
                scenario, self.options.least_s, self.options.longest_s, least, rate, self.options.target_latency_s
            )
            result = run_load(works, self.load.samples, settings, self.folder, self.load.ready)
            wanted = _MORE_QUERIES.search(result.early_stopping)
            if result.is_valid or not result.is_fast_enough:
                break
            if scenario is Scenario.OFFLINE and result.qps > 0:
                rate = _MORE * result.qps
            elif wanted and result.duration_s < self.options.longest_s:
                least = math.ceil(_MORE * (result.queries + int(wanted[1])))
            else:
                break
        return result


def highest_rate(probe: Callable[[float], Probe], most: float) -> float | None:
    """Return the highest rate that holds, up to ``most``, to 3 %; None if even a small share of that does not."""
    if probe(most).holds:
        return most
    low, high = most / 2, most
    for _ in range(_HALVINGS):
        if probe(low).holds:
            break
        low, high = low / 2, low
    else:
        return None
    while high / low > 1 + _PRECISION:
        middle = math.sqrt(low * high)
        if probe(middle).holds:
            low = middle
        else:
            high = middle
    return low


def _described(
    done: LoadResult, conditions: Conditions, runner: _Runner, executor: Executor, score: Score
) -> ScenarioRun:
    """Return the event of a scenario, after its accuracy run."""
    options, scenario = runner.options, runner.scenario
    is_server = scenario is Scenario.SERVER
    return ScenarioRun(
        scenario=scenario,
        is_valid=done.is_valid,
        qps=done.qps,
        latency_s=done.latency_s,
        percentile=PERCENTILES[scenario],
        queries=done.queries,
        samples=done.samples,
        duration_s=done.duration_s,
        mean_s=done.mean_s,
        percentiles_s=done.percentiles_s,
        in_flight=runner.load.in_flight,
        executor=executor,
        logs=runner.folder.name,
        loadgen=done.version,
        reasons=done.reasons,
        target_qps=runner.rate,
        target_latency_s=options.target_latency_s if is_server else None,
        early_stopping=done.early_stopping,
        probes=tuple(runner.probes),
        accuracy=score(runner.accuracy()),
        breaches=of_machine(scenario, conditions),
    )
