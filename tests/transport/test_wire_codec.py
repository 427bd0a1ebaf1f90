"""Payloads: bytes derived by hand from the msgpack specification, round trips of the contract's types."""

import math
import mmap
from typing import Any

import msgspec
import numpy as np
import pytest

from nnvet.hal.interfaces import Buffer
from nnvet.hal.types import (
    Ashmem,
    BufferToken,
    DataLocation,
    ExecutionResult,
    ExtensionNameAndPrefix,
    Handle,
    HardwareBuffer,
    MappableFile,
    Model,
    NumberOfCacheFiles,
    Operand,
    Operation,
    OutputShape,
    PrepareModelConfig,
    Request,
    RequestArgument,
    Subgraph,
    SymmPerChannelQuantParams,
    Timing,
    TokenValuePair,
)
from nnvet.hal.types import ExtensionParams as ExtensionParameters
from nnvet.transport.wire.codec import CallMessage, Codec, Hello, Reply


def text(value: str) -> str:
    """A text of less than 32 bytes: 101 and the length in five bits, then UTF-8."""
    return (bytes([0b10100000 | len(value)]) + value.encode()).hex()


BY_HAND: dict[str, tuple[object, list[str]]] = {
    # 92: array of 2, here of the integers 3 and 2.
    "hello": (Hello(), ["92", text("nnvet-wire"), "92 03 02"]),
    # 83 and 82: maps of 3 and 2; c3: true; 90: empty array; ff: -1.
    "result": (
        ExecutionResult(),
        [
            *("83", text("output_sufficient_size"), "c3", text("output_shapes"), "90", text("timing")),
            *("82", text("time_on_device_ns"), "ff", text("time_in_driver_ns"), "ff"),
        ],
    ),
    # Tagged structures have their tag under "type"; d5 01: fixext 2 of type 1, index 0 in two bytes; 18: 24.
    "memory": (
        Ashmem(Handle(7), 24),
        ["83", text("type"), text("ashmem"), text("handle"), "d501 0000", text("size"), "18"],
    ),
    "no descriptor": (Handle(-1), ["d501 ffff"]),
    # d7 02: fixext 8 of type 2, the id in eight bytes, little endian.
    "object": ([Buffer], ["91", "d702 2a00000000000000"]),
}


def codec() -> Codec:
    """A codec to which every object has id 42."""
    return Codec(lambda *_: 42, lambda kind, identifier: (kind, identifier))


@pytest.mark.parametrize(("message", "expected"), BY_HAND.values(), ids=BY_HAND.keys())
def test_bytes_by_hand(message: object, expected: list[str]) -> None:
    """Payloads are, byte for byte, what docs/protocol.md promises."""
    assert codec().encode(message)[0] == bytes.fromhex("".join(expected))


MODEL = Model(
    Subgraph(
        (
            Operand(11, (2, 3), extra_params=SymmPerChannelQuantParams((0.5, 0.25), 0)),
            Operand((7 << 16) | 1, extra_params=ExtensionParameters(b"\x00\xff")),
            Operand(5, (0, 4), 0.125, 128, 3, DataLocation(1, 2, 3, 4), None, 2),
        ),
        (Operation(0, (0, 1), (2,)),),
        (0,),
        (2,),
    ),
    (Subgraph((), (), (), ()),),
    bytes(range(256)),
    (Ashmem(Handle(3), 2**40), MappableFile(Handle(4), 10, mmap.PROT_READ, 4096), HardwareBuffer(Handle(5), 8)),
    True,
    (ExtensionNameAndPrefix("com.example", 7),),
)
REQUEST = Request(
    (RequestArgument(True), RequestArgument(False, DataLocation(0, 64, 16), (4,))),
    (RequestArgument(dimensions=(0, 2)),),
    (BufferToken(9), Ashmem(Handle(3), 64)),
)
CONFIG = PrepareModelConfig(9, -1, -5, (MappableFile(Handle(6), 1),), (), bytes(5), (TokenValuePair(1, b"x"),))
RESULT = ExecutionResult(False, (OutputShape((0, 3), False), OutputShape(())), Timing(2**62, -1))


