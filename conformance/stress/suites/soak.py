"""Long work of small pieces: what a driver holds must not grow with every cycle (docs/contract/hal.md 11)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from nnvet.adapters.service import sanitizers
from nnvet.conformance.engine.footprint import Footprint, footprint
from nnvet.conformance.engine.growth import Interval, slope
from nnvet.conformance.engine.outcome import fail, unsupported
from nnvet.conformance.stress.catalogue import stress_test
from nnvet.conformance.stress.loads import executors, infer, load_of, prepare_load, steady_test
from nnvet.conformance.stress.run import StressRun
from nnvet.conformance.stress.subject import ClientSubject

_WARM_UP: Final = 0.25
"""Part of the time in which caches and pools fill."""
_LEAST: Final = 100
"""Measurements that a slope is made of, however slow the driver."""
_CYCLES_EACH: Final = 4

Cycle = Callable[[], None]


def _soak(run: StressRun, load_s: float, cycle: Cycle) -> None:
    if run.driver.pid is None:
        raise unsupported("the driver has no process of its own that could be measured")
    with run.phase("warm-up", load_s * _WARM_UP):
        end = time.monotonic() + load_s * _WARM_UP
        while time.monotonic() < end:
            cycle()
    held, cycles = [footprint(run.subject)], [0]
    with run.phase("soak", load_s):
        end = time.monotonic() + load_s * (1 - _WARM_UP)
        while time.monotonic() < end or len(held) < _LEAST:
            for _ in range(_CYCLES_EACH):
                with run.tally.timed():
                    cycle()
            held.append(footprint(run.subject))
            cycles.append(run.tally.done)
    _judge(run, held, cycles)


def _judge(run: StressRun, held: list[Footprint], cycles: list[int]) -> None:
    objects = run.options.leaked_objects
    allowed = {"descriptors": objects, "threads": objects, "memory_bytes": run.options.leaked_bytes}
    run.facts["cycles"] = cycles[-1]
    for name, most in allowed.items():
        found = slope([float(getattr(sample, name)) for sample in held], [float(cycle) for cycle in cycles])
        run.facts[f"{name}_per_cycle"] = found.rounded
        if found.low > most and not (name == "memory_bytes" and _is_kept_by_sanitizer(run, held)):
            raise fail("client/leak", _reason(name, found, most, cycles[-1]), per_cycle=found.rounded, what=name)


def _is_kept_by_sanitizer(run: StressRun, held: list[Footprint]) -> bool:
    """Return True if memory that grows may be what a sanitizer keeps of what was freed."""
    grown = held[-1].memory_bytes - held[0].memory_bytes
    return grown < sanitizers.HELD_BYTES and sanitizers.is_in(run.driver.pid)


def _reason(name: str, found: Interval, most: float, cycles: int) -> str:
    return (
        f"with each of {cycles} cycles the driver holds {found.value:.3g} {name.replace('_', ' ')} more, at least "
        f"{found.low:.3g} with 99 % confidence; {most:g} are allowed"
    )


@stress_test("LeakSoak/Models", "Models are prepared, executed by every method and let go.", 16.0)
def models(run: StressRun, load_s: float) -> None:
    """One client, and nothing that outlives a cycle."""
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
