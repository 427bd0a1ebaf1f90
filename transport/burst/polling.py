"""Polling window of bursts: the time for which an end polls before it sleeps (docs/contract/hal.md 12.4)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple, Protocol

from nnvet.hal.errors import invalid

POLLING_VARIABLE: Final = "NNVET_BURST_POLLING_US"
"""Environment variable with the window in microseconds; 0 for none. Services inherit it."""

_DEFAULT_US: Final = 200
"""About the time of a small execution in Python. The contract's sample driver, which is compiled, polls for 50 us."""

_LONGEST_US: Final = 1_000_000
_US_PER_S: Final = 1_000_000


class Announcer(Protocol):
    """The client's end of a burst."""

    def announce(self) -> None:
        """Wake the service, because an execution follows soon."""


class _Longer(NamedTuple):
    window_s: float
    opened: list[Announcer]


_longer: ContextVar[_Longer | None] = ContextVar("longer polling", default=None)


@contextmanager
def polling_for(window_s: float) -> Iterator[list[Announcer]]:
    """Set the polling window of the client's ends of bursts that are opened inside the block, and list these ends.

    It is meant for clients that measure and have a core of their own: waking an end that sleeps takes about 40 us more.
    The environment variable has precedence.
    """
    longer = _Longer(window_s, [])
    token = _longer.set(longer)
    try:
        yield longer.opened
    finally:
        _longer.reset(token)


def enlist(end: Announcer) -> None:
    """Add an end to the list of the block :func:`polling_for` that it is opened in, if there is one."""
    longer = _longer.get()
    if longer is not None:
        longer.opened.append(end)


def client_window_s() -> float:
    """Return the window for the client's end of a burst that is opened now; raises like :func:`polling_window_s`."""
    longer = _longer.get()
    return polling_window_s() if longer is None or POLLING_VARIABLE in os.environ else longer.window_s


def polling_window_s() -> float:
    """Return the window for bursts that are opened now.

    :raises HalError: INVALID_ARGUMENT if the variable holds no such number.
    """
    text = os.environ.get(POLLING_VARIABLE, str(_DEFAULT_US))
    if not text.isdecimal() or int(text) > _LONGEST_US:
        raise invalid(f"{POLLING_VARIABLE}={text!r}: write a number from 0 to {_LONGEST_US}", "burst/queue")
    return int(text) / _US_PER_S
