"""The ring between two processes: nothing is lost, torn or reordered, nobody sleeps for ever, and peers may die."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nnvet.transport.message_queue import QueueDescriptor, QueueReader, QueueWriter, create_queue

ROOT = Path(__file__).parent.parent.parent
PATIENCE_S = 60.0
ELEMENT = 8
CAPACITY = 7

PRELUDE = """
import sys, time
from nnvet.hal.memory import Handle
from nnvet.transport.message_queue import QueueDescriptor, QueueReader, QueueWriter
reader, writer = (
    end(QueueDescriptor(Handle(int(fd)), {element}, {capacity}))
    for end, fd in zip((QueueReader, QueueWriter), sys.argv[1:])
)
deadline = time.monotonic() + {patience}
"""
ECHO = """
while elements := reader.read_blocking(1, deadline, polling_s={polling_s}):
    assert writer.write_blocking(elements, deadline)
"""
GROUPS = """
serial = 0
while serial < {count}:
    size = serial % {capacity} + 1
    group = [bytes((size, index)) + serial.to_bytes(6, "little") for index in range(size)]
    assert writer.write_blocking(b"".join(group), deadline)
    serial += 1
"""


@contextmanager
def peer(
    program: str, theirs: QueueDescriptor, ours: QueueDescriptor, **values: float
) -> Iterator[subprocess.Popen[str]]:
    """A process that reads ``theirs`` and writes ``ours``; killed afterwards if it still runs."""
    source = (PRELUDE + program).format(element=ELEMENT, capacity=CAPACITY, patience=PATIENCE_S, **values)
    descriptors = (theirs.handle.fd, ours.handle.fd)
    command = (sys.executable, "-c", source, *map(str, descriptors))
    with subprocess.Popen(command, cwd=ROOT, pass_fds=descriptors, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def queues() -> tuple[QueueDescriptor, QueueDescriptor]:
    """One queue for each direction."""
    return create_queue(ELEMENT, CAPACITY), create_queue(ELEMENT, CAPACITY)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("ours_s", "theirs_s"), [(0.0, 0.0), (0.00005, 0.0), (0.0, 0.00005), (0.00005, 0.00005)])
def test_no_wake_up_is_lost(ours_s: float, theirs_s: float) -> None:
    """Ten thousand round trips end, whether the ends sleep at once or look for a while first."""
    theirs, ours = queues()
    writer, reader = QueueWriter(theirs), QueueReader(ours)
    deadline = time.monotonic() + PATIENCE_S
    with peer(ECHO, theirs, ours, polling_s=theirs_s):
        for serial in range(10_000):
            element = serial.to_bytes(ELEMENT, "little")
            assert writer.write_blocking(element, deadline)
            assert reader.read_blocking(1, deadline, polling_s=ours_s) == element


def read_groups(reader: QueueReader, expected: int, elements: bytes) -> int:
    """Check that elements are whole groups, the next in order; the number of the group after them."""
    pieces = [elements[begin : begin + ELEMENT] for begin in range(0, len(elements), ELEMENT)]
    while pieces:
        size = pieces[0][0]
        serial = expected.to_bytes(6, "little")
        assert pieces[:size] == [bytes((size, index)) + serial for index in range(size)]
        del pieces[:size]
        expected += 1
    return expected


def test_groups_arrive_whole_and_in_order() -> None:
    """Elements that are written together are seen together, while the writer waits for space again and again."""
    theirs, ours = queues()
    reader = QueueReader(ours)
    count, expected = 4000, 0
    deadline = time.monotonic() + PATIENCE_S
    with peer(GROUPS, theirs, ours, count=count) as process:
        while expected < count:
            elements = reader.read_blocking(deadline=deadline)
            assert elements
            expected = read_groups(reader, expected, elements)
        assert process.wait(PATIENCE_S) == 0


@pytest.mark.parametrize("killed_after", [1, 10, 100])
def test_a_killed_writer_leaves_whole_groups(killed_after: int) -> None:
    """Whenever the writer dies, what is in the queue are whole groups, and then there is nothing."""
    theirs, ours = queues()
    reader = QueueReader(ours)
    expected = 0
    deadline = time.monotonic() + PATIENCE_S
    with peer(GROUPS, theirs, ours, count=1_000_000) as process:
        while expected < killed_after:
            expected = read_groups(reader, expected, reader.read_blocking(deadline=deadline))
        os.kill(process.pid, signal.SIGKILL)
        process.wait(PATIENCE_S)
        expected = read_groups(reader, expected, reader.read())
    assert expected >= killed_after
    assert reader.read_blocking(deadline=time.monotonic()) == b""
