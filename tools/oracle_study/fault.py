"""The form of planted errors, and the split of errors and drivers into two halves.

``call_faults.py``, ``result_faults.py`` and ``sum_faults.py`` define errors of this form; ``faults.py`` lists and
plants them. One half is held out while bounds are tuned, and shows whether the bounds also find errors that nobody had
looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias
from zlib import crc32

from nnvet.oracle.operations.invocation import Invocation, Meaning

Plant: TypeAlias = Callable[[Meaning, Invocation], Any]
"""Function that returns wrong results of an operation, or None if the error does not apply to it."""


@dataclass(frozen=True)
class Fault:
    """A planted error. ``in_relaxed``: it is an error in relaxed models, too, which may be computed in float16."""

    name: str
    plant: Plant
    in_relaxed: bool = True


def is_held_out(name: str) -> bool:
    """Return True for a fault or honest driver that is held out while bounds are tuned: every other one, by name."""
    return bool(crc32(name.encode()) & 1)
