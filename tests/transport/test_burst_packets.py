"""Packets of bursts: bytes by hand from the tables of docs/contract/hal.md 12, and everything that is none."""

import struct
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.errors import HalError
from nnvet.hal.types import Ashmem, DataLocation, ErrorStatus, Handle, OutputShape, Request, RequestArgument, Timing
from nnvet.transport.burst.packets import (
    DATUM_BYTES,
    RequestPacket,
    ResultPacket,
    decode_request,
    decode_result,
    encode_request,
    encode_result,
)

UINT32 = st.integers(0, 2**32 - 1)
DIMENSIONS = st.lists(UINT32, max_size=4).map(tuple)
ARGUMENTS = st.lists(
    st.builds(RequestArgument, st.booleans(), st.builds(DataLocation, UINT32, UINT32, UINT32), DIMENSIONS), max_size=4
).map(tuple)
SLOTS = st.lists(st.integers(-(2**31), 2**31 - 1), max_size=3).map(tuple)
# Whole microseconds are what a packet can hold; the largest 64-bit number stands for "not measured".
TIMES = st.just(-1) | st.integers(0, 2**64 - 2).map(lambda time_us: 1000 * time_us)
RESULTS = st.builds(
    ResultPacket,
    st.sampled_from(list(ErrorStatus)[:5]),
    st.lists(st.builds(OutputShape, DIMENSIONS, st.booleans()), max_size=4).map(tuple),
    st.builds(Timing, TIMES, TIMES),
)

POOL = Ashmem(Handle(-1), 64)
REQUEST = Request(
    inputs=(RequestArgument(False, DataLocation(0, 4, 8), (2, 1)), RequestArgument(has_no_value=True)),
    outputs=(RequestArgument(False, DataLocation(1, 0, 0x01020304)),),
    pools=(POOL, POOL),
)
# Discriminator, alignment, contents, rest up to 24 bytes; by hand.
REQUEST_BYTES = bytes.fromhex(
    "00000000 09000000 02000000 01000000 02000000 00000000"  # packetInformation: 9 datums, 2 inputs, 1 output, 2 pools
    "01000000 00000000 00000000 04000000 08000000 02000000"  # input: a value in pool 0, offset 4, length 8, rank 2
    "02000000 02000000 00000000 00000000 00000000 00000000"  # dimension 2
    "02000000 01000000 00000000 00000000 00000000 00000000"  # dimension 1
    "01000000 01000000 00000000 00000000 00000000 00000000"  # input: no value
    "03000000 00000000 01000000 00000000 04030201 00000000"  # output: pool 1, length 0x01020304, rank 0
    "05000000 07000000 00000000 00000000 00000000 00000000"  # slot 7
    "05000000 ffffffff 00000000 00000000 00000000 00000000"  # slot -1
    "06000000 01000000 00000000 00000000 00000000 00000000"  # measure
)
RESULT = ResultPacket(
    ErrorStatus.OUTPUT_INSUFFICIENT_SIZE, (OutputShape((3, 0), is_sufficient=False), OutputShape(())), Timing(1001, -1)
)
RESULT_BYTES = bytes.fromhex(
    "00000000 00000000 06000000 03000000 02000000 00000000"  # packetInformation: 6 datums, status 3, 2 outputs
    "01000000 00000000 00000000 02000000 00000000 00000000"  # operandInformation: not sufficient, rank 2
    "02000000 00000000 03000000 00000000 00000000 00000000"  # dimension 3
    "02000000 00000000 00000000 00000000 00000000 00000000"  # dimension 0
    "01000000 00000000 01000000 00000000 00000000 00000000"  # operandInformation: sufficient, rank 0
    "03000000 00000000 0200000000000000 ffffffffffffffff"  # 2 us, rounded up from 1001 ns; not measured
)


def datums(packet: bytes) -> list[bytes]:
    """A packet in pieces."""
    return [packet[begin : begin + DATUM_BYTES] for begin in range(0, len(packet), DATUM_BYTES)]


def test_request_has_the_bytes_of_the_contract() -> None:
    """A request becomes exactly the datums of the contract, and those become the request again."""
    assert encode_request(REQUEST, (7, -1), measure_timing=True) == REQUEST_BYTES
    assert decode_request(REQUEST_BYTES) == RequestPacket(REQUEST.inputs, REQUEST.outputs, (7, -1), True)