@pytest.mark.parametrize("value", [MODEL, REQUEST, CONFIG, RESULT], ids=lambda value: type(value).__name__)
def test_round_trip(value: Any) -> None:
    """Everything arrives as it was, illegal values included: to judge them is the driver's business."""
    here = codec()
    payload, handles = here.encode(value)
    assert here.decode(payload, type(value), handles) == value


@pytest.mark.parametrize("number", [math.inf, -math.inf, 1e-300, 0.1])
def test_floats_arrive_exactly(number: float) -> None:
    """Floats travel in 64 bits, infinities included."""
    here = codec()
    assert here.decode(here.encode([number])[0], list[float]) == [number]


@pytest.mark.parametrize(("scale", "arrives"), [(math.inf, math.inf), (0.1, float(np.float32(0.1))), (1e-300, 0.0)])
def test_scales_arrive_as_32_bit_floats(scale: float, arrives: float) -> None:
    """A scale has the bits of the contract's float, whatever a client has sent."""
    here = codec()
    assert here.decode(here.encode(Operand(3, scale=scale))[0], Operand).scale == arrives


def test_nan_arrives() -> None:
    """NaN, which validators have to refuse, reaches them."""
    here = codec()
    assert math.isnan(here.decode(here.encode(Operand(3, scale=math.nan))[0], Operand).scale)


def test_a_descriptor_travels_once() -> None:
    """A memory that is several pools of a request needs one descriptor, and arrives as one handle."""
    pool, other = Ashmem(Handle(30), 8), Ashmem(Handle(31), 8)
    here = codec()
    payload, handles = here.encode(Request((), (), (pool, other, pool)))
    assert [handle.fd for handle in handles] == [30, 31]
    pools = here.decode(payload, Request, [Handle(50), Handle(51)]).pools
    assert [memory.handle.fd for memory in pools if isinstance(memory, Ashmem)] == [50, 51, 50]


def test_numpy_numbers_are_numbers() -> None:
    """A driver may answer with NumPy scalars where Python's numbers are meant."""
    shape = OutputShape((np.int64(3), np.uint8(4)), np.bool_(False))  # type: ignore[arg-type]
    here = codec()
    assert here.decode(here.encode(shape)[0], OutputShape) == OutputShape((3, 4), False)


def test_missing_fields_have_defaults_and_unknown_ones_are_ignored() -> None:
    """Structures are maps: a peer may leave out defaults, and a newer one may send more."""
    payload = msgspec.msgpack.encode({"num_data_cache": 2, "of_a_later_version": [1, 2]})
    assert codec().decode(payload, NumberOfCacheFiles) == NumberOfCacheFiles(0, 2)


WRONG = {
    "index beyond the descriptors": ("d501 0100", Handle),
    "object instead of a descriptor": ("d702 0000000000000000", Handle),
    "number instead of a descriptor": ("05", Handle),
    "short reference": ("d402 00", Buffer),
    "number instead of a reference": ("05", Buffer),
    "call without arguments": ("93 01 a161 90", CallMessage),
    "text as status": ("94 a131 a0 a0 c0", Reply),
    "truncated": ("94 01", Reply),
    "no msgpack": ("c1", Reply),
}


@pytest.mark.parametrize(("payload", "kind"), WRONG.values(), ids=WRONG.keys())
def test_wrong_payloads_are_refused(payload: str, kind: Any) -> None:
    """Whatever is not of the wanted type is a DecodeError, never anything else."""
    with pytest.raises(msgspec.DecodeError):
        codec().decode(bytes.fromhex(payload), kind, [Handle(1)])


@pytest.mark.parametrize("value", [1 << 64, [Handle(n) for n in range(2025)]], ids=["integer", "descriptors"])
def test_what_does_not_fit_is_refused(value: object) -> None:
    """Integers of more than 64 bits and more than 2024 descriptors cannot be sent."""
    with pytest.raises(OverflowError):
        codec().encode(value)
