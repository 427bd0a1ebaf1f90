"""Latency under the load of others, and after long work (docs/contract/crash-tests.md 9)."""

from __future__ import annotations

import threading
import time
from typing import Final

from nnvet.adapters import DriverGone
from nnvet.conformance.engine.blame import death_outcome
from nnvet.conformance.engine.outcome import CaseFailed, fail
from nnvet.conformance.stress.catalogue import stress_test
from nnvet.conformance.stress.confidence import Interval, ratio_of_medians
from nnvet.conformance.stress.loads import infer, load_of, matrix, prepared_load
from nnvet.conformance.stress.roles import LoadClient, compilation
from nnvet.conformance.stress.run import StressRun
from nnvet.conformance.stress.tally import WorkTally

_LEAST: Final = 60
"""Latencies that a median is made of, however slow the driver."""
_PAUSE_S: Final = 0.02
"""Between two preparations of the thread that disturbs (MLTS: 20 ms)."""


def _latencies(run: StressRun, seconds: float) -> list[float]:
    """Execute one model for so long; the latency of each execution in seconds, after a warm-up."""
    load = load_of(matrix())
    prepared = prepared_load(run.subject, load)
    for _ in range(_LEAST):
        infer(run.subject, prepared, load)
    found: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(found) < _LEAST:
        begin = time.perf_counter()
        infer(run.subject, prepared, load)
        found.append(time.perf_counter() - begin)
        run.tally.add(1, found[-1:])
    return found


def _judge(run: StressRun, ratio: Interval, most: float, when: str) -> None:
    run.facts["latency_ratio"] = ratio.rounded
    if ratio.low > 1 + most:
        reason = (
            f"{when} the median latency is {ratio.value:.2f} times what it was, "
            f"at least {ratio.low:.2f} times with 99 % confidence; {1 + most:.2f} times is allowed"
        )
        raise fail("client/degradation", reason, latency_ratio=ratio.rounded)


@stress_test(
    "PerformanceDegradation/UnderLoad", "Latency while another thread prepares models, against that alone.", 8.0
)
def under_load(run: StressRun, load_s: float) -> None:
    """MLTS: NNPerformanceDegradationTest, by medians in place of means."""
    with run.phase("idle", load_s / 2):
        idle = _latencies(run, load_s / 2)
    is_over, others = threading.Event(), WorkTally()
    (work,) = compilation(LoadClient(run.subject, f"{run.seed}/1", 1, others))

    def disturb() -> None:
        try:
            while not is_over.wait(_PAUSE_S):
                work()
        except CaseFailed as failed:
            others.fail(failed.outcome)
        except DriverGone as gone:
            others.lose(death_outcome(gone))

    thread = threading.Thread(target=disturb, name="nnvet-disturb", daemon=True)
    with run.phase("load", load_s / 2):
        thread.start()
        try:
            loaded = _latencies(run, load_s / 2)
        finally:
            is_over.set()
            thread.join(run.timeout_s + 1)
    run.tally.merge(others.report())
    run.settle()
    _judge(run, ratio_of_medians(loaded, idle), run.options.max_degradation, "while another thread prepares models")


@stress_test("PerformanceDegradation/OverTime", "Latency at the end of long work, against that at its beginning.", 12.0)
def over_time(run: StressRun, load_s: float) -> None:
    """A driver that becomes slower with everything that it does."""
    part = load_s / 4
    with run.phase("beginning", part):
        first = _latencies(run, part)
    with run.phase("work", 2 * part):
        run.threads("loading", part, count=2)
        run.threads("inference", part, count=2)
    with run.phase("end of work", part):
        last = _latencies(run, part)
    _judge(run, ratio_of_medians(last, first), run.options.max_drift, "after long work")
