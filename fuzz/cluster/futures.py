"""What has become of a task."""

from __future__ import annotations

from concurrent.futures import CancelledError
from typing import Any

from distributed import Future, KilledWorker

from nnvet.conformance.engine.worker_process import WorkerError


def outcome_of(future: Future[Any]) -> Any:
    """What a task has returned; True: its workers have died, None: it was called off, or its result is out of reach.

    :raises WorkerError: it has raised something.
    """
    try:
        if future.status == "finished":
            return future.result()
        error = future.exception() if future.status == "error" else None
    except (OSError, CancelledError):
        return None
    if isinstance(error, KilledWorker):
        return True
    if error is not None:
        raise WorkerError(f"a worker cannot fuzz: {error!r}")
    return None
