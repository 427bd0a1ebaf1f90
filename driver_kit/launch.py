"""How a driver in Python runs what a call has launched: on a thread of its own, told to the client exactly once."""

import contextvars
import sys
import threading
import traceback
from collections.abc import Callable
from typing import TypeVar

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError, failure

T = TypeVar("T")


def launch(task: Callable[[], T], done: Callable[[ErrorStatus, T | None], None]) -> None:
    """Start ``task``; ``done`` gets NONE and its result, or the status of its failure and None.

    The new thread serves the same client as the one that calls (:mod:`nnvet.hal.calling`).

    :raises HalError: GENERAL_FAILURE if no thread can be started; ``done`` is not called then.
    """
    try:
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(_run, task, done), name="launched", daemon=True).start()
    except RuntimeError as error:
        raise failure(f"the task cannot be launched: {error}", "driver/exception") from error


def _run(task: Callable[[], T], done: Callable[[ErrorStatus, T | None], None]) -> None:
    status, result = ErrorStatus.GENERAL_FAILURE, None
    try:
        result = task()
        status = ErrorStatus.NONE
    except HalError as error:
        status = error.status
    except MemoryError:
        status = ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT
    except Exception:  # noqa: BLE001 - whatever a driver raises, the client has to be told
        traceback.print_exc(file=sys.stderr)
    done(status, result)
