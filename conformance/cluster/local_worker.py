"""Preparation of a worker of ``--cluster local:N``: it ignores Ctrl-C.

A Ctrl-C on a terminal reaches all processes of the run. The run itself ends the tasks of its workers and collects the
results until then, so the workers have to outlive it.
"""

from __future__ import annotations

import signal

from distributed import Worker


def dask_setup(_: Worker) -> None:
    """Ignore Ctrl-C; dask calls this in the worker's main thread, before its first task."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # A handler, not SIG_IGN: the processes that the worker starts would inherit SIG_IGN.
        signal.signal(number, lambda *_: None)
