"""Replicas of memory: what is sent of it, and when it is forgotten."""

import os
from collections.abc import Iterable

from nnvet.adapters.remote.messages import MessageKind, Splitter
from nnvet.adapters.remote.replicas import Contents, Replica, Replicas
from nnvet.hal.memory import create_ashmem
from nnvet.hal.types import Ashmem, Handle

Sent = list[tuple[MessageKind, int, bytes]]


def sent(messages: Iterable[bytes]) -> Sent:
    """Messages as kind, first number and the rest."""
    found = Splitter().feed(b"".join(messages))
    return [(message.kind, int.from_bytes(message.body[:8], "little"), message.body[8:]) for message in found]


def made(size: int) -> tuple[Ashmem, Replica]:
    """Memory and its replica, which has been sent."""
    memory = create_ashmem(size)
    replica = Replica(1, (0, 0), memory.handle)
    assert sent(replica.changes(Contents()))[0] == (MessageKind.MEMORY, size, b"")
    return memory, replica


def test_only_what_has_changed_is_sent() -> None:
    """Runs by themselves; the other end may write between them."""
    memory, replica = made(300_000)
    os.pwrite(memory.handle.fd, b"near", 10)
    os.pwrite(memory.handle.fd, b"far", 200_000)
    os.pwrite(memory.handle.fd, b"next", 100)
    assert sent(replica.changes(Contents())) == [
        (MessageKind.RANGE, 10, b"near"),
        (MessageKind.RANGE, 100, b"next"),
        (MessageKind.RANGE, 200_000, b"far"),
    ]
    assert sent(replica.changes(Contents())) == []


def test_what_the_other_end_has_written_is_not_sent_back() -> None:
    """Across the border of two blocks, too, with a change of ours beside it."""
    memory, replica = made(200_000)
    replica.write(65_530, b"0123456789")
    assert os.pread(memory.handle.fd, 10, 65_530) == b"0123456789"
    os.pwrite(memory.handle.fd, b"mine", 65_600)
    assert sent(replica.changes(Contents())) == [(MessageKind.RANGE, 65_600, b"mine")]


def test_sizes_follow_both_ends() -> None:
    """Bytes that were cut off are 0 when they come back."""
    fd = os.memfd_create("file")
    os.write(fd, b"x" * 100_000)
    replica = Replica(1, (0, 0), Handle(fd))
    list(replica.changes(Contents()))
    os.ftruncate(fd, 70_000)
    assert sent(replica.changes(Contents())) == [(MessageKind.RESIZE, 70_000, b"")]
    os.ftruncate(fd, 100_000)
    os.pwrite(fd, b"x", 80_000)
    assert sent(replica.changes(Contents())) == [(MessageKind.RESIZE, 100_000, b""), (MessageKind.RANGE, 80_000, b"x")]
    replica.resize(5)
    assert os.fstat(fd).st_size == 5
    assert sent(replica.changes(Contents())) == []
    os.close(fd)


def test_the_oldest_that_nobody_uses_is_forgotten() -> None:
    """Those in use stay, whatever their number."""
    replicas = Replicas()
    memories = [create_ashmem(8) for _ in range(100)]
    kept = [replica for memory in memories if (replica := replicas.find(memory.handle))]
    for replica in kept:
        list(replica.changes(Contents()))
    assert [kind for kind, *_ in sent(replicas.use(kept))] == [MessageKind.WATCH]
    assert replicas.leave([]) == []
    messages = Splitter().feed(b"".join(replicas.leave(kept)))
    assert [message.id for message in messages if message.kind is MessageKind.DROP] == [
        replica.id for replica in kept[:36]
    ]
    assert replicas.find(memories[-1].handle) is kept[-1]
    assert replicas.find(memories[0].handle) is not kept[0]
