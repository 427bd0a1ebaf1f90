"""The ring in shared memory against a deque, and everything that can be wrong with a queue from elsewhere."""

import errno
import fcntl
import mmap
import os
import struct
import threading
import time
from collections import deque
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.errors import HalError
from nnvet.hal.types import ErrorStatus, Handle
from nnvet.transport import message_queue
from nnvet.transport.message_queue import (
    EVENT_FLAG,
    READ_POSITION,
    WRITE_POSITION,
    EventFlagBits,
    QueueDescriptor,
    QueueReader,
    QueueWriter,
    create_queue,
)

PATIENCE_S = 20.0
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, 9)), st.tuples(st.just("read"), st.none() | st.integers(1, 9))
    ),
    max_size=40,
)


def poke(queue: QueueDescriptor, offset: int, layout: str, value: int) -> None:
    """Overwrite a word of the shared header, as a peer can."""
    with mmap.mmap(queue.handle.fd, queue.size) as memory:
        struct.pack_into(layout, memory, offset, value)


def event_flag(queue: QueueDescriptor) -> int:
    """The event flag as a peer sees it."""
    with mmap.mmap(queue.handle.fd, queue.size) as memory:
        return int(struct.unpack_from("<I", memory, EVENT_FLAG)[0])


def ends(element_size: int = 4, capacity: int = 3) -> tuple[QueueDescriptor, QueueWriter, QueueReader]:
    """A queue with both its ends."""
    queue = create_queue(element_size, capacity)
    return queue, QueueWriter(queue), QueueReader(queue)


@given(OPERATIONS, st.integers(1, 7), st.integers(1, 9), st.integers(0, 2**61))
def test_queue_is_a_queue(operations: list[tuple[str, int | None]], capacity: int, size: int, start: int) -> None:
    """Whatever is written and read, and wherever it wraps around, a queue behaves like a bounded deque."""
    queue = create_queue(size, capacity)
    for offset in (WRITE_POSITION, READ_POSITION):
        poke(queue, offset, "<Q", start)
    writer, reader = QueueWriter(queue), QueueReader(queue)
    model: deque[bytes] = deque()
    serial = 0
    for operation, count in operations:
        if operation == "write":
            assert count is not None
            elements = [(serial + index).to_bytes(9, "little")[:size] for index in range(count)]
            serial += count
            fits = len(model) + count <= capacity
            assert writer.write(b"".join(elements)) is fits
            if fits:
                model.extend(elements)
        else:
            wanted = len(model) if count is None else count
            enough = 0 < wanted <= len(model)
            expected = [model.popleft() for _ in range(wanted)] if enough else []
            assert reader.read(count) == b"".join(expected)
        assert (reader.available, writer.space) == (len(model), capacity - len(model))


def test_events_are_signalled() -> None:
    """Writing sets NOT_EMPTY, reading sets NOT_FULL, and whoever waits clears the bit first."""
    queue, writer, reader = ends()
    assert event_flag(queue) == 0
    writer.write(bytes(8))
    assert event_flag(queue) == EventFlagBits.NOT_EMPTY
    assert reader.read(1) == bytes(4)
    assert event_flag(queue) == EventFlagBits.NOT_EMPTY | EventFlagBits.NOT_FULL
    assert reader.read_blocking(2, deadline=time.monotonic()) == b""
    assert event_flag(queue) == EventFlagBits.NOT_FULL


def test_queue_without_event_flag_moves_elements_but_nobody_can_wait() -> None:
    """Without event flag the word stays 0, and blocking calls that would have to wait are refused."""
    queue = create_queue(4, 2, event_flag=False)
    writer, reader = QueueWriter(queue), QueueReader(queue)
    assert writer.write_blocking(b"abcdefgh")
    with pytest.raises(HalError, match="no event flag"):
        writer.write_blocking(b"ijkl")
    assert reader.read_blocking() == b"abcdefgh"
    with pytest.raises(HalError, match="no event flag"):
        reader.read_blocking()
    assert event_flag(queue) == 0


@pytest.mark.parametrize("polling_s", [0.0, 0.001])
def test_waiting_ends_at_the_deadline(polling_s: float) -> None:
    """A read of an empty and a write to a full queue come back with nothing, and not before the deadline."""
    _, writer, reader = ends()
    deadline = time.monotonic() + 0.02
    assert reader.read_blocking(deadline=deadline, polling_s=polling_s) == b""
    assert time.monotonic() >= deadline
    writer.write(bytes(12))
    deadline = time.monotonic() + 0.02
    assert not writer.write_blocking(bytes(4), deadline)
    assert time.monotonic() >= deadline
    assert reader.read() == bytes(12)


