"""Runs cases in several processes, each with a driver of its own, and merges their events."""

from __future__ import annotations

import multiprocessing
import signal
import traceback
from collections.abc import Hashable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from nnvet.adapters import SelectorError
from nnvet.conformance.engine.case import Case
from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.worker import Finished, Started, Target, run_cases
from nnvet.reports.events import Verdict

_CHUNK = 64


def run_in_parallel(cases: Sequence[Case], target: Target, jobs: int) -> Iterator[Started | Finished]:
    """Run ``cases`` in ``jobs`` processes; events of one case come in order, cases in any.

    Processes are forked, so that the collected cases need not be collected again. A worker that dies costs its
    own cases (ERROR for the one under way, NOT_RUN for the rest), not the run.

    :raises SelectorError: no worker could reach the driver.
    """
    context = multiprocessing.get_context("fork")
    workers: dict[Connection, _Worker] = {}
    for index in range(jobs):
        receiver, sender = context.Pipe(duplex=False)
        share = _share(cases, index, jobs)
        process = context.Process(target=_work, args=(share, target, sender), daemon=True)
        process.start()
        sender.close()
        workers[receiver] = _Worker(process, share)
    try:
        yield from _merge(workers)
    finally:
        for worker in workers.values():
            worker.process.terminate()
            worker.process.join()


class _Worker:
    """A process and the cases that it still owes."""

    def __init__(self, process: Any, share: Sequence[Case]) -> None:
        self.process = process
        self.owed = {case.id: case for case in share}
        self.begun = ""

    def see(self, event: Started | Finished) -> None:
        if isinstance(event, Started):
            self.begun = event.case
        else:
            self.owed.pop(event.case, None)
            self.begun = ""

    def remainder(self) -> Iterator[Finished]:
        code = self.process.exitcode
        for case_id in self.owed:
            verdict = Verdict.ERROR if case_id == self.begun else Verdict.NOT_RUN
            yield Finished(case_id, Outcome(verdict, reason=f"the suite's worker process ended with code {code}"), 0.0)


def _share(cases: Sequence[Case], index: int, jobs: int) -> list[Case]:
    # Chunks of neighbours, so that cases of one model stay together and every worker gets some of each file.
    groups: dict[Hashable, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.unit, []).append(case)
    units = list(groups.values())
    chunks = [units[start : start + _CHUNK] for start in range(0, len(units), _CHUNK)]
    if len(chunks) < jobs:
        chunks = [[unit] for unit in units]
    return [case for chunk in chunks[index::jobs] for unit in chunk for case in unit]


def _work(cases: Sequence[Case], target: Target, sender: Connection) -> None:
    # The parent alone reacts to Ctrl-C; it ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for event in run_cases(cases, target):
            sender.send(event)
    except SelectorError as error:
        sender.send(error)
    except Exception:
        traceback.print_exc()
        raise
    finally:
        sender.close()


def _merge(workers: dict[Connection, _Worker]) -> Iterator[Started | Finished]:
    open_pipes = dict(workers)
    while open_pipes:
        for receiver in wait(list(open_pipes)):
            assert isinstance(receiver, Connection)  # noqa: S101 - wait() gives back what it was given
            worker = open_pipes[receiver]
            try:
                event = receiver.recv()
            except EOFError:
                worker.process.join()
                del open_pipes[receiver]
                yield from worker.remainder()
                continue
            if isinstance(event, SelectorError):
                raise event
            worker.see(event)
            yield event
