"""Start of a worker of ``--cluster local:N``.

A Ctrl-C on a terminal reaches all processes of the run. The run itself ends what its workers do, and asks them for what
there is until then, so they have to live until it is done.
"""

from __future__ import annotations

import signal

from distributed import Worker


def dask_setup(_: Worker) -> None:
    """Called by the worker in its main thread, before its first task."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Processes that it starts do not take over a handler, as they would that signals are ignored.
        signal.signal(number, lambda *_: None)
