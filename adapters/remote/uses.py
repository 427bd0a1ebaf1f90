"""Uses of memory: the calls and objects that let a driver write into a replica, and the moment when each use ends.

Everything follows from the messages themselves. A call uses the memory that it names until its reply. Three kinds of
calls use it for longer: an asynchronous one until its callback is notified, a fenced one until its fence has ended, and
a reusable execution until it is released.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from nnvet.adapters.remote.replicas import Replica
from nnvet.transport.wire.codec import EXT_OBJECT, CallMessage, Reply

_REFERENCE: Final = bytes([0xD7, EXT_OBJECT])
"""The first bytes of an object reference in msgpack; the id follows."""
_NOTIFIED: Final = ("PreparedModel.execute", "Device.prepare_model", "Device.prepare_model_from_cache")
"""Calls that end when the callback, their last argument, is notified."""
_KEPT: Final = "PreparedModel.create_reusable_execution"
_RUNS: Final = "Execution."

Memories = Sequence[Replica]


class _InFlight(msgspec.Struct, frozen=True):
    method: str
    memories: Memories
    callback: int


class Uses:
    """Memory in use by one session. Not thread-safe. The methods return the replicas whose use has ended."""

    def __init__(self) -> None:
        """Start with nothing in use."""
        self._in_flight: dict[tuple[int, int], _InFlight] = {}
        self._by_callback: dict[int, Memories] = {}
        self._by_object: dict[int, Memories] = {}
        self._by_fence: dict[int, Memories] = {}

    def of_target(self, call: CallMessage) -> Memories:
        """Return the replicas that a call uses through its target, without naming them."""
        return self._by_object.get(call.target, ()) if call.method.startswith(_RUNS) else ()

    def released(self, identifiers: Iterable[int]) -> list[Replica]:
        """End the uses by objects of the service that the client has released."""
        return [replica for identifier in identifiers for replica in self._by_object.pop(identifier, ())]

    def begin(self, channel: int, call: CallMessage, memories: Memories) -> None:
        """Begin the uses of a call that is about to be sent."""
        callback = _reference(call.arguments) if call.method in _NOTIFIED else 0
        if callback:
            self._by_callback[callback] = memories
        self._in_flight[channel, call.number] = _InFlight(call.method, memories, callback)

    def answered(self, channel: int, reply: Reply, fences: Sequence[int]) -> list[Replica]:
        """End the uses of a call by its reply, except those that callbacks, objects or active ``fences`` prolong."""
        ended = [replica for note in reply.notifications for replica in self.notified(note.target)]
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
        """End the uses of an asynchronous call whose callback was notified, or never will be."""
        return list(self._by_callback.pop(callback, ()))

    def settled(self, fence: int) -> list[Replica]:
        """End the uses of a fenced call whose fence has ended."""
        return list(self._by_fence.pop(fence, ()))

    def closed(self, channel: int) -> list[Replica]:
        """End the uses of all calls on a channel that has closed, since no reply can come."""
        calls = [self._in_flight.pop(key) for key in list(self._in_flight) if key[0] == channel]
        return [replica for call in calls if not call.callback for replica in call.memories]


def _reference(encoded: msgspec.Raw) -> int:
    """Return the id of the reference at the end of an encoded value; 0 if there is none."""
    end = bytes(encoded)[-10:]
    return int.from_bytes(end[2:], "little") if end.startswith(_REFERENCE) else 0
