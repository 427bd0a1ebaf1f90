"""Memory slots (docs/contract/hal.md 12.3): the numbers that stand for memories in the packets of a burst.

The client of a burst gives memories slots in a :class:`SlotTable`; the service keeps them in a :class:`MemoryCache`.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Sequence

from nnvet.hal.errors import HalError, invalid
from nnvet.hal.memory import keep_mapped
from nnvet.hal.types import Memory
from nnvet.transport.burst.packets import GetMemories

_log = logging.getLogger("nnvet.burst")


class SlotTable:
    """The client's table, which assigns slots to memories. A memory is identified by the token of its caller."""

    def __init__(self) -> None:
        """Begin without slots."""
        self._slots: dict[int, int] = {}
        self._memories: dict[int, Memory] = {}
        self._free: list[int] = []
        self._numbers = itertools.count()

    def slot(self, token: int, memory: Memory) -> int:
        """Return the slot of a token. A new token gets the slot freed last, or else the next number, for ``memory``."""
        known = self._slots.get(token)
        if known is not None:
            return known
        slot = self._free.pop() if self._free else next(self._numbers)
        self._memories[slot] = memory
        self._slots[token] = slot
        return slot

    def memories(self, slots: Sequence[int]) -> tuple[Memory, ...]:
        """Return the memories of slots.

        :raises HalError: INVALID_ARGUMENT for a slot without memory.
        """
        missing = [slot for slot in slots if slot not in self._memories]
        if missing:
            raise invalid(f"no memory has the slot {missing[0]}", "burst/slot")
        return tuple(self._memories[slot] for slot in slots)

    def forget(self, token: int) -> int | None:
        """Drop a token and its memory, and return its slot, which :meth:`reuse` makes available; None if unknown."""
        slot = self._slots.pop(token, None)
        if slot is not None:
            del self._memories[slot]
        return slot

    def reuse(self, slot: int) -> None:
        """Note that the service has forgotten the slot, too, so that it may be given again."""
        self._free.append(slot)


class MemoryCache:
    """The service's memories by slot, mapped from their first use until the client frees the slot."""

    def __init__(self, get_memories: GetMemories) -> None:
        """Start empty; ``get_memories`` asks the client for memories."""
        self._get_memories = get_memories
        self._memories: dict[int, Memory] = {}
        self._lock = threading.Lock()
        self._freed: set[int] = set()
        self.version = 0
        """Counter that grows whenever a slot may have lost its memory."""

    def resolve(self, slots: Sequence[int]) -> tuple[Memory, ...]:
        """Return the memories of slots; the client is asked once for all that are unknown.

        :raises HalError: INVALID_ARGUMENT if the client has none for one of them.
        """
        unknown = sorted({slot for slot in slots if slot not in self._memories})
        if unknown and unknown[0] < 0:
            raise invalid(f"the slot {unknown[0]} is negative", "burst/slot")
        if unknown:
            self._fetch(unknown)
        try:
            return tuple([self._memories[slot] for slot in slots])
        except KeyError as error:
            raise invalid(f"the memory of slot {error} is not known", "burst/slot") from None

    def free(self, slot: int) -> None:
        """Forget the memory of a slot, also if it is being fetched at this moment."""
        with self._lock:
            self.version += 1
            self._freed.add(slot)
            self._memories.pop(slot, None)

    def _fetch(self, slots: Sequence[int]) -> None:
        with self._lock:
            self._freed.clear()
        try:
            memories = self._get_memories(slots)
        except HalError as error:
            _log.info("the client has no memory for one of the slots %s: %s", slots, error)
            return
        if len(memories) != len(slots):
            _log.info("the client gave %d memories for the slots %s", len(memories), slots)
            return
        with self._lock:
            found = zip(slots, memories, strict=True)
            self._memories.update((slot, keep_mapped(memory)) for slot, memory in found if slot not in self._freed)
