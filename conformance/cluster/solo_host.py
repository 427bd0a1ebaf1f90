"""Host on a worker for tasks that have a machine to themselves.

What is known of an attempt is kept by the scheduler as an event under the name of its task, as for chunks
(:mod:`nnvet.conformance.cluster.host`).
"""

from __future__ import annotations

from typing import Final

from distributed import Worker, get_worker
from distributed.core import Status
from distributed.utils import sync

from nnvet.adapters import SelectorError
from nnvet.conformance.cluster.chunk import Fate, SuiteIdentity
from nnvet.conformance.cluster.host import UnfitError
from nnvet.conformance.cluster.identity import differences, own_identity
from nnvet.conformance.cluster.machine import NotWantedError, lock_id, machine_id, machine_shared, machine_to_itself
from nnvet.conformance.cluster.solo import Describe, Introduction, SoloAnswer, SoloTask
from nnvet.conformance.cluster.solo_process import DiedError, call_in_process
from nnvet.conformance.engine.driver import DriverLostError
from nnvet.reports.facts import machine_facts

_AT_WORK: Final = (Status.init, Status.running, Status.paused, Status.closing_gracefully)


def introduce(key: str, identity: SuiteIdentity, describe: Describe) -> Introduction | SoloAnswer:
    """A task: who this worker is, and what it has for a run; an answer says why it takes no part."""
    worker = get_worker()
    unlike = differences(identity, own_identity())
    if unlike:
        return SoloAnswer(Fate.UNLIKE, worker.address, unlike)
    try:
        with machine_shared(lambda: _is_wanted(worker, key)):
            return Introduction(worker.address, machine_id(), _lock(), machine_facts(), describe())
    except UnfitError as error:
        return SoloAnswer(error.fate, worker.address, str(error))
    except (SelectorError, NotWantedError) as error:
        return SoloAnswer(Fate.UNFIT, worker.address, str(error))
    except DriverLostError as lost:
        return SoloAnswer(Fate.LOST, worker.address, str(lost), value=lost.finding)


def run_solo(key: str, task: SoloTask) -> SoloAnswer:
    """A task: wait until nothing else of ours runs on this machine, then do the work in a process of its own."""
    worker = get_worker()
    known = sync(worker.loop, worker.scheduler.events, topic=key)
    if known:
        return SoloAnswer(Fate.DIED, str(known[-1][1]))

    def is_wanted() -> bool:
        return _is_wanted(worker, key)

    try:
        with machine_to_itself(is_wanted):
            sync(worker.loop, worker.scheduler.log_event, topic=key, msg=worker.address)
            facts = machine_facts()
            value = call_in_process(task.function, task.arguments, is_wanted)
    except (SelectorError, NotWantedError) as error:
        return SoloAnswer(Fate.UNFIT, worker.address, str(error))
    except DiedError as died:
        return SoloAnswer(Fate.DIED, worker.address, str(died), evidence=died.evidence)
    return SoloAnswer(Fate.DONE, worker.address, value=value, facts=facts)


def _lock() -> str:
    try:
        return lock_id()
    except OSError as error:
        raise UnfitError(Fate.UNFIT, f"its machine cannot be locked: {error}") from error


def _is_wanted(worker: Worker, key: str) -> bool:
    """Return True if somebody waits for a task that this worker has begun; the scheduler reports lost clients, too."""
    task = worker.state.tasks.get(key)
    return task is not None and task.state in ("executing", "long-running") and worker.status in _AT_WORK
