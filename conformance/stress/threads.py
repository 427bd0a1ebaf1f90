"""Threads of load in one process: they begin together, work until a time, and however they end, that is counted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from nnvet.adapters import DriverGone
from nnvet.conformance.engine.blame import death_outcome
from nnvet.conformance.engine.outcome import CaseFailed, suite_error
from nnvet.conformance.stress.tally import WorkTally
from nnvet.transport.wire.limits import longest_s

_SLACK_S: Final = 15.0
"""Time that a unit of work may take beside the timeouts of its calls."""

Work = Callable[[], None]
"""One unit of work, repeated until time is up."""


class ThreadsStuckError(Exception):
    """Threads of load do not come back, although every call to the driver has a timeout."""


def run_threads(works: Sequence[Work], duration_s: float, timeout_s: float, tally: WorkTally) -> None:
    """Repeat every work on a thread of its own for ``duration_s``; a thread ends at its first failure.

    :raises ThreadsStuckError: a thread does not come back in time.
    """
    end = time.monotonic() + duration_s
    barrier = threading.Barrier(len(works))
    threads = [
        threading.Thread(target=_repeat, args=(work, end, barrier, tally), name=f"nnvet-load-{number}", daemon=True)
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


def _repeat(work: Work, end: float, barrier: threading.Barrier, tally: WorkTally) -> None:
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
