"""Frames on a socket: round trips, descriptors, limits, deadlines, and peers that do not speak the protocol."""

import os
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from nnvet.hal.types import Handle
from nnvet.transport.wire.framing import MAX_PAYLOAD, Channel, WireError
from tests.transport.wire_sessions import open_descriptors

SOON = 0.02
GARBAGE = {
    "wrong magic": struct.pack("<IHH", 1, 0, 0x1234) + b"x",
    "endless": struct.pack("<IHH", MAX_PAYLOAD + 1, 0, 0x564E),
    "missing descriptors": struct.pack("<IHH", 1, 2, 0x564E) + b"x",
    "text": b"GET / HTTP/1.1\r\n\r\n",
}


@pytest.fixture
def sockets() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Two ends of a connection."""
    first, second = socket.socketpair()
    with first, second:
        yield first, second


@pytest.fixture
def files(tmp_path: Path) -> Iterator[list[Handle]]:
    """Handles of 300 different files, more than fit in one sendmsg (253)."""
    handles = []
    for number in range(300):
        path = tmp_path / str(number)
        path.write_text(str(number))
        handles.append(Handle(os.open(path, os.O_RDONLY)))
    yield handles
    for handle in handles:
        handle.close()


def test_bytes_of_a_frame(sockets: tuple[socket.socket, socket.socket]) -> None:
    """The header is the length, the number of descriptors and the magic, little endian (docs/protocol.md)."""
    Channel(sockets[0]).send(b"abc")
    assert sockets[1].recv(100) == bytes.fromhex("03000000 0000 4e56") + b"abc"


@pytest.mark.parametrize("size", [0, 1, 65536, 3_000_000])
def test_payload_round_trip(sockets: tuple[socket.socket, socket.socket], size: int) -> None:
    """Payloads of any size arrive unchanged, also those larger than the socket's buffer."""
    payload = os.urandom(size)
    sender = threading.Thread(target=Channel(sockets[0]).send, args=(payload,))
    sender.start()
    assert Channel(sockets[1]).receive() == (payload, [])
    sender.join()


@pytest.mark.parametrize("count", [1, 253, 254, 300])
def test_descriptors_arrive_in_order(
    sockets: tuple[socket.socket, socket.socket], files: list[Handle], count: int
) -> None:
    """Descriptors arrive in order, as new descriptors of the same files, which close when they are forgotten."""
    before = open_descriptors()
    Channel(sockets[0]).send(b"files", files[:count])
    payload, received = Channel(sockets[1]).receive()
    assert payload == b"files"
    assert [os.pread(handle.fd, 10, 0).decode() for handle in received] == [str(number) for number in range(count)]
    assert not {handle.fd for handle in received} & {handle.fd for handle in files}
    assert open_descriptors() == before + count
    del received
    assert open_descriptors() == before


def test_frames_keep_their_descriptors(sockets: tuple[socket.socket, socket.socket], files: list[Handle]) -> None:
    """Frames that are sent before the first is read do not mix their descriptors."""
    sender, receiver = Channel(sockets[0]), Channel(sockets[1])
    sender.send(b"none")
    sender.send(b"two", files[5:7])
    sender.send(b"one", files[9:10])
    for expected, numbers in ((b"none", []), (b"two", ["5", "6"]), (b"one", ["9"])):
        payload, handles = receiver.receive()
        assert payload == expected
        assert [os.pread(handle.fd, 10, 0).decode() for handle in handles] == numbers


def test_frames_that_are_read_at_once(sockets: tuple[socket.socket, socket.socket], files: list[Handle]) -> None:
    """Many frames that have all come before the first is received keep their order and their descriptors."""
    sender, receiver = Channel(sockets[0]), Channel(sockets[1])
    before = open_descriptors()
    sizes = [0, 3, 5, 254, 0, 0, 1, 260, 0, 2]
    for number, count in enumerate(sizes):
        sender.send(bytes([number]) * number, files[number : number + count])
    for number, count in enumerate(sizes):
        payload, handles = receiver.receive()
        assert payload == bytes([number]) * number
        names = [os.pread(handle.fd, 10, 0).decode() for handle in handles]
        assert names == [str(name) for name in range(number, number + count)]
        del handles
    assert not receiver.has_read_ahead
    assert open_descriptors() == before


@pytest.mark.parametrize("length", [1, 7, 8, 9])
def test_header_in_two_pieces(sockets: tuple[socket.socket, socket.socket], files: list[Handle], length: int) -> None:
    """Wherever the beginning of a frame is cut, it is received whole, and the frame behind it, too."""
    first, second = struct.pack("<IHH", 3, 1, 0x564E) + b"abc", struct.pack("<IHH", 1, 0, 0x564E) + b"d"
    received: list[tuple[bytes, int]] = []

    def receive() -> None:
        channel = Channel(sockets[1])
        for _ in range(2):
            payload, handles = channel.receive()
            received.append((payload, len(handles)))

    receiver = threading.Thread(target=receive)
    receiver.start()
    socket.send_fds(sockets[0], [first[:length]], [files[0].fd])
    sockets[0].sendall(first[length:] + second)
    receiver.join()
    assert received == [(b"abc", 1), (b"d", 0)]


