"""Runs of a driver alone: load patterns, full rate for a long time, cold start.

``bench.py`` calls :func:`run_alone` for each model, after the driver has been measured side by side with the baseline.
Load patterns are those of ``scenarios.py``.
"""

from __future__ import annotations

import hashlib
import math
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Final

from msgspec.structs import replace as struct_replace

from nnvet.conformance.kit.growth import slope
from nnvet.hal import memory
from nnvet.hal import types as hal
from nnvet.hal.interfaces import PreparedModel
from nnvet.models.compiling import SUSTAINED, CacheFiles, Compiler, calling
from nnvet.models.conditions import Watch
from nnvet.models.contenders import BenchModel, Contender, ContenderError, LoadedModel, revive
from nnvet.models.datasets import StepSequence
from nnvet.models.driver import DriverContender, DriverModel, fastest_executor
from nnvet.models.results import BenchResult
from nnvet.models.run_rules import MOST_SLOPE, of_machine, was_warm
from nnvet.models.scenarios import ScenarioOptions, Score, run_scenarios
from nnvet.reports.conditions import ColdStart, Sustained
from nnvet.reports.events import Verdict

_LATER: Final = 10
"""Number of executions after the first, in a measurement of a cold start."""
_WARM_UP: Final = 50
"""Inferences before a sustained run."""
Clock = Callable[[], float]
"""Function that returns seconds."""
_CONFIRMED: Final = 2
"""Unknown models that all have to take longer before a driver's cache is called warm."""
_SPANS: Final = 60
"""Equal spans of a sustained run, each with a median."""


@dataclass(frozen=True)
class AloneOptions:
    """Further runs of each driver: ``scenarios`` of LoadGen, ``sustained_s`` seconds at full rate, a ``cold`` start."""

    scenarios: ScenarioOptions | None = None
    sustained_s: float | None = None
    cold: bool = False


def run_alone(
    contender: Contender,
    model: BenchModel,
    sequences: Sequence[StepSequence],
    result: BenchResult,
    options: AloneOptions,
    score: Score,
    progress: Callable[[str, float], None] = lambda _, __: None,
) -> BenchResult:
    """Return the result of a driver that passed so far with these runs, or with the fault that occurs in them.

    ``progress`` is called with a phase and the share of it that is done.
    """
    if not isinstance(contender, DriverContender) or result.verdict is not Verdict.PASS:
        return result
    try:
        if options.scenarios:
            runs = run_scenarios(
                contender, model, sequences, options.scenarios, score, lambda phase: progress(phase, 0.0)
            )
            result = replace(result, scenarios=runs)
        if options.sustained_s:
            result = replace(
                result,
                sustained=_measure_sustained(
                    contender, model, sequences, options.sustained_s, partial(progress, "sustained")
                ),
            )
        if options.cold:
            progress("cold start", 0.0)
            result = replace(result, cold=cold_start(contender, model, sequences[0]))
    except ContenderError as error:
        revive(contender, error)
        return replace(result, verdict=error.verdict, reason=error.reason, evidence=error.evidence)
    return result


def _measure_sustained(
    contender: DriverContender,
    model: BenchModel,
    sequences: Sequence[StepSequence],
    seconds: float,
    progress: Callable[[float], None],
) -> Sustained:
    """Run at full rate, and add the rules about the machine that are broken."""
    watch = Watch(contender.processes())
    watch.look_before()
    loaded = contender.open(model)

    def look(share: float) -> None:
        watch.look()
        progress(share)

    try:
        watch.begin()
        found = run_sustained(loaded, sequences, seconds, look)
        return struct_replace(found, breaches=of_machine("sustained", watch.end()))
    finally:
        loaded.close()


