"""The workers of a cluster that have run the cases of a log, and the cases on which they do not agree."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from nnvet.reports.events import DRIVER_FAULTS, CaseFinished
from nnvet.reports.evidence import BY_WORKER, worker_of
from nnvet.reports.log import Log


@dataclass(frozen=True)
class WorkerRow:
    """One worker: how many cases it has run, for how many seconds, and how many of these the driver failed."""

    name: str
    cases: int
    failures: int
    seconds: float


def workers_of(log: Log) -> list[WorkerRow]:
    """The workers by name; none where one machine has run all cases."""
    cases: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    seconds: defaultdict[str, float] = defaultdict(float)
    for result in log.results.values():
        worker = worker_of(result)
        if worker:
            cases[worker] += 1
            failures[worker] += result.verdict in DRIVER_FAULTS
            seconds[worker] += result.duration_s
    return [WorkerRow(name, cases[name], failures[name], seconds[name]) for name in sorted(cases)]


def disputed(log: Log) -> list[CaseFinished]:
    """Cases that end otherwise on another worker."""
    return [result for result in log.results.values() if BY_WORKER in result.evidence]
