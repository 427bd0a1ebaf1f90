"""Calls to a driver on threads of their own: calls that may block, and calls that should reach it at the same time.

:func:`begin` and :func:`result_of` serve a single call, :func:`call_together` serves many. Checks of fences, bursts and
concurrency use this module instead of threads, so that a call that never returns becomes a HANG of the case.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from functools import partial
from typing import Final, TypeVar

from nnvet.transport.wire.failures import DeathEvidence, DriverHang
from nnvet.transport.wire.limits import longest_s

T = TypeVar("T")

_MOMENT_S: Final = 0.5
"""Seconds in which a call that may block has time to return; after that it counts as blocking."""

_SLACK_S: Final = 10.0
"""Seconds to wait beyond the driver's time limit, so that the call's own timeout comes first: its error says more."""


def begin(call: Callable[[], T]) -> Future[T]:
    """Make a call on a thread.

    :raises RuntimeError: no thread can be started.
    """
    future: Future[T] = Future()
    threading.Thread(target=_run_call, args=(call, future), name="nnvet-call", daemon=True).start()
    return future


def has_returned(future: Future[T]) -> bool:
    """Return True if a call returns within :data:`_MOMENT_S`."""
    try:
        future.exception(_MOMENT_S)
    except FutureTimeoutError:
        return False
    return True


def result_of(future: Future[T], timeout_s: float, what: str) -> T:
    """Return the result of a call or raise its error; its driver has ``timeout_s`` seconds for it.

    :raises DriverHang: it does neither in time.
    """
    try:
        return future.result(longest_s(timeout_s) + _SLACK_S)
    except FutureTimeoutError:
        waited = longest_s(timeout_s) + _SLACK_S
        evidence = DeathEvidence(what, "a call does not return", waited_s=waited)
        raise DriverHang(f"{what}: no answer within {waited} s", evidence) from None


def call_together(calls: Sequence[Callable[[], T]], timeout_s: float, what: str) -> list[T]:
    """Make all calls at the same time, and wait for all of them.

    :returns: their results in order; raises the first call's exception that there is.
    :raises DriverHang: a call does not return.
    :raises RuntimeError: no thread can be started for a call.
    """
    barrier = threading.Barrier(len(calls))

    def at_once(call: Callable[[], T]) -> T:
        barrier.wait()
        return call()

    try:
        futures = [begin(partial(at_once, call)) for call in calls]
    except RuntimeError:
        # Calls that have a thread already must not wait at the barrier for calls that get none.
        barrier.abort()
        raise
    ended = [_await_end(future, timeout_s, what) for future in futures]
    return [future.result() for future in ended]


def _await_end(future: Future[T], timeout_s: float, what: str) -> Future[T]:
    """Return the future once its call has returned or raised."""
    try:
        result_of(future, timeout_s, what)
    except BaseException:  # the caller looks at it when all others have ended too
        if not future.done():
            raise
    return future


def _run_call(call: Callable[[], T], future: Future[T]) -> None:
    """Make a call, and give its result or its error to the future."""
    try:
        future.set_result(call())
    except BaseException as error:  # noqa: BLE001 - whoever waits for the call gets it
        future.set_exception(error)
