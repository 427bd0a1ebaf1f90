"""Agents that lie, flood, or speak only half: the link is lost in time and with a reason, and nothing is kept."""

from __future__ import annotations

import math
import os
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import pytest

from nnvet.adapters.remote import driver as remote
from nnvet.adapters.remote import stream
from nnvet.adapters.remote.carrier import LinkCarrier
from nnvet.adapters.remote.link import Link, LinkError
from nnvet.adapters.remote.messages import VERSION, Message, MessageKind, Splitter, pack
from nnvet.adapters.remote.replicas import Replica
from nnvet.hal.memory import create_ashmem

PATIENCE_S = 120.0
LATEST = 2**64 - 1
MIB = 1 << 20
POOL = 1
"""Id of the first memory of a link."""
PRIMARY = 1
"""Id of the first channel of a link."""
WELCOME = pack(MessageKind.HELLO, body=f"{VERSION}\nan agent".encode())
TIME = (1).to_bytes(8, "little")
NO_FENCES = bytes(2)


def number(value: int) -> bytes:
    """As the link writes numbers."""
    return value.to_bytes(8, "little")


def polite(message: Message) -> bytes:
    """The answers of an agent that only keeps the link alive."""
    if message.kind is MessageKind.HELLO:
        return WELCOME
    return pack(MessageKind.PING, message.id, TIME) if message.kind is MessageKind.PING else b""


@dataclass
class Agent:
    """The other end of a link, which answers each message by ``answer`` and sends whatever a test likes."""

    connection: socket.socket
    answer: Callable[[Message], bytes] = polite
    sending: threading.Lock = field(default_factory=threading.Lock)

    def serve(self) -> None:
        """Answer until the link ends."""
        splitter = Splitter()
        with suppress(OSError):
            while data := self.connection.recv(1 << 16):
                self.send(map(self.answer, splitter.feed(data)))

    def send(self, messages: Iterable[bytes]) -> None:
        """Send messages; the suite may hang up before the last of them."""
        with suppress(OSError):
            for message in messages:
                with self.sending:
                    self.connection.sendall(message)


@contextmanager
def agent(answer: Callable[[Message], bytes] = polite) -> Iterator[tuple[Agent, socket.socket]]:
    """An agent on a thread, and the suite's end of its connection."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        hostile = Agent(theirs, answer)
        thread = threading.Thread(target=hostile.serve)
        thread.start()
        try:
            yield hostile, ours
        finally:
            with suppress(OSError):
                theirs.shutdown(socket.SHUT_RDWR)
            thread.join()


@contextmanager
def linked() -> Iterator[tuple[Agent, Link, LinkCarrier]]:
    """A link with an open channel to an agent that has one pool of 8 bytes."""

    def begin(named: Sequence[Replica]) -> tuple[Iterable[Replica], Iterable[Replica]]:
        return named, ()

    with agent() as (hostile, connection):
        link = Link(connection, "", lambda _: None, PATIENCE_S)
        carrier = LinkCarrier(link)
        try:
            link.send_frame(PRIMARY, b"", [create_ashmem(8).handle], begin)
            yield hostile, link, carrier
        finally:
            link.close()


LIES: dict[str, tuple[Iterable[bytes], str]] = {
    "a range at the end of the world": ([pack(MessageKind.RANGE, POOL, number(LATEST) + b"x")], "cannot have"),
    "a range behind a pool": ([pack(MessageKind.RANGE, POOL, number(8) + b"x")], "cannot have 9 bytes"),
    "a pool of terabytes": ([pack(MessageKind.RESIZE, POOL, number(1 << 42))], "cannot have"),
    "a pool of 2^64 bytes": ([pack(MessageKind.RESIZE, POOL, number(LATEST))], "cannot have"),
    "a frame of 65,535 fences": (
        [pack(MessageKind.FRAME, PRIMARY, b"\xff\xff" + bytes(9) * 65_535)],
        "has 65535 fences",
    ),
    "a frame without end": ([pack(MessageKind.PART, PRIMARY, bytes(MIB))] * 17, "more than 16777216 bytes"),
    "a flood of frames": ([pack(MessageKind.FRAME, PRIMARY, NO_FENCES)] * 20_000, "more frames than anybody reads"),
    "a flood of long frames": (
        [pack(MessageKind.FRAME, PRIMARY, NO_FENCES + bytes(MIB - 2))] * 70,
        "more frames than anybody reads",
    ),
    "channels that nobody has": ([pack(MessageKind.CLOSE, 9 + at) for at in range(1000)], "nobody has opened"),
    "a clock of 585 years": ([pack(MessageKind.PING, 1, number(LATEST))], "no clock of an agent"),
    "half a message": ([pack(MessageKind.EXITED, 0, b"\0")], "too short"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_ends_the_link(lie: str) -> None:
    """With a reason, for whoever waits for an answer; a lost link is never the driver's failure."""
    messages, reason = LIES[lie]
    with linked() as (hostile, link, carrier):
        hostile.send(messages)
        assert link.ended.wait(PATIENCE_S)
        assert reason in link.loss
        with pytest.raises(EOFError):
            while True:
                carrier.primary.receive(time.monotonic() + PATIENCE_S)


