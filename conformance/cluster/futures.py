"""Results of dask futures, as one of three kinds: a value, a reason to try again or an error."""

from __future__ import annotations

from concurrent.futures import CancelledError
from typing import Any, Final

from distributed import Future, KilledWorker

from nnvet.conformance.cluster.errors import ClusterError
from nnvet.conformance.cluster.machine import own_identity
from nnvet.conformance.engine.worker_process import WorkerError

_RESULT_S: Final = 30.0


def outcome_of(future: Future[Any], died: Any) -> Any:
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
