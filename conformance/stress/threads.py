"""Threads of load in one process: they begin together and work until a given time.

:func:`run_threads` runs them. A :class:`WorkTally` counts units of work, latencies and failures, however a thread ends.
Both the test's own process and its client processes use the threads. Calls that a case makes at the same time, once,
are made by :mod:`nnvet.conformance.kit.concurrent_calls`.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import numpy as np

from nnvet.conformance.kit.outcome import CaseFailed, Outcome, death_outcome, suite_error
from nnvet.conformance.stress.messages import ClientReport
from nnvet.graphs.model import TestModel
from nnvet.transport.wire.failures import DriverGone
from nnvet.transport.wire.limits import longest_s

_KEPT: Final = 20_000
"""Most latencies kept, as a fair sample of all."""
_FAILURES: Final = 20
"""Most failures kept with their details; all are counted."""


class WorkTally:
    """Counts of one process. Threads may share it."""

    def __init__(self) -> None:
        """Begin with nothing counted."""
        self.done = 0
        self.failed = 0
        self.failures: list[Outcome] = []
        self.failed_test: TestModel | None = None
        self.gone: Outcome | None = None
        self.errors: Counter[str] = Counter()
        self._latencies_s: list[float] = []
        self._lock = threading.Lock()
        self._random = random.Random(0)  # noqa: S311 - which latencies are kept is no secret

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Time a unit of work, which is counted if the block ends without an exception."""
        begin = time.perf_counter()
        yield
        self.add(1, [time.perf_counter() - begin])

    def add(self, done: int, latencies_s: Sequence[float]) -> None:
        """Count units of work with their latencies in seconds."""
        with self._lock:
            self.done += done
            for latency_s in latencies_s:
                if len(self._latencies_s) < _KEPT:
                    self._latencies_s.append(latency_s)
                elif (place := self._random.randrange(self.done)) < _KEPT:
                    self._latencies_s[place] = latency_s

    def fail(self, outcome: Outcome, test: TestModel | None = None) -> None:
        """Count a failure, and keep the model of the first one if it is known."""
        with self._lock:
            self.failed += 1
            if self.failed == 1:
                self.failed_test = test
            if len(self.failures) < _FAILURES:
                self.failures.append(outcome)

    def count_refusal(self, status: str) -> None:
        """Count an error that the driver is allowed to return."""
        with self._lock:
            self.errors[status] += 1

    def lose(self, how: Outcome) -> None:
        """Note the outcome if the driver was lost; the first note stands."""
        with self._lock:
            self.gone = self.gone or how

    def report(self) -> ClientReport:
        """Return the report of this process for the test."""
        with self._lock:
            return ClientReport(
                self.done,
                tuple(self._latencies_s),
                tuple(self.failures),
                self.gone,
                dict(self.errors),
                self.failed_test,
            )

    def merge(self, report: ClientReport) -> None:
        """Add the report of another process."""
        self.add(report.done, report.latencies_s)
        for outcome in report.failures:
            self.fail(outcome, report.failed_test)
        with self._lock:
            self.errors.update(report.errors)
            self.gone = self.gone or report.gone

    @property
    def evidence(self) -> dict[str, Any]:
        """Return the counts, and percentiles of the latency in milliseconds."""
        report = self.report()
        found: dict[str, Any] = {"done": report.done}
        if report.errors:
            found["refused"] = dict(sorted(report.errors.items()))
        if self.failed:
            found["failed"] = self.failed
        if report.latencies_s:
            levels = (50, 90, 99, 100)
            values = np.percentile(np.array(report.latencies_s) * 1e3, levels)
            found["latency_ms"] = {
                f"p{level}": round(float(value), 3) for level, value in zip(levels, values, strict=True)
            }
        return found


_SLACK_S: Final = 15.0
"""Time that a unit of work may take beyond the timeouts of its calls."""

Work = Callable[[], None]
"""One unit of work, repeated until time is up."""


class ThreadsStuckError(Exception):
    """Threads of load do not end, although every call to the driver has a timeout."""


def run_threads(works: Sequence[Work], duration_s: float, timeout_s: float, tally: WorkTally) -> None:
    """Repeat every work on a thread of its own for ``duration_s``; a thread ends at its first failure.

    :raises ThreadsStuckError: a thread does not come back in time.
    """
    end = time.monotonic() + duration_s
    barrier = threading.Barrier(len(works))
    threads = [
        threading.Thread(
            target=_repeat_work, args=(work, end, barrier, tally), name=f"nnvet-load-{number}", daemon=True
        )
        for number, work in enumerate(works)
    ]
    for thread in threads:
        thread.start()
    latest = end + longest_s(timeout_s) + _SLACK_S
    for thread in threads:
        thread.join(max(latest - time.monotonic(), 0.0))
    stuck = [thread.name for thread in threads if thread.is_alive()]
    if stuck:
        raise ThreadsStuckError(f"{len(stuck)} of {len(threads)} threads do not come back: {', '.join(stuck)}")


def _repeat_work(work: Work, end: float, barrier: threading.Barrier, tally: WorkTally) -> None:
    """Repeat the work until ``end``, a failure, or the loss of the driver."""
    with suppress(threading.BrokenBarrierError):
        barrier.wait()
    try:
        # Once in any case: a test whose time is over before it began has still to do something.
        while True:
            with tally.timed():
                work()
            if time.monotonic() >= end or tally.failed or tally.gone:
                return
    except CaseFailed as failed:
        tally.fail(failed.outcome, getattr(failed, "test", None))
    except DriverGone as gone:
        tally.lose(death_outcome(gone))
    except Exception as error:  # noqa: BLE001 - a thread that ends without a word would look like one that was right
        tally.fail(suite_error(error))
