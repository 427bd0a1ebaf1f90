"""Run rules: the conditions under which a figure of the benchmark is valid, and advice for figures that are not.

:func:`breaches_of` applies all rules to a measurement; ``results.py`` puts the broken ones into the log.

A rule that is broken makes a figure invalid, with the reason. It says nothing about the driver's verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nnvet.reports.conditions import Breach, ColdStart, Conditions, Sustained
from nnvet.reports.events import MOST_WAITED, Latency, Measurement

MOST_OTHERS: Final = 0.1
"""Largest share of the processors that other work may use."""
LEAST_CLOCK: Final = 0.9
"""Least ratio of the lowest clock of a run to the highest."""
LEAST_S: Final = 1.0
"""Least seconds of inferences."""
LEAST_SAMPLES: Final = {"latency": 7, "p90": 64, "p99": 662}
"""Samples for a figure: LoadGen's numbers for percentiles, and for the median those of a 99 % confidence interval."""
MOST_OUTLIERS: Final = 0.05
"""Largest share of samples far above the others."""
WIDEST: Final = {"latency": 0.1, "speed": 0.2}
"""Largest width of the 95 % confidence interval as a share of the figure."""
MOST_CPU: Final = 0.5
"""Largest processor time of an accelerator's driver as a share of the latency."""
MOST_WARM: Final = 0.5
LEAST_GAIN_S: Final = 0.01
"""A preparation was not cold if it takes less than the share MOST_WARM of the time that an unknown model takes, and
is shorter by more than these seconds."""
MOST_SLOPE: Final = 0.05
"""Largest growth of latency over a sustained run."""

ADVICE: Final = {
    "load": "end other work, or use a machine that does nothing else",
    "clock": "set the governor to performance, and fix the clock",
    "temperature": "let the machine cool down, or cool it better",
    "duration": "give a longer --time",
    "samples": "give a longer --time, or more data",
    "outliers": "find out what interrupts the machine: other work, power saving, or the driver itself",
    "interval": "give a longer --time on a quiet machine",
    "cpu": "check that the driver uses its accelerator, with a profiler of the device",
    "cold": "do without --in-process, so that each start has a process of its own, and empty the driver's own caches",
    "throttling": "cool the machine better, or report the latency of the end as the sustained one",
}
"""Things to do, by rule."""


def breach(figure: str, rule: str, reason: str) -> Breach:
    """Return a broken rule with its advice."""
    return Breach(figure, rule, reason, ADVICE[rule])


def breaches_of(item: Measurement) -> tuple[Breach, ...]:
    """Return the broken rules of a measurement and of its parts, each for a figure."""
    found: list[Breach] = []
    if item.latency and item.latency.iterations:
        found += _of_samples(item.latency)
        if item.conditions:
            found += _of_machine("latency", item.conditions, item.waited)
            found += _of_spread(item.conditions, item.latency)
            found += _of_work(item.conditions, item.latency)
            if item.energy_j is not None:
                found += _of_energy(item.conditions)
    if item.latency_ratio and (width := _width(item.latency_ratio.low, item.latency_ratio.high)) > WIDEST["speed"]:
        said = f"its 95 % interval is {width:.0%} wide; {WIDEST['speed']:.0%} at most"
        found.append(breach("speed", "interval", said))
    found += _of_cold(item.cold) if item.cold else ()
    found += _of_sustained(item.sustained) if item.sustained else ()
    for run in item.scenarios:
        found += run.breaches
    return tuple(found)


def was_warm(prepare_s: float, unknown_s: float) -> bool:
    """Return True if a preparation was so much shorter than that of an unknown model that a cache must have helped."""
    return prepare_s < MOST_WARM * unknown_s and unknown_s - prepare_s > LEAST_GAIN_S


def of_machine(figure: str, conditions: Conditions) -> tuple[Breach, ...]:
    """Return the rules about the machine that are broken, for a figure."""
    return tuple(_of_machine(figure, conditions, None))


def _width(low: float, high: float) -> float:
    return 2 * (high - low) / (high + low) if high + low > 0 else 0.0


