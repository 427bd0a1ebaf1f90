"""Growth of a driver's resources (descriptors, threads, memory) over repeated cycles of the same work.

Checks that look for leaks call :func:`measure_growth`; stress tests use :func:`slope` on their own samples.

Growth is measured as a slope with its 99 % confidence interval. The lower end of the interval is compared with the
limit, so that a driver is blamed only for growth that chance does not explain.

The first measurement is short. If something seems to grow, it is measured in windows that double in length: caches,
pools, histories, allocators and garbage collection stop growing or fall back, and a leak does not. Child processes of
the driver count as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np
import psutil

from nnvet.adapters.calls import session_of
from nnvet.conformance.kit.outcome import unsupported
from nnvet.conformance.kit.subject import Subject

_SETTLING_S: Final = 2.0
"""Seconds that a driver has to release resources if it holds more than it may."""
_PATIENCE_S: Final = 1.0
"""Seconds that it has if it holds more than before, but no more than it may."""
_PAUSE_S: Final = 0.02
"""Seconds between two measurements."""
_SHADOW_BYTES: Final = 1 << 40
"""Address space that only a process with a sanitizer exceeds, by its shadow memory, on 64-bit machines."""


class Footprint(NamedTuple):
    """Amounts of the resources of a process; also their growth, or a limit for the growth."""

    descriptors: float
    threads: float
    memory_bytes: float

    def __sub__(self, other: Footprint) -> Footprint:
        """Return the growth from ``other`` to this."""
        return Footprint(*(now - before for now, before in zip(self, other, strict=True)))


def measure_footprint(subject: Subject) -> Footprint:
    """Return the resources of the driver's process, after it has seen which objects its client has released.

    :raises CaseFailed: the process cannot be measured.
    """
    # Released objects are reported to the service with the next call.
    subject.device.get_feature_level()
    session = session_of(subject.device)
    if session is not None:
        session.settle()
    try:
        held = subject.reached.holdings()
    except psutil.Error as error:
        raise unsupported(f"the driver's process cannot be measured: {error}") from error
    if held is None:
        raise unsupported("the driver's process cannot be measured")
    return Footprint(held.descriptors, held.threads, held.memory_bytes)


def has_sanitizer(subject: Subject) -> bool:
    """Return True if the driver's process has the shadow memory of a sanitizer; False also if it cannot be measured."""
    with suppress(psutil.Error):
        held = subject.reached.holdings()
        return held is not None and held.address_bytes > _SHADOW_BYTES
    return False


def settle_growth(subject: Subject, before: Footprint, allowed: Footprint) -> Footprint:
    """Return the growth since ``before``, after some time in which the driver can close what it no longer needs.

    A growth above ``allowed`` is measured again for two seconds, a smaller one for one second.
    """
    began = time.monotonic()
    while True:
        growth, waited = measure_footprint(subject) - before, time.monotonic() - began
        nothing = growth.descriptors <= 0 and growth.threads <= 0
        enough = all(grown <= most for grown, most in zip(growth, allowed, strict=True))
        if (enough and (nothing or waited > _PATIENCE_S)) or waited > _SETTLING_S:
            return growth
        time.sleep(_PAUSE_S)


_LEVEL: Final = 0.99
"""Probability with which a confidence interval contains the true value."""
_DRAWN: Final = 4000
"""Samples of the bootstrap: enough for the outer half per cent."""
_BLOCKS: Final = 20
"""Number of blocks: neighbouring measurements resemble each other, but blocks of them count as independent."""
_T_99: Final = 2.878
"""Two-sided 99 % point of Student's t with 18 degrees of freedom, for a line through 20 blocks (from tables)."""


class Interval(NamedTuple):
    """A value with the ends of its confidence interval."""

    value: float
    low: float
    high: float

    @property
    def rounded(self) -> list[float]:
        """Return the three numbers with four digits, for the log."""
        return [float(f"{value:.4g}") for value in self]


def median_interval(values: Sequence[float]) -> Interval:
    """Return the median of independent values; its interval lies between two of the sorted values.

    Whatever their distribution, each value lies above the true median with probability 1/2, so their number is
    binomial.

    :raises ValueError: there are fewer than 8 values, too few for 99 %.
    """
    ordered, count = sorted(values), len(values)
    below, place = 0.5**count, 0
    if below > (1 - _LEVEL) / 2:
        raise ValueError(f"a median needs 8 values, there are {count}")
    while below + comb(count, place + 1) * 0.5**count <= (1 - _LEVEL) / 2:
        place += 1
        below += comb(count, place) * 0.5**count
    return Interval(float(np.median(ordered)), float(ordered[place]), float(ordered[-1 - place]))


