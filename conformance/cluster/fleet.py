"""The workers of a dask cluster that a run may use (:class:`Fleet`): find them, give them tasks, await the answers.

:mod:`nnvet.conformance.cluster.connect` makes a fleet from the option ``--cluster``. All kinds of runs on a cluster use
it: conformance runs (:mod:`nnvet.conformance.cluster.run`) and tasks that need a machine to themselves
(:mod:`nnvet.conformance.cluster.solo_run`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from distributed import Client, Future, KilledWorker
from distributed.client import ClosedClientError

from nnvet.conformance.cluster.errors import ClusterError
from nnvet.conformance.cluster.machine import call_with_shared_lock, own_identity
from nnvet.conformance.engine.work import Answer
from nnvet.conformance.engine.worker_process import WorkerError

_LOOK_S: Final = 0.1
"""Seconds between two looks at a task or at the list of workers."""
GONE: Final = "the cluster's scheduler, or its last worker, is gone"
"""Reason of a run that has lost its cluster."""
_FRESH_S: Final = 1.0
"""Seconds for which the list of workers is reused, because a scheduler of a thousand workers answers slowly."""


@dataclass
class Fleet:
    """The workers that offer ``resources`` (name to amount); ``say`` shows the user a message about them.

    Workers that have just been started need seconds to join, for which ``patience_s`` allows.
    """

    client: Client
    resources: Mapping[str, float] = field(default_factory=dict)
    say: Callable[[str], None] = lambda _: None
    patience_s: float = 20.0
    """Time within which the first worker has to join."""
    away_s: float = 30.0
    """A scheduler or last worker that cannot be reached for this long is taken to be gone."""
    _known: dict[str, int] = field(default_factory=dict)
    _known_at: float = -math.inf

    def workers(self) -> dict[str, int]:
        """Return the number of tasks that each worker with the resources runs at a time, by address."""
        now = time.monotonic()
        # A dask client that has lost its scheduler would block here until it has found it again.
        if self.is_there and (not self._known or now - self._known_at > _FRESH_S):
            self._known_at = now
            # A scheduler that cannot be reached may come back; callers decide how long to wait for it.
            with suppress(OSError, KeyError):
                everyone = self.client.scheduler_info(n_workers=-1)["workers"]
                places = {address: self._count_places(worker) for address, worker in everyone.items()}
                self._known = {address: number for address, number in places.items() if number}
        return self._known

    def _count_places(self, worker: Mapping[str, Any]) -> int:
        """Return the number of tasks that a worker can run at a time, by its threads and its resources."""
        offered = worker.get("resources") or {}
        units = [offered.get(name, 0) // amount for name, amount in self.resources.items() if amount]
        return int(min([worker["nthreads"], *units]))

    def require_workers(self) -> list[str]:
        """Return the addresses of the workers, in order, as soon as there are any.

        :raises ClusterError: none comes.
        """
        end = time.monotonic() + self.patience_s
        while not (workers := sorted(self.workers())) and time.monotonic() < end:
            time.sleep(_LOOK_S)
        if workers:
            return workers
        wanted = " ".join(f"{name}={amount:g}" for name, amount in self.resources.items())
        offer = f' --resources "{wanted}"' if wanted else ""
        raise ClusterError(
            f"the cluster has no worker{' that offers ' + wanted if wanted else ''}; "
            f"start one with: dask worker {self.client.scheduler_info(n_workers=0)['address']}{offer}"
        )

    def submit(
        self, function: Callable[..., Any], *args: Any, key: str, workers: Sequence[str] | None = None
    ) -> Future[Any]:
        """Start a task on one of ``workers``, or on any worker that offers the resources; return its future.

        :raises WorkerError: the client has not reached the scheduler for so long that it has given up.
        """
        try:
            return self.client.submit(
                function, *args, key=key, workers=workers, resources=dict(self.resources) or None, pure=False
            )
        except ClosedClientError as error:
            raise WorkerError(GONE) from error

    def ask(self, function: Callable[..., Answer], *args: Any) -> Answer:
        """Call a function on one of the workers and return its answer; its exception is raised here.

        :raises ClusterError: there is no worker.
        """
        self.require_workers()
        future = self.submit(
            call_with_shared_lock, function, *args, key=f"nnvet-{function.__name__}-{uuid4().hex[:12]}"
        )
        try:
            self._wait(future)
            answer: Answer = future.result()
        except CancelledError as error:
            raise ClusterError(GONE) from error
        finally:
            future.cancel()
        return answer

    def answers(self, asked: Mapping[str, Future[Any]]) -> dict[str, Any]:
        """Return the results of tasks by the address of the worker that runs each, without those whose worker is gone.

        :raises ClusterError: the scheduler is gone, or every worker.
        """
        for address, future in asked.items():
            self._wait(future, address)
        found = {}
        for address, future in asked.items():
            with suppress(CancelledError, KilledWorker):
                if future.done():
                    found[address] = future.result()
            future.cancel()
        return found

    def _wait(self, future: Future[Any], worker: str | None = None) -> None:
        """Wait until a task has ended, or until ``worker``, which alone may run it, is gone.

        :raises ClusterError: no worker that could run it has been there for :attr:`away_s`.
        """
        seen_at = time.monotonic()
        while not future.done():
            if worker is not None and self.is_there and worker not in self.workers():
                return
            if self.is_there and self.workers():
                seen_at = time.monotonic()
            elif time.monotonic() - seen_at > self.away_s:
                raise ClusterError(GONE)
            time.sleep(_LOOK_S)

    @property
    def is_there(self) -> bool:
        """Return True if the scheduler can be reached."""
        return bool(self.client.status == "running")


_RESULT_S: Final = 30.0
"""Seconds in which the result of a task that has ended has to arrive."""


def result_of(future: Future[Any], died: Any) -> Any:
    """Return a task's result; ``died`` if its workers have died, None if it was cancelled or cannot be reached.

    :raises ClusterError: a worker does not understand the request.
    :raises WorkerError: the task has raised another exception.
    """
    try:
        if future.status == "finished":
            return future.result(timeout=_RESULT_S)
        error = future.exception() if future.status == "error" else None
    except (OSError, CancelledError):
        return None
    if isinstance(error, KilledWorker):
        return died
    if isinstance(error, ImportError | AttributeError):
        wanted = f"nnvet[cluster]=={own_identity().suite}"
        raise ClusterError(f"a worker cannot take part: {error!r}; install {wanted} for all workers") from error
    if error is not None:
        raise WorkerError(f"a worker cannot do its part: {error!r}")
    return None