def _of_samples(latency: Latency) -> Iterator[Breach]:
    if latency.total_s < LEAST_S:
        yield breach("latency", "duration", f"{latency.total_s:.3g} s of inferences; at least {LEAST_S:g} s are needed")
    for figure, least in LEAST_SAMPLES.items():
        if latency.iterations < least:
            yield breach(figure, "samples", f"{latency.iterations} samples; at least {least} are needed")


def _of_machine(figure: str, conditions: Conditions, waited: float | None) -> Iterator[Breach]:
    """Yield rules about load, clock and temperature."""
    most = MOST_OTHERS * conditions.processors
    if waited is not None and waited > MOST_WAITED:
        yield breach(figure, "load", f"the benchmark waited {waited:.0%} of its time for a processor")
    others = [
        f"{used:.2g} {when}"
        for when, used in (("before the run", conditions.others_before), ("during it", conditions.others_during))
        if used is not None and used > most
    ]
    if others:
        said = f"other work used {' and '.join(others)} of {conditions.processors} processors"
        yield breach(figure, "load", f"{said}; {most:.2g} at most")
    if conditions.throttled:
        yield breach(figure, "clock", f"the kernel counted throttling {conditions.throttled} times")
    if conditions.clock_hz and conditions.clock_hz[0] < LEAST_CLOCK * conditions.clock_hz[1]:
        low, high = (clock / 1e9 for clock in conditions.clock_hz)
        yield breach(figure, "clock", f"the clock changed between {low:.2f} and {high:.2f} GHz")
    if conditions.temperature_c is not None and conditions.hot_c and conditions.temperature_c >= conditions.hot_c:
        said = f"the machine had {conditions.temperature_c:.0f} °C, its limit is {conditions.hot_c:.0f} °C"
        yield breach(figure, "temperature", said)


def _of_spread(conditions: Conditions, latency: Latency) -> Iterator[Breach]:
    if conditions.outliers > MOST_OUTLIERS:
        said = f"{conditions.outliers:.0%} of {latency.iterations:,} samples are far above the others"
        yield breach("latency", "outliers", f"{said}; {MOST_OUTLIERS:.0%} at most")
    if conditions.median_s and (width := _width(*conditions.median_s)) > WIDEST["latency"]:
        said = f"the 95 % interval of the median is {width:.0%} wide; {WIDEST['latency']:.0%} at most"
        yield breach("latency", "interval", said)


def _of_work(conditions: Conditions, latency: Latency) -> Iterator[Breach]:
    used = conditions.driver_cpu_s
    # Load makes latencies longer, and processor time hardly, so that quick inferences are compared.
    quick_s = latency.min_s if latency.p10_s is None else latency.p10_s
    if conditions.is_accelerator and used is not None and used > MOST_CPU * quick_s:
        said = f"the driver of an accelerator used {used * 1e3:.3g} ms of processors for an inference"
        yield breach("latency", "cpu", f"{said} of {quick_s * 1e3:.3g} ms: it computes, or spins, on the CPU")


def _of_energy(conditions: Conditions) -> Iterator[Breach]:
    others = conditions.others_during
    if others is not None and others > MOST_OTHERS * conditions.processors:
        said = f"the counters are those of the whole machine, and other work used {others:.2g} processors"
        yield breach("energy", "load", said)


def _of_cold(cold: ColdStart) -> Iterator[Breach]:
    if not cold.is_fresh:
        yield breach("cold", "cold", "the driver's process was not fresh: it could not be started again")
    unknown_s = cold.unknown_s
    if unknown_s is not None and was_warm(cold.prepare_s, unknown_s):
        said = f"the model was prepared in {cold.prepare_s * 1e3:.3g} ms, and with one other constant in"
        yield breach("cold", "cold", f"{said} {unknown_s * 1e3:.3g} ms: a cache of the driver's own was warm")


def _of_sustained(sustained: Sustained) -> Iterator[Breach]:
    yield from sustained.breaches
    if sustained.is_throttled:
        said = f"latency grew by {sustained.slope:.0%} in {sustained.seconds:.0f} s"
        yield breach("sustained", "throttling", f"{said} (99 % interval {sustained.low:.0%} to {sustained.high:.0%})")
