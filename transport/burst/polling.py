"""How long the ends of a burst look for a packet before they go to sleep (docs/contract/hal.md 12.4)."""

from __future__ import annotations

import os
from typing import Final

from nnvet.hal.errors import invalid

POLLING_VARIABLE: Final = "NNVET_BURST_POLLING_US"
"""Environment variable with the window in microseconds; 0 for none. Services inherit it."""

_DEFAULT_US: Final = 200
"""About what a small execution takes here; the contract's sample driver, which is compiled, looks for 50."""

_LONGEST_US: Final = 1_000_000
_US_PER_S: Final = 1_000_000


def polling_window_s() -> float:
    """The window for bursts that are opened now.

    :raises HalError: INVALID_ARGUMENT if the variable holds no such number.
    """
    text = os.environ.get(POLLING_VARIABLE, str(_DEFAULT_US))
    if not text.isdecimal() or int(text) > _LONGEST_US:
        raise invalid(f"{POLLING_VARIABLE}={text!r}: write a number from 0 to {_LONGEST_US}", "burst/queue")
    return int(text) / _US_PER_S
