"""Checks of scalar arguments that many methods share: preference, priority, deadlines, durations.

Drivers and the checks of the suite call them. Source: docs/contract/hal.md 11. Models and requests are checked in
:mod:`nnvet.hal.validation`.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Final

from nnvet.hal.enums import NO_DEADLINE, ExecutionPreference, Priority
from nnvet.hal.errors import invalid
from nnvet.hal.types import PrepareModelConfig

_PREFERENCES: Final = frozenset(ExecutionPreference)
"""The legal preferences, for a quick check of numbers."""
_PRIORITIES: Final = frozenset(Priority)
"""The legal priorities."""


def check_prepare_config(config: PrepareModelConfig) -> None:
    """Check preference, priority and deadline of a preparation.

    The caching arguments are not checked, since they never make a preparation fail.

    :raises HalError: INVALID_ARGUMENT.
    """
    if config.preference not in _PREFERENCES:
        raise invalid(f"preference {config.preference}", "prepare/preference")
    if config.priority not in _PRIORITIES:
        raise invalid(f"priority {config.priority}", "prepare/priority")
    check_time(config.deadline_ns, "deadline", "prepare/deadline")


def check_time(value: int, what: str, rule: str) -> None:
    """Check that a time or duration is not negative, except -1, which means none.

    :raises HalError: INVALID_ARGUMENT with ``rule``.
    """
    if value < NO_DEADLINE:
        raise invalid(f"{what} {value} is negative", rule)


boot_time_ns: Final = partial(time.clock_gettime_ns, time.CLOCK_BOOTTIME)
"""Present time in nanoseconds, on the clock that deadlines use."""


def deadline_passed(deadline_ns: int) -> bool:
    """Return True if a deadline is given and not in the future."""
    return deadline_ns != NO_DEADLINE and boot_time_ns() >= deadline_ns
