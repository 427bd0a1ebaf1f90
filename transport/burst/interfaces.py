"""Messages of a burst that do not pass through its queues: rare, and sent over the service's connection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.memory import Memory

GetMemories = Callable[[Sequence[int]], Sequence[Memory]]
"""Memories of slots, in their order; raises HalError if the client has none for one of them."""


@runtime_checkable
class MemoriesCallback(Protocol):
    """The client's: notified which memories the service lacks, with status NONE."""

    def notify(self, status: ErrorStatus, slots: tuple[int, ...]) -> None:
        """Answer with :meth:`BurstContext.supply_memories`."""


@runtime_checkable
class BurstContext(Protocol):
    """The service's: a burst is served until its context is released."""

    def free_memory(self, slot: int) -> None:
        """Forget the memory of a slot; an unknown slot is ignored."""

    def supply_memories(self, status: ErrorStatus, memories: tuple[Memory, ...]) -> None:
        """Answer to the callback: the memories asked for, in their order; none unless ``status`` is NONE."""

    def explain(self) -> tuple[ErrorStatus, str, str]:
        """Status, message and rule of the latest execution: a result packet holds only a status of 1.0."""