def test_result_has_the_bytes_of_the_contract() -> None:
    """A result becomes exactly the datums of the contract; padding is 0, also within operandInformation."""
    assert encode_result(RESULT) == RESULT_BYTES
    rounded = Timing(2000, -1)
    assert decode_result(RESULT_BYTES) == ResultPacket(RESULT.status, RESULT.output_shapes, rounded)


@given(ARGUMENTS, ARGUMENTS, SLOTS, st.booleans())
def test_requests_survive(
    inputs: tuple[RequestArgument, ...], outputs: tuple[RequestArgument, ...], slots: tuple[int, ...], measure: bool
) -> None:
    """Whatever fits in 32 bits arrives as it was; the number of datums is that of the contract."""
    packet = encode_request(Request(inputs, outputs), slots, measure_timing=measure)
    assert packet is not None
    dimensions = sum(len(argument.dimensions) for argument in (*inputs, *outputs))
    assert len(datums(packet)) == 2 + len(inputs) + len(outputs) + len(slots) + dimensions
    assert decode_request(packet) == RequestPacket(inputs, outputs, slots, measure)


@given(RESULTS)
def test_results_survive(result: ResultPacket) -> None:
    """A result of whole microseconds arrives as it was; the number of datums is that of the contract."""
    packet = encode_result(result)
    dimensions = sum(len(shape.dimensions) for shape in result.output_shapes)
    assert len(datums(packet)) == 2 + len(result.output_shapes) + dimensions
    assert decode_result(packet) == result


@pytest.mark.parametrize("status", [status for status in ErrorStatus if status > ErrorStatus.INVALID_ARGUMENT])
def test_newer_statuses_become_general_failure(status: ErrorStatus) -> None:
    """Packets have the statuses of 1.0: those from 5 on are reported as GENERAL_FAILURE (docs/contract/hal.md 12.4)."""
    assert decode_result(encode_result(ResultPacket(status))).status is ErrorStatus.GENERAL_FAILURE


@pytest.mark.parametrize(
    "argument",
    [
        RequestArgument(location=DataLocation(0, 0, 8, padding=1)),
        RequestArgument(location=DataLocation(0, -1, 8)),
        RequestArgument(location=DataLocation(0, 0, 2**32)),
        RequestArgument(location=DataLocation(-1, 0, 8)),
        RequestArgument(location=DataLocation(0, 0, 8), dimensions=(-1,)),
        RequestArgument(location=DataLocation(0, 0, 8), dimensions=(2**32,)),
    ],
)
def test_what_no_packet_can_hold_is_refused(argument: RequestArgument) -> None:
    """Padding, negative numbers and numbers of more than 32 bits make no packet, so that another way can be taken."""
    assert encode_request(Request((argument,), ()), (), measure_timing=False) is None
    assert encode_request(Request((), (argument,)), (), measure_timing=False) is None


@pytest.mark.parametrize("shape", [OutputShape((-1,)), OutputShape((2**32,))])
def test_shapes_that_are_none_cannot_be_sent(shape: OutputShape) -> None:
    """Dimensions of an output that are no 32-bit numbers are an error of whoever answers so."""
    with pytest.raises(struct.error):
        encode_result(ResultPacket(ErrorStatus.NONE, (shape,)))


def ill_formed(packet: bytes) -> Iterator[tuple[str, bytes]]:
    """Packets that are wrong in one place each."""
    pieces = datums(packet)
    for place, piece in enumerate(pieces):
        kind = piece[0]
        for other in (*range(8), 255):
            if other != kind:
                yield (
                    f"datum {place} as {other}",
                    b"".join([*pieces[:place], bytes([other]) + piece[1:], *pieces[place + 1 :]]),
                )
        yield f"without datum {place}", b"".join([*pieces[:place], *pieces[place + 1 :]])
        yield f"datum {place} twice", b"".join([*pieces[:place], piece, *pieces[place:]])
        yield f"half of datum {place}", b"".join(pieces[:place]) + piece[:12]
    yield "nothing", b""
    yield "a datum more", packet + bytes(DATUM_BYTES)
    yield "another packet behind it", packet + packet


def with_counts(packet: bytes, places: range) -> Iterator[tuple[str, bytes]]:
    """The same with counts of the first datum changed, one at a time; ``places`` are their offsets."""
    for place in places:
        count = int.from_bytes(packet[place : place + 4], "little")
        for wrong in {0, 1, count - 1, count + 1, 2**31, 2**32 - 1} - {count}:
            yield f"{wrong} at {place}", packet[:place] + wrong.to_bytes(4, "little") + packet[place + 4 :]


