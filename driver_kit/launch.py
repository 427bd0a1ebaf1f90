"""Threads for calls that a driver in Python has launched; each notifies its client exactly once.

Starting a thread costs more than preparing a small model, so a thread whose task is done waits for another one. A
launch never waits for a thread: where none is idle, one more is started.
"""

from __future__ import annotations

import contextvars
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final, TypeVar

from nnvet.diagnostics.exceptions import raised, traceback_of
from nnvet.hal.calling import because_of
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError, failure

T = TypeVar("T")

MAX_IDLE: Final = 8
"""Threads that are kept for later launches; beyond these, a thread ends with its task."""
OUT_OF_MEMORY: Final = "the driver is out of memory"
"""Message of a driver whose code raised MemoryError: it did not decide on that."""


def launch(task: Callable[[], T], done: Callable[[ErrorStatus, T | None], None]) -> None:
    """:func:`perform` a task on a thread of its own.

    The task serves the same client as the thread that calls (:mod:`nnvet.hal.calling`).

    :raises HalError: GENERAL_FAILURE if no thread can be started; ``done`` is not called then.
    """
    context = contextvars.copy_context()
    try:
        worker = _idle.pop()
    except IndexError:
        try:
            worker = _Worker(_idle)
        except RuntimeError as error:
            raise failure(f"the task cannot be launched: {error}", "driver/exception") from error
    worker.tasks.put(lambda: context.run(perform, task, done))


class _Worker:
    """A thread that runs what is put into its queue, one task at a time, and is among ``idle`` in between."""

    def __init__(self, idle: deque[_Worker]) -> None:
        self._idle = idle
        self.tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()
        threading.Thread(target=self._work, name="launched", daemon=True).start()

    def _work(self) -> None:
        # A task that raises ends its thread, which says so like any other.
        self.tasks.get()()
        while len(self._idle) < MAX_IDLE:
            self._idle.append(self)
            self.tasks.get()()


_idle: Final[deque[_Worker]] = deque()
"""Whoever was idle last is taken first, so that the others can stay asleep."""

# A child of this process has none of its threads.
os.register_at_fork(after_in_child=_idle.clear)


def perform(task: Callable[[], T], done: Callable[[ErrorStatus, T | None], None]) -> None:
    """Run ``task`` in this thread; ``done`` gets NONE and its result, or the status of its failure and None."""
    result, cause = None, None
    try:
        result = task()
    except HalError as error:
        cause = error
    except MemoryError:
        cause = HalError(ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, OUT_OF_MEMORY)
    except Exception as error:  # noqa: BLE001 - whatever a driver raises, the client is notified
        sys.stderr.write(f"{traceback_of(error)}\n")
        cause = failure(f"the driver {raised(error)}", "driver/exception")
    try:
        with because_of(cause):
            done(cause.status if cause else ErrorStatus.NONE, result)
    finally:
        # Its traceback refers to this frame, and so to all that the task had.
        del cause
