"""Conditions of a timed run: other work of the machine, clock, throttling, temperature, and processor time.

Sources: proc(5) (``/proc/stat``), the kernel's documentation of cpufreq and of ``thermal_throttle``, hwmon by psutil,
and clock_getcpuclockid(3), whose clocks count the processor time of other processes in nanoseconds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import psutil

from nnvet.reports.conditions import Conditions

_CPUS: Final = Path("/sys/devices/system/cpu")
_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
_IDLE: Final = (3, 4)
"""Fields of ``/proc/stat`` of idle time: idle, and waiting for a disk."""
_COUNTED: Final = 8
"""Fields that are counted; the two for guests are in others already."""
_KHZ: Final = 1e3
_NS: Final = 1e9
_EVERY_S: Final = 0.1
"""Least time between two readings of clock and temperature."""
_MOMENT_S: Final = 0.1
"""Length of the look before a run."""
_PROCESS_CLOCK: Final = 2
"""Low bits of the number of a process's CPU clock."""


def family(pid: int) -> list[int]:
    """Return the ids of a process and its descendants."""
    try:
        return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]
    except psutil.Error:
        return [pid]


def processor_s(pids: Iterable[int]) -> float:
    """Return the processor time of processes with all their threads; one that has ended has none."""
    total = 0
    for pid in pids:
        with suppress(OSError):
            # The number of a process's clock is made of its id, as clock_getcpuclockid(3) does.
            total += time.clock_gettime_ns((~pid << 3) | _PROCESS_CLOCK)
    return total / _NS


def busy_s(stat: Path = Path("/proc/stat")) -> float | None:
    """Return the seconds for which all processors together have been busy; None if the kernel does not say."""
    try:
        fields = [int(field) for field in stat.read_text(encoding="ascii").split("\n", 1)[0].split()[1:]]
    except (OSError, ValueError):
        return None
    return (sum(fields[:_COUNTED]) - sum(fields[place] for place in _IDLE)) / _TICKS_PER_S


def clock_hz(folder: Path = _CPUS) -> float | None:
    """Return the clock of the fastest core at this moment; None if the kernel does not say."""
    found = [_number(path) for path in folder.glob("cpu*/cpufreq/scaling_cur_freq")]
    known = [value for value in found if value]
    return max(known) * _KHZ if known else None


def throttled(folder: Path = _CPUS) -> int | None:
    """Return how often the kernel has counted throttling for heat; None if it does not count."""
    found = [_number(path) for path in folder.glob("cpu*/thermal_throttle/*_throttle_count")]
    known = [value for value in found if value is not None]
    return sum(known) if known else None


def temperature() -> tuple[float, float] | None:
    """Return the temperature of the sensor nearest to its limit, and the limit, in degrees Celsius; None: no sensor."""
    read = getattr(psutil, "sensors_temperatures", dict)
    sensors = [sensor for group in read().values() for sensor in group if sensor.high or sensor.critical]
    pairs = [(sensor.current, sensor.high or sensor.critical) for sensor in sensors]
    return min(pairs, key=lambda pair: pair[1] - pair[0], default=None)


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


@dataclass(frozen=True)
class Readers:
    """Functions that read the machine; tests put others in their place."""

    busy_s: Callable[[], float | None] = busy_s
    clock_hz: Callable[[], float | None] = clock_hz
    throttled: Callable[[], int | None] = throttled
    temperature: Callable[[], tuple[float, float] | None] = temperature
    processor_s: Callable[[Iterable[int]], float] = processor_s
    now_s: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    processors: Callable[[], int] = lambda: os.cpu_count() or 1


@dataclass
class Watch:
    """An observation of the machine while ``own`` processes, and this one, measure."""

    own: Sequence[int] = ()
    readers: Readers = field(default_factory=Readers)
    _before: float | None = None
    _start: tuple[float | None, float, float] = (None, 0.0, 0.0)
    _throttled: int | None = None
    _clocks: list[float] = field(default_factory=list)
    _hottest: tuple[float, float] | None = None
    _due_s: float = 0.0

    def look_before(self) -> None:
        """Look for a moment, in which nothing is measured, for what others do."""
        start = self._now()
        self.readers.sleep(_MOMENT_S)
        self._before = self._others(start)

    def begin(self) -> None:
        """Begin the observation of the run."""
        self._throttled = self.readers.throttled()
        self._start = self._now()

    def look(self) -> None:
        """Read clock and temperature, if it is time."""
        now_s = self.readers.now_s()
        if now_s < self._due_s:
            return
        self._due_s = now_s + _EVERY_S
        if (clock := self.readers.clock_hz()) is not None:
            self._clocks.append(clock)
        warm = self.readers.temperature()
        if warm and (self._hottest is None or warm[1] - warm[0] < self._hottest[1] - self._hottest[0]):
            self._hottest = warm

    def end(self) -> Conditions:
        """Return the conditions since :meth:`begin`."""
        others, now = self._others(self._start), self.readers.throttled()
        hottest = self._hottest or (None, None)
        return Conditions(
            processors=self.readers.processors(),
            others_before=self._before,
            others_during=others,
            clock_hz=(min(self._clocks), max(self._clocks)) if self._clocks else None,
            throttled=None if now is None or self._throttled is None else now - self._throttled,
            temperature_c=hottest[0],
            hot_c=hottest[1],
        )

    def _now(self) -> tuple[float | None, float, float]:
        """Return busy seconds of the machine, those of our own work among them, and the time."""
        own_s = self.readers.processor_s((os.getpid(), *self.own))
        return self.readers.busy_s(), own_s, self.readers.now_s()

    def _others(self, start: tuple[float | None, float, float]) -> float | None:
        """Return the mean number of processors that other work has used since ``start``."""
        now = self._now()
        passed_s = now[2] - start[2]
        if now[0] is None or start[0] is None or passed_s <= 0:
            return None
        return round(max(0.0, (now[0] - start[0] - (now[1] - start[1])) / passed_s), 3)


_FAR: Final = 3.0
"""Quartile distances above the third quartile from which a latency is an outlier."""
_NARROW: Final = 0.05
"""Least quartile distance, as a share of the median."""


def outliers(latencies_s: Sequence[float]) -> float:
    """Return the share of latencies that are far outside by Tukey: more than 3 quartile distances above the third.

    The distance counts as 5 % of the median at least, so that nothing is an outlier of a steady series by a hair.
    """
    if not latencies_s:
        return 0.0
    values = np.asarray(latencies_s, np.float64)
    first, middle, third = np.percentile(values, (25, 50, 75))
    far = third + _FAR * max(third - first, _NARROW * middle)
    return float(np.mean(values > far))


_Z_95: Final = 1.96
"""Quantile of the normal distribution for a two-sided interval of 95 %."""


def median_interval(latencies_s: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % confidence interval of the median by order statistics; None without latencies."""
    count = len(latencies_s)
    if not count:
        return None
    ordered = sorted(latencies_s)
    half = _Z_95 * count**0.5 / 2
    low, high = int(max(0, np.floor(count / 2 - half))), int(min(count - 1, np.ceil(count / 2 + half)))
    return ordered[low], ordered[high]
