"""Stress tests of latency under the load of others, and after long work (docs/contract/crash-tests.md 9).

Latency alone says little on a machine that others use, too. So two things are timed in short turns (:func:`in_turns`),
such as executions with and without the other load, or on this driver and on an idle one. Each turn gives one ratio. If
the machine becomes busier between two turns, no ratio changes.

The last tests look for leaks (:func:`_soak`): they repeat many small pieces of work, during which the driver's
resources must not grow (docs/contract/hal.md 11). :mod:`nnvet.conformance.suites.concurrency.leaks` does the same in
seconds. Speed is measured by the benchmark in ``models/``.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Final, NamedTuple

from nnvet.adapters.service import sanitizers
from nnvet.conformance.kit.growth import (
    Footprint,
    Interval,
    measure_footprint,
    median_interval,
    quotient_of_medians,
    slope,
)
from nnvet.conformance.kit.outcome import CaseFailed, death_outcome, fail, unsupported
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.stress.catalogue import stress_test
from nnvet.conformance.stress.clients import LoadClient, compilation
from nnvet.conformance.stress.loads import ClientSubject, executors, infer, load_of, prepare_load, steady_test
from nnvet.conformance.stress.run import StressRun
from nnvet.conformance.stress.threads import Work, WorkTally
from nnvet.graphs.model import TestModel
from nnvet.transport.wire.failures import DriverGone

LEAST_TURNS: Final = 16
"""Least number of turns for a ratio, however slow the driver."""
_EACH: Final = 3
"""Least number of repetitions in a block."""
_BLOCK_S: Final = 0.02
"""Seconds of a block: shorter than most disturbances of a machine."""

Block = Callable[[float], Sequence[float]]
"""Function that repeats one of two things for some seconds, at least a few times, and returns the time of each."""


class TimedTurn(NamedTuple):
    """Medians of two blocks, one after the other."""

    judged_s: float
    beside_s: float

    @property
    def ratio(self) -> float:
        """Ratio of the judged thing's time to the other's."""
        return self.judged_s / self.beside_s


def block_of(execute: Callable[[], float], clock: Callable[[], float] = time.monotonic) -> Block:
    """Return a block that repeats ``execute``, which returns the seconds that it took."""

    def block(seconds: float) -> list[float]:
        found: list[float] = []
        end = clock() + seconds
        while clock() < end or len(found) < _EACH:
            found.append(execute())
        return found

    return block


def in_turns(
    judged: Block,
    beside: Block,
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
    block_s: float = _BLOCK_S,
) -> list[TimedTurn]:
    """Time both blocks in turns for ``seconds``; each turn begins with the other block, so that neither is favoured."""
    turns: list[TimedTurn] = []
    end = clock() + seconds
    while clock() < end or len(turns) < LEAST_TURNS:
        if len(turns) % 2:
            other, own = median(beside(block_s)), median(judged(block_s))
        else:
            own, other = median(judged(block_s)), median(beside(block_s))
        turns.append(TimedTurn(own, other))
    return turns


_WARM_UP: Final = 10
"""Number of executions before the first one that is timed."""
_PAUSE_S: Final = 0.02
"""Pause between two preparations of the disturbing thread (MLTS: 20 ms)."""
_DISTURBED_S: Final = 0.1
"""Seconds for which that thread disturbs, followed by as many in which it does not."""


def _make_executing(subject: Subject, test: TestModel, tally: WorkTally | None = None) -> Callable[[], float]:
    """Warm up a model, and return a function that executes and judges it once and returns the seconds.

    ``tally`` counts the judged executions.
    """
    load = load_of(test)
    prepared = prepare_load(subject, load)
    for _ in range(_WARM_UP):
        infer(subject, prepared, load)

    def execute() -> float:
        begin = time.perf_counter()
        infer(subject, prepared, load)
        seconds = time.perf_counter() - begin
        if tally is not None:
            tally.add(1, [seconds])
        return seconds

    return execute


def ratios_of(turns: Sequence[TimedTurn]) -> list[float]:
    """Return the ratio of each turn."""
    return [turn.ratio for turn in turns]


def measure_growth(first: Sequence[TimedTurn], last: Sequence[TimedTurn]) -> Interval:
    """Return the quotient of the last ratio and the first."""
    return quotient_of_medians(ratios_of(last), ratios_of(first))


def judge_ratio(run: StressRun, ratio: Interval, most: float, when: str) -> None:
    """Compare the lower end of a ratio's confidence interval with its limit.

    :raises CaseFailed: latency has grown by more than the part ``most``.
    """
    run.facts["latency_ratio"] = ratio.rounded
    if ratio.low > 1 + most:
        reason = (
            f"{when} the median latency is {ratio.value:.2f} times what it was, "
            f"at least {ratio.low:.2f} times with 99 % confidence; {1 + most:.2f} times is allowed"
        )
        raise fail("client/degradation", reason, latency_ratio=ratio.rounded)


@contextmanager
def _disturb(work: Work, tally: WorkTally, quiet: threading.Lock, timeout_s: float) -> Iterator[None]:
    """Repeat ``work`` on another thread while the block runs, but not while the lock ``quiet`` is held."""
    is_over = threading.Event()

    def disturb() -> None:
        try:
            while not is_over.wait(_PAUSE_S):
                with quiet:
                    work()
        except CaseFailed as failed:
            tally.fail(failed.outcome)
        except DriverGone as gone:
            tally.lose(death_outcome(gone))

    thread = threading.Thread(target=disturb, name="nnvet-disturb", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(timeout_s)


@stress_test(
    "PerformanceDegradation/UnderLoad", "Latency while another thread prepares models, in turns with that alone.", 8.0
)
def under_load(run: StressRun, load_s: float) -> None:
    """MLTS: NNPerformanceDegradationTest, by medians in place of means."""
    others, quiet = WorkTally(), threading.Lock()
    (work,) = compilation(LoadClient(run.subject, f"{run.seed}/1", 1, others))
    disturbed = block_of(_make_executing(run.subject, steady_test(run.subject), run.tally))

    def alone(seconds: float) -> Sequence[float]:
        with quiet:
            return disturbed(seconds)

    with run.phase("load in turns", load_s), _disturb(work, others, quiet, run.timeout_s + 1):
        turns = in_turns(disturbed, alone, load_s, block_s=_DISTURBED_S)
    run.tally.merge(others.report())
    run.settle()
    ratio = median_interval(ratios_of(turns))
    judge_ratio(run, ratio, run.options.max_degradation, "while another thread prepares models")


@stress_test("PerformanceDegradation/OverTime", "Latency after long work, beside that of an idle driver.", 12.0)
def over_time(run: StressRun, load_s: float) -> None:
    """A driver must not become slower with its work; comparing it with an idle one excludes the machine's part."""
    part, test = load_s / 4, steady_test(run.subject)
    own = block_of(_make_executing(run.subject, test, run.tally))

    def turns() -> list[TimedTurn]:
        # Each turn starts a new idle driver, because an idle driver may become slower with time, too.
        with run.idle_driver() as idle:
            return in_turns(own, block_of(_make_executing(idle, test)), part)

    with run.phase("beginning", part):
        first = turns()
    with run.phase("work", 2 * part):
        run.threads("loading", part, count=2)
        run.threads("inference", part, count=2)
    with run.phase("end of work", part):
        last = turns()
    judge_ratio(run, measure_growth(first, last), run.options.max_drift, "after long work")