@pytest.mark.parametrize(("first", "second"), [(1, 0), (0, 2)])
def test_descriptors_of_another_frame(
    sockets: tuple[socket.socket, socket.socket], files: list[Handle], first: int, second: int
) -> None:
    """Descriptors are those of the frame that they come beside, and not of its neighbour that announces them."""
    before = open_descriptors()
    sockets[0].sendall(struct.pack("<IHH", 1, first, 0x564E) + b"x")
    socket.send_fds(sockets[0], [struct.pack("<IHH", 1, second, 0x564E) + b"y"], [files[0].fd])
    channel = Channel(sockets[1])
    if not first:
        assert channel.receive() == (b"x", [])
    with pytest.raises(WireError):
        channel.receive()
    channel.close()
    assert open_descriptors() == before - 1


@pytest.mark.parametrize("size", [1 << 16, 1 << 20])
def test_descriptors_beside_the_rest_of_a_payload_are_dropped(
    sockets: tuple[socket.socket, socket.socket], files: list[Handle], size: int
) -> None:
    """Descriptors that come when the header has been read are not kept open."""
    before = open_descriptors()
    received: list[object] = []
    receiver = threading.Thread(target=lambda: received.append(Channel(sockets[1]).receive()))
    receiver.start()
    sockets[0].sendall(struct.pack("<IHH", size + 1, 0, 0x564E) + bytes(size))
    socket.send_fds(sockets[0], [b"x"], [files[0].fd])
    receiver.join()
    assert received == [(bytes(size) + b"x", [])]
    assert open_descriptors() == before


def test_unreceived_descriptors_are_closed(sockets: tuple[socket.socket, socket.socket], files: list[Handle]) -> None:
    """Descriptors that a read has brought for a frame that nobody receives are closed with the channel."""
    sender, receiver = Channel(sockets[0]), Channel(sockets[1])
    before = open_descriptors()
    sender.send(b"first")
    sender.send(b"second", files[:3])
    assert receiver.receive() == (b"first", [])
    assert receiver.has_read_ahead
    assert open_descriptors() == before + 3
    receiver.close()
    assert open_descriptors() == before - 1


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_is_recognised(
    sockets: tuple[socket.socket, socket.socket], files: list[Handle], garbage: bytes
) -> None:
    """Bytes that are no frame are a WireError, and the descriptors that came with them are closed."""
    before = open_descriptors()
    socket.send_fds(sockets[0], [garbage], [files[0].fd])
    with pytest.raises(WireError):
        Channel(sockets[1]).receive()
    assert open_descriptors() == before


def test_end_between_frames(sockets: tuple[socket.socket, socket.socket]) -> None:
    """A peer that closes between frames has just gone."""
    sockets[0].close()
    with pytest.raises(EOFError):
        Channel(sockets[1]).receive()


@pytest.mark.parametrize("length", [3, 8, 10])
def test_end_within_a_frame(sockets: tuple[socket.socket, socket.socket], length: int) -> None:
    """A peer that goes in the middle of header or payload leaves a broken connection."""
    sockets[0].sendall((struct.pack("<IHH", 100, 0, 0x564E) + b"abc")[:length])
    sockets[0].close()
    with pytest.raises(ConnectionResetError):
        Channel(sockets[1]).receive()


def test_receive_keeps_its_deadline(sockets: tuple[socket.socket, socket.socket]) -> None:
    """A frame of which only a part has come by the deadline is a TimeoutError."""
    sockets[0].sendall(struct.pack("<IHH", 100, 0, 0x564E))
    with pytest.raises(TimeoutError):
        Channel(sockets[1]).receive(time.monotonic() + SOON)


def test_what_has_come_is_received_after_the_deadline(sockets: tuple[socket.socket, socket.socket]) -> None:
    """A receiver that looks late finds a frame that came in time."""
    Channel(sockets[0]).send(b"in time")
    assert Channel(sockets[1]).receive(time.monotonic() - 1) == (b"in time", [])


def test_relief_of_a_sender(sockets: tuple[socket.socket, socket.socket]) -> None:
    """A sender whose peer does not read is called to do something about it, until it has nothing left to do."""
    channel, peer = Channel(sockets[0]), Channel(sockets[1])
    payload, reader = bytes(1_000_000), threading.Thread(target=peer.receive)
    calls: list[bool] = []

    def relief() -> bool:
        calls.append(len(calls) < 3)
        if len(calls) == 4:
            reader.start()
        return calls[-1]

    channel.send(payload, (), None, relief)
    reader.join()
    assert calls[:4] == [True, True, True, False]


def test_send_keeps_its_deadline(sockets: tuple[socket.socket, socket.socket]) -> None:
    """A peer that does not read cannot hold the sender beyond the deadline."""
    with pytest.raises(TimeoutError):
        Channel(sockets[0]).send(bytes(10_000_000), deadline=time.monotonic() + SOON)


def test_deadline_of_one_direction_spares_the_other(sockets: tuple[socket.socket, socket.socket]) -> None:
    """A send with a deadline does not end a receive without one that waits on the same channel."""
    channel = Channel(sockets[0])
    received: list[bytes] = []
    receiver = threading.Thread(target=lambda: received.append(channel.receive()[0]))
    receiver.start()
    with pytest.raises(TimeoutError):
        channel.send(bytes(10_000_000), deadline=time.monotonic() + SOON)
    Channel(sockets[1]).send(b"late")
    receiver.join()
    assert received == [b"late"]


def test_shutdown_wakes_the_receiver(sockets: tuple[socket.socket, socket.socket]) -> None:
    """A thread that waits for a frame is woken by a shutdown of its own end."""
    channel = Channel(sockets[0])
    ends: list[BaseException] = []

    def receive() -> None:
        try:
            channel.receive()
        except EOFError as end:
            ends.append(end)

    receiver = threading.Thread(target=receive)
    receiver.start()
    channel.shutdown()
    receiver.join()
    assert len(ends) == 1
