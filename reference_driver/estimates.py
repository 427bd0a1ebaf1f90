"""Lower estimates of execution times, learnt from past executions: a hopeless one need not be begun."""

from __future__ import annotations

from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError

_RUNS_KEPT = 16
_SHAPES_KEPT = 16

Shapes = tuple[tuple[int, ...], ...]


class Estimates:
    """Durations of the latest executions of one prepared model, by the dimensions of the inputs."""

    def __init__(self) -> None:
        """Know nothing, and so refuse nothing."""
        self._runs: dict[Shapes, tuple[int, ...]] = {}

    def record(self, shapes: Shapes, duration_ns: int) -> None:
        """An execution on inputs of these shapes took ``duration_ns``; only the latest few are kept."""
        runs = self._runs.get(shapes)
        if runs is None:
            if len(self._runs) >= _SHAPES_KEPT:
                self._runs.clear()
            runs = ()
        # Replaced, never changed: other threads may be looking at it.
        self._runs[shapes] = (*runs[1 - _RUNS_KEPT :], duration_ns)

    def check(self, shapes: Shapes, deadline_ns: int, now_ns: int | None = None) -> None:
        """Refuse an execution that the fastest one so far says cannot end before the deadline.

        ``now_ns`` is by default the time of the boot clock.

        :raises HalError: MISSED_DEADLINE_PERSISTENT.
        """
        runs = self._runs.get(shapes, ())
        if deadline_ns == NO_DEADLINE or not runs:
            return
        least, left = min(runs), deadline_ns - (boot_time_ns() if now_ns is None else now_ns)
        if least <= left:
            return
        # What depends on data may be faster another time: every refusal forgets one run, so that it is tried again.
        self._runs[shapes] = runs[1:]
        message = f"{left} ns are left, and no execution so far took less than {least} ns"
        raise HalError(ErrorStatus.MISSED_DEADLINE_PERSISTENT, message, "execution/deadline")