_SOAK_WARM_UP: Final = 0.25
"""Part of the time that is not measured, in which caches and pools fill."""
_LEAST: Final = 100
"""Least number of measurements for a slope, however slow the driver."""
_CYCLES_EACH: Final = 4
"""Cycles between two measurements."""

Cycle = Callable[[], None]
"""Function that does one small piece of work, of which nothing may remain."""


def _soak(run: StressRun, load_s: float, cycle: Cycle) -> None:
    """Repeat the cycle, measure what the driver holds, and judge the growth."""
    if run.driver.pid is None:
        raise unsupported("the driver has no process of its own that could be measured")
    with run.phase("warm-up", load_s * _SOAK_WARM_UP):
        end = time.monotonic() + load_s * _SOAK_WARM_UP
        while time.monotonic() < end:
            cycle()
    held, cycles = [measure_footprint(run.subject)], [0]
    with run.phase("soak", load_s):
        end = time.monotonic() + load_s * (1 - _SOAK_WARM_UP)
        while time.monotonic() < end or len(held) < _LEAST:
            for _ in range(_CYCLES_EACH):
                with run.tally.timed():
                    cycle()
            held.append(measure_footprint(run.subject))
            cycles.append(run.tally.done)
    _judge(run, held, cycles)


def _judge(run: StressRun, held: list[Footprint], cycles: list[int]) -> None:
    """Check that the driver's resources do not grow with the cycles, by the slope of each over all measurements."""
    objects = run.options.leaked_objects
    allowed = {"descriptors": objects, "threads": objects, "memory_bytes": run.options.leaked_bytes}
    run.facts["cycles"] = cycles[-1]
    for name, most in allowed.items():
        found = slope([float(getattr(sample, name)) for sample in held], [float(cycle) for cycle in cycles])
        run.facts[f"{name}_per_cycle"] = found.rounded
        if found.low > most and not (name == "memory_bytes" and _is_kept_by_sanitizer(run, held)):
            raise fail("client/leak", _describe_leak(name, found, most, cycles[-1]), per_cycle=found.rounded, what=name)


