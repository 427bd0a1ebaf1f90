"""Statuses, timings and deadlines in the forms of earlier levels. Source: HAL contract 6 and 14; sample driver 5.

Here they have the forms of AIDL: nanoseconds, a boot clock, -1 for none. HIDL has microseconds, the steady clock,
and its own ways of saying none.
"""

from __future__ import annotations

import time
from typing import Final, NamedTuple

from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.enums import NO_DEADLINE, NO_TIMING, ErrorStatus, FeatureLevel
from nnvet.hal.levels import LAST_HIDL_LEVEL
from nnvet.hal.types import Timing

HIDL_NO_TIMING: Final = 2**64 - 1
"""No timing, where durations are unsigned."""
END_OF_TIME_NS: Final = 2**63 - 1
"""The last point in time; later ones are taken for it."""

_NS_PER_US: Final = 1000
_TIMING_LEVEL: Final = FeatureLevel.FL3
_DEADLINE_STATUS_LEVEL: Final = FeatureLevel.FL4
_LAST_STATUS_OF_1_0: Final = ErrorStatus.INVALID_ARGUMENT


class Clocks(NamedTuple):
    """The boot clock (deadlines here and in AIDL) and the steady clock (deadlines in HIDL 1.3) at one moment."""

    boot_ns: int
    steady_ns: int

    @classmethod
    def now(cls) -> Clocks:
        """This moment."""
        return cls(boot_time_ns(), time.clock_gettime_ns(time.CLOCK_MONOTONIC))


def convert_status(status: ErrorStatus, level: int) -> ErrorStatus:
    """A driver's status as ``level`` has it: deadlines and resources begin at FL4, a death is told at none."""
    last = ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT if level >= _DEADLINE_STATUS_LEVEL else _LAST_STATUS_OF_1_0
    return status if status <= last else ErrorStatus.GENERAL_FAILURE


def to_microseconds(duration_ns: int) -> int:
    """A measured duration for HIDL, rounded up; HIDL_NO_TIMING for none."""
    return HIDL_NO_TIMING if duration_ns == NO_TIMING else -(-duration_ns // _NS_PER_US)


def from_microseconds(duration_us: int) -> int:
    """A measured duration from HIDL; NO_TIMING for none. One that is too long is the longest there is."""
    return NO_TIMING if duration_us == HIDL_NO_TIMING else min(duration_us * _NS_PER_US, END_OF_TIME_NS)


def convert_timing(timing: Timing, level: int) -> Timing:
    """A timing as a client of ``level`` learns it: whole microseconds in HIDL, nothing before FL3."""
    if level > LAST_HIDL_LEVEL:
        return timing
    if level < _TIMING_LEVEL:
        return Timing()
    durations = (timing.time_on_device_ns, timing.time_in_driver_ns)
    return Timing(*(from_microseconds(to_microseconds(duration)) for duration in durations))


def deadline_after(duration_ns: int, now_ns: int) -> int:
    """The point in time that lies so far ahead, at most the last one; NO_DEADLINE for no duration."""
    return NO_DEADLINE if duration_ns == NO_DEADLINE else min(now_ns + duration_ns, END_OF_TIME_NS)


def to_steady_deadline(deadline_ns: int, clocks: Clocks) -> int | None:
    """A deadline for HIDL 1.3, by the time that is left; None for none."""
    return None if deadline_ns == NO_DEADLINE else _moved(deadline_ns, clocks.boot_ns, clocks.steady_ns)


def from_steady_deadline(steady_ns: int | None, clocks: Clocks) -> int:
    """A deadline from HIDL 1.3, by the time that is left; NO_DEADLINE for None."""
    return NO_DEADLINE if steady_ns is None else _moved(steady_ns, clocks.steady_ns, clocks.boot_ns)


def _moved(deadline_ns: int, from_now_ns: int, to_now_ns: int) -> int:
    # The end of time is the same on every clock: "no hurry" must not become a date.
    if deadline_ns >= END_OF_TIME_NS:
        return END_OF_TIME_NS
    return deadline_after(max(0, deadline_ns - from_now_ns), to_now_ns)