def cold_start(contender: DriverContender, model: BenchModel, sequence: StepSequence) -> ColdStart:
    """Start the driver anew, prepare and execute; and again from a cache, and with another constant in the model.

    The model with another constant is in no cache. If preparing it takes much longer, the driver has a cache of its
    own outside of the contract, which was warm.

    :raises ContenderError: the driver fails, or does not support the model.
    """
    imported, level = contender.supported(model)
    data = sequence.steps[0].load()
    token = hashlib.sha256(model.data).digest()

    def measure(make: Callable[[Compiler], PreparedModel], network: hal.Model) -> tuple[float, float, float]:
        if contender.renew_device is not None:
            contender.renew()
        compiler = Compiler(contender.device, network, contender.compile_timeout_s)
        # The process is up and has answered before, so that its start is not part of the preparation.
        with calling("getFeatureLevel"):
            contender.device.get_feature_level()
        began = time.perf_counter_ns()
        prepared = make(compiler)
        prepare_s = (time.perf_counter_ns() - began) / 1e9
        executor = fastest_executor(level)
        loaded = DriverModel(imported, model, prepared, executor, contender.execute_timeout_s)
        try:
            loaded.reset()
            loaded.put(data)
            times_s = [_time_execution(loaded) for _ in range(1 + _LATER)]
        finally:
            loaded.close()
        return prepare_s, times_s[0], median(times_s[1:])

    def compiled(compiler: Compiler) -> PreparedModel:
        return compiler.compile(SUSTAINED)

    # In this order, so that what the first process finds in no page cache of the system excuses the driver.
    known = measure(compiled, imported.model)
    is_fresh = contender.renew_device is not None
    unknown_s = None
    for number in range(_CONFIRMED if is_fresh else 0):
        with _vary_constant(imported.model, number) as other:
            unknown_s = min(unknown_s or math.inf, measure(compiled, other)[0])
        if not was_warm(known[0], unknown_s):
            break
    with tempfile.TemporaryDirectory(prefix="nnvet-cache-") as folder:
        cache = _cache_of(contender, Path(folder))
        cached = None
        if cache is not None:
            Compiler(contender.device, imported.model, contender.compile_timeout_s).save(cache, token)
            if cache.size:
                cached = measure(lambda compiler: compiler.load(cache, token), imported.model)
    return ColdStart(*known, from_cache=cached, unknown_s=unknown_s, is_fresh=is_fresh)


def _time_execution(loaded: LoadedModel) -> float:
    began = time.perf_counter_ns()
    loaded.invoke()
    return (time.perf_counter_ns() - began) / 1e9


def _cache_of(contender: DriverContender, folder: Path) -> CacheFiles | None:
    """Return empty cache files; None if the driver has no cache."""
    with calling("getNumberOfCacheFilesNeeded"):
        needed = contender.device.get_number_of_cache_files_needed()
    if not needed.num_model_cache and not needed.num_data_cache:
        return None
    return CacheFiles(folder, needed.num_model_cache, needed.num_data_cache)


@contextmanager
def _vary_constant(model: hal.Model, bit: int) -> Iterator[hal.Model]:
    """Yield the model with a low bit of its largest constant changed; a model without constants as it is."""
    constants = [
        operand
        for operand in model.main.operands
        if operand.lifetime is hal.OperandLifeTime.CONSTANT_REFERENCE and operand.location.length
    ]
    if not constants:
        yield model
        return
    place = max(constants, key=lambda operand: operand.location.length).location
    pools = list(model.pools)
    with memory.mapped(pools[place.pool_index], writable=False) as view:
        content = bytearray(view)
    content[place.offset] ^= 1 << bit
    pool = memory.create_ashmem(len(content), "nnvet-changed")
    try:
        with memory.mapped(pool) as view:
            view[:] = content
        pools[place.pool_index] = pool
        yield struct_replace(model, pools=tuple(pools))
    finally:
        memory.close(pool)


def run_sustained(
    loaded: LoadedModel,
    sequences: Sequence[StepSequence],
    seconds: float,
    look: Callable[[float], None] = lambda _: None,
    clock_s: Clock = time.perf_counter,
) -> Sustained:
    """Run inferences one after the other for ``seconds``, and return how latency changed.

    ``look`` is called between spans with the share that is done. Every span has an inference at least.

    :raises ContenderError: the driver fails.
    """
    inputs = cycle([[step.load() for step in sequence.steps] for sequence in sequences])
    medians: list[float] = []
    span = array("d")
    while len(span) < _WARM_UP:
        _run_steps(loaded, next(inputs), span, clock_s)
    span = array("d")
    inferences, began_s = 0, clock_s()
    for steps in inputs:
        _run_steps(loaded, steps, span, clock_s)
        if clock_s() - began_s >= seconds * (len(medians) + 1) / _SPANS:
            inferences += len(span)
            medians.append(median(span))
            span = array("d")
            look(len(medians) / _SPANS)
            if len(medians) == _SPANS:
                break
    passed_s, middle_s = clock_s() - began_s, median(medians)
    share = slope(medians, [passed_s * (place + 0.5) / _SPANS for place in range(_SPANS)])
    low, high, value = (end * passed_s / middle_s if middle_s else 0.0 for end in (share.low, share.high, share.value))
    return Sustained(passed_s, inferences, tuple(medians), value, low, high, is_throttled=low > MOST_SLOPE)


def _run_steps(loaded: LoadedModel, steps: Sequence[bytes], latencies_s: array[float], clock_s: Clock) -> None:
    loaded.reset()
    for data in steps:
        loaded.put(data)
        start_s = clock_s()
        loaded.invoke()
        latencies_s.append(clock_s() - start_s)
        loaded.take()
