"""Uses of memory: which call or object of a session lets the driver write into which memory, and until when.

The messages themselves say it. A call uses the memories that it names until it is answered. What goes on afterwards
uses them for longer: an asynchronous call until its callback is notified, a fenced one until its fence has changed, and
a reusable execution until it is released.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from nnvet.adapters.remote.replicas import Replica
from nnvet.transport.wire.codec import EXT_OBJECT, CallMessage, Reply

_REFERENCE: Final = bytes([0xD7, EXT_OBJECT])
"""Beginning of a reference in msgpack; the id follows."""
_NOTIFIED: Final = ("PreparedModel.execute", "Device.prepare_model", "Device.prepare_model_from_cache")
"""Calls that end with a notification of the callback that is their last argument."""
_KEPT: Final = "PreparedModel.create_reusable_execution"
_RUNS: Final = "Execution."

Memories = Sequence[Replica]


class _InFlight(msgspec.Struct, frozen=True):
    method: str
    memories: Memories
    callback: int


class Uses:
    """Memories in use by one session. Not for several threads at once; what a method returns is used no longer."""

    def __init__(self) -> None:
        """There are none."""
        self._in_flight: dict[tuple[int, int], _InFlight] = {}
        self._by_callback: dict[int, Memories] = {}
        self._by_object: dict[int, Memories] = {}
        self._by_fence: dict[int, Memories] = {}

    def of_target(self, call: CallMessage) -> Memories:
        """Memories that a call uses without naming them."""
        return self._by_object.get(call.target, ()) if call.method.startswith(_RUNS) else ()

    def released(self, identifiers: Iterable[int]) -> list[Replica]:
        """Objects of the service were released."""
        return [replica for one in identifiers for replica in self._by_object.pop(one, ())]

    def begin(self, channel: int, call: CallMessage, memories: Memories) -> None:
        """A call that uses memories is about to be sent."""
        callback = _reference(call.arguments) if call.method in _NOTIFIED else 0
        if callback:
            self._by_callback[callback] = memories
        self._in_flight[channel, call.number] = _InFlight(call.method, memories, callback)

    def answered(self, channel: int, reply: Reply, fences: Sequence[int]) -> list[Replica]:
        """A reply has come, with fences that are still active."""
        ended = [replica for one in reply.notifications for replica in self.notified(one.target)]
        call = self._in_flight.pop((channel, reply.number), None)
        if call is None:
            return ended
        if call.callback:
            return ended + (self.notified(call.callback) if reply.status else [])
        if reply.status == 0 and call.method == _KEPT:
            self._by_object[_reference(reply.result)] = call.memories
            return ended
        if fences:
            self._by_fence[fences[0]] = call.memories
            return ended
        return [*ended, *call.memories]

    def notified(self, callback: int) -> list[Replica]:
        """A callback was notified, or will not be."""
        return list(self._by_callback.pop(callback, ()))

    def settled(self, fence: int) -> list[Replica]:
        """A fence is active no longer."""
        return list(self._by_fence.pop(fence, ()))

    def closed(self, channel: int) -> list[Replica]:
        """No reply comes on a channel any more."""
        calls = [self._in_flight.pop(key) for key in list(self._in_flight) if key[0] == channel]
        return [replica for call in calls if not call.callback for replica in call.memories]


def _reference(encoded: msgspec.Raw) -> int:
    """Return the id with which an encoded value ends; 0 if it ends with no reference."""
    end = bytes(encoded)[-10:]
    return int.from_bytes(end[2:], "little") if end.startswith(_REFERENCE) else 0