def _is_kept_by_sanitizer(run: StressRun, held: list[Footprint]) -> bool:
    """Return True if growing memory may be freed memory that a sanitizer keeps."""
    grown = held[-1].memory_bytes - held[0].memory_bytes
    return grown < sanitizers.HELD_BYTES and sanitizers.is_in(run.driver.pid)


def _describe_leak(name: str, found: Interval, most: float, cycles: int) -> str:
    """Return the reason of a failure: how much of a resource each cycle leaves behind."""
    return (
        f"with each of {cycles} cycles the driver holds {found.value:.3g} {name.replace('_', ' ')} more, at least "
        f"{found.low:.3g} with 99 % confidence; {most:g} are allowed"
    )


@stress_test("LeakSoak/Models", "Models are prepared, executed by every method and let go.", 16.0)
def models(run: StressRun, load_s: float) -> None:
    """Look for leaks of one client, of which nothing outlives a cycle."""
    load, configs = load_of(steady_test(run.subject)), executors(run.subject)

    def cycle() -> None:
        infer(run.subject, prepare_load(run.subject, load), load, run.numbers.choice(configs))

    _soak(run, load_s, cycle)


@stress_test("LeakSoak/Executions", "One model is executed by every method.", 16.0)
def executions(run: StressRun, load_s: float) -> None:
    """Look for leaks of executions alone."""
    load, configs = load_of(steady_test(run.subject)), executors(run.subject)
    prepared = prepare_load(run.subject, load)
    _soak(run, load_s, lambda: infer(run.subject, prepared, load, run.numbers.choice(configs)))


@stress_test("LeakSoak/Clients", "Clients come, prepare, execute and go without a word.", 16.0)
def clients(run: StressRun, load_s: float) -> None:
    """Look for leaks of clients."""
    load = load_of(steady_test(run.subject))

    def cycle() -> None:
        with run.subject.another_client() as device:
            guest = ClientSubject(lambda: device, run.subject.feature_level, run.timeout_s)
            infer(guest, prepare_load(guest, load), load)

    _soak(run, load_s, cycle)
