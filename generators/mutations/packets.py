"""Copies of a burst's request packet with one thing changed.

A packet is a sequence of datums of :data:`nnvet.transport.burst.packets.DATUM_BYTES` bytes.

Source: docs/contract/vts-tests.md 4.1; docs/contract/hal.md 12.1.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from nnvet.transport.burst.packets import DATUM_BYTES, RequestDatum


class PacketMutant(NamedTuple):
    """One change: ``removed`` datums at ``place`` give way to ``added``. Packets are long, so they are made late."""

    description: str
    place: int
    removed: int = 0
    added: tuple[bytes, ...] = ()

    def of(self, datums: Sequence[bytes]) -> bytes:
        """The changed packet."""
        return b"".join((*datums[: self.place], *self.added, *datums[self.place + self.removed :]))


PacketMutation = Callable[[Sequence[bytes]], Iterator[PacketMutant]]
"""All mutants of one kind of a valid packet; each of them must be refused."""


def datums_of(packet: bytes) -> tuple[bytes, ...]:
    """The datums of a packet."""
    return tuple(packet[begin : begin + DATUM_BYTES] for begin in range(0, len(packet), DATUM_BYTES))


def datum(kind: RequestDatum, *words: int) -> bytes:
    """A request datum: discriminator, zeros, contents as unsigned words of 32 bits from byte 4 on, zeros."""
    return struct.pack(f"<B3x{len(words)}I", kind, *words).ljust(DATUM_BYTES, b"\0")


_INT32_MAX: Final = 2**31 - 1
_INFORMATION_OF_TEN_DIMENSIONS: Final = (0, 0, 0, 0, 10)
_DIMENSIONS: Final = (RequestDatum.INPUT_OPERAND_DIMENSION_VALUE, RequestDatum.OUTPUT_OPERAND_DIMENSION_VALUE)
_YES: Final = 1

BAD_DATUMS: Final[Mapping[RequestDatum, bytes]] = {
    kind: datum(kind, *words)
    for kind, words in {
        RequestDatum.PACKET_INFORMATION: (10, 10, 10, 10),
        RequestDatum.INPUT_OPERAND_INFORMATION: _INFORMATION_OF_TEN_DIMENSIONS,
        RequestDatum.INPUT_OPERAND_DIMENSION_VALUE: (0,),
        RequestDatum.OUTPUT_OPERAND_INFORMATION: _INFORMATION_OF_TEN_DIMENSIONS,
        RequestDatum.OUTPUT_OPERAND_DIMENSION_VALUE: (0,),
        RequestDatum.POOL_IDENTIFIER: (_INT32_MAX,),
        RequestDatum.MEASURE_TIMING: (_YES,),
    }.items()
}
"""Datums that VTS inserts and with which it replaces others."""


def _kind(content: bytes) -> RequestDatum:
    return RequestDatum(content[0])


def _remove(datums: Sequence[bytes]) -> Iterator[PacketMutant]:
    for place, content in enumerate(datums):
        yield PacketMutant(f"without datum {place}, {_kind(content).name}", place, 1)


def _add(datums: Sequence[bytes]) -> Iterator[PacketMutant]:
    for place in range(len(datums) + 1):
        for kind, bad in BAD_DATUMS.items():
            yield PacketMutant(f"{kind.name} inserted before datum {place}", place, 0, (bad,))


def _replace(datums: Sequence[bytes]) -> Iterator[PacketMutant]:
    for place, content in enumerate(datums):
        for kind, bad in BAD_DATUMS.items():
            # Another dimension value, even 0, can be valid.
            if bad != content and not (kind in _DIMENSIONS and kind == _kind(content)):
                yield PacketMutant(f"{kind.name} instead of datum {place}, {_kind(content).name}", place, 1, (bad,))


VTS_PACKET_MUTATIONS: Final[Mapping[str, PacketMutation]] = {
    "removeDatum": _remove,
    "addDatum": _add,
    "mutateDatum": _replace,
}
"""The sub-tests of validateBurstSerialization."""

_ABSURD: Final = (_INT32_MAX, 2**31, 2**32 - 1)
_ARGUMENT: Final = ("", "poolIndex", "offset", "length", "numberOfDimensions")
_NUMBERS: Final[Mapping[RequestDatum, tuple[str, ...]]] = {
    RequestDatum.PACKET_INFORMATION: (
        "packetSize",
        "numberOfInputOperands",
        "numberOfOutputOperands",
        "numberOfPools",
    ),
    RequestDatum.INPUT_OPERAND_INFORMATION: _ARGUMENT,
    RequestDatum.INPUT_OPERAND_DIMENSION_VALUE: ("dimension",),
    RequestDatum.OUTPUT_OPERAND_INFORMATION: _ARGUMENT,
    RequestDatum.OUTPUT_OPERAND_DIMENSION_VALUE: ("dimension",),
    RequestDatum.POOL_IDENTIFIER: ("slot",),
    RequestDatum.MEASURE_TIMING: (),
}
"""The words of each datum that are numbers of something; truth values and the measuring are none."""


def absurd_numbers(datums: Sequence[bytes]) -> Iterator[PacketMutant]:
    """Each number of a packet, made as large as no small model has it; as a signed one it may be negative."""
    for place, content in enumerate(datums):
        for word, name in enumerate(_NUMBERS[_kind(content)]):
            for value in _ABSURD if name else ():
                begin = 4 * (word + 1)
                changed = content[:begin] + value.to_bytes(4, "little") + content[begin + 4 :]
                yield PacketMutant(f"{name} {value} in datum {place}, {_kind(content).name}", place, 1, (changed,))
