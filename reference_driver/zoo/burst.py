"""Planted bugs of the service's end of a burst: unchecked packets, wrong memory slots, wrong positions in the ring.

Most are subclasses of :class:`nnvet.transport.burst.server.BurstServer` with one changed method. Each decorated
function makes one wrong driver; :mod:`nnvet.reference_driver.zoo.registry` explains the decorator.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Final

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device
from nnvet.hal.types import Memory, OutputShape
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import with_prepared_model
from nnvet.reference_driver.zoo.registry import bug
from nnvet.transport.burst import packets
from nnvet.transport.burst.server import BurstServer
from nnvet.transport.message_queue import QueueReader

_MANY: Final = 1 << 20
"""Number of operands or pools above which the driver that trusts numbers runs out of memory."""
_NOTHING: Final = packets.encode_result(packets.ResultPacket(ErrorStatus.NONE))
"""Result packet of a success without output shapes."""

_BAD_DATUMS: Final = tuple(
    f"ValidateBurst/{check}/*" for check in ("removeDatum", "addDatum", "mutateDatum", "AbsurdNumbers", "Test")
)
"""Cases with packets whose datums are wrong."""
_STRANGE: Final = "ValidateBurst/StrangePacket/*"
"""Cases with packets of random bytes."""
_SHORT: Final = "ValidateBurst/ShortMemory"
"""The case with memory that is too small for the packet."""


def with_server(server: type[BurstServer]) -> Device:
    """Make the full driver with another server of its bursts."""

    class Serving(ReferencePreparedModel):
        burst_server = server

    return with_prepared_model(Serving)


def _reading(change: Callable[[bytes], bytes]) -> Device:
    """Make a driver that changes each packet before it reads it."""

    class Reading(BurstServer):
        def _answer(self, packet: bytes) -> bytes:
            return super()._answer(change(packet))

    return with_server(Reading)


def _announced(packet: bytes) -> int:
    """Return the packetSize that a packet states in its first datum, in bytes."""
    return int.from_bytes(packet[4:8], "little") * packets.DATUM_BYTES


def _is_refused(packet: bytes) -> bool:
    try:
        packets.decode_request(packet)
    except HalError:
        return True
    return False


def _is_failure(answer: bytes) -> bool:
    """Return True if a result has the status of ill-formed packets."""
    return int.from_bytes(answer[12:16], "little") == ErrorStatus.GENERAL_FAILURE


@bug(
    "burst-missing-datum",
    "A request packet without its last datum is executed.",
    rules=("burst/packet",),
    breaks=("ValidateBurst/removeDatum/*", "ValidateBurst/Test/*"),
)
def missing_datum() -> Device:
    """Accept a packet without its last datum, which must be the timing that no client asked for."""
    absent = bytes([packets.RequestDatum.MEASURE_TIMING]).ljust(packets.DATUM_BYTES, b"\0")
    return _reading(
        lambda packet: packet + absent if _announced(packet) == len(packet) + packets.DATUM_BYTES else packet
    )


@bug(
    "burst-packet-end",
    "What lies behind the end of a request packet is ignored.",
    rules=("burst/packet",),
    breaks=(
        "ValidateBurst/addDatum/*",
        "ValidateBurst/Test/*",
        "ValidateBurst/StrangePacket/two_at_once",
        "ValidateBurst/StrangePacket/full_queue",
    ),
)
def packet_end() -> Device:
    """Cut the packet off where it says that it ends."""
    return _reading(lambda packet: packet[: _announced(packet)] or packet)


@bug(
    "burst-discriminator",
    "The last datum of a packet is taken for the timing, whatever it is.",
    rules=("burst/packet",),
    breaks=("ValidateBurst/mutateDatum/*", "ValidateBurst/Test/*"),
)
def discriminator() -> Device:
    """Check the contents of the last datum, but not its discriminator."""
    kind = bytes([packets.RequestDatum.MEASURE_TIMING])
    return _reading(lambda packet: packet[: -packets.DATUM_BYTES] + kind + packet[1 - packets.DATUM_BYTES :])


@bug(
    "burst-nothing-done",
    "Ill-formed packets are answered with NONE.",
    rules=("burst/packet",),
    breaks=(*_BAD_DATUMS, _STRANGE),
)
def nothing_done() -> Device:
    """Report success, since nothing was done."""

    class Careless(BurstServer):
        def _answer(self, packet: bytes) -> bytes:
            return _NOTHING if _is_refused(packet) else super()._answer(packet)

    return with_server(Careless)


@bug(
    "burst-stays-broken",
    "After an ill-formed packet a burst refuses everything.",
    rules=("burst/recovery",),
    breaks=(*_BAD_DATUMS, _STRANGE),
)
def stays_broken() -> Device:
    """Refuse every packet after the first error."""

    class Offended(BurstServer):
        is_broken = False

        def _answer(self, packet: bytes) -> bytes:
            self.is_broken |= _is_refused(packet)
            return super()._answer(b"" if self.is_broken else packet)

    return with_server(Offended)


@bug(
    "burst-error-shapes",
    "Results tell shapes with GENERAL_FAILURE.",
    rules=("burst/result",),
    breaks=(*_BAD_DATUMS, _STRANGE, _SHORT),
)
def error_shapes() -> Device:
    """Return shapes of outputs that do not exist."""

    class Talkative(BurstServer):
        def _answer(self, packet: bytes) -> bytes:
            answer = super()._answer(packet)
            shaped = packets.ResultPacket(ErrorStatus.GENERAL_FAILURE, (OutputShape((1,)),))
            return packets.encode_result(shaped) if _is_failure(answer) else answer

    return with_server(Talkative)


@bug(
    "burst-answers-twice",
    "Ill-formed packets are answered twice.",
    rules=("burst/packet",),
    breaks=(*_BAD_DATUMS, _STRANGE),
)
def answers_twice() -> Device:
    """Answer once where the packet is read, and again where it is refused."""

    class Doubling(BurstServer):
        def _answer(self, packet: bytes) -> bytes:
            answer = super()._answer(packet)
            if _is_refused(packet):
                self._results.write(answer)
            return answer

    return with_server(Doubling)


@bug(
    "burst-leaks-bytes",
    "Bytes without a meaning hold what was in memory before.",
    rules=("burst/sanitized",),
    breaks=("ValidateBurst/validateBurstSanitized/*", "ValidateBurst/Test/*"),
)
def leaks_bytes() -> Device:
    """Leave the padding of each shape as it was in memory."""

    class Unclean(BurstServer):
        def _answer(self, packet: bytes) -> bytes:
            answer = bytearray(super()._answer(packet))
            for begin in range(0, len(answer), packets.DATUM_BYTES):
                if answer[begin] == packets.ResultDatum.OPERAND_INFORMATION:
                    answer[begin + 9 : begin + 12] = b"key"
            return bytes(answer)

    return with_server(Unclean)


@bug(
    "burst-result-cut-off",
    "A result that does not fit in its queue loses its shapes.",
    rules=("burst/length",),
    breaks=("ValidateBurst/validateBurstFmqLength/*", "ValidateBurst/Test/*"),
)
def result_cut_off() -> Device:
    """Cut a result to the frame, which fits in any queue."""

    class Cutting(BurstServer):
        def _answer(self, packet: bytes) -> bytes:
            answer, space = super()._answer(packet), self._results.space * packets.DATUM_BYTES
            return answer if len(answer) <= space else _NOTHING

    return with_server(Cutting)


@bug(
    "burst-trusts-counts",
    "The process dies of packets that count millions of things.",
    rules=("driver/crash",),
    breaks=("ValidateBurst/AbsurdNumbers/*", "ValidateBurst/StrangePacket/unknown_datums"),
    service=True,
)
def trusts_counts() -> Device:
    """Reserve memory for all operands and pools that a packet announces, without a limit."""

    def reserve(packet: bytes) -> bytes:
        if any(int.from_bytes(packet[place : place + 4], "little") > _MANY for place in (8, 12, 16)):
            os.abort()
        return packet

    return _reading(reserve)


@bug(
    "burst-ends-by-zeros",
    "A packet of zeros ends the burst.",
    rules=("driver/hang",),
    breaks=("ValidateBurst/StrangePacket/zeros",),
)
def ends_by_zeros() -> Device:
    """End the burst at a packet of zeros, as HIDL services do that send it to themselves; this one trusts anybody."""

    class Ending(BurstServer):
        def _answer(self, packet: bytes) -> bytes:
            if not any(packet):
                self.stop()
            return super()._answer(packet)

    return with_server(Ending)


@bug(
    "burst-any-memory",
    "A slot without memory gets that of another one.",
    rules=("burst/packet",),
    breaks=("ValidateBurst/mutateDatum/*", "ValidateBurst/AbsurdNumbers/*", "ValidateBurst/Test/*"),
)
def any_memory() -> Device:
    """Reduce slot numbers modulo the number of slots instead of checking them."""

    def in_range(packet: bytes) -> bytes:
        pieces = [packet[begin : begin + packets.DATUM_BYTES] for begin in range(0, len(packet), packets.DATUM_BYTES)]
        slots = [piece for piece in pieces if piece[0] == packets.RequestDatum.POOL_IDENTIFIER]
        numbers = {piece: bytes([*piece[:4], slots.index(piece), *bytes(19)]) for piece in slots if any(piece[5:8])}
        return b"".join(numbers.get(piece, piece) for piece in pieces)

    return _reading(in_range)


@bug(
    "burst-keeps-freed",
    "The memory of a freed slot is kept.",
    rules=(
        "burst/freed",
        "burst/slot",
    ),
    breaks=("ValidateBurst/Slots", "ValidateBurst/Freed*"),
)
def keeps_freed() -> Device:
    """Keep using memory that the client has freed."""

    class Keeping(BurstServer):
        def free_memory(self, slot: int) -> None:
            """Keep the slot."""

    return with_server(Keeping)


@bug("burst-asks-each", "Memories are asked for one by one.", rules=("burst/slot",), breaks=("ValidateBurst/Slots",))
def asks_each() -> Device:
    """Ask for the memory of each slot in a call of its own."""

    class Asking(BurstServer):
        def __init__(self, burst: Any, requests: Any, results: Any, get_memories: Any, polling_s: float = 0.0) -> None:
            """Replace the function that asks for memory."""

            def get(slots: Sequence[int]) -> Sequence[Memory]:
                return list(chain.from_iterable(get_memories([slot]) for slot in slots))

            super().__init__(burst, requests, results, get, polling_s)

    return with_server(Asking)


class _Trusting(QueueReader):
    """A reader that trusts the other end's position in the ring."""

    @property
    def available(self) -> int:
        """Return the number of waiting elements; reading those beyond the ring kills the process."""
        waiting = self._others[0] - self._own
        if not 0 <= waiting <= self.capacity:
            os.abort()
        return waiting


@bug(
    "burst-trusts-positions",
    "The process dies of a wrong position in the request queue.",
    rules=("driver/crash",),
    breaks=("ValidateBurst/CorruptPosition/requests_written",),
    service=True,
)
def trusts_positions() -> Device:
    """Read the ring wherever its writer says."""

    class Reading(BurstServer):
        def __init__(self, burst: Any, requests: Any, *rest: Any) -> None:
            """Replace the reader of the queue."""
            super().__init__(burst, requests, *rest)
            self._requests = _Trusting(requests)

    return with_server(Reading)