def one_more(packet: bytes, size_at: int) -> tuple[str, bytes]:
    """The packet with one more datum at its end, which it announces; ``size_at`` is the offset of the number."""
    size = int.from_bytes(packet[size_at : size_at + 4], "little") + 1
    longer = packet[:size_at] + size.to_bytes(4, "little") + packet[size_at + 4 :]
    return "a datum more, announced", longer + packet[-DATUM_BYTES:]


RANK = 20
ILL_FORMED_REQUESTS = dict(
    [
        *ill_formed(REQUEST_BYTES),
        one_more(REQUEST_BYTES, 4),
        *with_counts(REQUEST_BYTES, range(4, 20, 4)),
        *(
            (f"rank {rank}", REQUEST_BYTES[: 24 + RANK] + rank.to_bytes(4, "little") + REQUEST_BYTES[48:])
            for rank in (0, 3, 2**32 - 1)
        ),
        *(
            (f"measure {wrong}", REQUEST_BYTES[:-20] + wrong.to_bytes(4, "little") + bytes(16))
            for wrong in (2, 2**31, 2**32 - 1)
        ),
    ]
)
ILL_FORMED_RESULTS = dict(
    [
        *ill_formed(RESULT_BYTES),
        one_more(RESULT_BYTES, 8),
        *with_counts(RESULT_BYTES, range(8, 9)),
        *with_counts(RESULT_BYTES, range(16, 17)),
        *(
            (f"status {wrong}", RESULT_BYTES[:12] + wrong.to_bytes(4, "little") + RESULT_BYTES[16:])
            for wrong in (5, 8, 10000, 2**32 - 1)
        ),
        *(
            (f"rank {rank}", RESULT_BYTES[: 24 + 12] + rank.to_bytes(4, "little") + RESULT_BYTES[40:])
            for rank in (1, 3, 2**32 - 1)
        ),
    ]
)


@pytest.mark.parametrize("packet", ILL_FORMED_REQUESTS.values(), ids=ILL_FORMED_REQUESTS)
def test_ill_formed_requests_are_refused(packet: bytes) -> None:
    """A wrong count, kind or order of datums is one clean error."""
    with pytest.raises(HalError) as refused:
        decode_request(packet)
    assert (refused.value.status, refused.value.rule) == (ErrorStatus.GENERAL_FAILURE, "burst/packet")


@pytest.mark.parametrize("packet", ILL_FORMED_RESULTS.values(), ids=ILL_FORMED_RESULTS)
def test_ill_formed_results_are_refused(packet: bytes) -> None:
    """A wrong count, kind or order of datums, and a status that packets do not have, is one clean error."""
    with pytest.raises(HalError) as refused:
        decode_result(packet)
    assert (refused.value.status, refused.value.rule) == (ErrorStatus.GENERAL_FAILURE, "burst/packet")


def outcome(decode: Callable[[bytes], RequestPacket | ResultPacket], packet: bytes) -> str:
    """The type of what a packet holds, or the rule that it breaks."""
    try:
        return type(decode(packet)).__name__
    except HalError as error:
        return error.rule


@given(st.binary(max_size=4 * DATUM_BYTES) | st.lists(st.tuples(st.integers(0, 6), st.binary(max_size=20)), min_size=1))
def test_any_bytes_are_a_packet_or_refused(content: bytes | list[tuple[int, bytes]]) -> None:
    """Nothing but the one error comes of bytes from elsewhere, also if the number of datums is right."""
    if isinstance(content, bytes):
        packet = content
    else:
        size = len(content).to_bytes(4, "little")
        packet = b"".join(bytes((kind, 0, 0, 0)) + contents.ljust(20, b"\0") for kind, contents in content)
        packet = bytes(4) + size + packet[8:]
    assert outcome(decode_request, packet) in {"RequestPacket", "burst/packet"}
    assert outcome(decode_result, bytes(8) + packet[4:-4]) in {"ResultPacket", "burst/packet"}


@given(st.binary(max_size=3), st.integers(1, 3))
def test_padding_is_not_looked_at(padding: bytes, datum: int) -> None:
    """Bytes between discriminator and contents, and behind the contents, have no meaning."""
    place = datum * DATUM_BYTES + 1
    padded = REQUEST_BYTES[:place] + padding.ljust(3, b"\0") + REQUEST_BYTES[place + 3 :]
    assert decode_request(padded) == decode_request(REQUEST_BYTES)
