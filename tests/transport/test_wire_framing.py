"""Frames on a socket: round trips, descriptors, limits, deadlines, and peers that do not speak the protocol."""

import os
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from nnvet.hal.memory import Handle
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


def test_descriptors_beside_the_payload_are_dropped(
    sockets: tuple[socket.socket, socket.socket], files: list[Handle]
) -> None:
    """Descriptors that come with anything but the header are not kept open."""
    before = open_descriptors()
    sockets[0].sendall(struct.pack("<IHH", 1, 0, 0x564E))
    socket.send_fds(sockets[0], [b"x"], [files[0].fd])
    assert Channel(sockets[1]).receive() == (b"x", [])
    assert open_descriptors() == before


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_is_recognised(
    sockets: tuple[socket.socket, socket.socket], files: list[Handle], garbage: bytes
) -> None:
    """What is no frame is a WireError, and the descriptors that came with it are closed."""
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