FLOODS = {
    "answers to no question": pack(MessageKind.LOOK, 77, bytes(MIB)),
    "parts for nobody": pack(MessageKind.PART, 77, bytes(MIB)),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_nothing_is_kept_that_nobody_reads(flood: str) -> None:
    """A hundred mebibytes pass, and the link goes on."""
    with linked() as (hostile, link, carrier):
        tracemalloc.start()
        try:
            begin, _ = tracemalloc.get_traced_memory()
            hostile.send([FLOODS[flood]] * 100)
            hostile.send([pack(MessageKind.FRAME, PRIMARY, NO_FENCES + b"after it")])
            assert carrier.primary.receive(time.monotonic() + PATIENCE_S)[0] == b"after it"
            end, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert not link.loss
        assert end - begin < 8 * MIB


def talks_instead(message: Message) -> bytes:
    """Welcome the suite, and never tell the time."""
    return WELCOME if message.kind is MessageKind.HELLO else pack(MessageKind.OUTPUT, 0, b"wait\n")


def never_welcomes(message: Message) -> bytes:
    """Print something without end in place of a welcome."""
    return pack(MessageKind.OUTPUT, 0, b"wait\n") * 1000 if message.kind is MessageKind.HELLO else b""


@pytest.mark.parametrize("answer", [talks_instead, never_welcomes])
def test_a_handshake_without_end_is_given_up(answer: Callable[[Message], bytes]) -> None:
    """Although the agent goes on sending something before each single wait is over."""
    with agent(answer) as (hostile, connection):
        stop = threading.Event()

        def drip() -> None:
            while not stop.wait(0.05):
                hostile.send([pack(MessageKind.OUTPUT, 0, b"still there\n")])

        dripping = threading.Thread(target=drip)
        dripping.start()
        begin = time.monotonic()
        try:
            with pytest.raises(LinkError):
                Link(connection, "", lambda _: None, 1.0)
        finally:
            stop.set()
            dripping.join()
        assert time.monotonic() - begin < PATIENCE_S


def test_an_agent_that_reads_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if it goes on sending, so that it is not silent: a call that cannot be sent must not wait for ever."""
    monkeypatch.setattr(stream, "SILENCE_S", 2.0)
    ours, theirs = socket.socketpair()
    stop = threading.Event()

    def shake_hands_and_drip() -> None:
        splitter, heard = Splitter(), list[Message]()
        while [message.kind for message in heard].count(MessageKind.PING) < 3:
            heard += (messages := splitter.feed(theirs.recv(1 << 16)))
            theirs.sendall(b"".join(map(polite, messages)))
        while not stop.wait(0.2):
            with suppress(OSError):
                theirs.sendall(pack(MessageKind.OUTPUT, 0, b"still there\n"))

    with ours, theirs:
        dripping = threading.Thread(target=shake_hands_and_drip)
        dripping.start()
        link = Link(ours, "", lambda _: None, PATIENCE_S)
        try:
            with pytest.raises(ConnectionResetError, match="read nothing"):
                link.send_frame(1, os.urandom(64 * MIB), [], lambda named: (named, ()))
        finally:
            stop.set()
            dripping.join()
            link.close()


def test_texts_of_an_agent_are_spelt_out() -> None:
    """Its refusal is shown in a terminal."""

    def refuses(_: Message) -> bytes:
        return pack(MessageKind.REFUSED, 0, b"\x1b[2J\nall is well" + b"x" * 100_000)

    with agent(refuses) as (_, connection), pytest.raises(LinkError) as refused:
        Link(connection, "", lambda _: None, PATIENCE_S)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 5000


NONSENSE = [
    "ticks 0\nprocess 1 5 6 7 8",
    "thread 1 R 5",
    "ticks 100\nprocess 1 x 6 7 8",
    f"ticks 100\nprocess 1 {'9' * 5000} 6 7 8",
    f"ticks 100\nprocess 1 {'9' * 400} 6 7 8",
    "ticks -100\nprocess 1 5 6 7 8",
    "ticks 1_0\nprocess 1 5 6 7 8\nthread 1 R ²",
]


@pytest.mark.parametrize("seen", NONSENSE)
def test_nonsense_about_processes_is_not_believed(seen: str) -> None:
    """It is no error of the suite; what comes before it counts."""
    processor_s, processes = remote._parse(seen)
    assert math.isfinite(processor_s)
    assert processor_s >= 0
    assert len(processes) <= 1
