"""Messages of a burst: packets of datums in its queues, and rarer messages that go over the service's connection.

A datum is a union of 24 bytes: the discriminator in the first byte, zeros up to the alignment of the content, the
content, zeros to the end. Everything is little endian, as on all machines with this HAL.

:mod:`nnvet.transport.burst.client` encodes requests and decodes results, :mod:`nnvet.transport.burst.server` does the
reverse. Source: docs/contract/hal.md 12.1 and 12.2.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Any, Final, NoReturn, Protocol, runtime_checkable

import msgspec

from nnvet.hal.errors import failure
from nnvet.hal.types import NO_TIMING, DataLocation, ErrorStatus, Memory, OutputShape, Request, RequestArgument, Timing

DATUM_BYTES: Final = 24
"""Size of a datum."""
_NS_PER_US: Final = 1000
_UINT64_MAX: Final = 2**64 - 1
_FRAME: Final = 2
"""Every packet begins with its information and ends with the timing."""


class RequestDatum(IntEnum):
    """Discriminators of FmqRequestDatum."""

    PACKET_INFORMATION = 0
    INPUT_OPERAND_INFORMATION = 1
    INPUT_OPERAND_DIMENSION_VALUE = 2
    OUTPUT_OPERAND_INFORMATION = 3
    OUTPUT_OPERAND_DIMENSION_VALUE = 4
    POOL_IDENTIFIER = 5
    MEASURE_TIMING = 6


class ResultDatum(IntEnum):
    """Discriminators of FmqResultDatum."""

    PACKET_INFORMATION = 0
    OPERAND_INFORMATION = 1
    OPERAND_DIMENSION_VALUE = 2
    EXECUTION_TIMING = 3


_LAST: Final = int(ResultDatum.EXECUTION_TIMING)
# Layouts of datums after the discriminator; comments name the fields.
_REQUEST_INFORMATION: Final = struct.Struct("<B3x4I4x")  # packetSize, inputs, outputs, pools
_ARGUMENT: Final = struct.Struct("<B3x?3x4I")  # hasNoValue, poolIndex, offset, length, numberOfDimensions
_REQUEST_DIMENSION: Final = struct.Struct("<B3xI16x")
_SIGNED: Final = struct.Struct("<B3xi16x")  # poolIdentifier, MeasureTiming
_RESULT_INFORMATION: Final = struct.Struct("<B7xIiI4x")  # packetSize, errorStatus, numberOfOperands
_SHAPE: Final = struct.Struct("<B7x?3xI8x")  # isSufficient, numberOfDimensions
_RESULT_DIMENSION: Final = struct.Struct("<B7xI12x")
_TIMING: Final = struct.Struct("<B7x2Q")  # timeOnDevice, timeInDriver


class RequestPacket(msgspec.Struct, frozen=True):
    """A request that names its pools by ``slots``."""

    inputs: tuple[RequestArgument, ...]
    outputs: tuple[RequestArgument, ...]
    slots: tuple[int, ...]
    measure_timing: bool


class ResultPacket(msgspec.Struct, frozen=True):
    """Status, timing and output shapes of an execution; shapes only with NONE and OUTPUT_INSUFFICIENT_SIZE."""

    status: ErrorStatus
    output_shapes: tuple[OutputShape, ...] = ()
    timing: Timing = Timing()


def encode_request(request: Request, slots: Sequence[int], *, measure_timing: bool) -> bytes | None:
    """Return the packet of a request; None if it has padding or values of more than 32 bits, which no packet holds."""
    arguments = (*request.inputs, *request.outputs)
    size = _FRAME + len(arguments) + len(slots) + sum([len(argument.dimensions) for argument in arguments])
    if any(argument.location.padding for argument in arguments):
        return None
    try:
        datums = [_REQUEST_INFORMATION.pack(0, size, len(request.inputs), len(request.outputs), len(slots))]
        datums += _argument_datums(request.inputs, RequestDatum.INPUT_OPERAND_INFORMATION)
        datums += _argument_datums(request.outputs, RequestDatum.OUTPUT_OPERAND_INFORMATION)
        datums += [_SIGNED.pack(RequestDatum.POOL_IDENTIFIER, slot) for slot in slots]
        datums.append(_SIGNED.pack(RequestDatum.MEASURE_TIMING, measure_timing))
    except struct.error:
        return None
    return b"".join(datums)


def decode_request(packet: bytes) -> RequestPacket:
    """Return the request that a packet holds.

    :raises HalError: GENERAL_FAILURE for an ill-formed packet.
    """
    datums = _Datums(packet)
    _, size, inputs, outputs, pools = datums.take(_REQUEST_INFORMATION, RequestDatum.PACKET_INFORMATION)
    datums.check_size(size, inputs + outputs + pools + _FRAME)
    first = tuple(_arguments(datums, inputs, RequestDatum.INPUT_OPERAND_INFORMATION))
    second = tuple(_arguments(datums, outputs, RequestDatum.OUTPUT_OPERAND_INFORMATION))
    slots = tuple([datums.take(_SIGNED, RequestDatum.POOL_IDENTIFIER)[1] for _ in range(pools)])
    measure = datums.take(_SIGNED, RequestDatum.MEASURE_TIMING)[1]
    datums.check_end()
    if measure not in (0, 1):
        _refuse(f"the timing is to be measured: {measure}")
    return RequestPacket(first, second, slots, bool(measure))


def encode_result(result: ResultPacket) -> bytes:
    """Return the packet of a result; times are in whole microseconds there, rounded up.

    :raises struct.error: for dimensions and times of more than their 32 and 64 bits.
    """
    timing = result.timing
    on_device, in_driver = _microseconds(timing.time_on_device_ns), _microseconds(timing.time_in_driver_ns)
    return _head(int(result.status), tuple(result.output_shapes)) + _TIMING.pack(_LAST, on_device, in_driver)


# Most results of a burst differ in the timing at most.
@lru_cache(maxsize=64)
def _head(status: int, output_shapes: tuple[OutputShape, ...]) -> bytes:
    """Return a result packet without its timing."""
    size = _FRAME + len(output_shapes) + sum([len(shape.dimensions) for shape in output_shapes])
    datums = [_RESULT_INFORMATION.pack(0, size, status_of_packets(ErrorStatus(status)), len(output_shapes))]
    for shape in output_shapes:
        datums.append(_SHAPE.pack(ResultDatum.OPERAND_INFORMATION, shape.is_sufficient, len(shape.dimensions)))
        datums += [_RESULT_DIMENSION.pack(ResultDatum.OPERAND_DIMENSION_VALUE, value) for value in shape.dimensions]
    return b"".join(datums)


def decode_result(packet: bytes) -> ResultPacket:
    """Return the result that a packet holds.

    :raises HalError: GENERAL_FAILURE for an ill-formed packet.
    """
    status, shapes = _outcome(packet[:-DATUM_BYTES])
    kind, on_device, in_driver = _TIMING.unpack_from(packet, len(packet) - DATUM_BYTES)
    if kind != _LAST:
        _refuse(f"the last datum has discriminator {kind}, and not the timing's")
    return ResultPacket(status, shapes, Timing(_nanoseconds(on_device), _nanoseconds(in_driver)))


@lru_cache(maxsize=64)
def _outcome(head: bytes) -> tuple[ErrorStatus, tuple[OutputShape, ...]]:
    """Return status and shapes of a result packet without its timing."""
    datums = _Datums(head)
    _, size, status, count = datums.take(_RESULT_INFORMATION, ResultDatum.PACKET_INFORMATION)
    datums.check_size(size - 1, count + 1)
    shapes = []
    for _ in range(count):
        _, sufficient, rank = datums.take(_SHAPE, ResultDatum.OPERAND_INFORMATION)
        dimensions = datums.dimensions(rank, _RESULT_DIMENSION, ResultDatum.OPERAND_DIMENSION_VALUE)
        shapes.append(OutputShape(dimensions, sufficient))
    datums.check_end()
    if not 0 <= status <= ErrorStatus.INVALID_ARGUMENT:
        _refuse(f"no status has the number {status}")
    return ErrorStatus(status), tuple(shapes)


def status_of_packets(status: ErrorStatus) -> ErrorStatus:
    """Return a status in the enumeration of 1.0, which packets use."""
    return status if status <= ErrorStatus.INVALID_ARGUMENT else ErrorStatus.GENERAL_FAILURE


class _Datums:
    """Reader of a packet that takes one datum after the other, each of an expected kind."""

    __slots__ = ("_at", "_packet")

    def __init__(self, packet: bytes) -> None:
        if len(packet) % DATUM_BYTES:
            _refuse(f"{len(packet)} bytes are no whole number of datums")
        self._packet = packet
        self._at = 0

    def take(self, layout: struct.Struct, kind: int) -> tuple[Any, ...]:
        """Return the next datum: its discriminator, then its contents."""
        at = self._at
        try:
            datum = layout.unpack_from(self._packet, at)
        except struct.error:
            _refuse(f"it ends after {at // DATUM_BYTES} datums")
        if datum[0] != kind:
            _refuse(f"datum {at // DATUM_BYTES} has discriminator {datum[0]} instead of {int(kind)}")
        self._at = at + DATUM_BYTES
        return datum

    def dimensions(self, rank: int, layout: struct.Struct, kind: int) -> tuple[int, ...]:
        """Return the contents of the next ``rank`` datums."""
        if self._at + rank * DATUM_BYTES > len(self._packet):
            _refuse(f"{rank} dimensions do not fit in")
        return tuple([self.take(layout, kind)[1] for _ in range(rank)])

    def check_size(self, announced: int, counted: int) -> None:
        """Check that the packet has as many datums as its header says, and as its counts add up to."""
        size = len(self._packet) // DATUM_BYTES
        if announced != size or counted > size:
            _refuse(f"it announces {announced} datums and counts {counted}, {size} have come")

    def check_end(self) -> None:
        """Check that no datum is left."""
        if self._at != len(self._packet):
            _refuse(f"there are datums after the end, at {self._at // DATUM_BYTES}")


def _argument_datums(arguments: Sequence[RequestArgument], kind: RequestDatum) -> Iterator[bytes]:
    for argument in arguments:
        place, dimensions = argument.location, argument.dimensions
        yield _ARGUMENT.pack(kind, argument.has_no_value, place.pool_index, place.offset, place.length, len(dimensions))
        for dimension in dimensions:
            yield _REQUEST_DIMENSION.pack(kind + 1, dimension)


def _arguments(datums: _Datums, count: int, kind: RequestDatum) -> Iterator[RequestArgument]:
    for _ in range(count):
        _, has_no_value, pool_index, offset, length, rank = datums.take(_ARGUMENT, kind)
        dimensions = datums.dimensions(rank, _REQUEST_DIMENSION, kind + 1)
        yield RequestArgument(has_no_value, DataLocation(pool_index, offset, length), dimensions)


def _microseconds(time_ns: int) -> int:
    return _UINT64_MAX if time_ns == NO_TIMING else -(-time_ns // _NS_PER_US)


def _nanoseconds(time_us: int) -> int:
    return NO_TIMING if time_us == _UINT64_MAX else time_us * _NS_PER_US


def _refuse(reason: str) -> NoReturn:
    raise failure(f"ill-formed packet: {reason}", "burst/packet")


GetMemories = Callable[[Sequence[int]], Sequence[Memory]]
"""Function that returns the memories of slots, in order; raises HalError if the client has none for one of them."""


@runtime_checkable
class MemoriesCallback(Protocol):
    """The client's callback, which is notified of the slots whose memories the service lacks, with status NONE."""

    def notify(self, status: ErrorStatus, slots: tuple[int, ...]) -> None:
        """Have the client answer with :meth:`BurstContext.supply_memories`."""


@runtime_checkable
class BurstContext(Protocol):
    """The service's object for a burst, which is served until the client releases this object."""

    def free_memory(self, slot: int) -> None:
        """Forget the memory of a slot; an unknown slot is ignored."""

    def supply_memories(self, status: ErrorStatus, memories: tuple[Memory, ...]) -> None:
        """Answer the callback with the memories asked for, in order; none unless ``status`` is NONE."""

    def explain(self) -> tuple[ErrorStatus, str, str]:
        """Return status, message and rule of the latest execution, since a result packet has only a status of 1.0."""
