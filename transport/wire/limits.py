"""Time limits that take the driver's activity into account, so that a busy machine does not cause false hangs.

A limit of T seconds ends when the driver's processes have neither used a processor nor waited for one for T seconds
in a row. A driver that is at work has longer: until its processes have used :data:`PROCESSOR_TIMES` times T seconds of
processor time, or until :data:`LONGEST_TIMES` times T seconds have passed in all. Where nothing is known of its
processes, T seconds are the limit.

A wait consists of steps of a tenth of T, and looks at the driver only between two steps, so calls that are answered
soon cost no look. Time in which the waiting process itself was stopped or starved counts as two steps at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, NamedTuple

PROCESSOR_TIMES: Final = 3
"""A computing driver may use processor time up to this multiple of the limit."""
LONGEST_TIMES: Final = 15
"""Factor of the limit after which waiting ends in any case, approximately."""

_STEPS: Final = 10
"""Steps into which a limit is divided."""
_LEAST_STEP_S: Final = 0.02
"""Shortest step in seconds."""
_STEPS_COUNTED: Final = 2
"""Most steps that one pause of the waiting process counts for, however long it was stopped."""
_AT_WORK: Final = 0.05
"""A driver whose threads together use or wait for processors for less than this part of the time is idle."""
_ROUNDING_S: Final = 1e-6


class Activity(NamedTuple):
    """Seconds for which a driver has used processors, and has waited for one; and its threads that are runnable now."""

    processor_s: float
    starved_s: float
    runnable: int = 0


Look = Callable[[], Activity | None]
"""Function that returns the activity of a driver's processes; None if nothing is known of them."""


def unseen() -> None:
    """Return None, as the look at processes that cannot be seen."""


class WaitLimit:
    """Time limit for one answer, used by one thread. It never ends if ``seconds`` is None."""

    __slots__ = (
        "_clock",
        "_idle_s",
        "_last",
        "_look",
        "_looked_at",
        "_next",
        "_passed_s",
        "_why",
        "processor_s",
        "seconds",
    )

    def __init__(self, seconds: float | None, look: Look = unseen, clock: Callable[[], float] = time.monotonic) -> None:
        """Start the clock. ``look`` returns the activity of the driver."""
        self.seconds = seconds
        self._look = look
        self._clock = clock
        self._looked_at = clock()
        self._next = self._looked_at + (0.0 if seconds is None else min(_step(seconds), seconds))
        self._idle_s = self._passed_s = self.processor_s = 0.0
        self._last: Activity | None = None
        self._why = ""

    def __str__(self) -> str:
        """Return the limit that was exceeded, as text; limits that end for the same reason have the same text."""
        return f"{self.seconds} s{self._why}"

    def again(self) -> WaitLimit:
        """Return the same limit for another answer, from now on."""
        return WaitLimit(self.seconds, self._look, self._clock)

    def pause_s(self) -> float | None:
        """Return the seconds to wait before the next call of :meth:`is_over`; None to wait for ever."""
        return None if self.seconds is None else max(0.0, self._next - self._clock())

    def is_over(self) -> bool:
        """Look at the driver, if it is time for that, and return True if the wait has to end."""
        now = self._clock()
        if self.seconds is None or now < self._next:
            return False
        step = _step(self.seconds)
        passed = min(now - self._looked_at, _STEPS_COUNTED * step)
        self._looked_at = now
        self._passed_s += passed
        self._idle_s = 0.0 if self._is_at_work(passed) else self._idle_s + passed
        self._next = now + min(step, self.seconds - self._idle_s)
        return self._has_ended(self.seconds)

    def wait(self, ready: Callable[[float | None], bool]) -> bool:
        """Wait until ``ready(seconds)``, which waits itself, returns True; return False if the limit ends before."""
        while not ready(self.pause_s()):
            if self.is_over():
                return False
        return True

    def _is_at_work(self, passed: float) -> bool:
        last, self._last = self._last, self._look()
        if last is None or self._last is None:
            return False
        used = self._last.processor_s - last.processor_s
        self.processor_s += used
        starved = self._last.starved_s - last.starved_s
        return used + starved >= _AT_WORK * passed > 0 or (last.runnable > 0 and self._last.runnable > 0)

    def _has_ended(self, seconds: float) -> bool:
        if self._idle_s >= seconds - _ROUNDING_S:
            return True
        if self.processor_s >= PROCESSOR_TIMES * seconds and self._passed_s >= seconds:
            self._why = f", nor after {PROCESSOR_TIMES * seconds:g} s of processor time"
        elif self._passed_s >= LONGEST_TIMES * seconds - _ROUNDING_S:
            self._why = f", nor within {LONGEST_TIMES * seconds:g} s in which it was seldom idle for long"
        return bool(self._why)


Deadline = float | WaitLimit | None
"""End of a wait: a time of ``time.monotonic``, a limit that activity may extend, or None to wait for ever."""


def longest_s(seconds: float) -> float:
    """Return the time after which a wait with a limit of ``seconds`` has certainly ended."""
    return LONGEST_TIMES * seconds


def _step(seconds: float) -> float:
    return max(seconds / _STEPS, _LEAST_STEP_S)
