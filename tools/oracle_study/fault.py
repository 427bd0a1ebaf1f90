"""Planted errors, and the kinds that are held out while bounds are tuned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias
from zlib import crc32

from nnvet.oracle.operations.invocation import Invocation, Meaning

Plant: TypeAlias = Callable[[Meaning, Invocation], Any]
"""Wrong results of an operation, or None where the fault does not apply to it."""


@dataclass(frozen=True)
class Fault:
    """A kind of error. ``in_relaxed``: it is one in relaxed models too, which may be computed in float16."""

    name: str
    plant: Plant
    in_relaxed: bool = True


def is_held_out(name: str) -> bool:
    """Return True for a fault or honest driver that is held out while bounds are tuned: every other one, by name."""
    return bool(crc32(name.encode()) & 1)
