"""Python's collector of cycles in the suite's own processes: it looks less often, and not at what stays.

With the interpreter's defaults it takes a twelfth of the time of a run, most of it for modules, declarations and loaded
specs, which never go. References are counted as always: what is in no cycle is freed at once. Services
keep the defaults: a cycle of a driver may hold descriptors of clients that are gone.
"""

from __future__ import annotations

import gc
from typing import Final

_ALLOCATIONS: Final = 10_000
"""So many more containers than were freed make the collector look at the youngest; the default is 700."""


def collect_rarely() -> None:
    """Leave alone what is there now, and look less often at what comes."""
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS)