def waiting(call: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    """A thread in a blocking call, and what the call returns."""
    results: list[object] = []
    thread = threading.Thread(target=lambda: results.append(call()))
    thread.start()
    return thread, results


@pytest.mark.parametrize("polling_s", [0.0, 0.001, PATIENCE_S], ids=["asleep", "both", "polling"])
def test_reader_wakes_when_there_is_enough(polling_s: float) -> None:
    """A reader that waits for three elements gets them once they have come, in two writes."""
    _, writer, reader = ends()
    thread, results = waiting(lambda: reader.read_blocking(3, polling_s=polling_s))
    writer.write(b"aaaabbbb")
    assert thread.is_alive()
    writer.write(b"cccc")
    thread.join(PATIENCE_S)
    assert results == [b"aaaabbbbcccc"]


def test_what_comes_just_before_sleep_is_no_reason_to_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the event is signalled while a reader gets ready to sleep, and is not enough, it clears the bit once more.

    Otherwise it would sleep with the bit set, which tells the writer that nobody does.
    """
    _, writer, reader = ends()
    plain, late = message_queue.Futex.clear_bits, [b"aaaabbbb"]

    def clear(word: message_queue.Futex, bits: int) -> None:
        plain(word, bits)
        if late:
            writer.write(late.pop())

    asleep = threading.Event()
    sleep = message_queue.Futex.wait

    def wait(word: message_queue.Futex, expected: int, timeout_s: float | None) -> None:
        assert not expected & EventFlagBits.NOT_EMPTY
        asleep.set()
        sleep(word, expected, timeout_s)

    monkeypatch.setattr(message_queue.Futex, "clear_bits", clear)
    monkeypatch.setattr(message_queue.Futex, "wait", wait)
    thread, results = waiting(lambda: reader.read_blocking(3, time.monotonic() + PATIENCE_S))
    assert asleep.wait(PATIENCE_S)
    writer.write(b"cccc")
    thread.join(PATIENCE_S)
    assert results == [b"aaaabbbbcccc"]


def test_looking_stops_when_it_did_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a wait that was longer than the window a reader sleeps at once, until there was a short one again."""
    looks: list[int] = []
    monkeypatch.setattr(os, "sched_yield", lambda: looks.append(len(looks)))
    # Other processes that take the core meanwhile would be a reason of their own to sleep.
    monkeypatch.setattr("nnvet.transport.message_queue._CROWDED_S", PATIENCE_S)
    _, writer, reader = ends()
    assert reader.read_blocking(deadline=time.monotonic() + 0.3, polling_s=0.2) == b""
    seen = len(looks)
    assert seen > 0
    thread, results = waiting(lambda: reader.read_blocking(polling_s=PATIENCE_S))
    writer.write(b"aaaa")
    thread.join(PATIENCE_S)
    assert (results, len(looks)) == ([b"aaaa"], seen)
    assert reader.read_blocking(deadline=time.monotonic() + 0.3, polling_s=0.2) == b""
    assert len(looks) > seen


def test_an_announced_element_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that is waked by an announcement looks; one that is not does not look."""
    _, writer, reader = ends()
    asleep, sleep = threading.Semaphore(0), message_queue.Futex.wait
    looks = threading.Semaphore(0)

    def wait(word: message_queue.Futex, expected: int, timeout_s: float | None) -> None:
        asleep.release()
        sleep(word, expected, timeout_s)

    monkeypatch.setattr(message_queue.Futex, "wait", wait)
    monkeypatch.setattr(os, "sched_yield", looks.release)
    for announced in (True, False):
        while looks.acquire(blocking=False) or asleep.acquire(blocking=False):
            pass
        reader._is_prompt, reader._sleeps = False, 0
        thread, results = waiting(lambda: reader.read_blocking(polling_s=PATIENCE_S))
        assert asleep.acquire(timeout=PATIENCE_S)
        assert not looks.acquire(blocking=False)
        if announced:
            writer.announce()
            assert looks.acquire(timeout=PATIENCE_S)
        else:
            time.sleep(0.002)
        writer.write(b"aaaa")
        thread.join(PATIENCE_S)
        assert results == [b"aaaa"]


def test_who_shares_a_processor_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader whose core somebody else had meanwhile looks no more for a number of waits, and then it does again."""
    looks: list[float] = []

    def away() -> None:
        looks.append(time.monotonic())
        time.sleep(0.002)

    monkeypatch.setattr(os, "sched_yield", away)
    _, writer, reader = ends()
    for _ in range(60):
        assert reader.read_blocking(deadline=time.monotonic(), polling_s=PATIENCE_S) == b""
        reader._is_prompt = True
    assert len(looks) == 1
    for _ in range(10):
        reader.read_blocking(deadline=time.monotonic(), polling_s=PATIENCE_S)
        reader._is_prompt = True
    assert len(looks) == 2
    writer.write(b"aaaa")
    assert reader.read_blocking(polling_s=PATIENCE_S) == b"aaaa"


def test_a_long_wait_is_followed_by_sleep() -> None:
    """A reader waked by what it has waited for, for longer than its window, sleeps at once next time."""
    _, writer, reader = ends()
    reader._is_prompt = False
    thread, results = waiting(lambda: reader.read_blocking(polling_s=0.001))
    time.sleep(0.05)
    writer.write(b"aaaa")
    thread.join(PATIENCE_S)
    assert (results, reader._is_prompt) == ([b"aaaa"], False)


def test_announcing_to_whoever_does_not_poll() -> None:
    """It wakes for nothing, and sleeps on until its deadline or its element."""
    _, writer, reader = ends()
    thread, results = waiting(reader.read_blocking)
    for _ in range(3):
        writer.announce()
    writer.write(b"aaaa")
    thread.join(PATIENCE_S)
    assert results == [b"aaaa"]
    deadline = time.monotonic() + 0.05
    thread, results = waiting(lambda: reader.read_blocking(deadline=deadline, polling_s=PATIENCE_S))
    writer.announce()
    thread.join(PATIENCE_S)
    assert results == [b""]


def test_writer_wakes_when_there_is_space() -> None:
    """A writer that waits for space for two elements writes them once they fit."""
    _, writer, reader = ends()
    writer.write(b"aaaabbbbcccc")
    thread, results = waiting(lambda: writer.write_blocking(b"ddddeeee"))
    assert reader.read(1) == b"aaaa"
    assert reader.read(1) == b"bbbb"
    thread.join(PATIENCE_S)
    assert results == [True]
    assert reader.read() == b"ccccddddeeee"


@pytest.mark.parametrize("end", ["reader", "writer"])
def test_waiting_can_be_given_up(end: str) -> None:
    """Whoever waits notices, once woken, that nobody wants the result any more."""
    _, writer, reader = ends()
    given_up = threading.Event()
    if end == "reader":
        thread, results = waiting(lambda: reader.read_blocking(given_up=given_up.is_set))
    else:
        writer.write(bytes(12))
        thread, results = waiting(lambda: writer.write_blocking(bytes(4), given_up=given_up.is_set))
    given_up.set()
    (reader if end == "reader" else writer).wake()
    thread.join(PATIENCE_S)
    assert results == [b"" if end == "reader" else False]


def test_more_than_the_queue_holds_is_refused() -> None:
    """Waiting for what can never come is an error, not a hang."""
    _, writer, reader = ends()
    with pytest.raises(HalError, match="4 elements for a queue of 3"):
        writer.write_blocking(bytes(16))
    with pytest.raises(HalError, match="4 elements from a queue of 3"):
        reader.read_blocking(4)
    assert not writer.write(bytes(16))


def test_parts_of_elements_are_refused() -> None:
    """Bytes that are no whole number of elements are not written."""
    _, writer, reader = ends()
    with pytest.raises(HalError, match="5 bytes are no elements of 4"):
        writer.write(bytes(5))
    assert reader.available == 0


@pytest.mark.parametrize(("written", "read"), [(1, 3), (6, 2**63), (2**63, 2**64 - 1), (2**64 - 1, 4)])
def test_corrupt_positions_are_noticed(written: int, read: int) -> None:
    """A position of the peer that is behind or too far ahead is an error; memory outside is never touched."""
    queue, writer, reader = ends()
    writer.write(bytes(8))
    reader.read()
    poke(queue, WRITE_POSITION, "<Q", written)
    with pytest.raises(HalError, match=r"says the writing position: -?[0-9]+ of 3") as corrupt:
        reader.read()
    assert (corrupt.value.status, corrupt.value.rule) == (ErrorStatus.GENERAL_FAILURE, "burst/queue")
    poke(queue, READ_POSITION, "<Q", read)
    with pytest.raises(HalError, match=r"says the reading position: -?[0-9]+ of 3"):
        writer.write(bytes(4))


def test_own_position_is_not_read_back() -> None:
    """A peer that writes over this end's own position changes nothing."""
    queue, writer, reader = ends()
    writer.write(b"aaaa")
    poke(queue, WRITE_POSITION, "<Q", 1)
    poke(queue, READ_POSITION, "<Q", 0)
    assert reader.read() == b"aaaa"
    poke(queue, READ_POSITION, "<Q", 1)
    assert writer.write(b"bbbb")
    assert reader.read() == b"bbbb"


def descriptors() -> dict[str, QueueDescriptor]:
    """Return descriptors of no queue, by their faults."""
    good = create_queue(4, 3)
    small = create_queue(4, 2)
    unsealed = os.memfd_create("queue", os.MFD_ALLOW_SEALING)
    os.ftruncate(unsealed, good.size)
    unsealable = os.memfd_create("queue")
    os.ftruncate(unsealable, good.size)
    old = create_queue(4, 3)
    poke(old, WRITE_POSITION, "<Q", 2**63)
    poke(old, READ_POSITION, "<Q", 2**63)
    fields = {"no element size": (good.handle, 0, 3), "no capacity": (good.handle, 4, 0)}
    fields |= {"negative": (good.handle, 4, -3), "both negative": (good.handle, -4, -3)}
    fields |= {"too large": (good.handle, 1 << 20, 1 << 20), "shorter than it says": (small.handle, 4, 3)}
    fields |= {"no descriptor": (Handle(-1), 4, 3), "not sealed": (Handle(unsealed), 4, 3)}
    fields |= {"cannot be sealed": (Handle(unsealable), 4, 3), "position at the end of 64 bits": (old.handle, 4, 3)}
    fields |= {"a socket": (Handle(os.eventfd(0)), 4, 3), "not open": (Handle(2**20), 4, 3)}
    return {what: QueueDescriptor(*values) for what, values in fields.items()}


@pytest.mark.parametrize("end", [QueueReader, QueueWriter])
def test_what_is_no_queue_is_refused(end: Callable[[QueueDescriptor], object]) -> None:
    """Sizes, descriptors, seals and positions of a foreign queue are checked before anything is mapped or trusted."""
    for what, descriptor in descriptors().items():
        with pytest.raises(HalError) as refused:
            end(descriptor)
        assert (refused.value.status, refused.value.rule) == (ErrorStatus.GENERAL_FAILURE, "burst/queue"), what
        if what in {"not sealed", "cannot be sealed", "a socket"}:
            os.close(descriptor.handle.fd)


def test_a_queue_that_cannot_be_made_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without memory or descriptors for a queue there is one clean error."""

    def fails(*_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(os, "memfd_create", fails)
    with pytest.raises(HalError, match="Too many open files") as refused:
        create_queue(4, 3)
    assert (refused.value.status, refused.value.rule) == (ErrorStatus.GENERAL_FAILURE, "burst/queue")


def test_memory_of_a_queue_cannot_shrink() -> None:
    """Its size is sealed, so that no peer can have us touch memory that has gone."""
    queue = create_queue(4, 3)
    with pytest.raises(PermissionError):
        os.ftruncate(queue.handle.fd, 1)
    with pytest.raises(PermissionError):
        os.ftruncate(queue.handle.fd, 1 << 20)
    assert fcntl.fcntl(queue.handle.fd, fcntl.F_GET_SEALS) & fcntl.F_SEAL_SHRINK


def test_other_processors_get_barriers(monkeypatch: pytest.MonkeyPatch) -> None:
    """If loads and stores are reordered, the kernel's atomic operation is called; the queue works the same."""
    assert message_queue._MACHINE is not None
    unordered = message_queue._Machine(message_queue._MACHINE.futex, ordered=False)
    calls = []
    plain = message_queue.Futex._change

    def counted(word: message_queue.Futex, operation: int, operand: int) -> None:
        calls.append(operand)
        plain(word, operation, operand)

    monkeypatch.setattr(message_queue, "_MACHINE", unordered)
    monkeypatch.setattr(message_queue.Futex, "_change", counted)
    _, writer, reader = ends()
    assert writer.write(b"aaaabbbb")
    assert reader.read() == b"aaaabbbb"
    # Each end orders data and position twice and fences once (operand 0), and sets its bit.
    assert calls == [0, 0, 0, EventFlagBits.NOT_EMPTY, 0, 0, 0, EventFlagBits.NOT_FULL]


def test_unknown_machines_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the number of the system call is not known, a queue is refused with the machines that are."""
    monkeypatch.setattr(message_queue, "_MACHINE", None)
    with pytest.raises(HalError, match="known machines are x86_64, aarch64"):
        QueueReader(create_queue(4, 3))


def test_futex_tells_real_errors() -> None:
    """A word that is not aligned is no futex; only expected ends of a wait are silent."""
    with mmap.mmap(-1, 4096) as memory:
        word = message_queue.Futex(memory, 2)
        with pytest.raises(OSError, match="futex"):
            word.wait(0, 0.0)
        del word


def test_futex_does_not_sleep_on_another_value() -> None:
    """A word that has changed since it was read is not slept on, whatever the time-out."""
    with mmap.mmap(-1, 4096) as memory:
        word = message_queue.Futex(memory, 0)
        word.set_bits(6)
        word.clear_bits(2)
        assert word.value == 4
        word.wait(6, None)
        del word