def quotient_of_medians(above: Sequence[float], below: Sequence[float]) -> Interval:
    """Return the quotient of the medians of ``above`` and ``below``, with a bootstrap interval."""
    random = np.random.default_rng(0)
    upper, lower = (
        np.median(random.choice(np.asarray(values, np.float64), (_DRAWN, len(values))), axis=1)
        for values in (above, below)
    )
    low, high = np.quantile(upper / lower, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Interval(float(np.median(above) / np.median(below)), float(low), float(high))


def slope(values: Sequence[float], cycles: Sequence[float]) -> Interval:
    """Return the growth of a value with each cycle: the slope of a line through the means of 20 blocks.

    :raises ValueError: there are fewer than 20 measurements.
    """
    if len(values) < _BLOCKS:
        raise ValueError(f"a slope needs {_BLOCKS} measurements, there are {len(values)}")
    y = np.array([part.mean() for part in np.array_split(np.asarray(values, np.float64), _BLOCKS)])
    x = np.array([part.mean() for part in np.array_split(np.asarray(cycles, np.float64), _BLOCKS)])
    centred = x - x.mean()
    spread = float((centred**2).sum())
    found = float((centred * y).sum() / spread)
    rest = y - y.mean() - found * centred
    error = _T_99 * float(np.sqrt((rest**2).sum() / (_BLOCKS - 2) / spread))
    return Interval(found, found - error, found + error)


_WARM_UP: Final = 64
"""Most cycles before the first reading."""
_WARM_UP_S: Final = 0.3
"""Seconds after which they end earlier."""
_LEAST_WARM_UP: Final = 6
"""Fewest cycles before the first reading, however long they take."""
_SHORTEST_S: Final = 1e-6
"""Shortest duration that a cycle is taken to have, so that nothing is divided by zero."""
_WINDOW_S: Final = 0.6
"""Length of the second window in seconds, on an idle machine."""
_WINDOW_MOST_S: Final = 8.0
"""Its greatest length on a busy machine."""
_MOST_EACH: Final = 64
"""Most cycles between two readings."""
_FIRST_EACH: Final = 4
"""Most cycles between two readings of the first window, which is short in case descriptors run out fast."""
_LOOKED_CLOSER: Final = 3
"""Number of consecutive windows, each twice as long as the one before, in which a leak has to grow."""
_LEAST_CYCLES: Final = 128
"""Fewer cycles than this cannot tell a leak from a cache that fills."""
_ALLOWED: Final = Footprint(0.02, 0.02, 2048)
"""Growth per cycle that counts as noise."""
_ENOUGH: Final = Footprint(128, 128, 96 << 20)
"""Growth that counts as a leak after only two windows."""
_LOOKED_AGAIN: Final = 2
"""Consecutive windows in which a fast leak has to grow."""
_GRAIN: Final = Footprint(1, 1, 256 << 10)
"""Steps in which resources grow: allocators request memory in blocks. A window has to see two steps to judge growth."""
_WINDOW_MOST: Final = Footprint(100, 100, 64 << 20)
"""Most growth that a window may cause, because processes have few descriptors."""

Cycle = Callable[[], None]
"""Function that does the work once."""


class Growth(NamedTuple):
    """Result of a measurement: growth per cycle in the last window, leaking resources, and resources not judged."""

    cycles: int
    window: int
    seconds: float
    per_cycle: dict[str, Interval]
    leaks: tuple[str, ...]
    unjudged: dict[str, str]

    @property
    def evidence(self) -> dict[str, Any]:
        """Return the slopes, and for each resource the smallest leak that these readings would certainly show."""
        slopes = {name: found.rounded for name, found in self.per_cycle.items()}
        limits = {name: _shorten(self._smallest_leak(name)) for name in self.per_cycle}
        seconds = _shorten(self.seconds)
        found = {"cycles": self.cycles, "seconds": seconds, "per_cycle": slopes, "finds_from": limits}
        return {**found, "unjudged": self.unjudged} if self.unjudged else found

    def _smallest_leak(self, name: str) -> float:
        """Return the smallest growth per cycle that these readings would certainly have shown."""
        found = self.per_cycle[name]
        by_noise: float = getattr(_ALLOWED, name) + 2 * (found.value - found.low)
        by_grain: float = 2 * getattr(_GRAIN, name) / self.window
        return max(by_noise, by_grain)


def measure_growth(subject: Subject, cycle: Cycle) -> Growth:
    """Repeat a cycle, for about a second if nothing seems to grow, and return the growth of each resource.

    :raises CaseFailed: the driver's process cannot be measured, or the cycle fails.
    """
    return _Soak(subject, cycle).measure()


class _Soak:
    """Measures a driver that repeats a cycle. ``_growing`` counts, by resource, the windows in a row with growth."""

    def __init__(self, subject: Subject, cycle: Cycle) -> None:
        self._subject, self._cycle = subject, cycle
        self._began = time.monotonic()
        self._cycles = 0
        self._first = measure_footprint(subject)
        self._growing = dict.fromkeys(Footprint._fields, 0)
        self._slopes: dict[str, Interval] = {}
        self._unjudged: dict[str, str] = {}
        if has_sanitizer(subject):
            reason = "a sanitizer is in the process: it keeps freed memory, up to a limit of its own"
            self._unjudged["memory_bytes"] = reason

    def measure(self) -> Growth:
        """Warm up, measure windows until the verdict is clear, and return the growth."""
        each = self._warm_up()
        self._measure_window(min(_FIRST_EACH, each))
        size = each
        for number in range(_LOOKED_CLOSER):
            if (number and not self._list_suspects()) or self._list_leaks(is_last=False):
                break
            self._measure_window(self._bound_size(size))
            size *= 2
        leaks = self._list_leaks(is_last=True)
        if self._cycles < _LEAST_CYCLES and leaks:
            self._unjudged.update(dict.fromkeys(leaks, f"{self._cycles} cycles tell no leak from a cache that fills"))
            leaks = ()
        return Growth(self._cycles, self._window, time.monotonic() - self._began, self._slopes, leaks, self._unjudged)

    def _warm_up(self) -> int:
        """Warm up, and return the number of cycles between two readings that gives a window its length."""
        durations_s: list[float] = []
        end = time.monotonic() + _WARM_UP_S
        while len(durations_s) < _WARM_UP and (len(durations_s) < _LEAST_WARM_UP or time.monotonic() < end):
            begin = time.monotonic()
            self._cycle()
            durations_s.append(time.monotonic() - begin)
        self._cycles += len(durations_s)
        self._first = measure_footprint(self._subject)
        # The fastest cycle estimates the time on an idle machine, the mean the time on this one.
        fastest, mean = max(min(durations_s), _SHORTEST_S), max(sum(durations_s) / len(durations_s), _SHORTEST_S)
        return max(1, min(_MOST_EACH, int(_WINDOW_S / _BLOCKS / fastest), int(_WINDOW_MOST_S / _BLOCKS / mean)))

    def _measure_window(self, each: int) -> None:
        """Measure one window: take readings between blocks of ``each`` cycles, and compute each resource's slope."""
        held, cycles = [measure_footprint(self._subject)], [0]
        for block in range(1, _BLOCKS + 1):
            for _ in range(each):
                self._cycle()
            held.append(measure_footprint(self._subject))
            cycles.append(block * each)
        self._cycles += cycles[-1]
        self._last, self._window = held[-1], cycles[-1]
        for name in Footprint._fields:
            found = slope([float(getattr(reading, name)) for reading in held], [float(count) for count in cycles])
            self._slopes[name] = found
            has_grown = name not in self._unjudged and found.low > getattr(_ALLOWED, name)
            self._growing[name] = self._growing[name] + 1 if has_grown else 0

    def _list_suspects(self) -> list[str]:
        """Return the resources that have grown in the last window."""
        return [name for name, windows in self._growing.items() if windows]

    def _bound_size(self, size: int) -> int:
        """Reduce the cycles between two readings if a growing resource would be exhausted."""
        for name in self._list_suspects():
            most = getattr(_WINDOW_MOST, name) / (_BLOCKS * max(self._slopes[name].value, 1e-9))
            size = min(size, max(1, int(most)))
        return size

    def _list_leaks(self, *, is_last: bool) -> tuple[str, ...]:
        """Return the resources that leak: those that have grown in enough windows, or by enough."""
        grown = self._last - self._first
        return tuple(
            name
            for name, windows in self._growing.items()
            if (windows >= _LOOKED_AGAIN and getattr(grown, name) >= getattr(_ENOUGH, name))
            or (is_last and windows >= _LOOKED_CLOSER)
        )


def _shorten(number: float) -> float:
    """Return a number with three digits, for the log."""
    return float(f"{number:.3g}")
